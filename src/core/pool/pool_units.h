/*
 * pool_units.h - the public units of a pool: how fine the features and the weights are with which
 * candidates are rated (rule C5).
 *
 * A score is a sum of products of 16-bit integers in 32 bits.  At most `terms` columns of a row
 * differ from 0: one of each one-hot group, and every other.  So with features of at most 2^f,
 * weights below 2^w and terms <= 2^t, f + w + t <= 31 keeps every score below 2^31.
 */
#ifndef DPOBJ_CORE_POOL_UNITS_H
#define DPOBJ_CORE_POOL_UNITS_H

#include <stdint.h>

#include "core/grid/grid.h"

/* Finer columns than this lose bits. */
#define POOL_FINER_MAX 16

typedef struct PoolShape
{
	int dimension;                     /* 1 .. GRID_MAX_DIMENSION */
	int groups;                        /* one-hot groups, from column 0 on; others may follow */
	int16_t group[GRID_MAX_DIMENSION]; /* their sizes */
	int32_t peak; /* bound on |feature|, in units of 1 / FIXED_POINT_ONE, at least 1 */
	/* |feature j| <= peak / 2^finer[j], 0 .. POOL_FINER_MAX; the same for all columns of a group */
	int8_t finer[GRID_MAX_DIMENSION];
} PoolShape;

typedef struct PoolUnits
{
	/* Feature j counts in 2^feature_shift[j] / FIXED_POINT_ONE. */
	int feature_shift[GRID_MAX_DIMENSION];
	int32_t feature; /* the largest |feature| in that unit: 2^f */
	int32_t weight;  /* the largest |weight|: 2^w - 1, in a unit of each candidate's own */
} PoolUnits;

/* Groups, and columns outside them: so many columns of a row may differ from 0. */
extern int pool_terms(const PoolShape *shape);

extern PoolUnits pool_units(const PoolShape *shape);

/* Sets peak and finer from bounds on the columns' |feature|, in units of 1 / FIXED_POINT_ONE. */
extern void pool_set_bounds(PoolShape *shape, const int32_t *bound);

/*
 * Candidates are made and rated as if each column were stretched to the largest power of 2 that
 * bounds it: a weight counts there 2^pool_stretch() of what it counts outside.
 */
extern int pool_stretch(const PoolShape *shape, int column);

#endif
