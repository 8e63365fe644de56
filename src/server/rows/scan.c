/*
 * scan.c - finds the tables, columns and parts of a scan, and locks them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_partitioned_table.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "server/base/acting.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/base/identity.h"
#include "server/ledger/charge_citus.h"
#include "server/remote/part_provider.h"
#include "server/rows/scan_state.h"

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

/* is_part: for another server, which knows that it is a shard if it is one. */
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

static void
check_relation(Relation relation, bool ignore_rls, bool is_part)
{
	const char *hint;
	const char *rule = rule_of(relation, ignore_rls, is_part, &hint);

	if (rule != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("relation \"%s\" cannot be trained on", RelationGetRelationName(relation)),
				 errdetail("%s", rule), hint == NULL ? 0 : errhint("%s", hint)));
}

void
scan_check_relation(Relation relation, bool ignore_rls)
{
	check_relation(relation, ignore_rls, false);
}

/* ---- opening ---- */

/* Finds a declared column in a table: children have it, too, perhaps at another place. */
static AttrNumber
map_column(ScanTable *table, const Column *column)
{
	Form_pg_attribute attribute = column_attribute(RelationGetDescr(table->relation), column->name);

	if (attribute == NULL || getBaseType(attribute->atttypid) != column->type)
		elog(ERROR, "relation \"%s\" has no such column \"%s\"",
			 RelationGetRelationName(table->relation), column->name);
	table->last = Max(table->last, attribute->attnum);
	return attribute->attnum;
}

static void
map_columns(ScanTable *table, const ScanShape *shape)
{
	table->feature = palloc(Max(shape->features->count, 1) * sizeof(AttrNumber));
	for (int i = 0; i < shape->features->count; i++)
		table->feature[i] = map_column(table, &shape->features->encoder[i].column);
	if (shape->label != NULL)
		table->label = map_column(table, &shape->label->column);
	if (shape->person != NULL)
		table->person = map_column(table, shape->person);
	table->condition = palloc(Max(shape->filter->count, 1) * sizeof(AttrNumber));
	for (int i = 0; i < shape->filter->count; i++)
		table->condition[i] = map_column(table, &shape->filter->condition[i].column);
	if (shape->groups != NULL)
	{
		table->group = palloc(shape->groups->count * sizeof(AttrNumber));
		for (int i = 0; i < shape->groups->count; i++)
			table->group[i] = map_column(table, &shape->groups->encoder[i].column);
	}
	if (shape->holdout != NULL)
	{
		table->holdout = palloc(shape->holdout->count * sizeof(AttrNumber));
		for (int i = 0; i < shape->holdout->count; i++)
			table->holdout[i] = map_column(table, &shape->holdout->column[i]);
	}
}

/* ---- rows on other servers ---- */

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
member_of_other_key(const Scan *scan, const char *column)
{
	ListCell *cell;

	foreach (cell, scan->locked)
		if (!is_spread_by(lfirst_oid(cell), column))
			return lfirst_oid(cell);
	return InvalidOid;
}

/* The tables that have rows here, by the catalogs. */
static int
count_tables(const Scan *scan)
{
	int tables = 0;
	ListCell *cell;

	foreach (cell, scan->locked)
		if (part_provider_of(lfirst_oid(cell)) == NULL &&
			get_rel_relkind(lfirst_oid(cell)) != RELKIND_PARTITIONED_TABLE)
			tables++;
	return tables;
}

/*
 * The rows of a person compete for places where they are, so all of them must be in one part: there
 * is one alone, or at each level the person's column alone decides where a row is.
 */
static void
check_person(const Scan *scan, const List *parts, const char *person)
{
	Oid member = member_of_other_key(scan, person);

	if (!OidIsValid(member) || (list_length(parts) == 1 && count_tables(scan) == 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("relation \"%s\" is not partitioned or distributed by column \"%s\" alone",
					get_rel_name(member), person),
			 errdetail("Rows of a person may be in several parts, and how many of them enter is "
					   "decided in each part."),
			 errhint("Partition or distribute the table by the column that names the persons.")));
}

