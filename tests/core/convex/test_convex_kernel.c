/*
 * test_convex_kernel.c - every kernel that this machine runs computes what the arithmetic of rows
 * one by one does, bit by bit.
 */
#include "core/convex/convex_kernel.h"

#include <string.h>

#include "core/convex/convex_hessian.h"
#include "core/convex/convex_pull.h"
#include "core/fixture.h"

#define MOST_COLUMNS 40
#define REACH 32

typedef struct Block
{
	int rows;
	int dimension;
	int32_t v[BLOCK_ROWS * MOST_COLUMNS];
	int64_t positive[BLOCK_ROWS];
	int64_t negative[BLOCK_ROWS];
	int32_t column[MOST_COLUMNS * KERNEL_LINE];
} Block;

static uint64_t
random_word(void)
{
	return teststream_below(&stream, UINT64_MAX);
}

/* Rows of the unit ball: dense, sparse, and with one number that is as long as can be. */
static void
random_block(Block *block)
{
	int kind = below(3);
	int most = (1 << ROW_BITS) / 7;

	block->rows = below(4) == 0 ? BLOCK_ROWS : 1 + below(BLOCK_ROWS);
	block->dimension = 1 + below(MOST_COLUMNS);
	for (int i = 0; i < block->rows; i++)
	{
		int32_t *v = block->v + i * block->dimension;

		for (int j = 0; j < block->dimension; j++)
			v[j] = kind == 0 ? below(2 * most + 1) - most : 0;
		if (kind == 1)
			v[below(block->dimension)] = below(2) ? 1 << ROW_BITS : -(1 << ROW_BITS);
		if (kind == 2)
			v[below(block->dimension)] = below(2 * most + 1) - most;
		block->positive[i] = below(5) == 0 ? below(400) : 1;
		block->negative[i] = below(5) == 0 ? below(400) : 0;
	}
	for (int i = 0; i < MOST_COLUMNS * KERNEL_LINE; i++)
		block->column[i] = (int32_t) random_word(); /* is not read, or set */
	convex_columns_fill(block->v, block->rows, block->dimension, block->column);
}

/* |u| < 2^(29 + WEIGHT_BITS), at most so many bits, often at one of the ends. */
static Wide
random_weight(int bits)
{
	Wide most = ((Wide) 1 << bits) - 1;
	Wide u = (Wide) ((UnsignedWide) random_word() << 64 | random_word());

	if (below(8) == 0)
		return below(2) ? most : -most;
	return u % most;
}

static void
test_score(const ConvexKernel *kernel)
{
	Block *block = memory_allocate(memory, 1, sizeof(Block));
	int64_t sum[SCORE_LIMBS * KERNEL_LINE];
	Wide u[MOST_COLUMNS];

	for (int repetition = 0; repetition < check_repetitions(400); repetition++)
	{
		int bits = below(2) ? WEIGHT_BITS + WEIGHT_LIMIT_BITS : WEIGHT_BITS - below(90);
		SplitWeights split;
		int wrong = 0;

		random_block(block);
		for (int j = 0; j < block->dimension; j++)
			u[j] = random_weight(bits);
		split_weights_create(u, block->dimension, memory, &split);
		kernel->score(block->column, block->rows, block->dimension, split.limb, split.limbs, sum);
		for (int i = 0; i < block->rows; i++)
			for (int64_t reach = REACH; reach <= INT64_C(1) << WEIGHT_LIMIT_BITS; reach <<= 25)
				wrong += limbs_score(sum + i, split.limbs, reach) !=
						 row_score(block->v + i * block->dimension, split.high, split.low,
								   block->dimension, reach);
		CHECK(wrong == 0);
		split_weights_destroy(&split, memory);
	}
	memory_release(memory, block);
}

static Wide
random_slope(void)
{
	Wide most = (Wide) 1 << SLOPE_FINE_BITS;

	return below(8) == 0 ? most : random_weight(SLOPE_FINE_BITS);
}

