/*
 * charge_analyst.h - the charge worker's further checks at the analyst's door.
 */
#ifndef DPOBJ_CHARGE_ANALYST_H
#define DPOBJ_CHARGE_ANALYST_H

#include "postgres.h"

#include "server/ledger/charge_parties.h"
#include "server/ledger/charge_shared.h"

/*
 * Denies a charge without a budget of the role or of its groups (UB002), one below
 * dpobj.min_epsilon (22023), and one on a table whose releases have failed too often (UB003).  Sets
 * request->release_tick to the role's dpobj.release_tick.  Called after charge_check_budgets().
 */
extern void charge_check_analyst(ChargeRequest *request, const ChargeParties *parties);

/* Raises 22023 for an epsilon, in nano-units, below the least. */
extern void charge_check_least_epsilon(int64 epsilon, double least);

#endif
