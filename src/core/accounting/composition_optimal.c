/*
 * composition_optimal.c - k times (epsilon, delta)-DP is (epsilon', delta')-DP, theorem A7:
 *
 *   delta' = 1 - (1 - delta)^k (1 - delta_k),
 *   delta_k = sum over l with (k - 2 l) epsilon > epsilon' of C(k, l) e^((k - l) epsilon)
 *             (1 - e^(epsilon' - (k - 2 l) epsilon)) / (1 + e^epsilon)^k.
 *
 * Doubles propose an epsilon'; delta' is computed with directed rounding.
 */
#include "core/accounting/composition.h"

#include <math.h>
#include <mpfr.h>

#include "core/base/mutant.h"

#define PRECISION 192

/* A pause may not return, so MPFR's numbers are on the stack here and need not be cleared. */
#define TERMS_BETWEEN_PAUSES 1024

/* (k - 2 l) epsilon - epsilon', in nano-units: k and epsilon are below 2^17 and 2^50. */
static int64_t
loss_beyond(int64_t k, int64_t l, int64_t epsilon, int64_t composed)
{
	return epsilon > INT64_MAX / 2 / k ? INT64_MAX / 2 : (k - 2 * l) * epsilon - composed;
}

/* x = numerator / one, rounded in the given direction. */
static void
set_quotient(mpfr_t x, int64_t numerator, int64_t one, mpfr_rnd_t rounding)
{
	mpfr_set_sj(x, numerator, rounding);
	mpfr_div_ui(x, x, (unsigned long) one, rounding);
}

/* delta_k, rounded up. */
static void
sum_above(mpfr_t sum, int64_t k, int64_t epsilon, int64_t composed, Pause pause)
{
	MPFR_DECL_INIT(odds, PRECISION); /* e^-epsilon */
	MPFR_DECL_INIT(mass, PRECISION);
	MPFR_DECL_INIT(term, PRECISION);

	set_quotient(odds, -epsilon, EPSILON_ONE, MPFR_RNDD);
	mpfr_exp(mass, odds, MPFR_RNDD);
	mpfr_log1p(mass, mass, MPFR_RNDD);
	mpfr_mul_ui(mass, mass, (unsigned long) k, MPFR_RNDD);
	mpfr_neg(mass, mass, MPFR_RNDU);
	mpfr_exp(mass, mass, MPFR_RNDU); /* of l = 0: (1 + e^-epsilon)^-k */
	set_quotient(odds, -epsilon, EPSILON_ONE, MPFR_RNDU);
	mpfr_exp(odds, odds, MPFR_RNDU);
	mpfr_set_zero(sum, 1);
	for (int64_t l = 0; l <= k; l++)
	{
		int64_t beyond = loss_beyond(k, l, epsilon, composed);

		if (beyond <= 0)
			break;
		set_quotient(term, -beyond, EPSILON_ONE, MPFR_RNDD);
		mpfr_expm1(term, term, MPFR_RNDD);
		mpfr_mul(term, term, mass, MPFR_RNDD);
		mpfr_sub(sum, sum, term, MPFR_RNDU);
		mpfr_mul_ui(mass, mass, (unsigned long) (k - l), MPFR_RNDU);
		mpfr_div_ui(mass, mass, (unsigned long) (l + 1), MPFR_RNDU);
		mpfr_mul(mass, mass, odds, MPFR_RNDU);
		if (l % TERMS_BETWEEN_PAUSES == 0)
			take_pause(pause);
	}
}

int64_t
composition_optimal_delta(int64_t k, int64_t epsilon, int64_t delta, int64_t composed, Pause pause)
{
	MPFR_DECL_INIT(sum, PRECISION);
	MPFR_DECL_INIT(rest, PRECISION);
	int64_t total;

	if (k <= 0)
		return 0;
	if (delta >= DELTA_ONE || k > COMPOSITION_MOST)
		return DELTA_ONE;
	sum_above(sum, k, epsilon, composed, pause);
	if (mpfr_cmp_ui(sum, 1) >= 0)
		total = DELTA_ONE;
	else
	{
		/* 1 - exp(k ln(1 - delta) + ln(1 - delta_k)) */
		mpfr_neg(sum, sum, MPFR_RNDD);
		mpfr_log1p(sum, sum, MPFR_RNDD);
		set_quotient(rest, MUTANT(126) ? 0 : -delta, DELTA_ONE, MPFR_RNDD);
		mpfr_log1p(rest, rest, MPFR_RNDD);
		mpfr_mul_ui(rest, rest, (unsigned long) k, MPFR_RNDD);
		mpfr_add(sum, sum, rest, MPFR_RNDD);
		mpfr_expm1(sum, sum, MPFR_RNDD);
		mpfr_neg(sum, sum, MPFR_RNDU);
		mpfr_mul_ui(sum, sum, (unsigned long) DELTA_ONE, MPFR_RNDU);
		total = mpfr_get_sj(sum, MPFR_RNDU);
	}
	return total < DELTA_ONE ? total : DELTA_ONE;
}

/* ---- epsilon at a delta ---- */

/* delta_k in doubles. */
static double
proposed_sum(int64_t k, double epsilon, double composed)
{
	double sum = 0;

	for (int64_t l = 0; l <= k; l++)
	{
		double beyond = (double) (k - 2 * l) * epsilon - composed;
		double log_mass = lgamma((double) k + 1) - lgamma((double) l + 1) -
						  lgamma((double) (k - l) + 1) - (double) l * epsilon -
						  (double) k * log1p(exp(-epsilon));

		if (beyond <= 0)
			break;
		sum += exp(log_mass) * -expm1(-beyond);
	}
	return sum;
}

/* Bisection for epsilon'; the part 1 - (1 - delta)^k of delta' does not depend on it. */
static double
propose(int64_t k, double epsilon, double rest, Pause pause)
{
	double low = 0;
	double high = (double) k * epsilon;

	for (int i = 0; i < 60 && high - low > 1e-10; i++)
	{
		double middle = (low + high) / 2;

		take_pause(pause);
		if (proposed_sum(k, epsilon, middle) <= rest)
			high = middle;
		else
			low = middle;
	}
	return high;
}

bool
composition_optimal_epsilon(int64_t k, int64_t epsilon, int64_t delta, int64_t composed_delta,
							Pause pause, int64_t *composed)
{
	double all = -expm1((double) k * log1p(-(double) delta / DELTA_ONE));
	double rest = ((double) composed_delta / DELTA_ONE - all) / (1 - all);
	int64_t most;

	*composed = 0;
	if (k <= 0)
		return true;
	if (k > COMPOSITION_MOST || epsilon > INT64_MAX / 2 / k)
		return false;
	most = k * epsilon;
	*composed =
		(int64_t) floor(propose(k, (double) epsilon / EPSILON_ONE, rest, pause) * EPSILON_ONE);
	for (int64_t more = 1; *composed < most; more *= 2)
	{
		if (composition_optimal_delta(k, epsilon, delta, *composed, pause) <= composed_delta)
			return true;
		*composed += more;
	}
	*composed = most;
	return composition_optimal_delta(k, epsilon, delta, most, pause) <= composed_delta;
}
