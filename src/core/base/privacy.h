/* privacy.h - the terms in which a guarantee is stated, and their units. */
#ifndef DPOBJ_CORE_PRIVACY_H
#define DPOBJ_CORE_PRIVACY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/base/mutant.h"

/* epsilon is an integer number of nano-units: 1.0 is 1,000,000,000. */
#define EPSILON_ONE INT64_C(1000000000)

/* delta is an integer number of atto-units, 1e-18. */
#define DELTA_ONE INT64_C(1000000000000000000)

/*
 * A double that is at most numerator / one. one must be exact as a double; then fma() gives the
 * right sign of value one - numerator.
 */
static inline double
privacy_quotient(int64_t numerator, int64_t one)
{
	double units = (double) numerator;
	double value;

	if ((int64_t) units > numerator)
		units = nextafter(units, 0);
	value = units / (double) one;
	return fma(value, (double) one, -units) > 0 ? nextafter(value, 0) : value;
}

/* Both round down, so a scale of noise computed from them is safe. */
static inline double
privacy_epsilon(int64_t epsilon)
{
	return privacy_quotient(epsilon, EPSILON_ONE);
}

static inline double
privacy_delta(int64_t delta)
{
	return privacy_quotient(delta, DELTA_ONE);
}

typedef enum Adjacency
{
	ADJACENCY_REPLACE,   /* one row changes, n is public */
	ADJACENCY_ADD_REMOVE /* one row is added or removed */
} Adjacency;

/* As users and the ledger write them. */
static inline const char *
adjacency_name(Adjacency adjacency)
{
	return adjacency == ADJACENCY_REPLACE ? "replace" : "add_remove";
}

static inline Adjacency
adjacency_named(const char *name)
{
	return strcmp(name, "add_remove") == 0 ? ADJACENCY_ADD_REMOVE : ADJACENCY_REPLACE;
}

/*
 * Margin M of the 0/1 loss: the largest change of a loss difference between
 * neighbours (theorem N3): 2 under replace, 1 under add_remove.
 */
static inline int
privacy_margin(Adjacency adjacency)
{
	if (MUTANT(3))
		return 1;
	return adjacency == ADJACENCY_REPLACE ? 2 : 1;
}

#endif
