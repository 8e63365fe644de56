/*
 * encoding.h - the public map from a row's features to fixed-point integers.
 *
 *   x_j = round(clip((feature_j - center_j) / scale_j, low_j, high_j) * 2^16)
 *
 * It is a function of the row and of declared constants only, never of another
 * row (definition N2), and it is total: a row that cannot be mapped (NaN, not
 * one-hot in a declared group, no index of a level) is a neutral row, which counts but costs the
 * same under every weight vector.
 */
#ifndef DPOBJ_CORE_ENCODING_H
#define DPOBJ_CORE_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/grid/grid.h"
#include "core/rows/encoding_kernel.h"
#include "core/rows/instance.h"
#include "core/rows/levels.h"

/* Largest |clip bound|, in units of 1.0; an encoded feature then fits int32. */
#define ENCODING_MAX_CLIP 1024.0

typedef struct Encoding
{
	int features;                 /* length of the feature array; 0 while it is not known */
	const EncodingKernel *kernel; /* set with identity and indices */
	bool intercept;               /* a constant feature of 1.0 is appended */
	bool identity;                /* every center is 0 and every scale 1 */
	bool indices;                 /* some feature has levels */
	int groups; /* declared one-hot groups, from feature 0 on; other features may follow */
	int16_t group[COLUMNS_MAX];
	bool binary[COLUMNS_MAX];    /* 0 or 1 in every row, which the caller ensures */
	int16_t levels[COLUMNS_MAX]; /* of each feature (levels.h); initially 0 */
	/* at the first column of a group, or at levels: the first so many are bins in order */
	int16_t ordered[COLUMNS_MAX];
	double center[COLUMNS_MAX];
	double scale[COLUMNS_MAX];
	double low[COLUMNS_MAX];
	double high[COLUMNS_MAX];
} Encoding;

/*
 * Makes an encoding without groups that clips features to [-1, 1]; the number of features is not
 * known yet.
 */
extern void encoding_init(Encoding *encoding);

/* Declares that a feature holds the index of one of so many levels. */
extern void encoding_set_levels(Encoding *encoding, int feature, int levels);

/* Number of coordinates of a row: the features and the intercept. */
extern int encoding_dimension(const Encoding *encoding);

/*
 * Checks that sizes, scales, bounds, groups and levels are in range, and sets kernel, identity and
 * indices.  Called once features is known.
 */
extern bool encoding_finish(Encoding *encoding);

/* Maps features[0 .. features-1] to x[0 .. dimension-1]; false for a neutral row. */
extern bool encoding_apply(const Encoding *encoding, const double *features, int32_t *x);

/* Is x[0 .. dimension-1] a row that encoding_apply() can make?  For rows from another server. */
extern bool encoding_admits(const Encoding *encoding, const int32_t *x);

/* Largest |<w, x>| over the grid and the clip bounds, in fixed-point units. */
extern double encoding_score_bound(const Encoding *encoding, const Grid *grid);

/* The layout of a row's record; one-hot groups and the intercept are binary too. */
extern SpillShape encoding_shape(const Encoding *encoding);

/*
 * Upper bound of the number of distinct rows; infinity if that exceeds a double.  It is small only
 * if all features are binary or in one-hot groups.
 */
extern double encoding_most_distinct(const Encoding *encoding);

extern bool encoding_equal(const Encoding *a, const Encoding *b);

#endif
