/*
 * owner.h - what follows the charge of an aggregate or of a window function.
 */
#ifndef DPOBJ_OWNER_H
#define DPOBJ_OWNER_H

#include "postgres.h"

#include "server/plan/plan.h"

/*
 * Runs work(context) after the charge; false: it has no answer.
 *
 * The caller is usually somebody who may read the table.  A SECURITY DEFINER function or a view can
 * read it for somebody who may not: he gets the answer, or one error that is always the same,
 * UB004, at a tick that is counted from the charge (gate.h).  The query reads the rows before the
 * charge; how long that takes he sees.
 */
extern bool owner_attempt(int64 release, const PlanTable *table, bool (*work)(void *context),
						  void *context);

#endif
