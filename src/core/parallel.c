/*
 * parallel.c - parallel composition, with every sum rounded up.
 *
 * Within one group a replaced row is one that goes and one that comes, so that group
 * privacy for two rows applies to the group's mechanism (PRIVACY.md 0, 6):
 *
 *   (epsilon, delta)   (2 epsilon, (1 + e^epsilon) delta)
 *   rho                4 rho
 *   epsilon(alpha)     (alpha - 1/2) / (alpha - 1) epsilon(2 alpha) + epsilon(2 alpha - 1),
 *                      the weak triangle inequality (Mironov 2017, proposition 11, p = q = 2)
 *
 * and it is never less than a pair of groups that cost as much: 1 + e^epsilon >= 2.
 */
#include "core/parallel.h"

#include <mpfr.h>

#define PRECISION 256

/* ---- (epsilon, delta) ---- */

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

/* The most atto-units of which that factor times as many are delta at most. */
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

/* (1 + e^epsilon) delta in atto-units, rounded up; 1 is as much as there is. */
static int64_t
multiply_delta(int64_t delta, int64_t epsilon)
{
	mpfr_t product;
	int64_t units = DELTA_ONE;

	mpfr_init2(product, PRECISION);
	set_factor(product, epsilon, 2);
	mpfr_mul_si(product, product, delta, MPFR_RNDU);
	if (mpfr_cmp_si(product, DELTA_ONE) < 0)
		units = mpfr_get_sj(product, MPFR_RNDU);
	mpfr_clear(product);
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

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static ParallelCost
worst_of(ParallelCost a, ParallelCost b)
{
	return (ParallelCost){larger(a.epsilon, b.epsilon), larger(a.delta, b.delta)};
}

static ParallelCost
cost_of_pair(ParallelCost a, ParallelCost b)
{
	int64_t delta = a.delta + b.delta; /* at most 2e18: it fits */

	return (ParallelCost){a.epsilon + b.epsilon, delta < DELTA_ONE ? delta : DELTA_ONE};
}

static ParallelCost
cost_of_replacement(ParallelCost group)
{
	return (ParallelCost){2 * group.epsilon, multiply_delta(group.delta, group.epsilon)};
}

ParallelCost
parallel_cost(Adjacency adjacency, const ParallelCost *group, int groups)
{
	ParallelCost worst = {0, 0};

	for (int a = 0; a < groups; a++)
	{
		worst = worst_of(worst, group[a]);
		if (adjacency == ADJACENCY_ADD_REMOVE)
			continue;
		for (int b = 0; b < a; b++)
			worst = worst_of(worst, cost_of_pair(group[a], group[b]));
		worst = worst_of(worst, cost_of_replacement(group[a]));
	}
	return worst;
}

/* ---- numbers ---- */

/* a + b, not below it: what was rounded off is computed exactly (Knuth). */
static double
add_up(double a, double b)
{
	double sum = a + b;
	double part = sum - a;
	double error = (a - (sum - part)) + (b - part);

	return error > 0 ? nextafter(sum, INFINITY) : sum;
}

double
parallel_rho(Adjacency adjacency, const double *rho, int groups)
{
	double worst = 0;

	for (int a = 0; a < groups; a++)
	{
		worst = fmax(worst, rho[a]);
		if (adjacency == ADJACENCY_ADD_REMOVE)
			continue;
		for (int b = 0; b < a; b++)
			worst = fmax(worst, add_up(rho[a], rho[b]));
		worst = fmax(worst, MUTANT(162) ? 2 * rho[a] : 4 * rho[a]);
	}
	return worst;
}

/* Quotient and product are each rounded once, and then up by more than that. */
static double
rdp_of_replacement(double alpha, const ParallelRdp *group)
{
	double share = nextafter((alpha - 0.5) / (alpha - 1), INFINITY);

	share = nextafter(nextafter(share, INFINITY), INFINITY);
	return add_up(nextafter(share * group->twice, INFINITY), group->twice_less_one);
}

double
parallel_rdp(Adjacency adjacency, double alpha, const ParallelRdp *group, int groups)
{
	double worst = 0;

	for (int a = 0; a < groups; a++)
	{
		worst = fmax(worst, group[a].alpha);
		if (adjacency == ADJACENCY_ADD_REMOVE)
			continue;
		for (int b = 0; b < a; b++)
			worst = fmax(worst, add_up(group[a].alpha, group[b].alpha));
		worst = fmax(worst, rdp_of_replacement(alpha, &group[a]));
	}
	return worst;
}
