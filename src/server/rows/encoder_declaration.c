/*
 * encoder_declaration.c - reads the jsonb "encoders" and checks it against a table.
 *
 * The errors are about the declaration and the table's columns, both of which are public.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "server/rows/encoders.h"
#include "server/base/json_value.h"
#include "server/base/keyed_json.h"
#include "server/base/near_name.h"

/* ---- the keys of one encoder ---- */

typedef enum EncoderKey
{
	KEY_AS,
	KEY_BINS,
	KEY_CENTER,
	KEY_CLIP,
	KEY_DROP_FIRST,
	KEY_EPOCH_OF,
	KEY_LEVELS,
	KEY_NEGATIVE,
	KEY_NULL,
	KEY_NULL_INDICATOR,
	KEY_PART,
	KEY_POSITIVE,
	KEY_SCALE,
	KEY_SINCE,
	KEY_TIME_ZONE,
	KEYS /* the number of keys */
} EncoderKey;

static const char *const key_names[] = {
	[KEY_AS] = "as",
	[KEY_BINS] = "bins",
	[KEY_CENTER] = "center",
	[KEY_CLIP] = "clip",
	[KEY_DROP_FIRST] = "drop_first",
	[KEY_EPOCH_OF] = "epoch_of",
	[KEY_LEVELS] = "levels",
	[KEY_NEGATIVE] = "negative",
	[KEY_NULL] = "null",
	[KEY_NULL_INDICATOR] = "null_indicator",
	[KEY_PART] = "part",
	[KEY_POSITIVE] = "positive",
	[KEY_SCALE] = "scale",
	[KEY_SINCE] = "since",
	[KEY_TIME_ZONE] = "time_zone",
};

#define KEY_BIT(key) (1 << (key))
#define MISSING_KEYS (KEY_BIT(KEY_NULL) | KEY_BIT(KEY_NULL_INDICATOR))
#define EPOCH_KEYS (KEY_BIT(KEY_EPOCH_OF) | KEY_BIT(KEY_SINCE) | KEY_BIT(KEY_TIME_ZONE))

#define COLUMN_BIT(kind) (1 << (kind))
#define NUMBER_COLUMNS                                                                             \
	(COLUMN_BIT(COLUMN_INTEGER) | COLUMN_BIT(COLUMN_REAL) | COLUMN_BIT(COLUMN_NUMERIC) |           \
	 COLUMN_BIT(COLUMN_TIME))
#define LEVEL_COLUMNS                                                                              \
	(COLUMN_BIT(COLUMN_TEXT) | COLUMN_BIT(COLUMN_ENUM) | COLUMN_BIT(COLUMN_INTEGER))

/* Parts of times are levels that nobody lists. */
#define PARTS (ENCODER_LABEL + 1)

/* The keys that each kind of encoder takes, and the columns that it encodes. */
static const struct
{
	const char *name; /* in messages */
	int keys;
	int columns;
	const char *hint; /* for another column */
} kinds[] = {
	[ENCODER_NUMBER] =
		{"a number",
		 KEY_BIT(KEY_AS) | KEY_BIT(KEY_CENTER) | KEY_BIT(KEY_SCALE) | KEY_BIT(KEY_CLIP) |
			 EPOCH_KEYS | MISSING_KEYS,
		 NUMBER_COLUMNS | COLUMN_BIT(COLUMN_BOOLEAN),
		 "Declare \"levels\" for texts and enums, or what to read a text as, such as "
		 "\"as\": \"number\"."},
	[ENCODER_BINS] = {"bins",
					  KEY_BIT(KEY_AS) | KEY_BIT(KEY_BINS) | KEY_BIT(KEY_DROP_FIRST) | EPOCH_KEYS |
						  MISSING_KEYS,
					  NUMBER_COLUMNS,
					  "\"bins\" are for numbers, dates and timestamps; of texts with \"as\": "
					  "\"number\"."},
	[ENCODER_LEVELS] = {"levels", KEY_BIT(KEY_LEVELS) | KEY_BIT(KEY_DROP_FIRST) | MISSING_KEYS,
						LEVEL_COLUMNS,
						"\"levels\" are for texts, enums and integers; a boolean takes {}."},
	[ENCODER_LABEL] = {"a label", KEY_BIT(KEY_POSITIVE) | KEY_BIT(KEY_NEGATIVE),
					   NUMBER_COLUMNS | LEVEL_COLUMNS | COLUMN_BIT(COLUMN_BOOLEAN), ""},
	[PARTS] = {"a part",
			   KEY_BIT(KEY_AS) | KEY_BIT(KEY_PART) | KEY_BIT(KEY_TIME_ZONE) |
				   KEY_BIT(KEY_DROP_FIRST) | MISSING_KEYS,
			   COLUMN_BIT(COLUMN_TIME), "\"part\" is for dates and timestamps."},
};

