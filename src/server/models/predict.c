/*
 * predict.c - dp_score, dp_predict, dp_predict_proba and their kin for classes, which apply a model
 * to a feature array.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "server/models/predictor.h"

/* The predictor of a model, kept in fn_extra while the calls have the same model. */
typedef struct CachedPredictor
{
	MemoryContext context; /* of all that the predictor has */
	Size length;           /* of the model's datum */
	HeapTupleHeader model;
	Predictor predictor;
} CachedPredictor;

static CachedPredictor *
cache_create(FunctionCallInfo fcinfo, HeapTupleHeader row)
{
	MemoryContext context =
		AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpobj predictor", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	CachedPredictor *cached = palloc0(sizeof(CachedPredictor));
	Model model;

	cached->context = context;
	cached->length = VARSIZE_ANY(row);
	cached->model = palloc(cached->length);
	memcpy(cached->model, row, cached->length);
	model_read(row, &model);
	predictor_init(&cached->predictor, &model);
	MemoryContextSwitchTo(old);
	return cached;
}

static const Predictor *
predictor_get(FunctionCallInfo fcinfo)
{
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
	CachedPredictor *cached = fcinfo->flinfo->fn_extra;

	if (cached != NULL && cached->length == VARSIZE_ANY(row) &&
		memcmp(cached->model, row, cached->length) == 0)
		return &cached->predictor;
	if (cached != NULL)
	{
		fcinfo->flinfo->fn_extra = NULL;
		MemoryContextDelete(cached->context);
	}
	cached = cache_create(fcinfo, row);
	fcinfo->flinfo->fn_extra = cached;
	return &cached->predictor;
}

/* The features; NULL if one is null. */
static const double *
features(FunctionCallInfo fcinfo)
{
	const Predictor *predictor = predictor_get(fcinfo);
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	int expected = predictor_features(predictor);
	int given = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1 || given != expected)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model expects %d features, not %d", expected, given)));
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		return NULL;
	return (double *) ARR_DATA_PTR(array);
}

/* The score; NaN if an element is null or NaN. */
static double
score(FunctionCallInfo fcinfo)
{
	const double *x = features(fcinfo);

	return x == NULL ? NAN : predictor_score(predictor_get(fcinfo), x);
}

/* The score of each class; false if an element is null or NaN. */
static bool
scores(FunctionCallInfo fcinfo, double *result)
{
	const double *x;

	predictor_require_class(predictor_get(fcinfo), "dp_predict or dp_score");
	x = features(fcinfo);
	return x != NULL && predictor_scores(predictor_get(fcinfo), x, result);
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

	predictor_require_label(predictor_get(fcinfo), "dp_score");
	result = score(fcinfo);
	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(result > 0);
}

/* dp_predict_proba(model dp_model, features float8[]) -> float8 */
PG_FUNCTION_INFO_V1(dpobj_predict_proba);
Datum
dpobj_predict_proba(PG_FUNCTION_ARGS)
{
	double result;

	predictor_require_probability(predictor_get(fcinfo), "dp_predict or dp_score");
	result = score(fcinfo);
	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(predictor_probability(predictor_get(fcinfo), result));
}

static Datum
class_result(FunctionCallInfo fcinfo, Datum (*result)(const Predictor *, const double *))
{
	const Predictor *predictor = predictor_get(fcinfo);
	double score[INSTANCE_MAX_CLASSES];

	if (!scores(fcinfo, score))
		PG_RETURN_NULL();
	return result(predictor, score);
}

/* dp_predict_class(model dp_model, features float8[]) -> text: the class of the highest score. */
PG_FUNCTION_INFO_V1(dpobj_predict_class);
Datum
dpobj_predict_class(PG_FUNCTION_ARGS)
{
	return class_result(fcinfo, predictor_class_name);
}

/* dp_predict_class_proba(model dp_model, features float8[]) -> float8[]: the share of each class.
 */
PG_FUNCTION_INFO_V1(dpobj_predict_class_proba);
Datum
dpobj_predict_class_proba(PG_FUNCTION_ARGS)
{
	return class_result(fcinfo, predictor_class_probabilities);
}
