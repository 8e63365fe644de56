/*
 * rating_choice.h - which rows rate a model, and what that costs, from public facts (theorem N11).
 *
 * A training at the analyst's door is followed by one private table of its model (theorem X16), by
 * default on a fifth of the rows, which are then held out.  Option "rate" is the epsilon of a table
 * with discrete Laplace noise.  The model of each group has a table of its own.
 */
#ifndef DPOBJ_RATING_CHOICE_H
#define DPOBJ_RATING_CHOICE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "server/release/training.h"

/*
 * Settles a training with its features and its rating, by settle(), which is called once more if
 * there is to be no rating.  Where the table is free, its default noise is the least that leaves the
 * law in the ledger as it is: normal noise beside a normal law.
 */
extern void rating_settle(Training *training, int features,
						  void (*settle)(Training *training, int features));

/* What the call is charged for tables: of groups, for all rows that change at once. */
extern int64 rating_charged(const Training *training);

/* The pair of model and table, of the pair of the model alone. */
extern Pair rating_pair(const Training *training, const Pair *model);

/* Appends the member ", \"rate\": {...}" of parameters and prices, if there is a rating. */
extern void rating_append_charge(StringInfo text, const Training *training);

/* Begins the table of a settled training; kind, cells and edges follow with the model. */
extern void rating_begin(const Training *training, RatingTable *table);

/* The rows that are rated, as far as they are declared, times epsilon: rating_strength(). */
extern double rating_strength_of(const Training *training);

#endif