/* One column's member of the declaration. */
typedef struct Declaration
{
	const char *column;
	JsonbValue *value[KEYS]; /* NULL if not given */
} Declaration;

static void
invalid(const Declaration *declaration, EncoderKey key, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" in the encoder of column \"%s\" must be %s", key_names[key],
						   declaration->column, expected)));
}

static void
read_keys(const char *column, JsonbValue *json, Declaration *declaration)
{
	JsonbContainer *object = json_get_object(json);
	ListCell *cell;

	if (object == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the encoder of column \"%s\" must be a JSON object", column),
						errhint("Write for example {\"scale\": 10, \"clip\": [0, 2]}, {\"levels\": "
								"[\"a\", \"b\"]}, or {} for a boolean.")));
	declaration->column = column;
	for (int i = 0; i < KEYS; i++)
		declaration->value[i] = json_member(object, key_names[i]);
	foreach (cell, json_keys(object))
		(void) keyed_json_find("key", psprintf(" in the encoder of column \"%s\"", column),
							   key_names, KEYS, lfirst(cell));
}

static bool
has_key(const Declaration *declaration, EncoderKey key)
{
	return declaration->value[key] != NULL;
}

/* ---- values ---- */

static bool
read_flag(const Declaration *declaration, EncoderKey key)
{
	JsonbValue *value = declaration->value[key];

	if (value == NULL)
		return false;
	if (value->type != jbvBool)
		invalid(declaration, key, "true or false");
	return value->val.boolean;
}

static void
read_number(const Declaration *declaration, EncoderKey key, double *number)
{
	if (has_key(declaration, key) && !json_get_number(declaration->value[key], number))
		invalid(declaration, key, "a number");
}

static void
read_clip(const Declaration *declaration, Encoder *encoder)
{
	if (!has_key(declaration, KEY_CLIP))
		return;
	if (!json_get_pair(declaration->value[KEY_CLIP], &encoder->low, &encoder->high) ||
		encoder->low > encoder->high || encoder->low < -ENCODING_MAX_CLIP ||
		encoder->high > ENCODING_MAX_CLIP)
		invalid(declaration, KEY_CLIP,
				psprintf("a pair [low, high] of numbers from %g to %g, low not above high",
						 -ENCODING_MAX_CLIP, ENCODING_MAX_CLIP));
}

/* What the column is read as; a time of day and an interval are read as times by themselves. */
static void
read_as(const Declaration *declaration, Encoder *encoder)
{
	Column *column = &encoder->column;
	char *name = NULL;

	encoder->as = column_own_cast(column->stored);
	if (has_key(declaration, KEY_AS))
	{
		name = json_get_string(declaration->value[KEY_AS]);
		encoder->as = name == NULL ? CAST_NONE : column_cast_named(name);
		if (encoder->as == CAST_NONE)
			invalid(declaration, KEY_AS, "\"number\", \"boolean\", \"date\" or \"timestamp\"");
	}
	if (!column_set_cast(column, encoder->as))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" of type %s cannot be read as a %s", column->name,
							   format_type_be(column->stored), name),
						errhint("\"as\" is for texts, and \"as\": \"boolean\" for numbers, too.")));
}

