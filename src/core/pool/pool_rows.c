/* pool_rows.c - rounds rows and lays them out in tiles. */
#include "core/pool/pool_rows.h"

#include "core/rows/row_reader.h"

#define LINE 64 /* bytes; vector loads that cross such a border are slow */

_Static_assert(POOL_PART_ROWS % BLOCK_ROWS == 0, "a part has whole blocks");

typedef struct Layout
{
	PoolRows *rows;
	int dimension;
	const int *shift; /* of each column */
	int64_t place;    /* of the next row */
} Layout;

static int64_t
absolute(int64_t net)
{
	return net < 0 ? -net : net;
}

/* How often a row is stored. */
static int64_t
copies_of(int64_t net)
{
	return (absolute(net) + POOL_MAX_NET - 1) / POOL_MAX_NET;
}

static int64_t
stored_rows(RowReader *reader, int64_t start, int64_t end)
{
	int64_t stored = 0;

	for (int64_t first = start; first < end; first += BLOCK_ROWS)
	{
		RowBlock block = row_reader_block(reader, first);

		for (int64_t i = 0; i < block.rows; i++)
			stored += copies_of(block.positive[i] - block.negative[i]);
	}
	return stored;
}

static void *
on_border(void *block)
{
	return (void *) (((uintptr_t) block + LINE - 1) / LINE * LINE);
}

/* To the nearest multiple of 2^shift, upwards where two are as near. */
static int16_t
rounded(int32_t x, int shift)
{
	if (shift <= 0)
		return (int16_t) (x * (INT32_C(1) << -shift));
	return (int16_t) ((x + (INT32_C(1) << (shift - 1))) >> shift);
}

static void
store(Layout *layout, const int32_t *x, int32_t net)
{
	PoolRows *rows = layout->rows;
	int64_t tile = layout->place / POOL_TILE_ROWS;
	int64_t row = layout->place % POOL_TILE_ROWS;

	for (int j = 0; j < layout->dimension; j++)
		rows->x[((tile * rows->pairs + j / 2) * POOL_TILE_ROWS + row) * 2 + j % 2] =
			rounded(x[j], layout->shift[j]);
	rows->net[layout->place++] = net;
}

static void
add_row(Layout *layout, const int32_t *x, int64_t positive, int64_t negative)
{
	int64_t net = positive - negative;
	int64_t left = absolute(net);

	layout->rows->base += positive;
	while (left > 0)
	{
		int64_t part = left < POOL_MAX_NET ? left : POOL_MAX_NET;

		store(layout, x, (int32_t) (net < 0 ? -part : part));
		left -= part;
	}
}

void
pool_rows_create(PoolRows *rows, const Instance *instance, int64_t start, const PoolUnits *units,
				 Memory *memory)
{
	RowReader *reader = row_reader_create(instance, memory);
	int64_t left = instance->rows - start;
	int64_t end = start + (left < POOL_PART_ROWS ? left : POOL_PART_ROWS);
	int64_t stored = stored_rows(reader, start, end);
	Layout layout;

	*rows = (PoolRows){
		.pairs = (instance->dimension + 1) / 2,
		.tiles = (stored + POOL_TILE_ROWS - 1) / POOL_TILE_ROWS,
	};
	rows->x_block = memory_allocate_zero(
		memory, (size_t) (rows->tiles * rows->pairs * POOL_TILE_ROWS * 2) + LINE, sizeof(int16_t));
	rows->net_block = memory_allocate_zero(memory, (size_t) (rows->tiles * POOL_TILE_ROWS) + LINE,
										   sizeof(int32_t));
	rows->x = on_border(rows->x_block);
	rows->net = on_border(rows->net_block);
	layout = (Layout){rows, instance->dimension, units->feature_shift, 0};
	for (int64_t first = start; first < end; first += BLOCK_ROWS)
	{
		RowBlock block = row_reader_block(reader, first);

		for (int64_t i = 0; i < block.rows; i++)
			add_row(&layout, block.x + i * layout.dimension, block.positive[i], block.negative[i]);
		take_pause(memory->pause);
	}
	row_reader_destroy(reader, memory);
}

void
pool_rows_destroy(PoolRows *rows, Memory *memory)
{
	memory_release(memory, rows->x_block);
	memory_release(memory, rows->net_block);
}
