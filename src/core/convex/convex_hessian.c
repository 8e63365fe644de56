/*
 * convex_hessian.c - exact sums of words, block by block.
 */
#include "core/convex/convex_hessian.h"

#include <math.h>

#include "core/convex/convex_row.h"
#include "core/grid/grid.h"

/* A row adds at most its bend times 2^40 to an entry. */
#define BLOCK_BENDS ((INT64_C(1) << (63 - 2 * ROW_BITS)) - 1)

/* The units of each kind's bends, and the least bend of the first kind. */
static const int unit_bits[HESSIAN_KINDS] = {18, 28};

#define LEAST_LARGE_BEND (INT64_C(1) << (DROP_BITS - 11))

static size_t
entries(const HessianSums *sums)
{
	return (size_t) sums->dimension * (size_t) sums->dimension;
}

void
hessian_sums_create(HessianSums *sums, int dimension, Memory *memory)
{
	sums->dimension = dimension;
	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
	{
		HessianSum *sum = &sums->kind[kind];

		sum->bends = 0;
		sum->block = memory_allocate_zero(memory, entries(sums), sizeof(int64_t));
		sum->total = memory_allocate_zero(memory, entries(sums), sizeof(Wide));
	}
}

void
hessian_sums_destroy(HessianSums *sums, Memory *memory)
{
	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
	{
		memory_release(memory, sums->kind[kind].block);
		memory_release(memory, sums->kind[kind].total);
	}
}

static void
end_block(HessianSum *sum, int dimension)
{
	for (int j = 0; j < dimension; j++)
		for (int k = 0; k <= j; k++)
		{
			size_t at = (size_t) j * (size_t) dimension + (size_t) k;

			sum->total[at] += sum->block[at];
			sum->block[at] = 0;
		}
	sum->bends = 0;
}

/* Adds a row with so many labels that it does not fit a block. */
static void
add_heavy(HessianSum *sum, const int64_t *row, int dimension, int64_t bend)
{
	for (int j = 0; j < dimension; j++)
		for (int k = 0; k <= j; k++)
			sum->total[(size_t) j * (size_t) dimension + (size_t) k] +=
				(Wide) bend * (row[j] * row[k]);
}

static void
add_bend(HessianSum *sum, const int64_t *row, int dimension, int64_t bend)
{
	if (bend > BLOCK_BENDS)
	{
		add_heavy(sum, row, dimension, bend);
		return;
	}
	if (sum->bends + bend > BLOCK_BENDS)
		end_block(sum, dimension);
	sum->bends += bend;
	for (int j = 0; j < dimension; j++)
	{
		int64_t *entry = sum->block + (size_t) j * (size_t) dimension;
		int64_t factor = bend * row[j];

		if (factor == 0)
			continue;
		for (int k = 0; k <= j; k++)
			entry[k] += factor * row[k];
	}
}

/* The bends of all labels in each kind's units. */
static void
sum_bends(const int64_t labels[2], const int64_t bend[2], int64_t sum[HESSIAN_KINDS])
{
	sum[0] = sum[1] = 0;
	for (int i = 0; i < 2; i++)
	{
		int kind = bend[i] >= LEAST_LARGE_BEND ? 0 : 1;

		sum[kind] += labels[i] * (bend[i] >> (DROP_BITS - unit_bits[kind]));
	}
}

static void
add_row(HessianSum *sum, const int32_t *v, int dimension, int64_t bend)
{
	int64_t row[GRID_MAX_DIMENSION];

	for (int j = 0; j < dimension; j++)
		row[j] = v[j];
	add_bend(sum, row, dimension, bend);
}

void
hessian_sums_add(HessianSums *sums, const int32_t *v, const int64_t labels[2],
				 const int64_t bend[2])
{
	int64_t sum[HESSIAN_KINDS];

	sum_bends(labels, bend, sum);
	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
		if (sum[kind] > 0)
			add_row(&sums->kind[kind], v, sums->dimension, sum[kind]);
}

/* Rows with a bend are added together if they are one of so many. */
#define FEW_BENDS 4

void
hessian_sums_add_block(HessianSums *sums, const ConvexKernel *kernel, const ConvexBlock *block,
					   const int32_t *column, const int64_t (*bend)[2])
{
	int32_t line[HESSIAN_KINDS][KERNEL_LINE] = {{0}};
	int64_t found[HESSIAN_KINDS] = {0};

	for (int64_t i = 0; i < block->rows; i++)
	{
		int64_t labels[2] = {block->positive[i], block->negative[i]};
		int64_t sum[HESSIAN_KINDS];

		sum_bends(labels, bend[i], sum);
		for (int kind = 0; kind < HESSIAN_KINDS; kind++)
			if (sum[kind] >> KERNEL_BEND_BITS > 0)
				add_row(&sums->kind[kind], block->v + i * sums->dimension, sums->dimension,
						sum[kind]);
			else
			{
				line[kind][i] = (int32_t) sum[kind];
				found[kind] += sum[kind] > 0;
			}
	}
	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
		if (found[kind] * FEW_BENDS >= block->rows)
			kernel->bend(column, (int) block->rows, sums->dimension, line[kind],
						 sums->kind[kind].total);
		else
			for (int64_t i = 0; i < block->rows; i++)
				if (line[kind][i] > 0)
					add_row(&sums->kind[kind], block->v + i * sums->dimension, sums->dimension,
							line[kind][i]);
}

void
hessian_sums_merge(HessianSums *sums, HessianSums *others)
{
	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
	{
		end_block(&others->kind[kind], others->dimension);
		for (size_t i = 0; i < entries(sums); i++)
			sums->kind[kind].total[i] += others->kind[kind].total[i];
	}
}

void
hessian_sums_write(HessianSums *sums, Wide *integer)
{
	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
	{
		const Wide *row = sums->kind[kind].total;

		end_block(&sums->kind[kind], sums->dimension);
		for (int j = 0; j < sums->dimension; j++, row += sums->dimension)
			for (int k = 0; k <= j; k++)
				*integer++ = row[k];
	}
}

/* An entry in units of 1, whose integer of each kind is size behind that of the one before. */
static double
entry_of(const Wide *integer, int64_t size)
{
	double entry = 0;

	for (int kind = 0; kind < HESSIAN_KINDS; kind++)
		entry += ldexp((double) integer[kind * size], -(unit_bits[kind] + 2 * ROW_BITS));
	return entry;
}

void
hessian_read(const Wide *integer, int dimension, int64_t lambda, double *hessian)
{
	int64_t size = hessian_sums_size(dimension) / HESSIAN_KINDS;

	for (int j = 0; j < dimension; j++)
		for (int k = 0; k <= j; k++)
		{
			double entry = entry_of(integer++, size);

			if (k == j)
				entry += (double) lambda / (double) LAMBDA_ONE;
			hessian[j * dimension + k] = hessian[k * dimension + j] = entry;
		}
}
