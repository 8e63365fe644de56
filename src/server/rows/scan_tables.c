/*
 * scan_tables.c - which relations are read, and where their rows are.
 */
#include "server/rows/scan_tables.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_partitioned_table.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "server/base/dpobj.h"
#include "server/base/identity.h"
#include "server/ledger/charge_citus.h"
#include "server/remote/part_provider.h"

/* ---- which relations are read ---- */

#define FOREIGN_HINT                                                                               \
	"Rows of another server are read if the table is a partition, of postgres_fdw, and that "      \
	"server has dpobj."

/* The rule that keeps a kind of relation out; NULL: none. */
static const char *
rule_of_kind(Relation relation, const char **hint)
{
	switch (relation->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			return NULL;
		case RELKIND_VIEW:
			return "Views are not read: what they show is not a table of rows.";
		case RELKIND_MATVIEW:
			return "Materialized views are not read: one row of a table may be in many of theirs.";
		case RELKIND_FOREIGN_TABLE:
			if (part_provider_of(RelationGetRelid(relation)) != NULL)
				return NULL;
			*hint = FOREIGN_HINT;
			return "Foreign tables are not read: another server would answer for them.";
		default:
			return "Only tables and partitioned tables are read.";
	}
}

static const char *
rule_of(Relation relation, bool ignore_rls, bool is_part, const char **hint)
{
	const char *rule;

	*hint = NULL;
	rule = rule_of_kind(relation, hint);
	if (rule != NULL)
		return rule;
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		return "Temporary tables are not read: nobody but their session sees them.";
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_UNLOGGED)
		return "Unlogged tables are not read: a crash empties them.";
	if (identity_is_system_table(RelationGetRelid(relation)))
		return "System catalogs and the tables of dpobj are not read.";
	rule = is_part ? NULL : citus_rule(RelationGetRelid(relation), hint);
	if (rule != NULL)
		return rule;
	if (relation->rd_rel->relrowsecurity && !ignore_rls)
	{
		*hint = "Protect it with ignore_rls => true if every row may be read.";
		return "It has row-level security, which a scan does not apply.";
	}
	return NULL;
}

const char *
scan_rule(Relation relation, bool ignore_rls)
{
	const char *hint;

	return rule_of(relation, ignore_rls, true, &hint);
}

void
scan_check_relation(Relation relation, bool ignore_rls, bool is_part)
{
	const char *hint;
	const char *rule = rule_of(relation, ignore_rls, is_part, &hint);

	if (rule != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("relation \"%s\" cannot be trained on", RelationGetRelationName(relation)),
				 errdetail("%s", rule), hint == NULL ? 0 : errhint("%s", hint)));
}

/* ---- where their rows are ---- */

List *
scan_lock(Oid relation, List **parents)
{
	LockRelationOid(relation, AccessShareLock);
	return find_all_inheritors(relation, AccessShareLock, parents);
}

/* find_all_inheritors() locked a descendant once for each of its parents. */
void
scan_unlock(const List *locked, const List *parents)
{
	for (int i = 0; i < list_length(locked); i++)
		for (int j = 0; j < Max(list_nth_int(parents, i), 1); j++)
			UnlockRelationOid(list_nth_oid(locked, i), AccessShareLock);
}

List *
scan_list_parts(const List *locked)
{
	List *parts = NIL;
	ListCell *cell;

	foreach (cell, locked)
	{
		const PartProvider *provider = part_provider_of(lfirst_oid(cell));

		if (provider != NULL)
			parts = list_concat(parts, provider->parts(lfirst_oid(cell)));
	}
	return parts;
}

bool
scan_is_elsewhere(Oid relation)
{
	bool elsewhere = false;
	List *parents;
	List *locked;
	ListCell *cell;

	locked = scan_lock(relation, &parents);
	foreach (cell, locked)
		elsewhere |= part_provider_of(lfirst_oid(cell)) != NULL;
	scan_unlock(locked, parents);
	return elsewhere;
}

/* ---- where the rows of a person are ---- */

/*
 * The column by which alone the table is partitioned; 0: several, or an expression.  It is read in
 * the catalog, because RelationGetPartitionKey() evaluates the constant parts of expressions, which
 * may call functions of the table's owner.
 */
static AttrNumber
partition_column(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(relation));
	Form_pg_partitioned_table key;
	AttrNumber column = 0;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for partition key of %u", relation);
	key = (Form_pg_partitioned_table) GETSTRUCT(tuple);
	if (key->partnatts == 1)
		column = key->partattrs.values[0];
	ReleaseSysCache(tuple);
	return column;
}

/* Does the column alone decide in which partition, or in which part, of the relation a row is? */
static bool
is_spread_by(Oid relation, const char *column)
{
	const PartProvider *provider = part_provider_of(relation);
	AttrNumber key;

	if (provider == NULL && get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE)
		return true;
	if (provider != NULL && provider->spread_column == NULL)
		return true;
	key = provider == NULL ? partition_column(relation) : provider->spread_column(relation);
	return key != InvalidAttrNumber && key == get_attnum(relation, column);
}

/* One that the column does not spread alone; InvalidOid: there is none. */
static Oid
member_of_other_key(const List *locked, const char *column)
{
	ListCell *cell;

	foreach (cell, locked)
		if (!is_spread_by(lfirst_oid(cell), column))
			return lfirst_oid(cell);
	return InvalidOid;
}

/* The tables that have rows here, by the catalogs. */
static int
count_tables(const List *locked)
{
	int tables = 0;
	ListCell *cell;

	foreach (cell, locked)
		if (part_provider_of(lfirst_oid(cell)) == NULL &&
			get_rel_relkind(lfirst_oid(cell)) != RELKIND_PARTITIONED_TABLE)
			tables++;
	return tables;
}

void
scan_check_person_here(const List *locked, const List *parts, const char *person)
{
	Oid member = member_of_other_key(locked, person);

	if (!OidIsValid(member) || (list_length(parts) == 1 && count_tables(locked) == 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("relation \"%s\" is not partitioned or distributed by column \"%s\" alone",
					get_rel_name(member), person),
			 errdetail("Rows of a person may be in several parts, and how many of them enter is "
					   "decided in each part."),
			 errhint("Partition or distribute the table by the column that names the persons.")));
}

void
scan_check_person(Oid relation, const char *person)
{
	List *locked = find_all_inheritors(relation, AccessShareLock, NULL);

	if (scan_is_elsewhere(relation) && OidIsValid(member_of_other_key(locked, person)))
		scan_check_person_here(locked, scan_list_parts(locked), person);
}
