/*
 * charge_identity.h - whom a request concerns.
 */
#ifndef DPOBJ_CHARGE_IDENTITY_H
#define DPOBJ_CHARGE_IDENTITY_H

#include "postgres.h"

#include "server/ledger/charge_worker.h"

/* Whom a request concerns, as rows of dpobj.identities. */
typedef struct ChargeParties
{
	Datum relation; /* bigint; 0 if the request has no table */
	Datum role;     /* bigint: the session user */
	Datum grantee;  /* bigint; 0 if the request has none */
	Datum tables;   /* bigint[]: the table, its ancestors, its descendants */
	Datum payers;   /* bigint[]: the session user, its groups, the grantee */
} ChargeParties;

/*
 * Finds or makes the identities of a request; refuses what comes after a restore or
 * a promotion that nobody has confirmed.
 */
extern void charge_bind(ChargeRequest *request, ChargeParties *parties);

/* An array that a text of the request holds, of elements of that type. */
extern Datum *charge_elements(const ChargeRequest *request, ChargeText text, Oid type, int *count);

#endif
