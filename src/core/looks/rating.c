/*
 * rating.c - the table with which a model comes, and all that follows from its noisy numbers.
 */
#include "core/looks/rating.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/looks/evaluation.h"
#include "core/noise/calibration.h"

/* ---- the bins ---- */

double
rating_strength(double rows, double share, int64_t epsilon, int64_t rows_per_person)
{
	return rows * fmin(share, 1 - share) * privacy_epsilon(epsilon) / (double) rows_per_person;
}

/* Scores are taken to be spread so much more than their standard deviation. */
#define WIDER 1.35

/* The rule: more bins are more noise, and fewer are more ties. */
static int
usual_bins(double strength)
{
	return strength < RATING_CALIBRATES ? 8 : strength < 300 ? 12 : 16;
}

/*
 * The score 0 decides about the label that is predicted, so that it is an edge: the nearest one
 * moves there, or there is one more beyond all others.
 */
static void
set_edge_at_zero(RatingTable *table)
{
	int edges = table->cells - 1;
	int nearest = 0;

	for (int i = 1; i < edges; i++)
		if (fabs(table->edge[i]) < fabs(table->edge[nearest]))
			nearest = i;
	if (table->edge[0] <= 0 && 0 <= table->edge[edges - 1])
	{
		table->edge[nearest] = 0;
		return;
	}
	if (table->edge[0] > 0)
		memmove(table->edge + 1, table->edge, (size_t) edges * sizeof(double));
	table->edge[table->edge[0] > 0 ? 0 : edges] = 0;
	table->cells++;
}

void
rating_set_bins(RatingTable *table, double middle, double spread, double strength)
{
	int bins = usual_bins(strength);

	table->kind = RATING_SCORES;
	table->cells = bins;
	table->middle = middle;
	table->spread = WIDER * (spread > 0 ? spread : 1.0);
	for (int i = 1; i < bins; i++)
		table->edge[i - 1] =
			middle + table->spread * gsl_cdf_ugaussian_Pinv((double) i / (double) bins);
	set_edge_at_zero(table);
}

int
rating_numbers(const RatingTable *table)
{
	return table->kind == RATING_RESIDUALS ? look_numbers(&table->look) : 2 * table->cells;
}

/* Without residuals each number is a number of rows; persons have so many rows at most. */
uint64_t
rating_reach(const RatingTable *table, int position)
{
	if (table->kind == RATING_RESIDUALS)
		return look_reach(&table->look, position);
	return (uint64_t) (evaluation_sensitivity(table->adjacency) *
					   (MUTANT(380) ? 1 : table->rows_per_person));
}

/*
 * A row that is replaced leaves one number and enters another, a distance of sqrt(2); the rows of a
 * person move the numbers by so many times that at most (theorem X16).
 */
static double
distance(const RatingTable *table)
{
	double rows = MUTANT(391) ? 1 : (double) table->rows_per_person;

	return rows * sqrt(MUTANT(392) ? 1 : evaluation_sensitivity(table->adjacency));
}

Noise
rating_noise(const RatingTable *table)
{
	if (table->mu > 0)
		return (Noise){.deviation = distance(table) / table->mu * CALIBRATION_SAFE};
	return noise_laplace(table->epsilon, rating_reach(table, 0));
}

int64_t
rating_epsilon(const RatingTable *table)
{
	double epsilon = sqrt(2.0 * evaluation_sensitivity(table->adjacency)) * table->mu;

	return table->mu > 0 ? (int64_t) (EPSILON_ONE * epsilon) : table->epsilon;
}

bool
rating_counts_unusable(const RatingTable *table)
{
	return (!table->usable_only || MUTANT(383)) && table->kind != RATING_RESIDUALS;
}

/* NaN counts as the lowest. */
void
rating_add_scores(RatingTable *table, double score, int64_t positive, int64_t negative)
{
	int bin = 0;

	while (bin < table->cells - 1 && score > table->edge[bin])
		bin++;
	table->number[2 * bin] += positive;
	table->number[2 * bin + 1] += negative;
}

