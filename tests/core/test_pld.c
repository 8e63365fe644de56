/*
 * test_pld.c - privacy loss distributions against closed forms and the values of the theory.
 */
#include "core/pld.h"

#include <math.h>
#include <gsl/gsl_cdf.h>

#include "core/convex_scale.h"

#include "check.h"

static Arena *arena;

static double
composed_epsilon(const Pld *pld, int64_t times, double delta)
{
	PldPart part = {pld, times};
	Pld sum;

	pld_compose(&part, 1, arena_memory(arena), &sum);
	return pld_epsilon(&sum, delta);
}

/* delta of T Gaussian mechanisms is that of one with sqrt(T) mu, to the grid's error. */
static void
test_gaussian(void)
{
	static const double mus[] = {0.01, 0.2, 1, 3};
	static const int64_t times[] = {1, 4, 100};

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 3; j++)
		{
			double all = mus[i] * sqrt((double) times[j]);
			Pld pld;
			Pld sum;
			PldPart part = {&pld, times[j]};

			if (all > 5)
				continue;
			pld_gaussian(mus[i], 1e-3, arena_memory(arena), &pld);
			pld_compose(&part, 1, arena_memory(arena), &sum);
			for (double epsilon = 0.05; epsilon < 4 * all; epsilon *= 1.7)
			{
				double is = pld_delta(&sum, epsilon);
				double exact = gaussian_delta(epsilon, all);

				CHECK(is >= exact * (1 - 1e-9) - 1e-13);
				CHECK(is <= exact * 1.01 + 2e-6 * (mus[i] < 0.1 ? 100 : 1));
			}
		}
}

/* PRIVACY.md 5.4, reference/theory/pld.out: (remove, add) at a step of 2e-4. */
static void
test_sampled(void)
{
	static const struct
	{
		double rate;
		double noise;
		int64_t times;
		double delta;
		double remove;
		double add;
	} values[] = {{256.0 / 60000, 1.1, 14062, 1e-5, 2.381953251, 2.243949768},
				  {0.01, 1, 1000, 1e-6, 2.124544615, 1.589137138},
				  {0.001, 0.8, 10000, 1e-6, 0.947715055, 0.743596384}};

	for (int i = 0; i < 3; i++)
		for (int direction = 0; direction < 2; direction++)
		{
			Pld pld;
			double is;
			double should = direction == PLD_REMOVE ? values[i].remove : values[i].add;

			pld_sampled_gaussian(values[i].rate, values[i].noise, (PldDirection) direction, 2e-4,
								 arena_memory(arena), &pld);
			is = composed_epsilon(&pld, values[i].times, values[i].delta);
			if (!(fabs(is - should) < 5e-7))
				printf("%.9f for %.9f\n", is, should);
			CHECK(fabs(is - should) < 5e-7);
		}
}

/* delta of k pure releases, PRIVACY.md 6 (Kairouz, Oh, Viswanath). */
static double
optimal_delta(int k, double epsilon, double claimed)
{
	double sum = 0;

	for (int l = 0; l <= k; l++)
	{
		double loss = (k - 2 * l) * epsilon;
		double log_mass = lgamma(k + 1) - lgamma(l + 1) - lgamma(k - l + 1) + (k - l) * epsilon -
						  k * log1p(exp(epsilon));

		if (loss > claimed)
			sum += exp(log_mass) * -expm1(claimed - loss);
	}
	return sum;
}

static void
test_pure(void)
{
	static const struct
	{
		int k;
		double epsilon;
		double composed;
	} values[] = {
		{10, 0.1, 0.999371}, {100, 0.1, 4.774568}, {1000, 0.01, 1.365447}, {30, 0.5, 13.952008}};

	for (int i = 0; i < 4; i++)
	{
		Pld pld;
		Pld sum;
		PldPart part = {&pld, values[i].k};

		pld_approximate(values[i].epsilon, 0, 1e-3, arena_memory(arena), &pld);
		pld_compose(&part, 1, arena_memory(arena), &sum);
		CHECK(fabs(pld_epsilon(&sum, 1e-6) - values[i].composed) < 1e-6);
		for (double epsilon = 0; epsilon < values[i].k * values[i].epsilon; epsilon += 0.37)
			CHECK(fabs(pld_delta(&sum, epsilon) -
					   optimal_delta(values[i].k, values[i].epsilon, epsilon)) < 1e-11);
		CHECK(pld_delta(&sum, values[i].k * values[i].epsilon + 1e-9) < 1e-11);
	}
}

/* PRIVACY.md 6: ten pure releases, a Gaussian one and a (0.3, 1e-7) one. */
static void
test_mixture(void)
{
	Pld pure;
	Pld gaussian;
	Pld approximate;
	PldPart part[] = {{&pure, 10}, {&gaussian, 1}, {&approximate, 1}};
	Pld sum;
	Pld other;

	pld_approximate(0.1, 0, 1e-4, arena_memory(arena), &pure);
	pld_gaussian(0.2, 1e-4, arena_memory(arena), &gaussian);
	pld_approximate(0.3, 1e-7, 1e-4, arena_memory(arena), &approximate);
	pld_compose(part, 3, arena_memory(arena), &sum);
	CHECK(fabs(pld_epsilon(&sum, 1e-6) - 1.7757147) < 1e-7);

	/* in another order, and in two steps */
	part[0] = (PldPart){&approximate, 1};
	part[2] = (PldPart){&pure, 10};
	pld_compose(part, 3, arena_memory(arena), &other);
	CHECK(fabs(pld_epsilon(&other, 1e-6) - pld_epsilon(&sum, 1e-6)) < 1e-9);
	CHECK(isinf(pld_epsilon(&sum, 9e-8)));
	CHECK(pld_epsilon(&sum, 1) == 0);
	pld_compose((PldPart[]){{&pure, 11}, {&gaussian, 1}, {&approximate, 1}}, 3, arena_memory(arena),
				&other);
	CHECK(pld_epsilon(&other, 1e-6) > pld_epsilon(&sum, 1e-6));
}

/* The profile of PRIVACY.md 5.2, at every epsilon and after composition with another release. */
static void
test_objective(void)
{
	static const double mus[] = {0.1, 0.5, 1.5};

	for (int i = 0; i < 3; i++)
		for (double determinant = 0.01; determinant < 1; determinant *= 5)
		{
			Pld pld;

			pld_objective(determinant, mus[i], 1e-3, arena_memory(arena), &pld);
			for (double epsilon = determinant + 0.01; epsilon < determinant + 4 * mus[i];
				 epsilon += mus[i] / 3)
			{
				double exact = objective_delta(epsilon - determinant, mus[i], ADJACENCY_ADD_REMOVE);

				CHECK(pld_delta(&pld, epsilon) >= exact * (1 - 1e-9) - 1e-13);
				CHECK(pld_delta(&pld, epsilon) <= exact * 1.001 + 1e-6);
			}
		}
}

int
main(void)
{
	arena = arena_create(check_out_of_memory);
	test_gaussian();
	test_sampled();
	test_pure();
	test_mixture();
	test_objective();
	arena_destroy(arena);
	return check_report("pld");
}
