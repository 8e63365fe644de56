/*
 * look.h - a look at a table: counts, sums, averages, histograms, profiles and residuals of a
 * public model with noise, and what a declaration is suggested from (theorems T1 to T5, T7 to T9).
 *
 * A look is a vector of integers with a public reach each, and nothing else: noisy.h has its noise.
 * Quantiles are the exception: quantiles.h draws them from the rows at each x.
 * Rows are in disjoint cells, such as groups or bins: each usable row in one.  A row is usable if
 * it passes the filter and its value is a number; an unusable row changes nothing.
 *
 *   count, histogram   a number for each cell: its usable rows
 *   sum                a number for each cell: the sum of its values
 *   average            two numbers for each cell: the sum of its centred values, and its usable
 *                      rows
 *   profile            several histograms of the same rows: a row that passes the filter is in one
 *                      cell of each column.  The first two numbers are the rows that a training can
 *                      use, by their cells, and the others; then follow the cells of the first
 *                      column, of the second, ...
 *   residuals          the numbers of ResidualNumber: how far a public prediction is from the value
 *   auc, calibration   a histogram with two numbers for each bin of a public model's score, the
 *                      cells of positive and of negative rows
 *   suggestion         the numbers of several looks at the same rows (suggestion.h)
 *
 * A value is clipped to public bounds and rounded to a whole multiple x of a public unit, a power
 * of 2, of which the larger bound (for an average and for residuals: half the distance of the
 * bounds) has 2^23 to 2^24; of quantiles, to a point of round_grid.h.
 *
 * Another look needs a kind, its numbers in look_add(), and its reach in look_reach().
 */
#ifndef DPOBJ_CORE_LOOK_H
#define DPOBJ_CORE_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/privacy.h"
#include "core/exponential/quantiles.h"
#include "core/looks/estimate.h"
#include "core/looks/round_grid.h"
#include "core/random/bits.h"
#include "core/rows/encoding.h"

typedef enum LookKind
{
	LOOK_COUNT,
	LOOK_SUM,
	LOOK_AVERAGE,
	LOOK_HISTOGRAM,
	LOOK_QUANTILES,
	LOOK_PROFILE,
	LOOK_RESIDUALS,
	LOOK_AUC,
	LOOK_CALIBRATION,
	LOOK_SUGGESTION,
	LOOK_KINDS
} LookKind;

/* A column of a profile. */
typedef struct LookColumn
{
	int cells;  /* 2 or more */
	int usable; /* so many of its first cells are of rows that a training can use */
} LookColumn;

#define LOOK_MOST_COLUMNS COLUMNS_MAX

/* The first numbers of a profile, before those of its columns. */
enum
{
	PROFILE_USABLE,
	PROFILE_OTHERS,
	PROFILE_COLUMNS
};

/*
 * The numbers of a cell of residuals: with x the value from the middle of the bounds, and r its
 * distance from the prediction, which is clipped to the bounds, the sums over the usable rows of
 * r^2, |r|, x and x^2, and the rows.  Each part of the first four, but x, is less half of the most
 * that it can be.
 */
typedef enum ResidualNumber
{
	RESIDUAL_SQUARES,
	RESIDUAL_SIZES,
	RESIDUAL_VALUES,
	RESIDUAL_VALUE_SQUARES,
	RESIDUAL_ROWS,
	RESIDUAL_NUMBERS
} ResidualNumber;

/* Squares are in units of 2^26: a residual has 25 bits, its square 24. */
#define LOOK_SQUARE_SHIFT 26

/* The answers about a cell of residuals. */
typedef enum ResidualAnswer
{
	RESIDUAL_R_SQUARED,
	RESIDUAL_MEAN_SIZE,
	RESIDUAL_ANSWERS
} ResidualAnswer;

/* The answers about a histogram of scores by label: the second has a value only (estimate.h). */
typedef enum AucAnswer
{
	AUC_VALUE,
	AUC_TIES,
	AUC_ANSWERS
} AucAnswer;

/* The public parameters of a look. */
typedef struct Look
{
	LookKind kind;
	Adjacency adjacency;
	int cells;               /* of a profile look_profile_cells(), of a suggestion its columns */
	int64_t rows_per_person; /* 1 if rows are protected */

	/* sums, averages, residuals and quantiles; x is from low to high, both whole */
	double unit;
	/* a multiple of the unit: the middle of the bounds for an average and for residuals, the first
	 * multiple of the grid for quantiles, else 0 */
	double middle;
	int32_t low;
	int32_t high;

	/* quantiles; low is 0, and x is a point of the grid */
	RoundGrid grid;
	int quantiles;
	int32_t quantile[QUANTILES_MOST]; /* increasing, in millionths */

	/* bins of scores: of the same width, from the lowest to the highest score, half of the cells */
	double lowest;
	double highest;

	/* a profile, or a suggestion */
	int columns;              /* 1 .. LOOK_MOST_COLUMNS */
	const LookColumn *column; /* of a profile */
	const struct Look *part;  /* of a suggestion: a look at each column, with suggestion_begin() */
} Look;