/* What is here must not change between the locks of all parts and the first read. */
static void
lock_in_share_mode(Scan *scan)
{
	for (int i = 0; i < scan->tables; i++)
		LockRelationOid(RelationGetRelid(scan->table[i].relation), ShareLock);
}

/* The parts of all members, by the catalogs as they are now. */
static List *
list_parts(const Scan *scan)
{
	List *parts = NIL;
	ListCell *cell;

	foreach (cell, scan->locked)
	{
		const PartProvider *provider = part_provider_of(lfirst_oid(cell));

		if (provider != NULL)
			parts = list_concat(parts, provider->parts(lfirst_oid(cell)));
	}
	return parts;
}

List *
scan_list_parts(Oid relation)
{
	Scan scan = {.locked = find_all_inheritors(relation, AccessShareLock, NULL)};

	return list_parts(&scan);
}

void
scan_reach_parts(Oid relation)
{
	Scan scan = {0};
	List *parts;

	LockRelationOid(relation, AccessShareLock);
	scan.locked = find_all_inheritors(relation, AccessShareLock, &scan.parents);
	parts = list_parts(&scan);
	if (parts != NIL)
		scan_parts_reach(parts);
	scan_unlock(scan.locked, scan.parents);
}

void
scan_check_person(Oid relation, const char *person)
{
	Scan scan = {.locked = find_all_inheritors(relation, AccessShareLock, NULL)};

	if (scan_is_elsewhere(relation) && OidIsValid(member_of_other_key(&scan, person)))
		check_person(&scan, list_parts(&scan), person);
}

static void
unlock_share_mode(Scan *scan)
{
	for (int i = 0; i < scan->tables; i++)
		UnlockRelationOid(RelationGetRelid(scan->table[i].relation), ShareLock);
}

/* Ends an attempt to lock all parts, and the locks that it has. */
static void
give_way(Scan *scan)
{
	if (scan->parts != NULL)
		scan_parts_close(scan->parts);
	scan->parts = NULL;
	unlock_share_mode(scan);
}

/* busy: a part that did not get its lock; NULL: parts have moved. */
static void
fail_to_lock(const char *busy)
{
	if (busy == NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("parts of the table have just been moved"), errhint("Try again.")));
	ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					errmsg("part \"%s\" is being changed by other transactions", busy),
					errdetail("Its rows cannot be locked in time."), errhint("Try again.")));
}

/* A part waits for a transaction of this session there, which nobody will end meanwhile. */
static void
check_own_changes(const Scan *scan)
{
	ListCell *cell;

	foreach (cell, scan->locked)
	{
		Relation relation;
		bool is_changed;

		if (part_provider_of(lfirst_oid(cell)) == NULL)
			continue;
		relation = acting_open(lfirst_oid(cell), NoLock);
		is_changed = CheckRelationLockedByMe(relation, RowExclusiveLock, true);
		relation_close(relation, NoLock);
		if (is_changed)
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("table \"%s\" cannot be read in the transaction that changes it",
								   get_rel_name(lfirst_oid(cell))),
							errdetail("Its rows are on other servers, which wait for this "
									  "transaction before they are read."),
							errhint("Commit first.")));
	}
}

/* Milliseconds: of the first attempt to lock all parts, and of all attempts. */
#define FIRST_LOCK_TIME 250
#define LOCK_TIME 15000

/*
 * A transaction that changes several parts may wait for one that is locked here, while this waits
 * for one that it has changed, and no server sees both.  So all locks are given back after a while,
 * and tried again, which is before the charge and before any row is read.  The same is done if rows
 * have moved to another place before all parts were locked: there they would be missed.
 */
