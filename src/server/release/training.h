/*
 * training.h - one call of a trainer, settled from public parameters.
 *
 * The caller of either door fills in cost and options before any row is looked at,
 * then calls training_begin(); training_set_features() fixes grid and mechanism as
 * soon as the dimension is known, which is at once unless only the rows can tell it.
 */
#ifndef DPOBJ_TRAINING_H
#define DPOBJ_TRAINING_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/rows/encoding.h"
#include "core/mechanisms/grid_default.h"
#include "core/mechanisms/mechanism.h"
#include "core/accounting/pair.h"

#include "server/ledger/charge.h"
#include "server/base/decimal.h"
#include "server/rows/encoders.h"
#include "server/base/options.h"
#include "server/rows/protection.h"
#include "server/release/solver_process.h"

typedef struct Training
{
	TrainingMethod method; /* once settled it is never METHOD_AUTO */
	PrivacyCost cost;      /* delta_charged is final once settled */
	Options options;
	bool by_analyst;        /* then a mechanism must be sure to finish (rule F3) */
	const char *person;     /* column that says whose row it is; NULL: rows are protected */
	int rows_per_person;    /* 0 without person */
	char *options_text;     /* as the user gave them, for the ledger and the model */
	const char *provenance; /* further members for them, ", \"key\": ..."; NULL: none */
	Encoding encoding;      /* features is 0 while the dimension is not known */
	bool length_of_row;     /* the dimension was taken from a row, because nothing public gave it */
	bool settled;
	MechanismRequest request; /* from here on: once settled */
	GridWidths widths;        /* the grid where rows and epsilon chose it; else all 0 */
	const char *reason;       /* why METHOD_AUTO became this method; NULL: the method was named */
	SolverLimits limits;
	const char *guarantee;
	/*
	 * Of a call that trains a model for each key of a list (groups.h), else NULL.  Then request,
	 * and what may be used of the cost, are about each group, under add_remove; what is charged,
	 * and this adjacency, are about the whole call.
	 */
	const struct KeyList *keys;
	Adjacency adjacency;
	const JobContext *job; /* NULL: a statement's */
} Training;

/* Reads epsilon and delta, of the types given; raises 22023 for what is out of range. */
extern void training_set_cost(Training *training, Datum epsilon, Oid epsilon_type, Datum delta,
							  Oid delta_type);

/* Reads the options, which may be NULL; raises 22023. */
extern void training_set_options(Training *training, Jsonb *options);

/*
 * Before the rest is set; raises 22023 for the name of a method that does not exist.  others: what
 * the caller takes besides, ", accuracy" for example, or "".
 */
extern void training_set_method(Training *training, const char *method, const char *others);

/* What follows from the declaration about a table; options must be set. */
extern void training_set_protected(Training *training, const Encoders *features,
								   const Protection *protection);

/*
 * Call it once cost and options are set.  features: the dimension if it is known,
 * else 0; then options that need it are checked later.
 */
extern void training_begin(Training *training, int features);

/* The dimension that the options declare or imply, else 0. */
extern int training_declared_features(const Training *training);

/* The limit on memory, 0: none. */
extern int training_megabytes(const Training *training);

/*
 * What one row may cost, where a person with several rows or a group of a list is protected:
 * epsilon in nano-units and delta in units of 1e-18.
 */
extern int64 training_row_epsilon(const Training *training);
extern int64 training_row_delta(const Training *training);

/* Settles the dimension, grid and mechanism; raises 22023 where they do not go together. */
extern void training_set_features(Training *training, int features);

/* Members about what was chosen, after a comma, for jsonb text; none where nothing was. */
extern void training_append_choice(StringInfo text, const Training *training);

/* The label's encoder where it is a number to be predicted; before training_begin(). */
extern void training_set_target(Training *training, const Encoder *encoder);

/* What is known about its laws, with the cost that is charged; once settled. */
extern Pair training_pair(const Training *training);

/* Which tables are neighbours, for what is charged. */
extern Adjacency training_adjacency(const Training *training);

/* Jsonb text of the public parameters, for the ledger and the model's details. */
extern char *training_parameters(const Training *training);

#endif
