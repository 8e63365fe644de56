/*
 * convex_pass.h - the exact gradient of J, and its Hessian for Newton's method.
 *
 * Both are sums of integers, so they do not depend on the order of rows, on merging of equal rows,
 * or on threads.
 */
#ifndef DPOBJ_CORE_CONVEX_PASS_H
#define DPOBJ_CORE_CONVEX_PASS_H

#include "core/convex/convex_loss.h"
#include "core/convex/convex_rows.h"

/*
 * The gradient of J(u) + <b, u>, correct to within gradient_error() in norm; b is in units of
 * 2^-85, below 2^40. Unless hessian is NULL, it becomes the generalised Hessian at u, a full matrix
 * in doubles; of rows with levels it must be NULL.
 */
extern void convex_pass(ConvexRows *rows, const LossTable *table, int64_t lambda, const Wide *b,
						const Wide *u, Memory *memory, Wide *gradient, double *hessian);

/* A pass at u over the rows, wherever they are, for so many classes; 0: a loss of the margin. */
extern Pass convex_pass_at(const ConvexRows *rows, int classes, const Wide *u, bool bent);

/*
 * The number of its sums: for each weight the two of convex_pull.h; then those of convex_hessian.h,
 * for each pair if there are classes.
 */
extern int64_t convex_pass_sums(int classes, int dimension, int weights, bool bent);

/* Sets the sums of a pass over rows that are here. */
extern void convex_pass_sum(ConvexRows *rows, const LossTable *table, const Pass *pass,
							Memory *memory, Wide *sum);

/*
 * The error bound for a number of labels that is exact or rounded up, and for so many scores of a
 * row.
 */
extern double gradient_error(double count, int scores, int dimension);

#endif
