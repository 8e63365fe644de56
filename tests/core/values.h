/*
 * values.h - the units of guarantees, and values of other programs that several tests compare with.
 */
#ifndef DPOBJ_TESTS_VALUES_H
#define DPOBJ_TESTS_VALUES_H

#include <math.h>

#include "core/base/privacy.h"

#include "check.h"

/* epsilon in nano-units */
static inline int64_t
nano(double epsilon)
{
	return llround(epsilon * EPSILON_ONE);
}

/* delta in atto-units */
static inline int64_t
atto(double delta)
{
	return llround(delta * (double) DELTA_ONE);
}

static inline bool
is_between(double value, double low, double high)
{
	if (!(value >= low && value <= high))
		printf("%.12g is not between %.12g and %.12g\n", value, low, high);
	return value >= low && value <= high;
}

/* Theorem A7: k pure releases of epsilon, composed at delta 1e-6. */
static const struct
{
	int k;
	double epsilon;
	double composed;
} optimal_values[] = {
	{10, 0.1, 0.999371}, {100, 0.1, 4.774568}, {1000, 0.01, 1.365447}, {30, 0.5, 13.952008}};

/* Theorem A5: the epsilon of rho-zCDP at delta. */
static const struct
{
	double rho;
	double delta;
	double epsilon;
} zcdp_values[] = {{0.1, 1e-6, 2.141939}, {0.5, 1e-6, 5.221534}, {1, 1e-5, 7.077197}};

#endif
