/*
 * grant.h - whose budgets a release may spend, and the grant to train at the analyst's door.
 */
#ifndef DPOBJ_GRANT_H
#define DPOBJ_GRANT_H

#include "postgres.h"

#include "core/accounting/pair.h"

/*
 * Raises UB003 unless current user and session user are one role or hold the same budgets on the
 * table, its ancestors and descendants.  Otherwise a SECURITY DEFINER function could spend the
 * session user's budget on an answer for its owner.  Each charge asks this, at both doors.
 * must_hold: at least one, as at the analyst's door, where the caller gets what is kept for the
 * session user.
 */
extern void grant_check_caller(Oid table, bool must_hold);

/* Does the session user, or a group of it, hold a budget on the table? */
extern bool grant_is_held(Oid table);

/* Raises UB002 if the session user does not. */
extern void grant_require(Oid table);

/*
 * Raises UB002 without a grant, and UB001 if a budget does not cover the cost.  It takes no locks:
 * the check of the charge worker decides.
 */
extern void grant_check_budgets(Oid table, const Pair *pair, Adjacency adjacency);

#endif
