/*
 * plan_shape.h - what the parts of the shape guard share: nodes (plan_shape.c),
 * expressions (plan_expression.c) and tables (plan_relation.c).
 */
#ifndef DPOBJ_PLAN_SHAPE_H
#define DPOBJ_PLAN_SHAPE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "nodes/primnodes.h"

#include "plan.h"

#define PLAN_HINT "Write SELECT dp_halfspace(...) FROM one_table [WHERE ...]."

/* Raises UB003: the rule that is broken, and what to write instead. */
extern void plan_refuse(const char *rule, const char *hint) pg_attribute_noreturn();

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

/* May rows be sorted by values of this type with this operator? */
extern bool plan_sort_allowed(Oid operator, Oid type, bool is_protected, PlanFault *fault);

/* ---- sub-selects ---- */

/* Does the node compute with values of the row of an outer query? */
extern bool plan_is_correlated(PlannedStmt *statement, Plan *plan);

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