static void
lock_parts(Scan *scan, Oid relation, bool ignore_rls, List *parts)
{
	int most = LockTimeout > 0 ? Min(LockTimeout, LOCK_TIME) : LOCK_TIME;
	int64 end = gate_clock() + (int64) most * 1000;

	for (int time = FIRST_LOCK_TIME;; time = Min(2 * time, LOCK_TIME))
	{
		int64 left = (end - gate_clock()) / 1000;
		const char *busy = NULL;
		List *before = parts;

		if (scan->shape->person != NULL)
			check_person(scan, before, scan->shape->person->name);
		lock_in_share_mode(scan);
		scan->parts = scan_parts_open(before, relation, ignore_rls, scan->shape,
									  (int) Max(Min(left, time), 1), &busy);
		parts = list_parts(scan);
		if (scan->parts != NULL && parts_are_same(before, parts))
			return;
		give_way(scan);
		if (busy != NULL)
			check_own_changes(scan);
		if (gate_clock() >= end)
			fail_to_lock(busy);
	}
}

static void
open_parts(Scan *scan, Oid relation, bool ignore_rls, List *parts)
{
	lock_parts(scan, relation, ignore_rls, parts);
	scan_parts_check(scan->parts);
}

int
scan_places_here(const Scan *scan)
{
	return scan->tables;
}

int
scan_places(const Scan *scan)
{
	return scan->tables + (scan->parts == NULL ? 0 : scan_parts_count(scan->parts));
}

ScanParts *
scan_parts_of(const Scan *scan)
{
	return scan->parts;
}

ScanParts *
scan_detach_parts(Scan *scan)
{
	ScanParts *parts = scan->parts;

	if (parts != NULL)
		unlock_share_mode(scan);
	scan->parts = NULL;
	return parts;
}

static void
close_parts(Scan *scan)
{
	ScanParts *parts = scan_detach_parts(scan);

	if (parts != NULL)
		scan_parts_close(parts);
}

/* ---- opening and closing ---- */

/* find_all_inheritors() lists each descendant once, even with several parents. */
static Scan *
open_scan(Oid relation, bool ignore_rls, bool is_part, const ScanShape *shape)
{
	Scan *scan = palloc0(sizeof(Scan));
	List *parts;
	ListCell *cell;

	scan->shape = shape;
	LockRelationOid(relation, AccessShareLock);
	scan->locked = find_all_inheritors(relation, AccessShareLock, &scan->parents);
	scan->table = palloc0(list_length(scan->locked) * sizeof(ScanTable));
	foreach (cell, scan->locked)
	{
		ScanTable *table = &scan->table[scan->tables];

		table->relation = acting_open(lfirst_oid(cell), NoLock);
		check_relation(table->relation, ignore_rls, is_part);
		if (part_provider_of(lfirst_oid(cell)) != NULL ||
			table->relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		{
			relation_close(table->relation, NoLock);
			continue;
		}
		map_columns(table, shape);
		scan->tables++;
	}
	parts = list_parts(scan);
	if (parts != NIL)
		open_parts(scan, relation, ignore_rls, parts);
	else if (part_provider_of(relation) != NULL)
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("relation \"%s\" cannot be read by itself", get_rel_name(relation)),
						errhint("Name the topmost table.")));
	return scan;
}

Scan *
scan_open(Oid relation, bool ignore_rls, const ScanShape *shape)
{
	return open_scan(relation, ignore_rls, false, shape);
}

Scan *
scan_open_part(Oid relation, bool ignore_rls, const ScanShape *shape)
{
	return open_scan(relation, ignore_rls, true, shape);
}

/* find_all_inheritors() locked a descendant once for each of its parents. */
void
scan_unlock(const List *locked, const List *parents)
{
	for (int i = 0; i < list_length(locked); i++)
		for (int j = 0; j < Max(list_nth_int(parents, i), 1); j++)
			UnlockRelationOid(list_nth_oid(locked, i), AccessShareLock);
}

void
scan_close(Scan *scan)
{
	close_parts(scan);
	for (int i = 0; i < scan->tables; i++)
		relation_close(scan->table[i].relation, NoLock);
	scan_unlock(scan->locked, scan->parents);
}
