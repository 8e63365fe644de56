/*
 * accounting.c - costs in rho and in Renyi divergences, and what their sums imply.
 *
 * Formulas in doubles are off by a few units in the last place.  MARGIN is far larger, and every
 * number is also rounded up to a whole unit.
 */
#include "core/accounting/accounting.h"

#include <math.h>
#include <stdbool.h>

#include "core/convex/convex_scale.h"
#include "core/noise/rdp.h"
#include "core/noise/zcdp.h"

#define MARGIN 1e-9

const int accounting_order[ACCOUNTING_ORDERS] = {2,  3,  4,  5,  6,  8,   10,  12,  16,  20,
												 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024};

int
accounting_order_place(int order)
{
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
	{
		if (accounting_order[i] == order)
			return i;
	}
	return -1;
}

/* ---- numbers ---- */

static double
real_epsilon(int64_t epsilon)
{
	return (double) epsilon / EPSILON_ONE;
}

static double
real_delta(int64_t delta)
{
	return (double) delta / (double) DELTA_ONE;
}

static int64_t
units_up(double cost)
{
	double units = ceil(cost * (1 + MARGIN) * (double) COST_ONE);

	/* NaN compares as false and so costs COST_MAX */
	return units < 0x1p62 ? (int64_t) units : COST_MAX;
}

static int64_t
units_down(double cap)
{
	double units = floor(cap * (1 - MARGIN) * (double) COST_ONE);

	return units < 1 ? 0 : units < 0x1p62 ? (int64_t) units : INT64_C(1) << 62;
}

int64_t
accounting_group_delta(int64_t epsilon, int64_t delta, int64_t rows)
{
	/* the sum of a geometric series; its exponent is a product of integers */
	double terms = epsilon == 0 || MUTANT(148)
					   ? (double) rows
					   : expm1(real_epsilon(rows * epsilon)) / expm1(real_epsilon(epsilon));
	double sum = (double) delta * terms;

	if (delta == 0 || rows == 1)
		return delta;
	/* NaN, which infinities can give, compares as false */
	return sum < 0.99 * (double) DELTA_ONE ? (int64_t) ceil(sum * (1 + MARGIN)) + 1 : DELTA_ONE;
}

int64_t
accounting_add(int64_t sum, int64_t times, int64_t value, int64_t limit)
{
	if (times <= 0 || value <= 0)
		return sum;
	return times > (limit - sum) / value ? limit : sum + times * value;
}

/* ---- costs that hold for several kinds of pairs ---- */

/* ln cosh x, less a constant */
static double
log_cosh(double x)
{
	return fabs(x) + log1p(exp(-2 * fabs(x)));
}

/*
 * The divergence of randomised response, which dominates all epsilon-DP mechanisms in both
 * directions:
 *
 *   ln (cosh((alpha - 1/2) epsilon) / cosh(epsilon / 2)) / (alpha - 1),
 *
 * where cosh a - cosh b = 2 sinh((a + b) / 2) sinh((a - b) / 2).
 */
static double
pure_renyi(double alpha, double epsilon)
{
	double gain;

	if (alpha * epsilon > 100)
		return (log_cosh((alpha - 0.5) * epsilon) - log_cosh(epsilon / 2)) / (alpha - 1);
	gain = 2 * sinh(alpha * epsilon / 2) * sinh((alpha - 1) * epsilon / 2) / cosh(epsilon / 2);
	return log1p(gain) / (alpha - 1);
}

/*
 * epsilon-DP is epsilon^2 / 2-zCDP (Bun and Steinke 2016), a loss in an interval of length
 * epsilon is epsilon^2 / 8-zCDP (Cesar and Rogers 2021), and no loss is above epsilon.  In
 * integers: units of 1e-12 are nano-units squared over 1e6.
 */
static int64_t
squared_rho(int64_t epsilon, int divisor)
{
	const int64_t unit = (int64_t) divisor * (EPSILON_ONE / 1000);
	unsigned __int128 square = (unsigned __int128) epsilon * (unsigned __int128) epsilon;
	unsigned __int128 units = (square + (unsigned __int128) unit - 1) / (unsigned __int128) unit;
	int64_t most = epsilon <= COST_MAX / 1000 ? 1000 * epsilon : COST_MAX;

	return units < (unsigned __int128) most ? (int64_t) units : most;
}

/* A loss in an interval of length eta: alpha eta^2 / 8 (Cesar and Rogers 2021), and eta-DP. */
static double
range_renyi(double alpha, double eta)
{
	return fmin(alpha * eta * eta / 8, pure_renyi(alpha, eta));
}

/* ---- cost ---- */

static bool
is_pure(const Pair *pair)
{
	return pair->delta == 0 || MUTANT(136);
}

static int64_t
law_rho(const Pair *pair, int factor, int64_t epsilon)
{
	int64_t pure = squared_rho(epsilon, 2);
	int64_t rho;

	switch (pair->kind)
	{
		case PAIR_RANGE:
			return squared_rho(epsilon, 8);
		case PAIR_GAUSSIAN:
			return units_up(factor * factor * pair->mu * pair->mu / 2);
		case PAIR_CONCENTRATED:
			rho = units_up(factor * factor * pair->rho);
			return is_pure(pair) && pure < rho ? pure : rho;
		default:
			return pure;
	}
}

/* Does rho hold without a delta?  The Renyi divergences may even if rho does not. */
static bool
rho_is_whole(PairKind kind)
{
	return kind == PAIR_PURE || kind == PAIR_RANGE || kind == PAIR_GAUSSIAN ||
		   kind == PAIR_CONCENTRATED;
}

