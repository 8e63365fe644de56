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
	Draw draw;
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
	double features[COLUMNS_MAX];
	uint8 buffer[sizeof(uint64)];
	uint32 length;
	Label label = read_label(table, shape, slot);
	bool passed = passes(table, shape, slot);
	bool encoded = encode(table, shape->features, slot, features);
	const uint8 *person = read_person(table, shape, slot, buffer, &length);
	int group = target->groups == NULL ? -1 : find_group(table, shape->groups, slot);
	bool enters =
		label != LABEL_NEITHER && passed && encoded && (target->persons == NULL || person != NULL);

	if (!draw_row(&target->draw))
		return;
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
		slot_getsomeattrs(slot, table->last);
		MemoryContextSwitchTo(row);
		add_row(table, shape, slot, target);
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
	scan->spill.size = 0; /* a second run of the scan writes over the first one's rows */
	target->persons =
		count == 0
			? persons_create(limit, key, target->rows, &scan->room, &memory.memory)
			: persons_create_groups(limit, key, target->groups, count, &scan->room, &memory.memory);
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
	PG_TRY();
	{
		Rows *const *sets = count == 0 ? &target->rows : target->groups;
		int number = Max(count, 1);

		scan_parts_start(scan->parts, scan->release, sets[0], number, count > 0, key,
						 scan->rows / scan_places(scan));
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
		random_bytes(drawn, sizeof(drawn));
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
scan_set_rows(Scan *scan, int64 rows, bool is_bound)
{
	scan->rows = rows;
	if (is_bound && scan->shape->person == NULL && scan->parts == NULL)
		scan->most_rows = rows;
}

void
scan_run_with_key(Scan *scan, Rows *rows, const uint8 key[PERSONS_KEY_LENGTH])
{
	Target target = {.rows = rows};

	run(scan, &target, 0, key);
}

void
scan_run(Scan *scan, Rows *rows)
{
	Target target = {.rows = rows};

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
