/*
 * simplex_moments.c - sums of products of integers.
 *
 * A product is below 2^57 and there are at most 2^50 rows, so 128 bits hold a sum.
 */
#include "core/simplex/simplex_moments.h"

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/rows/row_reader.h"

/* The rows that a pass has not reached yet, and how many of them are still to be chosen. */
typedef struct Choice
{
	Bits *bits;
	int64_t left;
	int64_t wanted;
} Choice;

/* Draws how many of count equal rows enter. */
static int64_t
choose_rows(Choice *choice, int64_t count)
{
	int64_t chosen = 0;

	if (choice->wanted == choice->left)
		chosen = count;
	else if (MUTANT(104))
		chosen = count < choice->wanted ? count : choice->wanted;
	else
		for (int64_t i = 0; i < count; i++)
			if ((int64_t) bits_below(choice->bits, (uint64_t) (choice->left - i)) <
				choice->wanted - chosen)
				chosen++;
	choice->left -= count;
	choice->wanted -= chosen;
	return chosen;
}

static int32_t
clip(int32_t value, int32_t low, int32_t high)
{
	if (MUTANT(105))
		return value;
	return value < low ? low : value > high ? high : value;
}

/* One row, clipped and centred; z[0] is the target. */
static void
centre_row(const int32_t *x, int columns, const SimplexTerms *terms, int64_t *z)
{
	int64_t middle = (int64_t) terms->low + terms->high;

	z[0] = 2 * (int64_t) clip(x[0], terms->target_low, terms->target_high) - middle;
	for (int j = 1; j < columns; j++)
		z[j] = 2 * (int64_t) clip(x[j], terms->low, terms->high) - middle;
}

/* sum[j][k] += count z_j z_k for j <= k; the first row of the sums is b, after its first entry. */
static void
add_products(const int64_t *z, int columns, int64_t count, Wide *sum)
{
	for (int j = 0; j < columns; j++)
	{
		Wide *row = sum + j * columns;

		if (count == 1)
			for (int k = j; k < columns; k++)
				row[k] += z[j] * z[k];
		else
			for (int k = j; k < columns; k++)
				row[k] += (Wide) (z[j] * z[k]) * count;
	}
}

static void
set_moments(const Wide *sum, int columns, SimplexMoments *moments)
{
	for (int j = 1; j < columns; j++)
	{
		mpz_from_wide(moments->b[j - 1], sum[j]);
		for (int k = j; k < columns; k++)
		{
			mpz_ptr entry = moments->a[(j - 1) * moments->dimension + k - 1];

			mpz_from_wide(entry, sum[j * columns + k]);
			mpz_set(moments->a[(k - 1) * moments->dimension + j - 1], entry);
		}
	}
}

static void
add_block(const RowBlock *block, int columns, const SimplexTerms *terms, Choice *choice, Wide *sum)
{
	int64_t z[COLUMNS_MAX];

	for (int64_t i = 0; i < block->rows; i++)
	{
		int64_t count = choose_rows(choice, block->positive[i] + block->negative[i]);

		if (count == 0)
			continue;
		centre_row(block->x + i * columns, columns, terms, z);
		add_products(z, columns, count, sum);
	}
}

void
simplex_moments_make(const Instance *instance, const SimplexTerms *terms, Bits *bits,
					 Memory *memory, SimplexMoments *moments)
{
	int columns = instance->dimension;
	RowReader *reader = row_reader_create(instance, memory);
	int64_t rows = row_reader_labels(instance, memory);
	int64_t wanted = MUTANT(103) || rows < terms->rows ? rows : terms->rows;
	Choice choice = {.bits = bits, .left = rows, .wanted = wanted};
	Wide *sum = memory_allocate_zero(memory, (size_t) columns * (size_t) columns, sizeof(Wide));

	*moments = (SimplexMoments){.dimension = columns - 1, .rows = wanted};
	for (int64_t first = 0; first < instance->rows; first += BLOCK_ROWS)
	{
		RowBlock block = row_reader_block(reader, first);

		add_block(&block, columns, terms, &choice, sum);
	}
	row_reader_destroy(reader, memory);
	moments->a = integers_create((size_t) moments->dimension * (size_t) moments->dimension, memory);
	moments->b = integers_create((size_t) moments->dimension, memory);
	set_moments(sum, columns, moments);
	memory_release(memory, sum);
}

void
simplex_moments_release(SimplexMoments *moments, Memory *memory)
{
	integers_destroy(moments->a, (size_t) moments->dimension * (size_t) moments->dimension, memory);
	integers_destroy(moments->b, (size_t) moments->dimension, memory);
}
