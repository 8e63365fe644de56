/*
 * training.h - one call of dp_halfspace, settled from public parameters.
 *
 * training_open() reads epsilon, delta and the options before any row is looked
 * at; training_settle() fixes grid, mechanism and cost as soon as the dimension
 * is known, which is at once unless only the rows can tell it.
 */
#ifndef DPOBJ_TRAINING_H
#define DPOBJ_TRAINING_H

#include "postgres.h"

#include "core/encoding.h"
#include "core/mechanism.h"

#include "charge.h"
#include "decimal.h"
#include "options.h"
#include "plan.h"
#include "solver_process.h"

typedef struct Training
{
	PrivacyCost cost;
	Options options;
	char *options_text; /* as the user gave them, for the ledger and the model */
	Encoding encoding;  /* features is 0 while the dimension is not known */
	bool settled;
	MechanismRequest request; /* from here on: once settled */
	SolverLimits limits;
	const char *guarantee;
} Training;

/* Positions of the arguments after the state. */
#define ARGUMENT_FEATURES 0
#define ARGUMENT_LABEL 1
#define ARGUMENT_EPSILON 2
#define ARGUMENT_DELTA 3
#define ARGUMENT_OPTIONS 4

/*
 * Raises 22023 for whatever is wrong; settles the training if the dimension is
 * known.  table is NULL in a parallel worker, which only needs the encoding.
 */
extern void training_open(PlanCall *call, const PlanTable *table, Training *training);

/* The dimension came from the first row. */
extern void training_set_features(Training *training, int features);

/* Jsonb text of the public parameters, for the ledger and the model's details. */
extern char *training_parameters(const Training *training);

#endif
