/*
 * estimate.c - intervals of shares and of the AUC by the law of weighted sums of noises, and of the
 * mean of a population.
 */
#include "core/looks/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mutant.h"
#include "core/looks/evaluation.h"

#define PI 3.14159265358979323846

/* ---- laws of weighted sums ---- */

/*
 * P(|u L + v M| > x) for u, v >= 0 and Laplace numbers L, M with density rate / 2 exp(-rate |z|).
 */
static double
tail_of_two(double rate, double u, double v, double x)
{
	double larger = fmax(u, v);
	double ratio = fmin(u, v) / larger;
	double a = rate * x / larger;

	if (x <= 0)
		return 1.0;
	if (ratio > 1 - 1e-5) /* nearly equal: the limit, with less than 10^-5 of the larger one */
		return (1 + a / 2) * exp(-a);
	return (exp(-a) - (ratio > 0 ? ratio * ratio * exp(-a / ratio) : 0)) / (1 - ratio * ratio);
}

/* In units of a sum's standard deviation: beyond it a tail is below 10^-7. */
#define FAR 12

/* The most that the terms that are left out may add up to. */
#define LEFT_OUT 1e-8

/* What stands for a noise: a Laplace number of this scale, or a normal one of this variance. */
typedef struct Number
{
	double scale;
	double variance;
} Number;

/*
 * P(|S| > x) for the sum S of such numbers times their weights, each weight so many times (NULL:
 * once), and of one more normal number of this variance: the Fourier series of the indicator of |S|
 * <= x, whose period is so long that S is hardly ever beyond it.  The transform of S falls from
 * term to term, and sums of sines are bounded, so the terms after number j add up to less than
 * transform * period / (j x).
 */
static double
tail_of_many(Number number, const double *weight, int count, const int *times, double variance,
			 double x)
{
	double scale = number.scale;
	double squares = 0.0;
	double spread;
	double period;
	double inside;
	double transform = 1.0;

	for (int i = 0; i < count; i++)
		squares += (times == NULL ? 1 : times[i]) * weight[i] * weight[i];
	variance += squares * number.variance;
	spread = sqrt(variance + 2 * squares * scale * scale);
	if (x <= 0 || x > FAR * spread)
		return x <= 0 ? 1.0 : 0.0;
	period = x + FAR * spread;
	inside = x / period;
	for (int j = 1; transform * period > LEFT_OUT * j * x; j++)
	{
		double t = PI * j / period;
		double product = 1.0;

		for (int i = 0; scale > 0 && i < count; i++)
		{
			double factor = 1 + weight[i] * weight[i] * scale * scale * t * t;

			product *= times == NULL || times[i] == 1 ? factor : pow(factor, times[i]);
		}
		transform = exp(-variance * t * t / 2) / product;
		inside += 2 * sin(t * x) / (PI * j) * transform;
	}
	return fmax(1.0 - inside, 0.0);
}

/* ---- intervals ---- */

/* Counts, and how they make T(theta). */
typedef struct Pivot
{
	const Noise *noise; /* of each number */
	bool sample;        /* of the population? */
	/* of a share */
	double first;
	double second;
	int firsts; /* numbers that the first is the sum of */
	int others; /* and the second */
	/* of a lift: positive rows above, rows above, positive rows, rows */
	bool lift;
	int from;
	double sum[4];
	/* of an AUC or a lift; bins: 0 for a share */
	int bins;
	const int64_t *number;
	double positive; /* rows */
	double negative;
	double pairs;                         /* in order, and half of those in one bin */
	double before[2 * ESTIMATE_MAX_BINS]; /* for each number, such pairs with one more row */
	double weight[2 * ESTIMATE_MAX_BINS]; /* room for those of chance_of_auc() */
} Pivot;

/* A number of the variance of the noise. */
static Number
alike(const Noise *noise)
{
	double variance = noise_variance(noise);

	if (noise->deviation > 0)
		return (Number){.variance = variance};
	return (Number){.scale = sqrt(variance / 2)};
}

/*
 * A number that, but for a half of its weight, is at least as far from 0 as the noise: with a
 * Laplace law of a slightly lower rate, or the normal number before it is rounded (theorem X8).
 */
