/*
 * classifier.h - grid, private centre or pool: which one, from public parameters alone.
 */
#ifndef DPOBJ_CORE_CLASSIFIER_H
#define DPOBJ_CORE_CLASSIFIER_H

#include "core/mechanisms/grid_default.h"
#include "core/mechanisms/mechanism.h"

typedef enum ClassifierReason
{
	REASON_WIDE_GRID,    /* a grid of wide weights can be drawn from */
	REASON_FEW_ROWS,     /* rows times epsilon are too few for a pool */
	REASON_MANY_ROWS,    /* they are enough */
	REASON_LITTLE_NOISE, /* no dense grid can be drawn from, and noise on real weights is little */
	REASON_MUCH_NOISE,   /* there is much noise: few weights, drawn exactly, are better */
	REASON_NO_SCORES,    /* no grid has scores that can be computed */
	REASON_NO_MEMORY,    /* a grid needs all rows in memory */
	REASON_NO_GRID,      /* rows are not declared, and no dense grid can be drawn from */
	REASON_DESCENT,      /* probabilities are wanted, and delta may be spent */
	REASON_NO_DELTA,     /* they are wanted, and it may not */
	REASON_NO_ORDER,     /* they are wanted, no bins are in order, and an objective is better */
	REASON_ROWS_UNKNOWN  /* rows are not declared, and a narrow dense grid can be drawn from */
} ClassifierReason;

typedef enum ClassifierModel
{
	CLASSIFIER_GRID,    /* a halfspace over the default grid */
	CLASSIFIER_CENTRE,  /* real weights by convex_default_classifier() */
	CLASSIFIER_DESCENT, /* real weights by residual_describe() */
	CLASSIFIER_POOL     /* real weights by convex_pool_settle() */
} ClassifierModel;

/* The reason in words, for the ledger and the model. */
extern const char *classifier_reason(ClassifierReason reason);

extern ClassifierModel classifier_model(ClassifierReason reason);

/*
 * Chooses by rule U13.  terms are those of the halfspace; request has epsilon, adjacency, dimension
 * and the run, delta may be spent.  For a model of real weights request becomes that model's.
 */
extern ClassifierReason classifier_choose(const GridTerms *terms, int64_t delta,
										  MechanismRequest *request);

/*
 * Chooses a model of real weights by rule D12, for whom probabilities matter more than mistakes.
 */
extern ClassifierReason classifier_choose_scores(const Encoding *encoding, int64_t rows,
												 int64_t delta, MechanismRequest *request);

#endif
