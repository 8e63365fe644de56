/*
 * plan_call.c - reads the arguments of an aggregate call from the plan.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "server/base/dpobj.h"
#include "server/plan/plan_shape.h"

/* Returns the node below whose columns these are; the first of several with the same columns. */
static Plan *
plan_below(Plan *plan)
{
	if (IsA(plan, Append))
		return linitial(((Append *) plan)->appendplans);
	if (IsA(plan, MergeAppend))
		return linitial(((MergeAppend *) plan)->mergeplans);
	if (IsA(plan, SubqueryScan))
		return ((SubqueryScan *) plan)->subplan;
	return plan->lefttree;
}

/* Is it a plain reference to a column of the node below? */
static bool
refers_below(Plan *plan, Node *expression)
{
	if (!IsA(expression, Var))
		return false;
	if (IsA(plan, SubqueryScan))
		return ((Var *) expression)->varno == ((Scan *) plan)->scanrelid;
	return ((Var *) expression)->varno == OUTER_VAR;
}

/*
 * Finds the Partial Aggregate that holds the real call of a Finalize Aggregate, whose only argument
 * is a Var, the partial state.  Follows that Var down through Gather (and a Sort or Gather Merge),
 * or through the Append of partitions that are aggregated by themselves.
 */
static Aggref *
find_partial_aggref(Aggref *final, Plan **node)
{
	Plan *plan = *node;
	Node *expression = plan_entry(final->args, 0);

	while (!IsA(expression, Aggref))
	{
		if (!refers_below(plan, expression) || (plan = plan_below(plan)) == NULL)
			elog(ERROR, "partial aggregate not found in its plan");
		expression = plan_entry(plan->targetlist, ((Var *) expression)->varattno - 1);
	}
	*node = plan;
	return (Aggref *) expression;
}

void
plan_read_call(FunctionCallInfo fcinfo, PlanCall *call)
{
	int context = AggCheckCallContext(fcinfo, NULL);

	if (context != AGG_CONTEXT_AGGREGATE)
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("a private aggregate cannot be called %s",
							   context == AGG_CONTEXT_WINDOW ? "as a window function"
															 : "outside an aggregate query")));
	call->aggregate = (AggState *) fcinfo->context;
	call->aggref = AggGetAggref(fcinfo);
	if (call->aggref == NULL)
		elog(ERROR, "aggregate call not found in its plan");
	plan_check_aggregate(fcinfo);
	call->node = call->aggregate->ss.ps.plan;
	if (DO_AGGSPLIT_COMBINE(call->aggref->aggsplit))
		call->aggref = find_partial_aggref(call->aggref, &call->node);
}

bool
plan_is_whole_table(const PlanCall *call, const PlanTable *table)
{
	const EState *estate = call->aggregate->ss.ps.state;
	Plan *plan = call->node->lefttree;

	while (plan != NULL && IsA(plan, Gather))
		plan = plan->lefttree;
	return plan != NULL && IsA(plan, SeqScan) && plan->qual == NIL &&
		   call->aggref->aggfilter == NULL &&
		   rt_fetch(((Scan *) plan)->scanrelid, estate->es_range_table)->relid == table->oid;
}

Datum
plan_evaluate(EState *estate, Node *expression, bool *isnull)
{
	ExprContext *context = CreateExprContext(estate); /* has the results of sub-selects */
	ExprState *state = ExecInitExprWithParams((Expr *) expression, estate->es_param_list_info);
	Datum value = ExecEvalExprSwitchContext(state, context, isnull);
	int16 length;
	bool by_value;

	if (!*isnull)
	{
		get_typlenbyval(exprType(expression), &length, &by_value);
		value = datumCopy(value, by_value, length);
	}
	FreeExprContext(context, true);
	return value;
}

Datum
plan_fixed_value(EState *estate, Node *expression, const char *name, bool *isnull)
{
	if (!plan_expression_is_fixed(expression))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not vary", name),
						errhint("Write a constant or a parameter of the statement.")));
	return plan_evaluate(estate, expression, isnull);
}

Datum
plan_constant_argument(PlanCall *call, int position, const char *name, bool *isnull)
{
	return plan_fixed_value(call->aggregate->ss.ps.state, plan_entry(call->aggref->args, position),
							name, isnull);
}

Node *
plan_source_expression(Plan **plan, Node *expression)
{
	while (*plan != NULL && refers_below(*plan, expression))
	{
		*plan = plan_below(*plan);
		if (*plan != NULL)
			expression = plan_entry((*plan)->targetlist, ((Var *) expression)->varattno - 1);
	}
	return expression;
}

Node *
plan_argument_expression(const PlanCall *call, int position)
{
	Plan *plan = call->node;

	return plan_source_expression(&plan, plan_entry(call->aggref->args, position));
}

const char *
plan_argument_column(PlanCall *call, int position)
{
	Plan *plan = call->node;
	Node *source = plan_source_expression(&plan, plan_entry(call->aggref->args, position));
	Oid relation;
	AttrNumber number;

	while (IsA(source, RelabelType))
		source = plan_source_expression(&plan, (Node *) ((RelabelType *) source)->arg);
	if (!IsA(source, Var) || !plan_find_column(call->aggregate->ss.ps.state->es_plannedstmt, plan,
											   (Var *) source, &relation, &number))
		return NULL;
	return get_attname(relation, number, true);
}

