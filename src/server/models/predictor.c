/*
 * predictor.c - reads a model's encoding back, and scores.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "server/models/predictor.h"

/* ---- reading ---- */

static JsonbValue *
member(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, strlen(key), NULL);
}

static bool
is_container(JsonbValue *value, bool array)
{
	return value != NULL && value->type == jbvBinary &&
		   (array ? JsonContainerIsArray(value->val.binary.data)
				  : JsonContainerIsObject(value->val.binary.data));
}

static void
read_numbers(JsonbContainer *object, const char *key, int count, double *number)
{
	JsonbValue *array = member(object, key);

	if (!is_container(array, true))
		return;
	for (int j = 0; j < count; j++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(array->val.binary.data, j);

		if (value != NULL && value->type == jbvNumeric)
			number[j] = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
														   NumericGetDatum(value->val.numeric)));
	}
}

/* The encoding that training_parameters() wrote into the model's details. */
static bool
read_encoding(const char *details, int weights, Encoding *encoding)
{
	Jsonb *jsonb = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(details)));
	JsonbValue *value;
	JsonbContainer *object;

	if (!JB_ROOT_IS_OBJECT(jsonb))
		return false;
	value = member(&jsonb->root, "encoding");
	if (!is_container(value, false))
		return false;
	object = value->val.binary.data;
	encoding_init(encoding);
	value = member(object, "intercept");
	encoding->intercept = value != NULL && value->type == jbvBool && value->val.boolean;
	encoding->features = weights - (encoding->intercept ? 1 : 0);
	if (encoding->features < 1)
		return false;
	read_numbers(object, "center", encoding->features, encoding->center);
	read_numbers(object, "scale", encoding->features, encoding->scale);
	read_numbers(object, "low", encoding->features, encoding->low);
	read_numbers(object, "high", encoding->features, encoding->high);
	return encoding_finish(encoding);
}

void
predictor_init(Predictor *predictor, const Model *model)
{
	predictor->logistic = strcmp(model->kind, "logistic") == 0;
	predictor->number = strcmp(model->kind, "simplex") == 0;
	predictor->weights = model->weights;
	memcpy(predictor->weight, model->weight, sizeof(model->weight));
	predictor->encoded = read_encoding(model->details, model->weights, &predictor->encoding);
}

int
predictor_features(const Predictor *predictor)
{
	return predictor->encoded ? predictor->encoding.features : predictor->weights;
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
