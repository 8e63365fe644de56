/*
 * rating_quality.h - how useful scores are beyond their order, by the table with which a model
 * comes: the lift among the highest rows, and how far probabilities are off (rule X18).
 */
#ifndef DPOBJ_CORE_RATING_QUALITY_H
#define DPOBJ_CORE_RATING_QUALITY_H

#include "core/looks/rating.h"

/* Of the rows with the highest scores. */
#define LIFT_SHARE 0.1

/* Bins do not divide the rows everywhere: the nearest share is taken between these. */
#define LIFT_LEAST_SHARE 0.05
#define LIFT_MOST_SHARE 0.2

typedef struct RatingQuality
{
	Estimate lift; /* how many times as many positive rows as in all rows; may be unknown */
	double share;  /* noisy, of the rows that it is of */
	/* if there are calibrated probabilities */
	double predicted[RATING_BINS]; /* the one in the middle of each bin */
	double error;     /* the mean distance from the noisy shares of positive rows, by rows */
	double by_chance; /* what noise and the sample alone make of it in the mean, about */
} RatingQuality;

/* Of a table of scores, and what rating_find() says of it. */
extern void rating_quality(const RatingTable *table, const Rating *rating, RatingQuality *quality);

#endif