static Number
farther(const Noise *noise)
{
	double deviation = (MUTANT(390) ? 0.8 : 1.0) * noise->deviation;
	double rate = (MUTANT(294) ? 1.3 : 1.0) * 2 * tanh(noise->rate / 2);

	if (deviation > 0)
		return (Number){.variance = deviation * deviation};
	return (Number){.scale = 1 / rate};
}

/* The chance that T is as far from 0 as it is at theta. */
static double
chance_of_share(const Pivot *pivot, double theta)
{
	double weight[] = {1 - theta, theta};
	double distance = fabs((1 - theta) * pivot->first - theta * pivot->second);
	double variance = (pivot->first + pivot->second) * theta * (1 - theta);

	Number number = farther(pivot->noise);
	int times[] = {pivot->firsts, MUTANT(305) ? 1 : pivot->others};

	if (pivot->sample)
		return tail_of_many(alike(pivot->noise), weight, 2, times, variance, distance);
	if (number.scale > 0 && times[0] == 1 && times[1] == 1)
		return tail_of_two(1 / number.scale, weight[0], weight[1], distance - 0.5);
	return tail_of_many(number, weight, 2, times, 0.0,
						distance - (times[0] * weight[0] + times[1] * weight[1]) / 2);
}

static double
chance_of_auc(Pivot *pivot, double theta)
{
	double distance = fabs(pivot->pairs - theta * pivot->positive * pivot->negative);
	double variance = 0.0;

	for (int i = 0; i < 2 * pivot->bins; i++)
	{
		double others = i % 2 == 0 ? pivot->negative : pivot->positive;

		pivot->weight[i] = pivot->before[i] - theta * others;
		variance += (double) pivot->number[i] * pivot->weight[i] * pivot->weight[i];
	}
	return tail_of_many(alike(pivot->noise), pivot->weight, 2 * pivot->bins, NULL,
						pivot->sample ? fmax(variance, 0.0) : 0.0, distance);
}

/*
 * T is (positive rows above) (rows) - theta (rows above) (positive rows), and a weight is what one
 * more row adds to it: a positive or a negative one, above or below.
 */
static double
chance_of_lift(const Pivot *pivot, double theta)
{
	const double *sum = pivot->sum;
	int above = pivot->bins - pivot->from;
	int times[] = {above, above, pivot->from, pivot->from};
	double rows[] = {sum[0], sum[1] - sum[0], sum[2] - sum[0], sum[3] - sum[1] - sum[2] + sum[0]};
	double weight[] = {sum[3] + sum[0] - theta * (sum[2] + sum[1]), sum[0] - theta * sum[2],
					   sum[0] - theta * sum[1], sum[0]};
	double variance = 0.0;

	for (int i = 0; i < 4; i++)
		variance += fmax(rows[i], 0.0) * weight[i] * weight[i];
	return tail_of_many(alike(pivot->noise), weight, 4, times, pivot->sample ? variance : 0.0,
						fabs(sum[0] * sum[3] - theta * sum[1] * sum[2]));
}

static double
chance(Pivot *pivot, double theta)
{
	if (pivot->lift)
		return chance_of_lift(pivot, theta);
	return pivot->bins > 0 ? chance_of_auc(pivot, theta) : chance_of_share(pivot, theta);
}

/* The largest value. */
static double
most(const Pivot *pivot)
{
	return pivot->lift ? ESTIMATE_MOST_LIFT : 1.0;
}

