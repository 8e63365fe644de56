/*
 * model.c - builds, reads and hashes values of type dp_model.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/typcache.h"

#include "server/base/digest.h"
#include "server/models/model.h"

/* Attributes of dp_model, in order. */
enum
{
	MODEL_KIND,
	MODEL_MECHANISM,
	MODEL_WEIGHTS,
	MODEL_EPSILON,
	MODEL_DELTA,
	MODEL_ADJACENCY,
	MODEL_GUARANTEE,
	MODEL_RELEASE,
	MODEL_DETAILS,
	MODEL_ATTRIBUTES
};

Datum
model_form(const Model *model, TupleDesc descriptor)
{
	Datum values[MODEL_ATTRIBUTES];
	bool nulls[MODEL_ATTRIBUTES] = {false};
	Datum *weights = palloc(model->weights * sizeof(Datum));

	if (descriptor->natts != MODEL_ATTRIBUTES)
		elog(ERROR, "dp_model must have %d attributes", MODEL_ATTRIBUTES);
	for (int j = 0; j < model->weights; j++)
		weights[j] = Float8GetDatum(model->weight[j]);
	values[MODEL_KIND] = CStringGetTextDatum(model->kind);
	values[MODEL_MECHANISM] = CStringGetTextDatum(model->mechanism);
	values[MODEL_WEIGHTS] = PointerGetDatum(construct_array(
		weights, model->weights, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	values[MODEL_EPSILON] = Float8GetDatum(model->epsilon);
	values[MODEL_DELTA] = Float8GetDatum(model->delta);
	values[MODEL_ADJACENCY] = CStringGetTextDatum(model->adjacency);
	values[MODEL_GUARANTEE] = CStringGetTextDatum(model->guarantee);
	values[MODEL_RELEASE] = Int64GetDatum(model->release);
	values[MODEL_DETAILS] = DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

static bool
read_weights(Datum datum, Model *model)
{
	ArrayType *array = DatumGetArrayTypeP(datum);

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) || ARR_DIMS(array)[0] > MODEL_MOST_WEIGHTS)
		return false;
	model->weights = ARR_DIMS(array)[0];
	model->weight = palloc(model->weights * sizeof(float8));
	memcpy(model->weight, ARR_DATA_PTR(array), model->weights * sizeof(float8));
	return true;
}

/* Reads a row; returns NULL, or the reason why it cannot be a model. */
static const char *
read_row(HeapTupleHeader row, Model *model)
{
	TupleDesc descriptor =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple;
	Datum values[MODEL_ATTRIBUTES];
	bool nulls[MODEL_ATTRIBUTES];
	Jsonb *details;

	if (descriptor->natts != MODEL_ATTRIBUTES)
	{
		ReleaseTupleDesc(descriptor);
		return "It does not have the attributes of dp_model.";
	}
	tuple.t_len = HeapTupleHeaderGetDatumLength(row);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = row;
	heap_deform_tuple(&tuple, descriptor, values, nulls);
	ReleaseTupleDesc(descriptor);
	for (int i = 0; i < MODEL_ATTRIBUTES; i++)
		if (nulls[i])
			return "None of its attributes may be null.";

	model->kind = TextDatumGetCString(values[MODEL_KIND]);
	model->mechanism = TextDatumGetCString(values[MODEL_MECHANISM]);
	if (!read_weights(values[MODEL_WEIGHTS], model))
		return "Its weights must be a one-dimensional array without nulls.";
	model->epsilon = DatumGetFloat8(values[MODEL_EPSILON]);
	model->delta = DatumGetFloat8(values[MODEL_DELTA]);
	model->adjacency = TextDatumGetCString(values[MODEL_ADJACENCY]);
	model->guarantee = TextDatumGetCString(values[MODEL_GUARANTEE]);
	model->release = DatumGetInt64(values[MODEL_RELEASE]);
	details = DatumGetJsonbP(values[MODEL_DETAILS]);
	model->details = JsonbToCString(NULL, &details->root, VARSIZE(details));
	return NULL;
}

bool
model_can_be_read(HeapTupleHeader row, Model *model)
{
	return read_row(row, model) == NULL;
}

void
model_read(HeapTupleHeader row, Model *model)
{
	const char *reason = read_row(row, model);

	if (reason != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("%s", reason)));
}

/* Every attribute in order, each with its length or width, so that no two models collide. */
void
model_hash(const Model *model, uint8 hash[MODEL_HASH_LENGTH])
{
	StringInfoData bytes;
	/* the text that comes out of jsonb is canonical */
	Jsonb *details = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details)));
	char *text = JsonbToCString(NULL, &details->root, VARSIZE(details));

	initStringInfo(&bytes);
	digest_append(&bytes, model->kind);
	digest_append(&bytes, model->mechanism);
	pq_sendint32(&bytes, model->weights);
	for (int j = 0; j < model->weights; j++)
		pq_sendfloat8(&bytes, model->weight[j]);
	pq_sendfloat8(&bytes, model->epsilon);
	pq_sendfloat8(&bytes, model->delta);
	digest_append(&bytes, model->adjacency);
	digest_append(&bytes, model->guarantee);
	pq_sendint64(&bytes, model->release);
	digest_append(&bytes, text);
	digest_bytes(&bytes, hash);
}

Datum
model_hash_datum(const Model *model)
{
	uint8 hash[MODEL_HASH_LENGTH];

	model_hash(model, hash);
	return digest_datum(hash);
}

/* dpobj_internal.model_hash(dp_model) -> bytea: SHA-256 as the ledger keeps it. */
PG_FUNCTION_INFO_V1(dpobj_model_hash);
Datum
dpobj_model_hash(PG_FUNCTION_ARGS)
{
	Model model;

	model_read(PG_GETARG_HEAPTUPLEHEADER(0), &model);
	return model_hash_datum(&model);
}
