/*
 * composition.h - the guarantee of a list of releases that was fixed in advance (theorem A8).
 *
 * Each release is given by its dominating pair, as the ledger stores it.  All are releases of one
 * table under one adjacency.  The pairs' privacy loss distributions are composed (pld.h), under
 * add_remove in both directions: the row is added in all releases, or removed in all.  The answers
 * are upper bounds and never exceed the sums of all epsilons and all deltas.  For up to 15,000
 * releases the grid adds less than 1e-3 of epsilon (tests/core/accounting/test_composition.c), for
 * many more releases more.
 *
 * epsilon is in nano-units and delta in atto-units.  By theorem A6 nothing here may decide whether
 * a release is allowed.
 */
#ifndef DPOBJ_CORE_COMPOSITION_H
#define DPOBJ_CORE_COMPOSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/base/pause.h"
#include "core/base/privacy.h"

typedef enum CompositionKind
{
	COMPOSITION_APPROXIMATE, /* `pure`, `approx`: epsilon, delta */
	COMPOSITION_GAUSSIAN,    /* `gauss`: mu = sensitivity / sigma */
	COMPOSITION_SAMPLED,     /* `sgm`: rate q, noise z in units of the clip, times is T */
	COMPOSITION_RANGE,       /* `br`: epsilon is eta */
	COMPOSITION_OBJECTIVE    /* `glm-objpert`: mu = g / sigma, curvature = beta / Lambda */
} CompositionKind;

typedef struct CompositionPair
{
	CompositionKind kind;
	int64_t times;
	int64_t epsilon;
	int64_t delta;
	double mu;
	double rate;
	double noise;
	double curvature;
} CompositionPair;

/* Returns false if no epsilon suffices. */
extern bool composition_epsilon(const CompositionPair *pair, int pairs, Adjacency adjacency,
								int64_t delta, Memory *memory, int64_t *epsilon);

/*
 * Optimal composition of k (epsilon, delta)-DP releases, theorem A7 (Kairouz, Oh and Viswanath
 * 2015, theorem 3.3): delta at an epsilon, and epsilon at a delta.  With directed rounding
 * (MPFR); the second is at most COMPOSITION_NEAR nano-units above the least.  k is at most
 * COMPOSITION_MOST.
 */
#define COMPOSITION_MOST 100000
#define COMPOSITION_NEAR 64

extern int64_t composition_optimal_delta(int64_t k, int64_t epsilon, int64_t delta,
										 int64_t composed, Pause pause);
extern bool composition_optimal_epsilon(int64_t k, int64_t epsilon, int64_t delta,
										int64_t composed_delta, Pause pause, int64_t *composed);

#endif
