/*
 * declare.c - dpobj.declare(): a declaration from the catalog alone.
 *
 * Only what somebody has said of a table is read: types, constraints, defaults, and whether an
 * index is unique.  Nothing that comes of rows is: no row, no statistics, no size.  So it is free.
 * A column of which the catalog says not enough has a gap, {"gap": ...}, which dpobj.protect
 * refuses.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "core/rows/levels.h"
#include "core/rows/text_value.h"

#include "server/base/acting.h"
#include "server/base/argument.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/numeric_value.h"
#include "server/rows/column.h"
#include "server/rows/column_checks.h"
#include "server/rows/declare.h"

/* ---- columns that are left out ---- */

/* Is the column alone unique?  Then each of its values is of one row. */
static bool
is_unique(Relation relation, AttrNumber number)
{
	bool unique = false;
	ListCell *cell;

	foreach (cell, RelationGetIndexList(relation))
	{
		HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index;

		if (!HeapTupleIsValid(tuple))
			continue;
		index = (Form_pg_index) GETSTRUCT(tuple);
		unique |= index->indisunique && index->indnkeyatts == 1 &&
				  index->indkey.values[0] == number &&
				  heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
		ReleaseSysCache(tuple);
	}
	return unique;
}

/* Does a sequence number the rows? */
static bool
is_numbered(Relation relation, Form_pg_attribute attribute)
{
	const TupleConstr *constraints = RelationGetDescr(relation)->constr;

	if (attribute->attidentity != '\0')
		return true;
	for (int i = 0; constraints != NULL && i < constraints->num_defval; i++)
	{
		Node *node;

		if (constraints->defval[i].adnum != attribute->attnum)
			continue;
		node = stringToNode(constraints->defval[i].adbin);
		while (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid != F_NEXTVAL &&
			   list_length(((FuncExpr *) node)->args) == 1)
			node = linitial(((FuncExpr *) node)->args);
		return IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == F_NEXTVAL;
	}
	return false;
}

/* ---- gaps ---- */

static void
append_gap(StringInfo text, const char *what)
{
	appendStringInfoString(text, "\"gap\": ");
	escape_json(text, what);
}

/* The name of the table to whose keys the column refers, or NULL. */
static const char *
referenced(Relation relation, AttrNumber number)
{
	ListCell *cell;

	foreach (cell, RelationGetFKeyList(relation))
	{
		ForeignKeyCacheInfo *key = lfirst(cell);

		for (int i = 0; i < key->nkeys; i++)
			if (key->conkey[i] == number)
				return get_rel_name(key->confrelid);
	}
	return NULL;
}

static const char *
unknown(Relation relation, const Column *column, const ColumnChecks *checks)
{
	const char *table = referenced(relation, column->number);

	if (table != NULL)
		return psprintf("a key of table %s: write \"levels\", or take the column out", table);
	if (checks->many && (column->kind == COLUMN_TEXT || column->kind == COLUMN_INTEGER))
		return psprintf("more than %d values: write fewer \"levels\", or take the column out",
						LEVELS_MAX);
	if (column->kind == COLUMN_TEXT)
		return "no CHECK lists its values: write \"levels\"";
	if (column->kind == COLUMN_TIME)
		return checks->low != NULL || checks->high != NULL
				   ? "only one bound is known: write \"epoch_of\" and \"bins\", or \"part\""
				   : "no CHECK bounds it: write \"epoch_of\" and \"bins\", or \"part\"";
	if (checks->low != NULL)
		return psprintf("no upper bound, %s is the lower one: write \"bins\", or \"center\" and "
						"\"scale\"",
						numeric_normalize(checks->low));
	if (checks->high != NULL)
		return psprintf("no lower bound, %s is the upper one: write \"bins\", or \"center\" and "
						"\"scale\"",
						numeric_normalize(checks->high));
	return column->kind == COLUMN_INTEGER
			   ? "no CHECK bounds it: write \"bins\", \"levels\", or \"center\" and \"scale\""
			   : "no CHECK bounds it: write \"bins\", or \"center\" and \"scale\"";
}

/* ---- levels ---- */

static void
append_levels(StringInfo text, const Column *column, List *levels, bool nullable)
{
	if (levels == NIL)
	{
		append_gap(text, "no value is allowed: take the column out");
		return;
	}
	if (list_length(levels) + nullable > LEVELS_MAX)
	{
		append_gap(text, psprintf("%d values, and a column takes %d features: write fewer "
								  "\"levels\", or take the column out",
								  list_length(levels), LEVELS_MAX));
		return;
	}
	appendStringInfoString(text, "\"levels\": [");
	for (int i = 0; i < list_length(levels); i++)
	{
		appendStringInfoString(text, i > 0 ? ", " : "");
		if (column->kind == COLUMN_INTEGER)
			appendStringInfoString(text, list_nth(levels, i));
		else
			escape_json(text, list_nth(levels, i));
	}
	appendStringInfo(text, "]%s", nullable ? ", \"null_indicator\": true" : "");
}

