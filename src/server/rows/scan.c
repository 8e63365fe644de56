/*
 * scan.c - finds the tables, columns and parts of a scan, and locks them.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/remote/part_provider.h"
#include "server/rows/scan.h"
#include "server/rows/scan_state.h"
#include "server/rows/scan_tables.h"

/* ---- opening ---- */

/* Finds a declared column in a table: children have it, too, perhaps at another place. */
static AttrNumber
map_column(ScanTable *table, const Column *column)
{
	Form_pg_attribute attribute = column_attribute(RelationGetDescr(table->relation), column->name);

	if (attribute == NULL || getBaseType(attribute->atttypid) != column->stored)
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
	if (shape->level != NULL)
		table->level = map_column(table, shape->level);
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

/* What is here must not change between the locks of all parts and the first read. */
static void
lock_in_share_mode(Scan *scan)
{
	for (int i = 0; i < scan->tables; i++)
		LockRelationOid(RelationGetRelid(scan->table[i].relation), ShareLock);
}

void
scan_reach_parts(Oid relation)
{
	List *parents;
	List *locked;
	List *parts;

	locked = scan_lock(relation, &parents);
	parts = scan_list_parts(locked);
	if (parts != NIL)
		scan_parts_reach(parts);
	scan_unlock(locked, parents);
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
			scan_check_person_here(scan->locked, before, scan->shape->person->name);
		lock_in_share_mode(scan);
		scan->parts = scan_parts_open(before, relation, ignore_rls, scan->shape,
									  (int) Max(Min(left, time), 1), &busy);
		parts = scan_list_parts(scan->locked);
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

static Scan *
open_scan(Oid relation, bool ignore_rls, bool is_part, const ScanShape *shape)
{
	Scan *scan = palloc0(sizeof(Scan));
	List *parts;
	ListCell *cell;

	scan->shape = shape;
	scan->locked = scan_lock(relation, &scan->parents);
	scan->table = palloc0(list_length(scan->locked) * sizeof(ScanTable));
	foreach (cell, scan->locked)
	{
		ScanTable *table = &scan->table[scan->tables];

		table->relation = acting_open(lfirst_oid(cell), NoLock);
		scan_check_relation(table->relation, ignore_rls, is_part);
		if (part_provider_of(lfirst_oid(cell)) != NULL ||
			table->relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		{
			relation_close(table->relation, NoLock);
			continue;
		}
		map_columns(table, shape);
		scan->tables++;
	}
	parts = scan_list_parts(scan->locked);
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

void
scan_close(Scan *scan)
{
	close_parts(scan);
	for (int i = 0; i < scan->tables; i++)
		relation_close(scan->table[i].relation, NoLock);
	scan_unlock(scan->locked, scan->parents);
}
