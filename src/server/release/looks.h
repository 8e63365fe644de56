/*
 * looks.h - a look at a table released, for both doors: dp_count and dpobj.count, dp_sum and
 * dpobj.sum, dp_avg and dpobj.avg, dp_histogram and dpobj.histogram, dp_quantiles and
 * dpobj.quantiles; and, for analysts only, dpobj.profile, dpobj.residuals, dpobj.auc,
 * dpobj.calibration and dpobj.suggest.
 *
 * core/looks/look.h says which numbers a look has, their noise and the answers.  A door fills
 * in a request from public parameters, and counts the rows into an array of look_numbers() numbers
 * by look_add().  looks_charge(), looks_draw() and looks_released() are steps of a release
 * (release.h).
 *
 * What differs between looks is in their LookType.  What they read decides which arguments they have
 * at the owner's door.
 */
#ifndef DPOBJ_LOOKS_H
#define DPOBJ_LOOKS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "core/looks/look.h"

#include "server/base/decimal.h"
#include "server/ledger/charge.h"

/* The most cells of a call: groups times bins. */
#define LOOKS_MAX_CELLS 1000

/* The confidence of the intervals without an option. */
#define LOOKS_CONFIDENCE 0.95

/*
 * The most steps of a grid of quantiles without an option: neighbouring round units differ by 5 / 2
 * at most, so the unit is below a 65,535th of the distance of the bounds.
 */
#define LOOKS_STEPS 163840

/* The public parameters of a call. */
typedef struct LookRequest
{
	Look look;
	bool is_price;     /* are the options those of a price, without a model? */
	double confidence; /* of each interval */
	int64 steps;       /* of the grid of quantiles at most; 0: not said */
	int64 bins;        /* of scores; 0: not said */
	bool holdout_given;
	int64 holdout; /* of a rating: thousandths of the rows, which are read; 0: all rows */
	bool whole;    /* of quantiles: are values whole numbers, by their type? */
	/* of a profile: the column that a training would predict; NULL: not said */
	const char *label;
	Oid table;
	const char *person; /* column; NULL: rows are protected */
	PrivacyCost cost;
	const char *provenance; /* more members for the ledger, ", \"key\": ..."; or "" */
} LookRequest;

/* The looks by name, ", count, sum, ...": all, or those that have a price without a table. */
extern char *looks_names(bool of_table);

/* Begins a request for rows without a person: one cell, the default confidence, no noise yet. */
extern void looks_begin(LookRequest *request, const LookType *type);

/*
 * Reads the option "confidence", for quantiles "steps", for scores "bins", for a profile "label", of a
 * rating "holdout", of a count "distinct", and, with low and high, "clip": bounds of values, which are left alone without
 * it.  A histogram may have "bins", which the caller reads.  Of a price it reads "quantiles", too,
 * for quantiles; without a table also "adjacency" and "max_rows_per_person"; with one "by" is
 * allowed, which the caller reads.  Of the price of a suggestion the only option is "columns", which
 * the caller reads.  options: NULL for none.  Raises 22023 for any other option.
 */
extern void looks_read_options(LookRequest *request, Jsonb *options, double *low, double *high);

/* Reads the option "adjacency"; NULL is replace; raises 22023. */
extern Adjacency looks_read_adjacency(JsonbValue *value);

/* Raises 22023 for a confidence that intervals do not have.  what: "option \"confidence\"". */
extern void looks_check_confidence(double confidence, const char *what);

/* Reads the option "confidence"; raises 22023. */
extern void looks_read_confidence(JsonbValue *value, double *confidence);

/* Reads the quantiles that are wanted; raises 22023. */
extern void looks_read_quantiles(LookRequest *request, ArrayType *array);

/*
 * Raise 22023 if the number of cells, or the bounds of values, are not allowed.  The bounds come
 * last: the grid of quantiles depends on the number of cells and on the options.
 */
extern void looks_set_cells(LookRequest *request, double cells);
extern void looks_set_bounds(LookRequest *request, double low, double high);

/*
 * Sets the cells of a histogram of scores, after the options: two for each bin.  Without the option
 * "bins" there are 10 of probabilities, or as many of scores as suit so many rows (0: not known).
 */
extern void looks_set_bins(LookRequest *request, int64 rows);

/*
 * Sets the threshold of levels that nobody has declared, after adjacency, the rows of a person and
 * delta; raises 22023 if there is none.
 */
extern void looks_set_threshold(LookRequest *request);

/* Raises 22023 for a number of columns that a profile or a suggestion does not take. */
extern void looks_set_columns(LookRequest *request, int columns);

/* Appends the members "quantiles", "steps" and "step". */
extern void looks_append_quantiles(StringInfo text, const Look *look);

/* What a settled request is charged; its pair follows from epsilon alone. */
extern Charge looks_charge(const LookRequest *request);

/* Adds the noise to the numbers; an interrupt ends it, and the charge stays. */
extern void looks_draw(const LookRequest *request, int64 *number);

/* The look_answers() answers of noisy numbers. */
extern LookAnswer *looks_answers(const LookRequest *request, const int64 *number);

/*
 * What a row about an answer says in the column of that name, of those that do not depend on how a
 * door names its cells.  An answer with two values has the other one right after it.
 */
extern Datum looks_column(const LookRequest *request, const char *column, int position,
						  const LookAnswer *answer, bool *isnull);

/*
 * Commits the 'released' event with the hash of the answers' values.  kept: what is kept of them,
 * or NULL.
 */
extern void looks_released(const LookRequest *request, int64 release, const LookAnswer *answer,
						   const char *kept);

#endif
