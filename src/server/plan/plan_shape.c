/*
 * plan_shape.c - checks that each row of one table enters the aggregate at most once.
 *
 * The check reads the plan tree, because the range table keeps entries that are no longer used.
 * Below the Agg node only scans of one table and nodes that pass rows on are allowed, so no join,
 * set operation or function can multiply a row, and the data choose no group or HAVING (rule H8).
 * Which plan the planner makes depends on statistics, that is, on rows, so all plans that it may
 * make for a query must be allowed or all refused.
 *
 * Above the aggregate is post-processing, which may do anything but read or change the rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "core/looks/look.h"

#include "server/base/acting.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/plan/plan_shape.h"

/* A value that rows are sorted by below the aggregate. */
typedef struct SortKey
{
	Oid operator;
	Oid type;
} SortKey;

/* Is a window function checked?  Only messages depend on it. */
static bool subject_is_window = false;

void
plan_set_subject(bool is_window)
{
	subject_is_window = is_window;
}

const char *
plan_default_hint(void)
{
	return subject_is_window ? "Write SELECT t, dp_ftrl(...) OVER (ORDER BY t) FROM one_table."
							 : "Write SELECT dp_halfspace(...) FROM one_table [WHERE ...].";
}

void
plan_refuse(const char *rule, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("query shape is not allowed for a private %s",
						   subject_is_window ? "window function" : "aggregate"),
					errdetail("%s", rule), errhint("%s", hint)));
}

void
plan_shape_collect(Shape *shape, void *expressions, List *index_columns)
{
	PlanExpressions *item = palloc(sizeof(PlanExpressions));

	item->expressions = expressions;
	item->index_columns = index_columns;
	shape->expressions = lappend(shape->expressions, item);
}

/* ---- tables ---- */

/* Returns the table that an appended child stands for, 0 if there is none. */
static Index
append_parent(Shape *shape, Index child)
{
	ListCell *cell;

	foreach (cell, shape->statement->appendRelations)
	{
		AppendRelInfo *info = lfirst_node(AppendRelInfo, cell);

		if (info->child_relid == child)
			return info->parent_relid;
	}
	return 0;
}

/* Sets the source to the table that the query names, from a scanned table of its inheritance. */
static void
find_source(Shape *shape, Index scanned)
{
	RangeTblEntry *entry = rt_fetch(scanned, shape->statement->rtable);
	Index parent;

	if (entry->rtekind != RTE_RELATION)
		plan_refuse("The rows must come from a table.", PLAN_HINT);
	while ((parent = append_parent(shape, scanned)) != 0)
	{
		scanned = parent;
		entry = rt_fetch(scanned, shape->statement->rtable);
		if (entry->rtekind != RTE_RELATION)
			plan_refuse("UNION ALL is not allowed.", PLAN_HINT);
	}
	if (shape->source != 0 && shape->source != scanned)
		plan_refuse("The rows must come from one table.", PLAN_HINT);
	shape->source = scanned;
}

/*
 * A Result without input makes one row from no table, or no row from tables that the planner proved
 * empty.  In the second case its columns still name the table.
 */
static void
check_empty(Shape *shape, Result *result)
{
	Node *filter = (Node *) result->resconstantqual;
	Bitmapset *sources = pull_varnos(NULL, (Node *) result->plan.targetlist);
	int source = -1;

	if (filter != NULL && IsA(filter, List) && list_length((List *) filter) == 1)
		filter = linitial((List *) filter);
	if (filter == NULL || !IsA(filter, Const) ||
		(!((Const *) filter)->constisnull && DatumGetBool(((Const *) filter)->constvalue)))
		plan_refuse("The rows must come from a table.", PLAN_HINT);
	if (bms_is_empty(sources))
		plan_refuse("The planner proved that no row enters, and no column tells from which table.",
					PLAN_HINT);
	while ((source = bms_next_member(sources, source)) >= 0)
	{
		if (source > list_length(shape->statement->rtable))
			plan_refuse("The rows must come from one table.", PLAN_HINT);
		find_source(shape, source);
		plan_check_relation(rt_fetch(source, shape->statement->rtable)->relid);
	}
}

