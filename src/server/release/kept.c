/*
 * kept.c - finds what was released under a name, and writes and reads the rows of an answer.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "server/release/kept.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/digest.h"
#include "server/base/json_value.h"
#include "server/release/same_call.h"

/* ---- the request ---- */

/* Appends a value in a form that no setting of the session changes; a table by its name. */
static void
append_argument(StringInfo bytes, Datum value, Oid type)
{
	Oid output;
	bool is_varlena;

	switch (type)
	{
		case REGCLASSOID:
			digest_append(bytes, get_namespace_name(get_rel_namespace(DatumGetObjectId(value))));
			digest_append(bytes, get_rel_name(DatumGetObjectId(value)));
			break;
		case NUMERICOID:
			digest_append(bytes, numeric_normalize(DatumGetNumeric(value)));
			break;
		case FLOAT8ARRAYOID:
		{
			bytea *sent;

			getTypeBinaryOutputInfo(type, &output, &is_varlena);
			sent = OidSendFunctionCall(output, value);
			appendBinaryStringInfo(bytes, (const char *) sent, VARSIZE(sent));
			break;
		}
		default:
			getTypeOutputInfo(type, &output, &is_varlena);
			digest_append(bytes, OidOutputFunctionCall(output, value));
	}
}

/* In 0.3.0 the option "confidence" was "level": the request is the same. */
static Datum
options_of_0_3(Jsonb *options)
{
	JsonbIterator *iterator = JsonbIteratorInit(&options->root);
	JsonbPieces pieces = {0};
	JsonbValue value;
	JsonbValue *made = NULL;
	JsonbIteratorToken token;

	if (!JB_ROOT_IS_OBJECT(options))
		return JsonbPGetDatum(options);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		bool has_value = token == WJB_KEY || token == WJB_VALUE;

		if (token == WJB_KEY && strcmp(json_get_string(&value), "confidence") == 0)
			value = (JsonbValue){.type = jbvString, .val.string = {.val = "level", .len = 5}};
		made = add_jsonb_piece(&pieces, token, has_value ? &value : NULL);
	}
	return JsonbPGetDatum(JsonbValueToJsonb(made));
}

/* A null argument is left out, so that a later version may have more of them. */
static void
hash_request(FunctionCallInfo fcinfo, const Oid *types, char *const *names, int count,
			 uint8 hash[CHARGE_HASH_LENGTH])
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	digest_append(&bytes, get_func_name(fcinfo->flinfo->fn_oid));
	for (int i = 0; i < count; i++)
	{
		if (PG_ARGISNULL(i))
			continue;
		digest_append(&bytes, psprintf("%d", i));
		append_argument(&bytes,
						strcmp(names[i], "options") == 0 ? options_of_0_3(PG_GETARG_JSONB_P(i))
														 : PG_GETARG_DATUM(i),
						types[i]);
	}
	digest_bytes(&bytes, hash);
}

void
kept_begin(FunctionCallInfo fcinfo, AnalystTerms *terms)
{
	int count = PG_NARGS();
	HeapTuple function = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	Oid *types;
	char **names;
	char *modes;

	if (!HeapTupleIsValid(function))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	(void) get_func_arg_info(function, &types, &names, &modes);
	ReleaseSysCache(function);
	terms->keeps_answer = types[count - 1] == TEXTOID;
	if (terms->keeps_answer)
		terms->name = argument_name(fcinfo, --count, "an answer");
	hash_request(fcinfo, types, names, count, terms->request_hash);
}

/* ---- finding ---- */

void
kept_refuse_name(const char *name, KeptKind kind)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					kind == KEPT_MODEL ? errmsg("model \"%s\" was made by another request", name)
									   : errmsg("answer \"%s\" was made by another request", name),
					kind == KEPT_MODEL
						? errhint("Choose another name. The models are in dpobj.models.")
						: errhint("Choose another name. The answers are in dpobj.answers.")));
}

/* What dpobj.model_rows m has, by KeptKind. */
static const char *const columns[] = {
	[KEPT_MODEL] = "m.model", [KEPT_ANSWER] = "dpobj_internal.answer_of_0_3(m.answer)"};

bool
kept_find_name(const char *name, const uint8 hash[CHARGE_HASH_LENGTH], KeptKind kind, Datum *kept)
{
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[lengthof(types)];
	Datum stored[2];
	bool isnull[2];
	char *statement;

	if (name == NULL)
		return false;
	statement = psprintf("SELECT m.request_hash, %s FROM dpobj.model_rows m"
						 " JOIN dpobj.identity_roles r ON r.id = m.owner"
						 " WHERE r.role = $1 AND m.name = $2 AND m.released IS NOT NULL",
						 columns[kind]);
	values[0] = ObjectIdGetDatum(GetSessionUserId());
	values[1] = CStringGetTextDatum(name);
	if (!admin_select(statement, lengthof(types), types, values, stored, isnull))
		return false;
	if (isnull[1])
		kept_refuse_name(name, kind == KEPT_MODEL ? KEPT_ANSWER : KEPT_MODEL);
	if (memcmp(VARDATA_ANY(DatumGetByteaPP(stored[0])), hash, CHARGE_HASH_LENGTH) != 0)
		kept_refuse_name(name, kind);
	*kept = stored[1];
	return true;
}

static bool
find_copy(FunctionCallInfo fcinfo, const uint8 hash[CHARGE_HASH_LENGTH], KeptKind kind, Datum *kept)
{
	int64 release = same_call_find(fcinfo, hash);
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(release)};
	bool isnull;

	return release != 0 &&
		   admin_select(psprintf("SELECT %s FROM dpobj.model_rows m"
								 " WHERE m.release = $1 AND m.released IS NOT NULL",
								 columns[kind]),
						lengthof(types), types, values, kept, &isnull) &&
		   !isnull;
}