static void
test_pull(const ConvexKernel *kernel)
{
	Block *block = memory_allocate(memory, 1, sizeof(Block));
	int32_t limb[PULL_LIMBS * KERNEL_LINE];
	int64_t by_limbs[PULL_LIMBS * MOST_COLUMNS] = {0};

	memset(limb, 0x55, sizeof(limb));
	for (int repetition = 0; repetition < check_repetitions(400); repetition++)
	{
		GradientSums sums;
		GradientSums expected;

		random_block(block);
		gradient_sums_create(&sums, block->dimension, memory);
		gradient_sums_create(&expected, block->dimension, memory);
		for (int i = 0; i < block->rows; i++)
		{
			int64_t positive = block->positive[i] % 64;
			int64_t negative = block->negative[i] % 64;
			Wide ahead = random_slope();
			Wide behind = random_slope();

			pull_limbs(positive, negative, ahead, behind, limb + i);
			add_pull(block->v + i * block->dimension, positive, negative, ahead, behind,
					 block->dimension, expected.part, expected.rest);
		}
		kernel->pull(block->column, block->rows, block->dimension, limb, by_limbs);
		gradient_sums_add_limbs(&sums, by_limbs, block->dimension);
		CHECK(memcmp(sums.part, expected.part, (size_t) block->dimension * sizeof(Wide)) == 0);
		CHECK(memcmp(sums.rest, expected.rest, (size_t) block->dimension * sizeof(Wide)) == 0);
		gradient_sums_destroy(&sums, memory);
		gradient_sums_destroy(&expected, memory);
	}
	memory_release(memory, block);
}

/* Bends of either kind, of few rows or of many, and of labels that are too many for a kernel. */
static void
test_bend(const ConvexKernel *kernel)
{
	Block *block = memory_allocate(memory, 1, sizeof(Block));
	static int64_t bend[BLOCK_ROWS][2];

	for (int repetition = 0; repetition < check_repetitions(200); repetition++)
	{
		int shift = below(DROP_BITS);
		HessianSums sums;
		HessianSums expected;
		int64_t size;
		Wide *integer[2];

		random_block(block);
		size = hessian_sums_size(block->dimension);
		hessian_sums_create(&sums, block->dimension, memory);
		hessian_sums_create(&expected, block->dimension, memory);
		for (int i = 0; i < block->rows; i++)
		{
			if (below(40) == 0)
				block->positive[i] = INT64_C(1) << below(30);
			for (int label = 0; label < 2; label++)
				bend[i][label] = (int64_t) (random_word() % (UINT64_C(1) << (DROP_BITS - 2))) >>
								 (below(3) == 0 ? shift : 0);
			hessian_sums_add(&expected, block->v + i * block->dimension,
							 (const int64_t[2]){block->positive[i], block->negative[i]}, bend[i]);
		}
		hessian_sums_add_block(&sums, kernel,
							   &(const ConvexBlock){.rows = block->rows,
													.v = block->v,
													.positive = block->positive,
													.negative = block->negative},
							   block->column, (const int64_t(*)[2]) bend);
		for (int k = 0; k < 2; k++)
		{
			integer[k] = memory_allocate(memory, (size_t) size, sizeof(Wide));
			hessian_sums_write(k == 0 ? &sums : &expected, integer[k]);
		}
		CHECK(memcmp(integer[0], integer[1], (size_t) size * sizeof(Wide)) == 0);
		for (int k = 0; k < 2; k++)
			memory_release(memory, integer[k]);
		hessian_sums_destroy(&sums, memory);
		hessian_sums_destroy(&expected, memory);
	}
	memory_release(memory, block);
}

/* Numbers up to the largest clip, and factors whose products are whole or nearly so. */
static void
test_numbers(const ConvexKernel *kernel)
{
	int32_t x[MOST_COLUMNS];
	int32_t v[MOST_COLUMNS];

	for (int repetition = 0; repetition < check_repetitions(2000); repetition++)
	{
		int dimension = 1 + below(MOST_COLUMNS);
		double factor = (below(2) ? 1 : below(1000) / 999.0) / (1 + below(60));
		int64_t squares = 0;
		int64_t scaled = 0;
		int64_t nonzeros = 0;
		int wrong = 0;

		for (int j = 0; j < dimension; j++)
		{
			x[j] = below(3) == 0 ? 0 : below((1 << 27) + 1) - (1 << 26);
			squares += (int64_t) x[j] * x[j];
			nonzeros += x[j] != 0;
		}
		CHECK(kernel->squares(x, dimension) == squares);
		CHECK(kernel->nonzeros(x, dimension) == nonzeros);
		squares = kernel->scale(x, dimension, factor, v);
		for (int j = 0; j < dimension; j++)
		{
			wrong += v[j] != (int32_t) (x[j] * factor);
			scaled += (int64_t) v[j] * v[j];
		}
		CHECK(wrong == 0 && squares == scaled);
	}
}

int
main(void)
{
	const ConvexKernel *kernel[CONVEX_MAX_KERNELS];
	int kernels;

	test_begin(1);
	kernels = convex_kernels(kernel);
	CHECK(kernels >= 1 && convex_fastest_kernel() == kernel[kernels - 1]);
	for (int k = 0; k < kernels; k++)
	{
		reseed(2);
		test_score(kernel[k]);
		test_pull(kernel[k]);
		test_bend(kernel[k]);
		test_numbers(kernel[k]);
	}
	return test_end("convex_kernel");
}
