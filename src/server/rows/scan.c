/*
 * scan.c - finds the tables and columns of a scan, and reads the rows.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type_d.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "partitioning/partdefs.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "server/rows/citus.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/rows/rows_state.h"
#include "server/base/identity.h"
#include "server/remote/part_provider.h"
#include "server/rows/scan.h"
#include "server/rows/scan_parts.h"

/* One table that holds rows. */
typedef struct ScanTable
{
	Relation relation;
	AttrNumber *feature; /* one for each encoder */
	AttrNumber label;
	AttrNumber person;     /* 0 if the shape has none */
	AttrNumber *condition; /* one for each condition of the filter */
	AttrNumber *group;     /* one for each column that rows are grouped by */
	AttrNumber *holdout;   /* one for each column that deals rows */
	AttrNumber last;       /* the largest of them */
} ScanTable;

/*
 * The progress that a job is told: the pages that were read, out of those of the files.  It does
 * not depend on the number of rows, nor on which of them passed the filter.
 */
typedef struct PagesRead
{
	void (*report)(double part); /* NULL if nobody is told */
	double all;                  /* of all tables */
	double done;
	double left;       /* of this table */
	BlockNumber block; /* of the last row */
} PagesRead;

struct Scan
{
	const ScanShape *shape;
	List *locked;  /* OIDs of the relation and its descendants */
	List *parents; /* the number of parents that each of them has among these */
	int tables;
	ScanTable *table;
	ScanParts *parts;      /* rows on other servers; NULL: none */
	const JobContext *job; /* NULL if a statement scans */
	PagesRead pages;
	int64 left_out; /* rows that did not pass the filter, or are on the other side of a holdout */
};

/* ---- which relations are read ---- */

Relation
scan_open_relation(Oid table)
{
	Relation relation = try_relation_open(table, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	return relation;
}

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
 * The rows of a person compete for places where they are, so all of them must be on one server: at
 * each level of partitions the person's column alone decides in which one a row is.
 */
static void
check_person(const Scan *scan, Relation relation)
{
	PartitionKey key = RelationGetPartitionKey(relation);
	const char *person = scan->shape->person->name;

	if (get_partition_natts(key) == 1 && get_partition_col_attnum(key, 0) != 0 &&
		get_partition_col_attnum(key, 0) == get_attnum(RelationGetRelid(relation), person))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
			 errmsg("relation \"%s\" is not partitioned by column \"%s\" alone",
					RelationGetRelationName(relation), person),
			 errdetail("Rows of a person may be on several servers, and how many of them enter is "
					   "decided on each server."),
			 errhint("Partition the table by the column that names the persons.")));
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

static void
unlock_share_mode(Scan *scan)
{
	for (int i = 0; i < scan->tables; i++)
		UnlockRelationOid(RelationGetRelid(scan->table[i].relation), ShareLock);
}

/* Milliseconds: of the first attempt to lock all parts, and of all attempts. */
#define FIRST_LOCK_TIME 250
#define LOCK_TIME 15000

/*
 * A transaction that changes several parts may wait for one that is locked here, while this waits
 * for one that it has changed, and no server sees both.  So all locks are given back after a while,
 * and tried again, which is before the charge and before any row is read.
 */
static void
lock_parts(Scan *scan, Oid relation, bool ignore_rls, List *parts)
{
	int most = LockTimeout > 0 ? Min(LockTimeout, LOCK_TIME) : LOCK_TIME;
	int64 end = gate_clock() + (int64) most * 1000;
	const char *busy = NULL;

	for (int time = FIRST_LOCK_TIME; scan->parts == NULL; time *= 2)
	{
		int64 left = (end - gate_clock()) / 1000;

		if (left <= 0 && busy != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("part \"%s\" is being changed by other transactions", busy),
					 errdetail("Its rows cannot be locked in time."), errhint("Try again.")));
		lock_in_share_mode(scan);
		scan->parts = scan_parts_open(parts, relation, ignore_rls, scan->shape,
									  (int) Max(Min(left, time), 1), &busy);
		if (scan->parts == NULL)
			unlock_share_mode(scan);
	}
}

static void
check_person_of_members(const Scan *scan)
{
	ListCell *cell;

	foreach (cell, scan->locked)
	{
		Oid member = lfirst_oid(cell);
		const PartProvider *provider = part_provider_of(member);
		Relation relation;

		if (provider != NULL)
		{
			if (provider->check_person != NULL)
				provider->check_person(member, scan->shape->person->name);
			continue;
		}
		relation = relation_open(member, NoLock);
		if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
			check_person(scan, relation);
		relation_close(relation, NoLock);
	}
}

