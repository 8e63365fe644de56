/*
 * charge_budget.h - the charge worker's checks and sums of budgets.
 */
#ifndef DPOBJ_CHARGE_BUDGET_H
#define DPOBJ_CHARGE_BUDGET_H

#include "postgres.h"

#include "server/ledger/charge_parties.h"
#include "server/ledger/charge_shared.h"

/* Instead of a role's identity: the budget is the limit of the table's owner, for all roles. */
#define BUDGET_OF_OWNER (-1)

/* These run within SPI, in the worker's transaction. */

/*
 * Locks every budget that counts the charge, and denies the charge if a budget that applies does
 * not cover it (UB001): budgets of the table, its ancestors, its descendants and the other
 * ancestors of these.  A budget of a former relative counts the charge too, but cannot deny it.
 */
extern void charge_check_budgets(ChargeRequest *request, ChargeParties *parties);

/* Denies the request: UB002. */
extern _Noreturn void charge_deny_without_budget(ChargeRequest *request);

/* Adds the cost to the sums of the budgets that charge_check_budgets() has locked. */
extern void charge_count_release(const ChargeRequest *request, const ChargeParties *parties);

/* Forgets all sums; the next charge on a budget computes its sum from the ledger. */
extern void charge_forget_sums(void);

/* Raises UB001 with the detail and the hint that dpobj_internal.budget_exceeded returned. */
extern _Noreturn void charge_deny_exhausted(char *budget);

/*
 * Locks a table's budgets until the end of the transaction: a charge takes the lock shared, a
 * change of budgets exclusive.  So a charge sees every committed budget, and a new budget sees
 * every charge.
 */
extern void charge_lock_table(Oid table, bool exclusive);

#endif
