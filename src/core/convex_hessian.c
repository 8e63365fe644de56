/*
 * convex_hessian.c - exact sums of words, block by block.
 */
#include "core/convex_hessian.h"

#include <math.h>
#include <string.h>

#include "core/convex_sample.h"

/* What a row adds to an entry is its bend times 2^40 at most. */
#define BLOCK_BENDS ((INT64_C(1) << (63 - 2 * ROW_BITS)) - 1)

void
hessian_sums_create(HessianSums *sums, int dimension, Memory *memory)
{
	size_t entries = (size_t) dimension * (size_t) dimension;

	sums->dimension = dimension;
	sums->bends = 0;
	sums->block = memory_allocate_zero(memory, entries, sizeof(int64_t));
	sums->total = memory_allocate_zero(memory, entries, sizeof(Wide));
}

void
hessian_sums_destroy(HessianSums *sums, Memory *memory)
{
	memory_release(memory, sums->block);
	memory_release(memory, sums->total);
}

static void
end_block(HessianSums *sums)
{
	size_t dimension = (size_t) sums->dimension;

	for (size_t j = 0; j < dimension; j++)
		for (size_t k = 0; k <= j; k++)
			sums->total[j * dimension + k] += sums->block[j * dimension + k];
	memset(sums->block, 0, dimension * dimension * sizeof(int64_t));
	sums->bends = 0;
}

/* A row that stands for so many that no block holds it. */
static void
add_heavy(HessianSums *sums, const int64_t *row, int64_t bend)
{
	for (int j = 0; j < sums->dimension; j++)
		for (int k = 0; k <= j; k++)
			sums->total[(size_t) j * (size_t) sums->dimension + (size_t) k] +=
				(Wide) bend * (row[j] * row[k]);
}

void
hessian_sums_add(HessianSums *sums, const int32_t *v, int64_t bend)
{
	int dimension = sums->dimension;
	int64_t row[GRID_MAX_DIMENSION];

	for (int j = 0; j < dimension; j++)
		row[j] = v[j];
	if (bend > BLOCK_BENDS)
	{
		add_heavy(sums, row, bend);
		return;
	}
	if (sums->bends + bend > BLOCK_BENDS)
		end_block(sums);
	sums->bends += bend;
	for (int j = 0; j < dimension; j++)
	{
		int64_t *entry = sums->block + (size_t) j * (size_t) dimension;
		int64_t factor = bend * row[j];

		if (row[j] == 0)
			continue;
		for (int k = 0; k <= j; k++)
			entry[k] += factor * row[k];
	}
}

void
hessian_sums_merge(HessianSums *sums, HessianSums *others)
{
	size_t entries = (size_t) sums->dimension * (size_t) sums->dimension;

	end_block(others);
	for (size_t i = 0; i < entries; i++)
		sums->total[i] += others->total[i];
}

void
hessian_sums_read(HessianSums *sums, int64_t lambda, double *hessian)
{
	size_t dimension = (size_t) sums->dimension;

	end_block(sums);
	for (size_t j = 0; j < dimension; j++)
		for (size_t k = 0; k <= j; k++)
		{
			double entry =
				ldexp((double) sums->total[j * dimension + k], -(BEND_BITS + 2 * ROW_BITS));

			if (k == j)
				entry += (double) lambda / (double) LAMBDA_ONE;
			hessian[j * dimension + k] = hessian[k * dimension + j] = entry;
		}
}
