/*
 * knorm.h - noise of a norm that fits the gradients of one-hot columns, drawn exactly.
 *
 * The norm |b|_K is the largest of: the sum of absolute values of each group's coordinates, and
 * the absolute value of each other coordinate.  Its unit ball is the body K, a product of
 * cross-polytopes and segments.  The noise has density proportional to exp(-|b|_K / scale),
 * either on all of R^d, or on the subspace S in which the coordinates of every group have the
 * same sum (theorems K1 to K4).
 *
 * Gradients of linear models lie in S if each group has exactly one 1 in each row: the sum over
 * each group is the sum of all rows' slopes.  So a column that is always 1, an intercept, is a
 * group of one column.  A column that may be 0 or 1 by itself is an other coordinate.
 */
#ifndef DPOBJ_CORE_KNORM_H
#define DPOBJ_CORE_KNORM_H

#include <stdbool.h>

#include "core/base/memory.h"
#include "core/random/bits.h"
#include "core/random/real_noise.h"

/* Public numbers.  The coordinates of the groups come first, one group after the other. */
typedef struct KNormBody
{
	int groups;
	const int *size; /* of each group, at least 1 */
	int others;
	bool subspace; /* S instead of R^d */
} KNormBody;

/* d, the number of coordinates. */
extern int knorm_coordinates(const KNormBody *body);

/* The dimension of R^d or of S: what |b|_K / scale, of law Gamma(dimension), depends on. */
extern int knorm_dimension(const KNormBody *body);

/*
 * Creates a draw of d coordinates, which real_noise.h rounds.  The double scale > 0 is taken as an
 * exact real number.  What size points to is not read after the call.
 */
extern RealDraw *knorm_draw_create(const KNormBody *body, double scale, Bits *bits, Memory *memory);

/*
 * Sets spread[g] to the root mean square of b_j for scale = 1 and each coordinate of the g-th
 * group, and spread[groups] to that of the other coordinates.  The relative error is below 1e-6:
 * the numbers propose a regularisation and prove nothing.
 */
extern void knorm_spread(const KNormBody *body, double *spread);

#endif
