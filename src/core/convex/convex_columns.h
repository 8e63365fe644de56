/*
 * convex_columns.h - the body K of K-norm noise in the objective, and its subspace (theorem K5).
 *
 * K has the gradient of every row, over the steepness of the loss: the columns of a one-hot group
 * share one reach, any other column has its own.  Reaches are integers in units of 2^-20, like
 * rows clipped to the radius (convex_row.h), so that they hold for the rows as they are used.
 * Beside an intercept a column of values 0 to 1 has half of its reach, about half of the intercept.
 */
#ifndef DPOBJ_CORE_CONVEX_COLUMNS_H
#define DPOBJ_CORE_CONVEX_COLUMNS_H

#include "core/base/integers.h"
#include "core/convex/convex.h"
#include "core/random/knorm.h"
#include "core/rows/encoding.h"

/* The largest |x_j|, in fixed point, rounded as encoding_apply() rounds. */
extern int32_t convex_columns_bound(const Encoding *encoding, int j);

/* What the encoding gives. */
extern void convex_columns_of(const Encoding *encoding, ConvexColumns *columns);

/* Are groups numbered from 1 on, and in one piece each, and all bounds those of an encoding? */
extern bool convex_columns_valid(const ConvexColumns *columns, int dimension);

typedef struct ColumnsBody
{
	KNormBody shape; /* in units of the reaches */
	int size[COLUMNS_MAX];
	int place[COLUMNS_MAX];     /* the column of each coordinate of shape */
	int32_t reach[COLUMNS_MAX]; /* of each column, units of 2^-20 */
	bool indicator[COLUMNS_MAX];
	int intercept; /* the coordinate of shape that is the intercept, where there are indicators */
	double length; /* |b| <= length |b|_K, in the units of convex.h */
} ColumnsBody;

/* The body must not be moved. */
extern void columns_body_make(const ConvexColumns *columns, double radius, int dimension,
							  ColumnsBody *body);

/* Sets the root mean square of each b_j over its reach, for scale = 1, and returns their mean. */
extern double columns_body_spread(const ColumnsBody *body, double *spread);

/* Draws b of density proportional to exp(-|b|_K / scale), to within two units of 2^-85. */
extern void columns_body_draw(const ColumnsBody *body, double scale, Bits *bits, Memory *memory,
							  mpz_t *b);

#endif
