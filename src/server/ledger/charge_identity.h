/*
 * charge_identity.h - the identities of the tables and roles of a request.
 */
#ifndef DPOBJ_CHARGE_IDENTITY_H
#define DPOBJ_CHARGE_IDENTITY_H

#include "postgres.h"

#include "utils/array.h"

#include "server/ledger/charge_parties.h"
#include "server/ledger/charge_shared.h"

/*
 * Finds or inserts the identities of a request, and records which tables are relatives.  Denies the
 * request after a restore or a promotion that nobody has confirmed (55000).
 */
extern void charge_bind(ChargeRequest *request, ChargeParties *parties);

/*
 * Sets the table's family: those whose budgets count the charge.  Returns the OIDs of those that
 * exist, in the order in which to lock them.
 */
extern ArrayType *charge_find_family(ChargeParties *parties);

/* Reads the elements of an array in a text of the request. */
extern Datum *charge_elements(const ChargeRequest *request, ChargeText text, Oid type, int *count);

#endif