void
rating_draw(RatingTable *table, Bits *bits, Memory *memory)
{
	uint64_t reach[RATING_NUMBERS + 1];
	int64_t number[RATING_NUMBERS + 1];
	int count = rating_numbers(table);
	bool counts_unusable = rating_counts_unusable(table);
	int drawn = count + (counts_unusable && !MUTANT(381) ? 1 : 0);

	for (int i = 0; i < count; i++)
		reach[i] = rating_reach(table, i);
	memcpy(number, table->number, (size_t) count * sizeof(int64_t));
	number[count] = table->unusable;
	reach[count] = (uint64_t) evaluation_sensitivity(table->adjacency);
	if (table->mu > 0)
		noisy_normal(bits, memory, rating_noise(table).deviation, number, drawn);
	else
		noisy_numbers(bits, table->epsilon, reach, number, drawn);
	memcpy(table->number, number, (size_t) count * sizeof(int64_t));
	table->unusable = counts_unusable ? number[count] : 0;
}

/* ---- shares of the rows ---- */

/* Sums of the table's numbers. */
typedef struct Sum
{
	int64_t rows;
	int numbers;
} Sum;

static void
add_to(Sum *sum, int64_t rows)
{
	if (__builtin_add_overflow(sum->rows, rows, &sum->rows))
		sum->rows = rows > 0 ? INT64_MAX : INT64_MIN;
	sum->numbers++;
}

static void
merge(Sum *sum, const Sum *other)
{
	int numbers = sum->numbers + other->numbers;

	add_to(sum, other->rows);
	sum->numbers = numbers;
}

static void
find_share(const RatingTable *table, const Sum *first, const Sum *rest, double confidence,
		   Estimate *share)
{
	Noise noise = rating_noise(table);

	*share = (Estimate){.high = 1.0, .sample_high = 1.0};
	if (first->numbers > 0 && rest->numbers > 0)
		estimate_share_of_sums(&noise, first->rows, first->numbers, rest->rows, rest->numbers,
							   confidence, share);
	else if (first->numbers > 0)
		*share = (Estimate){.known = true,
							.value = 1,
							.low = 1,
							.high = 1,
							.sample_low = 1,
							.sample_high = 1,
							.rows = first->rows};
	else if (rest->numbers > 0)
		*share = (Estimate){.known = true, .rows = rest->rows};
	estimate_round(share);
}

int64_t
rating_rows(const RatingTable *table)
{
	Sum all = {0};

	if (table->kind == RATING_RESIDUALS)
		return table->number[RESIDUAL_ROWS];
	for (int i = 0; i < 2 * table->cells; i++)
		add_to(&all, table->number[i]);
	return all.rows;
}

static void
find_usable(const RatingTable *table, int64_t rows, Estimate *usable)
{
	Noise noise = rating_noise(table);

	*usable = (Estimate){.high = 1.0, .sample_high = 1.0};
	if (!rating_counts_unusable(table))
		return;
	estimate_share_of_sums(&noise, rows, 2 * table->cells, table->unusable, 1, RATING_CONFIDENCE,
						   usable);
	estimate_round(usable);
}

/* ---- calibration ---- */

static double
logistic(double x)
{
	return 1 / (1 + exp(-x));
}

/* The middle of the scores of a bin, if they are spread as they are taken to be; in spreads. */
static double
place_of_bin(const RatingTable *table, int bin)
{
	double low =
		bin == 0 ? 0 : gsl_cdf_ugaussian_P((table->edge[bin - 1] - table->middle) / table->spread);
	double high = bin == table->cells - 1
					  ? 1
					  : gsl_cdf_ugaussian_P((table->edge[bin] - table->middle) / table->spread);
	double place = gsl_cdf_ugaussian_Pinv((low + high) / 2);

	return fmin(fmax(place, -4), 4);
}

/* What the slope is expected to be, in spreads; it keeps a fit to noise finite. */
#define SLOPE_DEVIATION 2.0

#define FIT_ROUNDS 100

typedef struct Fit
{
	double intercept;
	double slope;
	double curve[2][2]; /* of the last round */
	double push[2];
} Fit;

/*
 * A bin's positive rows less what the fit says, P (1 - p) - N p, is 0 in the mean at the truth
 * whatever the noise is; it counts by its slope over its variance.
 */
