/*
 * residual.c - the layout of rows for descent on clipped residuals, and how much noise it needs.
 */
#include "core/convex/residual.h"

#include <math.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/convex/convex_columns.h"
#include "core/noise/calibration.h"

/* A step is 0.05, and the width is 1.  -0.3 .. 0.7 is free under replace (lemma D8). */
const int32_t residual_most[RESIDUAL_CLIPS][2] = {
	{1 << RESIDUAL_BITS, 1 << RESIDUAL_BITS},
	{9830, 22938},
	{11469, 21299},
	{13107, 19661},
	{14746, 18022},
	{16384, 16384},
	{18022, 14746},
	{19661, 13107},
	{21299, 11469},
	{22938, 9830},
};

/* ---- the layout ---- */

static double
usual_square(const ConvexColumns *columns, int dimension)
{
	int numbers = 0;

	for (int j = 0; j < dimension; j++)
		numbers += columns->group[j] == 0;
	return RESIDUAL_USUAL_SQUARE * numbers;
}

double
residual_number_length(const ConvexTerms *convex, int dimension)
{
	return sqrt(usual_square(&convex->columns, dimension));
}

void
residual_layout_make(const ConvexTerms *convex, const ResidualTerms *terms, int dimension,
					 ResidualLayout *layout)
{
	const int16_t *group = convex->columns.group;
	int features = dimension - (terms->intercept ? 1 : 0);
	int weight = 0;

	memset(layout, 0, sizeof(*layout));
	layout->intercept = -1;
	for (int j = 0; j < features; j++)
	{
		int size = convex->levels[j] > 0 ? convex->levels[j] : 1;

		if (group[j] == 0)
		{
			layout->bound[layout->numbers] = (double) convex->columns.bound[j] / FIXED_POINT_ONE;
			layout->number[layout->numbers++] = weight;
		}
		else if (j > 0 && group[j] == group[j - 1])
			layout->group[layout->groups - 1].size++;
		else
			layout->group[layout->groups++] =
				(ResidualGroup){.first = weight, .size = size, .ordered = terms->ordered[j]};
		/* a declared group of several columns has a 1 in every row, a lone one or levels may not */
		if (group[j] == 0 || convex->levels[j] > 0 ||
			!((j > 0 && group[j] == group[j - 1]) ||
			  (j + 1 < features && group[j] == group[j + 1])))
			layout->sums_intercept = terms->intercept;
		weight += size;
	}
	layout->square = usual_square(&convex->columns, dimension);
	if (terms->intercept)
		layout->intercept = weight++;
	layout->weights = weight;
}

/* No row is longer. */
static double
radius_of(const ResidualLayout *layout)
{
	double square = layout->groups + (layout->intercept >= 0 ? 1 : 0) + layout->square;

	return fmax(sqrt(square), CONVEX_RADIUS_MIN);
}

/* A declared group of one column, or a column without, is a group if it is 0 or 1 in every row. */
void
residual_describe(const Encoding *encoding, ConvexTerms *convex, ResidualTerms *terms)
{
	ConvexColumns *columns = &convex->columns;
	ResidualLayout layout;
	int16_t group = 0;
	int j = 0;

	memset(columns, 0, sizeof(*columns));
	memset(terms, 0, sizeof(*terms));
	memcpy(convex->levels, encoding->levels, sizeof(encoding->levels));
	terms->intercept = encoding->intercept;
	for (int g = 0; j < encoding->features; g++)
	{
		int size = g < encoding->groups ? encoding->group[g] : 1;
		bool ones = size > 1 || encoding->binary[j] || encoding->levels[j] > 0;

		terms->ordered[j] = encoding->ordered[j];
		group += ones ? 1 : 0;
		for (int end = j + size; j < end; j++)
		{
			columns->group[j] = ones ? group : 0;
			columns->bound[j] = ones ? FIXED_POINT_ONE : convex_columns_bound(encoding, j);
		}
	}
	if (encoding->intercept)
	{
		columns->group[j] = (int16_t) (group + 1);
		columns->bound[j] = FIXED_POINT_ONE;
	}
	residual_layout_make(convex, terms, encoding_dimension(encoding), &layout);
	convex->radius = radius_of(&layout);
}

