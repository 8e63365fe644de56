/*
 * encoding_choice.h - the encoding that the options ask for.
 */
#ifndef DPOBJ_ENCODING_CHOICE_H
#define DPOBJ_ENCODING_CHOICE_H

#include "postgres.h"

#include "server/release/training.h"

/* The number of features that the options declare or imply, else 0. */
extern int encoding_declared_features(const Options *options);

/* Columns in front of the features: 1 for the target of simplex, else 0. */
extern int encoding_target_columns(const Training *training);

/* Sets all of the encoding but the number of features; features is 0 if it is not known. */
extern void encoding_lay_out(Training *training, int features);

/* Sets all of the encoding; raises 22023 if options and features do not go together. */
extern void encoding_choose(Training *training, int features);

#endif
