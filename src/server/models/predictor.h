/*
 * predictor.h - a model that can be applied to feature arrays.
 *
 * The features go through the same public encoding as in training (clip, scale, rounding), so a
 * prediction is exactly the rule whose loss was minimised: positive iff the score is above 0.
 */
#ifndef DPOBJ_PREDICTOR_H
#define DPOBJ_PREDICTOR_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "core/rows/encoding.h"

#include "server/models/model.h"

typedef struct Predictor
{
	bool probable;        /* does it predict a probability? */
	double fit_intercept; /* by which its score becomes that of the logistic function */
	double fit_slope;
	const char *unrated;  /* why it has no such fit; NULL: not known */
	const char *verdict;  /* of its rating; NULL: none */
	bool shares;          /* does it predict a probability of each class? */
	bool number;          /* does it predict a number, which is the score? */
	JsonbValue *positive; /* values of the label, by options or declaration; NULL: none */
	JsonbValue *negative;
	int classes;              /* of which it predicts one, each with its weights; else 0 */
	JsonbValue *class_values; /* the classes, or levels of a binary label; NULL: unknown */
	text *class_name[INSTANCE_MAX_CLASSES];
	bool encoded; /* is there an encoding? a model made by hand may have none */
	Encoding encoding;
	int weights;          /* of a class */
	const double *weight; /* the model's */
} Predictor;

/* The predictor keeps the model's weights. */
extern void predictor_init(Predictor *predictor, const Model *model);

/* These raise 22023 unless the model predicts it; other: the functions that the hint names. */
extern void predictor_require_label(const Predictor *predictor, const char *other);
extern void predictor_require_probability(const Predictor *predictor, const char *other);
extern void predictor_require_class(const Predictor *predictor, const char *other);
extern void predictor_require_two(const Predictor *predictor, const char *other);

/* Raises 22023 unless the model says how its features are encoded, as released ones do. */
extern void predictor_require_encoding(const Predictor *predictor);

/* Raises 22023 for a model of several classes, which has no single score. */
extern void predictor_require_score(const Predictor *predictor);

/* The number of features that it expects. */
extern int predictor_features(const Predictor *predictor);

/* The first weight of a feature, of a class; features with levels have several (levels.h). */
extern int predictor_place(const Predictor *predictor, int feature);

/* <weights, encoded features>; NaN if a feature is NaN or no index of its levels. */
extern double predictor_score(const Predictor *predictor, const double *features);

/* The same for each class; false instead of NaN. */
extern bool predictor_scores(const Predictor *predictor, const double *features, double *score);

/* The probability of a positive label: calibrated, if there is a fit, else what the model says. */
extern double predictor_probability(const Predictor *predictor, double score);

/* That class; of a model without classes 0 if it predicts positive, else 1; -1 without a score. */
extern int predictor_answer(const Predictor *predictor, const double *features);

/*
 * What SQL functions return for these scores: the name of that class, a text, and the
 * probabilities, a float8[].  These are the shares p = exp(score) / sum of exp(scores) times
 * max(1, 2 (1 - p)), divided by their sum (theorem V17); raises 22023 for a model without
 * probabilities.
 */
extern Datum predictor_class_name(const Predictor *predictor, const double *score);
extern Datum predictor_class_probabilities(const Predictor *predictor, const double *score);

#endif
