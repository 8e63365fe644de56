/*
 * residual.h - what is public of descent on clipped residuals (lemmas D8 and D9, theorem D10).
 *
 * A label adds r x to a sum, x its row and r the slope of its loss, clipped to low .. high with
 * low = -high or high - low = 1.  Of a row only this is used: in each group of columns at most one
 * is 1, and the numbers, clipped together, are no longer than rho.  So rows are sums of few ones,
 * and one row moves a sum by far less than twice the longest vector.
 */
#ifndef DPOBJ_CORE_RESIDUAL_H
#define DPOBJ_CORE_RESIDUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/privacy.h"
#include "core/convex/convex.h"
#include "core/rows/encoding.h"

/* The number of steps. */
#define RESIDUAL_STEPS 20

/* How residuals are clipped: the rarer a label is, the harder it may pull, in so many steps. */
#define CLIP_STEPS 4

typedef enum ResidualClip
{
	CLIP_NONE, /* of other mechanisms */
	CLIP_RARE_NEGATIVE,
	CLIP_EVEN = CLIP_RARE_NEGATIVE + CLIP_STEPS,
	CLIP_RARE_POSITIVE = CLIP_EVEN + CLIP_STEPS,
	RESIDUAL_CLIPS
} ResidualClip;

/* The largest residual of a positive label and of a negative one, in units of 2^-15. */
#define RESIDUAL_BITS 15
extern const int32_t residual_most[RESIDUAL_CLIPS][2];

/* The square of a number, measured in its bound, is taken for this. */
#define RESIDUAL_USUAL_SQUARE (1.0 / 3)

typedef struct ResidualTerms
{
	bool intercept; /* is the last column 1 in every row? */
	/* At the first column of a group: so many of its first columns are bins in order; else 0. */
	int16_t ordered[COLUMNS_MAX];
} ResidualTerms;

/* Weights that at most one is 1 of in a row. */
typedef struct ResidualGroup
{
	int first;
	int size;
	int ordered; /* so many of them are bins in order */
} ResidualGroup;

typedef struct ResidualLayout
{
	int weights;
	int groups;
	ResidualGroup group[COLUMNS_MAX];
	int numbers;
	int number[COLUMNS_MAX];   /* the weight of each */
	double bound[COLUMNS_MAX]; /* the largest of each, in which it is measured */
	double square;             /* Q = rho^2: a third of the numbers */
	int intercept;             /* its weight, or -1 */
	/* Is the intercept's sum released?  Not if rows have a 1 in every group, and no numbers. */
	bool sums_intercept;
} ResidualLayout;

/* Sets columns, levels and radius of convex, and terms, by the encoding. */
extern void residual_describe(const Encoding *encoding, ConvexTerms *convex, ResidualTerms *terms);

extern void residual_layout_make(const ConvexTerms *convex, const ResidualTerms *terms,
								 int dimension, ResidualLayout *layout);

extern bool residual_terms_valid(const ConvexTerms *convex, const ResidualTerms *terms,
								 int dimension);

/* rho. */
extern double residual_number_length(const ConvexTerms *convex, int dimension);

/* S: how far one row moves a sum, numbers in units of their bounds (lemma D8). */
extern double residual_reach(const ResidualLayout *layout, ResidualClip clip, Adjacency adjacency);

/* The clip for a share of positive labels: as uneven as these, as far as that costs nothing. */
extern ResidualClip residual_clip(const ResidualLayout *layout, double share, Adjacency adjacency);

/* Deviations of the noise (theorem D10). */
typedef struct ResidualScale
{
	double labels; /* of the two counts of labels */
	double counts; /* of the counts of the columns in groups */
	double slope;  /* of the mean of all steps' sums, where one row moves a sum by 1 */
	double step;   /* of the sum of one step, likewise */
} ResidualScale;

extern ResidualScale residual_scale(const ResidualLayout *layout, double epsilon, double delta,
									Adjacency adjacency);

#endif