static void
read_since(const Declaration *declaration, Encoder *encoder)
{
	if (!has_key(declaration, KEY_SINCE))
		return;
	encoder->since = json_get_string(declaration->value[KEY_SINCE]);
	if (encoder->since == NULL || !time_read_date(encoder->since, &encoder->origin))
		invalid(declaration, KEY_SINCE, "a date such as \"2024-12-31\"");
}

static void
read_time_zone(const Declaration *declaration, Encoder *encoder)
{
	if (!has_key(declaration, KEY_TIME_ZONE))
		return;
	encoder->zone_name = json_get_string(declaration->value[KEY_TIME_ZONE]);
	if (encoder->zone_name != NULL)
		encoder->zone = time_zone_named(encoder->zone_name);
	if (encoder->zone == NULL)
		invalid(declaration, KEY_TIME_ZONE, "the name of a time zone, such as \"Europe/Rome\"");
}

static void
read_part(const Declaration *declaration, Encoder *encoder)
{
	char *name;

	if (!has_key(declaration, KEY_PART))
		return;
	name = json_get_string(declaration->value[KEY_PART]);
	if (name != NULL)
		encoder->part = time_part_named(name);
	if (encoder->part == PART_NONE)
		invalid(declaration, KEY_PART, "\"month\" or \"weekday\"");
}

static void
read_epoch(const Declaration *declaration, Encoder *encoder)
{
	static const struct
	{
		const char *name;
		double seconds;
	} units[] = {{"day", SECS_PER_DAY}, {"hour", SECS_PER_HOUR}, {"second", 1}};

	encoder->since = "1970";
	if (encoder->column.kind != COLUMN_TIME || encoder->kind == ENCODER_LABEL ||
		encoder->part != PART_NONE)
		return;
	for (int i = 0; has_key(declaration, KEY_EPOCH_OF) && i < lengthof(units); i++)
		if (json_is_string(declaration->value[KEY_EPOCH_OF], units[i].name))
		{
			encoder->unit = units[i].seconds;
			return;
		}
	invalid(declaration, KEY_EPOCH_OF, "\"day\", \"hour\" or \"second\"");
}

/* ---- numbers ---- */

static void
read_boolean(const Declaration *declaration, Encoder *encoder)
{
	JsonbValue *substitute = declaration->value[KEY_NULL];

	encoder->low = 0.0;
	if (!encoder->substitute)
		return;
	if (substitute->type != jbvBool)
		invalid(declaration, KEY_NULL, "true or false");
	encoder->null_value = substitute->val.boolean ? 1.0 : 0.0;
}

/* A number as it is declared, with all its digits. */
static Numeric
exact_number(JsonbValue *declared, int other)
{
	Numeric number;

	if (!edge_read(declared, &number))
		return DatumGetNumeric(DirectFunctionCall1(int4_numeric, Int32GetDatum(other)));
	return number;
}

static void
set_bounds(const Declaration *declaration, Encoder *encoder)
{
	JsonbContainer *pair =
		has_key(declaration, KEY_CLIP) ? json_get_array(declaration->value[KEY_CLIP]) : NULL;

	for (int i = 0; i < 2; i++)
		encoder->bound[i] = edge_make(
			&encoder->column, encoder_unit(encoder),
			edge_scaled(exact_number(declaration->value[KEY_CENTER], 0),
						exact_number(declaration->value[KEY_SCALE], 1),
						exact_number(pair == NULL ? NULL : getIthJsonbValueFromContainer(pair, i),
									 i == 0 ? -1 : 1)));
}