static void
add_bin(const RatingTable *table, double noise, int bin, Fit *fit)
{
	double place = place_of_bin(table, bin);
	double p = logistic(fit->intercept + fit->slope * place);
	double positive = (double) table->number[2 * bin];
	double negative = (double) table->number[2 * bin + 1];
	double slope = fmax(positive + negative, 0) * p * (1 - p);
	double variance = slope + noise * (p * p + (1 - p) * (1 - p));
	double weight = variance > 0 ? slope / variance : 0;
	const double at[] = {1, place};

	for (int i = 0; i < 2; i++)
	{
		fit->push[i] += weight * at[i] * (positive * (1 - p) - negative * p);
		for (int j = 0; j < 2; j++)
			fit->curve[i][j] += weight * slope * at[i] * at[j];
	}
}

/* One step of Newton's method, which is never long. */
static void
improve(const RatingTable *table, double noise, Fit *fit)
{
	double determinant;
	double step[2];

	memset(fit->curve, 0, sizeof(fit->curve));
	memset(fit->push, 0, sizeof(fit->push));
	for (int i = 0; i < table->cells; i++)
		add_bin(table, noise, i, fit);
	fit->curve[0][0] += 1e-6;
	fit->curve[1][1] += 1 / (SLOPE_DEVIATION * SLOPE_DEVIATION);
	fit->push[1] -= fit->slope / (SLOPE_DEVIATION * SLOPE_DEVIATION);
	determinant = fit->curve[0][0] * fit->curve[1][1] - fit->curve[0][1] * fit->curve[0][1];
	step[0] = (fit->curve[1][1] * fit->push[0] - fit->curve[0][1] * fit->push[1]) / determinant;
	step[1] = (fit->curve[0][0] * fit->push[1] - fit->curve[0][1] * fit->push[0]) / determinant;
	if (!isfinite(step[0]) || !isfinite(step[1]))
		return;
	fit->intercept += fmin(fmax(step[0], -0.5), 0.5);
	fit->slope += fmin(fmax(step[1], -0.5), 0.5);
}

/* Platt's fit: a constant and a slope by which the score's logistic function is a probability. */
static void
calibrate(const RatingTable *table, double noise, Rating *rating)
{
	double share = fmin(fmax(rating->base.value, 0.001), 0.999);
	Fit fit = {.intercept = log(share / (1 - share)), .slope = 0};

	rating->calibrated =
		rating->base.known && rating_strength((double) rating->rows, share, rating_epsilon(table),
											  table->rows_per_person) >= RATING_CALIBRATES;
	if (!rating->calibrated)
		return;
	for (int round = 0; round < FIT_ROUNDS; round++)
		improve(table, noise, &fit);
	rating->slope = fit.slope / table->spread;
	rating->intercept = fit.intercept - rating->slope * table->middle;
}

/* ---- the verdict ---- */

/*
 * Of an estimate that is on one side of chance, how many times the rows, or the epsilon, would
 * narrow its interval so that chance is beyond it.  The half-width has a part of the noise, which
 * falls with both, and a part of the sample, whose square falls with the rows.
 */
static void
find_times(const Estimate *main, double chance, Rating *rating)
{
	double distance = main->value - chance;
	double noise = main->value - main->low;
	double both = main->value - main->sample_low;
	double sample = sqrt(fmax(both * both - noise * noise, 0));
	double low = 1;
	double high = 1e6;

	if (!main->known || !(distance > 0) || !(noise >= 0) || !isfinite(both))
		return;
	if (distance > 1.2 * sample)
		rating->times_epsilon = fmax(1, 1.1 * noise / sqrt(distance * distance - sample * sample));
	for (int i = 0; i < 60; i++)
	{
		double times = sqrt(low * high);
		double half = sqrt(noise * noise / (times * times) + sample * sample / times);

		if (half > distance)
			low = times;
		else
			high = times;
	}
	rating->times_rows = high < 1e5 ? 1.1 * high : 0;
}

/* Population intervals are of rows that were drawn without a look at them. */
static void
judge(const RatingTable *table, double chance, Rating *rating)
{
	const Estimate *main = &rating->main;

	rating->verdict = RATING_NONE;
	if (table->seen)
		return;
	rating->verdict = RATING_UNKNOWN;
	if (main->known && main->sample_low > chance)
		rating->verdict = RATING_BETTER;
	else if (main->known && main->sample_high < chance)
		rating->verdict = RATING_WORSE;
	else
		find_times(main, chance, rating);
}

