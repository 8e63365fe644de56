/*
 * net_law.h - the exponential mechanism over a net, exactly (theorem V11).
 *
 * The points are u = centre + step k, k of a net (net.h), all in units of 2^-20.  The loss of a
 * point is an integer in units of 2^-18: the sum over rows of psi at the row's margin (net_loss.h),
 * plus the public lambda / 2 |u|^2. Between any two points the part of a row changes by a known
 * integer at most, the range, so
 *
 *   P(point) proportional to exp(-numerator loss / denominator),
 *   numerator / denominator = epsilon / (margin range)
 *
 * is epsilon-DP whatever the net is.
 */
#ifndef DPOBJ_CORE_NET_LAW_H
#define DPOBJ_CORE_NET_LAW_H

#include <stdint.h>

#include "core/random/bits.h"
#include "core/rows/instance.h"
#include "core/base/memory.h"
#include "core/convex/net.h"
#include "core/convex/net_loss.h"

typedef struct NetRate
{
	int64_t numerator;
	int64_t denominator;
} NetRate;

#define NET_REACH (INT64_C(1) << 27)

typedef struct NetProblem
{
	const Instance *instance;
	double radius; /* to which rows are clipped (convex_rows.h) */
	const NetLoss *loss;
	const Net *net;
	const int64_t *centre; /* at most NET_REACH in each coordinate */
	int64_t step;          /* step times the net's steps is at most NET_REACH */
	int64_t limit;         /* points with |u| above it do not count; at most 2^28 */
	int64_t lambda;        /* units of 2^-32; 0 for none */
	int threads;
} NetProblem;

/* The loss of a point that does not count. */
#define NET_OUTSIDE INT64_MAX

/* Fills loss[0 .. net->points - 1] in passes over the rows, in one if they are here. */
extern void net_losses(const NetProblem *problem, Memory *memory, int64_t *loss);

/*
 * Sets the sums over rows that are here, without the regularisation, of the points from first to
 * end - 1.
 */
extern void net_sums(const NetProblem *problem, int64_t first, int64_t end, Memory *memory,
					 int64_t *sum);

/* The coordinates of a point of the problem. */
extern void net_weights(const NetProblem *problem, int64_t number, int64_t *u);

/* One exact draw of a point's number; at least one of them must count. */
extern int64_t net_draw(const int64_t *loss, int64_t points, NetRate rate, Bits *bits);

#endif
