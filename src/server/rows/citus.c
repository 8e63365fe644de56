/*
 * citus.c - finds tables of Citus in its own catalogs, which only superusers can write.
 *
 *   pg_dist_partition   a row for each table that is distributed, a reference table, or local
 *                       but managed; logicalrelid is the table
 *   pg_dist_shard       a row for each shard; the shard's own name is that of the table, an
 *                       underscore and the number shardid
 *
 * Nodes without metadata have empty catalogs; there only the name shows that a table is a shard.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "server/ledger/charge_tables.h"
#include "server/rows/citus.h"
#include "server/base/compat.h"

/* The first number that Citus gives to a shard. */
#define FIRST_SHARD 102008

static Oid
catalog(const char *name)
{
	return get_relname_relid(name, PG_CATALOG_NAMESPACE);
}

/* Does a scan with these keys find a row?  index may be InvalidOid. */
static bool
has_row(Oid oid, Oid index, int keys, ScanKey key)
{
	Relation relation = table_open(oid, AccessShareLock);
	SysScanDesc scan = systable_beginscan(relation, index, OidIsValid(index), NULL, keys, key);
	bool found = systable_getnext(scan) != NULL;

	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/* True also for a catalog that does not have the column: then nobody knows what it holds. */
static bool
has_value(Oid oid, Oid index, const char *column, RegProcedure equal, Datum value)
{
	AttrNumber number = get_attnum(oid, column);
	ScanKeyData key;

	if (number == InvalidAttrNumber)
		return true;
	ScanKeyInit(&key, number, BTEqualStrategyNumber, equal, value);
	return has_row(oid, index, 1, &key);
}

/* The number at the end of a name, after an underscore; 0 if there is none. */
static int64
number_of(const char *name)
{
	const char *digits = name == NULL ? NULL : strrchr(name, '_');
	char *end;
	int64 number;

	if (digits == NULL || digits[1] < '0' || digits[1] > '9')
		return 0;
	number = strtoi64(digits + 1, &end, 10);
	return *end == '\0' ? number : 0;
}

static bool
is_shard(Oid relation)
{
	Oid shards = catalog("pg_dist_shard");
	int64 number = number_of(get_rel_name(relation));

	return OidIsValid(shards) && number > 0 &&
		   has_value(shards, catalog("pg_dist_shard_shardid_index"), "shardid", F_INT8EQ,
					 Int64GetDatum(number));
}

/* For topmost tables: a partition may be named after its month. */
static bool
may_be_shard(Oid relation)
{
	Oid shards = catalog("pg_dist_shard");

	return OidIsValid(shards) && number_of(get_rel_name(relation)) >= FIRST_SHARD &&
		   !has_row(shards, InvalidOid, 0, NULL);
}

const char *
citus_rule(Oid relation)
{
	Oid tables = catalog("pg_dist_partition");
	ListCell *cell;

	if (!OidIsValid(tables))
		return NULL;
	foreach (cell, charge_table_and_ancestors(relation))
	{
		Oid table = lfirst_oid(cell);

		if (has_value(tables, InvalidOid, "logicalrelid", F_OIDEQ, ObjectIdGetDatum(table)))
			return "Citus manages the table: its rows are in shards or on other nodes.";
		if (is_shard(table))
			return "It is a shard of a table that Citus manages, and budgets of that table would "
				   "not count it.";
		if (!has_superclass(table) && may_be_shard(table))
			return "It is called like a shard of Citus, and this node has no metadata that could "
				   "tell.";
	}
	return NULL;
}