/* Rows that have moved to another place before all parts were locked would be missed. */
static void
open_parts(Scan *scan, Oid relation, bool ignore_rls, List *parts)
{
	if (scan->shape->person != NULL)
		check_person_of_members(scan);
	lock_parts(scan, relation, ignore_rls, parts);
	if (!parts_are_same(parts, list_parts(scan)))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("parts of the table have just been moved"), errhint("Try again.")));
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

		table->relation = relation_open(lfirst_oid(cell), NoLock);
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
static void
unlock(const List *locked, const List *parents)
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
	unlock(scan->locked, scan->parents);
}

/*
 * The least bytes of a column in a row that enters.  If a missing value makes a row neutral, the
 * row has a value, and it is stored unless the row is older than the column and the catalog holds
 * the value.  The shortest numeric has a header of one byte and one of two.
 */
static Size
least_width(const ScanTable *table, AttrNumber column, const Encoder *encoder)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table->relation), column - 1);

	if (encoder->null_indicator || encoder->substitute || attribute->atthasmissing)
		return 0;
	if (attribute->attlen > 0)
		return attribute->attlen;
	return getBaseType(attribute->atttypid) == NUMERICOID ? 3 : 1;
}

/*
 * The least bytes of a row: its aligned header, then its values; the label may be one of the
 * features.
 */
static Size
least_row(const ScanTable *table, const ScanShape *shape)
{
	Size width = MAXALIGN(SizeofHeapTupleHeader);
	bool label_counts = shape->label != NULL;

	for (int i = 0; i < shape->features->count; i++)
	{
		width += least_width(table, table->feature[i], &shape->features->encoder[i]);
		label_counts = label_counts && table->feature[i] != table->label;
	}
	if (label_counts)
		width += least_width(table, table->label, shape->label);
	return MAXALIGN(width) + sizeof(ItemIdData);
}

double
scan_most_rows(const Scan *scan)
{
	double rows = scan->parts == NULL ? 0 : scan_parts_most_rows(scan->parts);

	for (int i = 0; i < scan->tables; i++)
	{
		const ScanTable *table = &scan->table[i];
		Size row = least_row(table, scan->shape);

		rows += (double) RelationGetNumberOfBlocks(table->relation) *
				(double) ((BLCKSZ - SizeOfPageHeaderData) / row);
	}
	return rows;
}

/* The least bytes of any row on a page. */
static Size
least_tuple(TupleDesc descriptor)
{
	Size width = SizeofHeapTupleHeader;

	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		/* rows that are older than the column may not have it */
		if (!column->attisdropped && column->attnotnull && column->attlen > 0 &&
			!column->atthasmissing)
			width += column->attlen;
	}
	return MAXALIGN(width) + sizeof(ItemIdData);
}

static double
room_of(Relation table)
{
	int64 rows = (BLCKSZ - SizeOfPageHeaderData) / least_tuple(RelationGetDescr(table));

	return (double) rows * RelationGetNumberOfBlocks(table);
}

static double
estimate_of(Relation table)
{
	BlockNumber pages;
	double tuples;
	double visible;

	estimate_rel_size(table, NULL, &pages, &tuples, &visible);
	return tuples;
}

/* The sum over a table and its partitions; -1 if rows of one of them are on another server. */
static double
sum_over_tables(Oid relation, double (*rows_of)(Relation))
{
	bool is_here = true;
	double rows = 0;
	List *parents;
	List *locked;
	ListCell *cell;

	LockRelationOid(relation, AccessShareLock);
	locked = find_all_inheritors(relation, AccessShareLock, &parents);
	foreach (cell, locked)
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);

		is_here &= part_provider_of(lfirst_oid(cell)) == NULL;
		if (RELKIND_HAS_STORAGE(table->rd_rel->relkind))
			rows += rows_of(table);
		relation_close(table, NoLock);
	}
	unlock(locked, parents);
	return is_here ? rows : -1;
}

int64
scan_room_for_rows(Oid relation)
{
	double rows = sum_over_tables(relation, room_of);

	return rows < 0 ? 0 : (int64) Max(rows, 1);
}

double
scan_planned_rows(Oid relation)
{
	return Max(sum_over_tables(relation, estimate_of), 0);
}

/* Sizes and statistics are public: EXPLAIN shows the same estimate to everybody. */
double
scan_estimated_rows(const Scan *scan)
{
	double rows = scan->parts == NULL ? 0 : scan_parts_planned_rows(scan->parts);

	for (int i = 0; i < scan->tables; i++)
		rows += estimate_of(scan->table[i].relation);
	return rows;
}

int64
scan_left_out(const Scan *scan)
{
	return scan->left_out;
}

/* ---- progress ---- */

static void
begin_pages(Scan *scan)
{
	scan->pages = (PagesRead){.report = scan->job == NULL ? NULL : scan->job->scanned};
	for (int i = 0; i < scan->tables; i++)
		scan->pages.all += RelationGetNumberOfBlocks(scan->table[i].relation);
}

