/*
 * test_composition.c - lists of releases against values of other programs, closed forms and
 * each other.
 */
#include "core/accounting/composition.h"

#include <math.h>
#include <mpfr.h>

#include "core/noise/calibration.h"
#include "core/noise/zcdp.h"

#include "core/fixture.h"
#include "core/values.h"

static CompositionPair
pure(double epsilon, int64_t times)
{
	return (CompositionPair){
		.kind = COMPOSITION_APPROXIMATE, .times = times, .epsilon = nano(epsilon)};
}

static CompositionPair
approximate(double epsilon, double delta, int64_t times)
{
	return (CompositionPair){.kind = COMPOSITION_APPROXIMATE,
							 .times = times,
							 .epsilon = nano(epsilon),
							 .delta = atto(delta)};
}

static CompositionPair
gaussian(double mu, int64_t times)
{
	return (CompositionPair){.kind = COMPOSITION_GAUSSIAN, .times = times, .mu = mu};
}

static CompositionPair
sampled(double rate, double noise, int64_t times)
{
	return (CompositionPair){
		.kind = COMPOSITION_SAMPLED, .times = times, .rate = rate, .noise = noise};
}

static CompositionPair
range(double eta, int64_t times)
{
	return (CompositionPair){.kind = COMPOSITION_RANGE, .times = times, .epsilon = nano(eta)};
}

static CompositionPair
objective(double mu, double curvature, int64_t times)
{
	return (CompositionPair){
		.kind = COMPOSITION_OBJECTIVE, .times = times, .mu = mu, .curvature = curvature};
}

/* epsilon in units of 1.0, INFINITY if none. */
static double
epsilon_under(Adjacency adjacency, const CompositionPair *pair, int pairs, double delta)
{
	int64_t epsilon;

	if (!composition_epsilon(pair, pairs, adjacency, atto(delta), memory, &epsilon))
		return INFINITY;
	return (double) epsilon / EPSILON_ONE;
}

static double
epsilon_of(const CompositionPair *pair, int pairs, double delta)
{
	return epsilon_under(ADJACENCY_ADD_REMOVE, pair, pairs, delta);
}

/* ---- optimal composition ---- */

static double
optimal(int64_t k, double epsilon, double delta, double composed_delta)
{
	int64_t composed;

	if (!composition_optimal_epsilon(k, nano(epsilon), atto(delta), atto(composed_delta), NULL,
									 &composed))
		return INFINITY;
	return (double) composed / EPSILON_ONE;
}

/* Theorem A7, by another program. */
static void
test_optimal_values(void)
{

	for (int i = 0; i < 4; i++)
	{
		CompositionPair list = pure(optimal_values[i].epsilon, optimal_values[i].k);
		double exact = optimal(optimal_values[i].k, optimal_values[i].epsilon, 0, 1e-6);

		CHECK(is_between(exact, optimal_values[i].composed - 0.5e-6,
						 optimal_values[i].composed + 0.5e-6));
		CHECK(is_between(epsilon_of(&list, 1, 1e-6), exact, exact + 5e-5));
	}
}

