/*
 * encoding_choice.h - the encoding that the options ask for.
 */
#ifndef DPOBJ_ENCODING_CHOICE_H
#define DPOBJ_ENCODING_CHOICE_H

#include "postgres.h"

#include "server/release/training.h"

/* The number of features that the options declare or imply, else 0. */
extern int encoding_declared_features(const Options *options);

/* The encoding without the target. */
extern void encoding_of_features(const Training *training, Encoding *features);

/*
 * Of METHOD_LINEAR: a weight of 1, and an intercept of 0, in the target's units.  The first is the
 * threshold of residuals.
 */
extern double encoding_target_unit(const Training *training);
extern double encoding_target_middle(const Training *training);

/* Sets all of the encoding but the number of features; features is 0 if it is not known. */
extern void encoding_lay_out(Training *training, int features);

/* Sets all of the encoding; raises 22023 if options and features do not go together. */
extern void encoding_choose(Training *training, int features);

#endif
