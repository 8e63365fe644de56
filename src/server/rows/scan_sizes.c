/*
 * scan_sizes.c - how many rows a table can have, and is estimated to have.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type_d.h"
#include "optimizer/plancat.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/remote/part_provider.h"
#include "server/rows/scan_state.h"

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
scan_most_rows_here(const Scan *scan)
{
	double rows = 0;

	for (int i = 0; i < scan->tables; i++)
	{
		const ScanTable *table = &scan->table[i];
		Size row = least_row(table, scan->shape);

		rows += (double) RelationGetNumberOfBlocks(table->relation) *
				(double) ((BLCKSZ - SizeOfPageHeaderData) / row);
	}
	return rows;
}

double
scan_most_rows(const Scan *scan)
{
	double rows = scan->parts == NULL ? 0 : scan_parts_most_rows(scan->parts);

	return rows + scan_most_rows_here(scan);
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

	if (!RELKIND_HAS_STORAGE(table->rd_rel->relkind))
		return 0;
	return (double) rows * RelationGetNumberOfBlocks(table);
}

static double
estimate_of(Relation table)
{
	BlockNumber pages;
	double tuples;
	double visible;

	if (!RELKIND_HAS_STORAGE(table->rd_rel->relkind))
		return 0;
	estimate_rel_size(table, NULL, &pages, &tuples, &visible);
	return tuples;
}

static double
elsewhere(Relation table)
{
	return part_provider_of(RelationGetRelid(table)) != NULL;
}

/* The sum over a table and its descendants. */
static double
sum_over_tables(Oid relation, double (*number_of)(Relation))
{
	double sum = 0;
	List *parents;
	List *locked;
	ListCell *cell;

	LockRelationOid(relation, AccessShareLock);
	locked = find_all_inheritors(relation, AccessShareLock, &parents);
	foreach (cell, locked)
	{
		Relation table = acting_open(lfirst_oid(cell), NoLock);

		sum += number_of(table);
		relation_close(table, NoLock);
	}
	scan_unlock(locked, parents);
	return sum;
}

bool
scan_is_elsewhere(Oid relation)
{
	return sum_over_tables(relation, elsewhere) > 0;
}

int64
scan_room_for_rows(Oid relation)
{
	return (int64) Max(sum_over_tables(relation, room_of), 1);
}

double
scan_planned_rows(Oid relation)
{
	return sum_over_tables(relation, estimate_of);
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