/* The proof is of the number that is returned, and not of much less. */
static void
test_optimal(void)
{
	static const int counts[] = {1, 2, 7, 100, 3000};

	for (int i = 0; i < (check_share() < 100 ? 4 : 5); i++)
		for (double epsilon = 0.003; epsilon < 2; epsilon *= 5)
			for (double delta = 0; delta < 1e-7; delta = delta == 0 ? 1e-12 : delta * 100)
			{
				int64_t one = nano(epsilon);
				int64_t target = atto(delta) * counts[i] + atto(1e-7);
				int64_t composed;

				CHECK(composition_optimal_epsilon(counts[i], one, atto(delta), target, NULL,
												  &composed));
				CHECK(composition_optimal_delta(counts[i], one, atto(delta), composed, NULL) <=
					  target);
				CHECK(composed == 0 ||
					  composition_optimal_delta(counts[i], one, atto(delta),
												composed - COMPOSITION_NEAR, NULL) > target);
				CHECK(composed <= counts[i] * one);
			}
	/* one release, two, and what only the deltas leave */
	CHECK(composition_optimal_delta(1, nano(0.5), atto(1e-6), nano(0.5), NULL) - atto(1e-6) <= 1);
	CHECK(composition_optimal_delta(1, nano(0.5), atto(1e-6), nano(0.5), NULL) >= atto(1e-6));
	CHECK(is_between((double) composition_optimal_delta(2, nano(1), 0, nano(1), NULL) / DELTA_ONE,
					 exp(2) / pow(1 + exp(1), 2) * -expm1(-1) - 1e-15,
					 exp(2) / pow(1 + exp(1), 2) * -expm1(-1) + 1e-15));
	CHECK(composition_optimal_delta(10, nano(0.1), atto(1e-7), nano(1), NULL) > atto(9.99999e-7));
	CHECK(composition_optimal_delta(10, nano(0.1), atto(1e-7), nano(1), NULL) <= atto(1e-6));
	CHECK(isinf(optimal(10, 0.1, 1e-7, 9e-7)));
	CHECK(optimal(10, 0.1, 1e-7, 1e-6) <= 1);
	CHECK(isinf(optimal(COMPOSITION_MOST + 1, 0.1, 0, 1e-6)));
	CHECK(optimal(0, 0.1, 0.1, 0) == 0);
}

/* ---- lists ---- */

/* Theorem A8, by another program. */
static void
test_values(void)
{
	CompositionPair list[] = {pure(0.1, 10), gaussian(0.2, 1), approximate(0.3, 1e-7, 1)};
	CompositionPair steps = sampled(256.0 / 60000, 1.1, 14062);
	CompositionPair others = sampled(0.01, 1, 1000);
	CompositionPair rare = sampled(0.001, 0.8, 10000);

	CHECK(is_between(epsilon_of(list, 1, 1e-6), 0.9993709, 0.9993709 + 2e-5));
	CHECK(is_between(epsilon_of(list, 3, 1e-6), 1.7757146, 1.7757147 + 2e-5));
	/* below the other program's coarser grid, above its limit; by theorem D2 2.596981 and 2.436694
	 */
	CHECK(is_between(epsilon_of(&steps, 1, 1e-5), 2.38159, 2.38195));
	CHECK(is_between(epsilon_of(&others, 1, 1e-6), 2.12451, 2.12455));
	CHECK(is_between(epsilon_of(&rare, 1, 1e-6), 0.94720, 0.94772));
}

/* The Gaussian mechanism, once or often, alone and beside what gives nothing away. */
static void
test_gaussian(void)
{
	for (double mu = 0.02; mu < 4; mu *= check_share() < 100 ? 15 : 3)
	{
		CompositionPair list[] = {gaussian(mu / 5, 16), pure(0, 3), gaussian(mu * 0.6, 1)};

		for (double epsilon = mu / 3; epsilon < mu * mu / 2 + 5 * mu; epsilon += mu)
		{
			double delta = calibration_gaussian_delta(epsilon, mu);

			if (delta > 1e-12)
				CHECK(is_between(epsilon_of(list, 3, delta), epsilon * (1 - 1e-6),
								 epsilon * (1 + 1e-3)));
		}
	}
}