static void
read_scaled(const Declaration *declaration, Encoder *encoder)
{
	if (encoder->column.kind != COLUMN_REAL && !has_key(declaration, KEY_SCALE) &&
		!has_key(declaration, KEY_CLIP))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the encoder of column \"%s\" must have \"scale\" or \"clip\"",
						encoder->column.name),
				 errdetail("By default a feature is clipped to [-1, 1], which would flatten a "
						   "column of type %s.",
						   format_type_be(encoder->column.stored)),
				 encoder->column.kind == COLUMN_TIME
					 ? errhint("Write for example {\"epoch_of\": \"day\", \"center\": 20000, "
							   "\"scale\": 365, \"clip\": [-2, 2]}.")
					 : errhint("Write for example {\"center\": 40, \"scale\": 10, "
							   "\"clip\": [-2, 2]}.")));
	read_number(declaration, KEY_CENTER, &encoder->center);
	read_number(declaration, KEY_SCALE, &encoder->scale);
	if (!(encoder->scale > 0))
		invalid(declaration, KEY_SCALE, "a positive number");
	read_clip(declaration, encoder);
	set_bounds(declaration, encoder);
	encoder->null_value = Min(Max(0.0, encoder->low), encoder->high);
	read_number(declaration, KEY_NULL, &encoder->null_value);
	if (encoder->null_value < encoder->low || encoder->null_value > encoder->high)
		invalid(declaration, KEY_NULL, "a number within the clip bounds");
}

static void
read_numbers(const Declaration *declaration, Encoder *encoder)
{
	encoder->center = 0.0;
	encoder->scale = 1.0;
	encoder->low = -1.0;
	encoder->high = 1.0;
	encoder->features = 1;
	if (encoder->column.kind == COLUMN_BOOLEAN)
		read_boolean(declaration, encoder);
	else
		read_scaled(declaration, encoder);
}

/* ---- bins and levels ---- */

static bool
read_edge(JsonbValue *json, const Encoder *encoder, Edge *edge)
{
	Numeric declared;

	if (!edge_read(json, &declared))
		return false;
	*edge = edge_make(&encoder->column, encoder_unit(encoder), declared);
	return true;
}

/* The substitute is in the bin of a value of the column that is equal to it. */
static void
set_null_bin(const Declaration *declaration, Encoder *encoder)
{
	Edge substitute;

	if (!read_edge(declaration->value[KEY_NULL], encoder, &substitute))
		invalid(declaration, KEY_NULL, "a number");
	while (encoder->null_category < encoder->categories - 1 &&
		   edge_compare(&encoder->column, &substitute, &encoder->edge[encoder->null_category]) >= 0)
		encoder->null_category++;
}

static void
check_features(const Encoder *encoder, int features)
{
	if (features > LEVELS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has %d features, and a column takes %d",
							   encoder->column.name, features, LEVELS_MAX),
						errhint("Declare fewer levels or bins.")));
}

/* Refuses a list before it is read; two of its values, or a value and a gap, may be no features. */
static void
check_list(const Encoder *encoder, int count)
{
	if (count > LEVELS_MAX + 2)
		check_features(encoder, count);
}

/* False unless the array has strictly increasing numbers. */
static bool
read_edges(JsonbContainer *edges, Encoder *encoder)
{
	int count = JsonContainerSize(edges);

	encoder->categories = count + 1;
	encoder->edge = palloc(count * sizeof(Edge));
	for (int i = 0; i < count; i++)
	{
		Edge *edge = &encoder->edge[i];

		CHECK_FOR_INTERRUPTS();
		if (!read_edge(getIthJsonbValueFromContainer(edges, i), encoder, edge) ||
			(i > 0 && !edge_follows(&encoder->column, edge, edge - 1)))
			return false;
	}
	return true;
}

static void
read_bins(const Declaration *declaration, Encoder *encoder)
{
	JsonbContainer *edges = json_get_array(declaration->value[KEY_BINS]);
	int count = edges == NULL ? 0 : JsonContainerSize(edges);

	if (count < 1)
		invalid(declaration, KEY_BINS, "a non-empty array of the numbers between the bins");
	check_list(encoder, count);
	if (!read_edges(edges, encoder))
		invalid(declaration, KEY_BINS, "an array of strictly increasing numbers");
	if (encoder->substitute)
		set_null_bin(declaration, encoder);
}

