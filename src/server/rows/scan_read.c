/*
 * scan_read.c - reads the rows of a scan.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "server/base/acting.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/base/random_bits.h"
#include "server/base/run_watch.h"
#include "server/rows/next_rows.h"
#include "server/rows/rows_state.h"
#include "server/rows/scan.h"
#include "server/rows/scan_state.h"

/* ---- progress ---- */

static void
begin_pages(Scan *scan)
{
	scan->pages = (PagesRead){.report = run_watch == NULL ? NULL : run_watch->scanned};
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

/* ---- fewer rows than the table has ---- */

/*
 * Which rows are kept if there are more than scan_set_rows() allows: each set of that many rows is
 * equally likely (theorem F10).
 */
typedef struct Draw
{
	int64 left;   /* rows that have not been drawn for */
	int64 wanted; /* of these; all if it is no less */
	Bits bits;
	RandomPool pool;
} Draw;

static void
begin_draw(const Scan *scan, Draw *draw)
{
	draw->left = draw->wanted = 0;
	if (scan->most_rows == 0)
		return;
	for (int i = 0; i < scan->tables; i++)
		draw->left += scan_count_table(scan->table[i].relation, GetActiveSnapshot());
	draw->wanted = scan->most_rows;
	random_pool_init(&draw->pool, &draw->bits);
}

/* Is the next row kept?  It is with probability wanted / left. */
static bool
draw_row(Draw *draw)
{
	bool drawn;

	if (draw->left <= draw->wanted)
		return true;
	drawn = bits_below(&draw->bits, (uint64) draw->left) < (uint64) draw->wanted;
	draw->left--;
	draw->wanted -= drawn;
	return drawn;
}

/* ---- the loop ---- */

/*
 * Each row has every value decoded, whatever the other values are.  Anybody can read in the
 * statistics of a TOAST table how many values were fetched, so a scan that skipped the values after
 * the first condition that fails would let rows be counted.
 */

static bool
passes(const ScanTable *table, const Filter *filter, const TupleTableSlot *slot)
{
	bool all = true;

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
	const ScanSets *sets;
	Levels *levels; /* of scan_run_levels(), which has no sets */
	Draw draw;
	Persons *persons; /* NULL if the shape has no person */
	int64 rows;       /* that were read */
	int64 left_out;   /* of these, on the first side: rows that did not pass the filter */
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
add_to_set(Target *target, int set, const uint8 *person, uint32 length, const double *features,
		   bool positive)
{
	if (target->persons != NULL)
		persons_offer(target->persons, set, person, length, features, positive);
	else
		rows_add(target->sets->rows[set], features, positive);
}

/* With both sides the neutral rows of the first one are counted at the end. */
static void
add_neutral(const Target *target, bool on_side)
{
	const ScanSets *sets = target->sets;

	if (!sets->grouped && !sets->sides)
		rows_add_neutral(sets->rows[0], 1);
	else if (!sets->grouped && !on_side)
		rows_add_neutral(sets->rows[1], 1);
}

static void
add_row(const ScanTable *table, const ScanShape *shape, const TupleTableSlot *slot, Target *target)
{
	const ScanSets *sets = target->sets;
	double features[COLUMNS_MAX];
	uint8 buffer[sizeof(uint64)];
	uint32 length;
	Label label = read_label(table, shape, slot);
	bool passed = passes(table, shape->filter, slot);
	bool on_side = shape->holdout == NULL || holdout_reads(shape->holdout, table->holdout, slot);
	bool encoded = encode(table, shape->features, slot, features);
	const uint8 *person = read_person(table, shape, slot, buffer, &length);
	int group = sets->grouped ? find_group(table, shape->groups, slot) : 0;
	bool is_read = passed && (on_side || sets->sides);
	bool enters =
		is_read && label != LABEL_NEITHER && encoded && (target->persons == NULL || person != NULL);

	if (!draw_row(&target->draw))
		return;
	target->rows++;
	target->left_out += passed && on_side ? 0 : 1;
	if (enters && group >= 0)
		add_to_set(target, on_side ? group : sets->count + group, person, length, features,
				   label == LABEL_POSITIVE);
	else if (!enters && (is_read || !sets->sides))
		add_neutral(target, on_side);
}

static pg_attribute_always_inline void
prefetch_next(const TupleTableSlot *slot)
{
	const HeapTupleTableSlot *heap = (const HeapTupleTableSlot *) slot;

	if (TTS_IS_BUFFERTUPLE(slot) && heap->tuple != NULL)
		next_rows_prefetch(heap->tuple->t_data, heap->tuple->t_len);
}

/* The bytes of a column's value; one of more than LEVEL_MOST_BYTES need not be whole. */
static const char *
read_level(const Column *column, Datum datum, int *length)
{
	ColumnValue value;

	column_read(column, datum, LEVEL_MOST_BYTES, &value);
	if (column->kind != COLUMN_TEXT)
	{
		value.text = column_text(column, &value);
		value.length = strlen(value.text);
	}
	*length = value.length;
	return value.text;
}

static void
add_level(const ScanTable *table, const ScanShape *shape, const TupleTableSlot *slot,
		  Target *target)
{
	uint8 buffer[sizeof(uint64)];
	uint32 length;
	int at = table->level - 1;
	int bytes = LEVEL_MOST_BYTES + 1;
	bool passed = passes(table, shape->filter, slot);
	const uint8 *person = read_person(table, shape, slot, buffer, &length);
	const char *level = NULL;

	if (!slot->tts_isnull[at])
		level = read_level(shape->level, slot->tts_values[at], &bytes);
	if (!passed || bytes > LEVEL_MOST_BYTES)
		return;
	if (target->persons == NULL)
		levels_add(target->levels, (const uint8 *) level, bytes);
	else if (person != NULL)
		persons_offer_value(target->persons, person, length, (const uint8 *) level, bytes);
}

/* What decoding a row allocates (a numeric's digits, a text from TOAST) is freed after the row. */
static void
scan_table(const ScanTable *table, const ScanShape *shape, PagesRead *pages, Target *target)
{
	TupleTableSlot *slot = table_slot_create(table->relation, NULL);
	TableScanDesc scan =
		table_beginscan_strat(table->relation, GetActiveSnapshot(), 0, NULL, true, true);
	MemoryContext row =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;
	Acting before;

	acting_begin_owner(table->relation, &before);
	enter_table(pages, table);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		GATE_CHECK_FOR_INTERRUPTS();
		note_block(pages, table, ItemPointerGetBlockNumberNoCheck(&slot->tts_tid));
		prefetch_next(slot);
		slot_getsomeattrs(slot, table->last);
		MemoryContextSwitchTo(row);
		(target->levels != NULL ? add_level : add_row)(table, shape, slot, target);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	add_pages(pages, pages->left);
	acting_end(&before);
	MemoryContextDelete(row);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

static void
scan_tables(Scan *scan, Target *target)
{
	begin_pages(scan);
	begin_draw(scan, &target->draw);
	for (int i = 0; i < scan->tables; i++)
		scan_table(&scan->table[i], scan->shape, &scan->pages, target);
	random_pool_wipe(&target->draw.pool);
	if (scan->pages.report != NULL)
		scan->pages.report(1);
}

/* A person's rows may be in several tables and sets. */
static void
scan_persons(Scan *scan, Target *target, const uint8 key[PERSONS_KEY_LENGTH])
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj persons", ALLOCSET_DEFAULT_SIZES);
	const ScanSets *sets = target->sets;
	int limit = scan->shape->max_rows_per_person;
	ServerMemory memory;

	server_memory_init(&memory, context);
	memory.limit = (Size) dpobj_memory_limit * (1024 * 1024 / 2);
	scan->spill.size = 0; /* a second run of the scan writes over the first one's rows */
	if (target->levels != NULL)
		target->persons = persons_create_values(limit, key, LEVEL_MOST_BYTES, levels_add,
												target->levels, &scan->room, &memory.memory);
	else if (sets->grouped || sets->sides)
		target->persons = persons_create_groups(limit, key, sets->rows, scan_sets(sets),
												&scan->room, &memory.memory);
	else
		target->persons = persons_create(limit, key, sets->rows[0], &scan->room, &memory.memory);
	if (scan->shape->distinct)
		persons_set_distinct(target->persons);
	scan_tables(scan, target);
	persons_finish(target->persons);
	MemoryContextDelete(context);
}

/* Reads the rows that are here. */
static void
scan_here(Scan *scan, Target *target, const uint8 *key)
{
	Rows *first = target->sets->rows[0];
	bool counts = target->sets->sides && !target->sets->grouped;
	int64 before = counts ? rows_usable(first) + first->neutral : 0;

	if (scan->shape->person == NULL)
		scan_tables(scan, target);
	else
		scan_persons(scan, target, key);
	if (counts)
		rows_add_neutral(first, target->rows - (rows_usable(first) + first->neutral - before));
}

/*
 * The parts read while this server does.  Its own snapshot must be as late as theirs: a row that
 * was moved here from a part before the locks may be invisible to an older one.
 */
static void
scan_everywhere(Scan *scan, Target *target, const uint8 *key)
{
	PG_TRY();
	{
		scan_parts_start(scan->parts, scan->release, target->sets, key,
						 scan->rows / scan_places(scan));
		PushActiveSnapshot(GetLatestSnapshot());
		scan_here(scan, target, key);
		PopActiveSnapshot();
		target->left_out += scan_parts_add(scan->parts, target->sets->rows, target->sets->count);
	}
	PG_CATCH();
	{
		scan_parts_close(scan->parts); /* now, and not at the tick that the caller waits for */
		PG_RE_THROW();
	}
	PG_END_TRY();
}

void
scan_run_sets(Scan *scan, const ScanSets *sets, const uint8 *key)
{
	Target target = {.sets = sets};
	uint8 drawn[PERSONS_KEY_LENGTH];

	if (scan->shape->person != NULL && key == NULL)
	{
		random_bytes(drawn, sizeof(drawn));
		key = drawn;
	}
	if (scan->shape->person == NULL)
		key = NULL;
	if (scan->parts == NULL)
		scan_here(scan, &target, key);
	else
		scan_everywhere(scan, &target, key);
	scan->left_out = target.left_out;
}

void
scan_run_levels(Scan *scan, Levels *levels)
{
	Target target = {.levels = levels};
	uint8 key[PERSONS_KEY_LENGTH];

	random_bytes(key, sizeof(key));
	if (scan->shape->person == NULL)
		scan_tables(scan, &target);
	else
		scan_persons(scan, &target, key);
}

void
scan_set_rows(Scan *scan, int64 rows, bool is_bound)
{
	scan->rows = rows;
	if (is_bound && scan->shape->person == NULL && scan->parts == NULL)
		scan->most_rows = rows;
}

void
scan_run_with_key(Scan *scan, Rows *rows, const uint8 key[PERSONS_KEY_LENGTH])
{
	scan_run_sets(scan, &(ScanSets){.rows = &rows, .count = 1}, key);
}

void
scan_run(Scan *scan, Rows *rows)
{
	scan_run_with_key(scan, rows, NULL);
}

void
scan_run_groups(Scan *scan, Rows *const *groups, int count)
{
	scan_run_sets(scan, &(ScanSets){.rows = groups, .count = count, .grouped = true}, NULL);
}

void
scan_set_release(Scan *scan, int64 release)
{
	scan->release = release;
}

int64
scan_left_out(const Scan *scan)
{
	return scan->left_out;
}
