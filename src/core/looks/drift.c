/*
 * drift.c - differences of shares, and the total variation distance, with their intervals.
 */
#include "core/looks/drift.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "core/base/mutant.h"
#include "core/base/privacy.h"

/* The noises of the two are independent, so both intervals hold at once with the confidence. */
static double
confidence_of_one(double confidence)
{
	return sqrt(confidence);
}

static const Estimate nothing = {.low = -1.0, .high = 1.0};

/* ---- one bin ---- */

static void
find_share(const NoisyHistogram *histogram, int bins, int bin, double confidence, Estimate *share)
{
	Noise noise = noise_laplace(histogram->epsilon, histogram->reach);
	int64_t rest = 0;

	for (int i = 0; i < bins; i++)
		rest += i == bin ? 0 : histogram->number[i];
	estimate_share_among(&noise, histogram->number[bin], rest, bins - 1, confidence, share);
}

void
drift_of_bin(const NoisyHistogram *before, const NoisyHistogram *after, int bins, int bin,
			 double confidence, Estimate *share_before, Estimate *share_after, Estimate *difference)
{
	find_share(before, bins, bin, confidence_of_one(confidence), share_before);
	find_share(after, bins, bin, confidence_of_one(confidence), share_after);
	*difference = nothing;
	difference->known = share_before->known && share_after->known;
	if (difference->known)
	{
		difference->value = share_after->value - share_before->value;
		difference->low = share_after->low - share_before->high;
		difference->high = share_after->high - share_before->low;
	}
	estimate_round(share_before);
	estimate_round(share_after);
	estimate_round(difference);
}

/* ---- all bins ---- */

/* A number of rows, none below 0. */
static double
rows_of(const NoisyHistogram *histogram, int bin)
{
	return histogram->number[bin] > 0 ? (double) histogram->number[bin] : 0.0;
}

static double
all_rows(const NoisyHistogram *histogram, int bins)
{
	double rows = 0.0;

	for (int i = 0; i < bins; i++)
		rows += rows_of(histogram, i);
	return rows;
}

/*
 * P(sum of the positive ones of so many noises > x): each noise is positive with chance rho / (1 +
 * rho), and then geometric; j of those add up to more than x if x trials have less than j successes
 * of chance 1 - rho.
 */
static double
tail_of_positive(double rate, int count, double x)
{
	double rho = exp(-rate);
	double chance = 0.0;

	for (int j = 1; j <= count; j++)
		chance += gsl_ran_binomial_pdf(j, rho / (1 + rho), count) *
				  (x < j ? 1.0 : gsl_cdf_beta_Q(-expm1(-rate), j, x - j + 1));
	return chance;
}

/*
 * Half the sum of the sizes of the errors of all shares is not larger, but for a chance of beta:
 * the positive noises of all bins together, or the negative ones, over the noisy number of rows.
 */
static double
error_of_shares(const NoisyHistogram *histogram, int bins, double beta)
{
	double rate = privacy_epsilon(histogram->epsilon) / (double) histogram->reach;
	int count = MUTANT(306) ? 1 : bins;
	double inside = -1.0;
	double outside = 1.0;

	while (tail_of_positive(rate, count, outside) > beta / 2)
		outside *= 2;
	while (outside - inside > fmax(1.0, outside * 1e-6))
	{
		double middle = floor((inside + outside) / 2);

		if (tail_of_positive(rate, count, middle) > beta / 2)
			inside = middle;
		else
			outside = middle;
	}
	return outside / all_rows(histogram, bins);
}

void
drift_total(const NoisyHistogram *before, const NoisyHistogram *after, int bins, double confidence,
			Estimate *total)
{
	double rows_before = all_rows(before, bins);
	double rows_after = all_rows(after, bins);
	double beta = 1.0 - confidence_of_one(confidence);
	gsl_error_handler_t *handler;
	double error;

	*total = (Estimate){.known = rows_before > 0 && rows_after > 0, .high = 1.0};
	if (!total->known)
		return;
	for (int i = 0; i < bins; i++)
		total->value += fabs(rows_of(after, i) / rows_after - rows_of(before, i) / rows_before) / 2;
	/* Without a handler, what GSL cannot compute is NaN, and the interval all of 0 to 1. */
	handler = gsl_set_error_handler_off();
	error = error_of_shares(before, bins, beta) +
			error_of_shares(MUTANT(307) ? before : after, bins, beta);
	(void) gsl_set_error_handler(handler);
	total->low = fmax(total->value - error, 0.0);
	total->high = fmin(total->value + error, 1.0);
	estimate_round(total);
}
