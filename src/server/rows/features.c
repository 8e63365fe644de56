/*
 * features.c - declarations made visible: dpobj.features and dpobj.protected_features.
 *
 * Neither reads a table: the first encodes a row that its caller has in hand, the
 * second describes what an administrator declared.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "server/base/argument.h"
#include "server/rows/encoders.h"
#include "server/rows/protection.h"
#include "server/rows/scan.h"

/* ---- dpobj.features ---- */

/*
 * A declaration made ready; kept in fn_extra while the same one comes again for
 * rows of the same shape: a table may be altered between two calls of one plan.
 */
typedef struct Preparation
{
	MemoryContext context;
	uint64 shape; /* identifies the row type as it is now */
	Jsonb *declaration;
	Oid type;
	int32 typmod;
	Encoders encoders; /* of the features */
} Preparation;

static uint64
row_shape(HeapTupleHeader row)
{
	return assign_record_type_identifier(HeapTupleHeaderGetTypeId(row),
										 HeapTupleHeaderGetTypMod(row));
}

static Preparation *
prepare(MemoryContext parent, Jsonb *declaration, HeapTupleHeader row)
{
	MemoryContext context = AllocSetContextCreate(parent, "dpobj features", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Preparation *preparation = palloc(sizeof(Preparation));
	Encoders all;
	TupleDesc descriptor;

	preparation->context = context;
	preparation->shape = row_shape(row);
	preparation->type = HeapTupleHeaderGetTypeId(row);
	preparation->typmod = HeapTupleHeaderGetTypMod(row);
	preparation->declaration = palloc(VARSIZE(declaration));
	memcpy(preparation->declaration, declaration, VARSIZE(declaration));
	descriptor = lookup_rowtype_tupdesc(preparation->type, preparation->typmod);
	encoders_parse(preparation->declaration, descriptor, &all);
	ReleaseTupleDesc(descriptor);
	encoders_choose(&all, NIL, NULL, &preparation->encoders);
	MemoryContextSwitchTo(old);
	return preparation;
}

static Preparation *
get_preparation(FunctionCallInfo fcinfo, Jsonb *declaration, HeapTupleHeader row)
{
	Preparation *preparation = fcinfo->flinfo->fn_extra;

	if (preparation != NULL && preparation->shape == row_shape(row) &&
		VARSIZE(preparation->declaration) == VARSIZE(declaration) &&
		memcmp(preparation->declaration, declaration, VARSIZE(declaration)) == 0)
		return preparation;
	fcinfo->flinfo->fn_extra = NULL;
	if (preparation != NULL)
		MemoryContextDelete(preparation->context);
	preparation = prepare(fcinfo->flinfo->fn_mcxt, declaration, row);
	fcinfo->flinfo->fn_extra = preparation;
	return preparation;
}

static bool
encode_row(const Encoders *encoders, HeapTupleHeader row, TupleDesc descriptor, double *features)
{
	Datum *values = palloc(descriptor->natts * sizeof(Datum));
	bool *isnull = palloc(descriptor->natts * sizeof(bool));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};

	heap_deform_tuple(&tuple, descriptor, values, isnull);
	for (int i = 0; i < encoders->count; i++)
	{
		int at = encoders->encoder[i].column.number - 1;

		if (!encoder_apply(&encoders->encoder[i], values[at], isnull[at], features))
			return false;
		features += encoders->encoder[i].features;
	}
	return true;
}

