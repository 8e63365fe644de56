/*
 * suggest.c - dpobj.suggest(): a declaration from public ranges and lists, and one private look.
 *
 * The caller names columns with what is public about them: a range outside of which no value is
 * expected, or a list of values that may be levels.  All columns are read in one scan, for one
 * charge: of a range quantiles are drawn, of a list the numbers of rows (theorem T9).  What is
 * suggested is computed from these answers.  A value that only rows have is never suggested,
 * because its name would say that a row has it (rule T10).
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/release/kept.h"
#include "server/analyst/suggest.h"
#include "server/base/argument.h"
#include "server/base/json_value.h"
#include "server/base/near_name.h"

/* ---- what is public about a column ---- */

/* The quantiles of a range, in millionths: the nine deciles between the ends of a clip. */
static const int32 quantiles[] = {20000,  100000, 200000, 300000, 400000, 500000,
								  600000, 700000, 800000, 900000, 980000};

enum
{
	FIRST_DECILE = 1,
	MEDIAN = 5,
	LAST_DECILE = 9,
	HIGHEST = 10
};

/* A range; of times it is in days since its lower end. */
typedef struct Range
{
	double low;
	double high;
} Range;

static bool
is_number(const Column *column)
{
	return column->kind == COLUMN_INTEGER || column->kind == COLUMN_REAL ||
		   column->kind == COLUMN_NUMERIC;
}

static bool
read_dates(JsonbContainer *pair, Range *range)
{
	char *first = json_get_string(getIthJsonbValueFromContainer(pair, 0));
	char *last = json_get_string(getIthJsonbValueFromContainer(pair, 1));
	double from;
	double to;

	if (first == NULL || last == NULL || !time_read_date(first, &from) ||
		!time_read_date(last, &to))
		return false;
	range->low = 0.0;
	range->high = (to - from) / SECS_PER_DAY;
	return true;
}

/* Is it a range?  Two numbers that do not increase are none. */
static bool
read_range(const Column *column, JsonbValue *value, Range *range)
{
	JsonbContainer *pair = json_get_array(value);

	if (pair == NULL || JsonContainerSize(pair) != 2)
		return false;
	if (column->kind == COLUMN_TIME)
	{
		if (!read_dates(pair, range))
			return false;
	}
	else if (!is_number(column) ||
			 !json_get_number(getIthJsonbValueFromContainer(pair, 0), &range->low) ||
			 !json_get_number(getIthJsonbValueFromContainer(pair, 1), &range->high))
		return false;
	return range->low < range->high;
}

/* Integers have a list, too, unless it looks like a range. */
static bool
is_list(const Column *column, JsonbValue *value)
{
	JsonbContainer *list = json_get_array(value);

	return list != NULL && JsonContainerSize(list) > 0 && column_has_text(column) &&
		   !(is_number(column) && JsonContainerSize(list) < 3);
}

static void
append_json(StringInfo text, JsonbValue *value)
{
	Jsonb *json = JsonbValueToJsonb(value);

	(void) JsonbToCString(text, &json->root, VARSIZE(json));
}

/* Starts the encoder of a range of times, whose lower end is the first text of the pair. */
static void
append_epoch(StringInfo text, const Column *column, const char *since)
{
	if (column->kind != COLUMN_TIME)
		return;
	appendStringInfoString(text, "\"epoch_of\": \"day\", \"since\": ");
	escape_json(text, since);
	appendStringInfoString(text, ", ");
}

/* The encoder by which a column is read: any bins, which a grid replaces, or all candidates. */
static void
append_reading(StringInfo text, const Column *column, JsonbValue *value)
{
	Range range;

	escape_json(text, column->name);
	appendStringInfoString(text, ": {");
	if (read_range(column, value, &range))
	{
		append_epoch(text, column,
					 json_get_string(getIthJsonbValueFromContainer(json_get_array(value), 0)));
		appendStringInfoString(text, "\"bins\": [0]}");
		return;
	}
	if (!is_list(column, value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing can be suggested for column \"%s\" of type %s", column->name,
						format_type_be(column->type)),
				 errhint("Name a range such as [0, 120] for numbers, [\"2020-01-01\", "
						 "\"2024-12-31\"] for times, or a list of values for texts, enums and, "
						 "from three on, integers.")));
	appendStringInfoString(text, "\"levels\": ");
	append_json(text, value);
	appendStringInfoChar(text, '}');
}

