/*
 * paid_call.c - writes a paid call as a statement, and rehearses it.
 */
#include "server/release/paid_call.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/resowner.h"

#include "core/base/names.h"

#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/base/json_value.h"
#include "server/base/near_name.h"
#include "server/ledger/charge.h"
#include "server/release/looks.h"

/* The functions of schema dpobj whose answers are kept, beside those that are named after looks. */
static const char *const calls[] = {"confusion", "evaluate", "select", "train", "train_groups"};

static void
check_call(const char *call)
{
	const char *known;

	if (look_find(call) != NULL || names_find(calls, lengthof(calls), call) < lengthof(calls))
		return;
	known = psprintf("%s%s", json_known(calls, lengthof(calls)), looks_names(true));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("call \"%s\" is not known", call),
			 errhint("%sKnown calls are: %s.", near_name(call, near_name_listed(known)), known)));
}

/* The input arguments of a call, in order, without those of the job. */
#define ARGUMENTS                                                                                  \
	" FROM pg_proc p, unnest(p.proargnames, p.proargtypes::oid[])"                                 \
	" WITH ORDINALITY a(name, type, place) WHERE p.pronamespace = 'dpobj'::regnamespace"           \
	" AND p.proname = $1 AND a.type IS NOT NULL AND a.name NOT IN ('relation', 'name')"

/* The first column of a statement about a call and, as $2, something of its arguments. */
static bool
find_argument(const char *statement, const char *call, Oid type, Datum second, Datum *found)
{
	Oid types[] = {TEXTOID, type};
	Datum values[] = {CStringGetTextDatum(call), second};
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, found, &isnull) && !isnull;
}

/*
 * Raises 22023 with this message about an argument, and a hint that names those of the call.
 * given: the name that is none of them, or NULL.
 */
static void
refuse_argument(const char *call, const char *message, const char *given)
{
	static const char *const statement = "SELECT string_agg(a.name, $2 ORDER BY a.place)" ARGUMENTS;
	Datum names;
	const char *known;

	if (!find_argument(statement, call, TEXTOID, CStringGetTextDatum(", "), &names))
		elog(ERROR, "function dpobj.%s not found", call);
	known = TextDatumGetCString(names);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message),
			 errhint("%sArguments are: %s.",
					 given == NULL ? "" : near_name(given, near_name_listed(known)), known)));
}

/* The type of an argument, whose name the call must know. */
static Oid
argument_type(const char *call, const char *argument)
{
	static const char *const statement = "SELECT a.type" ARGUMENTS " AND a.name = $2";
	Datum type;

	if (strcmp(argument, "relation") == 0 || strcmp(argument, "name") == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the arguments of a call must not have \"%s\"", argument),
						errhint("It is given beside them.")));
	if (!find_argument(statement, call, TEXTOID, CStringGetTextDatum(argument), &type))
		refuse_argument(call, psprintf("call \"%s\" has no argument \"%s\"", call, argument),
						argument);
	return DatumGetObjectId(type);
}

/* Every argument without a default must be there. */
static void
check_complete(const char *call, Jsonb *arguments)
{
	static const char *const statement =
		"SELECT a.name" ARGUMENTS " AND a.place <= p.pronargs - p.pronargdefaults"
		" AND NOT $2 ? a.name ORDER BY a.place";
	Datum missing;

	if (find_argument(statement, call, JSONBOID, JsonbPGetDatum(arguments), &missing))
		refuse_argument(
			call, psprintf("call \"%s\" needs argument \"%s\"", call, TextDatumGetCString(missing)),
			NULL);
}

/* A number as it is hashed (kept.c), so that 1.0 and 1 are one request. */
static char *
scalar_text(JsonbValue *value)
{
	if (value->type == jbvBool)
		return value->val.boolean ? "true" : "false";
	if (value->type == jbvNumeric)
		return numeric_normalize(value->val.numeric);
	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	return JsonbToCString(NULL, &JsonbValueToJsonb(value)->root, 0);
}