static bool
rdp_is_whole(PairKind kind)
{
	return rho_is_whole(kind) || kind == PAIR_SAMPLED || kind == PAIR_BATCHES ||
		   kind == PAIR_OBJECTIVE;
}

static double
law_renyi(const Pair *pair, double factor, double epsilon, int alpha)
{
	switch (pair->kind)
	{
		case PAIR_RANGE:
			return range_renyi(alpha, epsilon);
		case PAIR_GAUSSIAN:
			return alpha * pow(factor * pair->mu, 2) / 2;
		case PAIR_CONCENTRATED:
			return fmin(alpha * factor * factor * pair->rho,
						is_pure(pair) ? pure_renyi(alpha, epsilon) : INFINITY);
		case PAIR_SAMPLED:
			return (double) pair->count * rdp_poisson(pair->rate, pair->noise, alpha);
		case PAIR_OBJECTIVE:
			return objective_renyi(alpha, factor * pair->mu, pair->ratio) +
				   pure_renyi(alpha, factor * pair->outer);
		default:
			return pure_renyi(alpha, epsilon);
	}
}

/* rdp_replace() holds for all kinds of neighbours, so the claim's adjacency does not matter. */
static void
set_batches(const Pair *pair, LossCost *cost)
{
	double rdp[ACCOUNTING_ORDERS];

	rdp_replace(pair->rate, pair->noise, accounting_order, ACCOUNTING_ORDERS, rdp);
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		cost->rdp[i] = units_up((double) pair->count * rdp[i]);
}

/* The divergences of the law, whose share of the claim is epsilon, in nano-units. */
static void
set_divergences(const Pair *pair, bool replaced, int factor, int64_t epsilon, LossCost *cost)
{
	if (pair->kind == PAIR_BATCHES || (pair->kind == PAIR_SAMPLED && replaced))
	{
		set_batches(pair, cost);
		return;
	}
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		cost->rdp[i] =
			units_up(law_renyi(pair, factor, real_epsilon(epsilon), accounting_order[i]));
}

/* Adds what the pure release costs (theorem X6). */
static void
add_pure(int64_t epsilon, LossCost *cost)
{
	cost->rho = accounting_add(cost->rho, 1, MUTANT(256) ? 0 : squared_rho(epsilon, 2), COST_MAX);
	for (int i = 0; i < ACCOUNTING_ORDERS && !MUTANT(291); i++)
		cost->rdp[i] = accounting_add(
			cost->rdp[i], 1, units_up(pure_renyi(accounting_order[i], real_epsilon(epsilon))),
			COST_MAX);
}

void
accounting_cost(const Pair *pair, LossUnit unit, LossCost *cost)
{
	bool replaced = unit == LOSS_OF_A_REPLACEMENT;
	/* a replacement is two changes: losses double, divergences become four times as large */
	int factor = replaced && !MUTANT(135) ? 2 : 1;
	int64_t own = pair->epsilon - pair->pure;
	int64_t epsilon = factor * own;
	int64_t delta = replaced ? accounting_group_delta(own, pair->delta, 2) : pair->delta;

	cost->rho = law_rho(pair, factor, epsilon);
	cost->rho_delta = rho_is_whole(pair->kind) ? 0 : delta;
	cost->rdp_delta = rdp_is_whole(pair->kind) ? 0 : delta;
	set_divergences(pair, replaced, factor, epsilon, cost);
	add_pure(factor * pair->pure, cost);
}

/* ---- caps ---- */

int64_t
accounting_zcdp_cap(int64_t epsilon, int64_t delta)
{
	return units_down(zcdp_rho(epsilon, delta));
}

/*
 * rdp of order alpha is (epsilon, delta)-DP for (Canonne, Kamath and Steinke 2020)
 *
 *   epsilon = rdp + ln(1 - 1 / alpha) - (ln delta + ln alpha) / (alpha - 1).
 */
static double
conversion(int order, double delta)
{
	return log1p(-1.0 / order) - (log(delta) + log(order)) / (order - 1);
}

int64_t
accounting_rdp_cap(int order, int64_t epsilon, int64_t delta)
{
	if (delta <= 0)
		return 0;
	/* the difference is off by less than 1e-12 of its largest term */
	return units_down(real_epsilon(epsilon) - conversion(order, real_delta(delta)) - 1e-11);
}

int
accounting_default_order(int64_t epsilon, int64_t delta)
{
	int best = accounting_order[ACCOUNTING_ORDERS - 1];
	double most = 0;

	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
	{
		int order = accounting_order[i];
		double mechanisms = (double) accounting_rdp_cap(order, epsilon, delta) / order;

		if (mechanisms > most)
		{
			most = mechanisms;
			best = order;
		}
	}
	return best;
}

/* ---- what sums imply ---- */

/*
 * Rounded up, by less than caps are rounded down, so a full budget is not reported above its limit.
 */
static double
real_cost(int64_t cost)
{
	return (double) cost / (double) COST_ONE * (1 + 1e-14);
}

int64_t
accounting_zcdp_epsilon(int64_t rho, int64_t delta)
{
	return zcdp_epsilon(real_cost(rho), delta);
}

int64_t
accounting_rdp_epsilon(int order, int64_t rdp, int64_t delta)
{
	double epsilon;

	if (rdp == 0)
		return 0;
	epsilon = real_cost(rdp) + conversion(order, real_delta(delta)) + 1e-12;
	if (!(epsilon < 0x1p62 / EPSILON_ONE))
		return INT64_MAX;
	return epsilon > 0 ? (int64_t) ceil(epsilon * EPSILON_ONE) : 0;
}
