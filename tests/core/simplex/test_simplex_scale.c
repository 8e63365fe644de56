/*
 * test_simplex_scale.c - epsilon of a draw and the draws of a budget (theorems S2 and S3), and the
 * default lambda (theorem S6).
 */
#include "core/simplex/simplex_scale.h"

#include <math.h>

#include "core/simplex_data.h"

/* Values of another program. */
static void
test_values(void)
{
	SimplexTerms terms = printed_terms(1e3);
	SimplexBudget pure_budget = simplex_budget(EPSILON_ONE, 0);
	SimplexBudget budget = simplex_budget(EPSILON_ONE, (int64_t) (1e-6 * DELTA_ONE));
	bool pure;

	CHECK(prints_as(simplex_draw_epsilon(&terms), 6, "0.014000"));
	CHECK(prints_as(budget.rho, 8, "0.02435597"));
	CHECK(simplex_draws(&terms, &pure_budget, &pure) == 71 && pure);
	CHECK(simplex_draws(&terms, &budget, &pure) == 994 && !pure);
	terms = printed_terms(3e3);
	CHECK(prints_as(simplex_draw_epsilon(&terms), 7, "0.0024444"));
	CHECK(simplex_draws(&terms, &pure_budget, &pure) == 409 && pure);
	CHECK(simplex_draws(&terms, &budget, &pure) == 32608 && !pure);
}

/* With few draws delta does not allow more of them, and is not spent. */
static void
test_pure_where_better(void)
{
	SimplexTerms terms = printed_terms(1e3);
	SimplexBudget budget = simplex_budget(20 * EPSILON_ONE, 1);
	bool pure;

	terms.rows = 1;
	terms.lambda = 1;
	while (simplex_draws(&terms, &budget, &pure) == 0)
		terms.lambda *= 1.5;
	CHECK(pure);
}

/* The draws fit the budget and one more would not; lambda has a least value. */
static void
test_budgets(void)
{
	for (int i = 0; i < check_repetitions(2000); i++)
	{
		SimplexTerms terms = random_terms();
		int64_t epsilon = (int64_t) (exp(between(-5, 3)) * EPSILON_ONE) + 1;
		int64_t delta = i % 2 == 0 ? 0 : (int64_t) exp(between(5, 38));
		SimplexBudget budget = {epsilon, i % 2 == 0 ? 0 : 1e-9 * (double) delta};
		double draw = simplex_draw_epsilon(&terms);
		double claimed = (double) epsilon / EPSILON_ONE;
		bool pure;
		int64_t draws = simplex_draws(&terms, &budget, &pure);
		double n = (double) terms.rows;
		double r = simplex_radius(&terms) / 131072.0;
		double l = simplex_slope(&terms) / 131072.0;
		double expected = 4 * l * r / terms.lambda * (1 + n * r * r / terms.lambda);

		CHECK(fabs(draw / expected - 1 - 0x1p-20) < 1e-9);
		CHECK(fabs(simplex_tolerance(&terms) / (2 * l * r) - 0x1p-20) < 1e-12);
		if (draws > 0 && draws < SIMPLEX_MAX_DRAWS && pure)
			CHECK((double) draws * draw <= claimed * (1 + 1e-12) &&
				  (double) (draws + 1) * draw > claimed * (1 - 1e-12));
		if (draws > 0 && draws < SIMPLEX_MAX_DRAWS && !pure)
			CHECK((double) draws * draw * draw / 8 <= budget.rho * (1 + 1e-12) &&
				  (double) (draws + 1) * draw * draw / 8 > budget.rho * (1 - 1e-12));
		terms.lambda = simplex_least_lambda(&terms, &budget);
		CHECK(simplex_draws(&terms, &budget, &pure) >= 1);
		terms.lambda *= 0.999999;
		CHECK(simplex_draws(&terms, &budget, &pure) == 0);
	}
}

/* No other lambda has a bound that is much better, and more rows or epsilon help. */
static void
test_default(void)
{
	double last = INFINITY;

	for (int64_t rows = 100; rows <= 100000000; rows *= 10)
	{
		SimplexTerms terms = printed_terms(1);
		SimplexBudget budget = simplex_budget(EPSILON_ONE, (int64_t) (1e-6 * DELTA_ONE));
		SimplexExcess best;

		terms.rows = rows;
		terms.lambda = simplex_default_lambda(&terms, &budget, 20);
		best = simplex_excess(&terms, simplex_draws(&terms, &budget, NULL), 20, 0.05);
		for (double factor = 0.1; factor < 11; factor *= 1.3)
		{
			SimplexTerms tried = terms;
			int64_t draws;

			tried.lambda *= factor;
			draws = simplex_draws(&tried, &budget, NULL);
			if (draws > 0)
				CHECK(simplex_excess(&tried, draws, 20, 0.05).mean >= best.mean * 0.99);
		}
		CHECK(best.mean / (double) rows < last);
		last = best.mean / (double) rows;
	}
	CHECK(last < 0.01);
}

int
main(void)
{
	test_begin(58);
	test_values();
	test_pure_where_better();
	test_budgets();
	test_default();
	return test_end("simplex_scale");
}