/* ---- nodes that scan ---- */

/*
 * The planner drops a condition that the predicate of a partial index implies.  Its constant parts
 * are evaluated, unless the planner has done so.
 */
static void
collect_predicate(Shape *shape, Oid index)
{
	Relation relation = index_open(index, AccessShareLock);
	List *predicate;
	Acting before;

	acting_begin_owner(relation, &before);
	predicate = RelationGetIndexPredicate(relation);
	acting_end(&before);
	plan_shape_conditions(shape, relation->rd_index->indrelid, predicate, NIL);
	index_close(relation, AccessShareLock);
}

static void
check_index_scan(Shape *shape, IndexScan *scan, Oid table)
{
	plan_shape_collect(shape, scan->indexqual, NIL);
	plan_shape_collect(shape, scan->indexorderby, NIL);
	plan_shape_collect(shape, scan->indexorderbyorig, NIL);
	collect_predicate(shape, scan->indexid);
	plan_shape_conditions(shape, table, scan->indexqualorig, NIL);
}

static void
check_index_only_scan(Shape *shape, IndexOnlyScan *scan, Oid table)
{
	plan_shape_collect(shape, scan->recheckqual, scan->indextlist);
	plan_shape_collect(shape, scan->indexorderby, scan->indextlist);
	collect_predicate(shape, scan->indexid);
	plan_shape_conditions(shape, table, scan->indexqual, scan->indextlist);
}

static void
check_bitmap(Shape *shape, Plan *plan)
{
	List *parts = NIL;
	ListCell *cell;

	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_BitmapIndexScan:
			plan_shape_collect(shape, ((BitmapIndexScan *) plan)->indexqual, NIL);
			plan_shape_collect(shape, ((BitmapIndexScan *) plan)->indexqualorig, NIL);
			collect_predicate(shape, ((BitmapIndexScan *) plan)->indexid);
			return;
		case T_BitmapAnd:
			parts = ((BitmapAnd *) plan)->bitmapplans;
			break;
		case T_BitmapOr:
			parts = ((BitmapOr *) plan)->bitmapplans;
			break;
		default:
			elog(ERROR, "unexpected node below a bitmap scan: %d", (int) nodeTag(plan));
	}
	foreach (cell, parts)
		check_bitmap(shape, lfirst(cell));
}

/* Returns the table that a node scans, InvalidOid if it scans none. */
static Oid
scanned_table(const Shape *shape, Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			return rt_fetch(((Scan *) plan)->scanrelid, shape->statement->rtable)->relid;
		default:
			return InvalidOid;
	}
}

static void
check_scan(Shape *shape, Plan *plan, Oid table)
{
	if (IsA(plan, IndexScan))
		check_index_scan(shape, (IndexScan *) plan, table);
	else if (IsA(plan, IndexOnlyScan))
		check_index_only_scan(shape, (IndexOnlyScan *) plan, table);
	else if (IsA(plan, BitmapHeapScan))
	{
		plan_shape_conditions(shape, table, ((BitmapHeapScan *) plan)->bitmapqualorig, NIL);
		check_bitmap(shape, plan->lefttree);
	}
	else if (IsA(plan, TidScan))
		plan_shape_conditions(shape, InvalidOid, ((TidScan *) plan)->tidquals, NIL);
	else if (IsA(plan, TidRangeScan))
		plan_shape_conditions(shape, InvalidOid, ((TidRangeScan *) plan)->tidrangequals, NIL);
	find_source(shape, ((Scan *) plan)->scanrelid);
	plan_check_relation(table);
	if (list_member_oid(shape->leaves, table))
		plan_refuse("A table must not be read twice.", PLAN_HINT);
	shape->leaves = lappend_oid(shape->leaves, table);
}

/* ---- nodes that pass rows on ---- */

