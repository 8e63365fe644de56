/*
 * citus.c - which tables of Citus a scan does not read.
 */
#include "postgres.h"

#include "server/ledger/charge_tables.h"
#include "server/remote/citus_catalog.h"
#include "server/rows/citus.h"

#define HINT                                                                                       \
	"Use dpobj.train or another function of the analyst's door on the table, at the coordinator."

const char *
citus_rule(Oid relation, const char **hint)
{
	bool is_managed = citus_manages(relation);
	ListCell *cell;

	if (is_managed)
	{
		CitusTable table;

		citus_read_table(relation, &table);
		*hint = "Distribute the table by hash.";
		if (table.method != CITUS_HASH && table.method != CITUS_NONE)
			return "Citus distributes it by append or by range.";
	}
	*hint = HINT;
	foreach (cell, charge_table_and_ancestors(relation))
	{
		const char *rule = citus_shard_rule(lfirst_oid(cell));

		if (rule != NULL)
			return rule;
		if (!is_managed && citus_manages(lfirst_oid(cell)))
			return "Citus manages a table that it is a child of, and does not manage the child.";
	}
	return NULL;
}

const char *
citus_owner_rule(Oid relation, const char **hint)
{
	if (!citus_manages(relation))
		return citus_rule(relation, hint);
	*hint = HINT;
	return "Citus manages the table: its rows are in shards or on other nodes.";
}
