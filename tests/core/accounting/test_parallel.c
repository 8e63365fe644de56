/*
 * test_parallel.c - the cost of groups, against values computed by hand (theorem P2).
 */
#include "core/accounting/parallel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <mpfr.h>

#include "core/check.h"

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

/* (1 + e^epsilon) delta <= limit; in 200 bits, because valgrind has no long double. */
static bool
replacement_delta_within(int64_t epsilon, int64_t delta, int64_t limit)
{
	mpfr_t product;
	bool within;

	mpfr_init2(product, 200);
	mpfr_set_si(product, epsilon, MPFR_RNDN);
	mpfr_div_si(product, product, EPSILON_ONE, MPFR_RNDN);
	mpfr_exp(product, product, MPFR_RNDN);
	mpfr_add_ui(product, product, 1, MPFR_RNDN);
	mpfr_mul_si(product, product, delta, MPFR_RNDN);
	within = mpfr_cmp_si(product, limit) <= 0;
	mpfr_clear(product);
	return within;
}

/*
 * A row replaced within its group costs (2 epsilon_g, (1 + e^epsilon_g) delta_g): that is within
 * the call's cost, and a unit more is not.
 */
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

			CHECK(2 * share.epsilon <= call.epsilon && 2 * (share.epsilon + 1) > call.epsilon);
			CHECK(replacement_delta_within(share.epsilon, share.delta, call.delta));
			CHECK(!replacement_delta_within(share.epsilon, share.delta + 1, call.delta));
		}
}

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

int
main(void)
{
	test_share();
	test_share_of_persons();
	test_share_is_largest();
	test_joint_law();
	return check_report("parallel");
}
