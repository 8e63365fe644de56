/*
 * look.h - a look at a table: counts, sums, averages, histograms, profiles and residuals of a
 * public model with noise, and what a declaration is suggested from (theorems T1 to T5, T7 to T9).
 *
 * A look is a vector of integers with a public reach each, and nothing else: noisy.h has its noise.
 * Quantiles are the exception: quantiles.h draws them from the rows at each x.
 * Rows are in disjoint cells, such as groups or bins: each usable row in one.  A row is usable if
 * it passes the filter and its value is a number; an unusable row changes nothing.
 *
 *   count, histogram   a number for each cell: its usable rows, or the persons who have one
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
 *   suggestion         the numbers of several looks at the same rows
 *   discover           the persons who have each level of a column, which are public with the noise
 *
 * A value is clipped to public bounds and rounded to a whole multiple x of a public unit, a power
 * of 2, of which the larger bound (for an average and for residuals: half the distance of the
 * bounds) has 2^23 to 2^24; of quantiles, to a point of round_grid.h.
 *
 * Another look is a row of LOOKS and a file.
 */
#ifndef DPOBJ_CORE_LOOK_H
#define DPOBJ_CORE_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/facts.h"
#include "core/base/privacy.h"
#include "core/exponential/quantiles.h"
#include "core/looks/estimate.h"
#include "core/looks/round_grid.h"
#include "core/random/bits.h"
#include "core/rows/encoding.h"

/* The table: each look has a row here, and a file that ends with its LookType. */
#define LOOKS(ROW)                                                                                 \
	ROW(count)                                                                                     \
	ROW(sum)                                                                                       \
	ROW(average)                                                                                   \
	ROW(histogram)                                                                                 \
	ROW(quantiles)                                                                                 \
	ROW(profile)                                                                                   \
	ROW(residuals)                                                                                 \
	ROW(auc)                                                                                       \
	ROW(calibration)                                                                               \
	ROW(suggest)                                                                                   \
	ROW(discover)

typedef struct LookType LookType;

/* What a look reads of a row. */
typedef enum LookReads
{
	READS_ROWS,    /* that it is there */
	READS_NUMBER,  /* a column's number, clipped to public bounds */
	READS_POINT,   /* the same, on a grid of round numbers */
	READS_BIN,     /* which of its public values a column has */
	READS_COLUMNS, /* the same of each declared column */
	READS_KNOWN,   /* of each column that the call says what is public about */
	READS_SCORES,  /* a model's score, by the label */
	READS_TARGET,  /* a number, and a model's prediction of it */
	READS_LEVEL    /* a value that nobody has declared (discovered.h) */
} LookReads;

/* A block of cells, those of a column: a row is in one of them. */
typedef struct LookBlock
{
	int cells;  /* of a profile 2 or more */
	int usable; /* of a profile: so many of its first cells are of rows that a training can use */
	const struct Look *part; /* of a suggestion: a look at the column, or NULL */
	int first;               /* of its numbers in the vector; look_set_blocks() */
} LookBlock;

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
	const LookType *type;
	Adjacency adjacency;
	int cells;               /* of a profile all, of a suggestion its columns */
	int64_t rows_per_person; /* 1 if rows are protected */
	bool distinct; /* of a count: no person has two rows in a cell (persons_set_distinct()) */

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

	/* levels that nobody has declared */
	int64_t threshold; /* of the noisy numbers of levels that are named (threshold.h) */
	int named;         /* so many of the cells, after the noise */

	/* a profile, or a suggestion */
	int columns;            /* 1 .. LOOK_MOST_COLUMNS */
	const LookBlock *block; /* of each column; NULL: only their number is known, for a price */
} Look;

/* Equal rows. */
typedef struct LookRow
{
	int cell;         /* of groups and bins; without them 0 */
	const int32_t *x; /* encoded by look_encoding() */
	double score;     /* of a model, or its prediction: any number */
	bool negative;    /* the label, beside a score */
	int64_t rows;
} LookRow;

typedef Estimate LookAnswer;

