/*
 * charge_analyst.h - what the charge worker asks more at the analyst's door.
 */
#ifndef DPOBJ_CHARGE_ANALYST_H
#define DPOBJ_CHARGE_ANALYST_H

#include "postgres.h"

#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_worker.h"

/*
 * Denies a charge that no budget of the role or of its groups grants, one below
 * dpobj.min_epsilon, and one on a table whose releases have failed too often.
 * Answers with the tick that holds for the role.  After charge_check_budgets().
 */
extern void charge_check_analyst(ChargeRequest *request, const ChargeParties *parties);

/* Raises 22023 for an epsilon, in nano-units, below the least. */
extern void charge_check_least_epsilon(int64 epsilon, double least);

#endif
