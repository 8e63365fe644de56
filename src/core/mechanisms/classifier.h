/*
 * classifier.h - halfspace or logistic model: which one, from public parameters alone.
 */
#ifndef DPOBJ_CORE_CLASSIFIER_H
#define DPOBJ_CORE_CLASSIFIER_H

#include "core/mechanisms/grid_default.h"
#include "core/mechanisms/mechanism.h"

/*
 * The default radius of a logistic model as a share of the longest row: noise shrinks with the
 * radius, and few rows are clipped by much.
 */
#define CLASSIFIER_RADIUS_SHARE 0.75

typedef enum ClassifierReason
{
	REASON_WIDE_GRID,    /* a grid of wide weights can be drawn from */
	REASON_FEW_ROWS,     /* rows times epsilon are too few for real weights */
	REASON_MANY_ROWS,    /* they are enough, and a grid would be narrow */
	REASON_LITTLE_NOISE, /* no dense grid can be drawn from, and noise on real weights is short */
	REASON_MUCH_NOISE,   /* the noise is long: few weights, drawn exactly, are better */
	REASON_NO_GRID,      /* rows are not declared, and no dense grid can be drawn from */
	REASON_ROWS_UNKNOWN  /* rows are not declared, and a narrow dense grid can be drawn from */
} ClassifierReason;

/* The reason in words, for the ledger and the model. */
extern const char *classifier_reason(ClassifierReason reason);

extern bool classifier_is_logistic(ClassifierReason reason);

/*
 * terms are those of the halfspace; logistic is the request for a logistic model, noise included.
 */
extern ClassifierReason classifier_choose(const GridTerms *terms, const MechanismRequest *logistic);

#endif
