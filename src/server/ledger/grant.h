/*
 * grant.h - who may train at the analyst's door: a budget is the grant.
 */
#ifndef DPOBJ_GRANT_H
#define DPOBJ_GRANT_H

#include "postgres.h"

#include "core/accounting/pair.h"

/*
 * Raises UB003 unless current user and session user hold the same budgets on the
 * table: inside somebody's SECURITY DEFINER function the session's budget would be
 * spent, and the model be his.  Any budgets are the same where both are one role.
 */
extern void grant_check_caller(Oid table);

/* Does the session user, or a group of his, hold a budget on the table? */
extern bool grant_is_held(Oid table);

/* Raises UB002 unless it does. */
extern void grant_require(Oid table);

/*
 * Raises UB002 if no budget on the table grants, UB001 if one that applies does not
 * cover the cost.  A courtesy without locks: the charge worker asks again.
 */
extern void grant_check_budgets(Oid table, const Pair *pair, Adjacency adjacency);

#endif
