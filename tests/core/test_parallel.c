/*
 * test_parallel.c - what groups cost, against values computed by hand (PRIVACY.md C7).
 */
#include "core/parallel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

#define ATTO(x) INT64_C(x)

static ParallelCost
cost(double epsilon, int64_t delta)
{
	return (ParallelCost){llround(epsilon * EPSILON_ONE), delta};
}

static bool
equal(ParallelCost a, ParallelCost b)
{
	return a.epsilon == b.epsilon && a.delta == b.delta;
}

/* ---- what a group may cost ---- */

static void
test_share(void)
{
	ParallelCost call = cost(1, ATTO(1000000000000)); /* delta = 1e-6 */

	CHECK(equal(parallel_share(ADJACENCY_ADD_REMOVE, call, 1), call));
	/* 1 / (1 + e^0.5) = 0.37754066879814543536... */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, call, 1), cost(0.5, ATTO(377540668798))));
	/* 1 / (1 + e^2) = 0.11920292202211755594... */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, cost(4, ATTO(10000000000000)), 1),
				cost(2, ATTO(1192029220221))));
	/* an odd number of nano-units is rounded down; 1 / (1 + e) = 0.26894142136999512074... */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, cost(2.000000001, DELTA_ONE / 2), 1),
				cost(1, ATTO(134470710684997560))));
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, cost(1, 0), 1), cost(0.5, 0)));
	/* as little as there can be, and as much: e^5000 is no double */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, cost(1e-9, 2), 1), cost(0, 1)));
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, cost(10000, DELTA_ONE), 1), cost(5000, 0)));
}

/* Persons with k rows: k rows come or go, or 2 k under replace; by hand, with 50 digits. */
static void
test_share_of_persons(void)
{
	ParallelCost call = cost(1, ATTO(1000000000000));

	/* 1 + e^(1/3) + e^(2/3) = 4.34334646... with a third rounded down */
	CHECK(equal(parallel_share(ADJACENCY_ADD_REMOVE, call, 3),
				cost(0.333333333, ATTO(230237216441))));
	/* 1 + e^0.25 + e^0.5 + e^0.75 = 6.04974670... */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, call, 2), cost(0.25, ATTO(165296176671))));
	/* six terms: 9.47440402... */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, call, 3), cost(0.166666666, ATTO(105547536045))));
	CHECK(equal(parallel_share(ADJACENCY_ADD_REMOVE, cost(1e-9, 10), 4), cost(0, 2)));
	CHECK(parallel_share(ADJACENCY_REPLACE, cost(10000, 0), 2000000).epsilon == 2500000);
	/* as many rows as can be declared: 1e13 / (2 (2^31 - 1)) rounded down, and hardly a delta */
	CHECK(equal(parallel_share(ADJACENCY_REPLACE, cost(10000, DELTA_ONE / 2), INT32_MAX),
				(ParallelCost){2328, 0}));
}

/* What groups with that share cost is within the call's cost, and a unit more is not. */
static void
test_share_is_largest(void)
{
	const double epsilons[] = {0.001, 0.1, 1, 3.000000001, 20};
	const int64_t deltas[] = {3, 1000, ATTO(1000000000000), DELTA_ONE / 10};

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++)
		{
			ParallelCost call = cost(epsilons[i], deltas[j]);
			ParallelCost share = parallel_share(ADJACENCY_REPLACE, call, 1);
			ParallelCost group[3] = {share, share, share};
			ParallelCost total = parallel_cost(ADJACENCY_REPLACE, group, 3);

			CHECK(total.epsilon <= call.epsilon && total.delta <= call.delta);
			CHECK(call.epsilon - total.epsilon <= 1);
			group[1].delta++;
			CHECK(parallel_cost(ADJACENCY_REPLACE, group, 3).delta > call.delta);
			group[1] = share;
			group[1].epsilon++;
			CHECK(parallel_cost(ADJACENCY_REPLACE, group, 3).epsilon > call.epsilon);
		}
}

/* ---- what a call costs ---- */

static void
test_cost(void)
{
	ParallelCost pure[] = {cost(0.3, 0), cost(0.5, 0), cost(0.2, 0)};
	ParallelCost approximate[] = {cost(1, 1000), cost(0.1, ATTO(1000000))};

	CHECK(equal(parallel_cost(ADJACENCY_ADD_REMOVE, pure, 3), cost(0.5, 0)));
	/* the worst pair costs 0.3 + 0.5, the worst group 2 * 0.5 */
	CHECK(equal(parallel_cost(ADJACENCY_REPLACE, pure, 3), cost(1, 0)));
	CHECK(equal(parallel_cost(ADJACENCY_REPLACE, pure, 1), cost(0.6, 0)));
	CHECK(equal(parallel_cost(ADJACENCY_ADD_REMOVE, approximate, 2), cost(1, ATTO(1000000))));
	/* (1 + e^0.1) 1e6 = 2105170.918..., rounded up; 2 * 1 of the other group */
	CHECK(equal(parallel_cost(ADJACENCY_REPLACE, approximate, 2), cost(2, ATTO(2105171))));
	/* (1 + e) 1e18 is more than there is */
	approximate[0].delta = DELTA_ONE;
	CHECK(parallel_cost(ADJACENCY_REPLACE, approximate, 2).delta == DELTA_ONE);
	approximate[0].delta = approximate[1].delta = DELTA_ONE - 1;
	CHECK(parallel_cost(ADJACENCY_REPLACE, approximate, 2).delta == DELTA_ONE);
}