/* ---- ranges ---- */

static Numeric
half(Datum (*operation)(PG_FUNCTION_ARGS), Numeric a, Numeric b)
{
	Datum half = DirectFunctionCall3(numeric_in, CStringGetDatum("0.5"),
									 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	return DatumGetNumeric(DirectFunctionCall2(
		numeric_mul, DirectFunctionCall2(operation, NumericGetDatum(a), NumericGetDatum(b)), half));
}

/* A number from -1 at the lower end to 1 at the upper one; a missing value is in the middle. */
static void
append_number(StringInfo text, Numeric low, Numeric high, bool nullable)
{
	Numeric center = half(numeric_add, high, low);
	Numeric scale = half(numeric_sub, high, low);
	double width = numeric_value(NumericGetDatum(scale));

	if (!(width > 0) || !isfinite(width) || !isfinite(numeric_value(NumericGetDatum(center))))
		append_gap(text, "no range of several values is left: take the column out");
	else
		appendStringInfo(text, "\"center\": %s, \"scale\": %s, \"clip\": [-1, 1]%s",
						 numeric_normalize(center), numeric_normalize(scale),
						 nullable ? ", \"null\": 0" : "");
}

/* The number of days since 2000 that begins at this time, or before or after it. */
static int64
day_at(Numeric time, Datum (*round)(PG_FUNCTION_ARGS))
{
	Datum days = DirectFunctionCall2(numeric_div, NumericGetDatum(time),
									 NumericGetDatum(int64_to_numeric(USECS_PER_DAY)));

	return DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall1(round, days)));
}