/* Refuses a node, with a hint for its kind. */
static void
refuse_node(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			plan_refuse("A join can let a row enter more than once.",
						"Join first: CREATE TABLE ... AS SELECT ..., with one row for each "
						"person whom the guarantee is about, and train on that table.");
		case T_Limit:
			plan_refuse("Which rows LIMIT and OFFSET leave out depends on other rows.",
						"Choose rows by their own columns, in WHERE.");
		case T_Unique:
		case T_SetOp:
		case T_Group:
		case T_Agg:
			plan_refuse("DISTINCT, GROUP BY, UNION, INTERSECT and EXCEPT make a row depend on "
						"others.",
						"Choose rows by their own columns, in WHERE, or put the result into a "
						"table and train on that.");
		case T_WindowAgg:
			plan_refuse("A window function makes a row depend on others.",
						"Choose rows by their own columns, in WHERE, or put the result into a "
						"table and train on that.");
		case T_SampleScan:
			plan_refuse("TABLESAMPLE is not allowed.",
						"Leave it out: sampling is not counted in favour of privacy.");
		case T_ProjectSet:
		case T_FunctionScan:
		case T_TableFuncScan:
			plan_refuse("A function that returns a set can let a row enter more than once.",
						PLAN_HINT);
		case T_ForeignScan:
			plan_refuse("The rows come from a foreign table, whose server does not know of the "
						"ledger.",
						"Copy the rows into a table, or train on that server. dpobj.train and the "
						"other functions of the analyst's door read partitions of postgres_fdw.");
		case T_CteScan:
		case T_WorkTableScan:
			plan_refuse("The rows come from a common table expression that is computed by itself.",
						"Leave out MATERIALIZED and refer to it once, or write the table's name.");
		case T_LockRows:
			plan_refuse("FOR UPDATE and the like are not allowed.", PLAN_HINT);
		case T_CustomScan:
			plan_refuse("The plan holds a custom scan of another extension.", PLAN_HINT);
		default:
			plan_refuse("Between the table and the aggregate only filters are allowed.", PLAN_HINT);
	}
}

static void
collect_sort_keys(Shape *shape, Plan *plan, int count, const AttrNumber *columns,
				  const Oid *operators)
{
	for (int i = 0; i < count; i++)
	{
		SortKey *key = palloc(sizeof(SortKey));

		key->operator= operators[i];
		key->type = exprType(plan_entry(plan->targetlist, columns[i] - 1));
		shape->sort_keys = lappend(shape->sort_keys, key);
	}
}

static void check_aggregate(Shape *shape, Agg *aggregate);

static void
check_inputs(Shape *shape, List *plans, bool is_partial)
{
	ListCell *cell;

	foreach (cell, plans)
		plan_shape_input(shape, lfirst(cell), is_partial);
}

static void
check_subquery(Shape *shape, SubqueryScan *scan)
{
	if (append_parent(shape, scan->scan.scanrelid) != 0)
		plan_refuse("UNION ALL is not allowed.", PLAN_HINT);
	plan_shape_input(shape, scan->subplan, false);
}

static void
check_result(Shape *shape, Result *result)
{
	plan_shape_conditions(shape, InvalidOid, result->resconstantqual, NIL);
	if (result->plan.lefttree == NULL)
		check_empty(shape, result);
	else
		plan_shape_input(shape, result->plan.lefttree, false);
}

/* Checks what every node has: no InitPlan, the target list and the conditions. */
static void
check_node(Shape *shape, Plan *plan, Oid table)
{
	List *index_columns = IsA(plan, IndexOnlyScan) ? ((IndexOnlyScan *) plan)->indextlist : NIL;

	if (plan->initPlan != NIL)
		plan_refuse("A sub-select is used between the table and the aggregate.",
					"Compute it first and pass it as a parameter of the statement.");
	plan_shape_collect(shape, plan->targetlist, index_columns);
	plan_shape_conditions(shape, table, plan->qual, index_columns);
}

