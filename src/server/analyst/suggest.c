/*
 * suggest.c - dpobj.suggest(): a declaration from public ranges and lists, and one private look.
 *
 * The caller names columns with what is public about them: a range outside of which no value is
 * expected, a list of values that may be levels, or an encoder; the catalog says it of others.
 * Short lists are taken as they are.  All other columns are read in one scan, for one charge: of a
 * range quantiles are drawn, of a long list the numbers of rows (theorem T9).  What is suggested is
 * computed from these answers.  A value that only rows have is never suggested, because its name
 * would say that a row has it (rule T10).
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
#include "server/rows/declare.h"
#include "server/rows/protection.h"

/* ---- what is public about a column ---- */

/* The quantiles of a range, in millionths; three of them are drawn one after the other. */
static const int32 quantiles[] = {100000, 250000, 400000, 550000, 700000, 850000, 950000};

#define QUANTILES lengthof(quantiles)

/* A list of so many values is taken as it is, and so are the whole numbers of a range. */
#define LIST_FEW 24
#define RANGE_FEW 12

/* A range; of times it is in days since its lower end, of times of day and intervals in hours. */
typedef struct Range
{
	double low;
	double high;
} Range;

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

/*
 * Reads a range, and lets the column be read as what its ends are.  false if it is none: two
 * numbers that do not increase are none.
 */
static bool
read_range(Column *column, JsonbValue *value, Range *range)
{
	JsonbContainer *pair = json_get_array(value);
	ColumnCast cast = column_own_cast(column->stored);

	if (pair == NULL || JsonContainerSize(pair) != 2)
		return false;
	if (column->kind == COLUMN_TIME && cast == CAST_NONE)
	{
		if (!read_dates(pair, range))
			return false;
	}
	else if (column->kind == COLUMN_TEXT && read_dates(pair, range))
		cast = CAST_TIMESTAMP;
	else if ((column->kind != COLUMN_TEXT && !column_is_number(column->kind) &&
			  cast == CAST_NONE) ||
			 !json_get_number(getIthJsonbValueFromContainer(pair, 0), &range->low) ||
			 !json_get_number(getIthJsonbValueFromContainer(pair, 1), &range->high))
		return false;
	else if (column->kind == COLUMN_TEXT)
		cast = CAST_NUMBER;
	if (!(range->low < range->high))
		return false;
	(void) column_set_cast(column, cast);
	return true;
}

/* Integers have a list, too, unless it looks like a range. */
static bool
is_list(const Column *column, JsonbValue *value)
{
	JsonbContainer *list = json_get_array(value);

	return list != NULL && JsonContainerSize(list) > 0 && column_has_text(column) &&
		   !(column_is_number(column->kind) && JsonContainerSize(list) < 3);
}

static void
append_json(StringInfo text, JsonbValue *value)
{
	Jsonb *json = JsonbValueToJsonb(value);

	(void) JsonbToCString(text, &json->root, VARSIZE(json));
}

/* Starts the encoder of a range: of times, "since" is the first text of the pair. */
static void
append_start(StringInfo text, const Column *column, const char *since)
{
	if (column->cast == CAST_NUMBER)
		appendStringInfoString(text, "\"as\": \"number\", ");
	if (column->cast == CAST_TIMESTAMP)
		appendStringInfoString(text, "\"as\": \"timestamp\", ");
	if (column->kind != COLUMN_TIME)
		return;
	if (column_own_cast(column->stored) != CAST_NONE)
	{
		appendStringInfoString(text, "\"epoch_of\": \"hour\", ");
		return;
	}
	appendStringInfoString(text, "\"epoch_of\": \"day\", \"since\": ");
	escape_json(text, since);
	appendStringInfoString(text, ", ");
}

/* ---- candidates for edges ---- */

static int
compare_doubles(const void *a, const void *b)
{
	double first = *(const double *) a;
	double second = *(const double *) b;

	return first < second ? -1 : first > second;
}

/* The number digit * 10^exponent that is next to a value, or above it; digit is 1, 2 or 5. */
static double
round_number(int digit, int exponent)
{
	return strtod(psprintf("%de%d", digit, exponent), NULL);
}

#define UNIFORM 32 /* steps at most */
#define DECADES 6  /* below a step */
#define CANDIDATES (UNIFORM + 2 * 3 * (DECADES + 2) + 2)

/*
 * The numbers between which edges are chosen: multiples of a round step, and below the first of
 * them, on both sides of 0, round numbers that are nearer and nearer to it.  So quantiles of skewed
 * numbers find edges, and few candidates are drawn from.
 */
