/*
 * seen_scan.c - the scan that the planner puts in the place of dpobj_internal.see_...().
 *
 * A set-valued function returns all of its rows before the first is used.  This scan asks the
 * _seen view for the columns that are needed, in the order of the query if it is one of columns,
 * and with the comparisons of a column by leakproof operators, so that indexes of dpobj's tables
 * find the last or single rows.  It fetches rows as they are needed.  EXPLAIN shows the number of
 * rows that the caller gets, and nothing of how they were found.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "server/base/compat.h"
#include "server/base/seen_query.h"
#include "server/base/seen_scan.h"

/* Rows that are fetched first, and at most at a time. */
#define FIRST_ROWS 32
#define MOST_ROWS 4096

/* What the planner takes the cost of a row and of the start for: guesses, which no entry changes.
 */
#define ROW_COST 0.1
#define START_COST 10

/* custom_private of path and plan */
enum
{
	PRIVATE_VIEW,     /* its OID */
	PRIVATE_ORDER,    /* the text of ORDER BY, or an empty one */
	PRIVATE_FUNCTION, /* OID of the function whose place it takes */
	PRIVATE_COLUMNS,  /* plan only: the text of the columns */
	PRIVATE_CONDITION /* plan only: the text of WHERE, or an empty one */
};

typedef struct SeenScan
{
	CustomScanState scan;
	List *arguments; /* ExprState of the parameters of the condition */
	Reader reader;
	SeenQuery *query;      /* NULL before the first row */
	MemoryContext context; /* of the query and its plan; NULL before the first one */
	Tuplestorestate *rows;
	TupleTableSlot *row;
	uint64 next; /* how many rows to fetch next */
	bool filled; /* may rows have a row that was not returned? */
} SeenScan;

static set_rel_pathlist_hook_type next_hook = NULL;

/* ---- conditions ---- */

static const char *
column_name(Oid view, AttrNumber number)
{
	return quote_identifier(get_attname(view, number, false));
}

/* Is this a column of the scan? */
static bool
is_column(Node *node, Index scan)
{
	return IsA(node, Var) && ((Var *) node)->varno == scan && ((Var *) node)->varlevelsup == 0 &&
		   ((Var *) node)->varattno > 0;
}

/* Has the expression one value for all rows of the scan? */
static bool
is_argument(PlannerInfo *root, Node *node)
{
	return bms_is_empty(pull_varnos(root, node)) && !contain_volatile_functions(node) &&
		   !contain_subplans(node);
}

/* The others' rows, too, go through the operator: it must not tell of them. */
static bool
may_compare(Oid operator, Oid collation, Var *column)
{
	return OidIsValid(operator) &&
		   operator<FirstGenbkiObjectId && get_func_leakproof(get_opcode(operator)) &&
		   (!OidIsValid(collation) || collation == column->varcollid);
}

/* Appends a comparison that the view can make, and its argument. */
static void
add_condition(PlannerInfo *root, Index scan, Oid view, Expr *clause, StringInfo condition,
			  List **arguments)
{
	bool any = IsA(clause, ScalarArrayOpExpr);
	Node *left, *right;
	Oid operator, collation;

	if (any && ((ScalarArrayOpExpr *) clause)->useOr)
	{
		left = linitial(((ScalarArrayOpExpr *) clause)->args);
		right = lsecond(((ScalarArrayOpExpr *) clause)->args);
		operator=((ScalarArrayOpExpr *) clause)->opno;
		collation = ((ScalarArrayOpExpr *) clause)->inputcollid;
	}
	else if (IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2)
	{
		left = linitial(((OpExpr *) clause)->args);
		right = lsecond(((OpExpr *) clause)->args);
		operator=((OpExpr *) clause)->opno;
		collation = ((OpExpr *) clause)->inputcollid;
		if (!is_column(left, scan))
		{
			left = right;
			right = linitial(((OpExpr *) clause)->args);
			operator= get_commutator(operator);
		}
	}
	else
		return;
	if (!is_column(left, scan) || !is_argument(root, right) ||
		!may_compare(operator, collation, (Var *) left))
		return;
	*arguments = lappend(*arguments, right);
	appendStringInfo(
		condition,
		any ? "%s%s OPERATOR(pg_catalog.%s) ANY ($%d)" : "%s%s OPERATOR(pg_catalog.%s) $%d",
		condition->len == 0 ? " WHERE " : " AND ", column_name(view, ((Var *) left)->varattno),
		get_opname(operator), list_length(*arguments));
}

/* ---- the order ---- */

/* The column of the scan by which a pathkey sorts, if the view would sort in the same way. */
static Var *
sorted_column(PathKey *key, Index scan)
{
	ListCell *cell;

	foreach (cell, key->pk_eclass->ec_members)
	{
		Var *column = (Var *) ((EquivalenceMember *) lfirst(cell))->em_expr;

		if (is_column((Node *) column, scan) && !key->pk_eclass->ec_has_volatile &&
			key->pk_eclass->ec_collation == column->varcollid &&
			lookup_type_cache(column->vartype, TYPECACHE_BTREE_OPFAMILY)->btree_opf ==
				key->pk_opfamily)
			return column;
	}
	return NULL;
}

