/*
 * plan_shape.h - what the parts of the shape guard share: nodes (plan_shape.c), expressions
 * (plan_expression.c), sub-selects (plan_correlation.c) and tables (plan_relation.c).
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

/* Sets what the messages of refusals are about: a window function, or an aggregate. */
extern void plan_set_subject(bool is_window);

/* Is the first argument of the call the model that is evaluated? */
extern bool plan_model_leads(const Aggref *aggref);

#define PLAN_HINT_FUNCTION                                                                         \
	"Use columns, constants, parameters and immutable built-in functions; what another function "  \
	"computes can be stored in a column first."

/* The hint of a refusal that has no better one: the allowed form of the call. */
#define PLAN_HINT plan_default_hint()
extern const char *plan_default_hint(void);

/* ---- the nodes below a call ---- */

/* What is known of the nodes that have been checked. */
typedef struct Shape
{
	PlannedStmt *statement;
	List *order;       /* names of the columns of ORDER BY; NIL: the order does not matter */
	Index source;      /* range table entry that the rows come from, 0 before the first scan */
	List *leaves;      /* OIDs of scanned tables, each once */
	List *expressions; /* of PlanExpressions */
	List *sort_keys;   /* of SortKey */
} Shape;

/* Begins the check of a call; raises UB003 for a statement in which none is allowed. */
extern void plan_shape_begin(Shape *shape, EState *estate, bool is_window);

/* Keeps expressions over the rows for plan_shape_end(). */
extern void plan_shape_collect(Shape *shape, void *expressions, List *index_columns);

/*
 * The same for conditions.  Raises UB003 if the order matters and they use columns that are not in
 * ORDER BY, because then these columns would decide the positions of later rows.  relation is what
 * the columns belong to, InvalidOid above a scan.
 */
extern void plan_shape_conditions(Shape *shape, Oid relation, void *conditions,
								  List *index_columns);

/* Checks a node and all below it.  is_partial: the call's Partial Aggregate is among them. */
extern void plan_shape_input(Shape *shape, Plan *plan, bool is_partial);

/* Checks the expressions, and sets the table. */
extern void plan_shape_end(Shape *shape, PlanTable *table);

/* ---- the nodes that expressions come from ---- */

/* The expression of a target list's entry, counted from 0. */
static inline Node *
plan_entry(List *targets, int position)
{
	return (Node *) list_nth_node(TargetEntry, targets, position)->expr;
}

/*
 * An expression as the query has it: follows references to columns of the node below.  Sets *plan
 * to the node of the result.
 */
extern Node *plan_source_expression(Plan **plan, Node *expression);

/* Finds the table's column that a reference in a scan means; false if it means none. */
extern bool plan_find_column(const PlannedStmt *statement, Plan *plan, Var *column, Oid *relation,
							 AttrNumber *number);

/* The value of an expression that no row enters, in the caller's memory. */
extern Datum plan_evaluate(EState *estate, Node *expression, bool *isnull);

/* The same for an expression that must be fixed; raises 22023 with its name if it is not. */
extern Datum plan_fixed_value(EState *estate, Node *expression, const char *name, bool *isnull);

/* ---- expressions ---- */

/* Expressions of one node, with those that the columns of an index-only scan stand for. */
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
 * May the expressions be evaluated on the rows of a table?  If it is protected, they must neither
 * fail nor report anything, whatever the row holds.
 */
extern bool plan_expressions_allowed(const PlanExpressions *expressions, bool is_protected,
									 PlanFault *fault);

/* Has the expression one value in the whole statement, whatever the tables hold? */
extern bool plan_expression_is_fixed(Node *expression);

/* Is the function, perhaps an aggregate, a member of this extension? */
extern bool plan_is_own_function(Oid function);

/* Is the function of this extension dpobj.features? */
extern bool plan_is_features(Oid function);

/* May rows be sorted by values of this type with this operator? */
extern bool plan_sort_allowed(Oid operator, Oid type, bool is_protected, PlanFault *fault);

/* ---- sub-selects ---- */

/* Is the test true for a node of a plan, from the top down?  plan may be NULL. */
extern bool plan_any_node(Plan *plan, bool (*test)(Plan *node, void *context), void *context);

/* The same for the plan of a statement and those of its sub-selects. */
extern bool plan_any_node_of(const PlannedStmt *statement, bool (*test)(Plan *node, void *context),
							 void *context);

/* Does the node compute with values of the row of an outer query? */
extern bool plan_is_correlated(const PlannedStmt *statement, Plan *plan);

/*
 * Finds the sub-select whose result an executor parameter is; NULL if there is none, or if its
 * result depends on the row of an outer query.
 */
extern const SubPlan *plan_find_result(const PlannedStmt *statement, int parameter);

/* ---- tables ---- */

/* Raises UB003 if rows of this relation cannot be trained on. */
extern void plan_check_relation(Oid relation);

/* The topmost ancestor, by partitioning or inheritance; of several parents the first declared. */
extern Oid plan_topmost_ancestor(Oid relation);

/*
 * Sets the protection that is declared for the relations or for any of their ancestors.  Raises
 * UB003 if the aggregates cannot keep to it.
 */
extern void plan_find_protection(List *relations, PlanTable *table);

#endif
