/*
 * predictor.c - reads a model's encoding from its details, and computes scores.
 */
#include "postgres.h"

#include <math.h>

#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "server/base/json_value.h"
#include "server/base/options.h"
#include "server/models/predictor.h"

/* ---- reading ---- */

static void
read_numbers(JsonbContainer *object, const char *key, int count, double *number)
{
	JsonbContainer *array = json_get_array(json_member(object, key));

	for (int j = 0; array != NULL && j < count; j++)
		(void) json_get_number(getIthJsonbValueFromContainer(array, j), &number[j]);
}

/* The encoding that training_parameters() wrote into the model's details. */
static bool
read_encoding(JsonbContainer *details, int weights, Encoding *encoding)
{
	JsonbContainer *object = json_get_object(json_member(details, "encoding"));

	if (object == NULL)
		return false;
	encoding_init(encoding);
	encoding->intercept = json_is_true(json_member(object, "intercept"));
	encoding->features = weights - (encoding->intercept ? 1 : 0);
	if (encoding->features < 1)
		return false;
	read_numbers(object, "center", encoding->features, encoding->center);
	read_numbers(object, "scale", encoding->features, encoding->scale);
	read_numbers(object, "low", encoding->features, encoding->low);
	read_numbers(object, "high", encoding->features, encoding->high);
	return encoding_finish(encoding);
}

static void
read_label_values(Predictor *predictor, JsonbContainer *details)
{
	JsonbContainer *options = json_get_object(json_member(details, "options"));

	if (options == NULL)
		return;
	predictor->positive = json_member(options, "positive");
	predictor->negative = json_member(options, "negative");
}

void
predictor_init(Predictor *predictor, const Model *model)
{
	Jsonb *details = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details)));

	memset(predictor, 0, sizeof(*predictor));
	predictor->logistic = strcmp(model->kind, "logistic") == 0;
	predictor->number = method_kind_has_target(model->kind);
	predictor->weights = model->weights;
	memcpy(predictor->weight, model->weight, sizeof(model->weight));
	if (!JB_ROOT_IS_OBJECT(details))
		return;
	predictor->encoded = read_encoding(&details->root, model->weights, &predictor->encoding);
	read_label_values(predictor, &details->root);
}

int
predictor_features(const Predictor *predictor)
{
	return predictor->encoded ? predictor->encoding.features : predictor->weights;
}

void
predictor_require_label(const Predictor *predictor, const char *other)
{
	if (predictor->number)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model predicts a number"), errhint("Call %s.", other)));
}

void
predictor_require_probability(const Predictor *predictor, const char *other)
{
	if (!predictor->logistic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model has no probabilities"),
				 errdetail("Only a model of kind \"logistic\" has."), errhint("Call %s.", other)));
}

/* ---- scores ---- */

static double
encoded_score(const Predictor *predictor, const double *features)
{
	int32_t x[GRID_MAX_DIMENSION];
	double sum = 0.0;

	/* false only for a NaN: the encoding of a model declares no groups */
	if (!encoding_apply(&predictor->encoding, features, x))
		return NAN;
	for (int j = 0; j < predictor->weights; j++)
		sum += predictor->weight[j] * x[j];
	return sum / FIXED_POINT_ONE;
}

static double
plain_score(const Predictor *predictor, const double *features)
{
	double sum = 0.0;

	for (int j = 0; j < predictor->weights; j++)
		sum += predictor->weight[j] * features[j];
	return sum;
}

double
predictor_score(const Predictor *predictor, const double *features)
{
	return predictor->encoded ? encoded_score(predictor, features)
							  : plain_score(predictor, features);
}
