/*
 * test_estimate.c - shares and the AUC of noisy counts: the law of the intervals by direct sums,
 * how often intervals of counts, accuracies, AUCs, R-squareds and ranks hold the truth in 10,000
 * runs of the exact noise, and the digits.
 */
#include "core/looks/estimate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "core/base/privacy.h"
#include "core/fixture.h"
#include "core/looks/evaluation.h"
#include "core/looks/look.h"
#include "core/noise/noisy.h"

#define RUNS check_repetitions(10000)

static const double confidences[] = {0.5, 0.9, 0.95, 0.99};

/* Checks that a chance is at least the confidence, and with fine noise within 1 % of it. */
static void
check_coverage(double held, double confidence, bool is_fine)
{
	/* five standard deviations: a chance of 3 in 10^7 */
	double luck = 5 * sqrt(confidence * (1 - confidence) / RUNS);

	CHECK(held / RUNS >= confidence - luck);
	CHECK(!is_fine || fabs(held / RUNS - confidence) <= 0.01 + luck);
}

/* The chance of so many ones in so many rows. */
static double
binomial(int ones, int rows, double p)
{
	return exp(lgamma(rows + 1) - lgamma(ones + 1) - lgamma(rows - ones + 1) + ones * log(p) +
			   (rows - ones) * log1p(-p));
}

static void
add_noise(const Noise *noise, int64_t *number, int count)
{
	static const uint64_t one[2 * ESTIMATE_MAX_BINS] = {[0 ... 2 * ESTIMATE_MAX_BINS - 1] = 1};

	if (noise->deviation > 0)
		noisy_normal(&bits, memory, noise->deviation, number, count);
	else
		noisy_numbers(&bits, llrint(noise->rate * EPSILON_ONE), one, number, count);
}

/* ---- shares ---- */

static double
noise_probability(int64_t z, const Noise *noise)
{
	double d = noise->deviation;
	double a = fabs((double) z);

	if (d > 0)
		return gsl_cdf_ugaussian_P((a + 0.5) / d) - gsl_cdf_ugaussian_P((a - 0.5) / d);
	return tanh(noise->rate / 2) * exp(-noise->rate * a);
}

/* The chance that the interval holds the truth, by a sum over all pairs of noises. */
static double
exact_coverage(int64_t first, int64_t second, const Noise *noise, double confidence)
{
	enum
	{
		REACH = 30
	};
	double truth = (double) first / (double) (first + second);
	double chance = 0;

	for (int64_t a = -REACH; a <= REACH; a++)
		for (int64_t b = -REACH; b <= REACH; b++)
		{
			Estimate share;

			estimate_share(noise, first + a, second + b, confidence, &share);
			CHECK(0 <= share.low && share.low <= share.high && share.high <= 1);
			CHECK(share.sample_low <= share.low && share.high <= share.sample_high);
			CHECK(share.known == (first + a > 0 || second + b > 0));
			CHECK(!share.known || (share.low <= share.value && share.value <= share.high));
			CHECK(share.known || (share.low == 0 && share.high == 1));
			if (share.low <= truth && truth <= share.high)
				chance += noise_probability(a, noise) * noise_probability(b, noise);
		}
	return chance;
}

/* At least the confidence, whatever the counts, and no more than the next noise away. */
static void
test_exact_coverage(void)
{
	static const int64_t counts[][2] = {{12, 5}, {0, 3}, {40, 2}, {20, 20}};
	static const Noise noises[][2] = {{{.rate = 0.5}, {.rate = 5}},
									  {{.deviation = 3}, {.deviation = 0.3}}};
	int step = check_share() < 100 ? 3 : 1; /* the sums take seconds */

	for (int law = 0; law < 2; law++)
	{
		double nearest = 1;

		for (int i = 0; i < 4; i += step)
			for (int l = 0; l < 4; l += step)
			{
				double fine =
					exact_coverage(counts[i][0], counts[i][1], &noises[law][0], confidences[l]);
				double rough =
					exact_coverage(counts[i][0], counts[i][1], &noises[law][1], confidences[l]);

				/* that of normal numbers is computed from a series */
				CHECK(fmin(fine, rough) >= confidences[l] - (law == 0 ? 1e-9 : 1e-6));
				nearest = fmin(nearest, fine - confidences[l]);
			}
		CHECK_WHOLE(nearest < 0.01);
	}
}

#define SHARE_ROWS 1000

