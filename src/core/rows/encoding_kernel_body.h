/*
 * encoding_kernel_body.h - the loop of encoding_kernel.c, which includes this file for each set of
 * vector instructions: BITS is the size of a vector, TARGET the attribute that allows the
 * instructions, and NAME() makes a function's name.
 *
 * GCC and clang make vectors of the loop that rounds, but not of comparisons, which are written as
 * vectors of theirs.
 */
#define Reals NAME(Reals)
#define Verdicts NAME(Verdicts)

typedef double Reals __attribute__((vector_size(BITS / 8), aligned(8), may_alias));
typedef int64_t Verdicts __attribute__((vector_size(BITS / 8)));

/*
 * Rounds half away from zero.  The product is by a power of two and exact, and the clip bounds keep
 * the result below 2^27.  NaN fails the first comparison and becomes the lower bound.
 */
TARGET static inline int32_t
NAME(round)(double value, double low, double high)
{
	value = value > low ? value : low;
	value = MUTANT(8) || value < high ? value : high;
	value *= FIXED_POINT_ONE;
	return (int32_t) (value + copysign(0.5, value));
}

/* Rounds so many whole blocks; returns which of their numbers are NaN. */
TARGET static inline Verdicts
NAME(blocks)(const double *restrict features, const double *restrict low,
			 const double *restrict high, int blocks, int32_t *restrict x)
{
	Verdicts nan = {0};

	for (int k = 0; k < blocks * BLOCK; k += BITS / 64)
	{
		Reals some = *(const Reals *) (features + k);

		nan |= some != some;
	}
	for (int k = 0; k < blocks * BLOCK; k++)
		x[k] = NAME(round)(features[k], low[k], high[k]);
	return nan;
}

/* The numbers after the whole blocks are rounded with those before them, as one more block. */
TARGET static bool
NAME(quantise)(const double *features, const double *low, const double *high, int count, int32_t *x)
{
	Verdicts nan = NAME(blocks)(features, low, high, count / BLOCK, x);
	int last = count - BLOCK;
	int64_t any = 0;

	if (count < BLOCK)
		for (int j = 0; j < count; j++)
		{
			any |= features[j] != features[j];
			x[j] = NAME(round)(features[j], low[j], high[j]);
		}
	else if (count % BLOCK != 0)
	{
		Verdicts more = NAME(blocks)(features + last, low + last, high + last, 1, x + last);

		if (!MUTANT(399))
			nan |= more;
	}
	for (int k = 0; k < BITS / 64; k++)
		any |= nan[k];
	return any == 0;
}

static const EncodingKernel NAME(kernel) = {NAME(quantise)};

#undef Reals
#undef Verdicts
#undef BITS
#undef TARGET
#undef NAME
