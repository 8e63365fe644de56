/*
 * shape_bytes.c - writes what a scan reads of a row, and fits it to the columns of a part.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "datatype/timestamp.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "server/rows/shape_bytes.h"

/* No request has more columns, constants or bins than this; it bounds what is allocated. */
#define MOST_ITEMS (1 << 20)

/* In the place of the type of an enum, whose OID means nothing to the other server. */
#define ENUM_TYPE InvalidOid

typedef struct Writer
{
	StringInfo bytes;
	ShapeColumnName name_of;
	void *context;
} Writer;

typedef struct Reader
{
	StringInfo bytes;
	TupleDesc descriptor;
	const char *missing; /* the first column that does not fit, or NULL */
} Reader;

/* ---- basic values ---- */

static _Noreturn void
invalid_shape(void)
{
	ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
					errmsg("the description of a scan is not valid")));
}

static void
put_text(StringInfo bytes, const char *text, int length)
{
	pq_sendint32(bytes, length);
	pq_sendbytes(bytes, text, length);
}

static char *
get_text(StringInfo bytes, int *length)
{
	uint32 size = pq_getmsgint(bytes, 4);
	char *text;

	if (size > MOST_ITEMS)
		invalid_shape();
	text = pnstrdup(pq_getmsgbytes(bytes, (int) size), size);
	*length = (int) size;
	return text;
}

static char *
get_name(StringInfo bytes)
{
	int length;
	char *name = get_text(bytes, &length);

	if (strlen(name) != length)
		invalid_shape();
	return name;
}

static void
put_optional(StringInfo bytes, const char *text)
{
	pq_sendbyte(bytes, text != NULL);
	if (text != NULL)
		put_text(bytes, text, (int) strlen(text));
}

static bool
get_bool(StringInfo bytes)
{
	int byte = pq_getmsgbyte(bytes);

	if (byte != 0 && byte != 1)
		invalid_shape();
	return byte == 1;
}

static int
get_count(StringInfo bytes, int most)
{
	uint32 count = pq_getmsgint(bytes, 4);

	if (count > (uint32) most)
		invalid_shape();
	return (int) count;
}

/* ---- columns ---- */

static void
put_column(Writer *writer, const Column *column)
{
	const char *name = writer->name_of(column->name, writer->context);

	put_text(writer->bytes, name, (int) strlen(name));
	pq_sendint32(writer->bytes, column->stored < FirstNormalObjectId ? column->stored : ENUM_TYPE);
	pq_sendbyte(writer->bytes, column->cast);
}

/* A column that is missing has no name. */
static void
get_column(Reader *reader, Column *column)
{
	char *name = get_name(reader->bytes);
	Oid type = (Oid) pq_getmsgint(reader->bytes, 4);
	int cast = pq_getmsgbyte(reader->bytes);

	if (cast > CAST_INTERVAL)
		invalid_shape();
	memset(column, 0, sizeof(*column));
	if (column_find(reader->descriptor, name, column) &&
		(type == ENUM_TYPE ? column->kind == COLUMN_ENUM : column->type == type))
	{
		if (!column_set_cast(column, (ColumnCast) cast))
			invalid_shape();
		return;
	}
	memset(column, 0, sizeof(*column));
	if (reader->missing == NULL)
		reader->missing = name;
}

/* The same for a column that names persons or deals rows, whose stored values are read. */
static void
get_key(Reader *reader, Column *column)
{
	get_column(reader, column);
	if (column->name != NULL && (column->cast != CAST_NONE || !column_names_persons(column)))
		invalid_shape();
}

/* The same for a column whose values are compared with constants; those of an enum are labels. */
static void
get_compared(Reader *reader, Column *column)
{
	get_column(reader, column);
	if (column->name != NULL && column->kind == COLUMN_OTHER)
		invalid_shape();
	column->by_label = column->kind == COLUMN_ENUM;
	if (column->by_label)
		column->kind = COLUMN_TEXT;
}

/* ---- constants ---- */

