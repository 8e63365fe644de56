/*
 * test_accounting.c - costs that add up, against definitions by enumeration and quadrature.
 */
#include "core/accounting/accounting.h"
#include "core/accounting/pair.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/noise/rdp.h"
#include "core/noise/zcdp.h"

#include "core/values.h"

static double
real(int64_t cost)
{
	return (double) cost / (double) COST_ONE;
}

/* Above the number, and not by more than a part in 1e8 and two units. */
static bool
just_above(int64_t cost, double number)
{
	/* the quotient of two doubles may be the one below */
	return real(cost) >= number * (1 - 1e-15) &&
		   real(cost) <= number * (1 + 1e-8) + 2.0 / (double) COST_ONE;
}

static Pair
pair_of(PairKind kind, double epsilon, double delta)
{
	return (Pair){.kind = kind, .epsilon = nano(epsilon), .delta = atto(delta), .count = 1};
}

/* ---- Renyi divergences by their definition ---- */

/* ln sum of p^alpha q^(1 - alpha) / (alpha - 1), from logarithms; valgrind has no long doubles */
static double
renyi(const double *p, const double *q, int outcomes, double alpha)
{
	long double most = -INFINITY;
	long double sum = LDBL_MIN; /* not 0: it has a logarithm */

	for (int i = 0; i < outcomes; i++)
		most = fmaxl(most, alpha * logl(p[i]) + (1 - alpha) * logl(q[i]));
	for (int i = 0; i < outcomes; i++)
		sum += expl(alpha * logl(p[i]) + (1 - alpha) * logl(q[i]) - most);
	return (double) ((most + logl(sum)) / (alpha - 1));
}

static void
test_pure(void)
{
	const double epsilons[] = {1e-3, 0.1, 0.7, 1, 2, 5};

	for (int e = 0; e < 6; e++)
	{
		double epsilon = epsilons[e];
		double high = exp(epsilon) / (1 + exp(epsilon));
		double p[2] = {high, 1 - high};
		double q[2] = {1 - high, high};
		Pair pair = pair_of(PAIR_PURE, epsilon, 0);
		LossCost cost;
		LossCost twice;

		accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
		CHECK(just_above(cost.rho, fmin(epsilon * epsilon / 2, epsilon)));
		CHECK(cost.rho_delta == 0 && cost.rdp_delta == 0);
		for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		{
			if (accounting_order[i] * epsilon < 5000)
				CHECK(fabs(real(cost.rdp[i]) - renyi(p, q, 2, accounting_order[i])) <
					  1e-7 * real(cost.rdp[i]) + 1e-11);
			CHECK(real(cost.rdp[i]) >=
				  renyi(p, q, 2, accounting_order[i]) * (1 - 1e-9) - 1e-15 * accounting_order[i]);
			CHECK(i == 0 || cost.rdp[i] >= cost.rdp[i - 1]);
			/* rho bounds it at every order */
			CHECK(real(cost.rdp[i]) <= accounting_order[i] * real(cost.rho) * (1 + 1e-8));
		}
		/* what a row that goes and one that comes do is twice epsilon */
		accounting_cost(&pair, LOSS_OF_A_REPLACEMENT, &twice);
		pair = pair_of(PAIR_PURE, 2 * epsilon, 0);
		accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
		CHECK(twice.rho == cost.rho && twice.rdp[5] == cost.rdp[5] && twice.rho_delta == 0);
	}
}

