/*
 * predict.c - dp_score, dp_predict and dp_predict_proba, which apply a model to a feature array.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "server/models/predictor.h"

/* The predictor of a model, kept in fn_extra while the calls have the same model. */
typedef struct CachedPredictor
{
	Size length; /* of the model's datum */
	HeapTupleHeader model;
	Predictor predictor;
} CachedPredictor;

static CachedPredictor *
cache_create(FunctionCallInfo fcinfo, HeapTupleHeader row)
{
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	CachedPredictor *cached = palloc0(sizeof(CachedPredictor));
	Model model;

	cached->length = VARSIZE_ANY(row);
	cached->model = palloc(cached->length);
	memcpy(cached->model, row, cached->length);
	MemoryContextSwitchTo(old);

	model_read(row, &model);
	predictor_init(&cached->predictor, &model);
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
		pfree(cached->model);
		pfree(cached);
	}
	cached = cache_create(fcinfo, row);
	fcinfo->flinfo->fn_extra = cached;
	return &cached->predictor;
}

/* The score; NaN if an element is null or NaN. */
static double
score(FunctionCallInfo fcinfo)
{
	const Predictor *predictor = predictor_get(fcinfo);
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	int expected = predictor_features(predictor);
	int given = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1 || given != expected)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model expects %d features, not %d", expected, given)));
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		return NAN;
	return predictor_score(predictor, (double *) ARR_DATA_PTR(array));
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

/* dp_predict_proba(model dp_model, features float8[]) -> float8: 1 / (1 + exp(-score)). */
PG_FUNCTION_INFO_V1(dpobj_predict_proba);
Datum
dpobj_predict_proba(PG_FUNCTION_ARGS)
{
	double result;

	predictor_require_probability(predictor_get(fcinfo), "dp_predict or dp_score");
	result = score(fcinfo);
	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(1 / (1 + exp(-result)));
}
