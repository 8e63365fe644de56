/*
 * simplex_scale.c - the privacy of one draw, the number of draws, the default of lambda.
 */
#include "core/simplex/simplex_scale.h"

#include <math.h>
#include <mpfr.h>

#include "core/base/mutant.h"
#include "core/noise/zcdp.h"

#define PRECISION 256

/* The residual is at most 2^-20 of 2 L R. */
#define TOLERANCE_BITS 20

/* Steps of the searches for lambda; no guarantee depends on their precision. */
#define HALVINGS 100
#define STEPS_PER_OCTAVE 16
#define OCTAVES 60

static double
spread(const SimplexTerms *terms)
{
	double square = (double) simplex_slope(terms) * (double) simplex_radius(terms);

	return ldexp(2 * (double) terms->rows * square, -2 * SIMPLEX_UNIT_BITS) / terms->lambda;
}

double
simplex_tolerance(const SimplexTerms *terms)
{
	/* a product below 2^57; the bits that a double cannot hold are dropped */
	uint64_t square = (uint64_t) (simplex_slope(terms) * simplex_radius(terms));

	return ldexp(nextafter((double) square, 0), 1 - TOLERANCE_BITS - 2 * SIMPLEX_UNIT_BITS);
}

/*
 * Source: theorems S2 and S4.  ln(theta_j / theta'_j) stays within an interval of length
 *
 *   epsilon_0 = ((4 L R + 2 tau) / lambda) (1 + n R^2 / lambda)
 *
 * where tau = 2^-20 2 L R makes the first factor (4 L R / lambda) (1 + 2^-20).
 */
static void
draw_epsilon(const SimplexTerms *terms, mpfr_t result)
{
	mpfr_t factor;

	mpfr_init2(factor, PRECISION);
	mpfr_set_sj_2exp(factor, simplex_radius(terms), -SIMPLEX_UNIT_BITS, MPFR_RNDU);
	mpfr_sqr(factor, factor, MPFR_RNDU);
	mpfr_mul_d(factor, factor, (double) terms->rows, MPFR_RNDU); /* exact: below 2^53 */
	mpfr_div_d(factor, factor, terms->lambda, MPFR_RNDU);
	mpfr_add_ui(factor, factor, 1, MPFR_RNDU);
	if (MUTANT(101))
		mpfr_set_ui(factor, 1, MPFR_RNDU);

	mpfr_set_sj_2exp(result, 4 * simplex_slope(terms) * simplex_radius(terms),
					 -2 * SIMPLEX_UNIT_BITS, MPFR_RNDU);
	mpfr_mul(result, result, factor, MPFR_RNDU);
	mpfr_set_d(factor, 1 + ldexp(1, -TOLERANCE_BITS), MPFR_RNDU);
	mpfr_mul(result, result, factor, MPFR_RNDU);
	mpfr_div_d(result, result, terms->lambda, MPFR_RNDU);
	if (MUTANT(100))
		mpfr_mul_d(result, result, 0.8, MPFR_RNDU);
	mpfr_clear(factor);
}

double
simplex_draw_epsilon(const SimplexTerms *terms)
{
	mpfr_t value;
	double result;

	mpfr_init2(value, PRECISION);
	draw_epsilon(terms, value);
	result = mpfr_get_d(value, MPFR_RNDU);
	mpfr_clear(value);
	return result;
}

SimplexBudget
simplex_budget(int64_t epsilon, int64_t delta)
{
	return (SimplexBudget){epsilon, delta > 0 ? zcdp_rho(epsilon, delta) : 0};
}

/* Rounds down, to at most SIMPLEX_MAX_DRAWS; the quotient is infinite if a draw costs nothing. */
static int64_t
whole(const mpfr_t value)
{
	return mpfr_cmp_ui(value, (unsigned long) SIMPLEX_MAX_DRAWS) >= 0
			   ? SIMPLEX_MAX_DRAWS
			   : mpfr_get_si(value, MPFR_RNDD);
}

/* Each draw is epsilon_0-DP, as the interval contains 0: floor(epsilon / epsilon_0). */
static int64_t
pure_draws(const mpfr_t draw, int64_t epsilon)
{
	mpfr_t value;
	int64_t result;

	mpfr_init2(value, PRECISION);
	mpfr_set_sj(value, epsilon, MPFR_RNDD);
	mpfr_div_ui(value, value, EPSILON_ONE, MPFR_RNDD);
	mpfr_div(value, value, draw, MPFR_RNDD);
	result = whole(value);
	mpfr_clear(value);
	return result;
}

