/*
 * analyst.c - the checks of the analyst's door, and opening a table.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_inherits.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "server/base/acting.h"
#include "server/analyst/analyst.h"
#include "server/base/json_value.h"
#include "server/base/dpobj.h"
#include "server/base/near_name.h"
#include "server/ledger/grant.h"
#include "server/release/kept.h"
#include "server/rows/scan_tables.h"
#include "server/rows/rows_state.h"

/* ---- entering ---- */

/*
 * The kind of a relation is public, so it is checked before the grant.  Only a topmost table has
 * declarations and budgets.
 */
void
analyst_check_relation(Oid table)
{
	Relation relation = acting_open(table, AccessShareLock);

	scan_check_relation(relation, true,
						false); /* row-level security is checked when it is opened */
	if (has_superclass(table))
		ereport(ERROR,
				(errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
				 errmsg("relation \"%s\" cannot be trained on", RelationGetRelationName(relation)),
				 errdetail("It is a partition or child of another table."),
				 errhint("Train on the topmost parent, with a filter.")));
	relation_close(relation, AccessShareLock);
}

void
analyst_ask(Oid table)
{
	charge_precheck();
	analyst_check_relation(table);
	grant_check_caller(table, true); /* before it gets what is kept for the session user */
}

void
analyst_begin(Release *release, const ReleaseKind *kind, FunctionCallInfo fcinfo, Oid table)
{
	release->kind = kind;
	release->fcinfo = fcinfo;
	release->table = table;
	release->by_analyst = true;
	analyst_ask(table);
}

void
analyst_begin_answer(Release *release, const ReleaseKind *kind, FunctionCallInfo fcinfo, Oid table)
{
	analyst_begin(release, kind, fcinfo, table);
	kept_begin(fcinfo, &release->terms);
}

void
analyst_shape(Release *release, const AnalystTable *opened)
{
	release->shape = &opened->shape;
	release->ignore_rls = opened->protection.ignore_rls;
}

/* ---- opening ---- */

/* Encodes the target or the class in front of the features; a row then has no label. */
static void
set_target_first(AnalystTable *opened)
{
	Encoders *columns = &opened->columns;
	const Encoders *features = &opened->features;

	columns->encoder = palloc((features->count + 1) * sizeof(Encoder));
	columns->encoder[0] = *opened->label;
	memcpy(columns->encoder + 1, features->encoder, features->count * sizeof(Encoder));
	columns->count = features->count + 1;
	columns->features = features->features + opened->label->features;
	if (columns->features > COLUMNS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the columns have %d features, and a row takes %d beside its label",
							   features->features, COLUMNS_MAX - opened->label->features),
						errhint("Choose fewer columns, or declare fewer levels or bins.")));
	opened->shape.features = columns;
	opened->shape.label = NULL;
}

static void
check_no_group(List *by, const char *name, const char *what)
{
	if (names_include(by, name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows are grouped by column \"%s\", so that it cannot be %s", name, what)));
}

/* Moves the encoders of grouping columns from all to opened->groups. */
static void
split(AnalystTable *opened, List *by, List *names, const char *label, Encoders *all)
{
	Encoders rest;
	ListCell *cell;

	check_no_group(by, label, "the label");
	foreach (cell, names)
		check_no_group(by, lfirst(cell), "a feature");
	encoders_split(all, by, &opened->groups, &rest);
	*all = rest;
}

/* Constants are compared with declarations alone, so an error says nothing about a row. */
static void
read_filter(const Protection *protection, TupleDesc descriptor, Jsonb *json, Filter *filter)
{
	List *names = NIL;
	Encoders declared;

	filter_parse(json, descriptor, filter);
	if (filter->count == 0)
		return;
	for (int i = 0; i < filter->count; i++)
		names = lappend(names, unconstify(char *, filter->condition[i].column.name));
	protection_encoders(protection, descriptor, names, NULL, NIL, &declared);
	filter_check_declared(filter, &declared);
}

/* Opens the table and its declaration. */
static Relation
open_table(Oid table, AnalystTable *opened)
{
	Relation relation = acting_open(table, AccessShareLock);

	memset(opened, 0, sizeof(*opened));
	opened->table = table;
	opened->name = quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
											  RelationGetRelationName(relation));
	protection_require(relation, &opened->protection);
	return relation;
}

/* Finds what the scan reads, but for the columns, and closes the table. */
static void
close_table(Relation relation, Jsonb *filter, AnalystTable *opened)
{
	read_filter(&opened->protection, RelationGetDescr(relation), filter, &opened->filter);
	if (protection_person(&opened->protection, RelationGetDescr(relation), &opened->person))
		opened->shape.person = &opened->person;
	relation_close(relation, AccessShareLock);
	opened->shape.features = &opened->features;
	opened->shape.label = opened->label;
	opened->shape.filter = &opened->filter;
	opened->shape.max_rows_per_person = opened->protection.max_rows_per_person;
}

