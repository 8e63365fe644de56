/*
 * plan_shape.c - each row of one table enters the aggregate at most once.
 *
 * The plan tree is the truth (the range table keeps dead entries): below our
 * Agg node only scans of one table and nodes that pass rows on are allowed, so
 * that no join, set operation or function can multiply a row, and no group or
 * HAVING can be chosen by the data (SERVER.md 1).
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/partition.h"
#include "nodes/plannodes.h"
#include "nodes/pathnodes.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "dpobj.h"
#include "plan.h"

typedef struct Shape
{
	PlannedStmt *statement;
	Oid table;    /* root of the scanned tables, InvalidOid before the first scan */
	List *leaves; /* OIDs of scanned tables: none may come twice */
} Shape;

static void
refuse(const char *rule)
{
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("query shape is not allowed for a private aggregate"), errdetail("%s", rule),
			 errhint("Write SELECT dp_halfspace(...) FROM one_table [WHERE ...].")));
}

/* The table that an appended child stands for; only true inheritance, not UNION ALL. */
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

static Oid
topmost_ancestor(Oid table)
{
	List *ancestors;

	if (!get_rel_relispartition(table))
		return table;
	ancestors = get_partition_ancestors(table);
	return ancestors == NIL ? table : llast_oid(ancestors);
}

static void
check_scan(Shape *shape, Index scanned)
{
	RangeTblEntry *entry = rt_fetch(scanned, shape->statement->rtable);
	Oid leaf = entry->relid;
	Index parent;
	Oid root;

	if (entry->rtekind != RTE_RELATION)
		refuse("The rows must come from a table.");
	while ((parent = append_parent(shape, scanned)) != 0)
	{
		scanned = parent;
		entry = rt_fetch(scanned, shape->statement->rtable);
		if (entry->rtekind != RTE_RELATION)
			refuse("UNION ALL is not allowed.");
	}
	root = topmost_ancestor(entry->relid);
	if (OidIsValid(shape->table) && shape->table != root)
		refuse("The rows must come from one table.");
	if (list_member_oid(shape->leaves, leaf))
		refuse("A table must not be read twice.");
	shape->table = root;
	shape->leaves = lappend_oid(shape->leaves, leaf);
}

static void check_input(Shape *shape, Plan *plan);

static void
check_inputs(Shape *shape, List *plans)
{
	ListCell *cell;

	foreach (cell, plans)
		check_input(shape, lfirst(cell));
}

static void
check_input(Shape *shape, Plan *plan)
{
	if (plan == NULL)
		refuse("The rows must come from a table.");
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			check_scan(shape, ((Scan *) plan)->scanrelid);
			break;
		case T_Append:
			check_inputs(shape, ((Append *) plan)->appendplans);
			break;
		case T_MergeAppend:
			check_inputs(shape, ((MergeAppend *) plan)->mergeplans);
			break;
		case T_Result:
			/* a one-time filter; a Result without input is a table proved empty */
			if (plan->lefttree != NULL)
				check_input(shape, plan->lefttree);
			break;
		case T_Sort:
		case T_IncrementalSort:
		case T_Gather:
		case T_GatherMerge:
			check_input(shape, plan->lefttree);
			break;
		default:
			refuse("Between the table and the aggregate only filters are allowed: no join, no "
				   "subquery with LIMIT or DISTINCT, no TABLESAMPLE, no function in FROM.");
	}
}

static void
check_aggregate(Agg *aggregate)
{
	if (aggregate->aggstrategy != AGG_PLAIN || aggregate->groupingSets != NIL ||
		aggregate->chain != NIL)
		refuse("GROUP BY is not allowed.");
	if (aggregate->plan.qual != NIL)
		refuse("HAVING is not allowed.");
}

/* A table that the planner proved empty has no scan: take the statement's only one. */
static Oid
only_table(PlannedStmt *statement)
{
	Oid table = InvalidOid;
	ListCell *cell;

	foreach (cell, statement->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		Oid root;

		if (entry->rtekind != RTE_RELATION)
			continue;
		root = topmost_ancestor(entry->relid);
		if (OidIsValid(table) && table != root)
			return InvalidOid;
		table = root;
	}
	return table;
}

Oid
plan_check_shape(PlanCall *call)
{
	EState *estate = call->aggregate->ss.ps.state;
	Agg *top = (Agg *) call->aggregate->ss.ps.plan;
	Shape shape = {estate->es_plannedstmt, InvalidOid, NIL};

	if (IsParallelWorker())
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("a private aggregate cannot finish in a parallel worker"),
						errhint("Set " FORCE_PARALLEL " to off.")));
	if (estate->es_instrument != 0)
		refuse("EXPLAIN ANALYZE and instrumented statements show exact row counts.");
	check_aggregate(top);
	if (call->aggref->aggdistinct != NIL || call->aggref->aggorder != NIL)
		refuse("DISTINCT and ORDER BY inside the call are not allowed.");
	check_input(&shape, call->input);
	if (!OidIsValid(shape.table))
		shape.table = only_table(shape.statement);
	if (!OidIsValid(shape.table))
		refuse("The rows must come from one table.");
	return shape.table;
}
