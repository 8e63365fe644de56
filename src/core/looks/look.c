/*
 * look.c - the numbers, the reach and the answers of a look.
 */
#include "core/looks/look.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/noise/noisy.h"
#include "core/looks/suggestion.h"

/* The bits of x beside its sign. */
#define LOOK_BITS 24

/* The most units that the middle of the bounds may have: sums with it stay exact. */
#define LOOK_MIDDLE_BITS 50

/* ---- values ---- */

/* Are values measured from the middle of their bounds? */
static bool
is_centred(const Look *look)
{
	return look->kind == LOOK_AVERAGE || look->kind == LOOK_RESIDUALS;
}

bool
look_set_bounds(Look *look, double low, double high)
{
	double half = high / 2 - low / 2;
	double size = is_centred(look) ? half : fmax(fabs(low), fabs(high));
	double middle = 0.0;
	int exponent;

	if (!isfinite(low) || !isfinite(high) || !(low < high))
		return false;
	(void) frexp(size, &exponent);
	/* far from the ends of the doubles, so that no product with a unit is rounded */
	if (exponent > 900 || exponent < -900)
		return false;
	look->unit = ldexp(1.0, exponent - LOOK_BITS);
	if (is_centred(look))
		middle = rint((low + half) / look->unit);
	if (fabs(middle) > ldexp(1.0, LOOK_MIDDLE_BITS))
		return false;
	look->middle = middle * look->unit;
	look->low = (int32_t) rint(low / look->unit - middle);
	look->high = (int32_t) rint(high / look->unit - middle);
	return look->low < look->high;
}

bool
look_set_grid(Look *look, double low, double high, bool whole, int64_t most)
{
	if (most >= QUANTILES_MOST_CELLS / look->cells ||
		!round_grid_choose(&look->grid, low, high, whole, most))
		return false;
	look->unit = round_grid_unit(&look->grid);
	look->middle = round_grid_multiple(&look->grid, look->grid.first);
	look->low = 0;
	look->high = (int32_t) look->grid.steps;
	return true;
}

int
look_profile_cells(const Look *look)
{
	int cells = PROFILE_COLUMNS;

	for (int i = 0; i < look->columns; i++)
		cells += look->column[i].cells;
	return cells;
}

/* The cells of a column of a profile or of a suggestion. */
static int
cells_of_column(const Look *look, int column)
{
	return look->kind == LOOK_PROFILE ? look->column[column].cells : suggestion_cells(look, column);
}

/* The encoding multiplies by 2^16 and rounds: low and high become exactly those of the look. */
void
look_encoding(const Look *look, Encoding *encoding)
{
	encoding_init(encoding);
	encoding->features = look->columns > 0 ? look->columns : 1;
	encoding->low[0] = 0.0;
	encoding->high[0] = 0.0;
	for (int i = 0; i < look->columns; i++)
	{
		encoding->scale[i] = FIXED_POINT_ONE;
		encoding->low[i] = 0.0;
		encoding->high[i] = (double) (cells_of_column(look, i) - 1) / FIXED_POINT_ONE;
	}
	if (look_has_values(look->kind))
	{
		encoding->center[0] = look->middle;
		encoding->scale[0] = look->unit * FIXED_POINT_ONE;
		encoding->low[0] = (double) look->low / FIXED_POINT_ONE;
		encoding->high[0] = (double) look->high / FIXED_POINT_ONE;
		if (MUTANT(235))
			encoding->high[0] = ENCODING_MAX_CLIP;
	}
	if (!encoding_finish(encoding))
		abort(); /* 2^24 / 2^16 is below the largest bound */
}

/* ---- the vector ---- */

/* The largest |x|. */
static uint64_t
largest(const Look *look)
{
	return (uint64_t) (abs(look->low) > abs(look->high) ? abs(look->low) : abs(look->high));
}

static int
numbers_of_cell(const Look *look)
{
	if (look->kind == LOOK_QUANTILES)
		return look->high + 1 > look->quantiles ? look->high + 1 : look->quantiles;
	if (look->kind == LOOK_RESIDUALS)
		return RESIDUAL_NUMBERS;
	return look->kind == LOOK_AVERAGE ? 2 : 1;
}