static int
make_candidates(const Range *range, bool whole, double *candidate)
{
	static const int digits[] = {1, 2, 5};
	double width = range->high - range->low;
	int exponent = (int) floor(log10(width / UNIFORM));
	int digit = 0;
	int count = 0;
	int kept = 0;
	double step;

	if (whole && exponent < 0)
		exponent = 0;
	while ((step = round_number(digits[digit], exponent)) * UNIFORM < width)
	{
		digit = (digit + 1) % 3;
		exponent += digit == 0 ? 1 : 0;
	}
	for (double i = floor(range->low / step) + 1; i * step < range->high && count <= UNIFORM; i++)
		candidate[count++] = strtod(psprintf("%.0fe%d", i * digits[digit], exponent), NULL);
	for (int e = exponent; e >= exponent - DECADES && (e >= 0 || !whole); e--)
		for (int d = 0; d < 3; d++)
		{
			double near = round_number(digits[d], e);

			if (near < step && near > range->low && near < range->high)
				candidate[count++] = near;
			if (near < step && -near > range->low && -near < range->high)
				candidate[count++] = -near;
		}
	qsort(candidate, count, sizeof(double), compare_doubles);
	for (int i = 0; i < count; i++)
		if (candidate[i] > (kept == 0 ? range->low : candidate[kept - 1]) &&
			candidate[i] < range->high)
			candidate[kept++] = candidate[i];
	return kept;
}

/* The number of candidates, none if the range is too narrow or too wide. */
static int
find_candidates(const Column *column, const Range *range, double *candidate)
{
	bool whole = column->kind == COLUMN_INTEGER ||
				 (column->kind == COLUMN_TIME && column_own_cast(column->stored) == CAST_NONE);
	double width = range->high - range->low;

	return width > 1e-200 && width < 1e200 ? make_candidates(range, whole, candidate) : 0;
}

static void
append_candidates(StringInfo text, const Column *column, const Range *range)
{
	double candidate[CANDIDATES];
	int count = find_candidates(column, range, candidate);

	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the range of column \"%s\" is too narrow or too wide", column->name)));
	for (int i = 0; i < count; i++)
		appendStringInfo(text, "%s%s", i > 0 ? ", " : "", json_digits(candidate[i]));
}

/* ---- encoders that no look finds ---- */

/* A boolean, whose other values have a feature. */
#define BOOLEAN "{\"as\": \"boolean\", \"null_indicator\": true}"

/* From here on a double is not always followed by the next whole number. */
#define WHOLE_END 9007199254740992.0

/* Writes the encoder of a range of few whole numbers; false if it has others. */
static bool
append_few(StringInfo text, const Column *column, const Range *range)
{
	if (column->kind != COLUMN_TIME && range->low == 0 && range->high == 1 &&
		column->kind != COLUMN_REAL && column->kind != COLUMN_NUMERIC)
	{
		appendStringInfoString(text, BOOLEAN);
		return true;
	}
	if (column->kind != COLUMN_INTEGER || range->low != floor(range->low) ||
		range->high != floor(range->high) || range->high - range->low >= RANGE_FEW ||
		range->low <= -WHOLE_END || range->high >= WHOLE_END)
		return false;
	appendStringInfoString(text, "{\"levels\": [");
	for (double i = range->low; i <= range->high; i++)
		appendStringInfo(text, "%s%.0f", i > range->low ? ", " : "", i);
	appendStringInfoString(text, "], \"null_indicator\": true}");
	return true;
}

static bool
are_booleans(const Column *column, JsonbContainer *list)
{
	List *values = NIL;

	for (int i = 0; i < JsonContainerSize(list) && column->kind == COLUMN_TEXT; i++)
	{
		char *text = json_get_string(getIthJsonbValueFromContainer(list, i));

		values = text == NULL ? NIL : lappend(values, text);
	}
	return declare_are_booleans(values);
}

/*
 * Writes the encoder of a column if what is public is enough, or else what is public, of which a
 * look finds the rest.
 */
static void
append_known(StringInfo text, const Column *named, JsonbValue *value)
{
	Column column = *named;
	Range range;

	if (json_get_object(value) != NULL)
		append_json(text, value);
	else if (read_range(&column, value, &range))
	{
		if (!append_few(text, &column, &range))
			append_json(text, value);
	}
	else if (!is_list(&column, value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing can be suggested for column \"%s\" of type %s", column.name,
						format_type_be(column.stored)),
				 errhint("Name a range such as [0, 120] for numbers, [\"2020-01-01\", "
						 "\"2024-12-31\"] for times, or a list of values for texts, enums and, "
						 "from three on, integers.")));
	else if (are_booleans(&column, json_get_array(value)))
		appendStringInfoString(text, BOOLEAN);
	else if (JsonContainerSize(json_get_array(value)) <= LIST_FEW)
	{
		appendStringInfoString(text, "{\"levels\": ");
		append_json(text, value);
		appendStringInfoString(text, ", \"null_indicator\": true}");
	}
	else
		append_json(text, value);
}

