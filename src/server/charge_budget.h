/*
 * charge_budget.h - the charge worker's look at identities and budgets.
 */
#ifndef DPOBJ_CHARGE_BUDGET_H
#define DPOBJ_CHARGE_BUDGET_H

#include "postgres.h"

#include "charge_worker.h"

/* Whom a request concerns, as rows of dpobj.identities. */
typedef struct ChargeParties
{
	Datum relation; /* bigint; 0 if the request has no table */
	Datum role;     /* bigint: the session user */
	Datum grantee;  /* bigint; 0 if the request has none */
	Datum tables;   /* bigint[]: the table, its ancestors, its descendants */
	Datum payers;   /* bigint[]: the session user, its groups, the grantee */
} ChargeParties;

/* All within SPI, in the worker's transaction; each raises an error that denies the request. */

/*
 * Finds or makes the identities of a request; refuses what comes after a restore or
 * a promotion that nobody has confirmed.
 */
extern void charge_bind(ChargeRequest *request, ChargeParties *parties);

/* Locks every budget that applies to a charge, and denies what does not fit into each of them. */
extern void charge_check_budgets(ChargeRequest *request, const ChargeParties *parties);

/* Raises UB002. */
extern void charge_deny_without_budget(ChargeRequest *request) pg_attribute_noreturn();

/*
 * Of the budgets that apply, the first that a cost does not fit into, as a sentence;
 * null: it fits.  $1, $2: identities of tables and payers; $3, $4: epsilon and delta; $5:
 * adjacency.
 */
#define CHARGE_FIND_EXCEEDED "SELECT dpobj.budget_exceeded($1, $2, $3, $4, $5)"

/* Raises UB001 with such a sentence. */
extern void charge_deny_exhausted(const char *budget) pg_attribute_noreturn();

/*
 * The lock between charges (shared) and changes of a table's budgets (exclusive),
 * held until the end of the transaction: a charge sees every committed budget, a
 * new budget sees every charge.
 */
extern void charge_lock_table(Oid table, bool exclusive);

#endif
