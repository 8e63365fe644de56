/*
 * look_residuals.c - how far a public prediction is from the value: R-squared and the mean size of
 * a residual (theorems T8, X15).
 */
#include "core/looks/look_internal.h"

#include <math.h>

#include "core/base/mutant.h"

/* A whole number below 2^26, squared, in units of 2^26. */
static int64_t
square(int64_t x)
{
	return (x * x + (INT64_C(1) << (LOOK_SQUARE_SHIFT - 1))) >> LOOK_SQUARE_SHIFT;
}

/* What a row's part in a sum is at most; the least is 0, but of a value, which is centred. */
static int64_t
most_of_row(const Look *look, ResidualNumber number)
{
	int64_t width = (int64_t) look->high - look->low;

	if (number == RESIDUAL_SQUARES)
		return square(width);
	return number == RESIDUAL_SIZES ? width : square((int64_t) look_largest(look));
}

/* Half of it, rounded down, which each row's part is less. */
static int64_t
centre_of_row(const Look *look, ResidualNumber number)
{
	return number == RESIDUAL_VALUES || MUTANT(273) ? 0 : most_of_row(look, number) / 2;
}

/* The largest size of a row's part. */
static uint64_t
half_of_row(const Look *look, ResidualNumber number)
{
	if (number == RESIDUAL_VALUES)
		return look_largest(look);
	return (uint64_t) (most_of_row(look, number) - most_of_row(look, number) / 2);
}

/* NaN counts as the lowest; a score of a model is none. */
static int32_t
clipped_prediction(const Look *look, double prediction)
{
	double x = (prediction - look->middle) / look->unit;
	double most = MUTANT(272) ? 2.0 * look->high : look->high;

	if (!(x > look->low))
		return look->low;
	return (int32_t) (x < most ? rint(x) : most);
}

static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	int64_t x = *row->x;
	int64_t residual = x - clipped_prediction(look, row->score);
	const int64_t part[RESIDUAL_ROWS] = {
		[RESIDUAL_SQUARES] = square(residual),
		[RESIDUAL_SIZES] = residual < 0 ? -residual : residual,
		[RESIDUAL_VALUES] = x,
		[RESIDUAL_VALUE_SQUARES] = square(x),
	};

	number += row->cell * RESIDUAL_NUMBERS;
	for (int i = 0; i < RESIDUAL_ROWS; i++)
		number[i] += (part[i] - centre_of_row(look, (ResidualNumber) i)) * row->rows;
	number[RESIDUAL_ROWS] += row->rows;
}

/*
 * Half of epsilon is for the rows; of the other half two fifths are for the squares of residuals,
 * whose range is the widest, and a fifth for each of the three others (theorem T8).
 */
static uint64_t
reach(const Look *look, int position)
{
	ResidualNumber number = (ResidualNumber) (position % RESIDUAL_NUMBERS);

	if (number == RESIDUAL_ROWS)
		return 2;
	if (MUTANT(271))
		return 2 * half_of_row(look, number);
	return (number == RESIDUAL_SQUARES ? 5 : 10) * half_of_row(look, number);
}

/* From where to where a row's part in a sum is. */
static void
range_of_row(const Look *look, ResidualNumber number, double *bottom, double *top)
{
	*bottom = number == RESIDUAL_VALUES ? look->low : 0.0;
	*top = number == RESIDUAL_VALUES ? look->high : (double) most_of_row(look, number);
}

/* Widens where the mean of these rows is to where that of their population is. */
static void
widen_to_population(const Look *look, ResidualNumber part, double rows, double beta,
					LookAnswer *mean)
{
	double bottom;
	double top;
	double low;
	double high;

	range_of_row(look, part, &bottom, &top);
	if (MUTANT(341) && part == RESIDUAL_SQUARES)
		return;
	low = look_below((mean->low - bottom) / (top - bottom));
	high = look_above((mean->high - bottom) / (top - bottom));
	estimate_mean_of_population(rows, beta, &low, &high);
	mean->low = look_below(bottom + look_below(low * (top - bottom)));
	mean->high = look_above(bottom + look_above(high * (top - bottom)));
}

/*
 * The mean of a row's part in a sum: of these rows, or of their population.  Where it is but for a
 * chance of beta for each of the sum, the number of rows and the sample.
 */
static void
answer_mean(const Look *look, int64_t epsilon, double beta, bool sample, const int64_t *number,
			int first, ResidualNumber part, LookAnswer *mean)
{
	double centre = (double) centre_of_row(look, part);
	double least;
	double most;

	look_quotient(look, epsilon, beta, number, first + (int) part, first + RESIDUAL_ROWS, mean);
	mean->value += centre;
	mean->low = look_below(mean->low + centre);
	mean->high = look_above(mean->high + centre);
	if (!mean->known || !sample)
		return;
	look_surround(look, epsilon, first + RESIDUAL_ROWS, number[first + RESIDUAL_ROWS], beta, &least,
				  &most);
	widen_to_population(look, part, fmax(least, 1.0), beta, mean);
}