void
analyst_open(Oid table, List *by, List *names, const LabelChoice *label, Jsonb *filter,
			 AnalystTable *opened)
{
	Relation relation = open_table(table, opened);
	Encoders all;
	bool is_class;

	protection_encoders(&opened->protection, RelationGetDescr(relation), names, label->name, by,
						&all);
	if (by != NIL)
		split(opened, by, names, label->name, &all);
	if (label->name != NULL)
		opened->label = encoders_label(&all, label);
	is_class = opened->label != NULL && opened->label->is_class;
	encoders_choose(&all, names, label->name, !is_class, &opened->features);
	close_table(relation, filter, opened);
	if (opened->label != NULL && (label->is_target || encoder_is_number(opened->label) || is_class))
		set_target_first(opened);
	opened->shape.groups = by == NIL ? NULL : &opened->groups;
}

void
analyst_open_look(Oid table, List *by, const char *column, bool is_histogram, JsonbValue *bins,
				  Jsonb *filter, AnalystTable *opened, double *low, double *high)
{
	Relation relation = open_table(table, opened);
	List *names = list_copy(by);
	List *groups = list_copy(by);
	Encoders all = {0};
	Encoders rest;

	*low = *high = NAN;
	if (column != NULL)
		names = lappend(names, pstrdup(column));
	if (is_histogram)
		groups = lappend(groups, pstrdup(column));
	if (names != NIL)
		protection_encoders(&opened->protection, RelationGetDescr(relation), names, NULL, NIL,
							&all);
	if (is_histogram)
		encoders_set_bins(&all, column, bins);
	encoders_split(&all, groups, &opened->groups, &rest);
	if (is_histogram)
		opened->groups.encoder[opened->groups.count - 1].others = true;
	else if (column != NULL)
	{
		opened->features.encoder = palloc(sizeof(Encoder));
		opened->features.count = opened->features.features = 1;
		if (!encoders_plain_number(&all, column, opened->features.encoder, low, high))
			*low = *high = NAN;
	}
	close_table(relation, filter, opened);
	opened->shape.groups = &opened->groups;
}

void
analyst_open_profile(Oid table, Jsonb *encoders, List *names, Jsonb *filter, AnalystTable *opened)
{
	Relation relation = open_table(table, opened);
	TupleDesc descriptor = RelationGetDescr(relation);
	List *columns = names == NIL ? json_keys(&opened->protection.encoders->root) : names;
	Encoders all;

	if (encoders != NULL)
		encoders_parse(encoders, descriptor, &all);
	else
		protection_encoders(&opened->protection, descriptor, columns, NULL, NIL, &all);
	encoders_values(&all, names, &opened->features);
	close_table(relation, filter, opened);
}

void
analyst_open_level(Oid table, const char *column, Jsonb *filter, AnalystTable *opened)
{
	Relation relation = open_table(table, opened);
	TupleDesc descriptor = RelationGetDescr(relation);
	Column *level = &opened->level;

	if (!column_find(descriptor, column, level))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" does not exist", column),
						near_name_errhint(column, column_names(descriptor))));
	if (!column_has_text(level) || level->cast != CAST_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels of column \"%s\" of type %s cannot be found", column,
						format_type_be(level->stored)),
				 errdetail("Levels are values of type text, varchar, char, smallint, integer, "
						   "bigint, or an enum.")));
	close_table(relation, filter, opened);
	opened->shape.level = level;
}

void
analyst_hold_out(AnalystTable *opened, int64 thousandths, bool trains)
{
	Relation relation;

	if (thousandths == 0)
		return;
	relation = acting_open(opened->table, AccessShareLock);
	holdout_find(&opened->protection, RelationGetDescr(relation), thousandths, trains,
				 &opened->holdout);
	relation_close(relation, AccessShareLock);
	opened->shape.holdout = &opened->holdout;
}

void
analyst_hold_out_by_chance(AnalystTable *opened, int64 thousandths)
{
	Relation relation = acting_open(opened->table, AccessShareLock);

	holdout_find_by_chance(&opened->protection, RelationGetDescr(relation), thousandths,
						   &opened->holdout);
	relation_close(relation, AccessShareLock);
	opened->shape.holdout = &opened->holdout;
}

/* ---- describing ---- */

static void
append_encoder(StringInfo text, const AnalystTable *opened, const char *column)
{
	Datum encoder =
		DirectFunctionCall2(jsonb_object_field, JsonbPGetDatum(opened->protection.encoders),
							CStringGetTextDatum(column));
	Jsonb *json = DatumGetJsonbP(encoder);

	escape_json(text, column);
	appendStringInfo(text, ": %s", JsonbToCString(NULL, &json->root, VARSIZE(json)));
}

