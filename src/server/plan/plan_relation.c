/*
 * plan_relation.c - which tables the aggregates may read, their ancestors and their protection.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/ledger/charge_citus.h"
#include "server/ledger/charge_tables.h"
#include "server/plan/plan_shape.h"
#include "server/rows/protection.h"

/*
 * Temporary and unlogged tables are allowed, because owners often put a training set together in
 * one.  Then the guarantee is for the rows of that table, and the ledger has its name.  No budget
 * can be set on a temporary table, so dpobj.require_budget refuses it.  The use of a temporary
 * table that inherits from a permanent one is charged to the permanent one.
 *
 * A materialized view is refused, as at the analyst's door: one row of a table may be in many rows
 * of it.
 */
void
plan_check_relation(Oid relation)
{
	const char *rule;
	const char *hint;

	switch (get_rel_relkind(relation))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			break;
		case RELKIND_MATVIEW:
			plan_refuse("The rows come from a materialized view, where one row of a table may be "
						"in many.",
						"Train on the table itself, or copy the rows into a table with one row "
						"for each person whom the guarantee is about.");
		default:
			plan_refuse("The rows must come from a table.", PLAN_HINT);
	}
	if (relation < FirstNormalObjectId ||
		get_rel_namespace(relation) == get_namespace_oid("dpobj", false))
		plan_refuse("The rows come from a system catalog or a table of dpobj.", PLAN_HINT);
	rule = citus_owner_rule(relation, &hint);
	if (rule != NULL)
		plan_refuse(rule, hint);
}

Oid
plan_topmost_ancestor(Oid relation)
{
	List *family;

	while (list_length(family = charge_table_and_ancestors(relation)) > 1)
		relation = lsecond_oid(family);
	return relation;
}

static void
apply_protection(const Protection *protection, const char *name, PlanTable *table)
{
	if (protection->person != NULL)
		plan_refuse(psprintf("Table \"%s\" is protected per person, which an aggregate cannot "
							 "tell from its arguments.",
							 name),
					"Use dpobj.train.");
	if (table->is_protected && table->adjacency != protection->adjacency)
		plan_refuse(psprintf("Table \"%s\" and one of its ancestors or descendants are protected "
							 "with different adjacencies.",
							 name),
					"An administrator must protect them alike.");
	table->is_protected = true;
	table->adjacency = protection->adjacency;
}

void
plan_find_protection(List *relations, PlanTable *table)
{
	List *family = NIL;
	ListCell *cell;

	foreach (cell, relations)
		family = list_concat_unique_oid(family, charge_table_and_ancestors(lfirst_oid(cell)));
	foreach (cell, family)
	{
		Relation relation = acting_try_open(lfirst_oid(cell), AccessShareLock);
		Protection protection;

		if (relation == NULL)
			continue;
		if (protection_find(relation, &protection))
			apply_protection(&protection, RelationGetRelationName(relation), table);
		relation_close(relation, AccessShareLock);
	}
}
