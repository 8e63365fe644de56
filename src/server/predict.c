/*
 * predict.c - dp_score, dp_predict and dp_predict_proba: a model applied to a feature array.
 *
 * The features go through the same public encoding as in training (clip, scale,
 * rounding), so that a prediction is exactly the rule whose loss was minimised:
 * positive iff the score is greater than 0.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "core/encoding.h"

#include "model.h"

/* A model made ready; kept in fn_extra while the same model comes again. */
typedef struct Predictor
{
	Size length; /* of the model's datum */
	HeapTupleHeader model;
	bool logistic; /* has its score a probability? */
	bool number;   /* does it predict a number, the score itself? */
	bool encoded;  /* is there an encoding? a model made by hand may have none */
	Encoding encoding;
	int weights;
	double weight[GRID_MAX_DIMENSION];
} Predictor;

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

static Predictor *
predictor_create(FunctionCallInfo fcinfo, HeapTupleHeader row)
{
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Predictor *predictor = palloc0(sizeof(Predictor));
	Model model;

	predictor->length = VARSIZE_ANY(row);
	predictor->model = palloc(predictor->length);
	memcpy(predictor->model, row, predictor->length);
	MemoryContextSwitchTo(old);

	model_read(row, &model);
	predictor->logistic = strcmp(model.kind, "logistic") == 0;
	predictor->number = strcmp(model.kind, "simplex") == 0;
	predictor->weights = model.weights;
	memcpy(predictor->weight, model.weight, sizeof(model.weight));
	predictor->encoded = read_encoding(model.details, model.weights, &predictor->encoding);
	return predictor;
}

static Predictor *
predictor_get(FunctionCallInfo fcinfo)
{
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
	Predictor *predictor = fcinfo->flinfo->fn_extra;

	if (predictor != NULL && predictor->length == VARSIZE_ANY(row) &&
		memcmp(predictor->model, row, predictor->length) == 0)
		return predictor;
	if (predictor != NULL)
	{
		fcinfo->flinfo->fn_extra = NULL;
		pfree(predictor->model);
		pfree(predictor);
	}
	predictor = predictor_create(fcinfo, row);
	fcinfo->flinfo->fn_extra = predictor;
	return predictor;
}

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

/* NaN where there is no score: an element is null or NaN. */
static double
score(FunctionCallInfo fcinfo)
{
	Predictor *predictor = predictor_get(fcinfo);
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	int expected = predictor->encoded ? predictor->encoding.features : predictor->weights;
	int given = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1 || given != expected)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model expects %d features, not %d", expected, given)));
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		return NAN;
	return predictor->encoded ? encoded_score(predictor, (double *) ARR_DATA_PTR(array))
							  : plain_score(predictor, (double *) ARR_DATA_PTR(array));
}

/* dp_score(model dp_model, features float8[]) -> float8: <weights, encoded features>. */
PG_FUNCTION_INFO_V1(dpobj_score);
Datum
dpobj_score(PG_FUNCTION_ARGS)
{
	double result = score(fcinfo);

	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result);
}

/* dp_predict(model dp_model, features float8[]) -> boolean: score > 0. */
PG_FUNCTION_INFO_V1(dpobj_predict);
Datum
dpobj_predict(PG_FUNCTION_ARGS)
{
	double result;

	if (predictor_get(fcinfo)->number)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model predicts a number"), errhint("Call dp_score.")));
	result = score(fcinfo);
	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(result > 0);
}

/* dp_predict_proba(model dp_model, features float8[]) -> float8: 1 / (1 + exp(-score)). */
PG_FUNCTION_INFO_V1(dpobj_predict_proba);
Datum
dpobj_predict_proba(PG_FUNCTION_ARGS)
{
	double result;

	if (!predictor_get(fcinfo)->logistic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model has no probabilities"),
				 errdetail("Only a model of kind \"logistic\" has."),
				 errhint("Call dp_predict or dp_score.")));
	result = score(fcinfo);
	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(1 / (1 + exp(-result)));
}