/* Where the chance falls to beta on the way from the estimate to an end of all values. */
static double
find_end(Pivot *pivot, double estimate, double end, double beta)
{
	double inside = estimate;
	double outside = end;

	if (chance(pivot, end) > beta)
		return end;
	for (int i = 0; i < 26; i++)
	{
		double middle = (inside + outside) / 2;

		if (chance(pivot, middle) > beta)
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

static void
find_interval(Pivot *pivot, double confidence, Estimate *estimate)
{
	estimate->low = find_end(pivot, estimate->value, 0.0, 1.0 - confidence);
	estimate->high = find_end(pivot, estimate->value, most(pivot), 1.0 - confidence);
}

/* After find_interval(). */
static void
find_sample_interval(Pivot *pivot, double confidence, Estimate *estimate)
{
	double beta = 1.0 - confidence;

	pivot->sample = true;
	estimate->sample_low = fmin(find_end(pivot, estimate->value, 0.0, beta), estimate->low);
	estimate->sample_high =
		fmax(find_end(pivot, estimate->value, most(pivot), beta), estimate->high);
}

/* What nobody knows is between 0 and 1. */
static const Estimate unknown = {.high = 1.0, .sample_high = 1.0};

/* The share of the first number in the sum of all, and where it is by the noise alone. */
static void
find_share(Pivot *pivot, int64_t first, int64_t rest, double confidence, Estimate *share)
{
	*share = unknown;
	/* no count is below 0, and the interval of counts that are cut off holds the other one */
	pivot->first = first > 0 ? (double) first : 0.0;
	pivot->second = rest > 0 ? (double) rest : 0.0;
	if (__builtin_add_overflow(first, rest, &share->rows))
		share->rows = first < 0 ? INT64_MIN : INT64_MAX;
	share->known = evaluation_accuracy(first, rest, &share->value);
	if (!share->known)
		return;
	find_interval(pivot, confidence, share);
	if (noisy_error(pivot->noise, pivot->firsts + pivot->others, 1.0 - confidence) == 0)
		share->low = share->high = share->value; /* no noise, at this confidence */
}

void
estimate_share_among(const Noise *noise, int64_t first, int64_t rest, int others, double confidence,
					 Estimate *share)
{
	Pivot pivot = {.noise = noise, .firsts = 1, .others = others};

	find_share(&pivot, first, rest, confidence, share);
}

void
estimate_share(const Noise *noise, int64_t first, int64_t second, double confidence,
			   Estimate *share)
{
	estimate_share_of_sums(noise, first, 1, second, 1, confidence, share);
}

void
estimate_share_of_sums(const Noise *noise, int64_t first, int firsts, int64_t rest, int others,
					   double confidence, Estimate *share)
{
	Pivot pivot = {.noise = noise, .firsts = firsts, .others = others};

	find_share(&pivot, first, rest, confidence, share);
	if (share->known)
		find_sample_interval(&pivot, confidence, share);
}

/* ---- the AUC ---- */

/* Adds up rows and pairs; returns the number of pairs in one bin. */
static double
count_pairs(Pivot *pivot)
{
	double same = 0.0;
	double below[2] = {0.0, 0.0}; /* positive and negative rows in lower bins */

	for (int i = 0; i < pivot->bins; i++)
	{
		pivot->positive += (double) pivot->number[2 * i];
		pivot->negative += (double) pivot->number[2 * i + 1];
	}
	for (int i = 0; i < pivot->bins; i++)
	{
		double positive = (double) pivot->number[2 * i];
		double negative = (double) pivot->number[2 * i + 1];

		pivot->before[2 * i] = below[1] + negative / 2;
		pivot->before[2 * i + 1] = pivot->positive - below[0] - positive / 2;
		pivot->pairs += positive * pivot->before[2 * i];
		same += positive * negative;
		below[0] += positive;
		below[1] += negative;
	}
	return same;
}

/* Are there more rows of a label than the noise of all bins makes, but for a chance of beta? */
static bool
is_noticed(const Pivot *pivot, double rows, double beta)
{
	double one[ESTIMATE_MAX_BINS];

	for (int i = 0; i < pivot->bins; i++)
		one[i] = 1.0;
	return rows > 0 && tail_of_many(alike(pivot->noise), one, pivot->bins, NULL, 0.0, rows) <= beta;
}

void
estimate_auc(const Noise *noise, const int64_t *number, int bins, double confidence, Estimate *auc,
			 double *ties)
{
	Pivot pivot = {.noise = noise, .bins = bins, .number = number};
	double same = count_pairs(&pivot);
	double all = pivot.positive * pivot.negative;

	*auc = unknown;
	*ties = 0.5;
	auc->known = is_noticed(&pivot, pivot.positive, 1.0 - confidence) &&
				 is_noticed(&pivot, pivot.negative, 1.0 - confidence);
	if (!auc->known)
		return;
	auc->value = fmin(fmax(pivot.pairs / all, 0.0), 1.0);
	*ties = fmin(fmax(same / all / 2, 0.0), 0.5);
	find_interval(&pivot, confidence, auc);
	find_sample_interval(&pivot, confidence, auc);
}

/* ---- lift ---- */

void
estimate_lift(const Noise *noise, const int64_t *number, int bins, int from, double confidence,
			  Estimate *lift)
{
	Pivot pivot = {.noise = noise, .lift = true, .from = from, .bins = bins, .number = number};
	double *sum = pivot.sum;

	for (int i = 0; i < 2 * bins; i++)
	{
		bool positive = i % 2 == 0;
		bool above = i >= 2 * from;

		sum[0] += positive && above ? (double) number[i] : 0.0;
		sum[1] += above ? (double) number[i] : 0.0;
		sum[2] += positive ? (double) number[i] : 0.0;
		sum[3] += (double) number[i];
	}
	*lift = (Estimate){.high = ESTIMATE_MOST_LIFT, .sample_high = ESTIMATE_MOST_LIFT};
	lift->known = is_noticed(&pivot, sum[2], 1.0 - confidence) && sum[1] > 0;
	if (!lift->known)
		return;
	lift->value = fmin(fmax(sum[0] * sum[3] / (sum[1] * sum[2]), 0.0), ESTIMATE_MOST_LIFT);
	find_interval(&pivot, confidence, lift);
	find_sample_interval(&pivot, confidence, lift);
}

/* ---- the mean of a population ---- */

/* The relative entropy of two chances, x from 0 to 1 and q between; differences stay exact. */
static double
entropy_of(double x, double q)
{
	double first = x > 0 ? -x * log1p((q - x) / x) : 0.0;
	double second = x < 1 ? -(1 - x) * log1p((x - q) / (1 - x)) : 0.0;

	return first + second;
}

/* Where the entropy rises to the most on the way from x to an end. */
static double
entropy_end(double x, double end, double most)
{
	double inside = x;
	double outside = end;

	for (int i = 0; i < 60; i++)
	{
		double middle = (inside + outside) / 2;

		if (middle == inside || middle == outside)
			break;
		if (entropy_of(x, middle) > most)
			outside = middle;
		else
			inside = middle;
	}
	return outside;
}

void
estimate_mean_of_population(double rows, double beta, double *low, double *high)
{
	/* slightly larger, so that rounding loses nothing */
	double most = log(2.0 / beta) / ((MUTANT(340) ? 4 : 1) * rows) * (1 + 1e-6);

	*low = entropy_end(fmin(fmax(*low, 0.0), 1.0), 0.0, most);
	*high = entropy_end(fmin(fmax(*high, 0.0), 1.0), 1.0, most);
}

/* ---- digits ---- */

/* A number without noise gets so many digits. */
#define MOST_DIGITS 6

/* Rounds by this function to a multiple of 10^-digits. */
static double
rounded(double number, int digits, double (*round)(double))
{
	double power = pow(10.0, abs(digits));

	if (!isfinite(number))
		return number;
	return digits > 0 ? round(number * power) / power : round(number / power) * power;
}

void
estimate_round(Estimate *estimate)
{
	double half = (estimate->high - estimate->low) / 2;
	double least = fabs(estimate->value) * pow(10.0, 2 - MOST_DIGITS);
	int digits;

	if (!estimate->known)
		return;
	half = isfinite(half) ? fmax(half, least) : 1.0;
	if (!(half > 0)) /* 0 without noise */
		half = (estimate->sample_high - estimate->sample_low) / 2;
	if (!(half > 0))
		return;
	digits = 1 - (int) floor(log10(half));
	estimate->value = rounded(estimate->value, digits, rint);
	estimate->low = rounded(estimate->low, digits, floor);
	estimate->high = rounded(estimate->high, digits, ceil);
	estimate->sample_low = rounded(estimate->sample_low, digits, floor);
	estimate->sample_high = rounded(estimate->sample_high, digits, ceil);
}