/* Days since the first one, of which the year has four digits. */
static void
append_days(StringInfo text, const ColumnChecks *checks, bool nullable)
{
	int64 first = day_at(checks->low, numeric_floor);
	int64 last = day_at(checks->high, numeric_ceil);
	int year;
	int month;
	int day;

	j2date((int) first + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	if (year < 1 || year > 9999)
	{
		append_gap(text, "its first day is too far away: write \"epoch_of\" and \"bins\"");
		return;
	}
	if (last > first)
		appendStringInfo(text, "\"epoch_of\": \"day\", \"since\": \"%04d-%02d-%02d\", ", year,
						 month, day);
	append_number(text, int64_to_numeric(0), int64_to_numeric(last - first), nullable);
}

/* ---- the declaration ---- */

/* A list of numbers that are no codes is a range. */
static void
list_as_range(ColumnChecks *checks)
{
	ListCell *cell;

	checks->listed = false;
	checks->low = checks->high = NULL;
	foreach (cell, checks->values)
	{
		Datum number = DirectFunctionCall3(numeric_in, CStringGetDatum(lfirst(cell)),
										   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

		if (checks->low == NULL || DatumGetInt32(DirectFunctionCall2(
									   numeric_cmp, number, NumericGetDatum(checks->low))) < 0)
			checks->low = DatumGetNumeric(number);
		if (checks->high == NULL || DatumGetInt32(DirectFunctionCall2(
										numeric_cmp, number, NumericGetDatum(checks->high))) > 0)
			checks->high = DatumGetNumeric(number);
	}
}

bool
declare_are_booleans(List *values)
{
	bool first;
	bool second;

	return list_length(values) == 2 &&
		   text_boolean(linitial(values), strlen(linitial(values)), &first) &&
		   text_boolean(lsecond(values), strlen(lsecond(values)), &second) && first != second;
}

static bool
is_boolean(const Column *column, const ColumnChecks *checks)
{
	if (column->kind == COLUMN_BOOLEAN)
		return true;
	if (column->kind != COLUMN_TEXT && column->kind != COLUMN_INTEGER)
		return false;
	return checks->listed
			   ? declare_are_booleans(checks->values)
			   : column->kind == COLUMN_INTEGER && checks->low != NULL && checks->high != NULL &&
					 numeric_value(NumericGetDatum(checks->low)) == 0 &&
					 numeric_value(NumericGetDatum(checks->high)) == 1;
}

static void
append_boolean(StringInfo text, const Column *column, bool nullable)
{
	appendStringInfo(text, "%s%s%s", column->kind == COLUMN_BOOLEAN ? "" : "\"as\": \"boolean\"",
					 column->kind != COLUMN_BOOLEAN && nullable ? ", " : "",
					 nullable ? "\"null_indicator\": true" : "");
}

/* The hours of a day; the length of an interval has no bounds. */
static void
append_clock(StringInfo text, const Column *column, bool nullable)
{
	if (column->cast == CAST_INTERVAL)
	{
		append_gap(text, "a length of time: write \"epoch_of\" and \"bins\"");
		return;
	}
	appendStringInfoString(text, "\"epoch_of\": \"hour\", ");
	append_number(text, int64_to_numeric(0), int64_to_numeric(HOURS_PER_DAY), nullable);
}

static void
append_encoder(StringInfo text, Relation relation, Form_pg_attribute attribute,
			   const Column *column, ColumnChecks *found)
{
	ColumnChecks checks;

	column_checks_read(relation, attribute, column, &checks);
	*found = checks;
	if (column->cast != CAST_NONE || is_boolean(column, &checks))
	{
		(column->cast != CAST_NONE ? append_clock : append_boolean)(text, column, !checks.not_null);
		return;
	}
	if (column->kind == COLUMN_ENUM && !checks.listed)
		checks = (ColumnChecks){.listed = true,
								.values = column_enum_labels(column->type),
								.not_null = checks.not_null};
	if (checks.listed && (column->kind == COLUMN_REAL || column->kind == COLUMN_NUMERIC))
		list_as_range(&checks);
	if (checks.listed && column->kind != COLUMN_TIME)
		append_levels(text, column, checks.values, !checks.not_null);
	else if (checks.low == NULL || checks.high == NULL)
		append_gap(text, unknown(relation, column, &checks));
	else if (column->kind == COLUMN_TIME)
		append_days(text, &checks, !checks.not_null);
	else
		append_number(text, checks.low, checks.high, !checks.not_null);
}

static bool
is_left_out(Relation relation, Form_pg_attribute attribute)
{
	return attribute->attisdropped || attribute->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL ||
		   is_unique(relation, attribute->attnum) || is_numbered(relation, attribute);
}

/* Writes the members of the column's encoder; false if it has none. */
static bool
append_column(StringInfo text, Relation relation, Form_pg_attribute attribute, Column *column,
			  ColumnChecks *checks)
{
	if (is_left_out(relation, attribute))
		return false;
	column_init(column, attribute);
	(void) column_set_cast(column, column_own_cast(column->stored));
	if (column->kind == COLUMN_OTHER)
		return false;
	append_encoder(text, relation, attribute, column, checks);
	return true;
}

DeclaredColumn
declare_column(Relation relation, Form_pg_attribute attribute, StringInfo text)
{
	static const char gap[] = "\"gap\"";
	Column column;
	ColumnChecks checks;

	if (!append_column(text, relation, attribute, &column, &checks))
		return DECLARED_LEFT_OUT;
	if (strncmp(text->data, gap, strlen(gap)) == 0)
		return DECLARED_GAP;
	if (checks.listed || checks.low == NULL || checks.high == NULL || column.kind == COLUMN_TIME)
		return DECLARED_ENCODER;
	resetStringInfo(text);
	appendStringInfo(text, "[%s, %s]", numeric_normalize(checks.low),
					 numeric_normalize(checks.high));
	return DECLARED_RANGE;
}

static void
append_columns(StringInfo text, Relation relation)
{
	TupleDesc descriptor = RelationGetDescr(relation);

	appendStringInfoChar(text, '{');
	for (int i = 0; i < descriptor->natts; i++)
	{
		StringInfoData encoder;
		Column column;
		ColumnChecks checks;

		CHECK_FOR_INTERRUPTS();
		initStringInfo(&encoder);
		if (!append_column(&encoder, relation, TupleDescAttr(descriptor, i), &column, &checks))
			continue;
		appendStringInfoString(text, text->len > 1 ? ", " : "");
		escape_json(text, column.name);
		appendStringInfo(text, ": {%s}", encoder.data);
	}
	appendStringInfoChar(text, '}');
}

/* dpobj.declare(relation regclass) -> jsonb */
PG_FUNCTION_INFO_V1(dpobj_declare);
Datum
dpobj_declare(PG_FUNCTION_ARGS)
{
	Oid oid = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	Relation relation = acting_open(oid, AccessShareLock);
	StringInfoData text;

	if (relation->rd_rel->relkind != RELKIND_RELATION &&
		relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("relation \"%s\" cannot be declared", RelationGetRelationName(relation)),
				 errdetail("Only tables and partitioned tables are protected.")));
	initStringInfo(&text);
	append_columns(&text, relation);
	relation_close(relation, AccessShareLock);
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}
