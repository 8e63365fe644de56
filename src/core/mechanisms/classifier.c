/*
 * classifier.c - the rule of dp_classifier, found by trial (rule U13).
 *
 * Both models are private with the same epsilon and delta, so the rule is about accuracy
 * alone.  It looks at no row.
 */
#include "core/mechanisms/classifier.h"

/* Rows times epsilon for each weight, beyond which real weights beat narrow grids. */
#define LOGISTIC_EVIDENCE 800

/*
 * If only sparse grids can be drawn from: the largest noise of a column, as a share of the rows, at
 * which real weights win.
 */
#define LOGISTIC_NOISE 0.02

const char *
classifier_reason(ClassifierReason reason)
{
	static const char *const words[] = {
		[REASON_WIDE_GRID] = "a grid of wide weights can be drawn from",
		[REASON_FEW_ROWS] = "rows times epsilon are too few for real weights",
		[REASON_MANY_ROWS] = "rows times epsilon are enough for real weights",
		[REASON_LITTLE_NOISE] = "no dense grid can be drawn from, and noise is small",
		[REASON_MUCH_NOISE] = "noise on real weights would be large",
		[REASON_NO_GRID] = "no dense grid can be drawn from",
		[REASON_ROWS_UNKNOWN] = "the number of rows is not declared",
	};

	return words[reason];
}

bool
classifier_is_logistic(ClassifierReason reason)
{
	return reason == REASON_MANY_ROWS || reason == REASON_LITTLE_NOISE || reason == REASON_NO_GRID;
}

/* Does the grid have weights beyond +-1 for columns that there are? */
static bool
is_wide(const GridTerms *terms, const GridWidths *widths)
{
	if (widths->indicator.count > 1)
		return true;
	for (int j = 0; j < terms->encoding->features; j++)
		if (terms->numeric[j])
			return widths->number.count > 1;
	return false;
}

ClassifierReason
classifier_choose(const GridTerms *terms, double noise)
{
	double dimension = encoding_dimension(terms->encoding);
	GridWidths widths;
	Grid grid;

	grid_default(terms, &widths, &grid);
	if (widths.sparse > 0 && terms->rows == 0)
		return REASON_NO_GRID;
	if (widths.sparse > 0)
		return noise <= LOGISTIC_NOISE * (double) terms->rows ? REASON_LITTLE_NOISE
															  : REASON_MUCH_NOISE;
	if (is_wide(terms, &widths))
		return REASON_WIDE_GRID;
	if (terms->rows == 0)
		return REASON_ROWS_UNKNOWN;
	return terms->evidence <= LOGISTIC_EVIDENCE * dimension ? REASON_FEW_ROWS : REASON_MANY_ROWS;
}
