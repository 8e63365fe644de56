/*
 * softmax_pass.h - the exact gradient of the softmax loss, and its Hessian for Newton's method.
 *
 * As convex_pass.h for K vectors u_1 .. u_K, one behind the other, and rows whose target is their
 * class, 0 .. K - 1 times FIXED_POINT_ONE.  A label of class y adds (p - e_y) (x) v to the
 * gradient, p the shares of its scores (softmax.h), and
 *
 *   (diag(p) - p p') (x) v v' = sum over k < l of p_k p_l (e_k - e_l) (e_k - e_l)' (x) v v'
 *
 * to the Hessian, so that the sums of convex_hessian.h, one for each pair, have bends p_k p_l >= 0.
 * A label whose own share was raised to 1 / 2 (theorem V14) has bends of 0 with its class, and
 * 2 p_k p_l for other pairs.
 */
#ifndef DPOBJ_CORE_SOFTMAX_PASS_H
#define DPOBJ_CORE_SOFTMAX_PASS_H

#include "core/base/memory.h"
#include "core/convex/convex_rows.h"
#include "core/convex/softmax.h"

/*
 * Weights, gradient, b and Hessian as in convex_pass(), of dimension classes x rows->dimension.
 * What a label adds to the gradient is shortened to length longest, to within 2^-40 of it
 * (theorem D6); INFINITY: as it is.  The Hessian does not know of it.
 */
extern void softmax_pass(ConvexRows *rows, const SoftmaxTable *table, int classes, double longest,
						 int64_t lambda, const Wide *b, const Wide *u, Memory *memory,
						 Wide *gradient, double *hessian);

/* Sets the sums of a pass over rows that are here. */
extern void softmax_pass_sum(ConvexRows *rows, const SoftmaxTable *table, int classes,
							 double longest, const Pass *pass, Memory *memory, Wide *sum);

#endif
