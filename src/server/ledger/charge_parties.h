/*
 * charge_parties.h - whom and what a request is about.
 */
#ifndef DPOBJ_CHARGE_PARTIES_H
#define DPOBJ_CHARGE_PARTIES_H

#include "postgres.h"

/* The tables and roles of a request, as ids of dpobj.identities. */
typedef struct ChargeParties
{
	Datum relation; /* bigint; 0 if the request has no table */
	Datum role;     /* bigint: the session user */
	Datum grantee;  /* bigint: the role of a budget; 0 if the request has none */
	Datum tables;   /* bigint[]: the table, its ancestors, its descendants */
	Datum payers;   /* bigint[]: the session user, its groups, the grantee */
	Datum family;   /* bigint[]: the tables that once shared rows, once charge_find_family() ran */
} ChargeParties;

#endif
