/*
 * price.h - a call settled from public parameters, to compute its price.
 */
#ifndef DPOBJ_PRICE_H
#define DPOBJ_PRICE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "server/analyst/look.h"
#include "server/ledger/charge.h"
#include "server/release/learning.h"
#include "server/release/tally.h"
#include "server/release/training.h"

/* What a call is charged, and the parameters that it is settled with: one of the last five. */
typedef struct PricedCall
{
	const char *method;  /* of a training, the one that was chosen */
	Charge charge;       /* of a run of dp_ftrl without parameters */
	int rows_per_person; /* 0 where rows are protected */
	int64 holdout;       /* thousandths of the rows; 0: all rows are read */
	const Training *training;
	const Learning *learning;
	const TallyRequest *tally;
	const LookRequest *look;
	const Encoders *columns; /* of a suggestion, beside the look */
} PricedCall;

/*
 * Settles a call of an aggregate; raises 22023 as the call would.  d: the number of features, for a
 * choice that of models, for a profile that of columns, for other looks groups times bins.
 * epsilon, delta: numeric.
 */
extern void price_settle(PricedCall *call, const char *method, int d, Datum epsilon, Datum delta,
						 Jsonb *options);

#endif