/* Where a loss takes its two ends, the bound of bounded range is above for every place of them. */
static void
test_range(void)
{
	for (double eta = 0.05; eta < 6; eta *= 1.5)
	{
		Pair pair = pair_of(PAIR_RANGE, eta, 0);
		LossCost cost;

		accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
		CHECK(just_above(cost.rho, pow((double) pair.epsilon / EPSILON_ONE, 2) / 8));
		for (double low = -eta * 0.999; low < 0; low += eta / 50)
		{
			/* losses low and low + eta: p0 = q0 e^low, p1 = q1 e^(low + eta) */
			double q0 = (exp(low + eta) - 1) / (exp(low + eta) - exp(low));
			double q[2] = {q0, 1 - q0};
			double p[2] = {q0 * exp(low), (1 - q0) * exp(low + eta)};

			if (q0 <= 0 || q0 >= 1)
				continue;
			for (int i = 0; i < 10; i++)
				CHECK(renyi(p, q, 2, accounting_order[i]) <= real(cost.rdp[i]));
		}
	}
}

/* In integers, and rounded up to the next. */
static void
test_exact(void)
{
	Pair pair = pair_of(PAIR_RANGE, 0.1, 0);
	LossCost cost;

	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(cost.rho == COST_ONE / 800);
	pair.epsilon += 1;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(cost.rho == COST_ONE / 800 + 26); /* 25.0000001 */
	pair = pair_of(PAIR_PURE, 1, 0);
	accounting_cost(&pair, LOSS_OF_A_REPLACEMENT, &cost);
	CHECK(cost.rho == 2 * COST_ONE);
	pair.epsilon = nano(10000);
	accounting_cost(&pair, LOSS_OF_A_REPLACEMENT, &cost);
	CHECK(cost.rho == 20000 * COST_ONE);
}

/* The integral of p^alpha q^(1 - alpha) for N(mu, 1) and N(0, 1). */
static void
test_gaussian(void)
{
	for (double mu = 0.01; mu < 2; mu *= 3)
	{
		Pair pair = pair_of(PAIR_GAUSSIAN, 1, 1e-6);
		LossCost cost;

		pair.mu = mu;
		accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
		CHECK(just_above(cost.rho, mu * mu / 2));
		CHECK(cost.rho_delta == 0 && cost.rdp_delta == 0);
		for (int i = 0; i < 6; i++)
		{
			double alpha = accounting_order[i];
			long double sum = LDBL_MIN; /* not 0: it has a logarithm */

			for (double x = -12; x < 12 + alpha * mu; x += 1e-3)
				sum += expl(-alpha * (x - mu) * (x - mu) / 2 - (1 - alpha) * x * x / 2) * 1e-3L;
			CHECK(fabs(real(cost.rdp[i]) - (double) (logl(sum / sqrtl(2 * M_PI)) / (alpha - 1))) <
				  1e-6);
		}
		accounting_cost(&pair, LOSS_OF_A_REPLACEMENT, &cost);
		CHECK(just_above(cost.rho, 2 * mu * mu)); /* four times: theorem N5 */
	}
}

/* What is not zCDP keeps its delta outside, and what is does not become pure by having none there.
 */
static void
test_deltas(void)
{
	Pair pair = pair_of(PAIR_APPROXIMATE, 0.5, 1e-6);
	LossCost cost;

	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(just_above(cost.rho, 0.125) && cost.rho_delta == atto(1e-6) &&
		  cost.rdp_delta == atto(1e-6));
	accounting_cost(&pair, LOSS_OF_A_REPLACEMENT, &cost);
	CHECK(just_above(cost.rho, 0.5));
	CHECK(fabs((double) cost.rho_delta - 1e12 * (1 + exp(0.5))) < 1e4);
	CHECK((double) cost.rho_delta >= 1e12 * (1 + exp(0.5)));

	pair = pair_of(PAIR_CONCENTRATED, 0.1, 1e-6);
	pair.rho = 2;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(just_above(cost.rho, 2) && cost.rho_delta == 0 && just_above(cost.rdp[3], 10));
	pair.delta = 0; /* a claim of pure privacy is one */
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(just_above(cost.rho, 0.005));

	CHECK(accounting_group_delta(nano(1), 0, 2) == 0);
	CHECK(accounting_group_delta(nano(100), 1, 2) == DELTA_ONE);
	CHECK(accounting_group_delta(nano(0.1), atto(0.6), 2) == DELTA_ONE);
}