/* Bounded range makes each draw epsilon_0^2 / 8-zCDP (theorem S3): floor(8 rho / epsilon_0^2).
 */
static int64_t
concentrated_draws(const mpfr_t draw, double rho)
{
	mpfr_t value;
	mpfr_t square;
	int64_t result;

	mpfr_inits2(PRECISION, value, square, (mpfr_ptr) NULL);
	mpfr_sqr(square, draw, MPFR_RNDU);
	mpfr_set_d(value, rho, MPFR_RNDD);
	mpfr_mul_ui(value, value, MUTANT(102) ? 16 : 8, MPFR_RNDD);
	mpfr_div(value, value, square, MPFR_RNDD);
	result = whole(value);
	mpfr_clears(value, square, (mpfr_ptr) NULL);
	return result;
}

int64_t
simplex_draws(const SimplexTerms *terms, const SimplexBudget *budget, bool *pure)
{
	mpfr_t draw;
	int64_t some = 0;
	int64_t more = 0;

	mpfr_init2(draw, PRECISION);
	draw_epsilon(terms, draw);
	if (spread(terms) <= SIMPLEX_MAX_SPREAD)
		some = pure_draws(draw, budget->epsilon);
	if (spread(terms) <= SIMPLEX_MAX_SPREAD && budget->rho > 0)
		more = concentrated_draws(draw, budget->rho);
	mpfr_clear(draw);
	if (pure != NULL)
		*pure = some >= more;
	return some >= more ? some : more;
}

/* ---- lambda ---- */

static bool
allows_draw(const SimplexTerms *terms, const SimplexBudget *budget, double lambda)
{
	SimplexTerms tried = *terms;

	tried.lambda = lambda;
	return simplex_draws(&tried, budget, NULL) > 0;
}

/* epsilon_0 falls in lambda: bisection on its logarithm. */
double
simplex_least_lambda(const SimplexTerms *terms, const SimplexBudget *budget)
{
	double low = log2(SIMPLEX_LAMBDA_MIN);
	double high = log2(SIMPLEX_LAMBDA_MAX);

	if (allows_draw(terms, budget, SIMPLEX_LAMBDA_MIN))
		return SIMPLEX_LAMBDA_MIN;
	for (int i = 0; i < HALVINGS; i++)
	{
		double middle = (low + high) / 2;

		if (allows_draw(terms, budget, exp2(middle)))
			high = middle;
		else
			low = middle;
	}
	return exp2(high);
}

double
simplex_default_lambda(const SimplexTerms *terms, const SimplexBudget *budget, int dimension)
{
	double least = simplex_least_lambda(terms, budget);
	double best = INFINITY;
	double chosen = least;

	for (int i = 0; i < OCTAVES * STEPS_PER_OCTAVE; i++)
	{
		SimplexTerms tried = *terms;
		int64_t draws;
		double mean;

		tried.lambda = least * exp2((double) i / STEPS_PER_OCTAVE);
		if (tried.lambda > SIMPLEX_LAMBDA_MAX)
			break;
		draws = simplex_draws(&tried, budget, NULL);
		if (draws == 0)
			continue;
		mean = simplex_excess(&tried, draws, dimension, 0.5).mean;
		if (mean < best)
		{
			best = mean;
			chosen = tried.lambda;
		}
	}
	return chosen;
}

/* ---- utility ---- */

/*
 * Source: theorem S6.  With f the sum, v its least point and t the mean of the m draws,
 *
 *   E f(t) - f(v) <= lambda ln d + n R^2 / 2 m + tau,
 *
 * f(t) exceeds its mean by n L R sqrt(2 ln(1 / beta) / m) with probability beta at most
 * (McDiarmid), so does the excess mean / beta (Markov), and the excess is never above n L^2 / 2.
 */
SimplexExcess
simplex_excess(const SimplexTerms *terms, int64_t draws, int dimension, double beta)
{
	double unit = ldexp(1, -SIMPLEX_UNIT_BITS);
	double radius = (double) simplex_radius(terms) * unit;
	double slope = (double) simplex_slope(terms) * unit;
	double rows = (double) terms->rows;
	double most = rows * slope * slope / 2;
	double mean = terms->lambda * log(dimension) + rows * radius * radius / (2 * (double) draws) +
				  simplex_tolerance(terms);
	double tail = rows * slope * radius * sqrt(2 * log(1 / beta) / (double) draws);

	return (SimplexExcess){fmin(mean, most), fmin(most, fmin(mean / beta, mean + tail))};
}
