/*
 * convex_pool.h - a private centre, then the exponential mechanism over a public pool around it.
 *
 * Stage one is objective perturbation with epsilon_A = epsilon - epsilon_B and all of delta
 * (theorems K6 and V4), stage two pool_select.h with epsilon_B: epsilon-DP together (theorem C3).
 * The answer is a halfspace with real weights, in units of 2^-20.
 */
#ifndef DPOBJ_CORE_CONVEX_POOL_H
#define DPOBJ_CORE_CONVEX_POOL_H

#include "core/mechanisms/mechanism.h"
#include "core/rows/encoding.h"

/* Sets the second stage's part of epsilon and its rounds, from public numbers (rule U18). */
extern void convex_pool_default(MechanismRequest *request, int64_t rows);

/* Does it end within the longest run on a slow machine without vector instructions, too? */
extern bool convex_pool_is_sure(const MechanismRequest *request);

/*
 * Sets both stages (rules U13 and U18) of a request that has epsilon, adjacency and dimension;
 * delta may be spent.
 */
extern void convex_pool_settle(MechanismRequest *request, const Encoding *encoding, int64_t delta,
							   int64_t rows);

/* The first stage as a request of its own; noise and regularisation are set for it. */
extern MechanismRequest convex_pool_centre(const MechanismRequest *request);

extern void convex_pool_admit(const MechanismRequest *request, MechanismVerdict *verdict);

extern void convex_pool_release(const MechanismRequest *request, const Instance *instance,
								const MechanismTools *tools, MechanismAnswer *answer);

/* The law of the candidates of an admitted request, a function of public numbers (theorem C6). */
extern void convex_pool_law(const MechanismRequest *request, PoolLaw *law);

/* Makes weights of stretched columns (pool_units.h) those of the columns themselves, up to a
 * factor. */
extern void convex_pool_unstretch(const PoolShape *shape, int64_t *weight);

extern void convex_pool_describe(const MechanismRequest *request, Facts *facts);

/* What both stages cost together, if they need no delta (theorem C7). */
extern void convex_pool_pair(const MechanismRequest *request, Pair *pair);

/* How far the answer may be from the best candidate of its last round (theorem C8). */
extern void convex_pool_error(const MechanismRequest *request, double beta, Facts *facts);

#endif
