/*
 * zcdp.c - the conversion of Canonne, Kamath and Steinke 2020, certified.
 *
 * Source: theorem A5.  rho-zCDP is (epsilon, delta)-DP for every alpha > 1 with
 *
 *   delta = exp((alpha - 1) (alpha rho - epsilon)) / (alpha - 1) (1 - 1 / alpha)^alpha.
 *
 * Floating point proposes rho and alpha; directed rounding checks them, so the claim does not rest
 * on the search.
 */
#include "core/noise/zcdp.h"

#include <math.h>
#include <mpfr.h>

#include "core/base/privacy.h"

#define PRECISION 256

/* The search interval of alpha - 1 is exp(-LOG_RANGE) .. exp(LOG_RANGE). */
#define LOG_RANGE 80.0
#define STEPS 200

static double
log_delta(double rho, double alpha_less_one, double epsilon)
{
	double alpha = 1 + alpha_less_one;

	return alpha_less_one * (alpha * rho - epsilon) - log(alpha_less_one) -
		   alpha * log1p(1 / alpha_less_one);
}

/* The order of the best bound: golden section on its logarithm. */
static double
best_order(double rho, double epsilon)
{
	const double ratio = 0.6180339887498949;
	double low = -LOG_RANGE;
	double high = LOG_RANGE;

	for (int i = 0; i < STEPS; i++)
	{
		double left = high - ratio * (high - low);
		double right = low + ratio * (high - low);

		if (log_delta(rho, exp(left), epsilon) < log_delta(rho, exp(right), epsilon))
			high = right;
		else
			low = left;
	}
	return exp((low + high) / 2);
}

/* The rho whose best bound is delta: bisection on its logarithm. */
static double
propose_rho(double epsilon, double delta)
{
	double low = -LOG_RANGE;
	double high = log(epsilon + 1000); /* more than any delta < 1 allows */

	for (int i = 0; i < STEPS; i++)
	{
		double middle = (low + high) / 2;

		if (log_delta(exp(middle), best_order(exp(middle), epsilon), epsilon) < log(delta))
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

bool
zcdp_implies(double rho, double alpha, int64_t epsilon, int64_t delta)
{
	mpfr_t bound;
	mpfr_t less_one;
	mpfr_t term;
	bool implied;

	if (!(alpha > 1) || !isfinite(alpha) || !(rho >= 0) || delta <= 0)
		return false;
	mpfr_inits2(PRECISION, bound, less_one, term, (mpfr_ptr) NULL);
	mpfr_set_d(less_one, alpha, MPFR_RNDN); /* exact, and so is alpha - 1 */
	mpfr_sub_ui(less_one, less_one, 1, MPFR_RNDN);

	/* (alpha - 1) (alpha rho - epsilon): the product of two doubles is exact */
	mpfr_set_d(bound, alpha, MPFR_RNDN);
	mpfr_mul_d(bound, bound, rho, MPFR_RNDU);
	mpfr_set_sj(term, epsilon, MPFR_RNDD);
	mpfr_div_ui(term, term, EPSILON_ONE, MPFR_RNDD);
	mpfr_sub(bound, bound, term, MPFR_RNDU);
	mpfr_mul(bound, bound, less_one, MPFR_RNDU);

	/* - ln(alpha - 1) */
	mpfr_log(term, less_one, MPFR_RNDD);
	mpfr_sub(bound, bound, term, MPFR_RNDU);

	/* + alpha ln(1 - 1 / alpha) */
	mpfr_div_d(term, less_one, alpha, MPFR_RNDU);
	mpfr_log(term, term, MPFR_RNDU);
	mpfr_mul_d(term, term, alpha, MPFR_RNDU);
	mpfr_add(bound, bound, term, MPFR_RNDU);

	mpfr_set_sj(term, delta, MPFR_RNDD);
	mpfr_div_ui(term, term, DELTA_ONE, MPFR_RNDD);
	mpfr_log(term, term, MPFR_RNDD);
	implied = mpfr_lessequal_p(bound, term) != 0;
	mpfr_clears(bound, less_one, term, (mpfr_ptr) NULL);
	return implied;
}

double
zcdp_rho(int64_t epsilon, int64_t delta)
{
	double claimed = (double) epsilon / EPSILON_ONE;
	double rho;

	if (epsilon <= 0 || delta <= 0)
		return 0;
	rho = propose_rho(claimed, (double) delta / DELTA_ONE);
	for (double slack = 1e-12; slack < 1e-2; slack *= 10)
	{
		double smaller = rho * (1 - slack);

		if (zcdp_implies(smaller, 1 + best_order(smaller, claimed), epsilon, delta))
			return smaller;
	}
	return 0;
}

/* The epsilon whose best bound is delta: bisection, since the bound falls with epsilon. */
static double
propose_epsilon(double rho, double delta)
{
	double low = 0;
	double high = rho + 2 * sqrt(rho * -log(delta)) + 1; /* Bun and Steinke 2016, and more */

	for (int i = 0; i < STEPS; i++)
	{
		double middle = (low + high) / 2;

		if (log_delta(rho, best_order(rho, middle), middle) > log(delta))
			low = middle;
		else
			high = middle;
	}
	return high;
}

int64_t
zcdp_epsilon(double rho, int64_t delta)
{
	double proposed;

	if (!(rho > 0) || delta >= DELTA_ONE)
		return 0;
	proposed = propose_epsilon(rho, (double) delta / DELTA_ONE);
	for (double slack = 1e-12; slack < 1e-2; slack *= 10)
	{
		double larger = ceil(proposed * (1 + slack) * EPSILON_ONE);

		if (!(larger < 0x1p62))
			break;
		if (zcdp_implies(rho, 1 + best_order(rho, larger / EPSILON_ONE), (int64_t) larger, delta))
			return (int64_t) larger;
	}
	return INT64_MAX;
}