/* The encoders by which all columns are read. */
static Jsonb *
make_reading(Oid table, const Jsonb *known, List *names)
{
	Relation relation = acting_open(table, AccessShareLock);
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, names)
	{
		Column column;

		if (!column_find(RelationGetDescr(relation), lfirst(cell), &column))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" does not exist", (char *) lfirst(cell)),
					 near_name_errhint(lfirst(cell), column_names(RelationGetDescr(relation)))));
		appendStringInfoString(&text, cell == list_head(names) ? "{" : ", ");
		append_reading(&text, &column,
					   json_member(unconstify(JsonbContainer *, &known->root), lfirst(cell)));
	}
	appendStringInfoChar(&text, '}');
	relation_close(relation, AccessShareLock);
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}

/* ---- the look ---- */

/*
 * Quantiles of a range, or a histogram of all candidates, NULL and other values.  Of whole numbers
 * and days each has a point of the grid, so that equal ones stay equal.
 */
static void
set_part(Encoder *encoder, JsonbValue *value, Look *part)
{
	Range range;
	bool whole;

	*part = (Look){.type = &look_histogram, .cells = encoder_values(encoder)};
	if (!read_range(&encoder->column, value, &range))
		return;
	*part = (Look){.type = &look_quantiles, .cells = 1, .quantiles = lengthof(quantiles)};
	memcpy(part->quantile, quantiles, sizeof(quantiles));
	whole = encoder->column.kind == COLUMN_TIME || encoder_is_whole(encoder);
	if (!look_set_grid(part, range.low, range.high, whole, LOOKS_STEPS))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is too narrow or too wide",
							   encoder->column.name)));
	encoder_set_grid(encoder, part->middle, part->unit, part->high);
}

void
suggest_settle(AnalystLook *look)
{
	JsonbContainer *known = &look->known->root;
	Encoders *columns = &look->opened.features;
	List *names;
	LookBlock *block;
	Look *part;

	looks_read_options(&look->request, look->options, NULL, NULL);
	if (!JsonContainerIsObject(known) || JsonContainerSize(known) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("columns must be a JSON object with a member for each column"),
						errhint("Write for example {\"age\": [0, 120], \"region\": "
								"[\"north\", \"south\"]}.")));
	names = json_keys(known);
	looks_set_columns(&look->request, list_length(names));
	analyst_open_profile(look->request.table, make_reading(look->request.table, look->known, names),
						 names, look->filter, &look->opened);
	part = palloc(columns->count * sizeof(Look));
	block = palloc0(columns->count * sizeof(LookBlock));
	for (int i = 0; i < columns->count; i++)
	{
		set_part(&columns->encoder[i], json_member(known, columns->encoder[i].column.name),
				 &part[i]);
		block[i].part = &part[i];
	}
	look_set_blocks(&look->request.look, columns->count, block);
	if (look_suggest_share(&look->request.look, look->request.cost.epsilon) < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d columns", columns->count)));
}

/* ---- the declaration ---- */

/* A range has so few different deciles that most values are equal. */
#define FEWEST_EDGES 3

/* A level has a hundredth of all rows, and surely some. */
#define LEAST_SHARE 100

/* A number, from low on to high, which is not below it. */
static bool
append_number(StringInfo text, double low, double center, double high, double substitute)
{
	double scale = Max(high - center, center - low);

	if (!(scale > 0))
		return false;
	appendStringInfo(text, "\"center\": %s, \"scale\": %s, \"clip\": [%d, 1], \"null\": %s",
					 json_digits(center), json_digits(scale), center > low ? -1 : 0,
					 json_digits((substitute - center) / scale));
	return true;
}

/*
 * Bins at the deciles that differ from each other and from the lower end, or, if there may be no
 * bins, a number around the median.  Where too few deciles differ, most values are equal, and those
 * beyond are a number.  false: all values are equal.
 */
static bool
append_range(StringInfo text, const Encoder *encoder, bool with_bins, const LookAnswer *answer)
{
	double median = answer[MEDIAN].value;
	double low = answer[0].value;
	double high = answer[HIGHEST].value;
	double last = low;
	int edges = 0;
	StringInfoData bins;

	initStringInfo(&bins);
	for (int i = FIRST_DECILE; i <= LAST_DECILE; i++)
		if (answer[i].value > last)
		{
			last = answer[i].value;
			appendStringInfo(&bins, "%s%s", edges++ == 0 ? "" : ", ", json_digits(last));
		}
	append_epoch(text, &encoder->column, encoder->since);
	if (edges < FEWEST_EDGES)
		return append_number(text, low, low, high, Min(median, high));
	if (!with_bins)
		return append_number(text, low, median, high, median);
	appendStringInfo(text, "\"bins\": [%s], \"null\": %s", bins.data, json_digits(median));
	return true;
}

/* Marks the candidates that have enough rows; returns their number. */
static int
find_levels(const Encoder *encoder, const LookAnswer *answer, bool *is_level)
{
	int levels = 0;
	double all = 0;

	for (int i = 0; i < encoder_values(encoder); i++)
		all += answer[i].value;
	for (int i = 0; i < encoder->set.count; i++)
	{
		is_level[i] = answer[i].low > 0 && answer[i].value * LEAST_SHARE >= all;
		levels += is_level[i] ? 1 : 0;
	}
	return levels;
}