/* The text of ORDER BY for the order of the query; empty if it has none by columns of the scan. */
static char *
order_text(PlannerInfo *root, Index scan, Oid view)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, root->query_pathkeys)
	{
		PathKey *key = lfirst(cell);
		Var *column = sorted_column(key, scan);

		if (column == NULL)
			return "";
		appendStringInfo(&text, "%s%s %s NULLS %s", text.len == 0 ? " ORDER BY " : ", ",
						 column_name(view, column->varattno), pathkey_ascends(key) ? "ASC" : "DESC",
						 key->pk_nulls_first ? "FIRST" : "LAST");
	}
	return text.data;
}

/* ---- the plan ---- */

static Node *create_state(CustomScan *plan);

static const CustomScanMethods plan_methods = {"dpobj_see", create_state};

/* The text of the columns, of which those that are not needed are null; *described is all of them.
 */
static char *
columns_text(RelOptInfo *rel, Oid view, List *clauses, List **described)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(get_rel_type_id(view), -1);
	Bitmapset *needed = NULL;
	StringInfoData text;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &needed);
	pull_varattnos((Node *) clauses, rel->relid, &needed);
	initStringInfo(&text);
	for (int i = 1; i <= descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i - 1);
		Var *value =
			makeVar(rel->relid, i, column->atttypid, column->atttypmod, column->attcollation, 0);
		bool is_needed = bms_is_member(i - FirstLowInvalidHeapAttributeNumber, needed);

		appendStringInfo(&text, "%s%s", i == 1 ? "" : ", ",
						 is_needed ? column_name(view, i) : "NULL");
		*described = lappend(*described, makeTargetEntry((Expr *) value, i,
														 pstrdup(NameStr(column->attname)), false));
	}
	ReleaseTupleDesc(descriptor);
	return text.data;
}

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, struct CustomPath *path, List *target, List *clauses,
		  List *children)
{
	CustomScan *plan = makeNode(CustomScan);
	Oid view = intVal(list_nth(path->custom_private, PRIVATE_VIEW));
	StringInfoData condition;
	ListCell *cell;

	clauses = extract_actual_clauses(clauses, false);
	initStringInfo(&condition);
	foreach (cell, clauses)
		add_condition(root, rel->relid, view, lfirst(cell), &condition, &plan->custom_exprs);
	plan->scan.plan.targetlist = target;
	plan->scan.plan.qual = clauses;
	plan->flags = path->flags;
	plan->custom_private =
		lappend(list_copy(path->custom_private),
				makeString(columns_text(rel, view, clauses, &plan->custom_scan_tlist)));
	plan->custom_private = lappend(plan->custom_private, makeString(condition.data));
	plan->methods = &plan_methods;
	return &plan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = "dpobj_see",
											   .PlanCustomPath = plan_scan};

static void
add_scan(PlannerInfo *root, RelOptInfo *rel, Oid view, Oid function, char *order)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rel->rows;
	path->path.startup_cost = START_COST;
	/* an order costs a little, so that it is not taken for nothing */
	path->path.total_cost = START_COST + (*order == '\0' ? 1 : 1.02) * ROW_COST * rel->rows;
	path->path.pathkeys = *order == '\0' ? NIL : root->query_pathkeys;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make3(makeInteger(view), makeString(order), makeInteger(function));
	path->methods = &path_methods;
	add_path(rel, &path->path);
}

static bool
reads_whole_row(RelOptInfo *rel)
{
	Bitmapset *needed = NULL;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &needed);
	return bms_is_member(-FirstLowInvalidHeapAttributeNumber, needed);
}

static void
replace_paths(PlannerInfo *root, RelOptInfo *rel, Index scan, RangeTblEntry *entry)
{
	FuncExpr *call;
	Oid view;
	char *order;

	if (next_hook != NULL)
		next_hook(root, rel, scan, entry);
	if (entry->rtekind != RTE_FUNCTION || entry->funcordinality ||
		list_length(entry->functions) != 1)
		return;
	call = (FuncExpr *) ((RangeTblFunction *) linitial(entry->functions))->funcexpr;
	if (!IsA(call, FuncExpr) || !OidIsValid(view = seen_view(call->funcid)) || reads_whole_row(rel))
		return;
	rel->pathlist = rel->partial_pathlist = NIL;
	add_scan(root, rel, view, call->funcid, "");
	order = order_text(root, scan, view);
	if (*order != '\0')
		add_scan(root, rel, view, call->funcid, order);
}

/* ---- the scan ---- */

static Node *private_of(CustomScanState *node, int which);

