/*
 * classifier.c - the rule of dp_classifier, found by trial (rule U13).
 *
 * All models are private with the same epsilon and delta, so the rule is about accuracy alone.  It
 * looks at no row.
 */
#include "core/mechanisms/classifier.h"

#include <math.h>

#include "core/mechanisms/convex_default.h"
#include "core/mechanisms/convex_pool.h"

/*
 * Rows times epsilon for each weight, from which a pool is best; and where the grid has many sizes
 * of weights, so many if there are numbers.
 */
#define POOL_EVIDENCE 450
#define POOL_EVIDENCE_WIDE 2000
#define WIDE_SIZES 6

/*
 * The same times the root of weights / rows: with few rows for each weight, the vector of the
 * fewest mistakes is far better than the minimiser.
 */
#define POOL_EXCESS 20

/*
 * If only sparse grids can be drawn from: the largest noise of a column, as a share of the rows, at
 * which real weights win.
 */
#define CENTRE_NOISE 0.02

static const struct
{
	ClassifierModel model;
	const char *words;
} reasons[] = {
	[REASON_WIDE_GRID] = {CLASSIFIER_GRID, "a grid of wide weights can be drawn from"},
	[REASON_FEW_ROWS] = {CLASSIFIER_GRID, "rows times epsilon are too few for a pool"},
	[REASON_MANY_ROWS] = {CLASSIFIER_POOL, "rows times epsilon are enough for a pool"},
	[REASON_LITTLE_NOISE] = {CLASSIFIER_CENTRE,
							 "no dense grid can be drawn from, and noise is small"},
	[REASON_MUCH_NOISE] = {CLASSIFIER_GRID, "noise on real weights would be large"},
	[REASON_NO_SCORES] = {CLASSIFIER_CENTRE, "clip bounds are too wide for a grid"},
	[REASON_NO_MEMORY] = {CLASSIFIER_CENTRE, "a grid needs all rows in memory"},
	[REASON_NO_GRID] = {CLASSIFIER_CENTRE, "no dense grid can be drawn from"},
	[REASON_DESCENT] = {CLASSIFIER_DESCENT, "noisy descent gives the best scores"},
	[REASON_NO_DELTA] = {CLASSIFIER_CENTRE, "noisy descent needs a delta"},
	[REASON_NO_ORDER] = {CLASSIFIER_CENTRE, "no bins are in order, and noise is small enough"},
	[REASON_ROWS_UNKNOWN] = {CLASSIFIER_GRID, "the number of rows is not declared"},
};

const char *
classifier_reason(ClassifierReason reason)
{
	return reasons[reason].words;
}

ClassifierModel
classifier_model(ClassifierReason reason)
{
	return reasons[reason].model;
}

/* Does the grid have many sizes of weights, in columns that there are? */
static bool
is_wide(const GridTerms *terms, const GridWidths *widths)
{
	for (int j = 0; j < terms->encoding->features; j++)
		if (terms->numeric[j])
			return widths->number.count >= WIDE_SIZES;
	return widths->indicator.count > 1;
}

/* Is a pool better than the best that there is without?  The number of rows is declared. */
static bool
is_pool_better(const GridTerms *terms, bool wide)
{
	double dimension = encoding_dimension(terms->encoding);
	double evidence = terms->evidence / dimension;

	if (wide)
		return evidence >= POOL_EVIDENCE_WIDE;
	return evidence >= POOL_EVIDENCE ||
		   evidence * sqrt(dimension / (double) terms->rows) >= POOL_EXCESS;
}

/*
 * The best but for a pool; noise is that of a column of the centre.  Clip bounds may be so wide
 * that no grid has scores.
 */
static ClassifierReason
choose_single(const GridTerms *terms, const GridWidths *widths, const Grid *grid, int threads,
			  double noise)
{
	if (!grid_scores_fit(terms->encoding, grid))
		return REASON_NO_SCORES;
	if (!run_fits_memory(&terms->run, grid->dimension, threads))
		return REASON_NO_MEMORY;
	if (widths->sparse > 0 && terms->rows == 0)
		return REASON_NO_GRID;
	if (widths->sparse > 0)
		return noise <= CENTRE_NOISE * (double) terms->rows ? REASON_LITTLE_NOISE
															: REASON_MUCH_NOISE;
	if (is_wide(terms, widths))
		return REASON_WIDE_GRID;
	return terms->rows == 0 ? REASON_ROWS_UNKNOWN : REASON_FEW_ROWS;
}

ClassifierReason
classifier_choose(const GridTerms *terms, int64_t delta, MechanismRequest *request)
{
	MechanismRequest centre = *request;
	MechanismRequest pool = *request;
	GridWidths widths;
	Grid grid;
	ClassifierReason reason;

	grid_default(terms, &widths, &grid);
	centre.kind = MECHANISM_OBJECTIVE;
	reason = choose_single(terms, &widths, &grid, request->threads,
						   convex_default_classifier(&centre, terms->encoding, delta, terms->rows));
	if (terms->rows > 0 && is_pool_better(terms, reason == REASON_WIDE_GRID))
	{
		pool.kind = MECHANISM_POOL;
		convex_pool_settle(&pool, terms->encoding, delta, terms->rows);
		pool.run = terms->run;
		if (convex_pool_is_sure(&pool))
			reason = REASON_MANY_ROWS;
	}
	if (classifier_model(reason) != CLASSIFIER_GRID)
		*request = reason == REASON_MANY_ROWS ? pool : centre;
	return reason;
}

/* ---- scores ---- */

/*
 * Where there are numbers, the objective is taken if the noise of a column is at most this share of
 * the rows.
 */
#define OBJECTIVE_NOISE 0.006

/* Of so many bins in order descent knows more than an objective. */
#define ORDERED_BINS 3

static bool
has_order(const ResidualLayout *layout)
{
	for (int g = 0; g < layout->groups; g++)
		if (layout->group[g].ordered >= ORDERED_BINS)
			return true;
	return false;
}

/*
 * Is the objective better than descent, with this noise of a column?  Descent gains by order, and
 * where numbers stand beside columns with few rows in them.
 */
static bool
is_objective_better(const ResidualLayout *layout, int64_t rows, double noise)
{
	return !has_order(layout) && isfinite(noise) &&
		   (layout->numbers == 0 || noise <= OBJECTIVE_NOISE * (double) rows);
}

ClassifierReason
classifier_choose_scores(const Encoding *encoding, int64_t rows, int64_t delta,
						 MechanismRequest *request)
{
	MechanismRequest descent = *request;
	ResidualLayout layout;
	double noise = INFINITY;

	request->kind = MECHANISM_OBJECTIVE;
	if (!encoding->indices) /* K-norm noise, which needs no delta, is not for levels */
		noise = convex_default_classifier(request, encoding, 0, rows);
	if (delta == 0)
		return REASON_NO_DELTA;
	descent.kind = MECHANISM_DESCENT;
	descent.convex.loss = LOSS_LOGISTIC;
	descent.convex.lambda = LAMBDA_MIN;
	convex_set_noise(&descent, CONVEX_GAUSSIAN, delta);
	residual_describe(encoding, &descent.convex, &descent.residual);
	residual_layout_make(&descent.convex, &descent.residual, encoding_dimension(encoding), &layout);
	if (is_objective_better(&layout, rows, noise))
	{
		/* normal noise would shorten rows with numbers, and make their scores too large */
		if (layout.numbers == 0)
			(void) convex_default_classifier(request, encoding, delta, rows);
		return REASON_NO_ORDER;
	}
	*request = descent;
	return REASON_DESCENT;
}
