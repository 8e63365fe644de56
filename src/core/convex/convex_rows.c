/*
 * convex_rows.c - rows in blocks: read, clipped and handed to several threads.
 */
#include "core/convex/convex_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/crew.h"
#include "core/base/mutant.h"

/* ---- blocks ---- */

/* The work space of one thread. */
struct ConvexReader
{
	ConvexRows *rows;
	ConvexVisit visit;
	void *context;
	RowReader *source;
	int32_t *v;
	int32_t value[COLUMNS_MAX]; /* of a row with levels, unpacked */
	int32_t *place;             /* NULL without levels */
	int32_t target[BLOCK_ROWS];
	int64_t positive[BLOCK_ROWS];
	int64_t negative[BLOCK_ROWS];
};

/*
 * The number at each place of a row: an index becomes a 1 at the place of its level, and 0, for
 * none of them, a 0 at the place of the first (theorem V19).
 */
static void
unpack_row(const ConvexRows *rows, const int32_t *x, int32_t *value, int32_t *place)
{
	int first = 0;

	for (int j = 0; j < rows->dimension; j++)
	{
		int levels = rows->levels[j];
		int index = x[j] >> FIXED_POINT_BITS;
		bool none = levels == 0 || index == 0;

		if (levels > 0 && (index < 0 || index > levels))
			abort(); /* encoding_apply() lets none pass */
		value[j] = levels == 0 || MUTANT(268) ? x[j] : none ? 0 : FIXED_POINT_ONE;
		place[j] = first + (none || MUTANT(267) ? 0 : index - 1);
		first += levels > 0 ? levels : 1;
	}
}

/* The features of a row, whose place in the block is given, unpacked if they have levels. */
static const int32_t *
features_of(ConvexReader *reader, const int32_t *x, int64_t row)
{
	const ConvexRows *rows = reader->rows;
	const int32_t *features = x + (rows->targets ? 1 : 0);

	if (rows->levels == NULL)
		return features;
	unpack_row(rows, features, reader->value, reader->place + row * rows->dimension);
	return reader->value;
}

/* Returns the target; 0 if there is none.  A residual is scaled with its row, a class is not. */
static int32_t
clip_row(const ConvexRows *rows, const int32_t *x, const int32_t *features, int32_t *v)
{
	int dimension = rows->dimension;
	double share = 1;

	if (rows->columns != NULL)
		convex_clip_numbers(features, rows->columns->group, rows->columns->bound, dimension,
							rows->radius, rows->number_length, v);
	else
		share = convex_clip_row(features, dimension, rows->radius, v);
	if (rows->peak < CONVEX_NO_PEAK && !MUTANT(115))
		for (int j = 0; j < dimension; j++)
			v[j] = v[j] < -rows->peak ? -rows->peak : v[j] > rows->peak ? rows->peak : v[j];
	return rows->targets ? (int32_t) (x[0] * (rows->classes || MUTANT(251) ? 1 : share)) : 0;
}

/*
 * Is a row among those of a thin pass?  Equal rows all are or all are not, so that what is visited
 * is a function of the multiset of rows.
 */
static bool
is_visited(const ConvexRows *rows, const int32_t *x)
{
	const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t factor = golden;
	uint64_t sum = 0;

	if (rows->thin == 1)
		return true;
	for (int j = 0; j < rows->instance->dimension; j++, factor *= UINT64_C(0xD1342543DE82EF95))
		sum += (uint64_t) (int64_t) x[j] * factor;
	sum = (sum ^ sum >> 32) * golden;
	return (sum >> 32) % (uint64_t) rows->thin == 0;
}

