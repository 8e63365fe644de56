/*
 * predict_row.c - dpobj.predict(), dpobj.score(), dpobj.predict_proba() and their kin for classes,
 * which apply a model of dpobj.train to a row with raw columns.
 *
 * They find columns by name and apply the encoders of the training, then compute like dp_score().
 * So they need no privilege on a table and read none.  What a row contains raises no error; its
 * columns and their types may.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "server/models/named_model.h"
#include "server/models/predictor.h"
#include "server/models/trained_columns.h"

/* ---- which model ---- */

/* The model of a call, a dpobj.model_argument, and perhaps the owner of its name. */
typedef struct ModelArgument
{
	Oid owner;
	struct varlena *value; /* perhaps compressed */
} ModelArgument;

static ModelArgument
get_argument(FunctionCallInfo fcinfo)
{
	ModelArgument argument = {named_model_owner(fcinfo, 2),
							  (struct varlena *) PG_GETARG_POINTER(0)};

	if (VARATT_IS_EXTERNAL(argument.value))
		argument.value = detoast_external_attr(argument.value);
	return argument;
}

/* Reads the model, and returns how messages call it. */
static const char *
get_model(FunctionCallInfo fcinfo, Model *model)
{
	char *name;

	named_model_argument(fcinfo, 2, named_model_apply, model, &name);
	return name == NULL ? "the model" : psprintf("model \"%s\"", name);
}

/* ---- columns of the row ---- */

static _Noreturn void
refuse_columns(const char *model, const char *column, bool repeated)
{
	ereport(ERROR, (errcode(repeated ? ERRCODE_AMBIGUOUS_COLUMN : ERRCODE_UNDEFINED_COLUMN),
					repeated ? errmsg("the row has several columns \"%s\"", column)
							 : errmsg("the row has no column \"%s\"", column),
					errdetail("%c%s was trained with a column of that name.", pg_toupper(model[0]),
							  model + 1),
					errhint("Columns are found by name, as in SELECT dpobj.predict('name', t) FROM "
							"some_table AS t.")));
}

static Form_pg_attribute
find_attribute(TupleDesc descriptor, const char *model, const char *column)
{
	Form_pg_attribute found = NULL;

	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (attribute->attisdropped || strcmp(NameStr(attribute->attname), column) != 0)
			continue;
		if (found != NULL)
			refuse_columns(model, column, true);
		found = attribute;
	}
	if (found == NULL)
		refuse_columns(model, column, false);
	return found;
}

/* A column may be of another kind of the same family than it was in training. */
static int
family(ColumnKind kind)
{
	switch (kind)
	{
		case COLUMN_INTEGER:
		case COLUMN_REAL:
		case COLUMN_NUMERIC:
			return COLUMN_NUMERIC;
		case COLUMN_TEXT:
		case COLUMN_ENUM:
			return COLUMN_TEXT;
		default:
			return kind;
	}
}

static bool
fits(const Encoder *encoder, const Column *given)
{
	if (encoder->kind == ENCODER_LEVELS && encoder->column.kind == COLUMN_INTEGER)
		return given->kind == COLUMN_INTEGER;
	return family(encoder->column.kind) == family(given->kind);
}

/* Lets the encoder read the row's column. */
static void
bind_encoder(Encoder *encoder, TupleDesc descriptor, const char *model)
{
	Form_pg_attribute attribute = find_attribute(descriptor, model, encoder->column.name);
	Column given;

	column_init(&given, attribute);
	if (!column_set_cast(&given, encoder->as) || !fits(encoder, &given))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of the row is of type %s", encoder->column.name,
							   format_type_be(attribute->atttypid)),
						errdetail("%c%s needs one of type %s, or of another that means the same.",
								  pg_toupper(model[0]), model + 1,
								  format_type_be(encoder->column.stored))));
	if (given.kind == COLUMN_ENUM)
	{
		given.kind = COLUMN_TEXT;
		given.by_label = true;
	}
	encoder_bind(encoder, &given);
}

/* ---- the predictor ---- */

/*
 * A model bound to the columns of a row, kept in fn_extra for one statement and while user, model
 * and row type stay the same: between two calls of one plan a role may lose the right to read the
 * model, and a table may be altered.
 */
typedef struct RowPredictor
{
	MemoryContext context;
	ModelArgument argument;
	Oid user;
	TimestampTz statement;
	uint64 row_type;
	Predictor predictor;
	Encoders encoders;
} RowPredictor;

static bool
same_argument(const ModelArgument *a, const ModelArgument *b)
{
	return a->owner == b->owner && VARSIZE_ANY(a->value) == VARSIZE_ANY(b->value) &&
		   memcmp(a->value, b->value, VARSIZE_ANY(a->value)) == 0;
}

