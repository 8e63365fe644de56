/*
 * plan.h - what an aggregate may learn from the plan it runs in.
 *
 * The privacy parameters are read from the plan, not from the rows: they must be
 * the same for every row, and be known when no row arrives (rule H9).
 * The shape of the plan must let each row of one table enter at most once.
 */
#ifndef DPOBJ_PLAN_H
#define DPOBJ_PLAN_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"

#include "core/base/privacy.h"

/* The call as it is written in the query. */
typedef struct PlanCall
{
	AggState *aggregate;
	Aggref *aggref; /* with its real arguments, also in a Finalize Aggregate */
	Plan *node;     /* the node of the arguments; the node below feeds them */
} PlanCall;

/* Raises UB003 outside an aggregate and as a window function. */
extern void plan_read_call(FunctionCallInfo fcinfo, PlanCall *call);

/*
 * Value of argument number position (from 0), which must not depend on rows:
 * raises 22023, naming the argument, if it does.
 */
extern Datum plan_constant_argument(PlanCall *call, int position, const char *name, bool *isnull);

/*
 * Raises 22023 if a feature is an integer or numeric column, which the default
 * clip to [-1, 1] would flatten silently.
 */
extern void plan_refuse_unscaled_features(PlanCall *call, int position);

/* The same for the argument that is a number to be predicted. */
extern void plan_refuse_unscaled_target(PlanCall *call, int position);

/* The one table whose rows enter a call. */
typedef struct PlanTable
{
	Oid oid;   /* the topmost ancestor */
	Oid named; /* named by the query: a partition, a child, or the same */
	bool is_protected;
	Adjacency adjacency; /* fixed by dpobj.protect, if it is */
} PlanTable;

/*
 * Finds the table; raises UB003, with the rule and what to write instead, unless
 * each of its rows enters at most once and nothing else has a say in what enters.
 */
extern void plan_check_shape(PlanCall *call, PlanTable *table);

/*
 * The part of it that a parallel worker checks, too: a worker that has spilled the rows of a group
 * would wait for the leader, which may read the first group after the worker's end.
 */
extern void plan_check_groups(const Agg *aggregate);

/*
 * The number of features of every row if the statement or a constraint of the table gives it, else
 * 0; table: NULL in a parallel worker.
 */
extern int plan_feature_count(PlanCall *call, int position, const PlanTable *table);

/* Number of elements if an argument is written as ARRAY[...], else 0. */
extern int plan_argument_elements(PlanCall *call, int position);

/* Is an element of an argument, from 1 (0: the array), of a type that counts? */
extern bool plan_argument_unscaled(PlanCall *call, int position, int *element, Oid *type);

/*
 * The value of an argument that uncorrelated sub-selects may feed, the model that is
 * rated; raises 22023, naming it, if it varies or is null, and UB003 if it is computed
 * from rows of the table.  table: NULL in a parallel worker.
 */
extern Datum plan_model_argument(PlanCall *call, int position, const char *name,
								 const PlanTable *table);

/* A call of a window function as it is written in the query. */
typedef struct PlanWindow
{
	WindowAggState *window;
	WindowFunc *call;
} PlanWindow;

/* Raises UB003 outside a query's OVER, and for a function that is not of this extension. */
extern void plan_read_window(FunctionCallInfo fcinfo, PlanWindow *window);

/*
 * As plan_check_shape(), for a call that looks at the rows in their order: each row of
 * one table has a place of its own, which nothing but the columns of ORDER BY decides.
 */
extern void plan_check_window(const PlanWindow *window, PlanTable *table);

/* As plan_constant_argument() and plan_argument_elements(). */
extern Datum plan_window_argument(const PlanWindow *window, int position, const char *name,
								  bool *isnull);
extern int plan_window_elements(const PlanWindow *window);

/* Is an element of the first argument, from 1 (0: the array), of a type that counts? */
extern bool plan_window_unscaled(const PlanWindow *window, int *position, Oid *type);

/* Raises UB003 for an aggregate that is not of this extension, but calls its functions. */
extern void plan_check_aggregate(FunctionCallInfo fcinfo);

#endif