void
plan_shape_input(Shape *shape, Plan *plan, bool is_partial)
{
	Oid table;

	if (plan == NULL)
		plan_refuse("The rows must come from a table.", PLAN_HINT);
	check_stack_depth();
	if (is_partial && IsA(plan, Agg))
	{
		check_aggregate(shape, (Agg *) plan);
		plan_shape_input(shape, plan->lefttree, false);
		return;
	}
	table = scanned_table(shape, plan);
	check_node(shape, plan, table);
	if (OidIsValid(table))
	{
		check_scan(shape, plan, table);
		return;
	}
	switch (nodeTag(plan))
	{
		case T_SubqueryScan:
			check_subquery(shape, (SubqueryScan *) plan);
			break;
		case T_Result:
			check_result(shape, (Result *) plan);
			break;
		case T_Append:
			check_inputs(shape, ((Append *) plan)->appendplans, is_partial);
			break;
		case T_MergeAppend:
		{
			MergeAppend *merge = (MergeAppend *) plan;

			collect_sort_keys(shape, plan, merge->numCols, merge->sortColIdx, merge->sortOperators);
			check_inputs(shape, merge->mergeplans, is_partial);
			break;
		}
		case T_Sort:
		case T_IncrementalSort:
		{
			Sort *sort = (Sort *) plan;

			collect_sort_keys(shape, plan, sort->numCols, sort->sortColIdx, sort->sortOperators);
			plan_shape_input(shape, plan->lefttree, is_partial);
			break;
		}
		case T_GatherMerge:
		{
			GatherMerge *merge = (GatherMerge *) plan;

			collect_sort_keys(shape, plan, merge->numCols, merge->sortColIdx, merge->sortOperators);
			plan_shape_input(shape, plan->lefttree, is_partial);
			break;
		}
		case T_Gather:
			plan_shape_input(shape, plan->lefttree, is_partial);
			break;
		default:
			refuse_node(plan);
	}
}

/* ---- the aggregate ---- */

/*
 * Features and label come from rows, and so does the key in front of them in dp_groups.  A look
 * takes one value of each row or none.  All other arguments must be fixed: plan_constant_argument()
 * reads them, and plan_model_argument() reads the model in front of the features.
 */
#define GROUPS_ARGUMENTS 6

static bool
key_leads(const Aggref *aggref)
{
	return list_length(aggref->aggargtypes) == GROUPS_ARGUMENTS;
}

/* The arguments of a look that come from rows, which are the first; -1 for other aggregates. */
static int
look_arguments(const Aggref *aggref)
{
	const char *name = get_func_name(aggref->aggfnoid);
	const LookType *type = strncmp(name, "dp_", 3) == 0 ? look_find(name + 3) : NULL;

	if (type == NULL || !look_has_groups(type))
		return -1;
	return look_has_column(type) ? 1 : 0;
}

bool
plan_model_leads(const Aggref *aggref)
{
	return linitial_oid(aggref->aggargtypes) != FLOAT8ARRAYOID && !key_leads(aggref) &&
		   look_arguments(aggref) < 0;
}

static List *
row_arguments(const Aggref *aggref)
{
	int first = plan_model_leads(aggref) ? 1 : 0;
	int count = look_arguments(aggref);

	if (count < 0)
		count = key_leads(aggref) ? 3 : 2;
	return list_truncate(list_copy_tail(aggref->args, first), count);
}

static void
check_call(Shape *shape, Aggref *aggref)
{
	if (!plan_is_own_function(aggref->aggfnoid))
		plan_refuse("Another aggregate stands beside the private one.",
					"Compute it in a query of its own.");
	if (aggref->aggdistinct != NIL || aggref->aggorder != NIL || aggref->aggdirectargs != NIL)
		plan_refuse("DISTINCT and ORDER BY inside the call are not allowed.",
					"Leave them out: the order of rows does not matter.");
	plan_shape_collect(shape, aggref->aggfilter, NIL);
	if (!DO_AGGSPLIT_COMBINE(aggref->aggsplit))
		plan_shape_collect(shape, row_arguments(aggref), NIL);
}

static bool
check_calls(Node *node, void *shape)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, check_calls, shape);
	check_call(shape, (Aggref *) node);
	return false;
}

