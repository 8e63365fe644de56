/*
 * price.h - settling a call from public parameters, to compute its price.
 */
#ifndef DPOBJ_PRICE_H
#define DPOBJ_PRICE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "server/base/decimal.h"
#include "server/release/learning.h"
#include "server/release/looks.h"
#include "server/release/tally.h"
#include "server/release/training.h"

/* The method of a run of dp_ftrl, which is no training. */
#define PRICE_LEARNING "ftrl"

/* Settles a call on that many features; raises 22023 as the call would.  epsilon, delta: numeric.
 */
extern Training *price_settle_training(const char *method, int features, Datum epsilon, Datum delta,
									   Jsonb *options);

extern void price_settle_learning(Learning *learning, int choices, Datum epsilon, Datum delta,
								  Jsonb *options);

typedef struct PricedEvaluation
{
	TallyKind kind;
	int64 models;
	int64 classes; /* of the label */
	PrivacyCost cost;
	Adjacency adjacency;
	int rows_per_person; /* 0 where rows are protected */
	int64 holdout;       /* thousandths of the rows, which are read; 0: all rows */
} PricedEvaluation;

/* models: the number of models that are evaluated. */
extern void price_settle_evaluation(TallyKind kind, int models, Datum epsilon, Datum delta,
									Jsonb *options, PricedEvaluation *evaluation);

/* cells: groups times bins; fills in the request. */
extern void price_settle_look(const LookType *type, int cells, Datum epsilon, Datum delta,
							  Jsonb *options, LookRequest *request);

#endif