static bool
append_levels(StringInfo text, const Encoder *encoder, const LookAnswer *answer)
{
	bool *is_level = palloc(encoder->set.count * sizeof(bool));
	int levels = find_levels(encoder, answer, is_level);
	const char *separator = "";

	appendStringInfoString(text, "\"levels\": [");
	for (int i = 0; i < encoder->set.count; i++)
		if (is_level[i])
		{
			appendStringInfoString(text, separator);
			separator = ", ";
			if (encoder->column.kind == COLUMN_INTEGER)
				appendStringInfoString(text, encoder_value_name(encoder, i));
			else
				escape_json(text, encoder_value_name(encoder, i));
		}
	appendStringInfoString(text, "], \"null_indicator\": true");
	return levels > 0;
}

/* The most features that the suggested columns have with bins; levels have an indicator, too. */
static int
features_with_bins(const AnalystLook *look, const LookAnswer *answer)
{
	const Encoders *columns = &look->opened.features;
	int features = 0;

	for (int i = 0; i < columns->count; i++)
	{
		const Encoder *encoder = &columns->encoder[i];
		const Look *part = look->request.look.block[i].part;

		if (part->type->reads == READS_POINT)
			features += LAST_DECILE - FIRST_DECILE + 2;
		else
			features += find_levels(encoder, answer, palloc(encoder->set.count * sizeof(bool))) + 1;
		answer += look_answers(part);
	}
	return features;
}

/* Writes the members of the columns for which something was found. */
static void
append_suggested(StringInfo text, const AnalystLook *look, const LookAnswer *answer)
{
	const Encoders *columns = &look->opened.features;
	bool with_bins = features_with_bins(look, answer) <= GRID_MAX_DIMENSION;

	for (int i = 0; i < columns->count; i++)
	{
		const Encoder *encoder = &columns->encoder[i];
		const Look *part = look->request.look.block[i].part;
		StringInfoData member;

		initStringInfo(&member);
		if (part->type->reads == READS_POINT ? append_range(&member, encoder, with_bins, answer)
											 : append_levels(&member, encoder, answer))
		{
			appendStringInfoString(text, text->len > 1 ? ", " : "");
			escape_json(text, encoder->column.name);
			appendStringInfo(text, ": {%s}", member.data);
		}
		answer += look_answers(part);
	}
}

/* Writes the declared encoders of columns that the call does not name. */
static void
append_declared(StringInfo text, const AnalystLook *look)
{
	JsonbContainer *declared = &look->opened.protection.encoders->root;
	List *names = json_keys(&look->known->root);
	ListCell *cell;

	foreach (cell, json_keys(declared))
	{
		if (names_include(names, lfirst(cell)))
			continue;
		appendStringInfoString(text, text->len > 1 ? ", " : "");
		escape_json(text, lfirst(cell));
		appendStringInfoString(text, ": ");
		append_json(text, json_member(declared, lfirst(cell)));
	}
}

/* The declaration, in a row. */
static void
put_suggestion(StringInfo rows, TupleDesc descriptor, const AnalystLook *look,
			   const LookAnswer *answer)
{
	StringInfoData text;
	Datum declaration;
	bool isnull = false;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	append_declared(&text, look);
	append_suggested(&text, look, answer);
	appendStringInfoChar(&text, '}');
	declaration = DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
	kept_add_row(rows, descriptor, &declaration, &isnull);
}

/* dpobj.suggest(relation, epsilon, columns, filter, name) -> jsonb */
PG_FUNCTION_INFO_V1(dpobj_suggest);
Datum
dpobj_suggest(PG_FUNCTION_ARGS)
{
	AnalystLook look;
	Datum declaration;
	bool isnull;

	memset(&look, 0, sizeof(look));
	look.descriptor = kept_columns(1, (const char *const[]){"declaration"}, JSONBOID);
	look.write = put_suggestion;
	looks_begin(&look.request, &look_suggest);
	look.request.table = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	decimal_epsilon(argument_value(fcinfo, 1, "epsilon"), NUMERICOID, &look.request.cost);
	argument_require(PG_ARGISNULL(2), "columns");
	look.known = argument_json(fcinfo, 2, "columns");
	look.filter = argument_json(fcinfo, 3, "filter");
	analyst_begin_answer(&look.release, &analyst_look_kind, fcinfo, look.request.table);
	kept_read_row(DatumGetJsonbP(release_make(&look.release)), 0, look.descriptor, &declaration,
				  &isnull);
	PG_RETURN_DATUM(declaration);
}
