/*
 * classifier.h - halfspace or logistic model: which one, from public parameters alone.
 */
#ifndef DPOBJ_CORE_CLASSIFIER_H
#define DPOBJ_CORE_CLASSIFIER_H

#include "core/mechanisms/grid_default.h"

typedef enum ClassifierReason
{
	REASON_WIDE_GRID,    /* a grid of wide weights can be drawn from */
	REASON_FEW_ROWS,     /* rows times epsilon are too few for real weights */
	REASON_MANY_ROWS,    /* they are enough, and a grid would be narrow */
	REASON_LITTLE_NOISE, /* no dense grid can be drawn from, and noise on real weights is little */
	REASON_MUCH_NOISE,   /* there is much noise: few weights, drawn exactly, are better */
	REASON_NO_GRID,      /* rows are not declared, and no dense grid can be drawn from */
	REASON_ROWS_UNKNOWN  /* rows are not declared, and a narrow dense grid can be drawn from */
} ClassifierReason;

/* The reason in words, for the ledger and the model. */
extern const char *classifier_reason(ClassifierReason reason);

extern bool classifier_is_logistic(ClassifierReason reason);

/*
 * terms are those of the halfspace; noise is convex_default_classifier() of the logistic model.
 */
extern ClassifierReason classifier_choose(const GridTerms *terms, double noise);

#endif
