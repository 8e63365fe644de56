/*
 * test_pool_losses.c - losses of candidates by every kernel that runs here, against the definition:
 * all shapes of rows, columns and pools, and the largest numbers.
 */
#include "core/pool/pool_losses.h"

#include "core/pool/pool_problem.h"

static int16_t *
random_weights(int64_t candidates, int dimension, int32_t most)
{
	int64_t stride = pool_stride(dimension);
	int16_t *weight =
		memory_allocate_zero(memory, (size_t) (pool_room(candidates) * stride), sizeof(int16_t));

	for (int64_t m = 0; m < candidates; m++)
		for (int j = 0; j < dimension; j++)
			weight[m * stride + j] =
				(int16_t) (below(3) == 0 ? (below(2) ? most : -most) : below(2 * most + 1) - most);
	return weight;
}

/* Every kernel, and threads. */
static void
check_losses(const PoolData *data, const PoolUnits *units, const int16_t *weight, int candidates)
{
	int64_t *loss = memory_allocate(memory, (size_t) pool_room(candidates), sizeof(int64_t));
	int64_t *truth = memory_allocate(memory, (size_t) candidates, sizeof(int64_t));
	PoolKernel kernel[POOL_MAX_KERNELS];
	int kernels = pool_kernels(kernel);
	PoolRows rows;

	for (int m = 0; m < candidates; m++)
		truth[m] =
			pool_loss(&data->instance, units, weight + m * pool_stride(data->instance.dimension));
	pool_rows_create(&rows, &data->instance, 0, units, memory);
	for (int k = 0; k < kernels; k++)
	{
		memset(loss, 0, (size_t) candidates * sizeof(int64_t));
		pool_losses(&rows, weight, candidates, kernel[k], 1 + below(3), memory, loss);
		CHECK(memcmp(loss, truth, (size_t) candidates * sizeof(int64_t)) == 0);
	}
	pool_rows_destroy(&rows, memory);
	memory_release(memory, loss);
	memory_release(memory, truth);
}

static PoolShape
plain_shape(int dimension, int32_t peak)
{
	return (PoolShape){.dimension = dimension, .peak = peak};
}

static void
check_random(int rows, int dimension, int candidates)
{
	static const int32_t peaks[] = {1, 1000, FIXED_POINT_ONE, 5 * FIXED_POINT_ONE / 2,
									1024 * FIXED_POINT_ONE};
	PoolShape shape = plain_shape(dimension, peaks[below(5)]);
	PoolUnits units;
	int16_t *weight;
	PoolData data;

	for (int j = 0; j < dimension; j++)
		shape.finer[j] = (int8_t) (below(2) ? below(POOL_FINER_MAX + 1) : 0);
	units = pool_units(&shape);
	weight = random_weights(candidates, dimension, units.weight);
	pool_data_create(&data, rows, dimension);
	pool_data_fill(&data, shape.peak);
	for (int k = 0; k < rows * dimension; k++)
		data.x[k] /= 1 << shape.finer[k % dimension];
	check_losses(&data, &units, weight, candidates);
	pool_data_destroy(&data);
	memory_release(memory, weight);
}

static void
test_shapes(void)
{
	static const int row_counts[] = {0, 1, 15, 16, 63, 64, 65, 127, 129, 1024, 1100};

	reseed(201);
	for (int k = 0; k < 11; k++)
		check_random(row_counts[k], 1 + below(9), 1 + below(14));
	for (int dimension = 1; dimension <= GRID_MAX_DIMENSION; dimension++)
		if (check_share() > 50 || dimension % 16 <= 1)
			check_random(below(150), dimension, 1 + below(14));
	for (int k = 0; k < check_repetitions(60); k++)
		check_random(below(300), 1 + below(40), 1 + below(500));
}

/* Rows with |net| above POOL_MAX_NET, and a chunk full of such. */
static void
test_heavy_rows(void)
{
	int16_t *weight = random_weights(12, 2, 100);
	PoolShape shape = plain_shape(2, FIXED_POINT_ONE);
	PoolUnits units = pool_units(&shape);
	PoolData data;

	reseed(202);
	pool_data_create(&data, 3000, 2);
	pool_data_fill(&data, FIXED_POINT_ONE);
	for (int i = 0; i < 3000; i++)
		*(i % 3 == 0 ? &data.negative[i] : &data.positive[i]) = POOL_MAX_NET - below(2);
	data.positive[0] = INSTANCE_MAX_LABELS >> 4;
	data.negative[1] = 5 * (int64_t) POOL_MAX_NET + 1;
	data.positive[2] = data.negative[2] = 7; /* left out */
	check_losses(&data, &units, weight, 12);
	pool_data_destroy(&data);
	memory_release(memory, weight);
}

typedef struct Store
{
	SpillSource source;
	uint8_t *record;
} Store;

static void
read_store(SpillSource *source, uint64_t offset, size_t bytes, void *records)
{
	memcpy(records, ((Store *) (void *) source)->record + offset, bytes);
}

