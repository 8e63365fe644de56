/*
 * convex_kernel_body.h - the loops of convex_kernel.c, which includes this file for each set of
 * vector instructions: TARGET is the attribute that allows them, and NAME() makes a function's name.
 * GCC and clang make vectors of the loops.
 */

TARGET static int64_t
NAME(squares)(const int32_t *x, int dimension)
{
	int64_t sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += (int64_t) x[j] * x[j];
	return sum;
}

TARGET static int64_t
NAME(scale)(const int32_t *x, int dimension, double factor, int32_t *v)
{
	for (int j = 0; j < dimension; j++)
		v[j] = (int32_t) (x[j] * factor);
	return NAME(squares)(v, dimension);
}

TARGET static int64_t
NAME(nonzeros)(const int32_t *v, int64_t count)
{
	int64_t found = 0;

	for (int64_t i = 0; i < count; i++)
		found += v[i] != 0;
	return found;
}

TARGET static void
NAME(score)(const int32_t *column, int rows, int dimension, const int32_t *limb, int limbs,
			int64_t *sum)
{
	for (int k = 0; k < limbs; k++, limb += dimension, sum += KERNEL_LINE)
	{
		for (int i = 0; i < KERNEL_WHOLE(rows); i++)
			sum[i] = 0;
		for (int j = 0; j < dimension; j++)
			for (int i = 0; i < KERNEL_WHOLE(rows); i++)
				sum[i] += (int64_t) limb[j] * column[j * KERNEL_LINE + i];
	}
}

/* Two sums of products with one line. */
TARGET static inline void
NAME(multiply)(const int32_t *line, const int32_t *a, const int32_t *b, int rows, int64_t sum[2])
{
	int64_t sum_a = 0;
	int64_t sum_b = 0;

	for (int i = 0; i < rows; i++)
	{
		sum_a += (int64_t) line[i] * a[i];
		sum_b += (int64_t) line[i] * b[i];
	}
	sum[0] = sum_a;
	sum[1] = sum_b;
}

TARGET static void
NAME(pull)(const int32_t *column, int rows, int dimension, const int32_t *limb, int64_t *sum)
{
	for (int j = 0; j < dimension; j++, column += KERNEL_LINE)
		for (int k = 0; k < PULL_LIMBS; k += 2)
		{
			int64_t two[2];

			NAME(multiply)
			(column, limb + k * KERNEL_LINE, limb + (k + 1) * KERNEL_LINE, KERNEL_WHOLE(rows), two);
			sum[k * dimension + j] += two[0];
			sum[(k + 1) * dimension + j] += two[1];
		}
}

TARGET static void
NAME(bend)(const int32_t *column, int rows, int dimension, const int32_t *bend, Wide *total)
{
	int32_t low[KERNEL_LINE];
	int32_t high[KERNEL_LINE];

	for (int j = 0; j < dimension; j++, total += dimension)
	{
		for (int i = 0; i < KERNEL_WHOLE(rows); i++)
		{
			int64_t product = (int64_t) bend[i] * column[j * KERNEL_LINE + i];

			low[i] = (int32_t) (product & BEND_MASK);
			high[i] = (int32_t) (product >> BEND_LOW_BITS);
		}
		for (int k = 0; k <= j; k++)
		{
			int64_t two[2];

			NAME(multiply)(column + k * KERNEL_LINE, low, high, KERNEL_WHOLE(rows), two);
			total[k] += two[0] + (Wide) two[1] * (1 << BEND_LOW_BITS);
		}
	}
}

static const ConvexKernel NAME(kernel) = {
	NAME(scale), NAME(squares), NAME(nonzeros), NAME(score), NAME(pull), NAME(bend),
};

#undef TARGET
#undef NAME