/*
 * The interval of the AUC's verdict is slightly wider than the others', so that noisy weights do
 * not make a verdict of chance too often (measured in test_rating.c).
 */
#define VERDICT_CONFIDENCE 0.96

/* Does a label get predicted positive in this bin? */
static bool
is_above(const RatingTable *table, int bin)
{
	return bin > 0 && table->edge[bin - 1] >= 0;
}

/* The share of positive rows, and the calibration. */
static void
find_base(const RatingTable *table, Rating *rating)
{
	Noise noise = rating_noise(table);
	Sum positive = {0};
	Sum negative = {0};

	for (int i = 0; i < table->cells; i++)
	{
		add_to(&positive, table->number[2 * i]);
		add_to(&negative, table->number[2 * i + 1]);
	}
	find_share(table, &positive, &negative, RATING_CONFIDENCE, &rating->base);
	calibrate(table, noise_variance(&noise), rating);
}

/*
 * Bins at the ends count as so many spreads, and so many times the estimate is what scores in one
 * bin add at most, for many laws of scores (theorem X16).
 */
#define END_WIDTH 1.35
#define MOST_WITHIN 1.7

/*
 * How much larger the AUC of scores is than that of their bins, about: with odds that rise by the
 * slope and scores that are uniform in a bin of this width, their order is right by slope * width /
 * 12 more often than by chance.
 */
static double
order_within(const RatingTable *table, const Rating *rating)
{
	double pairs = 0;
	double positive = 0;
	double negative = 0;

	for (int i = 0; i < table->cells; i++)
	{
		double width = END_WIDTH * table->spread;

		if (i > 0 && i < table->cells - 1)
			width = fmin(width, table->edge[i] - table->edge[i - 1]);
		positive += (double) table->number[2 * i];
		negative += (double) table->number[2 * i + 1];
		pairs += (double) table->number[2 * i] * (double) table->number[2 * i + 1] * width;
	}
	if (!rating->calibrated || !(pairs > 0 && positive > 0 && negative > 0) || MUTANT(396))
		return 0;
	return fmax(rating->slope, 0) * pairs / (12 * positive * negative);
}

static void
raise_auc(Estimate *auc, double within)
{
	auc->value = fmin(auc->value + within, 1.0);
	auc->high = fmin(auc->high + MOST_WITHIN * within, 1.0);
	auc->sample_high = fmin(auc->sample_high + MOST_WITHIN * within, 1.0);
}

static void
find_of_scores(const RatingTable *table, Rating *rating)
{
	Noise noise = rating_noise(table);
	Sum right = {0};
	Sum wrong = {0};
	double ties;

	for (int i = 0; i < table->cells; i++)
	{
		bool above = is_above(table, i);

		add_to(above ? &right : &wrong, table->number[2 * i]);
		add_to(above ? &wrong : &right, table->number[2 * i + 1]);
	}
	find_base(table, rating);
	find_share(table, &right, &wrong, RATING_CONFIDENCE, &rating->accuracy);
	estimate_auc(&noise, table->number, table->cells, MUTANT(382) ? 0.8 : VERDICT_CONFIDENCE,
				 &rating->main, &ties);
	raise_auc(&rating->main, order_within(table, rating));
	estimate_round(&rating->main);
	judge(table, 0.5, rating);
}

static void
find_of_classes(const RatingTable *table, Rating *rating)
{
	Sum right = {0};
	Sum wrong = {0};
	int64_t most_rows = 0;
	int most = 0;

	for (int k = 0; k < table->cells; k++)
	{
		const int64_t *rows = table->number + 2 * (size_t) k;
		Sum all = {0};

		add_to(&right, rows[0]);
		add_to(&wrong, rows[1]);
		add_to(&all, rows[0]);
		add_to(&all, rows[1]);
		if (k == 0 || all.rows > most_rows)
		{
			most_rows = all.rows;
			most = k;
		}
	}
	find_share(table, &right, &wrong, RATING_CONFIDENCE, &rating->accuracy);
	right = wrong = (Sum){0};
	for (int i = 0; i < 2 * table->cells; i++)
		add_to(i / 2 == most ? &right : &wrong, table->number[i]);
	find_share(table, &right, &wrong, RATING_CONFIDENCE, &rating->base);
	rating->main = rating->accuracy;
	/* a constant is right as often as its class is, and the class is not chosen without noise */
	judge(table, rating->base.sample_high, rating);
	if (rating->verdict == RATING_WORSE && !(rating->main.sample_high < rating->base.sample_low))
		rating->verdict = RATING_UNKNOWN;
}

