/*
 * export.h - a model as other programs need it: what each weight is multiplied by.
 *
 * Each weight but the intercept's has a feature, which is a function of one column alone.
 */
#ifndef DPOBJ_EXPORT_H
#define DPOBJ_EXPORT_H

#include "postgres.h"

#include "fmgr.h"

#include "server/models/predictor.h"
#include "server/rows/encoders.h"

typedef enum FeatureKind
{
	FEATURE_NUMBER,   /* the number, scaled, clipped and rounded */
	FEATURE_BIN,      /* 1 if the number is in a bin, else 0 */
	FEATURE_LEVEL,    /* 1 if the value is a level, or true, else 0 */
	FEATURE_INDICATOR /* 1 if the value is missing, else 0 */
} FeatureKind;

typedef struct ExportedFeature
{
	FeatureKind kind;
	int column;       /* the index of its encoder */
	char *name;       /* such as "25 <= age < 35" */
	int category;     /* of a bin or level */
	bool substituted; /* else a row in which the value is missing has no prediction */
	double missing;   /* then the feature of a missing value */
} ExportedFeature;

typedef struct ExportedModel
{
	const char *kind;
	int64 release;
	const char *label; /* NULL for a model that was trained on arrays */
	Predictor predictor;
	Encoders encoders; /* of an array's elements if it was trained on arrays: columns f1, f2, ... */
	int features;      /* of a class, one for each weight but the intercept's */
	ExportedFeature *feature;
} ExportedModel;

/* The formats: a model as JSON (export_json.c), and as PMML (export_pmml.c). */
extern text *export_json(const ExportedModel *model);
extern text *export_pmml(const ExportedModel *model);

/* The weights of a class, and its intercept, 0 if it has none; class 0 of a model without. */
extern const double *export_weights(const ExportedModel *model, int class);
extern double export_intercept(const ExportedModel *model, int class);

#endif