/* A member of the object in text, which begins with a brace. */
static void
append_key(StringInfo text, const char *name)
{
	appendStringInfoString(text, text->len > 1 ? ", " : "");
	escape_json(text, name);
	appendStringInfoString(text, ": ");
}

static Jsonb *
finish_object(StringInfo text)
{
	appendStringInfoChar(text, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text->data)));
}

static void
start_object(StringInfo text)
{
	initStringInfo(text);
	appendStringInfoChar(text, '{');
}

/* Is it a range that needs no look, or can be looked at? */
static bool
is_usable(const Column *named, JsonbValue *value)
{
	Column column = *named;
	double candidate[CANDIDATES];
	StringInfoData few;
	Range range;

	initStringInfo(&few);
	return read_range(&column, value, &range) &&
		   (append_few(&few, &column, &range) || find_candidates(&column, &range, candidate) > 0);
}

/*
 * Writes what the catalog says of a column; true if that is nothing, or nothing that can be used:
 * what a CHECK says is no error of the caller.
 */
static bool
append_catalog(StringInfo text, Relation relation, Form_pg_attribute attribute)
{
	StringInfoData said;
	Jsonb *json;
	JsonbValue value;
	Column column;

	initStringInfo(&said);
	switch (declare_column(relation, attribute, &said))
	{
		case DECLARED_LEFT_OUT:
			return false;
		case DECLARED_GAP:
			return true;
		case DECLARED_RANGE:
			json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(said.data)));
			column_init(&column, attribute);
			value = (JsonbValue){.type = jbvBinary,
								 .val.binary = {VARSIZE(json) - VARHDRSZ, &json->root}};
			if (!is_usable(&column, &value))
				return true;
			append_key(text, column.name);
			append_known(text, &column, &value);
			return false;
		default:
			append_key(text, NameStr(attribute->attname));
			appendStringInfo(text, "{%s}", said.data);
			return false;
	}
}

/*
 * What is public about all columns: an encoder, or what a look needs.  The call says it, or else
 * the catalog does of a column that is not declared.  The names of the other columns are put into
 * gaps.
 */
static Jsonb *
find_known(Relation relation, const Protection *protection, Jsonb *named, StringInfo gaps)
{
	TupleDesc descriptor = RelationGetDescr(relation);
	StringInfoData text;
	ListCell *cell;

	if (named != NULL && !JB_ROOT_IS_OBJECT(named))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("columns must be a JSON object with a member for each column"),
						errhint("Write for example {\"age\": [0, 120], \"region\": "
								"[\"north\", \"south\"]}.")));
	start_object(&text);
	foreach (cell, named == NULL ? NIL : json_keys(&named->root))
	{
		Column column;

		if (!column_find(descriptor, lfirst(cell), &column))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" does not exist", (char *) lfirst(cell)),
							near_name_errhint(lfirst(cell), column_names(descriptor))));
		append_key(&text, column.name);
		append_known(&text, &column, json_member(&named->root, column.name));
	}
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);
		char *name = NameStr(attribute->attname);

		if (attribute->attisdropped || json_member(&protection->encoders->root, name) != NULL ||
			(named != NULL && json_member(&named->root, name) != NULL) ||
			(protection->person != NULL && strcmp(protection->person, name) == 0) ||
			(protection->holdout_by != NULL && strcmp(protection->holdout_by, name) == 0))
			continue;
		if (append_catalog(&text, relation, attribute))
			appendStringInfo(gaps, "%s\"%s\"", gaps->len > 0 ? ", " : "", name);
	}
	return finish_object(&text);
}

/* The names of the columns that are looked at.  Refuses encoders of the others. */
static List *
looked_at(Relation relation, Jsonb *known)
{
	List *names = NIL;
	List *others = NIL;
	ListCell *cell;
	Encoders encoders;

	foreach (cell, json_keys(&known->root))
		if (json_get_object(json_member(&known->root, lfirst(cell))) == NULL)
			names = lappend(names, lfirst(cell));
		else
			others = lappend(others, lfirst(cell));
	if (others != NIL)
		encoders_parse_columns(known, RelationGetDescr(relation), others, &encoders);
	return names;
}