static void
find_of_residuals(const RatingTable *table, Rating *rating)
{
	look_answer(&table->look, table->epsilon, RATING_CONFIDENCE, table->number, RESIDUAL_R_SQUARED,
				&rating->main);
	judge(table, 0, rating);
}

void
rating_find(const RatingTable *table, Rating *rating)
{
	memset(rating, 0, sizeof(*rating));
	rating->rows = rating_rows(table);
	find_usable(table, rating->rows, &rating->usable);
	if (table->kind == RATING_SCORES)
		find_of_scores(table, rating);
	else if (table->kind == RATING_CLASSES)
		find_of_classes(table, rating);
	else
		find_of_residuals(table, rating);
}

/* ---- where score 0 is ---- */

double
rating_chance(const RatingTable *table, const Rating *rating, int bin)
{
	double score = table->middle + table->spread * place_of_bin(table, bin);

	return logistic(rating->intercept + rating->slope * score);
}

/* The lowest bin with a probability of a half or more at its middle; cells if there is none. */
static int
first_likely_bin(const RatingTable *table, const Rating *rating)
{
	int bin = 0;

	while (bin < table->cells && rating_chance(table, rating, bin) < 0.5)
		bin++;
	return bin;
}

/*
 * Are more rows right if they are predicted positive from this bin on, by more than the deviation
 * of their number?
 */
static bool
is_gain(const RatingTable *table, int from)
{
	Noise noise = rating_noise(table);
	double gain = 0;
	double variance = 0;

	for (int i = 0; i < table->cells; i++)
	{
		double positive = (double) table->number[2 * i];
		double negative = (double) table->number[2 * i + 1];

		if (is_above(table, i) == (i >= from))
			continue;
		gain += i >= from ? positive - negative : negative - positive;
		variance += fmax(positive + negative, 0) + 2 * noise_variance(&noise);
	}
	return gain > sqrt(variance);
}

/* A bin with no rows, below or above all others; none if the last edge is there already. */
static void
add_empty_bin(RatingTable *table, bool above, double edge)
{
	int edges = table->cells - 1;
	int64_t *number = table->number;

	if (above ? edge <= table->edge[edges - 1] : edge >= table->edge[0])
		return;
	if (!above)
	{
		memmove(table->edge + 1, table->edge, (size_t) edges * sizeof(double));
		memmove(number + 2, number, 2 * (size_t) table->cells * sizeof(int64_t));
	}
	table->edge[above ? edges : 0] = edge;
	number += above ? 2 * table->cells : 0;
	number[0] = number[1] = 0;
	table->cells++;
}

/* Scores are rounded, so that an end is a little further out. */
#define END_SHARE 0.01

void
rating_move(RatingTable *table, double lowest, double highest)
{
	RatingTable moved = *table;
	double end = END_SHARE * (highest - lowest);
	Rating rating;
	double zero;
	int from;

	rating_find(table, &rating);
	if (rating.verdict != RATING_BETTER || !rating.calibrated || !(rating.slope > 0))
		return;
	from = first_likely_bin(table, &rating);
	if (!is_gain(table, from))
		return;
	if (from == 0)
		add_empty_bin(&moved, false, lowest - end);
	else if (from == table->cells)
		add_empty_bin(&moved, true, highest + end);
	zero = moved.edge[from == 0 ? 0 : from < moved.cells ? from - 1 : moved.cells - 2];
	for (int i = 0; i < moved.cells - 1; i++)
		moved.edge[i] -= zero;
	moved.middle -= zero;
	moved.moved = -zero;
	rating_find(&moved, &rating);
	if (rating.verdict == RATING_BETTER) /* the noise of an empty bin is reckoned with, too */
		*table = moved;
}

/* ---- thresholds ---- */