int
look_numbers(const Look *look)
{
	if (look->kind == LOOK_SUGGESTION)
		return suggestion_numbers(look);
	return look->cells * numbers_of_cell(look);
}

/* x: the row's cell of each column */
static void
add_to_columns(const Look *look, const int32_t *x, int64_t rows, int64_t *number)
{
	int64_t *column = number + PROFILE_COLUMNS;
	bool usable = true;

	for (int i = 0; i < look->columns; i++)
	{
		column[x[i]] += rows;
		usable = usable && x[i] < look->column[i].usable;
		column += look->column[i].cells;
	}
	number[usable ? PROFILE_USABLE : PROFILE_OTHERS] += rows;
}

void
look_add(const Look *look, int cell, const int32_t *x, int64_t rows, int64_t *number)
{
	if (look->kind == LOOK_SUGGESTION)
	{
		suggestion_add(look, x, rows, number);
		return;
	}
	number += cell * numbers_of_cell(look);
	if (look->kind == LOOK_PROFILE)
	{
		add_to_columns(look, x, rows, number);
		return;
	}
	if (look->kind == LOOK_QUANTILES)
	{
		number[*x] += rows;
		return;
	}
	if (look_has_values(look->kind))
		*number++ += *x * rows;
	if (look->kind != LOOK_SUM)
		*number += rows;
}

/* ---- residuals ---- */

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
	return number == RESIDUAL_SIZES ? width : square((int64_t) largest(look));
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
		return largest(look);
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

void
look_add_residual(const Look *look, int cell, int32_t x, double prediction, int64_t rows,
				  int64_t *number)
{
	int64_t residual = (int64_t) x - clipped_prediction(look, prediction);
	const int64_t part[RESIDUAL_ROWS] = {
		[RESIDUAL_SQUARES] = square(residual),
		[RESIDUAL_SIZES] = residual < 0 ? -residual : residual,
		[RESIDUAL_VALUES] = x,
		[RESIDUAL_VALUE_SQUARES] = square(x),
	};

	number += cell * RESIDUAL_NUMBERS;
	for (int i = 0; i < RESIDUAL_ROWS; i++)
		number[i] += (part[i] - centre_of_row(look, (ResidualNumber) i)) * rows;
	number[RESIDUAL_ROWS] += rows;
}

/*
 * Half of epsilon is for the rows; of the other half two fifths are for the squares of residuals,
 * whose range is the widest, and a fifth for each of the three others (theorem T8).
 */
static uint64_t
reach_of_residual(const Look *look, ResidualNumber number)
{
	if (number == RESIDUAL_ROWS)
		return 2;
	if (MUTANT(271))
		return 2 * half_of_row(look, number);
	return (number == RESIDUAL_SQUARES ? 5 : 10) * half_of_row(look, number);
}

/* ---- scores ---- */

/* Without a public number of rows. */
#define SOME_BINS 30

#define FEWEST_BINS 10
#define MANY_BINS 200

/*
 * The noise of the AUC grows with the root of the number of bins, and what ties hide falls with its
 * square, so the best number grows as the rows over the noise of a count to the power 2/5.
 */
int
look_usual_bins(const Look *look, int64_t epsilon, int64_t rows)
{
	double rate = privacy_epsilon(epsilon) / (double) look_reach(look, 0);
	double bins = rint(3 * pow(rate * (double) rows, 0.4));

	if (rows == 0)
		return SOME_BINS;
	return (int) (bins < FEWEST_BINS ? FEWEST_BINS : bins > MANY_BINS ? MANY_BINS : bins);
}

/* NaN counts as the lowest. */
int
look_score_cell(const Look *look, double score, bool positive)
{
	int bins = look->cells / 2;
	double bin = floor((score - look->lowest) / (look->highest - look->lowest) * bins);

	if (!(bin > 0))
		bin = 0;
	if (bin > bins - 1)
		bin = bins - 1;
	return 2 * (int) bin + (positive ? 0 : 1);
}