/* More releases, larger ones and a smaller delta cost more; the order does not matter. */
static void
test_order(void)
{
	CompositionPair list[] = {pure(0.05, 8), gaussian(0.3, 2), range(0.2, 5), sampled(0.02, 1, 50),
							  objective(0.2, 0.1, 2)};
	CompositionPair turned[5];
	double all = epsilon_of(list, 5, 1e-6);

	for (int k = 0; k < 5; k++)
		turned[k] = list[4 - k];
	for (int k = 0; k < 5; k += check_share() < 100 ? 3 : 1)
	{
		CompositionPair more[5];
		CompositionPair fewer[5];

		for (int j = 0; j < 5; j++)
			more[j] = fewer[j] = list[j];
		more[k].times++;
		fewer[k].times = 0;
		CHECK(epsilon_of(more, 5, 1e-6) > all);
		CHECK(epsilon_of(fewer, 5, 1e-6) < all);
	}
	CHECK(fabs(epsilon_of(turned, 5, 1e-6) - all) < 2e-9);
	CHECK(epsilon_of(list, 5, 1e-8) > all);
	/* a row replaced moves twice as far in a sample */
	CHECK(epsilon_under(ADJACENCY_REPLACE, list, 5, 1e-6) > all);
	CHECK(epsilon_under(ADJACENCY_REPLACE, list, 3, 1e-6) == epsilon_of(list, 3, 1e-6));
	/* the same list in two entries */
	list[4] = pure(0.05, 3);
	list[0].times = 5;
	CHECK(fabs(epsilon_of(list, 5, 1e-6) -
			   epsilon_of((CompositionPair[]){pure(0.05, 8), list[1], list[2], list[3]}, 4, 1e-6)) <
		  1e-4);
}

/* Never above the sums, which for few releases are the best that there is. */
static void
test_sums(void)
{
	CompositionPair few[] = {pure(0.5, 2), approximate(0.25, 1e-9, 1), range(0.125, 1)};
	CompositionPair far[] = {pure(500, 3), pure(400, 1)};

	CHECK(epsilon_of(few, 3, 1e-9) == 1.375);
	CHECK(isinf(epsilon_of(few, 3, 0.9e-9)));
	CHECK(epsilon_of(few, 1, 0) == 1);
	CHECK(epsilon_of(NULL, 0, 0) == 0);
	CHECK(epsilon_of(far, 2, 1e-6) <= 1900);
	CHECK(isinf(epsilon_of((CompositionPair[]){approximate(0.1, 1, 1)}, 1, 0.5)));
}

/*
 * Bounded ranges: a hundred draws of 0.1 cost less than randomised responses, and are between the
 * exact answer for one t of the family and what rho = eta^2 / 6 would give, which the pair's
 * moments are below (a loss of variance eta^2 / 3, and of that mean twice).
 */
static void
test_range(void)
{
	CompositionPair list = range(0.1, 100);
	double bound = epsilon_of(&list, 1, 1e-6);
	double gauss = sqrt(2 * 100 * 0.01 / 6);
	double likewise = epsilon_of((CompositionPair[]){gaussian(gauss, 1)}, 1, 1e-6);

	CHECK(bound < 0.7 * optimal(100, 0.1, 0, 1e-6));
	CHECK(is_between(bound, 0.95 * likewise, 1.01 * likewise));
}

/* One release of objective perturbation with the noise of theorem V4. */
static void
test_objective(void)
{
	static const double value[][5] = {{1, 1, 5.525226, 11.973700},
									  {1, 10, 4.468061, 9.666663},
									  {0.5, 10, 8.754629, 19.037209},
									  {4, 1, 1.290287, 2.758595}};

	for (int i = 0; i < 4; i++)
	{
		CompositionPair one = objective(1 / value[i][2], 0.25 / value[i][1], 1);
		CompositionPair two = objective(2 / value[i][3], 0.25 / value[i][1], 1);

		CHECK(is_between(epsilon_of(&one, 1, 1e-6), value[i][0] - 1e-6, value[i][0] + 1e-5));
		CHECK(is_between(epsilon_under(ADJACENCY_REPLACE, &two, 1, 1e-6), value[i][0] - 1e-6,
						 value[i][0] + 1e-5));
	}
}

int
main(void)
{
	test_begin(1);
	test_optimal_values();
	test_optimal();
	test_values();
	test_gaussian();
	test_order();
	test_sums();
	test_range();
	test_objective();
	return test_end("composition");
}
