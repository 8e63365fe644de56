/*
 * trained_columns.h - the columns that a model of dpobj.train was trained on, and how they
 * become features, from the model's own details.
 *
 * The model is enough: neither the table nor its declaration need be there any more.
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
	 * In the order of the weights.  The columns have the types of the training, but for an
	 * enum, which is a text; their numbers mean nothing.
	 */
	Encoders encoders;
	bool intercept; /* then there is one weight more, the last */
} TrainedColumns;

/*
 * False for a model whose features are an array's, or whose columns have types that dpobj
 * 0.1.0 did not write down.  Raises 22023 for details that do not belong to the weights: a
 * value of type dp_model can be forged.
 */
extern bool trained_columns_read(const Model *model, TrainedColumns *columns);

/* A feature as training rounds it, in units of 1. */
extern double trained_feature(double feature);

/* The weight of a category, 0 for the first one if that is dropped; weight: of its column. */
extern double trained_weight(const Encoder *encoder, const double *weight, int category);

#endif