/* All that differs between looks.  A field that says nothing is left out. */
struct LookType
{
	const char *name; /* in the ledger, in prices, and of the SQL function */
	const char *law;  /* of the noise, in the ledger */
	LookReads reads;
	bool centred;                     /* are values measured from the middle of their bounds? */
	const char *const *measures;      /* names of the answers about a cell */
	int each;                         /* numbers of a cell; 0: one */
	int (*numbers)(const Look *look); /* the length of the vector; NULL: each times the cells */
	void (*add)(const Look *look, const LookRow *row, int64_t *number);
	/* the most that an entering row changes a number by, over its share (theorem T1) */
	uint64_t (*reach)(const Look *look, int position);
	/* NULL: discrete Laplace noise on each number, by its reach */
	void (*draw)(const Look *look, int64_t epsilon, Bits *bits, int cell, int64_t *number);
	int (*answers)(const Look *look); /* NULL: the cells */
	void (*answer)(const Look *look, int64_t epsilon, double confidence, const int64_t *number,
				   int position, LookAnswer *answer);
	/* how far off each answer may be, for a price; NULL: the errors have names of the call's */
	void (*error)(const Look *look, int64_t epsilon, double beta, Facts *facts);
};

#define ENTRY(name) extern const LookType look_##name;
LOOKS(ENTRY)
#undef ENTRY

/* A row of the table, from 0; NULL after the last. */
extern const LookType *look_type(int position);

/* The look of that name, or NULL. */
extern const LookType *look_find(const char *name);

/* Can rows be in groups, each of which is answered? */
static inline bool
look_has_groups(const LookType *type)
{
	return type->reads <= READS_BIN;
}

/* Does it have values, and so bounds? */
static inline bool
look_has_values(const LookType *type)
{
	return type->reads == READS_NUMBER || type->reads == READS_POINT || type->reads == READS_TARGET;
}

/* Does it speak of one column that the call names? */
static inline bool
look_has_column(const LookType *type)
{
	return type->reads != READS_ROWS && type->reads != READS_COLUMNS && type->reads != READS_KNOWN;
}

/* Is it a rating of a model? */
static inline bool
look_rates(const LookType *type)
{
	return type->reads == READS_SCORES || type->reads == READS_TARGET;
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

/* Sets columns and cells from the blocks, and where the numbers of each begin. */
extern void look_set_blocks(Look *look, int columns, LookBlock *block);

/*
 * The map from a value, or from any number if there are no values, to x; of a profile and of a
 * suggestion, from the numbers of a row's cells, one for each column, to the same as integers.
 */
extern void look_encoding(const Look *look, Encoding *encoding);

/* The length of the vector; it is in the order of the cells. */
extern int look_numbers(const Look *look);

/* Adds usable rows to the vector. */
extern void look_add(const Look *look, const LookRow *row, int64_t *number);

/*
 * The number of bins of scores by which the AUC is found best, for so many rows (0: not known) at
 * this epsilon: with more bins there is more noise, and with less there are more ties.
 */
extern int look_usual_bins(const Look *look, int64_t epsilon, int64_t rows);

/* The reach of a number of the vector (theorems T2 to T4, T7, T8 and T13); not of quantiles and not of a
 * suggestion, whose parts have it. */
extern uint64_t look_reach(const Look *look, int position);

/*
 * Adds the noise of one release to a cell's numbers in the vector; a release is all cells.  Of
 * quantiles, the first numbers of the cell become their x, and the others are lost; 100 of them
 * take some milliseconds.
 */
extern void look_draw(const Look *look, int64_t epsilon, Bits *bits, int cell, int64_t *number);

/*
 * The number of answers: one for each cell, one for each quantile of each cell, those of all parts
 * of a suggestion, or for each cell of residuals the ResidualAnswers: 1 - mean r^2 / variance of
 * the values, and the mean of |r|; of scores the AucAnswers, or of a calibration for each bin the
 * share of its positive rows. Answers about a model have the digits that the noise allows.  A
 * quantile has no low and no high.  Its rows are a bound of its error in ranks (theorem J5) that
 * holds, but for a chance of 1 - confidence, for all quantiles of a cell at once.
 */
extern int look_answers(const Look *look);

/*
 * An answer.  But for a chance of 1 - confidence, each by itself, the truth is from low to high: of
 * the clipped and rounded values, and of an average of one row or more.
 */
extern void look_answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number,
						int position, LookAnswer *answer);

/* How far from the truth a number with Laplace noise is at most, but for a chance of beta. */
extern double look_error(const Look *look, int64_t epsilon, int position, double beta);

/* Of quantiles, how far the rank of one is at most, in rows. */
extern double look_rank_error(const Look *look, int64_t epsilon, int quantile, double beta);

/* The share of epsilon that each part of a suggestion has, rounded down; at least 1 is needed. */
extern int64_t look_suggest_share(const Look *look, int64_t epsilon);

/*
 * The most that an answer about a column of a suggestion is off by, but for a chance of beta for
 * each: in rows of a level, in ranks of a quantile.
 */
extern double look_suggest_error(const Look *look, int64_t epsilon, int column, double beta);

#endif
