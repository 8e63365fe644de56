/*
 * test_grid_draw.c - uniform vectors of grids: every rank of small grids, and the law on a large
 * one.
 */
#include "core/grid/grid_draw.h"

#include <math.h>
#include <string.h>

#include "core/instances.h"
#include "core/law.h"
#include "core/script.h"
#include "core/vectors.h"

/* A uniform rank below |W| is each vector once, in the public order. */
static void
check_ranks(const Grid *grid)
{
	int index[GRID_MAX_DIMENSION] = {0};
	int before[GRID_MAX_DIMENSION];
	GridCounts counts;
	uint64_t size;

	grid_counts_create(&counts, grid, memory);
	size = mpz_get_ui(grid_counts_size(&counts));
	CHECK(size == grid_size(grid));
	for (uint64_t rank = 0; rank < size; rank++)
	{
		Script script = {.word = {rank}};
		Bits told = scripted(&script);

		memcpy(before, index, sizeof(before));
		grid_draw(&counts, &told, index);
		CHECK(grid_contains(grid, index));
		CHECK(rank == 0 || grid_compare(grid, before, index) < 0);
	}
	grid_counts_destroy(&counts, memory);
}

/* |W| beyond all words, and a law on the number of non-zeros of which every vector is a part. */
static void
test_large_grid(void)
{
	Grid grid = uniform_grid(GRID_MAX_DIMENSION, 1, GRID_BALL, 3);
	Histogram nonzeros = histogram_create(4);
	GridCounts counts;
	mpz_t size;

	grid_counts_create(&counts, &grid, memory);
	for (int k = 0; k < LAW_DRAWS / 10; k++)
	{
		int index[GRID_MAX_DIMENSION];
		int count = 0;

		grid_draw(&counts, &bits, index);
		for (int j = 0; j < grid.dimension; j++)
			count += index[j] != 1;
		histogram_add(&nonzeros, (uint64_t) count);
	}
	for (int k = 0; k < 4; k++)
		nonzeros.truth[k] = choose(GRID_MAX_DIMENSION, k) * exp2(k);
	CHECK(law_p_value(nonzeros.count, nonzeros.truth, 4) > LAW_THRESHOLD);
	grid_counts_destroy(&counts, memory);

	grid.constraint = GRID_PRODUCT;
	grid.bound = 0;
	grid_counts_create(&counts, &grid, memory);
	mpz_init(size);
	mpz_ui_pow_ui(size, 3, GRID_MAX_DIMENSION);
	CHECK(mpz_cmp(size, grid_counts_size(&counts)) == 0);
	mpz_clear(size);
	grid_counts_destroy(&counts, memory);
	histogram_destroy(&nonzeros);
}

static void
test_grid_draw(void)
{
	for (int round = 0; round < check_repetitions(200); round++)
	{
		Grid grid;

		random_grid(&grid, LEVELS_FAR, 1 + below(4), 1, 3000);
		check_ranks(&grid);
	}
	test_large_grid();
}

int
main(void)
{
	test_begin(61);
	test_grid_draw();
	return test_end("grid_draw");
}