/* ---- the joint law ---- */

/*
 * ln P of the dearer of two vectors, of the exponential mechanism under add_remove, whose
 * losses differ by so many rows.
 */
static double
log_law(double epsilon, int rows)
{
	return -epsilon * rows - log1p(exp(-epsilon * rows));
}

/*
 * Two groups, a vector of each: by how much the probability of the pair changes at most where
 * one row goes from one to the other, stays in its group as another row, or comes.
 */
static double
worst_loss(double epsilon, bool replace)
{
	double worst = 0;

	for (int a = -40; a <= 40; a++)
		for (int b = -40; b <= 40; b++)
			for (int change = -1; change <= 1; change += 2)
			{
				double gone = log_law(epsilon, a + change) - log_law(epsilon, a);
				double come = log_law(epsilon, b + change) - log_law(epsilon, b);
				double other = log_law(epsilon, a + change) - log_law(epsilon, a - change);

				worst = fmax(worst, fabs(gone));
				if (replace)
					worst = fmax(worst, fmax(fabs(gone + come), fabs(other)));
			}
	return worst;
}

/* Not more than is charged, and hardly less: a group must not get more. */
static void
test_joint_law(void)
{
	const double epsilons[] = {0.5, 1, 4};

	for (int i = 0; i < 3; i++)
		for (int replace = 0; replace <= 1; replace++)
		{
			Adjacency adjacency = replace ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE;
			ParallelCost share = parallel_share(adjacency, cost(epsilons[i], 0), 1);
			double loss = worst_loss((double) share.epsilon / EPSILON_ONE, replace);

			CHECK(loss <= epsilons[i] * (1 + 1e-12));
			CHECK(loss > epsilons[i] * 0.999);
		}
}

/* ---- zCDP and Renyi ---- */

static void
test_rho(void)
{
	const double rho[] = {0.125, 0.25, 0.0625};
	const double tenths[] = {0.1, 0.2};

	CHECK(parallel_rho(ADJACENCY_ADD_REMOVE, rho, 3) == 0.25);
	/* a pair of Gaussians: 0.375; the same group, whose shift is twice as long: 1 */
	CHECK(parallel_rho(ADJACENCY_REPLACE, rho, 3) == 1);
	CHECK(parallel_rho(ADJACENCY_REPLACE, rho, 1) == 0.5);
	/* 0.8 is four times the double nearest to 0.2 */
	CHECK(parallel_rho(ADJACENCY_REPLACE, tenths, 2) == 0.8);
}

/* Of a Gaussian mechanism: rho = mu^2 / 2, and alpha rho at order alpha. */
static ParallelRdp
gaussian(double rho, double alpha)
{
	return (ParallelRdp){alpha * rho, 2 * alpha * rho, (2 * alpha - 1) * rho};
}

static void
test_rdp(void)
{
	const double alphas[] = {1.0625, 1.5, 2, 16, 4096};
	ParallelRdp group[2];

	/* (2 alpha - 1)^2 / (alpha - 1) rho: 9 rho at order 2, where 8 rho is true */
	group[0] = gaussian(0.5, 2);
	CHECK(fabs(parallel_rdp(ADJACENCY_REPLACE, 2, group, 1) - 4.5) < 1e-14);
	group[0] = gaussian(1, 16);
	CHECK(fabs(parallel_rdp(ADJACENCY_REPLACE, 16, group, 1) - 961.0 / 15) < 1e-12);
	for (int i = 0; i < 5; i++)
	{
		double truth = 4 * alphas[i] * 0.75; /* of a shift that is twice as long */
		double bound;

		group[0] = gaussian(0.5, alphas[i]);
		group[1] = gaussian(0.75, alphas[i]);
		CHECK(parallel_rdp(ADJACENCY_ADD_REMOVE, alphas[i], group, 2) == 0.75 * alphas[i]);
		bound = parallel_rdp(ADJACENCY_REPLACE, alphas[i], group, 2);
		CHECK(bound >= truth);
		CHECK(bound >= 1.25 * alphas[i]); /* the pair */
		CHECK(bound <= truth * (1 + 1 / (4 * alphas[i] * (alphas[i] - 1))) * (1 + 1e-12));
	}
	/* a divergence that hardly grows with the order: the pair is what costs */
	group[0] = group[1] = (ParallelRdp){1, 1, 1};
	CHECK(parallel_rdp(ADJACENCY_REPLACE, 2, group, 2) >= 2.5);
	group[0] = (ParallelRdp){3, 0.1, 0.1};
	group[1] = (ParallelRdp){4, 0.1, 0.1};
	CHECK(parallel_rdp(ADJACENCY_REPLACE, 2, group, 2) == 7);
}

int
main(void)
{
	test_share();
	test_share_of_persons();
	test_share_is_largest();
	test_cost();
	test_joint_law();
	test_rho();
	test_rdp();
	return check_report("parallel");
}
