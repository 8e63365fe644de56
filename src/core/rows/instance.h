/*
 * instance.h - a training set as the optimisers see it: distinct feature
 * vectors, each with the net weight of its labels.
 *
 * Loss of a vector w, with score(x) = <w, x> and "predict positive iff the
 * score is > 0" (definition B1):
 *
 *   L(w) = constant + sum over rows with net > 0 of  net [score <= 0]
 *                   + sum over rows with net < 0 of -net [score  > 0]
 *
 * which is the number of misclassified rows; constant counts the conflicts (equal features, both
 * labels) that no vector avoids. rows_instance() with apart keeps such conflicts as two rows
 * instead; the loss is the same.
 */
#ifndef DPOBJ_CORE_INSTANCE_H
#define DPOBJ_CORE_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/grid/grid.h"
#include "core/rows/limits.h"
#include "core/rows/pass.h"
#include "core/rows/spill.h"

typedef struct Instance
{
	int dimension;
	int64_t rows;       /* feature vectors with a net weight, distinct but for labels kept apart */
	const int32_t *x;   /* rows x dimension, row-major, in units of 1 / FIXED_POINT_ONE */
	const int64_t *net; /* positives minus negatives, never 0 */
	int64_t constant;   /* misclassified rows that no vector avoids */
	/* Counts of both labels of a row, for the convex losses; then net is NULL. */
	const int64_t *positive;
	const int64_t *negative;
	/*
	 * A spilled instance has its rows in source: rows records (spill.h) with both counts, and no
	 * arrays.
	 */
	bool spilled;
	SpillShape shape;    /* of a spilled instance */
	SpillSource *source; /* of a spilled instance */
	/* An instance that is elsewhere has no rows here: all that is known of them comes in passes. */
	bool elsewhere;
	PassSource *parts; /* of an instance that is elsewhere */
} Instance;

/*
 * Scores are computed in int32: the grid and the public clip bounds must keep max |<w, x>| below
 * 2^31.  The server refuses other requests before it reads a row.
 */
extern int64_t instance_loss(const Instance *instance, const Grid *grid, const int *index);

/* Sum of |net|: L(w) lies in constant .. constant + instance_span(). */
extern int64_t instance_span(const Instance *instance);

#endif