bool
plan_find_column(const PlannedStmt *statement, Plan *plan, Var *column, Oid *relation,
				 AttrNumber *number)
{
	RangeTblEntry *entry;

	if (column->varno == INDEX_VAR && plan != NULL && IsA(plan, IndexOnlyScan))
	{
		Node *indexed = plan_entry(((IndexOnlyScan *) plan)->indextlist, column->varattno - 1);

		if (!IsA(indexed, Var))
			return false;
		column = (Var *) indexed;
	}
	if (IS_SPECIAL_VARNO(column->varno) || column->varattno <= 0)
		return false;
	entry = rt_fetch(column->varno, statement->rtable);
	*relation = entry->relid;
	*number = column->varattno;
	return entry->rtekind == RTE_RELATION;
}

int
plan_element_count(Node *expression)
{
	if (IsA(expression, ArrayCoerceExpr))
		expression = (Node *) ((ArrayCoerceExpr *) expression)->arg;
	if (IsA(expression, ArrayExpr) && !((ArrayExpr *) expression)->multidims)
		return list_length(((ArrayExpr *) expression)->elements);
	return 0;
}

static Node *
strip_casts(Node *node)
{
	for (;;)
	{
		if (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, CoerceViaIO))
			node = (Node *) ((CoerceViaIO *) node)->arg;
		else if (IsA(node, FuncExpr) && ((FuncExpr *) node)->args != NIL &&
				 (((FuncExpr *) node)->funcformat == COERCE_EXPLICIT_CAST ||
				  ((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST))
			node = linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

/* Is a node of this form and type a cast to a real type that the statement spells out? */
static bool
is_explicit(CoercionForm form, Oid type)
{
	return form == COERCE_EXPLICIT_CAST && (type == FLOAT8OID || type == FLOAT4OID);
}

/* Is a value cast to a real type in so many words, whatever implicit casts follow? */
static bool
is_made_real(Node *node)
{
	while (IsA(node, FuncExpr) && ((FuncExpr *) node)->args != NIL)
	{
		FuncExpr *call = (FuncExpr *) node;

		if (is_explicit(call->funcformat, call->funcresulttype))
			return true;
		if (call->funcformat != COERCE_IMPLICIT_CAST)
			return false;
		node = linitial(call->args);
	}
	return false;
}

static bool
is_counting_type(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == NUMERICOID;
}

/* Is it of an integer or numeric type, and not plainly within [-1, 1]? */
static bool
is_unscaled(Node *node)
{
	ListCell *cell;

	node = strip_casts(node);
	if (!is_counting_type(exprType(node)) || IsA(node, Const))
		return false;
	if (IsA(node, CaseExpr))
	{
		CaseExpr *choice = (CaseExpr *) node;

		foreach (cell, choice->args)
			if (is_unscaled((Node *) lfirst_node(CaseWhen, cell)->result))
				return true;
		return choice->defresult != NULL && is_unscaled((Node *) choice->defresult);
	}
	if (IsA(node, CoalesceExpr))
	{
		foreach (cell, ((CoalesceExpr *) node)->args)
			if (is_unscaled(lfirst(cell)))
				return true;
		return false;
	}
	return true;
}

/* Does element i, from 1, hold indices of levels?  Is that so for all elements, if i is 0? */
static bool
has_levels(const int16 *levels, int count, int i)
{
	for (int j = 0; i == 0 && j < count; j++)
		if (levels[j] == 0)
			return false;
	return i <= count && (i == 0 ? count > 0 : levels[i - 1] > 0);
}

/*
 * Finds an element of an integer or numeric type, from 1, which is cast to a real type in so many
 * words, or is not; position 0 is the array itself.
 */
static bool
find_unscaled(Node *expression, const int16 *levels, int count, bool real, int *position, Oid *type)
{
	bool all_real = false;
	ListCell *cell;

	*position = 0;
	if (IsA(expression, ArrayCoerceExpr))
	{
		ArrayCoerceExpr *cast = (ArrayCoerceExpr *) expression;

		all_real = is_explicit(cast->coerceformat, get_element_type(cast->resulttype));
		expression = (Node *) cast->arg;
	}
	if (!IsA(expression, ArrayExpr))
	{
		*type = exprType(expression);
		return is_counting_type(get_element_type(*type)) && !IsA(expression, Const) &&
			   all_real == real && !has_levels(levels, count, 0);
	}
	foreach (cell, ((ArrayExpr *) expression)->elements)
	{
		(*position)++;
		*type = exprType(strip_casts(lfirst(cell)));
		if (is_unscaled(lfirst(cell)) && (all_real || is_made_real(lfirst(cell))) == real &&
			!has_levels(levels, count, *position))
			return true;
	}
	return false;
}

void
plan_refuse_unscaled(Node *expression, const int16 *levels, int count, bool notice,
					 const char *array, const char *element, const char *needed, const char *detail,
					 const char *hint)
{
	int position;
	Oid type;

	if (find_unscaled(expression, levels, count, false, &position, &type))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s of type %s needs %s",
							   position == 0 ? array : psprintf("%s %d", element, position),
							   format_type_be(type), needed),
						errdetail("%s", detail), errhint("%s", hint)));
	if (notice && find_unscaled(expression, levels, count, true, &position, &type))
		ereport(NOTICE, (errmsg("%s of type %s is used without %s",
								position == 0 ? array : psprintf("%s %d", element, position),
								format_type_be(type), needed),
						 errdetail("%s", detail), errhint("%s", hint)));
}

bool
plan_is_whole(Node *expression)
{
	Oid type = exprType(strip_casts(expression));

	return is_counting_type(type) && type != NUMERICOID;
}

void
plan_refuse_unscaled_target(PlanCall *call, int position)
{
	Node *expression = strip_casts(plan_argument_expression(call, position));

	if (is_unscaled(expression))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a target of type %s needs a declared range",
							   format_type_be(exprType(expression))),
						errdetail("Targets are clipped to [-1, 1] unless options say otherwise."),
						errhint("Set \"target\" in the options.")));
}
