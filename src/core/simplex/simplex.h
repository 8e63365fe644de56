/*
 * simplex.h - the public terms of sampling from a simplex (Jain and Thakurta 2014, section 5;
 * theorem S2).
 *
 * For at most n rows with features x and a target y, over the weights theta of the probability
 * simplex (theta_j >= 0, sum 1),
 *
 *   F(theta) = sum over rows of 1/2 (<x, theta> - y)^2 + lambda sum_j theta_j ln theta_j
 *
 * is minimised, and m indices are drawn with the probabilities theta_j.  Because the weights add up
 * to 1, subtracting the same number from a target and from each feature of its row changes nothing.
 * So features between low and high are centred (lemma S1):
 *
 *   |x_j| <= R = (high - low) / 2
 *   |<x, theta> - y| <= L = max(high - target_low, target_high - low), and R <= L.
 */
#ifndef DPOBJ_CORE_SIMPLEX_H
#define DPOBJ_CORE_SIMPLEX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rows/instance.h"
#include "core/base/privacy.h"

/*
 * In an instance a row has the target before the features, in units of 1 / FIXED_POINT_ONE.  All
 * labels are positive; their number is the number of equal rows.
 */
typedef struct SimplexTerms
{
	double lambda; /* in units of a squared feature of 1.0 */
	int64_t rows;  /* n: at most this many rows enter */
	int32_t low;   /* of each feature */
	int32_t high;
	int32_t target_low;
	int32_t target_high;
	int64_t delta; /* units of 1e-18, rounded down; 0: pure */
} SimplexTerms;

/* Centred features and residuals are integers in units of half of an encoded one. */
#define SIMPLEX_UNIT_BITS (FIXED_POINT_BITS + 1)

#define SIMPLEX_BOUND_MAX (INT32_C(1) << 27) /* of an encoded number */
#define SIMPLEX_ROWS_MAX (INT64_C(1) << 50)
#define SIMPLEX_LAMBDA_MIN 0x1p-60
#define SIMPLEX_LAMBDA_MAX 0x1p100

/* R and L in those units. */
static inline int64_t
simplex_radius(const SimplexTerms *terms)
{
	return (int64_t) terms->high - terms->low;
}

static inline int64_t
simplex_slope(const SimplexTerms *terms)
{
	int64_t above = (int64_t) terms->high - terms->target_low;
	int64_t below = (int64_t) terms->target_high - terms->low;

	return 2 * (above > below ? above : below);
}

static inline bool
simplex_terms_valid(const SimplexTerms *terms)
{
	return terms->lambda >= SIMPLEX_LAMBDA_MIN && terms->lambda <= SIMPLEX_LAMBDA_MAX &&
		   terms->rows >= 1 && terms->rows <= SIMPLEX_ROWS_MAX && terms->low <= terms->high &&
		   terms->target_low <= terms->target_high && terms->low >= -SIMPLEX_BOUND_MAX &&
		   terms->high <= SIMPLEX_BOUND_MAX && terms->target_low >= -SIMPLEX_BOUND_MAX &&
		   terms->target_high <= SIMPLEX_BOUND_MAX && terms->delta >= 0 && terms->delta < DELTA_ONE;
}

#endif