/* The encoder by which a column is read: bins between all candidates, or all candidates. */
static void
append_reading(StringInfo text, Column *column, JsonbValue *value)
{
	Range range;

	if (read_range(column, value, &range))
	{
		appendStringInfoChar(text, '{');
		append_start(text, column,
					 json_get_string(getIthJsonbValueFromContainer(json_get_array(value), 0)));
		appendStringInfoString(text, "\"bins\": [");
		append_candidates(text, column, &range);
		appendStringInfoString(text, "]}");
		return;
	}
	appendStringInfoString(text, "{\"levels\": ");
	append_json(text, value);
	appendStringInfoChar(text, '}');
}

static Jsonb *
make_reading(Relation relation, Jsonb *known, List *names)
{
	StringInfoData text;
	ListCell *cell;

	start_object(&text);
	foreach (cell, names)
	{
		Column column;

		(void) column_find(RelationGetDescr(relation), lfirst(cell), &column);
		append_key(&text, column.name);
		append_reading(&text, &column, json_member(&known->root, column.name));
	}
	return finish_object(&text);
}

/* ---- the look ---- */

/*
 * Quantiles of the bins of a range, with one more for missing values behind them, or a histogram of
 * all candidates, NULL and other values.
 */
static void
set_part(const Encoder *encoder, Look *part)
{
	*part = (Look){.type = &look_histogram, .cells = encoder_values(encoder)};
	if (encoder->kind != ENCODER_BINS)
		return;
	*part = (Look){.type = &look_quantiles, .cells = 1, .quantiles = QUANTILES};
	memcpy(part->quantile, quantiles, sizeof(quantiles));
	if (!look_set_grid(part, 0, encoder->categories, true, LOOKS_STEPS))
		elog(ERROR, "column \"%s\" has no grid", encoder->column.name);
}

void
suggest_settle(AnalystLook *look)
{
	Encoders *columns = &look->opened.features;
	Relation relation = acting_open(look->request.table, AccessShareLock);
	Protection protection;
	StringInfoData gaps;
	List *names;
	LookBlock *block;
	Look *part;

	initStringInfo(&gaps);
	looks_read_options(&look->request, look->options, NULL, NULL);
	protection_require(relation, &protection);
	look->known = find_known(relation, &protection, look->known, &gaps);
	names = looked_at(relation, look->known);
	if (names == NIL)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no column needs a look"),
			 errdetail("The call and the catalog say enough about every column, so a suggestion is "
					   "free.")));
	looks_set_columns(&look->request, list_length(names));
	analyst_open_profile(look->request.table, make_reading(relation, look->known, names), names,
						 look->filter, &look->opened);
	relation_close(relation, AccessShareLock);
	part = palloc(columns->count * sizeof(Look));
	block = palloc0(columns->count * sizeof(LookBlock));
	for (int i = 0; i < columns->count; i++)
	{
		set_part(&columns->encoder[i], &part[i]);
		block[i].part = &part[i];
	}
	look_set_blocks(&look->request.look, columns->count, block);
	if (look_suggest_share(&look->request.look, look->request.cost.epsilon) < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d columns", columns->count)));
}

/* ---- the declaration ---- */

/* A level has a hundredth of all rows, and surely some. */
#define LEAST_SHARE 100

/*
 * Marks the edges of a quantile's bin: both if another quantile is in it, so that many equal values
 * are alone; else the one that leaves more rows between it and the nearer end.
 */
static void
mark_edges(const Encoder *encoder, const LookAnswer *answer, int quantile, bool *is_edge)
{
	int last = encoder->categories - 1;
	int bin = (int) answer[quantile].value;
	bool heavy = (quantile > 0 && answer[quantile - 1].value == bin) ||
				 (quantile < QUANTILES - 1 && answer[quantile + 1].value == bin);
	bool above = heavy || bin == 0 || quantile < QUANTILES / 2;

	if (above && bin < last)
		is_edge[bin] = true;
	if (bin > 0 && (heavy || bin == last || quantile >= QUANTILES / 2))
		is_edge[bin - 1] = true;
}

/*
 * Bins between the quantiles.  Where the highest of them is missing values, those have a feature;
 * else the value in the middle stands for them.
 */