static void
read_levels(const Declaration *declaration, Encoder *encoder)
{
	JsonbContainer *levels = json_get_array(declaration->value[KEY_LEVELS]);
	ColumnSet substitute;

	if (levels == NULL || JsonContainerSize(levels) < 1)
		invalid(declaration, KEY_LEVELS, "a non-empty array of the column's values");
	check_list(encoder, JsonContainerSize(levels));
	column_set_read(&encoder->column, levels, &encoder->set);
	encoder->categories = encoder->set.count;
	if (!encoder->substitute)
		return;
	column_set_single(&encoder->column, declaration->value[KEY_NULL], &substitute);
	encoder->null_category = -1;
	for (int i = 0; i < encoder->set.count; i++)
		if (column_compare(&encoder->column, &encoder->set.value[i], &substitute.value[0]) == 0)
			encoder->null_category = i;
	if (encoder->null_category < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" in the encoder of column \"%s\" must be one of the levels",
							   key_names[KEY_NULL], declaration->column),
						near_name_errhint(column_text(&encoder->column, &substitute.value[0]),
										  column_set_texts(&encoder->column, &encoder->set))));
}

/* The levels are the numbers from 1, which rows do not hold. */
static void
read_parts(const Declaration *declaration, Encoder *encoder)
{
	int values = time_part_values(encoder->part);
	int64 substitute;

	encoder->categories = values;
	encoder->set = (ColumnSet){.count = values, .value = palloc0(values * sizeof(ColumnValue))};
	for (int i = 0; i < values; i++)
		encoder->set.value[i].integer = i + 1;
	if (!encoder->substitute)
		return;
	if (!json_get_integer(declaration->value[KEY_NULL], 1, values, &substitute))
		invalid(declaration, KEY_NULL, psprintf("a whole number from 1 to %d", values));
	encoder->null_category = (int) substitute - 1;
}

static void
read_categories(const Declaration *declaration, Encoder *encoder)
{
	encoder->drop_first = read_flag(declaration, KEY_DROP_FIRST);
	if (encoder->kind == ENCODER_BINS)
		read_bins(declaration, encoder);
	else if (encoder->part != PART_NONE)
		read_parts(declaration, encoder);
	else
		read_levels(declaration, encoder);
	encoder->low = 0.0;
	encoder->high = 1.0;
	encoder->features = encoder_kept(encoder);
	if (encoder->features < 1)
		invalid(declaration, KEY_DROP_FIRST, "false where there is only one level");
}

static void
check_label_values(const Declaration *declaration, EncoderKey key)
{
	JsonbContainer *values = json_get_array(declaration->value[key]);

	if (values == NULL || JsonContainerSize(values) < 1)
		invalid(declaration, key,
				key == KEY_POSITIVE ? "a non-empty array of the values that make a positive label"
									: "a non-empty array of the values that make a negative label");
}

static void
read_label(const Declaration *declaration, Encoder *encoder)
{
	check_label_values(declaration, KEY_POSITIVE);
	if (has_key(declaration, KEY_NEGATIVE))
		check_label_values(declaration, KEY_NEGATIVE);
	label_declare(&encoder->label, declaration->value[KEY_POSITIVE],
				  declaration->value[KEY_NEGATIVE]);
}

/* ---- one column ---- */

static EncoderKind
choose_kind(const Declaration *declaration)
{
	if (has_key(declaration, KEY_POSITIVE))
		return ENCODER_LABEL;
	if (has_key(declaration, KEY_LEVELS) || has_key(declaration, KEY_PART))
		return ENCODER_LEVELS;
	return has_key(declaration, KEY_BINS) ? ENCODER_BINS : ENCODER_NUMBER;
}

static void
check_kind(const Encoder *encoder, int row)
{
	if (encoder->column.kind == COLUMN_OTHER)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" of type %s has no encoder", encoder->column.name,
							   format_type_be(encoder->column.stored)),
						errdetail(COLUMN_TYPES_DETAIL)));
	if ((kinds[row].columns & COLUMN_BIT(encoder->column.kind)) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the encoder of column \"%s\" does not fit type %s",
							   encoder->column.name, format_type_be(encoder->column.stored)),
						errhint("%s", kinds[row].hint)));
}