/* ---- reach ---- */

/*
 * The most that one row changes a single sum by: from a value or none to another or none if it may
 * be replaced, else from none to a value.
 */
static uint64_t
reach_of_sum(const Look *look)
{
	if (look->adjacency == ADJACENCY_ADD_REMOVE)
		return largest(look);
	return (uint64_t) ((look->high > 0 ? look->high : 0) - (look->low < 0 ? look->low : 0));
}

/*
 * The histograms of a profile, in each of which a row has a cell: of the columns, and that of
 * usable and other rows.
 */
static uint64_t
histograms(const Look *look)
{
	if (MUTANT(238))
		return 1;
	return (uint64_t) look->columns + (MUTANT(260) ? 0 : 1);
}

/*
 * Of one row.  One that is replaced may leave a cell and enter another, so that several cells count
 * twice what an entering row changes.
 */
static uint64_t
reach_of_row(const Look *look, int position)
{
	bool several = (look->cells > 1 || look->kind == LOOK_PROFILE) &&
				   !(MUTANT(296) && look_has_scores(look->kind));
	bool moves = look->adjacency == ADJACENCY_REPLACE && several && !MUTANT(234);
	uint64_t times = moves ? 2 : 1;

	if (look->kind == LOOK_SUM)
		return look->cells > 1 ? times * largest(look) : reach_of_sum(look);
	if (look->kind == LOOK_PROFILE)
		return times * histograms(look);
	if (look->kind == LOOK_RESIDUALS)
		return times * reach_of_residual(look, (ResidualNumber) (position % RESIDUAL_NUMBERS));
	if (look->kind != LOOK_AVERAGE)
		return times;
	/* half of epsilon for the sum and half for the rows (theorem T4) */
	if (MUTANT(237))
		return times * (position % 2 == 0 ? largest(look) : 1);
	return 2 * times * (position % 2 == 0 ? largest(look) : 1);
}

uint64_t
look_reach(const Look *look, int position)
{
	uint64_t rows = MUTANT(232) ? 1 : (uint64_t) look->rows_per_person;

	return rows * reach_of_row(look, position);
}

static void
quantiles_request(const Look *look, int64_t epsilon, QuantilesRequest *request)
{
	*request = (QuantilesRequest){
		.quantiles = look->quantiles,
		.cells = look->high + 1,
		.parts = QUANTILES_PARTS,
		.epsilon = epsilon,
		.adjacency = look->adjacency,
		.person = look->rows_per_person,
		.grouped = look->cells > 1,
	};
	memcpy(request->quantile, look->quantile, sizeof(request->quantile));
}

void
look_draw(const Look *look, int64_t epsilon, Bits *bits, int cell, int64_t *number)
{
	int count = numbers_of_cell(look);
	int first = cell * count;

	if (look->kind == LOOK_SUGGESTION)
	{
		suggestion_draw(look, epsilon, bits, cell, number);
		return;
	}
	if (look->kind == LOOK_QUANTILES)
	{
		int64_t answer[QUANTILES_MOST];
		QuantilesRequest request;

		quantiles_request(look, epsilon, &request);
		quantiles_draw(&request, number + first, bits, answer);
		memcpy(number + first, answer, (size_t) look->quantiles * sizeof(int64_t));
		return;
	}
	for (int i = first; i < first + count; i++)
	{
		uint64_t reach = look_reach(look, i);

		if (MUTANT(295) && look_has_scores(look->kind) && i % 2 == 1)
			continue;
		noisy_numbers(bits, epsilon, &reach, &number[i], 1);
	}
}

/* ---- answers ---- */

double
look_error(const Look *look, int64_t epsilon, int position, double beta)
{
	double error[QUANTILES_MOST];
	QuantilesRequest request;

	if (look->kind == LOOK_QUANTILES)
	{
		quantiles_request(look, epsilon, &request);
		quantiles_error(&request, beta, error);
		return error[position % look->quantiles];
	}
	return noisy_error(epsilon, look_reach(look, position), 1, beta);
}

