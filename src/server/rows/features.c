/*
 * features.c - dpobj.features and dpobj.protected_features: what a declaration makes of columns.
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

#include "server/base/acting.h"
#include "server/base/argument.h"
#include "server/base/materialize.h"
#include "server/rows/encoders.h"
#include "server/rows/protection.h"

/* ---- dpobj.features ---- */

/* A parsed declaration, kept in fn_extra while declaration and row type stay the same. */
typedef struct Preparation
{
	MemoryContext context;
	uint64 row_type;
	Jsonb *declaration;
	Encoders encoders; /* of the features */
} Preparation;

static Preparation *
prepare(MemoryContext parent, Jsonb *declaration, HeapTupleHeader row)
{
	MemoryContext context = AllocSetContextCreate(parent, "dpobj features", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Preparation *preparation = palloc(sizeof(Preparation));
	Encoders all;
	TupleDesc descriptor;

	preparation->context = context;
	preparation->row_type = encoders_row_type(row);
	preparation->declaration = palloc(VARSIZE(declaration));
	memcpy(preparation->declaration, declaration, VARSIZE(declaration));
	descriptor =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	encoders_parse(preparation->declaration, descriptor, &all);
	ReleaseTupleDesc(descriptor);
	encoders_choose(&all, NIL, NULL, false, &preparation->encoders);
	MemoryContextSwitchTo(old);
	return preparation;
}

static Preparation *
get_preparation(FunctionCallInfo fcinfo, Jsonb *declaration, HeapTupleHeader row)
{
	Preparation *preparation = fcinfo->flinfo->fn_extra;

	if (preparation != NULL && preparation->row_type == encoders_row_type(row) &&
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

/* dpobj.features(encoders jsonb, row anyelement) -> float8[]; null for a neutral row. */
PG_FUNCTION_INFO_V1(dpobj_features);
Datum
dpobj_features(PG_FUNCTION_ARGS)
{
	Jsonb *declaration = PG_GETARG_JSONB_P(0);
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	double features[COLUMNS_MAX];
	Datum numbers[COLUMNS_MAX];
	Preparation *preparation;
	HeapTupleHeader row;

	if (!type_is_rowtype(type))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("row must be a row of a table, not a value of type %s",
							   format_type_be(type)),
						errhint("Write SELECT dpobj.features(..., t) FROM some_table AS t.")));
	row = PG_GETARG_HEAPTUPLEHEADER(1);
	preparation = get_preparation(fcinfo, declaration, row);
	if (!encoders_apply(&preparation->encoders, row, features))
		PG_RETURN_NULL();
	for (int j = 0; j < preparation->encoders.features; j++)
		numbers[j] = Float8GetDatum(features[j]);
	PG_RETURN_ARRAYTYPE_P(construct_array(numbers, preparation->encoders.features, FLOAT8OID,
										  sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- dpobj.protected_features ---- */

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

static void
choose_features(Oid relation_oid, List *names, Encoders *chosen)
{
	Relation relation = acting_open(relation_oid, AccessShareLock);
	Relation declared;
	Protection protection;
	Encoders all;

	protection_require(relation, &protection);
	declared = acting_open(protection.relation, AccessShareLock);
	protection_encoders(&protection, RelationGetDescr(declared), names, NULL, NIL, &all);
	relation_close(declared, AccessShareLock);
	relation_close(relation, AccessShareLock);
	encoders_choose(&all, names, NULL, true, chosen);
}

/*
 * weight: the number of the feature's weight among all, position: among those of its encoder;
 * first: the place of its encoder in a row; all from 0.
 */
static void
put_feature(Tuplestorestate *set, TupleDesc descriptor, const Options *options, int weight,
			const Encoder *encoder, int first, int position)
{
	int levels = encoder_levels(encoder);
	bool is_level = position < levels;
	int feature = first + (is_level ? 0 : position - Max(levels - 1, 0));
	bool nulls[7] = {false};
	Datum values[7] = {
		Int32GetDatum(weight + 1),
		CStringGetTextDatum(encoder_feature_name(encoder, position)),
		CStringGetTextDatum(encoder->column.name),
		BoolGetDatum(is_numeric(options, feature)),
		Int32GetDatum(group_of(options, feature)),
		Float8GetDatum(options->low.value[feature]),
		Float8GetDatum(is_level ? 1.0 : options->high.value[feature]),
	};

	tuplestore_putvalues(set, descriptor, values, nulls);
}

/* dpobj.protected_features(relation regclass, columns text[]) -> one row for each feature. */
PG_FUNCTION_INFO_V1(dpobj_protected_features);
Datum
dpobj_protected_features(PG_FUNCTION_ARGS)
{
	Oid relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	List *names = PG_ARGISNULL(1) ? NIL : encoders_names(PG_GETARG_ARRAYTYPE_P(1));
	Options options = {0};
	Encoders chosen;
	TupleDesc descriptor;
	Tuplestorestate *set;
	int weight = 0;
	int first = 0;

	choose_features(relation, names, &chosen);
	encoders_describe(&chosen, &options);
	set = materialize_begin(fcinfo, &descriptor);
	for (int i = 0; i < chosen.count; i++)
	{
		const Encoder *encoder = &chosen.encoder[i];

		for (int j = 0; j < encoder_weights(encoder); j++)
			put_feature(set, descriptor, &options, weight++, encoder, first, j);
		first += encoder->features;
	}
	return (Datum) 0;
}
