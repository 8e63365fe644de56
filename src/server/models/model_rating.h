/*
 * model_rating.h - the table with which a model comes, as the member "rating" of its details.
 *
 * The noisy numbers are kept, and what follows from them beside them (core/looks/rating.h).
 */
#ifndef DPOBJ_MODEL_RATING_H
#define DPOBJ_MODEL_RATING_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "core/looks/rating.h"

/* Which rows a table has: those that the model has learned from, or those held out. */
extern const char *model_rating_rows(const RatingTable *table);

/*
 * Appends a member ", \"name\": {...}" with an estimate and its interval: that of the population, or
 * of these rows if the model has learned from them.
 */
extern void model_rating_append_estimate(StringInfo text, const RatingTable *table,
										 const char *name, const Estimate *number);

/* Appends the member ", \"rating\": {...}". */
extern void model_rating_append(StringInfo text, const RatingTable *table);

/*
 * Reads the table of scores of a model's details; false if there is none.  Raises 22023 if it is
 * none that a training has made.
 */
extern bool model_rating_read(JsonbContainer *details, Adjacency adjacency, RatingTable *table);

/* The verdict of a rating; NULL if there is none. */
extern const char *model_rating_verdict(JsonbContainer *details);

/*
 * Reads by which numbers a score's logistic function is a probability; false if there is no fit.
 */
extern bool model_rating_calibration(JsonbContainer *details, double *intercept, double *slope);

#endif