/* below_of[k]: the chance of fewer than k ones, so that one number between 0 and 1 draws them. */
static int
draw_ones(const double *below_of)
{
	double u = between(0, 1);
	int low = 0;
	int high = SHARE_ROWS;

	while (low < high)
	{
		int middle = (low + high + 1) / 2;

		if (below_of[middle] <= u)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/*
 * In runs: of 1000 rows, of which so many are ones, and of the population that they are drawn from.
 */
static void
test_share(int64_t first, Noise noise, double confidence, bool is_fine)
{
	double truth = (double) first / SHARE_ROWS;
	double below_of[SHARE_ROWS + 1] = {0};
	double held = 0;
	double held_sample = 0;

	for (int k = 0; k < SHARE_ROWS; k++)
		below_of[k + 1] = below_of[k] + binomial(k, SHARE_ROWS, truth);
	for (int run = 0; run < RUNS; run++)
	{
		int64_t count[] = {first, SHARE_ROWS - first};
		int64_t ones = draw_ones(below_of);
		int64_t drawn[] = {ones, SHARE_ROWS - ones};
		Estimate share;

		add_noise(&noise, count, 2);
		estimate_share(&noise, count[0], count[1], confidence, &share);
		held += share.low <= truth && truth <= share.high;
		add_noise(&noise, drawn, 2);
		estimate_share(&noise, drawn[0], drawn[1], confidence, &share);
		held_sample += share.sample_low <= truth && truth <= share.sample_high;
	}
	check_coverage(held, confidence, is_fine);
	/* a normal number stands for a sample of whole rows */
	CHECK(fabs(held_sample / RUNS - confidence) <=
		  0.01 + 5 * sqrt(confidence * (1 - confidence) / RUNS) + (is_fine ? 0 : 0.02));
}

static void
test_shares(void)
{
	for (int l = 0; l < 4; l++)
	{
		test_share(800, (Noise){.rate = 0.05}, confidences[l], confidences[l] > 0.5);
		test_share(450, (Noise){.rate = 0.025}, confidences[l], true);
		test_share(50, (Noise){.rate = 0.25}, confidences[l], false);
		test_share(450, (Noise){.deviation = 40}, confidences[l], true);
		test_share(50, (Noise){.deviation = 5}, confidences[l], false);
	}
}

/* ---- the AUC ---- */

/* By its definition, over all pairs of rows. */
static double
auc_of_pairs(const int64_t *number, int bins, double *same)
{
	double above = 0;
	double all = 0;

	*same = 0;
	for (int i = 0; i < bins; i++)
		for (int j = 0; j < bins; j++)
		{
			double pairs = (double) number[2 * i] * (double) number[2 * j + 1];

			all += pairs;
			above += i > j ? pairs : i == j ? pairs / 2 : 0;
			*same += i == j ? pairs : 0;
		}
	*same /= all;
	return above / all;
}

/* Adds so many rows; scores of positive ones are higher by this number of standard deviations. */
static void
add_scored(int rows, double positive, double shift, int bins, int64_t *number)
{
	Look look = {.type = &look_auc, .cells = 2 * bins, .lowest = -6, .highest = 6};

	for (int i = 0; i < rows; i++)
	{
		bool is_positive = between(0, 1) < positive;
		double score = is_positive ? shift : 0;

		for (int k = 0; k < 12; k++) /* nearly normal */
			score += between(-0.5, 0.5);
		look_add(&look, &(LookRow){.score = score, .negative = !is_positive, .rows = 1}, number);
	}
}

static void
test_auc(int rows, double positive, double shift, int bins, Noise noise, double confidence)
{
	int64_t exact[2 * ESTIMATE_MAX_BINS] = {0};
	double held = 0;
	double same;
	double truth;

	add_scored(rows, positive, shift, bins, exact);
	truth = auc_of_pairs(exact, bins, &same);
	for (int run = 0; run < RUNS; run++)
	{
		int64_t number[2 * ESTIMATE_MAX_BINS];
		double ties;
		Estimate auc;

		memcpy(number, exact, sizeof(number));
		add_noise(&noise, number, 2 * bins);
		estimate_auc(&noise, number, bins, confidence, &auc, &ties);
		CHECK(0 <= auc.low && auc.low <= auc.high && auc.high <= 1);
		CHECK(auc.sample_low <= auc.low && auc.high <= auc.sample_high);
		CHECK(!auc.known || (auc.low <= auc.value && auc.value <= auc.high));
		held += auc.low <= truth && truth <= auc.high;
	}
	check_coverage(held, confidence, true);
}

/* The rows are drawn anew in each run, from a population of nearly normal scores. */
static void
test_auc_of_samples(int rows, double confidence)
{
	enum
	{
		BINS = 20,
		MANY = 1000000
	};
	int64_t all[2 * BINS] = {0};
	double held = 0;
	double same;
	double truth;

	add_scored(MANY / 100 * check_share(), 0.4, 1, BINS, all);
	truth = auc_of_pairs(all, BINS, &same);
	for (int run = 0; run < RUNS; run++)
	{
		Noise noise = {.rate = 0.5};
		int64_t number[2 * BINS] = {0};
		double ties;
		Estimate auc;

		add_scored(rows, 0.4, 1, BINS, number);
		add_noise(&noise, number, 2 * BINS);
		estimate_auc(&noise, number, BINS, confidence, &auc, &ties);
		held += auc.sample_low <= truth && truth <= auc.sample_high;
	}
	check_coverage(held, confidence, true);
}

static void
test_aucs(void)
{
	static const int64_t few[] = {3, 4, 0, 2, 5, 5, 7, 0};
	static const int64_t none[] = {-3, 4, 1, 2, 0, 5, 0, 0};
	double same;
	double truth = auc_of_pairs(few, 4, &same);
	double ties;
	Estimate auc;

	/* without noise it is the definition */
	estimate_auc(&(Noise){.rate = 500000}, few, 4, 0.95, &auc, &ties);
	CHECK(auc.known && fabs(auc.value - truth) < 1e-12 && fabs(ties - same / 2) < 1e-12);
	CHECK(auc.high - auc.low < 1e-7);
	CHECK(auc.sample_high - auc.sample_low > 0.3);
	/* too few rows of one label tell nothing */
	estimate_auc(&(Noise){.rate = 0.5}, none, 4, 0.95, &auc, &ties);
	CHECK(!auc.known && auc.low == 0 && auc.high == 1 && ties == 0.5);
	reseed(3);
	for (int l = 0; l < 4; l++)
	{
		test_auc(2000, 0.3, 1, 40, (Noise){.rate = 0.5}, confidences[l]);
	}
	test_auc(10000, 0.05, 2, 30, (Noise){.rate = 0.25}, 0.95);
	test_auc(2000, 0.3, 1, 12, (Noise){.deviation = 4}, 0.95);
	test_auc_of_samples(500, 0.95);
}

/* ---- means of a population ---- */

/*
 * The exact chance that the interval holds the mean of a population of zeros and ones, which no
 * other population of that mean makes harder: the confidence at least, and less at half the width.
 */
static void
test_mean_of_population(int rows, double p, double beta)
{
	double held = 0;
	double halved = 0;

	for (int ones = 0; ones <= rows; ones++)
	{
		double low = (double) ones / rows;
		double high = low;

		estimate_mean_of_population(rows, beta, &low, &high);
		CHECK(0 <= low && low <= (double) ones / rows && (double) ones / rows <= high && high <= 1);
		if (low <= p && p <= high)
			held += binomial(ones, rows, p);
		if ((low + (double) ones / rows) / 2 <= p && p <= (high + (double) ones / rows) / 2)
			halved += binomial(ones, rows, p);
	}
	CHECK(held >= 1 - beta - 1e-9);
	CHECK(beta > 0.2 || halved < 1 - beta);
}

static void
test_means_of_populations(void)
{
	static const double p[] = {0.02, 0.3, 0.9};
	static const int rows[] = {400, 3000};
	double low = 0;
	double high = 0;
	double wider = 0;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
			for (int l = 0; l < 4; l++)
				test_mean_of_population(rows[j], p[i], 1 - confidences[l]);
	/* of zeros only: (1 - high)^rows = beta / 2 */
	estimate_mean_of_population(100, 0.1, &low, &high);
	CHECK(low == 0 && fabs(pow(1 - high, 100) - 0.05) < 1e-6);
	estimate_mean_of_population(100, 0.01, &low, &wider);
	CHECK(wider > high);
	/* far from it, nothing is known; of very many rows, nearly all */
	low = -1;
	high = 2;
	estimate_mean_of_population(1, 0.05, &low, &high);
	CHECK(low == 0 && high == 1);
	low = high = 0.25;
	estimate_mean_of_population(1e15, 0.05, &low, &high);
	CHECK(low < 0.25 && high > 0.25 && high - low < 1e-6);
}

/*
 * Rows with values at both bounds, of which this share is predicted to be at the other one:
 * R-squared is 1 - 4 share, and the mean size of a residual the share of the distance of the
 * bounds.
 */
static void
add_flipped(const Look *look, int rows, double share, int64_t *number)
{
	for (int i = 0; i < rows; i++)
	{
		int32_t x = between(0, 1) < 0.5 ? look->low : look->high;
		int32_t guess = between(0, 1) < share ? look->low + look->high - x : x;

		LookRow row = {.x = &x, .score = look->middle + look->unit * guess, .rows = 1};

		look_add(look, &row, number);
	}
}

/* How often the intervals of the population hold the truth, when rows and noise are drawn anew. */
static void
test_r_squared_of_samples(int rows, double share, int64_t epsilon, double confidence)
{
	Look look = {.type = &look_residuals, .cells = 1, .rows_per_person = 1};
	double held[RESIDUAL_ANSWERS] = {0};
	double width = 0;

	CHECK(look_set_bounds(&look, -1, 1));
	for (int run = 0; run < RUNS; run++)
	{
		const double truth[] = {
			[RESIDUAL_R_SQUARED] = 1 - 4 * share, [RESIDUAL_MEAN_SIZE] = 2 * share};
		int64_t number[RESIDUAL_NUMBERS] = {0};
		Estimate answer;

		add_flipped(&look, rows, share, number);
		look_draw(&look, epsilon, &bits, 0, number);
		for (int i = 0; i < RESIDUAL_ANSWERS; i++)
		{
			look_answer(&look, epsilon, confidence, number, i, &answer);
			CHECK(answer.sample_low <= answer.low && answer.high <= answer.sample_high);
			CHECK(answer.sample_high <= (i == RESIDUAL_R_SQUARED ? 1 : 2));
			held[i] += answer.sample_low <= truth[i] && truth[i] <= answer.sample_high;
			if (i == RESIDUAL_R_SQUARED)
				width += (answer.sample_high - answer.sample_low) / RUNS;
		}
	}
	for (int i = 0; i < RESIDUAL_ANSWERS; i++)
		check_coverage(held[i], confidence, false);
	/* it says something */
	CHECK(width < 0.5);
}

static void
test_r_squareds_of_samples(void)
{
	Look look = {.type = &look_residuals, .cells = 1, .rows_per_person = 1};
	int64_t none[RESIDUAL_NUMBERS] = {0};
	Estimate answer;

	reseed(5);
	for (int l = 0; l < 4; l++)
	{
		test_r_squared_of_samples(500, 0.01, 100 * EPSILON_ONE, confidences[l]);
		test_r_squared_of_samples(1000, 0.05, 2 * EPSILON_ONE, confidences[l]);
	}
	/* no rows: nothing is known */
	CHECK(look_set_bounds(&look, -1, 1));
	look_answer(&look, EPSILON_ONE, 0.95, none, RESIDUAL_R_SQUARED, &answer);
	CHECK(!answer.known && answer.sample_low == -INFINITY && answer.sample_high == 1);
	look_answer(&look, EPSILON_ONE, 0.95, none, RESIDUAL_MEAN_SIZE, &answer);
	CHECK(!answer.known && answer.sample_low == 0 && answer.sample_high == 2);
}

/* ---- counts and ranks ---- */

static void
test_counts(double confidence)
{
	Look look = {.type = &look_count, .cells = 1, .rows_per_person = 1};
	double held = 0;

	for (int run = 0; run < RUNS; run++)
	{
		int64_t number = 500;
		LookAnswer answer;

		look_draw(&look, EPSILON_ONE / 20, &bits, 0, &number);
		look_answer(&look, EPSILON_ONE / 20, confidence, &number, 0, &answer);
		held += answer.low <= 500 && 500 <= answer.high;
	}
	/* a count has whole steps: one more changes the chance by a twentieth of what is left */
	CHECK(fabs(held / RUNS - confidence) <=
		  0.01 + (1 - confidence) / 20 + 5 * sqrt(confidence * (1 - confidence) / RUNS));
	check_coverage(held, confidence, confidence >= 0.9);
}

/* Ranks of a value drawn: of the rows below it and up to it, the nearest to what was asked. */
static void
test_ranks(double confidence)
{
	enum
	{
		STEPS = 100,
		EACH = 20
	};
	Look look = {.type = &look_quantiles, .cells = 1, .rows_per_person = 1, .quantiles = 1};
	int64_t exact[STEPS + 1];
	double held = 0;

	look.quantile[0] = QUANTILE_ONE / 2;
	CHECK(look_set_grid(&look, 0, STEPS, true, STEPS));
	for (int i = 0; i <= STEPS; i++)
		exact[i] = EACH;
	for (int run = 0; run < RUNS; run++)
	{
		int64_t number[STEPS + 1];
		double wanted = 0.5 * EACH * (STEPS + 1);
		double rows;
		double distance;
		LookAnswer answer;

		memcpy(number, exact, sizeof(number));
		look_draw(&look, EPSILON_ONE / 10, &bits, 0, number);
		look_answer(&look, EPSILON_ONE / 10, confidence, number, 0, &answer);
		rows = answer.value * EACH;
		distance = fmax(fmax(rows - wanted, wanted - (rows + EACH)), 0);
		held += distance <= (double) answer.rows + 4e-6 * EACH * (STEPS + 1);
	}
	/* the bound holds for all rows, so for most it is wide */
	check_coverage(held, confidence, false);
}

static void
test_counts_and_ranks(void)
{
	for (int l = 0; l < 4; l++)
	{
		test_counts(confidences[l]);
		test_ranks(confidences[l]);
	}
}

/* ---- digits ---- */

static void
test_rounding(void)
{
	Estimate estimate = {.known = true, .value = 0.81234, .low = 0.79219, .high = 0.83011};

	estimate.sample_low = 0.7;
	estimate.sample_high = 0.9001;
	estimate_round(&estimate);
	/* half of the interval is 0.019 */
	CHECK(estimate.value == 0.812 && estimate.low == 0.792 && estimate.high == 0.831);
	CHECK(estimate.sample_low == 0.7 && estimate.sample_high == 0.901);
	estimate = (Estimate){.known = true, .value = 123456, .low = 120001, .high = 125001};
	estimate_round(&estimate);
	CHECK(estimate.value == 123500 && estimate.low == 120000 && estimate.high == 125100);
	estimate = (Estimate){.known = true, .value = -3.14, .low = -INFINITY, .high = 1};
	estimate_round(&estimate);
	CHECK(estimate.value == -3.1 && estimate.low == -INFINITY && estimate.high == 1);
	/* without noise */
	estimate = (Estimate){.known = true, .value = 2.0 / 3, .low = 2.0 / 3, .high = 2.0 / 3};
	estimate_round(&estimate);
	CHECK(fabs(estimate.value - 2.0 / 3) < 1e-6 && estimate.low < estimate.value);
	estimate = (Estimate){.known = true};
	estimate_round(&estimate);
	CHECK(estimate.value == 0 && estimate.low == 0 && estimate.high == 0);
	estimate = (Estimate){.known = true, .sample_high = 0.0039423853};
	estimate_round(&estimate);
	CHECK(estimate.value == 0 && estimate.high == 0 && estimate.sample_high == 0.004);
}

/* The cell that a row with this score and label is counted in. */
static int
cell_of(const Look *look, double score, bool positive)
{
	int64_t number[8] = {0};
	int cell = 0;

	look_add(look, &(LookRow){.score = score, .negative = !positive, .rows = 1}, number);
	while (number[cell] == 0)
		cell++;
	return cell;
}

/* ---- bins ---- */

static void
test_bins(void)
{
	Look look = {.type = &look_auc, .cells = 8, .rows_per_person = 1, .lowest = -2, .highest = 2};
	int previous = 0;

	CHECK(cell_of(&look, -2, true) == 0 && cell_of(&look, -2, false) == 1);
	CHECK(cell_of(&look, -1.001, true) == 0 && cell_of(&look, -1, true) == 2);
	CHECK(cell_of(&look, 1.5, false) == 7 && cell_of(&look, 2, true) == 6);
	CHECK(cell_of(&look, INFINITY, true) == 6 && cell_of(&look, NAN, true) == 0);
	CHECK(cell_of(&look, -1e300, false) == 1);
	CHECK(look_usual_bins(&look, EPSILON_ONE, 0) == 30);
	for (int64_t rows = 1; rows < INT64_C(1) << 40; rows *= 4)
	{
		int bins = look_usual_bins(&look, EPSILON_ONE, rows);

		CHECK(bins >= 10 && bins <= 200 && bins >= previous);
		CHECK(bins <= look_usual_bins(&look, 4 * EPSILON_ONE, rows));
		previous = bins;
	}
	CHECK(previous == 200 && look_usual_bins(&look, EPSILON_ONE, 10000) == 91);
}

int
main(void)
{
	test_begin(31);
	test_exact_coverage();
	test_shares();
	test_aucs();
	test_means_of_populations();
	test_r_squareds_of_samples();
	test_counts_and_ranks();
	test_rounding();
	test_bins();
	return test_end("estimate");
}
