/*
 * coverage.h - how many rows a training could use, as two counts with noise (theorem X6).
 *
 * A model that was trained on no usable row looks like any other: a misspelt level or label makes
 * rows neutral in silence.  So a part of the call's epsilon, option "coverage_epsilon", buys the
 * numbers of usable and of unusable rows, with the noise of an evaluation
 * (core/looks/evaluation.h); the model gets the rest.  No number of rows needs to be public:
 * under either adjacency both counts have noise.
 *
 *   coverage_settle()  before the charge: what each part costs, in nano-units that add up
 *   coverage_draw()    after the charge: the noise
 *   coverage_warn()    with the answer: what it says follows from the noisy counts alone
 */
#ifndef DPOBJ_COVERAGE_H
#define DPOBJ_COVERAGE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "server/release/training.h"

/* Sets training->coverage_epsilon from the options; raises 22023 if there is no such part. */
extern void coverage_settle(Training *training);

/*
 * Adds noise to the numbers of rows; without a part of epsilon nothing is kept of them.  A row that
 * a filter leaves out is in neither, nor is one on the other side of a holdout.
 */
extern void coverage_draw(Training *training, int64 usable, int64 unusable);

/* Takes the counts of a table that rates the model, unless there are others. */
extern void coverage_take(Training *training, const RatingTable *table);

/* Appends the member ", \"coverage\": {...}" of a model's details, if there is one. */
extern void coverage_append(StringInfo text, const Training *training);

/* Raises a WARNING, and tells the run watch, if the noisy share of usable rows is below a half. */
extern void coverage_warn(const Training *training);

#endif
