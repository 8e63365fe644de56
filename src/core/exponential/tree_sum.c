/*
 * tree_sum.c - the dynamic programme over the constraint's automaton, in sums.
 *
 * Every sum is taken relative to its cheapest term, whose cost the noise
 * programme knows as an integer: with h its backward values,
 *
 *   backward[j][s] = sum over choices of exp(-rate (cost + h[j+1][t] - h[j][s]))
 *                    * backward[j+1][t],   t the state after s.
 *
 * All exponents are at least 0 and one is 0.  So no range of losses is too wide
 * for doubles: each term has a factor exp() <= 1 which is replaced by an upper
 * bound of at least 2^-900, each sum is at least 1 and at most the number of
 * vectors, 33^128 < 2^646, and no operation underflows or overflows.
 *
 * Error.  All numbers are positive, so each operation changes a result by at most
 * a factor 1 +- 2^-53 and each table entry is too large by at most 1 + 2^-52.  A
 * sum takes fewer than 128 * (33 + 2 * TREE_DIGITS + 1) + 1026 < 2^13 of these, which
 * together are below 1 +- 2^-39.  Where 2^-900 replaces an exp() < 2^-900, a sum of
 * at least 1 grows by at most 2^646 * 2^-900.  So
 *
 *   true sum * (1 - 2^-39)  <=  computed sum  <=  true sum * (1 + 2^-38).
 */
#include "core/exponential/tree_internal.h"

#include <float.h>

#ifdef __FAST_MATH__
#error "the bounds on rounding need IEEE arithmetic"
#endif
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
			   "doubles are rounded after each operation"); /* 1: floats as doubles, on s390x */

#define LEAST_POWER 0x1p-900
#define LEAST_POWER_EXPONENT 900
#define END_PRECISION 128
#define DIGIT_MASK ((1 << TREE_DIGIT_BITS) - 1)
#define MAX_END (INT64_C(1) << 60)

/* The first k for which exp(-rate k) <= 2^-900 is certain. */
static int64_t
first_negligible(SelectRate rate)
{
	int64_t end = MAX_END;
	Interval bits;

	if (rate.numerator == 0)
		return end;
	/* ceil(900 / (rate / ln 2)), rounded up */
	interval_init(&bits, END_PRECISION);
	select_set_binary_exponent(&bits, rate, 1);
	mpfr_si_div(bits.high, LEAST_POWER_EXPONENT, bits.low, MPFR_RNDU);
	if (mpfr_cmp_si(bits.high, MAX_END) < 0)
		end = mpfr_get_si(bits.high, MPFR_RNDU);
	interval_clear(&bits);
	return end;
}

/* value[d][k] >= exp(-rate k 2^(d TREE_DIGIT_BITS)); digits that no k below end has stay unset. */
void
tree_powers_set(TreePowers *powers, SelectRate rate)
{
	powers->rate = rate;
	powers->end = first_negligible(rate);
	for (int d = 0; d < TREE_DIGITS && powers->end >> (d * TREE_DIGIT_BITS) > 0; d++)
		select_fill_powers(powers->value[d], DIGIT_MASK + 1, rate,
						   INT64_C(1) << (d * TREE_DIGIT_BITS));
}

static inline double
power_of(const TreePowers *powers, int64_t k)
{
	double power;

	if (k >= powers->end)
		return LEAST_POWER;
	power = powers->value[0][k & DIGIT_MASK];
	for (int d = 1; (k >>= TREE_DIGIT_BITS) > 0; d++)
		power *= powers->value[d][k & DIGIT_MASK];
	return power;
}

/* Whether a cost is that of an existing path; the noise programme's true values are below 2^59. */
static inline bool
is_reachable(int64_t cost)
{
	return cost < ORACLE_UNREACHABLE / 2;
}