static void
append_range(StringInfo text, const Encoder *encoder, double low, const LookAnswer *answer)
{
	bool *is_edge = palloc0(encoder->categories * sizeof(bool));
	int present = 0;
	int middle;
	const char *separator = "";

	while (present < QUANTILES && answer[present].value < encoder->categories)
		mark_edges(encoder, answer, present++, is_edge);
	if (present == 0)
		is_edge[(encoder->categories - 1) / 2] = true;
	append_start(text, &encoder->column, encoder->since);
	appendStringInfoString(text, "\"bins\": [");
	for (int i = 0; i < encoder->categories - 1; i++)
		if (is_edge[i])
		{
			appendStringInfo(text, "%s%s", separator, encoder_edge_text(encoder, i));
			separator = ", ";
		}
	middle = (int) answer[present / 2].value;
	if (present < QUANTILES)
		appendStringInfoString(text, "], \"null_indicator\": true");
	else
		appendStringInfo(text, "], \"null\": %s",
						 middle > 0 ? encoder_edge_text(encoder, middle - 1) : json_digits(low));
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

/* Writes the members of the columns for which something was found. */
static void
append_suggested(StringInfo text, const AnalystLook *look, const LookAnswer *answer)
{
	const Encoders *columns = &look->opened.features;

	for (int i = 0; i < columns->count; i++)
	{
		const Encoder *encoder = &columns->encoder[i];
		Column column = encoder->column;
		Range range;
		bool found = true;
		StringInfoData member;

		initStringInfo(&member);
		if (read_range(&column, json_member(&look->known->root, column.name), &range))
			append_range(&member, encoder, range.low, answer);
		else
			found = append_levels(&member, encoder, answer);
		if (found)
		{
			append_key(text, encoder->column.name);
			appendStringInfo(text, "{%s}", member.data);
		}
		answer += look_answers(look->request.look.block[i].part);
	}
}

/* Writes encoders that need no look, but for columns that are known. */
static void
append_encoders(StringInfo text, Jsonb *encoders, const Jsonb *known)
{
	ListCell *cell;

	foreach (cell, json_keys(&encoders->root))
	{
		JsonbValue *encoder = json_member(&encoders->root, lfirst(cell));

		if (json_get_object(encoder) == NULL ||
			(known != NULL &&
			 json_member(unconstify(JsonbContainer *, &known->root), lfirst(cell)) != NULL))
			continue;
		append_key(text, lfirst(cell));
		append_json(text, encoder);
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

	start_object(&text);
	append_encoders(&text, look->opened.protection.encoders, look->known);
	append_encoders(&text, look->known, NULL);
	append_suggested(&text, look, answer);
	declaration = JsonbPGetDatum(finish_object(&text));
	kept_add_row(rows, descriptor, &declaration, &isnull);
}

/* ---- the call ---- */

/*
 * Says which columns are left out, because nothing is known of them.  false if no column needs a
 * look; then this is the declaration, for nothing.
 */
static bool
needs_look(const AnalystLook *look, Jsonb **declaration)
{
	Relation relation = acting_open(look->request.table, AccessShareLock);
	Protection protection;
	StringInfoData gaps;
	StringInfoData text;
	Jsonb *known;
	bool needed;

	initStringInfo(&gaps);
	protection_require(relation, &protection);
	known = find_known(relation, &protection, look->known, &gaps);
	needed = looked_at(relation, known) != NIL;
	relation_close(relation, AccessShareLock);
	if (gaps.len > 0)
		ereport(NOTICE, (errmsg("columns are left out of the suggestion: %s", gaps.data),
						 errdetail("No CHECK gives a range or a list of values that can be used."),
						 errhint("Name them with a range or a list of values.")));
	if (needed)
		return true;
	start_object(&text);
	append_encoders(&text, protection.encoders, known);
	append_encoders(&text, known, NULL);
	*declaration = finish_object(&text);
	return false;
}

/* dpobj.suggest(relation, epsilon, columns, filter, name) -> jsonb */
PG_FUNCTION_INFO_V1(dpobj_suggest);
Datum
dpobj_suggest(PG_FUNCTION_ARGS)
{
	AnalystLook look;
	Jsonb *free_declaration;
	Datum declaration;
	bool isnull;

	memset(&look, 0, sizeof(look));
	look.descriptor = kept_columns(1, (const char *const[]){"declaration"}, JSONBOID);
	look.write = put_suggestion;
	looks_begin(&look.request, &look_suggest);
	look.request.table = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	decimal_epsilon(argument_value(fcinfo, 1, "epsilon"), NUMERICOID, &look.request.cost);
	look.known = argument_json(fcinfo, 2, "columns");
	look.filter = argument_json(fcinfo, 3, "filter");
	if (!needs_look(&look, &free_declaration))
		PG_RETURN_JSONB_P(free_declaration);
	analyst_begin_answer(&look.release, &analyst_look_kind, fcinfo, look.request.table);
	kept_read_row(DatumGetJsonbP(release_make(&look.release)), 0, look.descriptor, &declaration,
				  &isnull);
	PG_RETURN_DATUM(declaration);
}
