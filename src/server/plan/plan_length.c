/*
 * plan_length.c - the number of features of every row, from the statement or a constraint.
 *
 * The dimension decides how many weights a model has, so it must not be taken from the rows.  It
 * follows from ARRAY[...] in the statement, from the declaration given to dpobj.features, or from a
 * valid constraint of the column: CHECK (cardinality(features) = 23).  Then a row of another length
 * is neutral; nulls and arrays of two dimensions pass that constraint.
 *
 * The table that the query names must have the constraint, valid and for all partitions and
 * children.  A parallel worker does not know that table; it reads the constraint from the table
 * that it scans, which inherits it.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "server/base/acting.h"
#include "server/base/compat.h"
#include "server/rows/encoders.h"
#include "server/plan/plan_shape.h"

/* ---- constraints ---- */

static Node *
strip_relabel(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static bool
is_column(Node *node, AttrNumber column)
{
	node = strip_relabel(node);
	return IsA(node, Var) && ((Var *) node)->varattno == column;
}

/* Returns the value of an integer constant above 0, else 0. */
static int
constant(Node *node)
{
	const Const *value = (Const *) node;

	if (!IsA(node, Const) || value->consttype != INT4OID || value->constisnull)
		return 0;
	return Max(DatumGetInt32(value->constvalue), 0);
}

/* Is it cardinality(column) or array_length(column, 1)? */
static bool
is_length(Node *node, AttrNumber column)
{
	const FuncExpr *call = (FuncExpr *) node;

	if (!IsA(node, FuncExpr) || !is_column(linitial(call->args), column))
		return false;
	return call->funcid == F_CARDINALITY ||
		   (call->funcid == F_ARRAY_LENGTH && constant(lsecond(call->args)) == 1);
}

/*
 * Sets the length that a condition gives to a column; 0: not known, -1: contradictory.  Conditions
 * are as the user wrote them, so a call that the planner would fold to a constant gives no length.
 */
static void
note_length(Node *condition, AttrNumber column, int *length)
{
	const OpExpr *comparison = (OpExpr *) condition;
	Node *left;
	Node *right;
	int given;

	if (is_andclause(condition))
	{
		ListCell *cell;

		foreach (cell, ((BoolExpr *) condition)->args)
			note_length(lfirst(cell), column, length);
		return;
	}
	if (!IsA(condition, OpExpr) || get_opcode(comparison->opno) != F_INT4EQ)
		return;
	left = linitial(comparison->args);
	right = lsecond(comparison->args);
	given = is_length(left, column)    ? constant(right)
			: is_length(right, column) ? constant(left)
									   : 0;
	if (given > 0)
		*length = *length == 0 || *length == given ? given : -1;
}

/* Reads the valid constraints that hold for all rows of the table and its descendants. */
static int
constrained_length(Oid oid, const char *column)
{
	Relation relation = acting_open(oid, AccessShareLock);
	const TupleConstr *constraints = RelationGetDescr(relation)->constr;
	AttrNumber number = get_attnum(oid, column);
	int length = 0;

	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
		if (constraints->check[i].ccvalid && !constraints->check[i].ccnoinherit)
			note_length(stringToNode(constraints->check[i].ccbin), number, &length);
	relation_close(relation, AccessShareLock);
	return Max(length, 0);
}

static int
column_length(PlanCall *call, Plan *plan, Var *column, const PlanTable *table)
{
	Oid relation;
	AttrNumber number;

	if (!plan_find_column(call->aggregate->ss.ps.state->es_plannedstmt, plan, column, &relation,
						  &number))
		return 0;
	return constrained_length(table == NULL ? relation : table->named,
							  get_attname(relation, number, false));
}

/* ---- dpobj.features ---- */

static int
declared_length(PlanCall *call, FuncExpr *features)
{
	Oid type = exprType(lsecond(features->args));
	TupleDesc descriptor;
	Encoders all;
	Encoders chosen;
	bool isnull;
	Datum declaration;

	if (get_typtype(type) != TYPTYPE_COMPOSITE ||
		!plan_expression_is_fixed(linitial(features->args)))
		return 0;
	declaration = plan_evaluate(call->aggregate->ss.ps.state, linitial(features->args), &isnull);
	if (isnull)
		return 0;
	descriptor = lookup_rowtype_tupdesc(type, -1);
	encoders_parse(DatumGetJsonbP(declaration), descriptor, &all);
	ReleaseTupleDesc(descriptor);
	encoders_choose(&all, NIL, NULL, false, &chosen);
	return chosen.features;
}

/* ---- features ---- */

/* Returns an argument without casts of the array, which do not change its length. */
static Node *
array_source(PlanCall *call, int position, Plan **plan)
{
	Node *source = plan_entry(call->aggref->args, position);

	*plan = call->node;
	source = plan_source_expression(plan, source);
	while (IsA(source, ArrayCoerceExpr) || IsA(source, RelabelType))
	{
		source = IsA(source, RelabelType) ? (Node *) ((RelabelType *) source)->arg
										  : (Node *) ((ArrayCoerceExpr *) source)->arg;
		source = plan_source_expression(plan, source);
	}
	return source;
}

int
plan_feature_count(PlanCall *call, int position, const PlanTable *table)
{
	int count = plan_element_count(plan_argument_expression(call, position));
	Plan *plan;
	Node *source;

	if (count > 0)
		return count;
	source = array_source(call, position, &plan);
	if (IsA(source, Var))
		return column_length(call, plan, (Var *) source, table);
	if (IsA(source, FuncExpr) && plan_is_features(((FuncExpr *) source)->funcid))
		return declared_length(call, (FuncExpr *) source);
	return 0;
}