void
tree_sums_create(TreeSums *sums, const TreePowers *powers, const NoiseProgramme *noise,
				 Memory *memory)
{
	int dimension = noise->grid->dimension;
	size_t entries = (size_t) (dimension + 1) * (size_t) noise->states;

	sums->powers = powers;
	sums->noise = noise;
	sums->forward = memory_allocate_zero(memory, entries, sizeof(double));
	sums->backward = memory_allocate_zero(memory, entries, sizeof(double));
	sums->forward[0] = 1.0;
	for (int s = 0; s < noise->states - 1; s++)
		if (grid_accepts(noise->grid, s))
			sums->backward[(size_t) dimension * (size_t) noise->states + (size_t) s] = 1.0;
}

void
tree_sums_destroy(TreeSums *sums, Memory *memory)
{
	memory_release(memory, sums->forward);
	memory_release(memory, sums->backward);
}

static double *
forward_at(const TreeSums *sums, int j)
{
	return sums->forward + (size_t) j * (size_t) sums->noise->states;
}

static double *
backward_at(const TreeSums *sums, int j)
{
	return sums->backward + (size_t) j * (size_t) sums->noise->states;
}

void
tree_sums_step_backward(TreeSums *sums, const Choices *choices, int j, const int64_t *cost)
{
	const NoiseProgramme *noise = sums->noise;
	const int64_t *least = noise_backward(noise, j);
	const int64_t *least_after = noise_backward(noise, j + 1);
	const double *after = backward_at(sums, j + 1);
	double *before = backward_at(sums, j);

	for (int s = 0; s < noise->states - 1; s++)
		before[s] = 0.0;
	for (int k = 0; k < choices[j].count; k++)
	{
		const int *next = noise_next(noise, j, choices[j].index[k]);
		int64_t step = cost[choices[j].index[k]];

		for (int s = 0; s < noise->states - 1; s++)
		{
			int64_t on = least_after[next[s]];

			if (is_reachable(on))
				before[s] += power_of(sums->powers, step + on - least[s]) * after[next[s]];
		}
	}
}

void
tree_sums_step_forward(TreeSums *sums, const Choices *choices, int j, const int64_t *cost)
{
	const NoiseProgramme *noise = sums->noise;
	const int64_t *least = noise_forward(noise, j);
	const int64_t *least_after = noise_forward(noise, j + 1);
	const double *before = forward_at(sums, j);
	double *after = forward_at(sums, j + 1);

	for (int s = 0; s < noise->states; s++)
		after[s] = 0.0;
	for (int k = 0; k < choices[j].count; k++)
	{
		const int *next = noise_next(noise, j, choices[j].index[k]);
		int64_t step = cost[choices[j].index[k]];

		for (int s = 0; s < noise->states - 1; s++)
			if (is_reachable(least[s]))
				after[next[s]] +=
					power_of(sums->powers, least[s] + step - least_after[next[s]]) * before[s];
	}
}

int64_t
tree_sums_marginal(const TreeSums *sums, const Choices *choices, int j, const int64_t *cost,
				   double *marginal)
{
	const NoiseProgramme *noise = sums->noise;
	const int64_t *least_before = noise_forward(noise, j);
	const int64_t *least_after = noise_backward(noise, j + 1);
	const double *before = forward_at(sums, j);
	const double *after = backward_at(sums, j + 1);
	int64_t cheapest[GRID_MAX_LEVELS];
	int64_t least = 2 * ORACLE_UNREACHABLE;

	noise_min_marginal(noise, choices, j, cost, cheapest);
	for (int k = 0; k < choices[j].count; k++)
		if (cheapest[choices[j].index[k]] < least)
			least = cheapest[choices[j].index[k]];
	for (int k = 0; k < choices[j].count; k++)
	{
		const int *next = noise_next(noise, j, choices[j].index[k]);
		int i = choices[j].index[k];
		double sum = 0.0;

		for (int s = 0; s < noise->states - 1; s++)
		{
			int64_t path = least_before[s] + least_after[next[s]];

			if (is_reachable(least_before[s]) && is_reachable(least_after[next[s]]))
				sum += power_of(sums->powers, path + cost[i] - least) * before[s] * after[next[s]];
		}
		marginal[i] = sum;
	}
	return least;
}