/* Rows that were spilled have the same tiles. */
static void
test_spilled_rows(void)
{
	PoolShape shape = plain_shape(7, FIXED_POINT_ONE);
	PoolUnits units = pool_units(&shape);
	SpillShape layout = {.dimension = 7};
	size_t size = spill_record_size(&layout);
	Store store = {.source = {read_store}};
	Instance spilled;
	PoolData data;
	PoolRows rows[2];

	reseed(205);
	pool_data_create(&data, 700, 7);
	pool_data_fill(&data, FIXED_POINT_ONE);
	store.record = memory_allocate(memory, 700, size);
	for (int i = 0; i < 700; i++)
		spill_pack(&layout, data.x + i * 7, (RowCount){data.positive[i], data.negative[i]},
				   store.record + (size_t) i * size);
	spilled = (Instance){
		.dimension = 7, .rows = 700, .spilled = true, .shape = layout, .source = &store.source};
	pool_rows_create(&rows[0], &data.instance, 0, &units, memory);
	pool_rows_create(&rows[1], &spilled, 0, &units, memory);
	CHECK(rows[0].base == rows[1].base && rows[0].tiles == rows[1].tiles && rows[0].tiles > 6);
	CHECK(memcmp(rows[0].x, rows[1].x,
				 (size_t) (rows[0].tiles * rows[0].pairs) * POOL_TILE_ROWS * 2 * sizeof(int16_t)) ==
		  0);
	CHECK(memcmp(rows[0].net, rows[1].net,
				 (size_t) rows[0].tiles * POOL_TILE_ROWS * sizeof(int32_t)) == 0);
	for (int k = 0; k < 2; k++)
		pool_rows_destroy(&rows[k], memory);
	memory_release(memory, store.record);
	pool_data_destroy(&data);
}

/*
 * The largest score that the units allow is below 2^31, whatever the number of columns and groups,
 * and the features and weights fit 16 bits.  Rows and candidates that reach it are rated right.
 */
static void
test_largest_scores(void)
{
	reseed(203);
	for (int dimension = 1; dimension <= GRID_MAX_DIMENSION; dimension++)
		for (int groups = 0; groups <= 2 && 3 * groups <= dimension; groups++)
		{
			PoolShape shape = plain_shape(dimension, 1 + below(1024 * FIXED_POINT_ONE));
			PoolUnits units;
			int64_t feature;

			shape.groups = groups;
			shape.group[0] = shape.group[1] = 3;
			units = pool_units(&shape);
			feature = (int64_t) ceil(ldexp(shape.peak, -units.feature_shift[0]));
			CHECK(pool_terms(&shape) == dimension - 2 * groups);
			CHECK(feature <= units.feature && units.feature <= 1 << 14);
			CHECK(units.weight >= (1 << 13) - 1 && units.weight < 1 << 15);
			CHECK(feature * units.weight * pool_terms(&shape) < INT64_C(1) << 31);
		}
	for (int dimension = 1; dimension <= GRID_MAX_DIMENSION; dimension *= 2)
	{
		PoolShape shape = plain_shape(dimension, FIXED_POINT_ONE);
		PoolUnits units = pool_units(&shape);
		int16_t *weight = random_weights(7, dimension, units.weight);
		PoolData data;

		pool_data_create(&data, 70, dimension);
		pool_data_fill(&data, FIXED_POINT_ONE);
		for (int j = 0; j < dimension; j++)
		{
			weight[j] = (int16_t) units.weight;
			data.x[j] = FIXED_POINT_ONE;
			data.x[dimension + j] = -FIXED_POINT_ONE;
		}
		check_losses(&data, &units, weight, 7);
		pool_data_destroy(&data);
		memory_release(memory, weight);
	}
}

/* Numbers that no pool has, up to -2^15: scores are lost, but alike in all kernels. */
static void
test_agreement(void)
{
	enum
	{
		TILES = 3,
		PAIRS = 5
	};
	static const int16_t extremes[] = {INT16_MIN, INT16_MAX, -1, 0};
	int16_t *x = aligned_alloc(64, TILES * PAIRS * POOL_TILE_ROWS * 2 * sizeof(int16_t));
	int32_t *net = aligned_alloc(64, TILES * POOL_TILE_ROWS * sizeof(int32_t));
	PoolRows rows = {.pairs = PAIRS, .tiles = TILES, .x = x, .net = net};
	PoolKernel kernel[POOL_MAX_KERNELS];
	int kernels = pool_kernels(kernel);

	reseed(204);
	for (int round = 0; round < check_repetitions(50); round++)
	{
		int16_t weight[POOL_GROUP * PAIRS * 2];
		int32_t expected[POOL_GROUP] = {0};

		for (int k = 0; k < TILES * PAIRS * POOL_TILE_ROWS * 2; k++)
			x[k] = extremes[below(4)];
		for (int k = 0; k < TILES * POOL_TILE_ROWS; k++)
			net[k] = below(2 * POOL_MAX_NET) - POOL_MAX_NET;
		for (int k = 0; k < POOL_GROUP * PAIRS * 2; k++)
			weight[k] = extremes[below(4)];
		for (int q = 0; q < POOL_GROUP; q++)
			for (int i = 0; i < TILES * POOL_TILE_ROWS; i++)
			{
				const int16_t *row =
					x + i / POOL_TILE_ROWS * PAIRS * POOL_TILE_ROWS * 2 + i % POOL_TILE_ROWS * 2;
				int64_t score = 0;

				for (int j = 0; j < 2 * PAIRS; j++)
					score += weight[q * 2 * PAIRS + j] * row[j / 2 * POOL_TILE_ROWS * 2 + j % 2];
				expected[q] += (int32_t) (uint32_t) (uint64_t) score > 0 ? net[i] : 0;
			}
		for (int k = 0; k < kernels; k++)
		{
			int32_t predicted[POOL_GROUP];

			kernel[k](&rows, 0, TILES, weight, predicted);
			CHECK(memcmp(predicted, expected, sizeof(expected)) == 0);
		}
	}
	free(x);
	free(net);
}

/* The fastest kernel is the last of those that run. */
static void
test_choice(void)
{
	PoolKernel kernel[POOL_MAX_KERNELS];
	int kernels = pool_kernels(kernel);

	CHECK(pool_fastest_kernel() == kernel[kernels - 1]);
}

int
main(void)
{
	test_begin(200);
	test_shapes();
	test_heavy_rows();
	test_spilled_rows();
	test_largest_scores();
	test_agreement();
	test_choice();
	return test_end("pool_losses");
}