static void
begin_scan(CustomScanState *node, EState *estate, int flags)
{
	SeenScan *scan = (SeenScan *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;

	if (routine_aclcheck(intVal(private_of(node, PRIVATE_FUNCTION)), GetUserId()) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION,
					   get_func_name(intVal(private_of(node, PRIVATE_FUNCTION))));
	scan->arguments = ExecInitExprList(plan->custom_exprs, &node->ss.ps);
	scan->reader = acting_reader();
}

static Node *
private_of(CustomScanState *node, int which)
{
	return list_nth(((CustomScan *) node->ss.ps.plan)->custom_private, which);
}

/* Computes the parameters of the condition. */
static ParamListInfo
compute_parameters(SeenScan *scan)
{
	CustomScan *plan = (CustomScan *) scan->scan.ss.ps.plan;
	ParamListInfo parameters = makeParamList(list_length(scan->arguments));
	int i = 0;
	ListCell *state, *argument;

	forboth(state, scan->arguments, argument, plan->custom_exprs)
	{
		ParamExternData *parameter = &parameters->params[i++];

		parameter->value = ExecEvalExpr((ExprState *) lfirst(state),
										scan->scan.ss.ps.ps_ExprContext, &parameter->isnull);
		parameter->pflags = PARAM_FLAG_CONST;
		parameter->ptype = exprType(lfirst(argument));
	}
	return parameters;
}

static void
start_query(SeenScan *scan)
{
	CustomScanState *node = &scan->scan;
	EState *estate = node->ss.ps.state;
	const char *order = strVal(private_of(node, PRIVATE_ORDER));
	MemoryContext old;
	char *statement;

	if (scan->context == NULL)
		scan->context =
			AllocSetContextCreate(estate->es_query_cxt, "dpobj view", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scan->context);
	statement = psprintf("SELECT %s FROM %s%s%s", strVal(private_of(node, PRIVATE_COLUMNS)),
						 seen_view_name(intVal(private_of(node, PRIVATE_VIEW))),
						 strVal(private_of(node, PRIVATE_CONDITION)), order);
	scan->query = seen_open(statement, compute_parameters(scan), scan->reader, estate->es_snapshot,
							*order != '\0');
	scan->rows = tuplestore_begin_heap(false, false, work_mem);
	scan->row = MakeSingleTupleTableSlot(node->ss.ss_ScanTupleSlot->tts_tupleDescriptor,
										 &TTSOpsMinimalTuple);
	scan->next = FIRST_ROWS;
	scan->filled = false;
	MemoryContextSwitchTo(old);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	SeenScan *scan = (SeenScan *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int columns = slot->tts_tupleDescriptor->natts;

	if (scan->query == NULL)
		start_query(scan);
	ExecClearTuple(slot);
	while (!scan->filled || !tuplestore_gettupleslot(scan->rows, true, false, scan->row))
	{
		tuplestore_clear(scan->rows);
		if (!seen_fetch(scan->query, scan->next, scan->rows))
			return slot;
		scan->next = Min(scan->next * 4, MOST_ROWS);
		scan->filled = true;
	}
	slot_getallattrs(scan->row);
	memcpy(slot->tts_values, scan->row->tts_values, columns * sizeof(Datum));
	memcpy(slot->tts_isnull, scan->row->tts_isnull, columns * sizeof(bool));
	return ExecStoreVirtualTuple(slot);
}

static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
scan_row(CustomScanState *node)
{
	return ExecScan(&node->ss, next_row, recheck_row);
}

static void
end_scan(CustomScanState *node)
{
	SeenScan *scan = (SeenScan *) node;

	if (scan->query == NULL)
		return;
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	ExecDropSingleTupleTableSlot(scan->row);
	tuplestore_end(scan->rows);
	seen_close(scan->query);
	scan->query = NULL;
	MemoryContextReset(scan->context); /* a join may scan again for each of its rows */
}

/* The parameters may have other values then. */
static void
rescan(CustomScanState *node)
{
	end_scan(node);
	ExecScanReScan(&node->ss);
}

static void
explain_scan(CustomScanState *node, List *ancestors, ExplainState *state)
{
	ExplainPropertyText("Function", get_func_name(intVal(private_of(node, PRIVATE_FUNCTION))),
						state);
}

static const CustomExecMethods scan_methods = {.CustomName = "dpobj_see",
											   .BeginCustomScan = begin_scan,
											   .ExecCustomScan = scan_row,
											   .EndCustomScan = end_scan,
											   .ReScanCustomScan = rescan,
											   .ExplainCustomScan = explain_scan};

static Node *
create_state(CustomScan *plan)
{
	SeenScan *scan = palloc0(sizeof(SeenScan));

	NodeSetTag(scan, T_CustomScanState);
	scan->scan.methods = &scan_methods;
	return (Node *) scan;
}

bool
seen_scan_is(const Plan *plan)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &plan_methods;
}

void
seen_scan_install(void)
{
	RegisterCustomScanMethods(&plan_methods);
	next_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = replace_paths;
}
