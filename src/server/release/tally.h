/*
 * tally.h - how a model's predictions agree with labels, and the release of it, for both
 * doors: dp_accuracy and dpobj.evaluate, dp_confusion and dpobj.confusion, dp_select and
 * dpobj.select.
 *
 *   accuracy    two noisy counts, of right and wrong predictions; released is the share
 *   confusion   four noisy counts, released as they are drawn: one of few rows may come
 *               out negative.  Then sums and differences of them have no bias, and
 *               whoever wants zeros can put them in himself (post-processing)
 *   selection   of several models one, by permute-and-flip on their numbers of mistakes
 *
 * The noise is core/mechanisms/evaluation.h's, the draw select_from_list()'s; both are exactly
 * epsilon-DP with delta = 0.  The order is the guarantee: tally_charge() commits the
 * charge, then tally_draw() takes random bits, then tally_released() commits the hash of
 * what is handed out.
 */
#ifndef DPOBJ_TALLY_H
#define DPOBJ_TALLY_H

#include "postgres.h"

#include "fmgr.h"

#include "core/base/privacy.h"

#include "server/ledger/charge.h"
#include "server/models/model.h"

typedef enum TallyKind
{
	TALLY_ACCURACY,
	TALLY_CONFUSION,
	TALLY_SELECTION
} TallyKind;

/* The rows of a model, those that it cannot predict left out; in the order of the composite. */
typedef enum TallyCell
{
	TALLY_TRUE_POSITIVES,
	TALLY_FALSE_POSITIVES,
	TALLY_FALSE_NEGATIVES,
	TALLY_TRUE_NEGATIVES,
	TALLY_CELLS
} TallyCell;

static inline TallyCell
tally_cell(bool predicted, bool label)
{
	if (predicted)
		return label ? TALLY_TRUE_POSITIVES : TALLY_FALSE_POSITIVES;
	return label ? TALLY_FALSE_NEGATIVES : TALLY_TRUE_NEGATIVES;
}

/* What is asked, all of it public. */
typedef struct TallyRequest
{
	TallyKind kind;
	int models; /* 1, or 2 .. SELECT_LIST_MAX for a selection */
	const int64 *model_release;
	Oid table;
	Adjacency adjacency;
	const char *person; /* column; NULL: rows are protected */
	int64 epsilon;      /* of one row, nano-units */
	int64 epsilon_charged;
	const char *provenance; /* further members for the ledger, ", \"key\": ..."; or "" */
	AnalystTerms *analyst;  /* NULL: the owner's door */
} TallyRequest;

/* With noise: all that may be shown. */
typedef struct TallyResult
{
	int64 count[TALLY_CELLS]; /* of a confusion table; of an accuracy: right, wrong */
	int chosen;               /* of a selection, from 0 */
} TallyResult;

/* Their names in the ledger and in dpobj.price: accuracy, confusion, select. */
extern const char *tally_name(TallyKind kind);
extern bool tally_find(const char *name, TallyKind *kind);

/* The mechanism, as the ledger names it. */
extern const char *tally_mechanism(TallyKind kind);

/* Raises 22023 unless there are as many models as may be chosen from. */
extern void tally_check_models(int models);

/* What it costs, which follows from epsilon_charged alone. */
extern Pair tally_pair(const TallyRequest *request);

extern int64 tally_charge(const TallyRequest *request);

/* count: TALLY_CELLS numbers of rows for each model. */
extern void tally_draw(const TallyRequest *request, const int64 *count, TallyResult *result);

extern void tally_released(int64 release, TallyKind kind, const TallyResult *result);

/* The last result of this backend, for other places of the same call (same_call.h). */
extern void tally_keep(int64 release, const TallyResult *result);
extern bool tally_recall(int64 release, TallyResult *result);

/* False where the noise leaves no rows to be right about. */
extern bool tally_accuracy(const TallyResult *result, float8 *accuracy);

/* A row of dp_confusion_table, the result type of the function that is called. */
extern Datum tally_confusion(FunctionCallInfo fcinfo, const TallyResult *result);

#endif
