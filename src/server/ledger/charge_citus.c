/*
 * charge_citus.c - which tables of Citus are charged, and where.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/ledger/charge_citus.h"
#include "server/ledger/charge_tables.h"
#include "server/remote/citus_catalog.h"

/* The table and the coordinator, as far as the metadata of this node name them. */
static const char *
hint_of(Oid table)
{
	const char *place = citus_coordinator();
	char *name = OidIsValid(table) ? get_rel_name(table) : NULL;

	if (name != NULL)
		name = psprintf("table %s", quote_qualified_identifier(
										get_namespace_name(get_rel_namespace(table)), name));
	return psprintf("Use dpobj.train or another function of the analyst's door, dpobj.protect and "
					"dpobj.set_budget on %s at the coordinator%s.",
					name == NULL ? "the table" : name,
					place == NULL ? "" : psprintf(" (%s)", place));
}

static const char *
rule_of_managed(Oid relation, const char **hint)
{
	CitusTable table;

	citus_read_table(relation, &table);
	*hint = "Distribute the table by hash.";
	if (table.method != CITUS_HASH && table.method != CITUS_NONE)
		return "Citus distributes it by append or by range.";
	if (!citus_is_worker())
		return NULL;
	*hint = hint_of(relation);
	return "This node is a worker of Citus, and the coordinator counts releases.";
}

const char *
citus_rule(Oid relation, const char **hint)
{
	bool is_managed = citus_manages(relation);
	const char *rule = is_managed ? rule_of_managed(relation, hint) : NULL;
	ListCell *cell;

	if (rule != NULL)
		return rule;
	foreach (cell, charge_table_and_ancestors(relation))
	{
		Oid table = lfirst_oid(cell);

		if (!is_managed && citus_manages(table))
			rule = "Citus manages a table that it is a child of, and does not manage the child.";
		else
			rule = citus_shard_rule(table, &table);
		if (rule == NULL)
			continue;
		*hint = hint_of(table);
		return rule;
	}
	return NULL;
}

const char *
citus_owner_rule(Oid relation, const char **hint)
{
	if (!citus_manages(relation))
		return citus_rule(relation, hint);
	*hint = hint_of(relation);
	return "Citus manages the table: its rows are in shards or on other nodes.";
}