static void
enter_table(PagesRead *pages, const ScanTable *table)
{
	pages->left = RelationGetNumberOfBlocks(table->relation);
	pages->block = InvalidBlockNumber;
}

static void
add_pages(PagesRead *pages, double more)
{
	more = Min(more, pages->left);
	pages->done += more;
	pages->left -= more;
	if (pages->report != NULL && pages->done < pages->all)
		pages->report(pages->done / pages->all);
}

/* A scan may begin where another scan of the table is, and wrap around at its end. */
static void
note_block(PagesRead *pages, const ScanTable *table, BlockNumber block)
{
	if (block == pages->block)
		return;
	if (pages->block == InvalidBlockNumber)
		add_pages(pages, 0);
	else if (block > pages->block)
		add_pages(pages, block - pages->block);
	else
		add_pages(pages,
				  (double) RelationGetNumberOfBlocks(table->relation) - pages->block + block);
	pages->block = block;
}

/* ---- the loop ---- */

/*
 * Each row has every value decoded, whatever the other values are.  Anybody can read in the
 * statistics of a TOAST table how many values were fetched, so a scan that skipped the values after
 * the first condition that fails would let rows be counted.
 */

static bool
passes(const ScanTable *table, const ScanShape *shape, const TupleTableSlot *slot)
{
	const Filter *filter = shape->filter;
	bool all = shape->holdout == NULL || holdout_reads(shape->holdout, table->holdout, slot);

	for (int i = 0; i < filter->count; i++)
	{
		int at = table->condition[i] - 1;

		all &= condition_holds(&filter->condition[i], slot->tts_values[at], slot->tts_isnull[at]);
	}
	return all;
}

static bool
encode(const ScanTable *table, const Encoders *encoders, const TupleTableSlot *slot,
	   double *features)
{
	bool all = true;

	features[0] = 0.0; /* of a request that only counts rows */
	for (int i = 0; i < encoders->count; i++)
	{
		int at = table->feature[i] - 1;

		all &= encoder_apply(&encoders->encoder[i], slot->tts_values[at], slot->tts_isnull[at],
							 features);
		features += encoders->encoder[i].features;
	}
	return all;
}

/* The destination of the rows. */
typedef struct Target
{
	Rows *rows;
	Persons *persons;    /* NULL if the shape has no person */
	Rows *const *groups; /* instead of rows, the rows of each group; NULL without groups */
	int64 left_out;      /* rows that did not pass the filter */
} Target;

/* The number of the row's group, -1 if it has none. */
static int
find_group(const ScanTable *table, const Encoders *columns, const TupleTableSlot *slot)
{
	bool known = true;
	int number = 0;

	for (int i = 0; i < columns->count; i++)
	{
		const Encoder *encoder = &columns->encoder[i];
		int at = table->group[i] - 1;
		int value = encoder_value(encoder, slot->tts_values[at], slot->tts_isnull[at]);

		known &= value >= 0;
		number = number * encoder_values(encoder) + Max(value, 0);
	}
	return known ? number : -1;
}

/* The person of the row; NULL if it has none. */
static const uint8 *
read_person(const ScanTable *table, const ScanShape *shape, const TupleTableSlot *slot,
			uint8 *buffer, uint32 *length)
{
	int at = table->person - 1;

	if (shape->person == NULL || slot->tts_isnull[at])
		return NULL;
	return column_bytes(shape->person, slot->tts_values[at], buffer, length);
}

static Label
read_label(const ScanTable *table, const ScanShape *shape, const TupleTableSlot *slot)
{
	int at = table->label - 1;

	if (shape->label == NULL)
		return LABEL_POSITIVE;
	return encoder_apply_label(shape->label, slot->tts_values[at], slot->tts_isnull[at]);
}

static void
add_to_group(Target *target, int group, const uint8 *person, uint32 length, const double *features,
			 bool positive)
{
	if (target->persons != NULL)
		persons_offer(target->persons, group, person, length, features, positive);
	else
		rows_add(target->groups[group], features, positive);
}

static void
add_row(const ScanTable *table, const ScanShape *shape, const TupleTableSlot *slot, Target *target)
{
	double features[GRID_MAX_DIMENSION];
	uint8 buffer[sizeof(uint64)];
	uint32 length;
	Label label = read_label(table, shape, slot);
	bool passed = passes(table, shape, slot);
	bool encoded = encode(table, shape->features, slot, features);
	const uint8 *person = read_person(table, shape, slot, buffer, &length);
	int group = target->groups == NULL ? -1 : find_group(table, shape->groups, slot);
	bool enters =
		label != LABEL_NEITHER && passed && encoded && (target->persons == NULL || person != NULL);

	target->left_out += passed ? 0 : 1;
	if (target->groups != NULL)
	{
		if (enters && group >= 0)
			add_to_group(target, group, person, length, features, label == LABEL_POSITIVE);
	}
	else if (!enters)
		rows_add_neutral(target->rows, 1);
	else if (target->persons != NULL)
		persons_offer(target->persons, 0, person, length, features, label == LABEL_POSITIVE);
	else
		rows_add(target->rows, features, label == LABEL_POSITIVE);
}

