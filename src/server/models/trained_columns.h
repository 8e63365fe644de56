/*
 * trained_columns.h - the columns that a model of dpobj.train was trained on, and their encoders,
 * read from the model's own details.
 *
 * Neither the table nor its declaration need exist any more.
 */
#ifndef DPOBJ_TRAINED_COLUMNS_H
#define DPOBJ_TRAINED_COLUMNS_H

#include "postgres.h"

#include "server/rows/encoders.h"
#include "server/models/model.h"

typedef struct TrainedColumns
{
	char *relation; /* schema-qualified and quoted */
	char *label;
	/*
	 * In the order of the weights.  The columns have the types of the training, but an enum is a
	 * text.  Their numbers are places in the details, not in a table.
	 */
	Encoders encoders;
	bool intercept; /* is the last weight an intercept? */
} TrainedColumns;

/*
 * weights: the number of the model's, of each class if there are several (Predictor).
 *
 * False for a model that was trained on an array.  Raises 22023 for details that do not fit the
 * weights: anybody can make a value of type dp_model.
 */
extern bool trained_columns_read(const Model *model, int weights, TrainedColumns *columns);

/* Raises 22023 unless the model's own encoding leaves what the encoders have encoded as it is. */
extern void trained_columns_check(const TrainedColumns *columns, const Encoding *encoding);

/* A feature as training rounds it, to a multiple of 2^-16. */
extern double trained_feature(double feature);

/* The weight of a category, 0 for the first one if that is dropped; weight: the column's first. */
extern double trained_weight(const Encoder *encoder, const double *weight, int category);

#endif
