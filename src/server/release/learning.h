/*
 * learning.h - one call of dp_ftrl, settled from public parameters.
 */
#ifndef DPOBJ_LEARNING_H
#define DPOBJ_LEARNING_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "core/mechanisms/ftrl.h"
#include "core/accounting/pair.h"

#include "server/base/decimal.h"

typedef struct Learning
{
	PrivacyCost cost;
	char *options_text; /* as the user wrote them, for the ledger */
	int64 steps;        /* the horizon */
	int dimension;      /* the number of choices, 0 until it is known */
	double low;         /* costs are clipped to low .. high */
	double high;
	bool clip_given;
	bool kind_given;
	FtrlKind kind; /* if it is given */
	bool any_tree; /* "tree" without a noise: the noise with the smaller regret is taken */
	FtrlPlan plan; /* from learning_settle() */
} Learning;

/* Reads epsilon and delta, of the types given, and the options, which may be NULL; raises 22023. */
extern void learning_begin(Learning *learning, Datum epsilon, Oid epsilon_type, Datum delta,
						   Oid delta_type, Jsonb *options);

/*
 * Chooses the mechanism and sets the charge.  dimension is the number of choices if the call tells
 * it, else 0.  Raises 22023 if the parameters do not go together.
 */
extern void learning_settle(Learning *learning, int dimension);

/* Appends members about mechanism and noise, ", \"mechanism\": ...", to jsonb text. */
extern void learning_append_mechanism(StringInfo json, const Learning *learning);

/* Jsonb text of the public parameters, for the ledger. */
extern char *learning_parameters(const Learning *learning);

/* What is known about the laws of a settled run, with the cost that is charged. */
extern Pair learning_pair(const Learning *learning);

#endif
