/*
 * tally.h - counts how predictions agree with labels, and releases the result, for both doors:
 * dp_accuracy and dpobj.evaluate, dp_confusion and dpobj.confusion, dp_select and dpobj.select.
 *
 * A label is one of k classes, of which a model predicts one.  A label that is positive or negative
 * has the classes 0, positive, and 1.  A row counts in one of k^2 cells.
 *
 *   accuracy    draws two noisy counts, of right and wrong predictions, and releases the share, in
 *               digits that the noise allows, with its intervals
 *   confusion   releases the noisy count of each cell as it is drawn.  A count of few rows may be
 *               negative, so that sums and differences of the counts have no bias
 *   selection   chooses one of several models by permute-and-flip on their numbers of mistakes
 *
 * The noise is that of core/looks/evaluation.h, the choice that of select_from_list(); both
 * are exactly epsilon-DP with delta = 0.  tally_charge(), tally_draw() and tally_released() are
 * steps of a release (release.h).
 */
#ifndef DPOBJ_TALLY_H
#define DPOBJ_TALLY_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/jsonb.h"

#include "core/base/privacy.h"
#include "core/looks/estimate.h"
#include "core/looks/evaluation.h"

#include "server/base/decimal.h"
#include "server/ledger/charge.h"
#include "server/models/model.h"
#include "server/rows/protection.h"

typedef enum TallyKind
{
	TALLY_ACCURACY,
	TALLY_CONFUSION,
	TALLY_SELECTION
} TallyKind;

/* The classes of a label that is positive or negative. */
#define TALLY_POSITIVE 0
#define TALLY_NEGATIVE 1

static inline int
tally_cells(int classes)
{
	return classes * classes;
}

/* The cell of a row that the model predicts; of two classes in the order of dp_confusion_table. */
static inline int
tally_cell(int predicted, int label, int classes)
{
	return predicted * classes + label;
}

/* The public parameters of an evaluation. */
typedef struct TallyRequest
{
	TallyKind kind;
	bool is_price;              /* are the options those of a price, which knows no model? */
	int classes;                /* of the label, 2 .. INSTANCE_MAX_CLASSES */
	int models;                 /* 1, or 2 .. SELECT_LIST_MAX for a selection */
	const int64 *model_release; /* NULL in a price */
	Oid table;
	bool holdout_given;
	int64 holdout; /* thousandths of the rows, which are read; 0: all rows */
	Adjacency adjacency;
	const char *person; /* column; NULL: rows are protected */
	int64 epsilon;      /* of one row, nano-units */
	int64 epsilon_charged;
	double confidence;      /* of the intervals */
	const char *provenance; /* more members for the ledger, ", \"key\": ..."; or "" */
} TallyRequest;

/* The noisy result, which may be shown. */
typedef struct TallyResult
{
	int classes;
	int64 count[EVALUATION_COUNTS]; /* of a confusion table */
	double error;                   /* of its counts, but for a chance of 1 - confidence */
	Estimate accuracy;
	int chosen; /* of a selection, from 0 */
} TallyResult;

/* The names of the kinds in the ledger and in dpobj.price: accuracy, confusion, select. */
extern bool tally_find(const char *name, TallyKind *kind);

/*
 * Reads the options of a call, or of a price, whose table is known by then if it has one; raises
 * 22023.  options: NULL for none.
 */
extern void tally_read_options(TallyRequest *request, Jsonb *options);

/*
 * Sets what is declared about the table.  Where a person has at most k rows, each row has
 * epsilon / k; raises 22023 if that is 0.
 */
extern void tally_set_protected(TallyRequest *request, const PrivacyCost *cost,
								const Protection *protection);

/* Raises 22023 unless a selection may have this number of models. */
extern void tally_check_models(int models);

/* What a settled request is charged; its pair follows from epsilon_charged alone. */
extern Charge tally_charge(const TallyRequest *request);

/* Draws the result.  count holds tally_cells() numbers of rows for each model. */
extern void tally_draw(const TallyRequest *request, const int64 *count, TallyResult *result);

/* Commits the 'released' event with the hash of the answer.  kept: what is kept of it, or NULL. */
extern void tally_released(int64 release, TallyKind kind, const TallyResult *result,
						   const char *kept);

/* Keeps and finds the last result of this backend, for copies of the call (same_call.h). */
extern void tally_keep(int64 release, const TallyResult *result);
extern bool tally_recall(int64 release, TallyResult *result);

/* A row of dp_confusion_table, the result type of the function that is called; of two classes. */
extern Datum tally_confusion(FunctionCallInfo fcinfo, const TallyResult *result);

/* The same of any classes: a bigint[], a row for each prediction with an element for each label. */
extern Datum tally_class_confusion(const TallyResult *result);

#endif
