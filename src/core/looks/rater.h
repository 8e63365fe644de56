/*
 * rater.h - a public model, with which rows are rated: the scores of encoded rows, and the cells of
 * the table with which the model comes (rating.h).
 */
#ifndef DPOBJ_CORE_RATER_H
#define DPOBJ_CORE_RATER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/looks/rating.h"
#include "core/rows/encoding.h"
#include "core/rows/levels.h"

typedef struct RaterLine
{
	double base;
	double scale;
} RaterLine;

typedef struct Rater
{
	int classes;  /* each has weights of its own; 0: one score */
	int features; /* in an encoded row, without the intercept */
	int weights;  /* of a class, the intercept's included, which is the last */
	bool intercept;
	int place[COLUMNS_MAX];      /* of each feature in an encoded row */
	int16_t levels[COLUMNS_MAX]; /* of each feature (levels.h) */
	const double *weight;
	RaterLine prediction; /* of a number: from the score, in the units of its column */
	RaterLine target;     /* likewise of the first column; scale 0: it is by look_encoding() */
} Rater;

/*
 * The features are the columns of this encoding, but for the first if it is a class or a target.
 * False if the model has another number of weights than so many.
 */
extern bool rater_place(Rater *rater, const Encoding *encoding, bool first_is_label, int weights);

/* The score of an encoded row, for a class, or for class 0 if there is one score. */
extern double rater_score(const Rater *rater, int class, const int32_t *x);

/* The class of an encoded row, from 0: of a label that is positive or negative 0 if it is. */
extern int rater_predict(const Rater *rater, const int32_t *x);

/* The number that is predicted for it. */
extern double rater_number(const Rater *rater, const int32_t *x);

/* Adds equal rows to their cells; false if the encoding makes no such row. */
extern bool rater_add(const Rater *rater, const int32_t *x, const RowCount *count,
					  RatingTable *table);

#endif
