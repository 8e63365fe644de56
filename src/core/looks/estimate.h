/*
 * estimate.h - a share, or the AUC, from noisy counts, and where the truth is.
 *
 * The estimate solves T(theta) = 0, where T is a sum of products of the noisy counts that is 0 at
 * the truth without noise.  At the truth it is a weighted sum of the noises, whose law is known, so
 * that theta is in the interval unless |T(theta)| is larger than the noise makes it but for a
 * chance of 1 - confidence.  For a share of two counts the interval holds the truth so often
 * (theorem X8); for the AUC the weights are noisy counts themselves, and the confidence is reached
 * as the counts grow (theorem X10).
 *
 * A second interval is of the share or AUC in a population of which the rows are an independent
 * sample: T then has the variance of sampling, too, and the law of a normal number (rule X9).  The
 * means of bounded numbers have one that holds for every population (theorem X15).
 */
#ifndef DPOBJ_CORE_ESTIMATE_H
#define DPOBJ_CORE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/noise/noisy.h"

/* Where a number is.  Not every field is used for every number. */
typedef struct Estimate
{
	bool known; /* has it a value?  A share of less than one noisy row has none. */
	double value;
	double low; /* the truth of these rows, but for a chance of 1 - confidence */
	double high;
	double sample_low; /* of the population */
	double sample_high;
	int64_t rows; /* a noisy number of rows, or a bound of an error in ranks */
} Estimate;

/* Two counts with this noise on each. */
extern void estimate_share(const Noise *noise, int64_t first, int64_t second, double confidence,
						   Estimate *share);

/*
 * The share of one of several such counts in all of them, of which the rest is the sum of so many
 * others; by the noise alone (theorem X12).
 */
extern void estimate_share_among(const Noise *noise, int64_t first, int64_t rest, int others,
								 double confidence, Estimate *share);

/* The same of two sums of so many such counts, with both intervals. */
extern void estimate_share_of_sums(const Noise *noise, int64_t first, int firsts, int64_t rest,
								   int others, double confidence, Estimate *share);

/* The most bins of a histogram by label. */
#define ESTIMATE_MAX_BINS 500

/*
 * A histogram of positive and of negative rows in ascending bins of a score, two numbers with such
 * noise for each bin.  The AUC is the chance that a positive row is in a higher bin than a negative
 * one, plus half the chance that both are in one bin.  ties: half the noisy share of pairs in one
 * bin, which is how far the AUC of the scores may be from that of their bins.
 */
extern void estimate_auc(const Noise *noise, const int64_t *number, int bins, double confidence,
						 Estimate *auc, double *ties);

/*
 * The lift of the bins from one on in such a histogram: their share of the positive rows over their
 * share of all rows.  Like that of the AUC, its confidence is reached as the counts grow (rule
 * X18).
 */
extern void estimate_lift(const Noise *noise, const int64_t *number, int bins, int from,
						  double confidence, Estimate *lift);

/* No lift is beyond it. */
#define ESTIMATE_MOST_LIFT 100.0

/*
 * Of numbers from 0 to 1, at least so many of which are an independent sample of a population and
 * have a mean from *low to *high: widens this to where the mean of the population is, but for a
 * chance of beta (theorem X15).
 */
extern void estimate_mean_of_population(double rows, double beta, double *low, double *high);

/*
 * Rounds to two digits of half of the interval, the ends outwards, so that no digit is shown that
 * is noise only.
 */
extern void estimate_round(Estimate *estimate);

#endif