/* ---- groups ---- */

#define WINDOW 40
#define OUTCOMES 256

/* Discrete Laplace noise around a place, cut off WINDOW steps from it. */
static void
truncated_geometric(double epsilon, int place, double p[OUTCOMES])
{
	double mass = 0;

	for (int i = 0; i < OUTCOMES; i++)
	{
		int distance = abs(i - OUTCOMES / 2 - place);

		p[i] = distance <= WINDOW ? exp(-epsilon * distance) : 0;
		mass += p[i];
	}
	for (int i = 0; i < OUTCOMES; i++)
		p[i] /= mass;
}

static double
hockey_stick(const double *p, const double *q, double epsilon)
{
	double sum = 0;

	for (int i = 0; i < OUTCOMES; i++)
		sum += fmax(p[i] - exp(epsilon) * q[i] * (1 + 1e-12), 0);
	return sum;
}

/* One row moves this law by one step, and its (epsilon, delta) is exact there; rows by as many. */
static void
test_group_of_claims(void)
{
	for (double epsilon = 0.05; epsilon < 1; epsilon *= 1.7)
		for (int rows = 1; rows <= 30; rows += rows < 5 ? 1 : 12)
		{
			double p[OUTCOMES];
			double q[OUTCOMES];
			double delta;
			Pair pair = pair_of(PAIR_APPROXIMATE, epsilon, 0);
			Pair group;

			epsilon = (double) pair.epsilon / EPSILON_ONE;
			truncated_geometric(epsilon, 0, q);
			truncated_geometric(epsilon, 1, p);
			pair.delta = (int64_t) ceil(hockey_stick(p, q, epsilon) * (double) DELTA_ONE);
			group = pair_of_group(&pair, rows);
			truncated_geometric(epsilon, rows, p);
			delta = hockey_stick(p, q, rows * epsilon);
			CHECK(group.kind == PAIR_APPROXIMATE && group.epsilon == rows * pair.epsilon);
			CHECK((double) group.delta >= delta * (1 - 1e-7) * (double) DELTA_ONE);
			CHECK(group.delta == DELTA_ONE ||
				  (double) group.delta <= delta * (1 + 1e-6) * (double) DELTA_ONE + 100 * rows);
		}
	CHECK(accounting_group_delta(0, 5, 7) >= 35 && accounting_group_delta(0, 5, 7) <= 37);
	CHECK(accounting_group_delta(nano(10000), 1, 100000) == DELTA_ONE);
	CHECK(accounting_group_delta(nano(10000), 0, 100000) == 0);
	/* as many rows go as come: a group of groups */
	CHECK(
		llabs(accounting_group_delta(nano(0.9), accounting_group_delta(nano(0.3), 1000000, 3), 2) -
			  accounting_group_delta(nano(0.3), 1000000, 6)) <= 10);
}

