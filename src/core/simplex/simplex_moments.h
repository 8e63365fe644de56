/*
 * simplex_moments.h - the sums over rows that determine the squared loss.
 *
 * With z = x and y centred by (low + high) / 2, in units of 2^-17,
 *
 *   sum over rows of 1/2 (<x, theta> - y)^2 = 1/2 theta' A theta - b' theta + constant
 *
 * on the simplex, where A = sum z z' and b = sum y z are exact integers.
 */
#ifndef DPOBJ_CORE_SIMPLEX_MOMENTS_H
#define DPOBJ_CORE_SIMPLEX_MOMENTS_H

#include <stdint.h>
#include <gmp.h>

#include "core/random/bits.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"
#include "core/simplex/simplex.h"

typedef struct SimplexMoments
{
	int dimension; /* of theta */
	int64_t rows;  /* that entered, at most terms->rows */
	mpz_t *a;      /* dimension x dimension, in units of 2^-34 */
	mpz_t *b;
} SimplexMoments;

/*
 * If the instance has more rows than terms->rows, a uniformly random set of terms->rows of them
 * enters, so an additional row displaces at most one other.  Numbers outside the bounds of the
 * terms are clipped.
 */
extern void simplex_moments_make(const Instance *instance, const SimplexTerms *terms, Bits *bits,
								 Memory *memory, SimplexMoments *moments);
extern void simplex_moments_release(SimplexMoments *moments, Memory *memory);

#endif