/* Are rows in bins of their score by a model? */
static inline bool
look_has_scores(LookKind kind)
{
	return kind == LOOK_AUC || kind == LOOK_CALIBRATION;
}

/* Can rows be in groups, each of which is answered? */
static inline bool
look_has_groups(LookKind kind)
{
	return kind != LOOK_PROFILE && kind != LOOK_RESIDUALS && kind != LOOK_SUGGESTION &&
		   !look_has_scores(kind);
}

/* Does the kind have values, and so bounds? */
static inline bool
look_has_values(LookKind kind)
{
	return kind == LOOK_SUM || kind == LOOK_AVERAGE || kind == LOOK_QUANTILES ||
		   kind == LOOK_RESIDUALS;
}

/*
 * Sets unit, middle, low and high; false unless the bounds are finite and far enough apart: the
 * nearer they are to each other, the smaller they must be.
 */
extern bool look_set_bounds(Look *look, double low, double high);

/*
 * The same for quantiles, whose grid has at most so many steps, less than QUANTILES_MOST_CELLS /
 * cells, and whole points if values are whole.
 */
extern bool look_set_grid(Look *look, double low, double high, bool whole, int64_t most);

/* The number of cells of a profile: all cells of its columns and the two first. */
extern int look_profile_cells(const Look *look);

/*
 * The map from a value, or from any number if there are no values, to x; of a profile and of a
 * suggestion, from the numbers of a row's cells, one for each column, to the same as integers.
 */
extern void look_encoding(const Look *look, Encoding *encoding);

/* The length of the vector; it is in the order of the cells. */
extern int look_numbers(const Look *look);

/* Adds so many usable rows of a cell (without groups 0) with this encoding to the vector. */
extern void look_add(const Look *look, int cell, const int32_t *x, int64_t rows, int64_t *number);

/* The same for residuals, with the prediction of the value, any number. */
extern void look_add_residual(const Look *look, int cell, int32_t x, double prediction,
							  int64_t rows, int64_t *number);

/*
 * The number of bins of scores by which the AUC is found best, for so many rows (0: not known) at
 * this epsilon: with more bins there is more noise, and with less there are more ties.
 */
extern int look_usual_bins(const Look *look, int64_t epsilon, int64_t rows);

/* The cell of a row with this score, any number, and this label. */
extern int look_score_cell(const Look *look, double score, bool positive);

/* The reach of a number of the vector (theorems T2 to T4, T7 and T8); not of quantiles and not of a
 * suggestion, whose parts have it. */
extern uint64_t look_reach(const Look *look, int position);

/*
 * Adds the noise of one release to a cell's numbers in the vector; a release is all cells.  Of
 * quantiles, the first numbers of the cell become their x, and the others are lost; 100 of them
 * take some milliseconds.
 */
extern void look_draw(const Look *look, int64_t epsilon, Bits *bits, int cell, int64_t *number);

/*
 * The answer about a cell.  But for a chance of 1 - level, each by itself, the truth is from low to
 * high: of the clipped and rounded values, and of an average of one row or more.
 */
typedef Estimate LookAnswer;

/*
 * The number of answers: one for each cell, one for each quantile of each cell, those of all parts
 * of a suggestion, or for each cell of residuals the ResidualAnswers: 1 - mean r^2 / variance of
 * the values, and the mean of |r|; of scores the AucAnswers, or of a calibration for each bin the
 * share of its positive rows. Answers about a model have the digits that the noise allows.  A
 * quantile has no low and no high.  Its rows are a bound of its error in ranks (theorem J5) that
 * holds, but for a chance of 1 - level, for all quantiles of a cell at once.
 */
extern int look_answers(const Look *look);

extern void look_answer(const Look *look, int64_t epsilon, double level, const int64_t *number,
						int position, LookAnswer *answer);

/*
 * How far from the truth a number of the vector is at most, but for a chance of beta.  Of
 * quantiles, how far the rank of an answer is, in rows.  Not of a suggestion.
 */
extern double look_error(const Look *look, int64_t epsilon, int position, double beta);

#endif
