/*
 * charge_identity.h - the identities of the tables and roles of a request.
 */
#ifndef DPOBJ_CHARGE_IDENTITY_H
#define DPOBJ_CHARGE_IDENTITY_H

#include "postgres.h"

#include "server/ledger/charge_worker.h"

/* The tables and roles of a request, as ids of dpobj.identities. */
typedef struct ChargeParties
{
	Datum relation; /* bigint; 0 if the request has no table */
	Datum role;     /* bigint: the session user */
	Datum grantee;  /* bigint: the role of a budget; 0 if the request has none */
	Datum tables;   /* bigint[]: the table, its ancestors, its descendants */
	Datum payers;   /* bigint[]: the session user, its groups, the grantee */
} ChargeParties;

/*
 * Finds or inserts the identities of a request, and records which tables are relatives.  Denies the
 * request after a restore or a promotion that nobody has confirmed (55000).
 */
extern void charge_bind(ChargeRequest *request, ChargeParties *parties);

/* Reads the elements of an array in a text of the request. */
extern Datum *charge_elements(const ChargeRequest *request, ChargeText text, Oid type, int *count);

#endif
