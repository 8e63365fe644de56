/*
 * groups.h - one call that trains a model for each key of a public list, at either door.
 *
 * One charge for all groups (core/accounting/parallel.h) is committed before any of them is
 * trained. Each group is trained by itself, and no model is released unless all are trained.
 */
#ifndef DPOBJ_GROUPS_H
#define DPOBJ_GROUPS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/array.h"

#include "core/mechanisms/mechanism.h"

#include "server/release/key_list.h"
#include "server/release/trained.h"
#include "server/rows/rows_state.h"
#include "server/release/training.h"

/*
 * Turns the training of a table into that of each group.  Call it when cost, options and what is
 * declared about the table are set, before training_begin().  Raises 22023 for options that are not
 * for groups.
 */
extern void groups_set(Training *training, const KeyList *keys);

/*
 * Returns members for the ledger: the list of keys, and what each group's mechanism may cost.  by
 * holds the names of the grouping columns, NIL if they have none.
 */
extern char *groups_provenance(const Training *training, List *by);

/* Returns a group's share of a limit, in bytes, on the rows of all groups in memory. */
extern Size group_limit(const Training *training, Size limit);

/* So many empty states, one for each key or more. */
extern RowsState **groups_states(const Training *training, int count, MemoryContext parent);

/* The problem of one key in wire form, and the file of its spilled rows. */
typedef struct GroupProblem
{
	uint8 *bytes;
	Size length;
	Spill *spill;
} GroupProblem;

/* free: frees each state as soon as its problem is made; then the caller must not use it again. */
extern GroupProblem *groups_encode(const Training *training, RowsState **states, bool free);

/* Solves all problems; stops at the first without an answer, and then answers are of no use. */
extern SolverOutcome groups_solve(const Training *training, GroupProblem *problems,
								  MechanismAnswer *answers);

/* Closes the files of spilled rows, after the tick (spill.h). */
extern void groups_close(const Training *training, GroupProblem *problems);

/* Commits the 'released' event with all models and returns them as an array of group_type. */
extern ArrayType *groups_release(Training *training, int64 release, const char *provenance,
								 List *by, const MechanismAnswer *answers, Oid group_type);

#endif