/* Divergences of laws that rows steps are between, where one step is what the pair says. */
static void
test_group_of_laws(void)
{
	for (int rows = 1; rows <= 12; rows += 3)
		for (double epsilon = 0.02; epsilon < 0.5; epsilon *= 2)
		{
			double p[OUTCOMES];
			double q[OUTCOMES];
			Pair pair = pair_of(PAIR_PURE, epsilon, 0);
			Pair group = pair_of_group(&pair, rows);
			LossCost cost;

			CHECK(group.kind == PAIR_PURE && group.epsilon == rows * pair.epsilon);
			accounting_cost(&group, LOSS_AS_CLAIMED, &cost);
			/* where nearly nothing is cut off */
			truncated_geometric(epsilon, 0, q);
			truncated_geometric(epsilon, rows, p);
			for (int i = 0; i < 6 && epsilon > 0.3; i++)
			{
				double divergence =
					renyi(p + OUTCOMES / 2 - WINDOW + rows, q + OUTCOMES / 2 - WINDOW + rows,
						  2 * WINDOW - rows, accounting_order[i]);

				CHECK(divergence <= real(cost.rdp[i]) && divergence > real(cost.rdp[i]) / 20);
				CHECK(divergence <= accounting_order[i] * real(cost.rho));
			}
			/* the exponential mechanism of two outcomes: each row lengthens the range */
			pair.kind = PAIR_RANGE;
			group = pair_of_group(&pair, rows);
			accounting_cost(&group, LOSS_AS_CLAIMED, &cost);
			for (double low = 0; low <= 1; low += 0.25)
			{
				double from = low * rows * epsilon;
				double to = from - rows * epsilon;
				double one[2] = {1 / (1 + exp(from)), 1 / (1 + exp(-from))};
				double two[2] = {1 / (1 + exp(to)), 1 / (1 + exp(-to))};

				for (int i = 0; i < 6; i++)
					CHECK(renyi(one, two, 2, accounting_order[i]) <= real(cost.rdp[i]));
			}
		}
}

/* Of the other kinds, by theorem N4: mu rows times, rho rows^2 times, else the claim's. */
static void
test_group_of_kinds(void)
{
	Pair pair = pair_of(PAIR_GAUSSIAN, 0.5, 1e-6);
	Pair group;
	LossCost cost;

	pair.mu = 0.1;
	group = pair_of_group(&pair, 3);
	accounting_cost(&group, LOSS_AS_CLAIMED, &cost);
	CHECK(just_above(cost.rho, 0.045) && cost.rho_delta == 0 && group.epsilon == nano(1.5));
	CHECK((double) group.delta >= 1e12 * (1 + exp(0.5) + exp(1)));
	pair = pair_of(PAIR_CONCENTRATED, 0.5, 1e-6);
	pair.rho = 0.01;
	group = pair_of_group(&pair, 5);
	accounting_cost(&group, LOSS_AS_CLAIMED, &cost);
	CHECK(just_above(cost.rho, 0.25) && cost.rdp_delta == 0);
	for (PairKind kind = PAIR_SAMPLED; kind <= PAIR_OBJECTIVE; kind++)
	{
		pair = pair_of(kind, 0.25, 1e-6);
		pair.count = 10;
		pair.rate = pair.mu = pair.ratio = 0.5;
		pair.noise = 1;
		group = pair_of_group(&pair, 2);
		accounting_cost(&group, LOSS_AS_CLAIMED, &cost);
		CHECK(group.kind == PAIR_APPROXIMATE && just_above(cost.rho, 0.125));
		CHECK(cost.rho_delta == accounting_group_delta(nano(0.25), atto(1e-6), 2) &&
			  cost.rdp_delta == cost.rho_delta);
		group = pair_of_group(&pair, 1);
		CHECK(group.kind == kind && group.delta == pair.delta && group.epsilon == pair.epsilon);
	}
	/* the largest release and the largest group, replaced as well */
	pair = pair_of(PAIR_RANGE, 10000, 0);
	group = pair_of_group(&pair, PAIR_GROUP_MAX);
	accounting_cost(&group, LOSS_OF_A_REPLACEMENT, &cost);
	CHECK(group.epsilon == 10000 * EPSILON_ONE * PAIR_GROUP_MAX && cost.rho > COST_MAX / 2);
}

/* The law of a coin that shows the truth with probability 1 / (1 + e^-epsilon), on both sides. */
static void
shown(double epsilon, double truth[2], double lie[2])
{
	truth[0] = lie[1] = 1 / (1 + exp(-epsilon));
	truth[1] = lie[0] = 1 / (1 + exp(epsilon));
}