/* Not above and not below the result of one operation on numbers that it rounds. */
static double
below(double number)
{
	return nextafter(number, -INFINITY);
}

static double
above(double number)
{
	return nextafter(number, INFINITY);
}

/* The truth of a number is from *low to *high, rounded outwards where doubles are not exact. */
static void
surround(const Look *look, int64_t epsilon, int position, int64_t number, double beta, double *low,
		 double *high)
{
	double error = look_error(look, epsilon, position, beta);

	*low = (double) number - error;
	*high = (double) number + error;
	if (fabs(*low) > 0x1p52)
		*low = below(below(*low));
	if (fabs(*high) > 0x1p52)
		*high = above(above(*high));
}

/* A sum over a number of rows from least to most, both at least 1. */
static double
smallest_quotient(double sum, double least, double most)
{
	return below(sum / (sum < 0 ? least : most));
}

static double
clip(double number, double low, double high)
{
	return number < low ? low : number > high ? high : number;
}

/*
 * A noisy sum over the noisy number of rows, and where the truth is but for a chance of beta for
 * each of the two numbers; unknown, without bounds, if no row is left of the noise.
 */
static void
answer_quotient(const Look *look, int64_t epsilon, double beta, const int64_t *number, int sum,
				int rows, LookAnswer *answer)
{
	double low;
	double high;
	double least;
	double most;

	surround(look, epsilon, sum, number[sum], beta, &low, &high);
	surround(look, epsilon, rows, number[rows], beta, &least, &most);
	least = fmax(least, 1.0);
	most = fmax(most, least);
	*answer = (LookAnswer){.known = number[rows] >= 1, .low = -INFINITY, .high = INFINITY};
	answer->rows = number[rows];
	if (!answer->known)
		return; /* few rows or none */
	answer->value = (double) number[sum] / (double) number[rows];
	answer->low = smallest_quotient(low, least, most);
	answer->high = -smallest_quotient(-high, least, most);
}

/* Maps an answer in units from the middle to bounded values. */
static void
map_answer(double middle, double unit, double bottom, double top, LookAnswer *answer)
{
	answer->value = clip(middle + unit * answer->value, bottom, top);
	answer->low = clip(below(middle + unit * answer->low), bottom, top);
	answer->high = clip(above(middle + unit * answer->high), bottom, top);
}

static void
answer_average(const Look *look, int64_t epsilon, double beta, const int64_t *number, int first,
			   LookAnswer *answer)
{
	answer_quotient(look, epsilon, beta / 2, number, first, first + 1, answer);
	map_answer(look->middle, look->unit, look->middle + look->unit * look->low,
			   look->middle + look->unit * look->high, answer);
}

