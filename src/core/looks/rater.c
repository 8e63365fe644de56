/*
 * rater.c - scores of encoded rows, and which cell of a rating's table a row is in.
 */
#include "core/looks/rater.h"

#include <math.h>
#include <string.h>

bool
rater_place(Rater *rater, const Encoding *encoding, bool first_is_label, int weights)
{
	int first = first_is_label ? 1 : 0;
	int classes = rater->classes > 0 ? rater->classes : 1;

	rater->features = encoding->features - first;
	rater->intercept = encoding->intercept;
	memcpy(rater->levels, encoding->levels + first, rater->features * sizeof(rater->levels[0]));
	for (int j = 0; j < rater->features; j++)
		rater->place[j] = first + j;
	rater->weights = levels_weights(rater->levels, rater->features) + (rater->intercept ? 1 : 0);
	return rater->weights * classes == weights;
}

double
rater_score(const Rater *rater, int class, const int32_t *x)
{
	const double *weight = rater->weight + class * rater->weights;
	double score = 0.0;

	for (int j = 0; j < rater->features; j++)
	{
		int levels = rater->levels[j];

		score += levels_product(weight, levels, x[rater->place[j]]);
		weight += levels > 0 ? levels : 1;
	}
	if (rater->intercept)
		score += *weight * FIXED_POINT_ONE;
	return score / FIXED_POINT_ONE;
}

int
rater_predict(const Rater *rater, const int32_t *x)
{
	double highest = rater_score(rater, 0, x);
	int best = 0;

	if (rater->classes == 0)
		return highest > 0 ? 0 : 1;
	for (int k = 1; k < rater->classes; k++)
	{
		double own = rater_score(rater, k, x);

		if (own > highest)
		{
			highest = own;
			best = k;
		}
	}
	return best;
}

double
rater_number(const Rater *rater, const int32_t *x)
{
	return rater->prediction.base + rater->prediction.scale * rater_score(rater, 0, x);
}

/* ---- the cells ---- */

/* A level and a class are within what the model has weights for. */
static bool
takes(const Rater *rater, const int32_t *x)
{
	for (int j = 0; j < rater->features; j++)
	{
		int32_t index = x[rater->place[j]];

		if (rater->levels[j] > 0 && (index < 0 || index % FIXED_POINT_ONE != 0 ||
									 index / FIXED_POINT_ONE > rater->levels[j]))
			return false;
	}
	return rater->classes == 0 || (x[0] >= 0 && x[0] / FIXED_POINT_ONE < rater->classes);
}

static void
add_class(const Rater *rater, const int32_t *x, const RowCount *count, RatingTable *table)
{
	int label = x[0] / FIXED_POINT_ONE;
	bool right = rater_predict(rater, x) == label;

	table->number[2 * label + (right ? 0 : 1)] += count->positive;
}

/* The number of a row in the units of the look, within its bounds. */
static int32_t
number_of_row(const Rater *rater, const Look *look, int32_t x)
{
	double number = rater->target.base + rater->target.scale * x;

	if (rater->target.scale == 0)
		return x;
	number = rint((number - look->middle) / look->unit);
	if (!(number > look->low))
		return look->low;
	return number < look->high ? (int32_t) number : look->high;
}

static void
add_residual(const Rater *rater, const int32_t *x, const RowCount *count, RatingTable *table)
{
	int32_t number = number_of_row(rater, &table->look, x[0]);
	LookRow row = {.x = &number, .rows = count->positive};

	row.score = rater_number(rater, x);
	look_add(&table->look, &row, table->number);
}

bool
rater_add(const Rater *rater, const int32_t *x, const RowCount *count, RatingTable *table)
{
	if (!takes(rater, x))
		return false;
	if (table->kind == RATING_SCORES)
		rating_add_scores(table, rater_score(rater, 0, x), count->positive, count->negative);
	else if (table->kind == RATING_CLASSES)
		add_class(rater, x, count, table);
	else
		add_residual(rater, x, count, table);
	return true;
}
