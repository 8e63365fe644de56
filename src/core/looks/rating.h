/*
 * rating.h - one private table with which a model comes: how its scores, classes or predictions go
 * with the labels of rows that it has not seen, and what follows from it (theorems N11, X16, X17).
 *
 *   scores     two numbers for each bin of the score, its positive and its negative rows
 *   classes    two numbers for each class of the label, rows that are predicted right and wrong
 *   residuals  the numbers of a look at residuals (look.h)
 *
 * The numbers have discrete Laplace noise, or, but for residuals, that of a Gaussian mechanism.
 *
 * A row that the model can use is in one cell.  Any other row is unusable; such rows have a number
 * of their own where rows are protected, not persons, without groups, and where the label is no
 * number.  The edges of bins are public.  All that is said of the model is a function of the
 * noisy numbers: rating_find() and rating_threshold() read nothing else.
 */
#ifndef DPOBJ_CORE_RATING_H
#define DPOBJ_CORE_RATING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/looks/look.h"
#include "core/rows/instance.h"

typedef enum RatingKind
{
	RATING_SCORES,
	RATING_CLASSES,
	RATING_RESIDUALS,
	RATING_KINDS
} RatingKind;

/*
 * Two more than the rule has: a bin begins at the score from which a label is predicted, and one
 * may be beyond all scores (rating_move()).
 */
#define RATING_BINS 18

#define RATING_NUMBERS (2 * INSTANCE_MAX_CLASSES)

typedef struct RatingTable
{
	RatingKind kind;
	Adjacency adjacency;
	int64_t epsilon;         /* nano-units; of discrete Laplace noise if mu is 0 */
	double mu;               /* of normal noise */
	int64_t rows_per_person; /* 1 if rows are protected, and in a group */
	/* are unusable rows left out?  Nothing bounds how many a person has, and no group has them */
	bool usable_only;
	bool seen;                    /* are the rows those that the model has learned from? */
	int cells;                    /* bins or classes */
	double edge[RATING_BINS - 1]; /* of bins: a score above edge i is in a bin above i */
	double middle;                /* of bins: what scores are taken to be spread around */
	double spread;
	double moved; /* of bins: what rating_move() has added to all scores */
	Look look;    /* of residuals */
	int64_t number[RATING_NUMBERS];
	int64_t unusable;
} RatingTable;

typedef enum RatingVerdict
{
	RATING_NONE, /* of rows that were seen */
	RATING_BETTER,
	RATING_WORSE,
	RATING_UNKNOWN /* not distinguishable from chance */
} RatingVerdict;

/* Of the population the two last of an estimate's bounds; of rows that were seen none. */
typedef struct Rating
{
	int64_t rows; /* noisy */
	RatingVerdict verdict;
	Estimate main;     /* the AUC, R-squared, or of classes the accuracy */
	Estimate base;     /* the share of positive rows, or of the most frequent class */
	Estimate accuracy; /* unknown for residuals */
	Estimate usable;   /* share of rows */
	/*
	 * Of a model that is not known to be better: how many times the rows, or the epsilon of the
	 * table, would show that it is, if it is as good as it looks; 0 if that cannot be said.
	 */
	double times_rows;
	double times_epsilon;
	/* ln(p / (1 - p)) of a row is about intercept + slope times its score, if it is calibrated */
	bool calibrated;
	double intercept;
	double slope;
} Rating;

/* What decides about bins and calibration: the rarer label's rows, times epsilon of a row. */
extern double rating_strength(double rows, double share, int64_t epsilon, int64_t rows_per_person);

/* From so much on probabilities are fitted. */
#define RATING_CALIBRATES 60.0

/* Sets cells and edges, from public numbers alone. */
extern void rating_set_bins(RatingTable *table, double middle, double spread, double strength);

/* The numbers in use, without that of unusable rows. */
extern int rating_numbers(const RatingTable *table);

/* Is there a number of unusable rows? */
extern bool rating_counts_unusable(const RatingTable *table);

/* The noisy number of usable rows. */
extern int64_t rating_rows(const RatingTable *table);

/* The most that a row or a person changes a number by, over its share (theorem T1). */
extern uint64_t rating_reach(const RatingTable *table, int position);

/* The noise of each number; of residuals they differ. */
extern Noise rating_noise(const RatingTable *table);

/* The epsilon of discrete Laplace noise of the same variance, about. */
extern int64_t rating_epsilon(const RatingTable *table);

/* Adds usable rows with a score and a label. */
extern void rating_add_scores(RatingTable *table, double score, int64_t positive, int64_t negative);

/* The noise of one release. */
extern void rating_draw(RatingTable *table, Bits *bits, Memory *memory);

/*
 * Adds a number to all scores, which are from lowest to highest, so that bins above score 0 are
 * those where a positive label is more likely; an end of the scores is there if all bins are, or
 * none.
 * Does nothing unless the noisy numbers say that scores are better than chance, what probabilities
 * are, and that more rows are right then.  It is post-processing of them: the caller adds
 * table->moved to the model's intercept (theorem X17).
 */
extern void rating_move(RatingTable *table, double lowest, double highest);

/* The confidence of all intervals. */
#define RATING_CONFIDENCE 0.95

extern void rating_find(const RatingTable *table, Rating *rating);

/* The calibrated probability of a score in the middle of a bin, after rating_find(). */
extern double rating_chance(const RatingTable *table, const Rating *rating, int bin);

typedef enum RatingGoal
{
	GOAL_RECALL,    /* the highest threshold with this share of the positive rows above it */
	GOAL_PRECISION, /* the lowest one with this share of positive rows above it */
	GOAL_SHARE,     /* the one with the share of all rows above it that is nearest to this */
	GOAL_COST       /* the one with the lowest cost */
} RatingGoal;

/* Rows by the prediction and the label, as shares of all. */
enum
{
	RATING_TRUE_POSITIVE,
	RATING_FALSE_POSITIVE,
	RATING_FALSE_NEGATIVE,
	RATING_TRUE_NEGATIVE,
	RATING_OUTCOMES
};

/* Each interval holds for all thresholds at once. */
typedef struct RatingThreshold
{
	double score; /* rows with a higher score are taken; infinite for none or all */
	double taken; /* the probability there, if it is calibrated */
	Estimate recall;
	Estimate precision;
	Estimate share;
	Estimate outcome[RATING_OUTCOMES];
	double cost; /* of a row, in the mean */
} RatingThreshold;

/*
 * Chooses among the edges of bins, all rows and none; costs are of a wrongly positive and a wrongly
 * negative row.  false if no threshold reaches the goal.
 */
extern bool rating_threshold(const RatingTable *table, RatingGoal goal, double aim, double cost_fp,
							 double cost_fn, RatingThreshold *threshold);

#endif