/* The mean size of a residual is at most the distance of the bounds. */
static void
answer_mean_size(const Look *look, int64_t epsilon, double beta, bool sample, const int64_t *number,
				 int first, LookAnswer *answer)
{
	answer_mean(look, epsilon, beta / (sample ? 3 : 2), sample, number, first, RESIDUAL_SIZES,
				answer);
	look_map(0.0, look->unit, 0.0, look->unit * (double) most_of_row(look, RESIDUAL_SIZES), answer);
}

/* A mean of squares; each of them is half a unit from its rounded number at most. */
static void
answer_squares(const Look *look, int64_t epsilon, double beta, bool sample, const int64_t *number,
			   int first, ResidualNumber squares, LookAnswer *answer)
{
	answer_mean(look, epsilon, beta, sample, number, first, squares, answer);
	answer->low = fmax(answer->low - 0.5, 0.0);
	answer->high = fmax(answer->high + 0.5, 0.0);
}

/*
 * 1 - mean of r^2 / (mean of x^2 - (mean of x)^2), of four numbers that hold but for beta in all,
 * and for a population of three means as well.
 */
static void
answer_r_squared(const Look *look, int64_t epsilon, double beta, bool sample, const int64_t *number,
				 int first, LookAnswer *answer)
{
	double each = beta / (sample ? 7 : 4);
	double unit = ldexp(1.0, -LOOK_SQUARE_SHIFT);
	LookAnswer error;
	LookAnswer squares;
	LookAnswer mean;
	double nearest = 0.0; /* to 0, of the mean */
	double farthest;
	double low;
	double high;
	double variance;

	answer_squares(look, epsilon, each, sample, number, first, RESIDUAL_SQUARES, &error);
	answer_squares(look, epsilon, each, sample, number, first, RESIDUAL_VALUE_SQUARES, &squares);
	answer_mean(look, epsilon, each, sample, number, first, RESIDUAL_VALUES, &mean);
	variance = squares.value - mean.value * mean.value * unit;
	*answer = (LookAnswer){.known = error.known && variance > 0, .low = -INFINITY, .high = 1.0};
	answer->rows = error.rows;
	if (!answer->known)
		return;
	answer->value = 1.0 - fmax(error.value, 0.0) / variance;
	farthest = fmax(fabs(mean.low), fabs(mean.high));
	if (mean.low > 0 || mean.high < 0)
		nearest = fmin(fabs(mean.low), fabs(mean.high));
	low = look_below(squares.low - look_above(farthest * farthest * unit));
	high = look_above(squares.high - look_below(nearest * nearest * unit));
	if (low > 0)
		answer->low = look_below(1.0 - look_above(error.high / low));
	if (high > 0)
		answer->high = fmin(1.0, look_above(1.0 - look_below(error.low / high)));
}

static int
answers(const Look *look)
{
	return look->cells * RESIDUAL_ANSWERS;
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	bool is_r_squared = position % RESIDUAL_ANSWERS == RESIDUAL_R_SQUARED;
	void (*find)(const Look *, int64_t, double, bool, const int64_t *, int, LookAnswer *) =
		is_r_squared ? answer_r_squared : answer_mean_size;
	int first = position / RESIDUAL_ANSWERS * RESIDUAL_NUMBERS;
	double most = look->unit * (double) most_of_row(look, RESIDUAL_SIZES);
	LookAnswer sample;

	find(look, epsilon, 1.0 - confidence, false, number, first, answer);
	find(look, epsilon, 1.0 - confidence, true, number, first, &sample);
	answer->sample_low = fmin(sample.low, answer->low);
	answer->sample_high = fmax(sample.high, answer->high);
	estimate_round(answer);
	if (is_r_squared)
		return;
	answer->high = fmin(answer->high, most);
	answer->sample_high = fmin(answer->sample_high, most);
}

static void
error(const Look *look, int64_t epsilon, double beta, Facts *facts)
{
	facts_number(facts, "squares",
				 look_error(look, epsilon, RESIDUAL_SQUARES, beta / 4) *
					 ldexp(look->unit * look->unit, LOOK_SQUARE_SHIFT),
				 6);
	facts_number(facts, "sum", look_error(look, epsilon, RESIDUAL_SIZES, beta / 2) * look->unit, 6);
	facts_number(facts, "rows", look_error(look, epsilon, RESIDUAL_ROWS, beta / 2), 6);
}

const LookType look_residuals = {
	.name = "residuals",
	.law = "laplace",
	.reads = READS_TARGET,
	.centred = true,
	.measures =
		(const char *const[]){
			[RESIDUAL_R_SQUARED] = "r_squared", [RESIDUAL_MEAN_SIZE] = "mean_absolute_error"},
	.each = RESIDUAL_NUMBERS,
	.add = add,
	.reach = reach,
	.answers = answers,
	.answer = answer,
	.error = error,
};