/* {a,b}: what an array's input reads. */
static char *
array_text(JsonbContainer *array)
{
	int count = JsonContainerSize(array);
	Datum *values = palloc(Max(count, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(count, 1) * sizeof(bool));
	int from = 1;

	for (int i = 0; i < count; i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(array, i);

		nulls[i] = value->type == jbvNull;
		values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(scalar_text(value));
	}
	if (count == 0)
		return "{}";
	return OidOutputFunctionCall(
		F_ARRAY_OUT, PointerGetDatum(construct_md_array(values, nulls, 1, &count, &from, TEXTOID,
														-1, false, TYPALIGN_INT)));
}

static char *
argument_text(JsonbValue *value, Oid type)
{
	JsonbContainer *array = json_get_array(value);

	if (type == JSONBOID)
	{
		Jsonb *json = JsonbValueToJsonb(value);

		return JsonbToCString(NULL, &json->root, VARSIZE(json));
	}
	return array != NULL ? array_text(array) : scalar_text(value);
}

/* What is read, for the context of an error. */
typedef struct ArgumentRead
{
	const char *call;
	const char *argument;
} ArgumentRead;

static void
name_argument(void *read)
{
	const ArgumentRead *argument = read;

	errcontext("argument \"%s\" of call \"%s\"", argument->argument, argument->call);
}

/* Raises the error of the type's input unless it reads the text. */
static void
check_text(const char *call, const char *argument, Oid type, char *text)
{
	ArgumentRead read = {call, argument};
	ErrorContextCallback named = {error_context_stack, name_argument, &read};
	Oid input;
	Oid element;

	error_context_stack = &named;
	getTypeInputInfo(type, &input, &element);
	(void) OidInputFunctionCall(input, text, element, -1);
	error_context_stack = named.previous;
}

/* A literal has no type yet, so that the function's own type reads it. */
static void
append_argument(StringInfo text, const char *argument, const char *value)
{
	appendStringInfo(text, "%s%s => %s", text->data[text->len - 1] == '(' ? "" : ", ",
					 quote_identifier(argument),
					 value == NULL ? "NULL" : quote_literal_cstr(value));
}

char *
paid_call_statement(const char *call, Oid relation, Jsonb *arguments, const char *name)
{
	StringInfoData text;
	List *keys;
	ListCell *cell;

	if (strcmp(call, "class_confusion") == 0) /* of a job or a schedule of 0.3.0 */
		call = "confusion";
	check_call(call);
	if (!JB_ROOT_IS_OBJECT(arguments))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("arguments must be an object with a member for each argument"),
						errhint("Write for example {\"epsilon\": 0.5, \"model\": \"m\"}.")));
	initStringInfo(&text);
	appendStringInfo(&text, "SELECT pg_catalog.count(*) FROM dpobj.%s(", quote_identifier(call));
	append_argument(&text, "relation", psprintf("%u", relation));
	keys = json_keys(&arguments->root);
	foreach (cell, keys)
	{
		const char *argument = lfirst(cell);
		JsonbValue *value = json_member(&arguments->root, argument);
		Oid type = argument_type(call, argument);
		char *read = value->type == jbvNull ? NULL : argument_text(value, type);

		if (read != NULL)
			check_text(call, argument, type, read);
		append_argument(&text, argument, read);
	}
	check_complete(call, arguments);
	append_argument(&text, "name", name);
	appendStringInfoChar(&text, ')');
	return text.data;
}

ErrorData *
paid_call_rehearse(const char *statement, bool *kept)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	bool exit_on_error = ExitOnAnyError;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	charge_begin_rehearsal();
	PG_TRY();
	{
		ExitOnAnyError = false; /* a rehearsal ends by an error that is caught */
		SPI_connect();
		if (SPI_execute(statement, false, 0) != SPI_OK_SELECT)
			elog(ERROR, "could not rehearse a call");
		SPI_finish();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	ExitOnAnyError = exit_on_error;
	MemoryContextSwitchTo(context);
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	*kept = error == NULL;
	if (charge_end_rehearsal() || error == NULL)
		return NULL;
	error->context = NULL;
	return error;
}

static char *
statement_argument(FunctionCallInfo fcinfo)
{
	return paid_call_statement(TextDatumGetCString(argument_value(fcinfo, 0, "call")),
							   DatumGetObjectId(argument_value(fcinfo, 1, "relation")),
							   DatumGetJsonbP(argument_value(fcinfo, 2, "arguments")),
							   TextDatumGetCString(argument_value(fcinfo, 3, "name")));
}

/* dpobj_internal.call_statement(call, relation, arguments, name) -> text */
PG_FUNCTION_INFO_V1(dpobj_call_statement);
Datum
dpobj_call_statement(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(statement_argument(fcinfo)));
}

/*
 * dpobj_internal.call_rehearse(call, relation, arguments, name) -> void: raises the error that the
 * call would raise, but for a budget that does not cover it now
 */
PG_FUNCTION_INFO_V1(dpobj_call_rehearse);
Datum
dpobj_call_rehearse(PG_FUNCTION_ARGS)
{
	bool kept;
	ErrorData *error = paid_call_rehearse(statement_argument(fcinfo), &kept);

	if (error != NULL && error->sqlerrcode != ERRCODE_DPOBJ_BUDGET_EXHAUSTED)
		ReThrowError(error);
	PG_RETURN_VOID();
}