/* Of both units, a release and a pure one after it cost what they cost apart. */
static void
check_sum(const Pair *pair, double part)
{
	Pair after = pair_of(PAIR_PURE, part, 0);
	Pair both = pair_with_pure(pair, nano(part));

	for (LossUnit unit = LOSS_AS_CLAIMED; unit <= LOSS_OF_A_REPLACEMENT; unit++)
	{
		LossCost one;
		LossCost other;
		LossCost sum;

		accounting_cost(pair, unit, &one);
		accounting_cost(&after, unit, &other);
		accounting_cost(&both, unit, &sum);
		CHECK(sum.rho == one.rho + other.rho && sum.rho_delta == one.rho_delta);
		CHECK(sum.rdp_delta == one.rdp_delta);
		for (int i = 0; i < ACCOUNTING_ORDERS; i++)
			CHECK(sum.rdp[i] == accounting_add(one.rdp[i], 1, other.rdp[i], COST_MAX));
	}
}

/*
 * A release and a pure one after it (theorem X6): claims add up to the nano-unit, and the
 * divergences of both coins together are at most what the pair says.
 */
static void
test_with_pure(void)
{
	for (double epsilon = 0.05; epsilon < 4; epsilon *= 1.9)
		for (double part = 0.01; part < 2; part *= 2.3)
		{
			Pair pair = pair_of(PAIR_PURE, epsilon, 0);
			Pair both = pair_with_pure(&pair, nano(part));
			double one[2][2];
			double two[2][2];
			double p[4];
			double q[4];
			LossCost cost;

			CHECK(both.epsilon == pair.epsilon + nano(part) && both.pure == nano(part));
			pair.kind = PAIR_RANGE;
			both = pair_with_pure(&pair, nano(part));
			accounting_cost(&both, LOSS_AS_CLAIMED, &cost);
			CHECK(just_above(cost.rho,
							 fmin(epsilon * epsilon / 8, epsilon) + fmin(part * part / 2, part)));
			shown(epsilon / 2, one[0], one[1]); /* an interval of length epsilon */
			shown(part, two[0], two[1]);
			for (int k = 0; k < 4; k++)
			{
				p[k] = one[0][k / 2] * two[0][k % 2];
				q[k] = one[1][k / 2] * two[1][k % 2];
			}
			for (int i = 0; i < 6; i++)
				CHECK(renyi(p, q, 4, accounting_order[i]) <= real(cost.rdp[i]) * (1 + 1e-9));
		}
	for (PairKind kind = PAIR_NONE; kind < PAIR_KINDS; kind++)
	{
		Pair pair = pair_of(kind, 0.5, 1e-6);
		Pair both;

		pair.count = 3;
		pair.mu = pair.rate = pair.ratio = pair.outer = 0.1;
		pair.noise = 1;
		pair.rho = 0.02;
		both = pair_with_pure(&pair, nano(0.2));
		CHECK(both.kind == kind && both.epsilon == nano(0.5) + nano(0.2));
		CHECK(both.delta == atto(1e-6) && pair_of_group(&both, 3).pure == 3 * nano(0.2));
		check_sum(&pair, 0.2);
	}
}

static void
test_batches(void)
{
	Pair pair = pair_of(PAIR_SAMPLED, 2, 1e-5);
	LossCost cost;
	LossCost replaced;

	pair.count = 1000;
	pair.rate = 0.01;
	pair.noise = 1;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(cost.rdp_delta == 0 && cost.rho_delta == atto(1e-5) && just_above(cost.rho, 2));
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		CHECK(cost.rdp[i] >= INT64_C(1) << 61 ||
			  just_above(cost.rdp[i], 1000 * rdp_poisson(0.01, 1, accounting_order[i])));
	accounting_cost(&pair, LOSS_OF_A_REPLACEMENT, &replaced);
	pair.kind = PAIR_BATCHES;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		CHECK(cost.rdp[i] == replaced.rdp[i]);
}