void
plan_check_groups(const Agg *aggregate)
{
	if (aggregate->aggstrategy != AGG_PLAIN || aggregate->groupingSets != NIL ||
		aggregate->chain != NIL)
		plan_refuse("GROUP BY is not allowed.",
					"Write dp_groups, which trains a model for each key of a public list, or one "
					"call for each group that you know of, with WHERE.");
}

static void
check_aggregate(Shape *shape, Agg *aggregate)
{
	plan_check_groups(aggregate);
	if (aggregate->plan.qual != NIL)
		plan_refuse("HAVING is not allowed.", "Look at the model after it was released.");
	(void) check_calls((Node *) aggregate->plan.targetlist, shape);
}

/* ---- the statement ---- */

static void
check_statement(Shape *shape)
{
	ListCell *cell;

	if (shape->statement->hasModifyingCTE)
		plan_refuse("WITH changes rows in the statement that trains.",
					"Change them in a statement of its own.");
	foreach (cell, shape->statement->rowMarks)
		if (RowMarkRequiresRowShareLock(lfirst_node(PlanRowMark, cell)->markType))
			plan_refuse("FOR UPDATE and the like are not allowed in the statement that trains.",
						"Lock rows in a statement of its own.");
}

/* Runs after the scans, because the rules for expressions depend on the table. */
static void
check_expressions(Shape *shape, bool is_protected)
{
	PlanFault fault;
	ListCell *cell;

	foreach (cell, shape->expressions)
		if (!plan_expressions_allowed(lfirst(cell), is_protected, &fault))
			plan_refuse(fault.rule, fault.hint);
	foreach (cell, shape->sort_keys)
	{
		SortKey *key = lfirst(cell);

		if (!plan_sort_allowed(key->operator, key->type, is_protected, &fault))
			plan_refuse(fault.rule, fault.hint);
	}
}

void
plan_check_aggregate(FunctionCallInfo fcinfo)
{
	Aggref *aggref = AggGetAggref(fcinfo);

	plan_set_subject(false);
	if (aggref == NULL || !plan_is_own_function(aggref->aggfnoid))
		plan_refuse("The aggregate is not one of dpobj, but calls its functions.",
					"Call dp_halfspace.");
}

void
plan_shape_begin(Shape *shape, EState *estate, bool is_window)
{
	memset(shape, 0, sizeof(*shape));
	shape->statement = estate->es_plannedstmt;
	plan_set_subject(is_window);
	if (IsParallelWorker())
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("a private aggregate cannot finish in a parallel worker"),
						errhint("Set " FORCE_PARALLEL " to off.")));
	if (estate->es_instrument != 0)
		plan_refuse("EXPLAIN ANALYZE and instrumented statements show exact row counts.",
					"Use EXPLAIN without ANALYZE, and turn auto_explain.log_analyze off.");
	check_statement(shape);
}

void
plan_shape_end(Shape *shape, PlanTable *table)
{
	Oid source;

	if (shape->source == 0)
		plan_refuse("The rows must come from a table.", PLAN_HINT);
	source = rt_fetch(shape->source, shape->statement->rtable)->relid;
	memset(table, 0, sizeof(*table));
	table->oid = plan_topmost_ancestor(source);
	table->named = source;
	plan_find_protection(list_append_unique_oid(shape->leaves, source), table);
	check_expressions(shape, table->is_protected);
}

void
plan_check_shape(PlanCall *call, PlanTable *table)
{
	Agg *top = (Agg *) call->aggregate->ss.ps.plan;
	Shape shape;

	plan_shape_begin(&shape, call->aggregate->ss.ps.state, false);
	check_aggregate(&shape, top);
	if (plan_is_correlated(shape.statement, &top->plan))
		plan_refuse("A correlated sub-select would train again for each row of the outer query.",
					"Train in a query of its own and use the model in the other.");
	plan_shape_input(&shape, top->plan.lefttree, DO_AGGSPLIT_COMBINE(top->aggsplit));
	plan_shape_end(&shape, table);
}
