/*
 * privacy.h - the words in which a guarantee is stated, and their units.
 */
#ifndef DPOBJ_CORE_PRIVACY_H
#define DPOBJ_CORE_PRIVACY_H

#include <math.h>
#include <stdint.h>

#include "core/mutant.h"

/* epsilon is an integer number of nano-units: 1.0 is 1,000,000,000. */
#define EPSILON_ONE INT64_C(1000000000)

/* delta is an integer number of atto-units, 1e-18. */
#define DELTA_ONE INT64_C(1000000000000000000)

/*
 * As doubles, never above what they stand for: a scale that is safe for them is safe.
 * (The product of two doubles less a third has the right sign in fma().)
 */
static inline double
privacy_epsilon(int64_t epsilon)
{
	double units = (double) epsilon;
	double value;

	if ((int64_t) units > epsilon)
		units = nextafter(units, 0);
	value = units / EPSILON_ONE;
	return fma(value, EPSILON_ONE, -units) > 0 ? nextafter(value, 0) : value;
}

static inline double
privacy_delta(int64_t delta)
{
	double units = (double) delta;
	double value;

	if ((int64_t) units > delta)
		units = nextafter(units, 0);
	value = units / DELTA_ONE;
	return fma(value, DELTA_ONE, -units) > 0 ? nextafter(value, 0) : value;
}

typedef enum Adjacency
{
	ADJACENCY_REPLACE,   /* one row changes, n is public */
	ADJACENCY_ADD_REMOVE /* one row comes or goes */
} Adjacency;

/*
 * Margin M of the 0/1 loss: the largest change of a loss difference between
 * neighbours (PRIVACY.md 0): 2 under replace, 1 under add_remove.
 */
static inline int
privacy_margin(Adjacency adjacency)
{
	if (MUTANT(3))
		return 1;
	return adjacency == ADJACENCY_REPLACE ? 2 : 1;
}

#endif
