/*
 * model_json.c - the casts between dp_model and jsonb.
 *
 * The JSON value is an object with a member for each attribute.  Numbers have the shortest digits
 * that read back the same, whatever the session's settings are, so that a model keeps its hash on
 * the way out and back.  JSON has no NaN, no infinity and no negative zero; no model that was
 * released has one either.  What the weights mean is in export_json.c.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "core/base/names.h"

#include "server/base/json_value.h"
#include "server/models/model.h"

/* ---- writing ---- */

static void
append_text(StringInfo text, const char *key, const char *value)
{
	appendStringInfo(text, "\"%s\": ", key);
	escape_json(text, value);
	appendStringInfoString(text, ", ");
}

static void
append_number(StringInfo text, double number)
{
	if (!isfinite(number))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model cannot be written as JSON"),
						errdetail("JSON has numbers for finite values only.")));
	appendStringInfoString(text, json_digits(number));
}

/* dpobj_internal.model_to_json(dp_model) -> jsonb */
PG_FUNCTION_INFO_V1(dpobj_model_to_json);
Datum
dpobj_model_to_json(PG_FUNCTION_ARGS)
{
	Model model;
	StringInfoData text;

	model_read(PG_GETARG_HEAPTUPLEHEADER(0), &model);
	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	append_text(&text, "kind", model.kind);
	append_text(&text, "mechanism", model.mechanism);
	appendStringInfoString(&text, "\"weights\": [");
	for (int j = 0; j < model.weights; j++)
	{
		appendStringInfoString(&text, j > 0 ? ", " : "");
		append_number(&text, model.weight[j]);
	}
	appendStringInfoString(&text, "], \"epsilon\": ");
	append_number(&text, model.epsilon);
	appendStringInfoString(&text, ", \"delta\": ");
	append_number(&text, model.delta);
	appendStringInfoString(&text, ", ");
	append_text(&text, "adjacency", model.adjacency);
	append_text(&text, "guarantee", model.guarantee);
	appendStringInfo(&text, "\"release\": " INT64_FORMAT ", \"details\": %s}", model.release,
					 model.details);
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}

/* ---- reading ---- */

static const char *const member_names[] = {"kind",      "mechanism", "weights", "epsilon", "delta",
										   "adjacency", "guarantee", "release", "details"};

static _Noreturn void
malformed(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the JSON value is not a dp_model"), errdetail("%s", detail)));
}

static void
check_members(JsonbContainer *object)
{
	int known = lengthof(member_names);
	ListCell *cell;

	for (int i = 0; i < known; i++)
		if (json_member(object, member_names[i]) == NULL)
			malformed(psprintf("It has no member \"%s\".", member_names[i]));
	foreach (cell, json_keys(object))
		if (names_find(member_names, known, lfirst(cell)) == known)
			malformed(psprintf("Its member \"%s\" is not known.", (char *) lfirst(cell)));
}

static const char *
read_text(JsonbContainer *object, const char *key)
{
	const char *text = json_get_string(json_member(object, key));

	if (text == NULL)
		malformed(psprintf("\"%s\" must be a string.", key));
	return text;
}

static const char *
read_word(JsonbContainer *object, const char *key, const char *const *words, int count)
{
	const char *text = read_text(object, key);

	if (names_find(words, count, text) == count)
		malformed(psprintf("\"%s\" must be one of: %s.", key, json_known(words, count)));
	return text;
}

static double
read_cost(JsonbContainer *object, const char *key)
{
	double number;

	if (!json_get_number(json_member(object, key), &number) || number < 0)
		malformed(psprintf("\"%s\" must be a number that is not negative.", key));
	return number;
}

static void
read_weights(JsonbContainer *object, Model *model)
{
	JsonbContainer *array = json_get_array(json_member(object, "weights"));
	int count = array == NULL ? 0 : JsonContainerSize(array);

	if (count < 1 || count > MODEL_MOST_WEIGHTS)
		malformed(psprintf("\"weights\" must be an array of 1 to %d numbers.", MODEL_MOST_WEIGHTS));
	model->weights = count;
	model->weight = palloc(count * sizeof(double));
	for (int j = 0; j < count; j++)
		if (!json_get_number(getIthJsonbValueFromContainer(array, j), &model->weight[j]))
			malformed("\"weights\" must be an array of numbers that a float8 can hold.");
}

static int64
read_release(JsonbContainer *object)
{
	JsonbValue *value = json_member(object, "release");
	int64 release;

	if (value->type != jbvNumeric)
		malformed("\"release\" must be a whole number.");
	if (!json_get_bigint(value, &release) || release < 0)
		malformed("\"release\" must be a whole number in the range of bigint, and not negative.");
	return release;
}

static const char *
read_details(JsonbContainer *object)
{
	JsonbContainer *details = json_get_object(json_member(object, "details"));

	if (details == NULL)
		malformed("\"details\" must be an object.");
	return JsonbToCString(NULL, details, 0);
}

/* dpobj_internal.model_from_json(jsonb) -> dp_model */
PG_FUNCTION_INFO_V1(dpobj_model_from_json);
Datum
dpobj_model_from_json(PG_FUNCTION_ARGS)
{
	static const char *const kinds[] = {"halfspace", "logistic", "svm",        "simplex",
										"linear",    "softmax",  "one_vs_rest"};
	static const char *const adjacencies[] = {"replace", "add_remove"};
	static const char *const guarantees[] = {"exact", "float", "conditional", "unproven"};
	Jsonb *json = PG_GETARG_JSONB_P(0);
	JsonbContainer *object = &json->root;
	TupleDesc descriptor;
	Model model;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be dp_model");
	if (!JB_ROOT_IS_OBJECT(json))
		malformed("It must be an object.");
	check_members(object);
	model.kind = read_word(object, "kind", kinds, lengthof(kinds));
	model.mechanism = read_text(object, "mechanism");
	read_weights(object, &model);
	model.epsilon = read_cost(object, "epsilon");
	model.delta = read_cost(object, "delta");
	if (model.delta > 1)
		malformed("\"delta\" must be a number from 0 to 1.");
	model.adjacency = read_word(object, "adjacency", adjacencies, lengthof(adjacencies));
	model.guarantee = read_word(object, "guarantee", guarantees, lengthof(guarantees));
	model.release = read_release(object);
	model.details = read_details(object);
	PG_RETURN_DATUM(model_form(&model, descriptor));
}
