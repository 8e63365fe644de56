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
	char *options_text; /* as the user gave them, for the ledger */
	int64 steps;        /* the horizon */
	int dimension;      /* 0 until it is known */
	double low;         /* costs are clipped to low .. high */
	double high;
	bool clip_given;
	bool kind_given;
	FtrlKind kind; /* if it is given */
	bool any_tree; /* "tree" without a noise: the better of the two */
	FtrlPlan plan; /* from learning_settle() */
} Learning;

/* Reads epsilon and delta, of the types given, and the options, which may be NULL; raises 22023. */
extern void learning_begin(Learning *learning, Datum epsilon, Oid epsilon_type, Datum delta,
						   Oid delta_type, Jsonb *options);

/*
 * dimension: what the call tells, 0 if nothing.  Chooses the mechanism and what is
 * charged; raises 22023 where the parameters do not go together.
 */
extern void learning_settle(Learning *learning, int dimension);

/* Members that describe mechanism and noise, ", \"mechanism\": ...", for jsonb text. */
extern void learning_append_mechanism(StringInfo json, const Learning *learning);

/* Jsonb text of the public parameters, for the ledger. */
extern char *learning_parameters(const Learning *learning);

/* What is known about the laws of a run, with the cost that is charged; once settled. */
extern Pair learning_pair(const Learning *learning);

#endif
