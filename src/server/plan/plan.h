/*
 * plan.h - what an aggregate or window function reads from the plan that it runs in.
 *
 * The privacy parameters are read from the plan, not from the rows: they must be the same for every
 * row, and be known even if no row arrives (rule H9).  The plan must let each row of one table
 * enter at most once.
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

/* The value of an argument, position counting from 0; raises 22023 with its name if it varies. */
extern Datum plan_constant_argument(PlanCall *call, int position, const char *name, bool *isnull);

/* Raises 22023 if the target is an integer or numeric, as for features. */
extern void plan_refuse_unscaled_target(PlanCall *call, int position);

/* The one table whose rows enter a call. */
typedef struct PlanTable
{
	Oid oid;   /* the topmost ancestor */
	Oid named; /* the table that the query names: oid, a partition or a child */
	bool is_protected;
	Adjacency adjacency; /* as dpobj.protect declared it, if is_protected */
} PlanTable;

/*
 * Finds the table.  Raises UB003, with the rule and what to write instead, unless each of its rows
 * enters at most once, whatever else the database holds.
 */
extern void plan_check_shape(PlanCall *call, PlanTable *table);

/* Do all rows of the table enter the call, by a scan without conditions? */
extern bool plan_is_whole_table(const PlanCall *call, const PlanTable *table);

/*
 * Raises UB003 for GROUP BY.  A parallel worker calls it too: one that has spilled the rows of a
 * group would wait for the leader, which may read the first group after the worker's end.
 */
extern void plan_check_groups(const Agg *aggregate);

/*
 * The number of features of every row, by the statement or a constraint of the table; 0 if they do
 * not tell.  table: NULL in a parallel worker.
 */
extern int plan_feature_count(PlanCall *call, int position, const PlanTable *table);

/* An argument as the query has it, not as a reference to a column of the node below. */
extern Node *plan_argument_expression(const PlanCall *call, int position);

/* The name of the table's column that an argument is; NULL for any other expression. */
extern const char *plan_argument_column(PlanCall *call, int position);

/* The number of elements of an expression that is written as ARRAY[...], else 0. */
extern int plan_element_count(Node *expression);

/*
 * Raises 22023 if an expression is an array of integers or numerics, or has such an element,
 * because the default clip to [-1, 1] or [0, 1] would change most of their values silently; not
 * for elements that have levels, of which count are known.  Where the statement casts them to a
 * real type, it is at most a notice.  The strings are parts of the message: "a feature array",
 * "feature", "a declared scale", detail and hint.
 */
extern void plan_refuse_unscaled(Node *expression, const int16 *levels, int count, bool notice,
								 const char *array, const char *element, const char *needed,
								 const char *detail, const char *hint);

/* Is it of an integer type, whatever it is cast to? */
extern bool plan_is_whole(Node *expression);

/*
 * The value of the model argument, which uncorrelated sub-selects may compute.  Raises 22023 with
 * its name if it varies or is null, and UB003 if it is computed from rows of the table.  table:
 * NULL in a parallel worker.
 */
extern Datum plan_model_argument(PlanCall *call, int position, const char *name,
								 const PlanTable *table);

/* The call of a window function as it is written in the query. */
typedef struct PlanWindow
{
	WindowAggState *window;
	WindowFunc *call;
} PlanWindow;

/* Raises UB003 outside a query's OVER, and for a function that is not of this extension. */
extern void plan_read_window(FunctionCallInfo fcinfo, PlanWindow *window);

/*
 * The same as plan_check_shape(), for a call that reads the rows in order.  Nothing but the columns
 * of ORDER BY may decide the position of a row.
 */
extern void plan_check_window(const PlanWindow *window, PlanTable *table);

/* The same as plan_constant_argument() and plan_argument_expression(). */
extern Datum plan_window_argument(const PlanWindow *window, int position, const char *name,
								  bool *isnull);
extern Node *plan_window_expression(const PlanWindow *window, int position);

/* Raises UB003 for an aggregate of a user that calls functions of this extension. */
extern void plan_check_aggregate(FunctionCallInfo fcinfo);

#endif
