/*
 * training.h - one call of a trainer, settled from public parameters.
 *
 * Either door sets cost and options before it reads a row, then calls training_begin().
 * training_set_features() chooses grid and mechanism once the dimension is known: at once, unless
 * only the rows tell it.
 */
#ifndef DPOBJ_TRAINING_H
#define DPOBJ_TRAINING_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/looks/rating.h"
#include "core/rows/encoding.h"
#include "core/mechanisms/grid_default.h"
#include "core/mechanisms/mechanism.h"
#include "core/accounting/pair.h"

#include "server/ledger/charge.h"
#include "server/base/decimal.h"
#include "server/rows/encoders.h"
#include "server/rows/options.h"
#include "server/rows/protection.h"
#include "server/release/solver_process.h"

/* The counts of coverage.h. */
enum
{
	COVERAGE_USABLE,
	COVERAGE_UNUSABLE,
	COVERAGE_COUNTS
};

/* The table that rates the model (rating_choice.h). */
typedef struct RatingPart
{
	int64 epsilon;       /* nano-units; 0: there is none */
	double mu;           /* of normal noise; 0: discrete Laplace noise of epsilon */
	int64 charged;       /* of cost.epsilon; the model gets the rest */
	bool by_chance;      /* are the rows dealt by coins of the call (holdout.h)? */
	RatingTable *table;  /* with noise, once drawn; an array, of each group */
	const char *why_not; /* at the analyst's door, why there is none */
} RatingPart;

typedef struct Training
{
	TrainingMethod method; /* once settled it is never METHOD_AUTO */
	bool automatic;        /* METHOD_AUTO was asked for */
	PrivacyCost cost;      /* delta_charged is final once settled */
	Options options;
	LabelRule label;        /* of METHOD_SOFTMAX; at the owner's door of every label */
	bool by_analyst;        /* then a mechanism must be sure to finish (rule F3) */
	const char *person;     /* column that names the row's person; NULL: rows are protected */
	int rows_per_person;    /* 0 without person */
	bool dealt_by_column;   /* do rows with one value of a column belong together? */
	char *options_text;     /* as the user wrote them, for the ledger and the model */
	const char *provenance; /* more members of the parameters, ", \"key\": ..."; NULL: none */
	Encoding encoding;      /* features is 0 until the dimension is known */
	bool length_of_row;     /* the dimension was taken from a row, because nothing public gave it */
	bool settled;
	MechanismRequest request; /* this and the next four are valid once settled */
	GridWidths widths;        /* the grid if grid_default() chose it; else all 0 */
	const char *reason;       /* why METHOD_AUTO became this method; NULL: the method was named */
	SolverLimits limits;
	const char *guarantee;
	/*
	 * Set if the call trains a model for each key of a list (groups.h), else NULL.  Then request
	 * and cost.epsilon and cost.delta are for each group, under add_remove; cost.epsilon_charged,
	 * cost.delta_charged and this adjacency are for the call.
	 */
	const struct KeyList *keys;
	Adjacency adjacency;
	int64 group_rows;       /* the declared ones by the number of keys, rounded up; 0: unknown */
	bool elsewhere;         /* rows of the table are on other servers */
	int64 table_rows;       /* of the table: declared, or counted where public; 0: not known */
	int64 most_rows;        /* for which files have room */
	bool leaves_out;        /* it has more than these, and they are left out (theorem F10) */
	int64 coverage_epsilon; /* of cost.epsilon, nano-units; the model gets the rest */
	int64 coverage[COVERAGE_COUNTS]; /* with noise, once drawn */
	RatingPart rating;
} Training;

/* Reads epsilon and delta, of the types given; raises 22023 if one is out of range. */
extern void training_set_cost(Training *training, Datum epsilon, Oid epsilon_type, Datum delta,
							  Oid delta_type);

/* Reads the options, which may be NULL; raises 22023. */
extern void training_set_options(Training *training, Jsonb *options);

/*
 * Sets the method, before anything else is set; raises 22023 if it does not exist.  others lists
 * further names that the caller accepts, for the hint: ", accuracy", or "".
 */
extern void training_set_method(Training *training, const char *method, const char *others);

/* Sets what is declared about the table; options must be set. */
extern void training_set_protected(Training *training, const Encoders *features,
								   const Protection *protection);

/*
 * Begins a training whose cost and options are set.  features is the number of features, 0 if it is
 * not known; then options that need it are checked later.
 */
extern void training_begin(Training *training, int features);

/* Columns in front of the features: 1 for a target or a class, else 0. */
extern int training_target_columns(const Training *training);

/* Is the number of rows public?  Under add_remove, and where a person is replaced, it is not. */
extern bool training_rows_are_public(const Training *training);

/*
 * Says which table it is, once the options and what is declared are set.  Where the number of rows
 * is public, they are counted for those who may know it: a larger number that is declared does not
 * matter, and of a table that has more than twice as many, the others are left out.  Rows of other
 * servers are not counted.  rows: their number, if it is known; else 0.
 */
extern void training_set_table(Training *training, Oid table, int64 rows);

/* How many of so many rows train: those that are not held out. */
extern int64 training_rows_read(const Training *training, int64 rows);

/* The limit on the solver's time in seconds, 0: none. */
extern int training_seconds(const Training *training);

/* The limit on memory in MiB, 0: none. */
extern int training_megabytes(const Training *training);

/* The model's part of epsilon, in nano-units. */
extern int64 training_model_epsilon(const Training *training);

/*
 * What one row may cost, so that all rows of a person cost no more than the call: epsilon in
 * nano-units, delta in atto-units.  Raises 22023 if that epsilon is 0.
 */
extern int64 training_row_epsilon(const Training *training);
extern int64 training_row_delta(const Training *training);

/* Settles dimension, grid and mechanism; raises 22023 if they do not go together. */
extern void training_set_features(Training *training, int features);

/*
 * Appends members ", \"classifier\": ..." and ", \"grid\": ..." if these were chosen automatically,
 * and ", \"target\": ..." for METHOD_LINEAR.
 */
extern void training_append_choice(StringInfo text, const Training *training);

/* What the options say of the label with this name, once the options are set. */
extern LabelChoice training_label_choice(const Training *training, const char *name);

/*
 * Sets what is declared about the label of a table: the range of a target or the classes.  Options
 * are set and are parsed again if METHOD_AUTO becomes METHOD_SOFTMAX or METHOD_LINEAR; what follows
 * from other columns is set after it.  Raises 22023 if the method is not for such a label.
 */
extern void training_set_label(Training *training, const Encoder *label, Jsonb *options);

/* What is known about the laws of a settled training, with the cost that is charged. */
extern Pair training_pair(const Training *training);

/* Which tables are neighbours, for the charge. */
extern Adjacency training_adjacency(const Training *training);

/* Jsonb text of the public parameters, for the ledger and the model's details. */
extern char *training_parameters(const Training *training);

#endif