/* Without a name: what another copy of the call has released (same_call.h). */
static bool
find(const Release *release, KeptKind kind, Datum *kept)
{
	const AnalystTerms *terms = &release->terms;

	if (terms->name != NULL)
		return kept_find_name(terms->name, terms->request_hash, kind, kept);
	if (kind == KEPT_ANSWER && !terms->keeps_answer)
		return false;
	return find_copy(release->fcinfo, terms->request_hash, kind, kept);
}

bool
kept_find_model(Release *release, Datum *kept)
{
	return find(release, KEPT_MODEL, kept);
}

bool
kept_find_answer(Release *release, Datum *kept)
{
	return find(release, KEPT_ANSWER, kept);
}

/* ---- writing rows ---- */

TupleDesc
kept_columns(int count, const char *const *names, Oid type)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(count);

	for (int i = 0; i < count; i++)
		TupleDescInitEntry(descriptor, i + 1, names[i], type, -1, 0);
	return descriptor;
}

/* A number that reads back as the same float8; what JSON has no number for is a text. */
static void
append_float(StringInfo rows, double value)
{
	char text[DOUBLE_SHORTEST_DECIMAL_LEN];
	bool is_number = isfinite(value) && !(value == 0 && signbit(value));

	double_to_shortest_decimal_buf(value, text);
	appendStringInfo(rows, is_number ? "%s" : "\"%s\"", text);
}

static void
append_value(StringInfo rows, Datum value, Oid type)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
	{
		int16 length;
		bool by_value;
		char align;
		Datum *values;
		int count;

		get_typlenbyvalalign(element, &length, &by_value, &align);
		deconstruct_array(DatumGetArrayTypeP(value), element, length, by_value, align, &values,
						  NULL, &count);
		appendStringInfoChar(rows, '[');
		for (int i = 0; i < count; i++)
		{
			appendStringInfoString(rows, i == 0 ? "" : ", ");
			append_value(rows, values[i], element);
		}
		appendStringInfoChar(rows, ']');
	}
	else if (type == FLOAT8OID)
		append_float(rows, DatumGetFloat8(value));
	else if (type == INT8OID)
		appendStringInfo(rows, INT64_FORMAT, DatumGetInt64(value));
	else if (type == TEXTOID)
		escape_json(rows, TextDatumGetCString(value));
	else if (type == JSONBOID)
		(void) JsonbToCString(rows, &DatumGetJsonbP(value)->root, VARSIZE(DatumGetPointer(value)));
	else
		elog(ERROR, "an answer has no values of type %u", type);
}

void
kept_add_row(StringInfo rows, TupleDesc descriptor, const Datum *values, const bool *nulls)
{
	appendStringInfoString(rows, rows->len == 0 ? "{" : ", {");
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		appendStringInfoString(rows, i == 0 ? "" : ", ");
		escape_json(rows, NameStr(column->attname));
		appendStringInfoString(rows, ": ");
		if (nulls[i])
			appendStringInfoString(rows, "null");
		else
			append_value(rows, values[i], column->atttypid);
	}
	appendStringInfoChar(rows, '}');
}

Jsonb *
kept_finish(const StringInfo rows, const AnalystTerms *terms, const char **text)
{
	char *answer = psprintf("[%s]", rows->data);

	*text = terms->keeps_answer ? answer : NULL;
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(answer)));
}

/* ---- reading rows ---- */

int
kept_count(const Jsonb *answer)
{
	return JB_ROOT_COUNT(answer);
}

static Datum
read_value(JsonbValue *value, Oid type)
{
	Oid element = get_element_type(type);
	Oid input;
	Oid parameter;
	char *text;

	if (OidIsValid(element))
	{
		JsonbContainer *array = json_get_array(value);
		int count = array == NULL ? 0 : JsonContainerSize(array);
		Datum *values = palloc(Max(count, 1) * sizeof(Datum));
		int16 length;
		bool by_value;
		char align;

		for (int i = 0; i < count; i++)
			values[i] = read_value(getIthJsonbValueFromContainer(array, i), element);
		get_typlenbyvalalign(element, &length, &by_value, &align);
		return PointerGetDatum(construct_array(values, count, element, length, by_value, align));
	}
	if (type == JSONBOID)
		return JsonbPGetDatum(JsonbValueToJsonb(value));
	text = json_get_string(value);
	if (text == NULL)
		text =
			DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	getTypeInputInfo(type, &input, &parameter);
	return OidInputFunctionCall(input, text, parameter, -1);
}

void
kept_read_row(Jsonb *answer, int row, TupleDesc descriptor, Datum *values, bool *nulls)
{
	JsonbContainer *object = json_get_object(getIthJsonbValueFromContainer(&answer->root, row));

	if (object == NULL)
		elog(ERROR, "an answer has no row %d", row);
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);
		JsonbValue *value = json_member(object, NameStr(column->attname));

		nulls[i] = value == NULL || value->type == jbvNull;
		values[i] = nulls[i] ? (Datum) 0 : read_value(value, column->atttypid);
	}
}

void
kept_put_rows(Jsonb *answer, Tuplestorestate *set, TupleDesc descriptor)
{
	Datum *values = palloc(descriptor->natts * sizeof(Datum));
	bool *nulls = palloc(descriptor->natts * sizeof(bool));

	for (int i = 0; i < kept_count(answer); i++)
	{
		kept_read_row(answer, i, descriptor, values, nulls);
		tuplestore_putvalues(set, descriptor, values, nulls);
	}
}
