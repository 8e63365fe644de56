/*
 * convex_sample.h - rows clipped to the unit ball, and the exact gradient of J.
 *
 * Rows are integers in units of 2^-20 whose squares add up to 2^40 at most, so
 * that |v|_2 <= 1 holds exactly.  v is a function of the row and of R alone.
 */
#ifndef DPOBJ_CORE_CONVEX_SAMPLE_H
#define DPOBJ_CORE_CONVEX_SAMPLE_H

#include <stdint.h>

#include "core/convex.h"
#include "core/convex_loss.h"
#include "core/instance.h"
#include "core/memory.h"

#define ROW_BITS 20

typedef struct ConvexSample
{
	int dimension;
	int64_t rows;
	int32_t *v; /* rows x dimension, row-major */
	const int64_t *positive;
	const int64_t *negative;
	double count; /* of all labels, rounded up */
	double *bend; /* per row: what it adds to the Hessian, as of the last gradient */
} ConvexSample;

/* The instance must outlive the sample: its counts are used as they are. */
extern void convex_sample_make(const Instance *instance, double radius, Memory *memory,
							   ConvexSample *sample);
extern void convex_sample_release(ConvexSample *sample, Memory *memory);

/* One row, clipped: v of x, which is in units of 2^-16. */
extern void convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v);

/* Weights u are in units of 2^-96 and must stay below 2^29; gradients in units of 2^-85. */
#define WEIGHT_BITS 96
#define WEIGHT_LIMIT_BITS 29
#define GRADIENT_BITS 85

/*
 * The gradient of J(u) + <b, u>, correct to within convex_gradient_error() in norm.
 * b is in units of 2^-85, below 2^40.
 */
extern void convex_gradient(ConvexSample *sample, const LossTable *table, int64_t lambda,
							const Wide *b, const Wide *u, Wide *gradient);
extern double convex_gradient_error(const ConvexSample *sample);

/* The same of so many labels, counted or rounded up. */
extern double gradient_error(double count, int dimension);

/* The generalised Hessian of J where the last gradient was taken, in doubles; full matrix. */
extern void convex_hessian(const ConvexSample *sample, int64_t lambda, double *hessian);

#endif