/* Refuses keys that would have no effect. */
static void
check_keys(const Declaration *declaration, const Encoder *encoder, int row)
{
	int allowed = kinds[row].keys;
	bool boolean = encoder->kind == ENCODER_NUMBER && encoder->column.kind == COLUMN_BOOLEAN;

	if (boolean)
		allowed = KEY_BIT(KEY_AS) | MISSING_KEYS;
	if (encoder->column.kind != COLUMN_TIME)
		allowed &= ~EPOCH_KEYS;
	if (encoder->column.type != TIMESTAMPTZOID)
		allowed &= ~KEY_BIT(KEY_TIME_ZONE);
	if (column_own_cast(encoder->column.stored) != CAST_NONE)
		allowed &= ~(KEY_BIT(KEY_SINCE) | KEY_BIT(KEY_PART));
	for (int i = 0; i < KEYS; i++)
		if (has_key(declaration, (EncoderKey) i) && (allowed & KEY_BIT(i)) == 0)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" in the encoder of column \"%s\" is not for %s of type %s",
						key_names[i], encoder->column.name, boolean ? "a column" : kinds[row].name,
						format_type_be(encoder->column.stored))));
}

static void
read_encoder(JsonbValue *json, Encoder *encoder)
{
	Declaration declaration;
	int row;

	read_keys(encoder->column.name, json, &declaration);
	read_as(&declaration, encoder);
	encoder->label.column = encoder->column;
	encoder->kind = choose_kind(&declaration);
	row = has_key(&declaration, KEY_PART) && encoder->kind == ENCODER_LEVELS ? PARTS
																			 : (int) encoder->kind;
	check_kind(encoder, row);
	check_keys(&declaration, encoder, row);
	read_part(&declaration, encoder);
	read_epoch(&declaration, encoder);
	read_since(&declaration, encoder);
	read_time_zone(&declaration, encoder);
	encoder->null_indicator = read_flag(&declaration, KEY_NULL_INDICATOR);
	encoder->substitute = has_key(&declaration, KEY_NULL);
	if (encoder->kind == ENCODER_NUMBER)
		read_numbers(&declaration, encoder);
	else if (encoder->kind == ENCODER_LABEL)
		read_label(&declaration, encoder);
	else
		read_categories(&declaration, encoder);
	encoder->features += encoder->null_indicator ? 1 : 0;
	check_features(encoder, encoder->features);
}

/* ---- bins of a histogram ---- */

/* Edges of so many equal parts of the declared bounds; what is below and above has its own bins. */
#define USUAL_PARTS 10

static Numeric
tenths(int count)
{
	return DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("%d.%d", count / 10, count % 10)),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static void
set_usual_edges(const Encoder *declared, Encoder *bins)
{
	Numeric low = declared->bound[0].declared;
	Numeric width = DatumGetNumeric(DirectFunctionCall2(
		numeric_sub, NumericGetDatum(declared->bound[1].declared), NumericGetDatum(low)));

	bins->categories = USUAL_PARTS + 2;
	bins->edge = palloc((USUAL_PARTS + 1) * sizeof(Edge));
	for (int i = 0; i <= USUAL_PARTS; i++)
		bins->edge[i] = edge_make(&declared->column, encoder_unit(declared),
								  edge_scaled(low, width, tenths(10 / USUAL_PARTS * i)));
}

void
encoders_set_bins(Encoders *all, const char *name, JsonbValue *bins)
{
	JsonbContainer *edges = json_get_array(bins);
	int at = 0;
	Encoder number;
	double bound;

	while (at < all->count && strcmp(all->encoder[at].column.name, name) != 0)
		at++;
	if (at == all->count || (bins == NULL && !encoder_is_number(&all->encoder[at])))
		return;
	(void) encoders_plain_number(all, name, &number, &bound, &bound);
	number.kind = ENCODER_BINS;
	if (bins == NULL)
		set_usual_edges(&all->encoder[at], &number);
	else if (edges == NULL || JsonContainerSize(edges) < 1 || !read_edges(edges, &number))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"bins\" must be an array of strictly increasing numbers")));
	number.features = number.categories;
	all->features += number.features - all->encoder[at].features;
	all->encoder[at] = number;
}

/* ---- another column ---- */

