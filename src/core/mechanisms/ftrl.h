/*
 * ftrl.h - private online learning over d choices (docs/proofs/ftrl.md).
 *
 * At each of T steps a choice is released, and then a cost vector is learnt: one cost in [0, 1] for
 * each choice, as integers 0 .. scale.  The choice at step t depends on the vectors before t, whose
 * sum is g_t. Neighbours differ in one vector; T and the order are public.
 *
 *   exponential  a draw at each step from theta_t proportional to exp(-rate g_t)
 *   tree         noise on the sums of blocks of base^l steps (nodes); draws from the noisy g_t
 *                cost nothing more
 *
 * The guarantee rests on integers and rational numbers only.
 */
#ifndef DPOBJ_CORE_FTRL_H
#define DPOBJ_CORE_FTRL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random/bits.h"
#include "core/base/memory.h"

#define FTRL_MAX_DIMENSION 128
#define FTRL_MAX_STEPS INT64_C(10000000)
#define FTRL_SCALE 65536 /* the cost 1 */

typedef enum FtrlKind
{
	FTRL_EXPONENTIAL,   /* one draw at each step */
	FTRL_TREE_GAUGE,    /* nodes with noise of the l_inf gauge: pure */
	FTRL_TREE_GAUSSIAN, /* nodes with discrete Gaussian noise: zCDP */
	FTRL_KINDS
} FtrlKind;

/* The parameters of a request; all are public. */
typedef struct FtrlTerms
{
	int64_t epsilon; /* nano-units, at least 1 */
	int64_t delta;   /* atto-units; 0: pure */
	int64_t steps;   /* T, 1 .. FTRL_MAX_STEPS */
	int dimension;   /* d, 2 .. FTRL_MAX_DIMENSION */
	int scale;       /* the cost 1: FTRL_SCALE, except in tests */
} FtrlTerms;

typedef struct FtrlPlan
{
	FtrlTerms terms;
	FtrlKind kind;
	bool pure;      /* delta is not used */
	double rho;     /* of the run, if it is not pure */
	double rate;    /* exact: choices are drawn with exp(-rate h), h in units of 1 / scale */
	int base;       /* tree: children of a node */
	int levels;     /* tree: at most so many nodes with a step in them are released */
	uint64_t sigma; /* Gaussian: of each node's entries, in units of 1 / scale */
	double regret;  /* bound on its mean, costs in [0, 1] */
} FtrlPlan;

/* False if the kind has no plan: it needs delta > 0, or its noise would not fit a word. */
extern bool ftrl_plan(const FtrlTerms *terms, FtrlKind kind, FtrlPlan *plan);

/* Plans the kind with the least bound on the regret. */
extern void ftrl_choose(const FtrlTerms *terms, FtrlPlan *plan);

/*
 * Clips costs to [low, high] and rounds them to integers 0 .. scale.  If one of them is not a
 * number, all become 0 and the result is false.
 */
extern bool ftrl_quantise(const double *cost, int dimension, double low, double high, int scale,
						  int32_t *quantised);

/* ---- a run ---- */

typedef struct FtrlRun FtrlRun;

extern FtrlRun *ftrl_start(const FtrlPlan *plan, Bits *bits, Memory *memory);
extern void ftrl_end(FtrlRun *run, Memory *memory);

/* Draws the choice of this step, 0 .. d - 1; to be called once before each ftrl_learn(). */
extern int ftrl_next(FtrlRun *run);

/* Adds the costs of this step; at most T times. */
extern void ftrl_learn(FtrlRun *run, const int32_t *cost);

#endif
