/*
 * groups.h - one call that trains a model for each key of a public list, at either door.
 *
 * There is one charge for all groups (core/accounting/parallel.h), committed before any of them is
 * trained; each is trained by itself, and nothing goes out unless all are.
 */
#ifndef DPOBJ_GROUPS_H
#define DPOBJ_GROUPS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/array.h"

#include "core/mechanisms/mechanism.h"

#include "server/release/key_list.h"
#include "server/release/release.h"
#include "server/rows/rows_state.h"
#include "server/release/training.h"

/*
 * Once cost and options are set, and what is declared about a table, and before
 * training_begin(): from now on the request is about a group.  Raises 22023 for options that
 * are not for groups.
 */
extern void groups_set(Training *training, const KeyList *keys);

/* After training_begin(), at the analyst's door: raises 22023 for more work than is bounded. */
extern void groups_check_work(const Training *training);

/*
 * Members for the ledger: the list, and what each group's mechanism may cost; by has names of
 * columns, NIL: they have none.
 */
extern char *groups_provenance(const Training *training, List *by);

/* What a group's rows may take up of a limit on those of all groups, before they are spilled. */
extern Size group_limit(const Training *training, Size limit);

/* An empty state for each key. */
extern RowsState **groups_states(const Training *training, MemoryContext parent);

/* A problem in wire form for each key, and where rows of it were spilled. */
typedef struct GroupProblem
{
	uint8 *bytes;
	Size length;
	Spill *spill;
} GroupProblem;

/* free: gives the memory of each state back as soon as it can; then nobody else may refer to it. */
extern GroupProblem *groups_encode(const Training *training, RowsState **states, bool free);

/* Runs all of them, up to the first that has no answer; then there is none. */
extern SolverOutcome groups_solve(const Training *training, GroupProblem *problems,
								  MechanismAnswer *answers);

/* Gives back the files of spilled rows, after the tick (spill.h). */
extern void groups_close(const Training *training, GroupProblem *problems);

/* Commits the 'released' event with all models and returns them, an array of that type's rows. */
extern ArrayType *groups_release(Training *training, int64 release, const char *provenance,
								 List *by, const MechanismAnswer *answers, Oid group_type);

#endif
