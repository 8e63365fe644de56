/*
 * price.h - settling a call from public parameters, to say what it would cost.
 */
#ifndef DPOBJ_PRICE_H
#define DPOBJ_PRICE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "server/base/decimal.h"
#include "server/release/learning.h"
#include "server/release/tally.h"
#include "server/release/training.h"

/* The method that is a run of dp_ftrl and not a training. */
#define PRICE_LEARNING "ftrl"

/* A call on that many features, epsilon and delta being numeric; raises 22023 as the call would. */
extern Training *price_settle_training(const char *method, int features, Datum epsilon, Datum delta,
									   Jsonb *options);

extern void price_settle_learning(Learning *learning, int choices, Datum epsilon, Datum delta,
								  Jsonb *options);

/* models: how many are evaluated. */
extern Adjacency price_settle_evaluation(TallyKind kind, int models, Datum epsilon, Datum delta,
										 Jsonb *options, PrivacyCost *cost);

#endif