static void
bind_columns(RowPredictor *bound, const char *name, const Model *model, HeapTupleHeader row)
{
	TrainedColumns columns;
	TupleDesc descriptor;

	if (!trained_columns_read(model, bound->predictor.weights, &columns))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s does not say which columns it needs", name),
						errdetail("It was trained on arrays."),
						errhint("Call the function of that name that takes an array, such as "
								"dp_predict.")));
	bound->encoders = columns.encoders;
	descriptor =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	for (int i = 0; i < columns.encoders.count; i++)
		bind_encoder(&bound->encoders.encoder[i], descriptor, name);
	ReleaseTupleDesc(descriptor);
}

static RowPredictor *
create_predictor(FunctionCallInfo fcinfo, const ModelArgument *argument, HeapTupleHeader row)
{
	MemoryContext context =
		AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpobj predict", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	RowPredictor *bound = palloc0(sizeof(RowPredictor));
	Model model;
	const char *name = get_model(fcinfo, &model);

	bound->context = context;
	bound->argument.owner = argument->owner;
	bound->argument.value = palloc(VARSIZE_ANY(argument->value));
	memcpy(bound->argument.value, argument->value, VARSIZE_ANY(argument->value));
	bound->user = GetUserId();
	bound->statement = GetCurrentStatementStartTimestamp();
	bound->row_type = encoders_row_type(row);
	predictor_init(&bound->predictor, &model);
	bind_columns(bound, name, &model, row);
	if (predictor_features(&bound->predictor) != bound->encoders.features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("Its encoding is of another number of features.")));
	MemoryContextSwitchTo(old);
	return bound;
}

static RowPredictor *
get_predictor(FunctionCallInfo fcinfo)
{
	ModelArgument argument = get_argument(fcinfo);
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
	RowPredictor *bound = fcinfo->flinfo->fn_extra;

	if (bound != NULL && bound->user == GetUserId() &&
		bound->statement == GetCurrentStatementStartTimestamp() &&
		bound->row_type == encoders_row_type(row) && same_argument(&bound->argument, &argument))
		return bound;
	fcinfo->flinfo->fn_extra = NULL;
	if (bound != NULL)
		MemoryContextDelete(bound->context);
	bound = create_predictor(fcinfo, &argument, row);
	fcinfo->flinfo->fn_extra = bound;
	return bound;
}

/* ---- one row ---- */

typedef void (*PredictorCheck)(const Predictor *predictor, const char *other);

/*
 * The predictor and its scores, one or one for each class; NULL if there are none.  The functions
 * are not strict, because the owner may be null.  check: raises an error unless the function suits
 * the model; NULL if it suits every model with a single score.
 */
static const Predictor *
get_scores(FunctionCallInfo fcinfo, PredictorCheck check, const char *other, double *score)
{
	const RowPredictor *bound;
	double features[COLUMNS_MAX];

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return NULL;
	bound = get_predictor(fcinfo);
	if (check == NULL)
		predictor_require_score(&bound->predictor);
	else
		check(&bound->predictor, other);
	if (!encoders_apply(&bound->encoders, PG_GETARG_HEAPTUPLEHEADER(1), features) ||
		!predictor_scores(&bound->predictor, features, score))
		return NULL;
	return &bound->predictor;
}

/* dpobj.score(model, row, owner) -> float8 */
PG_FUNCTION_INFO_V1(dpobj_score_row);
Datum
dpobj_score_row(PG_FUNCTION_ARGS)
{
	double score;

	if (get_scores(fcinfo, NULL, NULL, &score) == NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(score);
}

/* dpobj.predict(model, row, owner) -> boolean */
PG_FUNCTION_INFO_V1(dpobj_predict_row);
Datum
dpobj_predict_row(PG_FUNCTION_ARGS)
{
	double score;

	if (get_scores(fcinfo, predictor_require_label, "dpobj.score", &score) == NULL)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(score > 0);
}

/* dpobj.predict_proba(model, row, owner) -> float8 */
PG_FUNCTION_INFO_V1(dpobj_predict_proba_row);
Datum
dpobj_predict_proba_row(PG_FUNCTION_ARGS)
{
	double score;
	const Predictor *predictor =
		get_scores(fcinfo, predictor_require_probability, "dpobj.predict or dpobj.score", &score);

	if (predictor == NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(predictor_probability(predictor, score));
}

static Datum
class_result(FunctionCallInfo fcinfo, Datum (*result)(const Predictor *, const double *))
{
	double score[INSTANCE_MAX_CLASSES];
	const Predictor *predictor =
		get_scores(fcinfo, predictor_require_class, "dpobj.predict or dpobj.score", score);

	if (predictor == NULL)
		PG_RETURN_NULL();
	return result(predictor, score);
}

/* dpobj.predict_class(model, row, owner) -> text */
PG_FUNCTION_INFO_V1(dpobj_predict_class_row);
Datum
dpobj_predict_class_row(PG_FUNCTION_ARGS)
{
	return class_result(fcinfo, predictor_class_name);
}

/* dpobj.predict_class_proba(model, row, owner) -> float8[] */
PG_FUNCTION_INFO_V1(dpobj_predict_class_proba_row);
Datum
dpobj_predict_class_proba_row(PG_FUNCTION_ARGS)
{
	return class_result(fcinfo, predictor_class_probabilities);
}
