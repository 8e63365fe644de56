/*
 * parallel.c - parallel composition, with every sum rounded down.
 *
 * Within one group a replaced row is one removed and one added, so group privacy for two rows
 * applies to the group's mechanism (theorem N5): (2 epsilon, (1 + e^epsilon) delta).  Because 1 +
 * e^epsilon >= 2, that is at least the cost of a pair of such groups.
 */
#include "core/accounting/parallel.h"

#include <mpfr.h>

#define PRECISION 256

/* e^epsilon - 1; epsilon in nano-units. */
static void
set_expm1(mpfr_t number, int64_t epsilon, mpfr_rnd_t rounding)
{
	mpfr_set_sj(number, epsilon, rounding);
	mpfr_div_ui(number, number, EPSILON_ONE, rounding);
	mpfr_expm1(number, number, rounding);
}

/* 1 + e^epsilon + ... + e^((m - 1) epsilon) = (e^(m epsilon) - 1) / (e^epsilon - 1), not below it.
 */
static void
set_factor(mpfr_t factor, int64_t epsilon, int64_t m)
{
	mpfr_t one;

	if (epsilon == 0)
	{
		mpfr_set_sj(factor, m, MPFR_RNDU);
		return;
	}
	mpfr_init2(one, PRECISION);
	set_expm1(factor, m * epsilon, MPFR_RNDU);
	set_expm1(one, epsilon, MPFR_RNDD);
	mpfr_div(factor, factor, one, MPFR_RNDU);
	mpfr_clear(one);
}

/* The largest number of atto-units that, times that factor, is at most delta. */
static int64_t
divide_delta(int64_t delta, int64_t epsilon, int64_t m)
{
	mpfr_t share;
	mpfr_t factor;
	int64_t units;

	mpfr_inits2(PRECISION, share, factor, (mpfr_ptr) NULL);
	set_factor(factor, epsilon, m);
	mpfr_set_sj(share, delta, MPFR_RNDD);
	mpfr_div(share, share, factor, MPFR_RNDD);
	units = mpfr_get_sj(share, MPFR_RNDD);
	mpfr_clears(share, factor, (mpfr_ptr) NULL);
	return units;
}

/*
 * epsilon_g = epsilon / m, rounded down, and delta_g the largest with
 *
 *   (1 + e^epsilon_g + ... + e^((m - 1) epsilon_g)) delta_g <= delta
 *
 * which is (1 + e^epsilon_g) delta_g for one row under replace.  Rows that go, j_A of them from A,
 * j_B from B, ..., cost the sum of what j_A cost in A, j_B in B, ...: no more than m in one of
 * them, because the factor of delta is convex in m.
 */
int64_t
parallel_rows(Adjacency adjacency, int64_t rows)
{
	return adjacency == ADJACENCY_REPLACE ? 2 * rows : rows;
}

ParallelCost
parallel_share(Adjacency adjacency, ParallelCost call, int rows)
{
	int64_t m = MUTANT(160) ? rows : parallel_rows(adjacency, rows);
	ParallelCost share = call;

	if (m == 1)
		return share;
	share.epsilon = call.epsilon / m;
	share.delta = MUTANT(161) ? call.delta / m : divide_delta(call.delta, share.epsilon, m);
	return share;
}