/* Encoders and types describe the columns to a reader of the model without the table. */
static void
append_type(StringInfo text, const Column *column)
{
	escape_json(text, column->name);
	appendStringInfo(text, ": \"%s\"", column_type_name(column));
}

/* Which rows of the table were read, and who they belong to. */
static void
append_rows(StringInfo text, const AnalystTable *opened, Jsonb *filter)
{
	if (filter != NULL)
		appendStringInfo(text, ", \"filter\": %s",
						 JsonbToCString(NULL, &filter->root, VARSIZE(filter)));
	if (opened->shape.holdout != NULL && !opened->shape.holdout->by_chance)
		holdout_append(text, opened->shape.holdout);
	if (opened->protection.person != NULL)
	{
		appendStringInfoString(text, ", \"person\": ");
		escape_json(text, opened->protection.person);
		appendStringInfo(text, ", \"max_rows_per_person\": %d",
						 opened->protection.max_rows_per_person);
	}
}

char *
analyst_look_provenance(const AnalystTable *opened, Jsonb *filter)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, ", \"relation\": ");
	escape_json(&text, opened->name);
	append_rows(&text, opened, filter);
	return text.data;
}

char *
analyst_provenance(const AnalystTable *opened, Jsonb *filter)
{
	const Encoders *features = &opened->features;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, ", \"relation\": ");
	escape_json(&text, opened->name);
	appendStringInfoString(&text, ", \"label\": ");
	escape_json(&text, opened->label->column.name);
	appendStringInfoString(&text, ", \"features\": [");
	for (int i = 0; i < features->count; i++)
	{
		appendStringInfoString(&text, i > 0 ? ", " : "");
		escape_json(&text, features->encoder[i].column.name);
	}
	appendStringInfoString(&text, "], \"encoders\": {");
	append_encoder(&text, opened, opened->label->column.name);
	for (int i = 0; i < features->count; i++)
	{
		appendStringInfoString(&text, ", ");
		append_encoder(&text, opened, features->encoder[i].column.name);
	}
	appendStringInfoString(&text, "}, \"types\": {");
	append_type(&text, &opened->label->column);
	for (int i = 0; i < features->count; i++)
	{
		appendStringInfoString(&text, ", ");
		append_type(&text, &features->encoder[i].column);
	}
	appendStringInfoChar(&text, '}');
	append_rows(&text, opened, filter);
	return text.data;
}

/* ---- the rows ---- */

/* Takes the rows that a full table gives away; sink must be the first member. */
typedef struct Cell
{
	SpillSink sink;
	Release *release;
	AnalystRow take;
	int cell;
	Rows *rows;
} Cell;

static void
take_records(SpillSink *self, const void *records, size_t bytes)
{
	const Cell *cell = (const Cell *) self;
	size_t size = spill_record_size(&cell->rows->shape);
	int32 x[COLUMNS_MAX + 1] = {0}; /* a record has an even number of them */
	RowCount count;

	for (size_t at = 0; at + size <= bytes; at += size)
	{
		spill_unpack(&cell->rows->shape, (const uint8 *) records + at, x, &count);
		cell->take(cell->release, cell->cell, x, &count);
	}
}

static void
take_rows(const Cell *cell)
{
	Rows *rows = cell->rows;

	rows_flush(rows);
	for (uint32 i = 0; i < rows->distinct; i++)
		cell->take(cell->release, cell->cell, rows->x + (Size) i * rows->stride, &rows->count[i]);
}

/* Returns the rows that are in no cell, of a scan without groups. */
static int64
read_cells(Release *release, const Encoding *encoding, int cells, Size bytes, AnalystRow take,
		   bool closes)
{
	Cell *cell = palloc(cells * sizeof(Cell));
	Rows **rows = palloc(cells * sizeof(Rows *));

	for (int i = 0; i < cells; i++)
	{
		rows[i] = &rows_state_create(encoding, CurrentMemoryContext)->rows;
		cell[i] = (Cell){{take_records}, release, take, i, rows[i]};
		rows_set_spill(rows[i], &cell[i].sink, bytes);
	}
	if (release->shape->groups == NULL)
		scan_run(release->scan, rows[0]);
	else
		scan_run_groups(release->scan, rows, cells);
	if (closes)
		scan_close(release->scan);
	for (int i = 0; i < cells; i++)
		take_rows(&cell[i]);
	return rows[0]->neutral - scan_left_out(release->scan);
}

void
analyst_read(Release *release, const Encoding *encoding, int cells, Size bytes, AnalystRow take)
{
	(void) read_cells(release, encoding, cells, bytes, take, true);
}

int64
analyst_read_open(Release *release, const Encoding *encoding, int cells, Size bytes,
				  AnalystRow take)
{
	return read_cells(release, encoding, cells, bytes, take, false);
}