void
encoder_bind(Encoder *encoder, const Column *column)
{
	Edge *declared = encoder->edge;

	encoder->column = *column;
	for (int i = 0; i < 2 && encoder->bound[i].declared != NULL; i++)
		encoder->bound[i] = edge_make(column, encoder_unit(encoder), encoder->bound[i].declared);
	if (declared == NULL)
		return;
	encoder->edge = palloc((encoder->categories - 1) * sizeof(Edge));
	for (int i = 0; i < encoder->categories - 1; i++)
		encoder->edge[i] = edge_make(column, encoder_unit(encoder), declared[i].declared);
}

/* ---- the whole ---- */

/* The names of all declared columns. */
static List *
declared_columns(Jsonb *declaration)
{
	if (!JB_ROOT_IS_OBJECT(declaration) || JB_ROOT_COUNT(declaration) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("encoders must be a JSON object with a member for each column"),
						errhint("Write for example {\"age\": {\"bins\": [25, 35, 45]}, "
								"\"member\": {}}.")));
	return json_keys(&declaration->root);
}

/* Refuses what dpobj.declare() left open. */
static void
refuse_gaps(Jsonb *declaration, List *columns)
{
	StringInfoData gaps;
	int count = 0;
	ListCell *cell;

	initStringInfo(&gaps);
	foreach (cell, columns)
	{
		JsonbContainer *encoder = json_get_object(json_member(&declaration->root, lfirst(cell)));

		if (encoder == NULL || json_member(encoder, "gap") == NULL)
			continue;
		appendStringInfo(&gaps, "%s\"%s\"", count++ > 0 ? ", " : "", (char *) lfirst(cell));
	}
	if (count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("the encoder of column %s is a gap",
							   "the encoders of columns %s are gaps", count, gaps.data),
				 errdetail("The catalog does not say what values to expect."),
				 errhint("Write an encoder in its place, dpobj.declare(...) || '{\"age\": "
						 "{\"bins\": [25, 45]}}', or take the column out, dpobj.declare(...) - "
						 "'age'.")));
}

static void
check_columns(List *declared, List *columns, TupleDesc descriptor)
{
	ListCell *cell;

	foreach (cell, declared)
		if (names_include(columns, lfirst(cell)) &&
			column_attribute(descriptor, lfirst(cell)) == NULL)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the encoders name column \"%s\", which does not exist",
								   (char *) lfirst(cell)),
							near_name_errhint(lfirst(cell), column_names(descriptor))));
}

List *
encoders_taken(Jsonb *declaration, List *names, const char *label)
{
	List *taken = list_copy(names);
	ListCell *cell;

	if (label != NULL)
		taken = lappend(taken, unconstify(char *, label));
	if (names != NIL)
		return taken;
	foreach (cell, declared_columns(declaration))
	{
		JsonbContainer *encoder = json_get_object(json_member(&declaration->root, lfirst(cell)));

		if (encoder == NULL || json_member(encoder, key_names[KEY_POSITIVE]) == NULL)
			taken = lappend(taken, lfirst(cell));
	}
	return taken;
}

void
encoders_parse_columns(Jsonb *declaration, TupleDesc descriptor, List *columns, Encoders *encoders)
{
	memset(encoders, 0, sizeof(*encoders));
	encoders->declared = declared_columns(declaration);
	check_columns(encoders->declared, columns, descriptor);
	encoders->encoder = palloc0(JB_ROOT_COUNT(declaration) * sizeof(Encoder));
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);
		Encoder *encoder = &encoders->encoder[encoders->count];
		JsonbValue *json;

		if (attribute->attisdropped || !names_include(columns, NameStr(attribute->attname)))
			continue;
		json = json_member(&declaration->root, NameStr(attribute->attname));
		if (json == NULL)
			continue;
		column_init_stored(&encoder->column, attribute);
		read_encoder(json, encoder);
		encoders->features += encoder->features;
		encoders->count++;
	}
}

void
encoders_parse(Jsonb *declaration, TupleDesc descriptor, Encoders *encoders)
{
	List *columns = declared_columns(declaration);

	refuse_gaps(declaration, columns);
	encoders_parse_columns(declaration, descriptor, columns, encoders);
}