/* Theorem V7: order 8, mu .2, beta .25, lambda 1 */
static void
test_objective(void)
{
	Pair pair = pair_of(PAIR_OBJECTIVE, 1, 1e-6);
	LossCost cost;

	pair.mu = 0.2;
	pair.ratio = 0.25;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(fabs(real(cost.rdp[accounting_order_place(8)]) - 0.47013538) < 5e-9);
	pair.outer = 0.5;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	CHECK(real(cost.rdp[accounting_order_place(8)]) > 0.47013538 + 0.3);
	CHECK(cost.rho_delta == atto(1e-6) && cost.rdp_delta == 0);
}

/* ---- caps ---- */

static void
test_caps(void)
{
	/* Theorem A5, and the same from above */
	CHECK(fabs(real(accounting_zcdp_cap(nano(1), atto(1e-6))) - 0.02435597) < 5e-9);
	for (int i = 0; i < 3; i++)
		CHECK(llabs(accounting_zcdp_epsilon((int64_t) (zcdp_values[i].rho * (double) COST_ONE),
											atto(zcdp_values[i].delta)) -
					nano(zcdp_values[i].epsilon)) < 500);
	CHECK(accounting_zcdp_epsilon(0, atto(1e-6)) == 0);
	CHECK(accounting_zcdp_epsilon(COST_MAX, atto(1e-6)) > nano(9e6));

	for (double epsilon = 0.01; epsilon < 100; epsilon *= 3)
	{
		for (double delta = 1e-15; delta < 0.1; delta *= 300)
		{
			int64_t cap = accounting_zcdp_cap(nano(epsilon), atto(delta));
			int order = accounting_default_order(nano(epsilon), atto(delta));
			double best = 0;

			/* there and back: never below, and hardly above */
			CHECK(accounting_zcdp_epsilon(cap, atto(delta)) <= nano(epsilon));
			CHECK(cap < 1000 || (double) accounting_zcdp_epsilon(cap, atto(delta)) >=
									(double) nano(epsilon) * (1 - 1e-4));
			CHECK(accounting_order_place(order) >= 0);
			for (int i = 0; i < ACCOUNTING_ORDERS; i++)
			{
				int alpha = accounting_order[i];
				int64_t limit = accounting_rdp_cap(alpha, nano(epsilon), atto(delta));

				CHECK(limit == 0 ||
					  accounting_rdp_epsilon(alpha, limit, atto(delta)) <= nano(epsilon));
				best = fmax(best, (double) limit / alpha);
			}
			CHECK((double) accounting_rdp_cap(order, nano(epsilon), atto(delta)) / order == best);
		}
	}
	CHECK(accounting_rdp_cap(2, nano(1), 0) == 0);
	CHECK(accounting_order_place(7) == -1);
}

/* Theorem D2 with A5, at the best order of the grid: never below the least of all orders.
 */
static void
test_composed_batches(void)
{
	Pair pair = pair_of(PAIR_SAMPLED, 3, 1e-5);
	LossCost cost;
	double least = INFINITY;

	pair.count = 14062;
	pair.rate = 256.0 / 60000;
	pair.noise = 1.1;
	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		if (cost.rdp[i] < COST_MAX)
			least = fmin(least, (double) accounting_rdp_epsilon(accounting_order[i], cost.rdp[i],
																atto(1e-5)) /
									EPSILON_ONE);
	CHECK(least >= 2.596981 && least < 2.62);
}

static void
test_names(void)
{
	for (int kind = 0; kind < PAIR_KINDS; kind++)
		CHECK(pair_kind(pair_name((PairKind) kind)) == (PairKind) kind);
	CHECK(pair_kind("nothing") == PAIR_KINDS);
}

int
main(void)
{
	test_pure();
	test_range();
	test_exact();
	test_gaussian();
	test_deltas();
	test_group_of_claims();
	test_group_of_laws();
	test_group_of_kinds();
	test_with_pure();
	test_batches();
	test_objective();
	test_caps();
	test_composed_batches();
	test_names();
	return check_report("accounting");
}