/* Reads and clips the next block; rows without a label in the batch are dropped first. */
static ConvexBlock
read_block(ConvexReader *reader, int64_t first)
{
	const ConvexRows *rows = reader->rows;
	int columns = rows->instance->dimension;
	RowBlock block = row_reader_block(reader->source, first);
	int64_t kept = 0;

	if (rows->batch != NULL)
	{
		batch_choose(rows->batch, &block, reader->positive, reader->negative);
		block.positive = reader->positive;
		block.negative = reader->negative;
	}
	for (int64_t i = 0; i < block.rows; i++)
	{
		const int32_t *x = block.x + i * columns;

		if (block.positive[i] + block.negative[i] == 0 || !is_visited(rows, x))
			continue;
		reader->target[kept] =
			clip_row(rows, x, features_of(reader, x, kept), reader->v + kept * rows->dimension);
		reader->positive[kept] = block.positive[i];
		reader->negative[kept++] = block.negative[i];
	}
	return (ConvexBlock){.rows = kept,
						 .v = reader->v,
						 .place = reader->place,
						 .target = rows->targets ? reader->target : NULL,
						 .positive = reader->positive,
						 .negative = reader->negative};
}

/* Each thread takes the next block when it is free. */
static void
visit_blocks(void *context)
{
	ConvexReader *reader = context;
	ConvexRows *rows = reader->rows;
	int64_t first;

	while ((first = atomic_fetch_add(&rows->next, BLOCK_ROWS)) < rows->instance->rows)
	{
		ConvexBlock block = read_block(reader, first);

		if (MUTANT(112) && rows->threads > 1 && first + BLOCK_ROWS > rows->instance->rows)
			return;
		reader->visit(reader->context, &block);
		if (rows->threads == 1)
			take_pause(rows->pause);
	}
}

void
convex_rows_visit(ConvexRows *rows, ConvexVisit visit, void *const *context)
{
	void *reader[CREW_MAX_THREADS];

	atomic_store(&rows->next, 0);
	if (rows->batch != NULL)
		batch_begin(rows->batch, rows->labels);
	for (int k = 0; k < rows->threads; k++)
	{
		rows->reader[k]->visit = visit;
		rows->reader[k]->context = context[k];
		reader[k] = rows->reader[k];
	}
	crew_run(rows->batch == NULL ? rows->threads : 1, visit_blocks, reader);
}

/* ---- creation ---- */

void
convex_rows_make(const Instance *instance, double radius, int threads, Memory *memory,
				 ConvexRows *rows)
{
	int64_t blocks = (instance->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;

	memset(rows, 0, sizeof(*rows));
	rows->instance = instance;
	rows->dimension = instance->dimension;
	rows->weights = instance->dimension;
	rows->radius = radius;
	rows->peak = CONVEX_NO_PEAK;
	rows->thin = 1;
	rows->pause = memory->pause;
	rows->threads = threads < CREW_MAX_THREADS ? threads : CREW_MAX_THREADS;
	if (rows->threads > blocks)
		rows->threads = blocks > 0 ? (int) blocks : 1;
	for (int k = 0; k < rows->threads; k++)
	{
		ConvexReader *reader = memory_allocate_zero(memory, 1, sizeof(ConvexReader));

		reader->rows = rows;
		reader->source = row_reader_create(instance, memory);
		reader->v = memory_allocate(memory, BLOCK_ROWS, (size_t) rows->dimension * sizeof(int32_t));
		rows->reader[k] = reader;
	}
	rows->labels = row_reader_labels(instance, memory);
	rows->count = (double) rows->labels * (1 + 1e-9);
}

void
convex_rows_set_targets(ConvexRows *rows)
{
	rows->targets = true;
	rows->dimension = rows->instance->dimension - 1;
	rows->weights = rows->dimension;
}

void
convex_rows_set_classes(ConvexRows *rows)
{
	convex_rows_set_targets(rows);
	rows->classes = true;
}

void
convex_rows_set_levels(ConvexRows *rows, const int16_t *levels, Memory *memory)
{
	rows->levels = levels;
	rows->weights = levels_weights(levels, rows->dimension);
	for (int k = 0; k < rows->threads; k++)
		rows->reader[k]->place =
			memory_allocate(memory, BLOCK_ROWS, (size_t) rows->dimension * sizeof(int32_t));
}

void
convex_rows_release(ConvexRows *rows, Memory *memory)
{
	for (int k = 0; k < rows->threads; k++)
	{
		row_reader_destroy(rows->reader[k]->source, memory);
		memory_release(memory, rows->reader[k]->v);
		if (rows->reader[k]->place != NULL)
			memory_release(memory, rows->reader[k]->place);
		memory_release(memory, rows->reader[k]);
	}
}