/* Outcomes of the rows if those in bins from this one on are taken. */
static void
count_outcomes(const RatingTable *table, int from, Sum *outcome)
{
	memset(outcome, 0, RATING_OUTCOMES * sizeof(Sum));
	for (int i = 0; i < table->cells; i++)
	{
		bool taken = i >= from;

		add_to(&outcome[taken ? RATING_TRUE_POSITIVE : RATING_FALSE_NEGATIVE],
			   table->number[2 * i]);
		add_to(&outcome[taken ? RATING_FALSE_POSITIVE : RATING_TRUE_NEGATIVE],
			   table->number[2 * i + 1]);
	}
}

static double
cut(const Sum *sum)
{
	return sum->rows > 0 ? (double) sum->rows : 0.0;
}

static double
part(double first, double rest)
{
	return first + rest > 0 ? first / (first + rest) : 0.0;
}

/* Sets whether a threshold reaches the goal; returns how good it is. */
static double
value_of(const Sum *outcome, RatingGoal goal, double aim, double cost_fp, double cost_fn,
		 bool *reached)
{
	double tp = cut(&outcome[RATING_TRUE_POSITIVE]);
	double fp = cut(&outcome[RATING_FALSE_POSITIVE]);
	double fn = cut(&outcome[RATING_FALSE_NEGATIVE]);
	double tn = cut(&outcome[RATING_TRUE_NEGATIVE]);
	double taken = part(tp + fp, fn + tn);

	*reached = true;
	switch (goal)
	{
		case GOAL_RECALL:
			*reached = part(tp, fn) >= aim;
			return -taken;
		case GOAL_PRECISION:
			*reached = tp + fp > 0 && part(tp, fp) >= aim;
			return taken;
		case GOAL_SHARE:
			return -fabs(taken - aim);
		default:
			return -(fp * cost_fp + fn * cost_fn);
	}
}

/* Each number is without noise at one of the cells + 1 thresholds at least (theorem X16). */
static void
describe(const RatingTable *table, int from, double cost_fp, double cost_fn,
		 RatingThreshold *threshold)
{
	double confidence = 1 - (1 - RATING_CONFIDENCE) / table->cells;
	Sum outcome[RATING_OUTCOMES];
	Rating rating = {.rows = rating_rows(table)};

	count_outcomes(table, from, outcome);
	find_base(table, &rating);
	threshold->score = from == 0              ? -INFINITY
					   : from == table->cells ? INFINITY
											  : table->edge[from - 1];
	threshold->taken =
		rating.calibrated ? logistic(rating.intercept + rating.slope * threshold->score) : NAN;
	find_share(table, &outcome[RATING_TRUE_POSITIVE], &outcome[RATING_FALSE_NEGATIVE], confidence,
			   &threshold->recall);
	find_share(table, &outcome[RATING_TRUE_POSITIVE], &outcome[RATING_FALSE_POSITIVE], confidence,
			   &threshold->precision);
	for (int i = 0; i < RATING_OUTCOMES; i++)
	{
		Sum rest = {0};

		for (int j = 0; j < RATING_OUTCOMES; j++)
			if (j != i)
				merge(&rest, &outcome[j]);
		find_share(table, &outcome[i], &rest, confidence, &threshold->outcome[i]);
	}
	merge(&outcome[RATING_TRUE_POSITIVE], &outcome[RATING_FALSE_POSITIVE]);
	merge(&outcome[RATING_FALSE_NEGATIVE], &outcome[RATING_TRUE_NEGATIVE]);
	find_share(table, &outcome[RATING_TRUE_POSITIVE], &outcome[RATING_FALSE_NEGATIVE], confidence,
			   &threshold->share);
	threshold->cost = threshold->outcome[RATING_FALSE_POSITIVE].value * cost_fp +
					  threshold->outcome[RATING_FALSE_NEGATIVE].value * cost_fn;
}

bool
rating_threshold(const RatingTable *table, RatingGoal goal, double aim, double cost_fp,
				 double cost_fn, RatingThreshold *threshold)
{
	double best = -INFINITY;
	int chosen = -1;

	for (int from = 0; from <= table->cells; from++)
	{
		Sum outcome[RATING_OUTCOMES];
		bool reached;
		double value;

		count_outcomes(table, from, outcome);
		value = value_of(outcome, goal, aim, cost_fp, cost_fn, &reached);
		if (reached && (chosen < 0 || value > best))
		{
			best = value;
			chosen = from;
		}
	}
	if (chosen < 0)
		return false;
	describe(table, chosen, cost_fp, cost_fn, threshold);
	return true;
}