/* What decoding a row allocates (a numeric's digits, a text from TOAST) is freed after the row. */
static void
scan_table(const ScanTable *table, const ScanShape *shape, PagesRead *pages, Target *target)
{
	TupleTableSlot *slot = table_slot_create(table->relation, NULL);
	TableScanDesc scan = table_beginscan(table->relation, GetActiveSnapshot(), 0, NULL);
	MemoryContext row =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;

	enter_table(pages, table);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		GATE_CHECK_FOR_INTERRUPTS();
		note_block(pages, table, ItemPointerGetBlockNumberNoCheck(&slot->tts_tid));
		slot_getsomeattrs(slot, table->last);
		MemoryContextSwitchTo(row);
		add_row(table, shape, slot, target);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	add_pages(pages, pages->left);
	MemoryContextDelete(row);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

static void
scan_tables(Scan *scan, Target *target)
{
	begin_pages(scan);
	for (int i = 0; i < scan->tables; i++)
		scan_table(&scan->table[i], scan->shape, &scan->pages, target);
	if (scan->pages.report != NULL)
		scan->pages.report(1);
}

/* A person's rows may be in several tables and groups; count is 0 without groups. */
static void
scan_persons(Scan *scan, Target *target, int count, const uint8 key[PERSONS_KEY_LENGTH])
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj persons", ALLOCSET_DEFAULT_SIZES);
	int limit = scan->shape->max_rows_per_person;
	ServerMemory memory;

	server_memory_init(&memory, context);
	memory.limit = (Size) dpobj_memory_limit * (1024 * 1024 / 2);
	target->persons =
		count == 0 ? persons_create(limit, key, target->rows, &memory.memory)
				   : persons_create_groups(limit, key, target->groups, count, &memory.memory);
	scan_tables(scan, target);
	persons_finish(target->persons);
	MemoryContextDelete(context);
}

/* Reads the rows that are here. */
static void
scan_here(Scan *scan, Target *target, int count, const uint8 *key)
{
	if (scan->shape->person == NULL)
		scan_tables(scan, target);
	else
		scan_persons(scan, target, count, key);
}

/*
 * The parts read while this server does.  Its own snapshot must be as late as theirs: a row that
 * was moved here from a part before the locks may be invisible to an older one.
 */
static void
scan_everywhere(Scan *scan, Target *target, int count, const uint8 *key)
{
	Rows *const *sets = count == 0 ? &target->rows : target->groups;
	int number = Max(count, 1);

	PG_TRY();
	{
		scan_parts_start(scan->parts, sets[0], number, count > 0, key);
		PushActiveSnapshot(GetLatestSnapshot());
		scan_here(scan, target, count, key);
		PopActiveSnapshot();
		target->left_out += scan_parts_add(scan->parts, sets, number);
	}
	PG_CATCH();
	{
		scan_parts_close(scan->parts); /* now, and not at the tick that the caller waits for */
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* key: NULL to draw one. */
static void
run(Scan *scan, Target *target, int count, const uint8 *key)
{
	uint8 drawn[PERSONS_KEY_LENGTH];

	if (scan->shape->person != NULL && key == NULL)
	{
		if (!pg_strong_random(drawn, sizeof(drawn)))
			ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
							errmsg("could not obtain random bits for the choice of rows")));
		key = drawn;
	}
	if (scan->shape->person == NULL)
		key = NULL;
	if (scan->parts == NULL)
		scan_here(scan, target, count, key);
	else
		scan_everywhere(scan, target, count, key);
	scan->left_out = target->left_out;
}

void
scan_run_with_key(Scan *scan, Rows *rows, const uint8 key[PERSONS_KEY_LENGTH])
{
	Target target = {.rows = rows};

	run(scan, &target, 0, key);
}

void
scan_run(Scan *scan, const JobContext *job, Rows *rows)
{
	Target target = {.rows = rows};

	scan->job = job;
	run(scan, &target, 0, NULL);
}

void
scan_run_groups(Scan *scan, Rows *const *groups, int count)
{
	Target target = {.groups = groups};

	run(scan, &target, count, NULL);
}

int64
scan_run_sets(Scan *scan, Rows *const *sets, int count, bool grouped, const uint8 *key)
{
	Target target = {.rows = grouped ? NULL : sets[0], .groups = grouped ? sets : NULL};

	run(scan, &target, grouped ? count : 0, key);
	return scan->left_out;
}