/* dpobj.features(encoders jsonb, row anyelement) -> float8[]; null for a neutral row. */
PG_FUNCTION_INFO_V1(dpobj_features);
Datum
dpobj_features(PG_FUNCTION_ARGS)
{
	Jsonb *declaration = PG_GETARG_JSONB_P(0);
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	double features[GRID_MAX_DIMENSION];
	Datum numbers[GRID_MAX_DIMENSION];
	Preparation *preparation;
	HeapTupleHeader row;
	TupleDesc descriptor;
	bool encoded;

	if (!type_is_rowtype(type))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("row must be a row of a table, not a value of type %s",
							   format_type_be(type)),
						errhint("Write SELECT dpobj.features(..., t) FROM some_table AS t.")));
	row = PG_GETARG_HEAPTUPLEHEADER(1);
	preparation = get_preparation(fcinfo, declaration, row);
	descriptor = lookup_rowtype_tupdesc(preparation->type, preparation->typmod);
	encoded = encode_row(&preparation->encoders, row, descriptor, features);
	ReleaseTupleDesc(descriptor);
	if (!encoded)
		PG_RETURN_NULL();
	for (int j = 0; j < preparation->encoders.features; j++)
		numbers[j] = Float8GetDatum(features[j]);
	PG_RETURN_ARRAYTYPE_P(construct_array(numbers, preparation->encoders.features, FLOAT8OID,
										  sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- dpobj.protected_features ---- */

/* One feature, ready to be printed. */
typedef struct FeatureRow
{
	char *name;
	const char *column;
	bool numeric;
	int group;
	double low;
	double high;
} FeatureRow;

/* The number, from 1, of the one-hot group that a feature (from 0) belongs to. */
static int
group_of(const Options *options, int feature)
{
	int end = 0;
	int group = 0;

	while (feature >= end)
		end += options->group[group++];
	return group;
}

static bool
is_numeric(const Options *options, int feature)
{
	for (int i = 0; i < options->numeric_count; i++)
		if (options->numeric[i] == feature + 1)
			return true;
	return false;
}

static FeatureRow *
describe_features(Oid relation_oid, List *names, int *count)
{
	Relation relation = scan_open_relation(relation_oid);
	Relation declared;
	Protection protection;
	Encoders all;
	Encoders chosen;
	Options options;
	FeatureRow *rows;

	protection_require(relation, &protection);
	declared = relation_open(protection.relation, AccessShareLock);
	protection_encoders(&protection, RelationGetDescr(declared), names, NULL, NIL, &all);
	relation_close(declared, AccessShareLock);
	relation_close(relation, AccessShareLock);
	encoders_choose(&all, names, NULL, &chosen);
	memset(&options, 0, sizeof(options));
	encoders_describe(&chosen, &options);
	rows = palloc(chosen.features * sizeof(FeatureRow));
	*count = 0;
	for (int i = 0; i < chosen.count; i++)
		for (int j = 0; j < chosen.encoder[i].features; j++)
		{
			FeatureRow *row = &rows[*count];

			row->name = encoder_feature_name(&chosen.encoder[i], j);
			row->column = chosen.encoder[i].column.name;
			row->numeric = is_numeric(&options, *count);
			row->group = group_of(&options, *count);
			row->low = options.low.value[*count];
			row->high = options.high.value[*count];
			(*count)++;
		}
	return rows;
}

static Datum
form_row(FuncCallContext *call, const FeatureRow *row)
{
	bool nulls[7] = {false};
	Datum values[7] = {
		Int32GetDatum((int32) call->call_cntr + 1),
		CStringGetTextDatum(row->name),
		CStringGetTextDatum(row->column),
		BoolGetDatum(row->numeric),
		Int32GetDatum(row->group),
		Float8GetDatum(row->low),
		Float8GetDatum(row->high),
	};

	return HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls));
}

/* dpobj.protected_features(relation regclass, columns text[]) -> one row for each feature. */
PG_FUNCTION_INFO_V1(dpobj_protected_features);
Datum
dpobj_protected_features(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	Datum row;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		List *names = NIL;
		int count;

		call = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		(void) argument_value(fcinfo, 0, "relation");
		if (!PG_ARGISNULL(1))
			names = encoders_names(PG_GETARG_ARRAYTYPE_P(1));
		if (get_call_result_type(fcinfo, NULL, &call->tuple_desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		call->tuple_desc = BlessTupleDesc(call->tuple_desc);
		call->user_fctx = describe_features(PG_GETARG_OID(0), names, &count);
		call->max_calls = count;
		MemoryContextSwitchTo(old);
	}
	call = SRF_PERCALL_SETUP();
	if (call->call_cntr >= call->max_calls)
		SRF_RETURN_DONE(call);
	row = form_row(call, (FeatureRow *) call->user_fctx + call->call_cntr);
	SRF_RETURN_NEXT(call, row); /* which counts the call before it looks at the row */
}
