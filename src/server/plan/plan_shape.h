/*
 * plan_shape.h - what the parts of the shape guard share: nodes (plan_shape.c),
 * expressions (plan_expression.c) and tables (plan_relation.c).
 */
#ifndef DPOBJ_PLAN_SHAPE_H
#define DPOBJ_PLAN_SHAPE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "nodes/primnodes.h"

#include "server/plan/plan.h"

/* Raises UB003: the rule that is broken, and what to write instead. */
extern _Noreturn void plan_refuse(const char *rule, const char *hint);

/*
 * Says whether the next call to be checked is a window function; only the words of refusals depend
 * on it.
 */
extern void plan_judge_window(bool is_window);

/* Is the first argument of the call the model that is evaluated? */
extern bool plan_model_leads(const Aggref *aggref);

#define PLAN_HINT_FUNCTION                                                                         \
	"Use columns, constants, parameters and immutable built-in functions; what another function "  \
	"computes can be stored in a column first."

/* What to write, where nothing better can be said: it depends on the call that is judged. */
#define PLAN_HINT plan_usual_hint()
extern const char *plan_usual_hint(void);

/* ---- the nodes below a call ---- */

/* What is found while a plan is judged. */
typedef struct Shape
{
	PlannedStmt *statement;
	List *order;       /* names of the columns that say the order; NIL: it does not matter */
	Index source;      /* range table entry that the rows come from, 0 before the first scan */
	List *leaves;      /* OIDs of scanned tables: none may come twice */
	List *expressions; /* of PlanExpressions */
	List *sort_keys;   /* of SortKey */
} Shape;

/* Raises UB003 for a window function that is judged, or an aggregate. */
extern void plan_shape_begin(Shape *shape, EState *estate, bool is_window);

/* Notes expressions that rows meet, for plan_shape_end(). */
extern void plan_shape_collect(Shape *shape, void *expressions, List *index_columns);

/* Judges all nodes from here down. */
extern void plan_shape_input(Shape *shape, Plan *plan);

/* Judges the expressions, and says which table it is. */
extern void plan_shape_end(Shape *shape, PlanTable *table);

/*
 * Conditions on the rows of a scan: where the order matters, each row has its place,
 * and only the columns that say it may decide whether a row takes one.  relation is
 * what the columns belong to, InvalidOid above a scan.
 */
extern void plan_check_filter(const Shape *shape, Oid relation, void *conditions,
							  List *index_columns);

/* ---- the nodes that expressions come from ---- */

/*
 * An expression as it is written: follows plain references from a node down.  *plan is
 * the node in which the result stands.
 */
extern Node *plan_source_expression(Plan **plan, Node *expression);

/* An argument of an aggregate as it is written; *plan is the node in which it stands. */
extern Node *plan_argument_source(PlanCall *call, int position, Plan **plan);

/* The table's column that a reference in a scan stands for; false if it is none. */
extern bool plan_find_column(const PlannedStmt *statement, Plan *plan, Var *column, Oid *relation,
							 AttrNumber *number);

/* Number of elements if an expression of a node is written as ARRAY[...], else 0. */
extern int plan_element_count(Plan *plan, Node *expression);

/*
 * Is an expression of a node an array of integers or numerics, or has it such an
 * element?  Then which, from 1, and 0 for the array itself.
 */
extern bool plan_find_unscaled(Plan *plan, Node *expression, int *position, Oid *type);

/* The value of an expression; raises 22023, naming it, unless it is fixed. */
extern Datum plan_fixed_value(EState *estate, Node *expression, const char *name, bool *isnull);

/* ---- expressions ---- */

/* Expressions of one node, with what stands behind the columns of an index-only scan. */
typedef struct PlanExpressions
{
	Node *expressions;
	List *index_columns; /* of TargetEntry; NIL elsewhere */
} PlanExpressions;

/* What is wrong with an expression. */
typedef struct PlanFault
{
	const char *rule;
	const char *hint;
} PlanFault;

/*
 * May the expressions be evaluated on the rows of a table?  Those of a protected
 * one meet only what neither fails nor speaks, whatever is in them.
 */
extern bool plan_expressions_allowed(const PlanExpressions *expressions, bool is_protected,
									 PlanFault *fault);

/* Has the expression one value for a whole statement, whatever the tables hold? */
extern bool plan_expression_is_fixed(Node *expression);

/* Is the function, perhaps an aggregate, a member of this extension? */
extern bool plan_is_own_function(Oid function);

/* Is the function of this extension dpobj.features? */
extern bool plan_is_features(Oid function);

/* May rows be sorted by values of this type with this operator? */
extern bool plan_sort_allowed(Oid operator, Oid type, bool is_protected, PlanFault *fault);

/* ---- sub-selects ---- */

/* Does the node compute with values of the row of an outer query? */
extern bool plan_is_correlated(PlannedStmt *statement, Plan *plan);

/*
 * The sub-select whose result an executor parameter is; NULL if it is none, or if it
 * depends on the row of an outer query.
 */
extern const SubPlan *plan_find_result(PlannedStmt *statement, int parameter);

/* ---- tables ---- */

/* Raises UB003 if rows of this relation cannot be trained on. */
extern void plan_check_relation(Oid relation);

/* The topmost ancestor, by partitioning or inheritance; of several, the first declared. */
extern Oid plan_topmost_ancestor(Oid relation);

/*
 * What the relations whose rows are read, and all that they are part of, are
 * declared to be.  Raises UB003 if the aggregates cannot keep to it.
 */
extern void plan_find_protection(List *relations, PlanTable *table);

#endif