bool
residual_terms_valid(const ConvexTerms *convex, const ResidualTerms *terms, int dimension)
{
	const ConvexColumns *columns = &convex->columns;
	ResidualLayout layout;
	int last = dimension - 1;

	if (!convex_terms_valid(convex) || convex->classes > 0 || convex->loss != LOSS_LOGISTIC ||
		convex->noise != CONVEX_GAUSSIAN || dimension < 1 || dimension > COLUMNS_MAX ||
		!convex_columns_valid(columns, dimension))
		return false;
	for (int j = 0; j < dimension; j++)
		if (columns->group[j] == COLUMN_INDICATOR ||
			(convex->levels[j] > 0 &&
			 (columns->group[j] == 0 || (j > 0 && columns->group[j] == columns->group[j - 1]) ||
			  (j < last && columns->group[j] == columns->group[j + 1]))))
			return false;
	if (terms->intercept && (columns->group[last] == 0 || convex->levels[last] > 0 ||
							 (last > 0 && columns->group[last] == columns->group[last - 1])))
		return false;
	residual_layout_make(convex, terms, dimension, &layout);
	for (int g = 0; g < layout.groups; g++)
		if (layout.group[g].ordered < 0 || layout.group[g].ordered > layout.group[g].size)
			return false;
	return convex->radius >= radius_of(&layout) * (1 - 1e-12);
}

/* ---- how far one row moves a sum ---- */

double
residual_reach(const ResidualLayout *layout, ResidualClip clip, Adjacency adjacency)
{
	double positive = ldexp(residual_most[clip][0], -RESIDUAL_BITS);
	double negative = ldexp(residual_most[clip][1], -RESIDUAL_BITS);
	double most = fmax(positive, negative);
	double width = positive + negative;
	double constant = layout->sums_intercept ? 1 : 0;
	double all = layout->groups + constant + layout->square;
	double same; /* residuals of one sign */

	if (adjacency == ADJACENCY_ADD_REMOVE)
		return most * sqrt(all);
	if (MUTANT(350))
		return sqrt((positive * positive + negative * negative) * all);
	same = most * most * (2 * layout->groups + constant + (MUTANT(351) ? 1 : 4) * layout->square);
	return sqrt(fmax(same, width * width * all));
}

/* Of the clip's limits, as of its steps in residual_most. */
#define STEP_SHARE 0.05

/* With the share as it is, no residual of the noisy base rate is clipped. */
ResidualClip
residual_clip(const ResidualLayout *layout, double share, Adjacency adjacency)
{
	double steps = round((0.5 - share) / STEP_SHARE);
	int uneven = (int) fmin(fmax(steps, -CLIP_STEPS), CLIP_STEPS);
	double even = residual_reach(layout, CLIP_EVEN, adjacency);

	while (residual_reach(layout, (ResidualClip) (CLIP_EVEN + uneven), adjacency) > even)
		uneven -= uneven > 0 ? 1 : -1;
	return (ResidualClip) (CLIP_EVEN + uneven);
}

/* ---- noise ---- */

/* Shares of mu^2; the sums have the rest. */
#define LABELS_SHARE 0.02
#define COUNTS_SHARE 0.05

/* Covers doubles and the rounding of sums to 2^-85. */
#define SAFE (1 + 1e-10)

ResidualScale
residual_scale(const ResidualLayout *layout, double epsilon, double delta, Adjacency adjacency)
{
	double sigma = SAFE * calibration_gaussian_sigma(epsilon, delta);
	double change = adjacency == ADJACENCY_REPLACE && !MUTANT(352) ? sqrt(2) : 1;
	double counts_share = layout->groups > 0 ? COUNTS_SHARE : 0;
	ResidualScale scale = {.labels = change * sigma / sqrt(LABELS_SHARE),
						   .slope = sigma / sqrt(1 - LABELS_SHARE - counts_share)};

	if (layout->groups > 0)
		scale.counts = change * sqrt(MUTANT(353) ? 1 : layout->groups) * sigma / sqrt(COUNTS_SHARE);
	scale.step = scale.slope * sqrt(MUTANT(354) ? 1 : RESIDUAL_STEPS);
	return scale;
}