static void
put_value(StringInfo bytes, const Column *column, const ColumnValue *value)
{
	char *text;

	switch (column->kind)
	{
		case COLUMN_REAL:
			pq_sendfloat8(bytes, value->real);
			return;
		case COLUMN_NUMERIC:
			text =
				DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->numeric)));
			put_text(bytes, text, (int) strlen(text));
			return;
		case COLUMN_TEXT:
			put_text(bytes, value->text, value->length);
			return;
		case COLUMN_ENUM:
			text = column_text(column, value);
			put_text(bytes, text, (int) strlen(text));
			return;
		default:
			pq_sendint64(bytes, value->integer);
			return;
	}
}

static void
get_value(StringInfo bytes, const Column *column, ColumnValue *value)
{
	memset(value, 0, sizeof(*value));
	switch (column->kind)
	{
		case COLUMN_REAL:
			value->real = pq_getmsgfloat8(bytes);
			return;
		case COLUMN_NUMERIC:
			value->numeric = DatumGetNumeric(
				DirectFunctionCall3(numeric_in, CStringGetDatum(get_name(bytes)),
									ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
			return;
		case COLUMN_TEXT:
			value->text = get_text(bytes, &value->length);
			return;
		default:
			value->integer = pq_getmsgint64(bytes);
			return;
	}
}

/* The bytes of the values come first, so that a reader without the column can skip them. */
static void
put_set(Writer *writer, const Column *column, const ColumnSet *set)
{
	StringInfoData values;

	initStringInfo(&values);
	for (int i = 0; i < set->count; i++)
		put_value(&values, column, &set->value[i]);
	pq_sendint32(writer->bytes, set->count);
	pq_sendint32(writer->bytes, values.len);
	pq_sendbytes(writer->bytes, values.data, values.len);
	pfree(values.data);
}

static void
get_set(Reader *reader, const Column *column, ColumnSet *set)
{
	int count = get_count(reader->bytes, MOST_ITEMS);
	int size = get_count(reader->bytes, MaxAllocSize);
	const char *bytes = pq_getmsgbytes(reader->bytes, size);
	StringInfoData values;
	ColumnValue *value;

	memset(set, 0, sizeof(*set));
	if (column->name == NULL)
		return;
	initStringInfo(&values);
	appendBinaryStringInfo(&values, bytes, size);
	value = palloc(Max(count, 1) * sizeof(ColumnValue));
	for (int i = 0; i < count; i++)
		get_value(&values, column, &value[i]);
	pq_getmsgend(&values);
	if (!column_set_make(column, count, value, set))
		invalid_shape();
}

/* ---- encoders ---- */

static void
put_label(Writer *writer, const LabelRule *rule)
{
	pq_sendbyte(writer->bytes, rule->column.name != NULL);
	if (rule->column.name == NULL)
		return;
	put_column(writer, &rule->column);
	put_set(writer, &rule->column, &rule->positive);
	put_set(writer, &rule->column, &rule->negative);
	put_set(writer, &rule->column, &rule->classes);
}

static void
get_label(Reader *reader, LabelRule *rule)
{
	memset(rule, 0, sizeof(*rule));
	if (!get_bool(reader->bytes))
		return;
	get_compared(reader, &rule->column);
	get_set(reader, &rule->column, &rule->positive);
	get_set(reader, &rule->column, &rule->negative);
	get_set(reader, &rule->column, &rule->classes);
}

/* The number of edges between bins. */
static int
edges_of(const Encoder *encoder)
{
	return encoder->kind == ENCODER_BINS ? encoder->categories - 1 : 0;
}

static void
put_edge(StringInfo bytes, const Edge *edge)
{
	char *text = numeric_normalize(edge->declared);

	put_text(bytes, text, (int) strlen(text));
}

static Edge
get_edge(StringInfo bytes, const Encoder *encoder)
{
	ColumnValue value;

	get_value(bytes, &(Column){.kind = COLUMN_NUMERIC}, &value);
	return edge_make(&encoder->column, encoder_unit(encoder), value.numeric);
}

/* Does the encoder tell what is below, within and above its bounds? */
static bool
has_bounds(const Encoder *encoder)
{
	return encoder->others && encoder->kind == ENCODER_NUMBER &&
		   encoder->column.kind != COLUMN_BOOLEAN;
}

static void
put_encoder(Writer *writer, const Encoder *encoder)
{
	static const ColumnSet none = {0};
	StringInfo bytes = writer->bytes;

	put_column(writer, &encoder->column);
	pq_sendint32(bytes, encoder->kind);
	pq_sendint32(bytes, encoder->features);
	pq_sendfloat8(bytes, encoder->unit);
	pq_sendfloat8(bytes, encoder->origin);
	put_optional(bytes, encoder->zone == NULL ? NULL : encoder->zone_name);
	pq_sendint32(bytes, encoder->part);
	pq_sendfloat8(bytes, encoder->center);
	pq_sendfloat8(bytes, encoder->scale);
	pq_sendfloat8(bytes, encoder->low);
	pq_sendfloat8(bytes, encoder->high);
	pq_sendint32(bytes, encoder->categories);
	pq_sendint32(bytes, edges_of(encoder));
	for (int i = 0; i < edges_of(encoder); i++)
		put_edge(bytes, &encoder->edge[i]);
	put_set(writer, &encoder->column, encoder->part == PART_NONE ? &encoder->set : &none);
	pq_sendbyte(bytes, encoder->drop_first);
	pq_sendbyte(bytes, encoder->packed);
	pq_sendbyte(bytes, encoder->is_class);
	pq_sendbyte(bytes, encoder->null_indicator);
	pq_sendbyte(bytes, encoder->substitute);
	pq_sendfloat8(bytes, encoder->null_value);
	pq_sendint32(bytes, encoder->substitute ? Max(encoder->null_category, 0) : 0);
	put_label(writer, &encoder->label);
	pq_sendbyte(bytes, encoder->others);
	pq_sendbyte(bytes, has_bounds(encoder));
	for (int i = 0; has_bounds(encoder) && i < 2; i++)
		put_edge(bytes, &encoder->bound[i]);
}

static pg_tz *
get_zone(StringInfo bytes)
{
	pg_tz *zone;

	if (!get_bool(bytes))
		return NULL;
	zone = time_zone_named(get_name(bytes));
	if (zone == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("this server does not know the time zone of a declaration")));
	return zone;
}

/* How many features the encoder writes. */
static int
features_of(const Encoder *encoder)
{
	int indicator = encoder->null_indicator ? 1 : 0;

	if (encoder->others || encoder->is_class)
		return 1;
	if (encoder->kind == ENCODER_LABEL)
		return 0;
	if (encoder->kind == ENCODER_NUMBER)
		return 1 + indicator;
	if (encoder->packed)
		return encoder->substitute ? 1 + indicator : 1;
	return encoder_kept(encoder) + indicator;
}

/* A label is read from the column of its encoder, as a value of the type that this is read as. */
static bool
label_fits(const Encoder *encoder)
{
	const Column *column = &encoder->label.column;

	if (column->name == NULL)
		return encoder->kind != ENCODER_LABEL;
	return column->number == encoder->column.number && column->cast == encoder->column.cast;
}

/* The column is of a kind that the encoder reads, and the categories are those of its constants. */
static void
check_encoder(const Encoder *encoder, int edges, bool bounds)
{
	ColumnKind kind = encoder->column.kind;
	bool in_time = encoder->part != PART_NONE;
	bool listed = encoder->kind == ENCODER_LEVELS && !in_time;
	bool counted = encoder->kind == ENCODER_NUMBER || encoder->kind == ENCODER_BINS;

	if (encoder->column.name == NULL)
		return;
	if ((counted && kind == COLUMN_TEXT) || (in_time && kind != COLUMN_TIME) ||
		(in_time && encoder->kind != ENCODER_LEVELS) ||
		(in_time && encoder->categories != time_part_values(encoder->part)) ||
		(listed && encoder->categories != encoder->set.count) || edges != edges_of(encoder) ||
		(encoder->packed && encoder->kind != ENCODER_LEVELS && encoder->kind != ENCODER_BINS) ||
		(!counted && encoder->substitute && encoder->null_category >= encoder->categories) ||
		bounds != has_bounds(encoder) || !label_fits(encoder))
		invalid_shape();
}

/* A number of seconds that a declaration can have. */
static bool
is_whole(double seconds)
{
	return seconds == floor(seconds) && fabs(seconds) <= PG_INT32_MAX * (double) SECS_PER_DAY;
}

static void
get_encoder(Reader *reader, Encoder *encoder)
{
	StringInfo bytes = reader->bytes;
	int edges;
	bool bounds;

	memset(encoder, 0, sizeof(*encoder));
	get_compared(reader, &encoder->column);
	encoder->kind = (EncoderKind) get_count(bytes, ENCODER_LABEL);
	encoder->features = get_count(bytes, COLUMNS_MAX);
	encoder->unit = pq_getmsgfloat8(bytes);
	encoder->origin = pq_getmsgfloat8(bytes);
	if (!is_whole(encoder->unit) || !is_whole(encoder->origin))
		invalid_shape();
	encoder->zone = get_zone(bytes);
	encoder->part = (TimePart) get_count(bytes, PART_WEEKDAY);
	encoder->center = pq_getmsgfloat8(bytes);
	encoder->scale = pq_getmsgfloat8(bytes);
	encoder->low = pq_getmsgfloat8(bytes);
	encoder->high = pq_getmsgfloat8(bytes);
	encoder->categories = get_count(bytes, MOST_ITEMS);
	edges = get_count(bytes, MOST_ITEMS);
	encoder->edge = edges == 0 ? NULL : palloc(edges * sizeof(Edge));
	for (int i = 0; i < edges; i++)
		encoder->edge[i] = get_edge(bytes, encoder);
	get_set(reader, &encoder->column, &encoder->set);
	encoder->drop_first = get_bool(bytes);
	encoder->packed = get_bool(bytes);
	encoder->is_class = get_bool(bytes);
	encoder->null_indicator = get_bool(bytes);
	encoder->substitute = get_bool(bytes);
	encoder->null_value = pq_getmsgfloat8(bytes);
	encoder->null_category = get_count(bytes, MOST_ITEMS);
	get_label(reader, &encoder->label);
	encoder->others = get_bool(bytes);
	bounds = get_bool(bytes);
	for (int i = 0; bounds && i < 2; i++)
		encoder->bound[i] = get_edge(bytes, encoder);
	check_encoder(encoder, edges, bounds);
}

static void
put_encoders(Writer *writer, const Encoders *encoders)
{
	pq_sendbyte(writer->bytes, encoders != NULL);
	if (encoders == NULL)
		return;
	pq_sendint32(writer->bytes, encoders->count);
	for (int i = 0; i < encoders->count; i++)
		put_encoder(writer, &encoders->encoder[i]);
}

static Encoders *
get_encoders(Reader *reader)
{
	Encoders *encoders;

	if (!get_bool(reader->bytes))
		return NULL;
	encoders = palloc0(sizeof(Encoders));
	encoders->count = get_count(reader->bytes, MaxTupleAttributeNumber);
	encoders->encoder = palloc0(Max(encoders->count, 1) * sizeof(Encoder));
	for (int i = 0; i < encoders->count; i++)
	{
		get_encoder(reader, &encoders->encoder[i]);
		encoders->features += encoders->encoder[i].features;
	}
	return encoders;
}

/*
 * Each writes one feature at least, and as many as it says: a row has room for COLUMNS_MAX,
 * and none of them is left unset.
 */
static Encoders *
get_features(Reader *reader)
{
	Encoders *features = get_encoders(reader);
	bool fits = features != NULL && features->features <= COLUMNS_MAX;

	for (int i = 0; fits && i < features->count; i++)
		fits = features->encoder[i].features >= 1 &&
			   features->encoder[i].features == features_of(&features->encoder[i]);
	if (!fits)
		invalid_shape();
	return features;
}

/* ---- filter, holdout, person ---- */

static void
put_filter(Writer *writer, const Filter *filter)
{
	pq_sendint32(writer->bytes, filter->count);
	for (int i = 0; i < filter->count; i++)
	{
		const Condition *condition = &filter->condition[i];

		put_column(writer, &condition->column);
		pq_sendint32(writer->bytes, condition->op);
		pq_sendbyte(writer->bytes, condition->want_null);
		put_set(writer, &condition->column, &condition->constants);
	}
}

static Filter *
get_filter(Reader *reader)
{
	Filter *filter = palloc0(sizeof(Filter));

	filter->count = get_count(reader->bytes, MOST_ITEMS);
	filter->condition = palloc0(Max(filter->count, 1) * sizeof(Condition));
	for (int i = 0; i < filter->count; i++)
	{
		Condition *condition = &filter->condition[i];

		get_compared(reader, &condition->column);
		condition->op = (FilterOperator) get_count(reader->bytes, FILTER_IS_NULL);
		condition->want_null = get_bool(reader->bytes);
		get_set(reader, &condition->column, &condition->constants);
		if (condition->op < FILTER_IN && condition->column.name != NULL &&
			condition->constants.count != 1)
			invalid_shape();
	}
	return filter;
}

/* The part gets the key, so that it deals each row to the side on which one table would have it. */
static void
put_holdout(Writer *writer, const Holdout *holdout)
{
	pq_sendbyte(writer->bytes, holdout != NULL);
	if (holdout == NULL)
		return;
	pq_sendint64(writer->bytes, holdout->thousandths);
	pq_sendbyte(writer->bytes, holdout->trains);
	pq_sendbyte(writer->bytes, holdout->by_chance);
	pq_sendbyte(writer->bytes, holdout->by_place);
	pq_sendbytes(writer->bytes, (const char *) &holdout->key, sizeof(holdout->key));
	pq_sendint32(writer->bytes, holdout->count);
	for (int i = 0; i < holdout->count; i++)
		put_column(writer, &holdout->column[i]);
}

static Holdout *
get_holdout(Reader *reader)
{
	Holdout *holdout;

	if (!get_bool(reader->bytes))
		return NULL;
	holdout = palloc0(sizeof(Holdout));
	holdout->thousandths = pq_getmsgint64(reader->bytes);
	holdout->trains = get_bool(reader->bytes);
	holdout->by_chance = get_bool(reader->bytes);
	holdout->by_place = get_bool(reader->bytes);
	pq_copymsgbytes(reader->bytes, (char *) &holdout->key, sizeof(holdout->key));
	holdout->count = get_count(reader->bytes, MaxTupleAttributeNumber);
	if ((holdout->count < 1) != holdout->by_place || holdout->thousandths < 1 ||
		holdout->thousandths >= HOLDOUT_ONE || (holdout->by_place && !holdout->by_chance))
		invalid_shape();
	holdout->column = palloc0(holdout->count * sizeof(Column));
	for (int i = 0; i < holdout->count; i++)
		get_key(reader, &holdout->column[i]);
	holdout->row = palloc0(holdout_room(holdout->count));
	return holdout;
}

/* ---- the shape ---- */

void
shape_write(StringInfo bytes, const ScanShape *shape, ShapeColumnName name_of, void *context)
{
	Writer writer = {bytes, name_of, context};

	put_encoders(&writer, shape->features);
	pq_sendbyte(bytes, shape->label != NULL);
	if (shape->label != NULL)
		put_encoder(&writer, shape->label);
	put_filter(&writer, shape->filter);
	pq_sendbyte(bytes, shape->person != NULL);
	if (shape->person != NULL)
		put_column(&writer, shape->person);
	pq_sendint32(bytes, shape->max_rows_per_person);
	pq_sendbyte(bytes, shape->distinct);
	put_encoders(&writer, shape->groups);
	put_holdout(&writer, shape->holdout);
}

static Encoder *
get_label_encoder(Reader *reader)
{
	Encoder *label;

	if (!get_bool(reader->bytes))
		return NULL;
	label = palloc0(sizeof(Encoder));
	get_encoder(reader, label);
	if (label->column.name != NULL && label->label.column.name == NULL)
		invalid_shape();
	return label;
}

static Column *
get_person(Reader *reader)
{
	Column *person;

	if (!get_bool(reader->bytes))
		return NULL;
	person = palloc0(sizeof(Column));
	get_key(reader, person);
	return person;
}

const char *
shape_read(StringInfo bytes, TupleDesc descriptor, ScanShape *shape)
{
	Reader reader = {bytes, descriptor, NULL};

	memset(shape, 0, sizeof(*shape));
	shape->features = get_features(&reader);
	shape->label = get_label_encoder(&reader);
	shape->filter = get_filter(&reader);
	shape->person = get_person(&reader);
	shape->max_rows_per_person = get_count(bytes, PG_INT32_MAX);
	shape->distinct = get_bool(bytes);
	shape->groups = get_encoders(&reader);
	shape->holdout = get_holdout(&reader);
	if ((shape->person != NULL && shape->max_rows_per_person < 1))
		invalid_shape();
	return reader.missing;
}
