/*
 * train_request.c - the arguments of dpobj.train and dpobj.train_groups.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "server/base/argument.h"
#include "server/base/digest.h"
#include "server/analyst/train_request.h"
#include "server/release/groups.h"

/* ---- arguments ---- */

static void
read_training(FunctionCallInfo fcinfo, const char *others, TrainRequest *request)
{
	Training *training = palloc0(sizeof(Training));
	Datum method = argument_value(fcinfo, TRAIN_METHOD, "method");

	training->by_analyst = true;
	request->training = training;
	training_set_cost(training, argument_value(fcinfo, TRAIN_EPSILON, "epsilon"), NUMERICOID,
					  argument_value(fcinfo, TRAIN_DELTA, "delta"), NUMERICOID);
	training_set_method(training, TextDatumGetCString(method), others);
}

void
train_request_read(FunctionCallInfo fcinfo, bool grouped, const char *others, TrainRequest *request)
{
	bool is_price = others != NULL; /* it may have no label, and has no name */

	request->relation = DatumGetObjectId(argument_value(fcinfo, TRAIN_RELATION, "relation"));
	request->by = NIL;
	if (grouped)
		request->by =
			encoders_group_names(DatumGetArrayTypeP(argument_value(fcinfo, TRAIN_GROUPS_BY, "by")));
	if (!is_price || !PG_ARGISNULL(TRAIN_LABEL))
		request->label = TextDatumGetCString(argument_value(fcinfo, TRAIN_LABEL, "label"));
	read_training(fcinfo, is_price ? others : "", request);
	request->features =
		PG_ARGISNULL(TRAIN_FEATURES) ? NIL : encoders_names(PG_GETARG_ARRAYTYPE_P(TRAIN_FEATURES));
	request->options = argument_json(fcinfo, TRAIN_OPTIONS, "options");
	request->filter = argument_json(fcinfo, TRAIN_FILTER, "filter");
	training_set_options(request->training, request->options);
	if (!is_price)
		request->name = argument_name(fcinfo, TRAIN_NAME, "a model");
}

/* ---- settling ---- */

void
train_request_settle(const TrainRequest *request, AnalystTable *opened, KeyList *keys)
{
	Training *training = request->training;
	LabelChoice label = training_label_choice(training, request->label);

	if (label.name == NULL && training_target_columns(training) > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("label must not be null for method \"%s\"",
							   method_name(training->method))));
	analyst_open(request->relation, request->by, request->features, &label, request->filter,
				 opened);
	if (opened->label != NULL)
		training_set_label(training, opened->label, request->options);
	training_set_protected(training, &opened->features, &opened->protection);
	if (keys != NULL)
	{
		key_list_product(&opened->groups, keys);
		groups_set(training, keys);
	}
	training_set_table(training, request->relation, 0);
	training_begin(training, training->options.dimension);
	if (training->rating.by_chance)
		analyst_hold_out_by_chance(opened, training->options.holdout);
	else
		analyst_hold_out(opened, training->options.holdout, true);
}

/* ---- name ---- */

/* Functions, loops and set-returning calls may train several times in a statement. */
void
train_request_note_name(const TrainRequest *request)
{
	static TimestampTz noted = 0;

	if (request->name != NULL || noted == GetCurrentStatementStartTimestamp())
		return;
	noted = GetCurrentStatementStartTimestamp();
	ereport(NOTICE,
			(errmsg("the model will have no name"),
			 errhint("Add name => '...' to keep it: dpobj.predict and dpobj.show then find it by "
					 "that name.")));
}

/* ---- hash ---- */

static void
append_names(StringInfo bytes, List *names)
{
	ListCell *cell;

	pq_sendint32(bytes, list_length(names));
	foreach (cell, names)
		digest_append(bytes, lfirst(cell));
}

/* Appends each part with its length or its end, so that no two requests give the same bytes. */
void
train_request_hash(FunctionCallInfo fcinfo, const TrainRequest *request,
				   uint8 hash[CHARGE_HASH_LENGTH])
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	digest_append(&bytes, get_namespace_name(get_rel_namespace(request->relation)));
	digest_append(&bytes, get_rel_name(request->relation));
	digest_append(&bytes, request->label);
	digest_append(&bytes, numeric_normalize(PG_GETARG_NUMERIC(TRAIN_EPSILON)));
	digest_append(&bytes, numeric_normalize(PG_GETARG_NUMERIC(TRAIN_DELTA)));
	digest_append(&bytes, TextDatumGetCString(PG_GETARG_DATUM(TRAIN_METHOD)));
	digest_append(&bytes, request->training->options_text);
	digest_append(&bytes, request->filter == NULL ? ""
												  : JsonbToCString(NULL, &request->filter->root,
																   VARSIZE(request->filter)));
	append_names(&bytes, request->features);
	if (request->by != NIL)
		append_names(&bytes, request->by);
	digest_bytes(&bytes, hash);
}
