/*
 * charge_budget.h - the charge worker's look at budgets.
 */
#ifndef DPOBJ_CHARGE_BUDGET_H
#define DPOBJ_CHARGE_BUDGET_H

#include "postgres.h"

#include "server/ledger/charge_identity.h"

/* In place of a role's identity: the limit that the owner of the table has set for all roles. */
#define BUDGET_OF_OWNER (-1)

/* All within SPI, in the worker's transaction; each raises an error that denies the request. */

/*
 * Locks every budget that counts a charge and denies what does not fit into each that applies:
 * those of the table, its ancestors, its descendants and the other ancestors of these.  A table
 * that was a relative once counts a charge too, but does not stop it.
 */
extern void charge_check_budgets(ChargeRequest *request, const ChargeParties *parties);

/* Raises UB002. */
extern _Noreturn void charge_deny_without_budget(ChargeRequest *request);

/*
 * Adds the cost to the sums of every budget that counts the charge, locked by
 * charge_check_budgets(), in the transaction that writes it.
 */
extern void charge_count_release(const ChargeRequest *request, const ChargeParties *parties);

/* From now on no sum is known: each is added up anew by the next charge. */
extern void charge_distrust_sums(void);

/* Raises UB001 with what dpobj_internal.budget_exceeded says: detail and hint, which it parts. */
extern _Noreturn void charge_deny_exhausted(char *budget);

/*
 * The lock between charges (shared) and changes of a table's budgets (exclusive),
 * held until the end of the transaction: a charge sees every committed budget, a
 * new budget sees every charge.
 */
extern void charge_lock_table(Oid table, bool exclusive);

#endif