int
look_answers(const Look *look)
{
	if (look->kind == LOOK_SUGGESTION)
		return suggestion_answers(look);
	if (look->kind == LOOK_QUANTILES)
		return look->cells * look->quantiles;
	if (look->kind == LOOK_AUC)
		return AUC_ANSWERS;
	if (look->kind == LOOK_CALIBRATION)
		return look->cells / 2;
	return look->kind == LOOK_RESIDUALS ? look->cells * RESIDUAL_ANSWERS : look->cells;
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
	low = below((mean->low - bottom) / (top - bottom));
	high = above((mean->high - bottom) / (top - bottom));
	estimate_mean_of_population(rows, beta, &low, &high);
	mean->low = below(bottom + below(low * (top - bottom)));
	mean->high = above(bottom + above(high * (top - bottom)));
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

	answer_quotient(look, epsilon, beta, number, first + (int) part, first + RESIDUAL_ROWS, mean);
	mean->value += centre;
	mean->low = below(mean->low + centre);
	mean->high = above(mean->high + centre);
	if (!mean->known || !sample)
		return;
	surround(look, epsilon, first + RESIDUAL_ROWS, number[first + RESIDUAL_ROWS], beta, &least,
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
	map_answer(0.0, look->unit, 0.0, look->unit * (double) most_of_row(look, RESIDUAL_SIZES),
			   answer);
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
	low = below(squares.low - above(farthest * farthest * unit));
	high = above(squares.high - below(nearest * nearest * unit));
	if (low > 0)
		answer->low = below(1.0 - above(error.high / low));
	if (high > 0)
		answer->high = fmin(1.0, above(1.0 - below(error.low / high)));
}

static void
answer_quantile(const Look *look, int64_t epsilon, double beta, const int64_t *number, int position,
				LookAnswer *answer)
{
	int cell = position / look->quantiles;
	int quantile = position % look->quantiles;
	int64_t x = number[cell * numbers_of_cell(look) + quantile];
	double error = look_error(look, epsilon, position, beta);

	answer->value = round_grid_point(&look->grid, x);
	answer->rows = error < 0x1p62 ? (int64_t) error : INT64_MAX;
}

/* Of a histogram of scores. */
static void
answer_scores(const Look *look, int64_t epsilon, double level, const int64_t *number, int position,
			  LookAnswer *answer)
{
	uint64_t reach = look_reach(look, 0);
	double ties;

	if (look->kind == LOOK_CALIBRATION)
	{
		const int64_t *bin = number + 2 * (ptrdiff_t) position;

		estimate_share(epsilon, reach, bin[0], bin[1], level, answer);
		estimate_round(answer);
		return;
	}
	estimate_auc(epsilon, reach, number, look->cells / 2, level, answer, &ties);
	if (position == AUC_TIES)
		answer->value = ties;
	estimate_round(answer);
}

static void
answer_residuals(const Look *look, int64_t epsilon, double beta, const int64_t *number, int first,
				 ResidualAnswer kind, LookAnswer *answer)
{
	void (*find)(const Look *, int64_t, double, bool, const int64_t *, int, LookAnswer *) =
		kind == RESIDUAL_R_SQUARED ? answer_r_squared : answer_mean_size;
	double most = look->unit * (double) most_of_row(look, RESIDUAL_SIZES);
	LookAnswer sample;

	find(look, epsilon, beta, false, number, first, answer);
	find(look, epsilon, beta, true, number, first, &sample);
	answer->sample_low = fmin(sample.low, answer->low);
	answer->sample_high = fmax(sample.high, answer->high);
	estimate_round(answer);
	if (kind != RESIDUAL_MEAN_SIZE)
		return;
	answer->high = fmin(answer->high, most);
	answer->sample_high = fmin(answer->sample_high, most);
}

void
look_answer(const Look *look, int64_t epsilon, double level, const int64_t *number, int position,
			LookAnswer *answer)
{
	int each = look_has_scores(look->kind) ? 1 : look_answers(look) / look->cells;
	int first = position / each * numbers_of_cell(look);
	double beta = 1.0 - level;

	*answer = (LookAnswer){.known = true};
	if (look->kind == LOOK_SUGGESTION)
	{
		suggestion_answer(look, epsilon, level, number, position, answer);
		return;
	}
	if (look->kind == LOOK_QUANTILES)
	{
		answer_quantile(look, epsilon, beta, number, position, answer);
		return;
	}
	if (look->kind == LOOK_AVERAGE)
	{
		answer_average(look, epsilon, beta, number, first, answer);
		return;
	}
	if (look->kind == LOOK_RESIDUALS)
	{
		answer_residuals(look, epsilon, beta, number, first,
						 (ResidualAnswer) (position % RESIDUAL_ANSWERS), answer);
		return;
	}
	if (look_has_scores(look->kind))
	{
		answer_scores(look, epsilon, level, number, position, answer);
		return;
	}
	surround(look, epsilon, first, number[first], beta, &answer->low, &answer->high);
	answer->value = (double) number[first];
	if (look->kind == LOOK_SUM)
	{
		answer->value *= look->unit;
		answer->low *= look->unit;
		answer->high *= look->unit;
		return;
	}
	/* a number of rows is not negative */
	answer->low = fmax(answer->low, 0.0);
	answer->high = fmax(answer->high, 0.0);
}
