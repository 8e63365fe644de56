/*
 * signs_law.h - the law of |z_1| + ... + |z_k| for independent normals, from above, in integers.
 *
 * Every |z_i| is rounded up to a multiple of a step, and every probability to a multiple of
 * 2^-SIGNS_BITS, so the computed mean of any function that rises with the sum is not below the true
 * mean.
 */
#ifndef DPOBJ_CORE_SIGNS_LAW_H
#define DPOBJ_CORE_SIGNS_LAW_H

#include <stdbool.h>

#define SIGNS_BITS 120
#define SIGNS_MOST 128 /* the largest k */

typedef unsigned __int128 SignsMass;

typedef struct SignsLaw
{
	int k;
	int points;
	SignsMass *mass; /* [points], of the sum (k + i) steps */
} SignsLaw;

/* False without memory, or for k above SIGNS_MOST. */
extern bool signs_law_create(SignsLaw *law, int k);
extern void signs_law_destroy(SignsLaw *law);

/* E max(0, 1 - exp(epsilon - kappa X - kappa^2 / 2)) with X = sum / sqrt(k), about. */
extern double signs_law_delta(const SignsLaw *law, double epsilon, double kappa);

/* True only if that mean is proved to be at most delta. */
extern bool signs_law_holds(const SignsLaw *law, double epsilon, double delta, double kappa);

#endif
