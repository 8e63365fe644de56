/*
 * softmax.h - exp(s_k) / sum of exp(s_l) for K scores, in integers with a certified error, the own
 * share raised to 1 / 2.
 *
 * Scores are in units of 2^-90 (convex_loss.h).  exp(-t) for t = max - s_k >= 0 is a product of
 * four numbers, one for each piece of t:
 *
 *   t = a / 8 + b / 2^11 + c / 2^19 + e / 2^27 + r,   0 <= r < 2^-27,
 *
 * the first three from a table that MPFR has made, to within a unit of 2^-127, and exp(-r) and
 * exp(-e / 2^27) likewise.  The reciprocal of the sum is a double's, improved by one step of
 * Newton's method whose residual is computed in integers, so no double is relied on.
 *
 * Error: exp(-r) is off by less than 2^-112, any other piece by a unit of 2^-127, a product by
 * seven more, so each exponential by less than 2^-111, the reciprocal by less than 2^-95
 * (softmax.c), and a share of the sum by less than 2^-94 for these scores.  Scores are rounded down
 * by less than 2^-90, and the Jacobian diag(p) - p p' has no eigenvalue above 1/2.  So K shares are
 * off by less than sqrt(K) 2^-90 in norm.
 */
#ifndef DPOBJ_CORE_SOFTMAX_H
#define DPOBJ_CORE_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/integers.h"
#include "core/convex/convex_loss.h"

#define SOFTMAX_PIECES 4
#define SOFTMAX_REACH 88 /* exp(-88) < 2^-126 counts as 0 */
#define SOFTMAX_FIRST (8 * SOFTMAX_REACH)
#define SOFTMAX_STEPS 256

typedef struct SoftmaxTable
{
	UnsignedWide first[SOFTMAX_FIRST]; /* exp(-a / 8), units of 2^-127 */
	UnsignedWide piece[SOFTMAX_PIECES - 1][SOFTMAX_STEPS];
} SoftmaxTable;

extern void softmax_table_make(SoftmaxTable *table);

/*
 * Shares in units of 2^-SLOPE_FINE_BITS; 2 to 64 scores.  The exponential of own is raised to the
 * sum of the others if it is less, so that its share is 1 / 2 at least (theorem V14).  Returns
 * whether it was raised.
 */
extern bool softmax_shares(const SoftmaxTable *table, const Wide *score, int scores, int own,
						   Wide *share);

#endif
