/*
 * evaluate.h - a named model of the session user, to be rated on rows of a protected table.
 */
#ifndef DPOBJ_EVALUATE_H
#define DPOBJ_EVALUATE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "server/analyst/analyst.h"
#include "core/looks/rater.h"

#include "server/models/model.h"
#include "server/release/tally.h"

/* A named model of dpobj.train, and its columns by its details. */
typedef struct RatedModel
{
	const char *name;
	Model model;
	Jsonb *details;
	LabelChoice label;    /* as in training */
	List *columns;        /* names, in the order of the weights */
	bool probable;        /* does it have probabilities? */
	double fit_intercept; /* by which its score becomes that of the logistic function */
	double fit_slope;
	Rater rater;
} RatedModel;

/*
 * The columns of a kept rating, float8 each: a number, the interval of the truth of these rows,
 * that of the population that they are a sample of, and the confidence of both.
 */
#define RATING_COLUMNS                                                                             \
	((const char *const[]){"value", "low", "high", "sample_low", "sample_high", "confidence"})
#define RATING_COUNT 6

/* Finds a model of the session user, and what its details say; raises 42704 or XX000. */
extern void rated_model_find(const char *name, RatedModel *rated);

/* The same of a model that has just been trained. */
extern void rated_model_read(const Model *model, RatedModel *rated);

/*
 * A member of the ledger's parameters: the key of the group that each model is about, or null; ""
 * if all are about whole tables.  Models of groups share their release, which alone does not name
 * them.
 */
extern const char *rated_models_keys(const RatedModel *rated, int models);

/* Raises 22023 if an encoder of the model's columns has changed since the model was trained. */
extern void rated_model_check(const RatedModel *rated, const AnalystTable *opened);

/*
 * Reads only rows that are held out: at the share that the request asks for (0: all rows are read),
 * or, unless it says so, at the least share at which one of the models that were trained on this
 * table left rows out.  Raises 22023 if that model's rows were dealt by other columns.
 */
extern void rated_models_hold_out(const RatedModel *rated, int models, bool given,
								  int64 thousandths, AnalystTable *opened);

/* Finds the places of the features in a row that these encoders make. */
extern void rated_model_place(RatedModel *rated, const Encoders *encoders);

/*
 * The lowest and the highest score of a model with one score that its weights and the declarations
 * allow; they differ.
 */
extern void rated_model_range(const RatedModel *rated, const Encoders *encoders, double *lowest,
							  double *highest);

/* How a score becomes the number that is predicted, in the target's own units. */
extern void rated_model_number(RatedModel *rated, const Encoder *target);

/*
 * Sets a look at residuals to the declared bounds of the target, which gets its units in the
 * encoding of the columns.
 */
extern void rated_model_residuals(const AnalystTable *opened, Look *look, Encoding *encoding);

#endif
