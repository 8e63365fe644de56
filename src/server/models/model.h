/*
 * model.h - the composite type dp_model, which a release returns.
 */
#ifndef DPOBJ_MODEL_H
#define DPOBJ_MODEL_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"

#include "core/grid/grid.h"
#include "core/rows/levels.h"

#define MODEL_HASH_LENGTH 32

/* The most weights of a model: only one with levels has more than COLUMNS_MAX. */
#define MODEL_MOST_WEIGHTS LEVELS_WEIGHTS_MAX

typedef struct Model
{
	const char *kind;
	const char *mechanism;
	int weights;
	double *weight;
	double epsilon;
	double delta;
	const char *adjacency;
	const char *guarantee;
	int64 release;
	const char *details; /* jsonb text */
} Model;

/* The model as a row of dp_model. */
extern Datum model_form(const Model *model, TupleDesc descriptor);

/* Reads a row of dp_model; raises 22023 if it cannot be a model. */
extern void model_read(HeapTupleHeader row, Model *model);

/* The same, but returns false if it cannot be a model. */
extern bool model_can_be_read(HeapTupleHeader row, Model *model);

/* SHA-256 over every attribute, which the ledger keeps of a released model. */
extern void model_hash(const Model *model, uint8 hash[MODEL_HASH_LENGTH]);
extern Datum model_hash_datum(const Model *model); /* bytea */

#endif
