/*
 * column.c - decodes, compares and converts the values of columns.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "server/rows/column.h"
#include "server/base/compat.h"
#include "server/base/json_value.h"
#include "server/base/near_name.h"
#include "server/base/numeric_value.h"
#include "server/base/real_value.h"

#define UNIX_EPOCH_DAYS (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

/* ---- types ---- */

#define ENUM_NAME "enum"

/* The types that are read, besides enums.  Unlike format_type_be() no setting changes the names. */
static const struct
{
	Oid type;
	ColumnKind kind;
	const char *name;
} built_in[] = {{BOOLOID, COLUMN_BOOLEAN, "boolean"},
				{INT2OID, COLUMN_INTEGER, "smallint"},
				{INT4OID, COLUMN_INTEGER, "integer"},
				{INT8OID, COLUMN_INTEGER, "bigint"},
				{FLOAT4OID, COLUMN_REAL, "real"},
				{FLOAT8OID, COLUMN_REAL, "double precision"},
				{NUMERICOID, COLUMN_NUMERIC, "numeric"},
				{DATEOID, COLUMN_TIME, "date"},
				{TIMESTAMPOID, COLUMN_TIME, "timestamp without time zone"},
				{TIMESTAMPTZOID, COLUMN_TIME, "timestamp with time zone"},
				{TEXTOID, COLUMN_TEXT, "text"},
				{VARCHAROID, COLUMN_TEXT, "character varying"},
				{BPCHAROID, COLUMN_TEXT, "character"},
				{TIMEOID, COLUMN_OTHER, "time without time zone"}, /* read by a cast */
				{INTERVALOID, COLUMN_OTHER, "interval"}};

ColumnKind
column_kind_of(Oid type)
{
	for (int i = 0; i < lengthof(built_in); i++)
		if (built_in[i].type == type)
			return built_in[i].kind;
	return get_typtype(type) == TYPTYPE_ENUM ? COLUMN_ENUM : COLUMN_OTHER;
}

bool
column_is_number(ColumnKind kind)
{
	return kind == COLUMN_INTEGER || kind == COLUMN_REAL || kind == COLUMN_NUMERIC;
}

const char *
column_name_of_type(Oid type)
{
	for (int i = 0; i < lengthof(built_in); i++)
		if (built_in[i].type == type)
			return built_in[i].name;
	return ENUM_NAME; /* nothing else is encoded */
}

const char *
column_type_name(const Column *column)
{
	return column_name_of_type(column->stored);
}

Oid
column_type_named(const char *name)
{
	for (int i = 0; i < lengthof(built_in); i++)
		if (strcmp(built_in[i].name, name) == 0)
			return built_in[i].type;
	return strcmp(name, ENUM_NAME) == 0 ? TEXTOID : InvalidOid;
}

/* ---- columns ---- */

void
column_init(Column *column, Form_pg_attribute attribute)
{
	column->name = pstrdup(NameStr(attribute->attname));
	column->number = attribute->attnum;
	column->stored = column->type = getBaseType(attribute->atttypid);
	column->cast = CAST_NONE;
	column->kind = column_kind_of(column->type);
	column->by_label = false;
}

void
column_init_argument(Column *column, Oid type)
{
	memset(column, 0, sizeof(*column));
	column->stored = column->type = getBaseType(type);
	column->kind = column_kind_of(column->type);
}

const char *
column_phrase(const Column *column)
{
	return column->name == NULL ? "the label" : psprintf("column \"%s\"", column->name);
}

void
column_init_stored(Column *column, Form_pg_attribute attribute)
{
	if (attribute->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" is a virtual generated column", NameStr(attribute->attname)),
				 errdetail("A scan reads what is stored."),
				 errhint("Declare the columns that it is computed from, or generate it STORED.")));
	column_init(column, attribute);
}

Form_pg_attribute
column_attribute(TupleDesc descriptor, const char *name)
{
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (!attribute->attisdropped && strcmp(NameStr(attribute->attname), name) == 0)
			return attribute;
	}
	return NULL;
}

List *
column_names(TupleDesc descriptor)
{
	List *names = NIL;

	for (int i = 0; i < descriptor->natts; i++)
		if (!TupleDescAttr(descriptor, i)->attisdropped)
			names = lappend(names, NameStr(TupleDescAttr(descriptor, i)->attname));
	return names;
}

bool
column_find(TupleDesc descriptor, const char *name, Column *column)
{
	Form_pg_attribute attribute = column_attribute(descriptor, name);

	if (attribute != NULL)
		column_init_stored(column, attribute);
	return attribute != NULL;
}

bool
column_names_persons(const Column *column)
{
	return column->kind != COLUMN_OTHER || column->type == UUIDOID || column->type == BYTEAOID;
}

/* ---- reading ---- */

static int64
read_integer(const Column *column, Datum datum)
{
	switch (column->type)
	{
		case BOOLOID:
			return DatumGetBool(datum) ? 1 : 0;
		case INT2OID:
			return DatumGetInt16(datum);
		case INT4OID:
			return DatumGetInt32(datum);
		case DATEOID:
			return DatumGetDateADT(datum);
		case INT8OID:
			return DatumGetInt64(datum);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DatumGetTimestamp(datum);
		default:
			return DatumGetObjectId(datum); /* an enum */
	}
}

static double
read_real(const Column *column, Datum datum)
{
	return column->type == FLOAT4OID ? (double) DatumGetFloat4(datum) : DatumGetFloat8(datum);
}

/*
 * One byte more than the longest constant is enough to tell a longer text from every constant.  A
 * bpchar is read whole, because the blanks at its end do not count.
 */
static void
read_text(const Column *column, Datum datum, int longest, ColumnValue *value)
{
	struct varlena *text = (struct varlena *) DatumGetPointer(datum);

	if (column->by_label)
		text = cstring_to_text(DatumGetCString(DirectFunctionCall1(enum_out, datum)));
	else if (column->type == BPCHAROID)
		text = PG_DETOAST_DATUM_PACKED(datum);
	else if (VARATT_IS_EXTERNAL(text) || VARATT_IS_COMPRESSED(text))
		text = PG_DETOAST_DATUM_SLICE(datum, 0, longest + 1);
	value->text = VARDATA_ANY(text);
	value->length = VARSIZE_ANY_EXHDR(text);
	if (column->type == BPCHAROID)
		value->length = bpchartruelen((char *) value->text, value->length);
}

void
column_read(const Column *column, Datum datum, int longest, ColumnValue *value)
{
	switch (column->kind)
	{
		case COLUMN_TEXT:
			read_text(column, datum, longest, value);
			break;
		case COLUMN_REAL:
			value->real = read_real(column, datum);
			break;
		case COLUMN_NUMERIC:
			value->numeric = DatumGetNumeric(datum);
			break;
		default:
			value->integer = read_integer(column, datum);
			break;
	}
}

/* The seconds of date_part('epoch', ...), to the last bit. */
static double
unix_seconds(Timestamp timestamp)
{
	const int64 offset = UNIX_EPOCH_DAYS * USECS_PER_DAY;

	if (timestamp < PG_INT64_MAX - offset)
		return (double) (timestamp + offset) / 1000000.0;
	return ((double) timestamp + (double) offset) / 1000000.0;
}

static double
read_seconds(const Column *column, Datum datum)
{
	if (column->type == DATEOID)
	{
		DateADT date = DatumGetDateADT(datum);

		if (DATE_IS_NOBEGIN(date))
			return -INFINITY;
		return DATE_IS_NOEND(date) ? INFINITY
								   : ((double) date + UNIX_EPOCH_DAYS) * (double) SECS_PER_DAY;
	}
	else
	{
		Timestamp timestamp = DatumGetTimestamp(datum);

		if (TIMESTAMP_IS_NOBEGIN(timestamp))
			return -INFINITY;
		return TIMESTAMP_IS_NOEND(timestamp) ? INFINITY : unix_seconds(timestamp);
	}
}

double
column_number(const Column *column, Datum datum)
{
	switch (column->kind)
	{
		case COLUMN_REAL:
			return column->type == FLOAT4OID ? real_value(DatumGetFloat4(datum))
											 : DatumGetFloat8(datum);
		case COLUMN_NUMERIC:
			return numeric_value(datum);
		case COLUMN_TIME:
			return read_seconds(column, datum);
		default:
			return (double) read_integer(column, datum);
	}
}

bool
column_is_missing(const Column *column, Datum datum, bool isnull)
{
	if (isnull)
		return true;
	if (column->kind == COLUMN_NUMERIC)
		return numeric_value_is_nan(datum);
	return column->kind == COLUMN_REAL && isnan(read_real(column, datum));
}

/* Of every NaN. */
#define NAN_BITS UINT64CONST(0x7ff8000000000000)

static uint64
real_bits(double real)
{
	uint64 bits;

	if (isnan(real))
		return NAN_BITS;
	if (real == 0.0)
		real = 0.0; /* and not -0 */
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static const uint8 *
string_bytes(const char *string, uint32 *length)
{
	*length = strlen(string);
	return (const uint8 *) string;
}

static const uint8 *
varlena_bytes(const Column *column, Datum datum, uint32 *length)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(datum);

	*length = VARSIZE_ANY_EXHDR(value);
	if (column->type == BPCHAROID)
		*length = bpchartruelen(VARDATA_ANY(value), *length);
	return (const uint8 *) VARDATA_ANY(value);
}

/*
 * A numeric of many digits is its text without trailing zeros, of which none has eight bytes but
 * "Infinity", which are not numeric_bits().  An enum is its label: OIDs change in a restore.
 */
const uint8 *
column_bytes(const Column *column, Datum datum, uint8 *buffer, uint32 *length)
{
	uint64 bits;

	if (column->type == UUIDOID)
	{
		*length = UUID_LEN;
		return DatumGetUUIDP(datum)->data;
	}
	if (column->kind == COLUMN_TEXT || column->type == BYTEAOID)
		return varlena_bytes(column, datum, length);
	if (column->kind == COLUMN_ENUM)
		return string_bytes(DatumGetCString(DirectFunctionCall1(enum_out, datum)), length);
	if (column->kind == COLUMN_NUMERIC && !numeric_bits(datum, &bits))
		return string_bytes(numeric_normalize(DatumGetNumeric(datum)), length);
	if (column->kind == COLUMN_REAL)
		bits = real_bits(read_real(column, datum));
	else if (column->kind != COLUMN_NUMERIC)
		bits = (uint64) read_integer(column, datum);
	for (int i = 0; i < (int) sizeof(bits); i++)
		buffer[i] = (uint8) (bits >> 8 * i);
	*length = sizeof(bits);
	return buffer;
}

/* ---- comparing ---- */

static int
compare_texts(const ColumnValue *a, const ColumnValue *b)
{
	int order = memcmp(a->text, b->text, Min(a->length, b->length));

	return order != 0 ? order : a->length - b->length;
}

int
column_compare(const Column *column, const ColumnValue *a, const ColumnValue *b)
{
	switch (column->kind)
	{
		case COLUMN_TEXT:
			return compare_texts(a, b);
		case COLUMN_REAL:
			return float8_cmp_internal(a->real, b->real);
		case COLUMN_NUMERIC:
			return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a->numeric),
													 NumericGetDatum(b->numeric)));
		default:
			return a->integer < b->integer ? -1 : a->integer > b->integer;
	}
}

/* ---- constants ---- */

static void
refuse_constant(const Column *column, JsonbValue *json, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s is not a constant for %s", json_text(json), column_phrase(column)),
			 errdetail("A %s of type %s needs %s.", column->name == NULL ? "label" : "column",
					   format_type_be(column->type), expected)));
}

static int64
integer_constant(const Column *column, JsonbValue *json)
{
	int64 integer;

	if (json->type != jbvNumeric)
		refuse_constant(column, json, "a whole number");
	if (!json_get_bigint(json, &integer))
		refuse_constant(column, json, "a whole number in the range of bigint");
	return integer;
}

/* By way of a float8, a number would be rounded twice. */
double
column_nearest(const Column *column, Numeric number)
{
	Datum exact = DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(number));

	if (column->type == FLOAT4OID)
	{
		float real = strtof(numeric_normalize(number), NULL);

		if (isfinite(real) && (real != 0 || DatumGetFloat8(exact) == 0))
			return real;
	}
	return DatumGetFloat8(exact);
}

static double
real_constant(const Column *column, JsonbValue *json)
{
	double number;

	if (!json_get_number(json, &number))
		refuse_constant(column, json, "a number");
	return column_nearest(column, json->val.numeric);
}

/*
 * Reads a date as SQL does in UTC and with year, month and day in this order, whatever the session
 * says, so that a constant means the same in a job.  An error of its input function refuses it.
 */
static int64
time_constant(const Column *column, JsonbValue *json)
{
	MemoryContext context = CurrentMemoryContext;
	int level;
	volatile Datum datum = (Datum) 0;
	char *text;
	Oid input;
	Oid parameter;

	if (json->type != jbvString)
		refuse_constant(column, json, "a string such as \"2024-12-31\"");
	text = pnstrdup(json->val.string.val, json->val.string.len);
	getTypeInputInfo(column->type, &input, &parameter);
	level = NewGUCNestLevel();
	(void) set_config_option("TimeZone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
	(void) set_config_option("DateStyle", "ISO, YMD", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	PG_TRY();
	{
		datum = OidInputFunctionCall(input, text, parameter, -1);
	}
	PG_CATCH();
	{
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		refuse_constant(column, json, "a string such as \"2024-12-31\"");
	}
	PG_END_TRY();
	AtEOXact_GUC(true, level);
	return read_integer(column, datum);
}

static int
compare_labels(const ListCell *a, const ListCell *b)
{
	float4 first = ((Form_pg_enum) GETSTRUCT((HeapTuple) lfirst(a)))->enumsortorder;
	float4 second = ((Form_pg_enum) GETSTRUCT((HeapTuple) lfirst(b)))->enumsortorder;

	return first < second ? -1 : first > second;
}

List *
column_enum_labels(Oid type)
{
	CatCList *rows = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	List *labels = NIL;
	ListCell *cell;

	for (int i = 0; i < rows->n_members; i++)
		labels = lappend(labels, &rows->members[i]->tuple);
	list_sort(labels, compare_labels);
	foreach (cell, labels)
		lfirst(cell) =
			pstrdup(NameStr(((Form_pg_enum) GETSTRUCT((HeapTuple) lfirst(cell)))->enumlabel));
	ReleaseCatCacheList(rows);
	return labels;
}

static int64
enum_constant(const Column *column, JsonbValue *json)
{
	char label[NAMEDATALEN];
	HeapTuple tuple;
	Oid oid;

	if (json->type != jbvString || json->val.string.len >= NAMEDATALEN)
		refuse_constant(column, json, "one of its labels as a string");
	memcpy(label, json->val.string.val, json->val.string.len);
	label[json->val.string.len] = '\0';
	tuple = SearchSysCache2(ENUMTYPOIDNAME, ObjectIdGetDatum(column->type), CStringGetDatum(label));
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is not a constant for %s", json_text(json), column_phrase(column)),
				 errdetail("A %s of type %s needs one of its labels.",
						   column->name == NULL ? "label" : "column", format_type_be(column->type)),
				 errhint("%s", near_name_of_values(label, column_enum_labels(column->type)))));
	oid = ((Form_pg_enum) GETSTRUCT(tuple))->oid;
	ReleaseSysCache(tuple);
	return oid;
}

static void
text_constant(const Column *column, JsonbValue *json, ColumnValue *value)
{
	if (json->type != jbvString)
		refuse_constant(column, json, "a string");
	value->text = pnstrdup(json->val.string.val, json->val.string.len);
	value->length = json->val.string.len;
	if (column->type == BPCHAROID)
		value->length = bpchartruelen((char *) value->text, value->length);
}

static void
read_constant(const Column *column, JsonbValue *json, ColumnValue *value)
{
	memset(value, 0, sizeof(*value));
	switch (column->kind)
	{
		case COLUMN_BOOLEAN:
			if (json->type != jbvBool)
				refuse_constant(column, json, "true or false");
			value->integer = json->val.boolean ? 1 : 0;
			break;
		case COLUMN_INTEGER:
			value->integer = integer_constant(column, json);
			break;
		case COLUMN_REAL:
			value->real = real_constant(column, json);
			break;
		case COLUMN_NUMERIC:
			if (json->type != jbvNumeric)
				refuse_constant(column, json, "a number");
			value->numeric = DatumGetNumericCopy(NumericGetDatum(json->val.numeric));
			break;
		case COLUMN_TIME:
			value->integer = time_constant(column, json);
			break;
		case COLUMN_TEXT:
			text_constant(column, json, value);
			break;
		case COLUMN_ENUM:
			value->integer = enum_constant(column, json);
			break;
		case COLUMN_OTHER:
			elog(ERROR, "column \"%s\" is of a type that is not read", column->name);
	}
}

static char *
enum_label(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(oid));
	char *label;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for enum label %u", oid);
	label = pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	ReleaseSysCache(tuple);
	return label;
}

bool
column_has_text(const Column *column)
{
	return column->kind == COLUMN_TEXT || column->kind == COLUMN_ENUM ||
		   column->kind == COLUMN_INTEGER;
}

char *
column_text(const Column *column, const ColumnValue *value)
{
	if (column->kind == COLUMN_TEXT)
		return pnstrdup(value->text, value->length);
	if (column->kind == COLUMN_ENUM)
		return enum_label((Oid) value->integer);
	return psprintf(INT64_FORMAT, value->integer);
}

static void
set_allocate(ColumnSet *set, int count)
{
	set->count = count;
	set->longest = 0;
	set->value = palloc(Max(count, 1) * sizeof(ColumnValue));
	set->key = palloc(Max(count, 1) * sizeof(uint64));
	set->position = palloc(Max(count, 1) * sizeof(int));
}

/* A number that equal values share; different values rarely do. */
static uint64
key_of(const Column *column, const ColumnValue *value)
{
	switch (column->kind)
	{
		case COLUMN_TEXT:
			return hash_bytes_extended((const unsigned char *) value->text, value->length, 0);
		case COLUMN_REAL:
			return real_bits(value->real);
		case COLUMN_NUMERIC:
			return DatumGetUInt64(DirectFunctionCall2(
				hash_numeric_extended, NumericGetDatum(value->numeric), Int64GetDatum(0)));
		default:
			return (uint64) value->integer;
	}
}

/* The number of smaller keys among the first count; no branch depends on the key. */
static int
count_smaller(const ColumnSet *set, int count, uint64 key)
{
	int smaller = 0;

	while (count > 0)
	{
		int half = (count + 1) / 2; /* count / 2 keys are left, whatever the comparison says */

		smaller += half & -(int) (set->key[smaller + half - 1] < key);
		count /= 2;
	}
	return smaller;
}

static void
refuse_alike(const Column *column, JsonbValue *json, bool equal)
{
	if (equal)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is repeated for %s", json_text(json), column_phrase(column))));
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("%s has the hash value of another constant for %s", json_text(json),
						   column_phrase(column))));
}

/*
 * Adds the value at this position; false if an earlier value has its key, whose position among the
 * keys is then in *smaller.
 */
static bool
set_insert(const Column *column, ColumnSet *set, int position, int *smaller)
{
	const ColumnValue *value = &set->value[position];
	uint64 key = key_of(column, value);

	set->longest = Max(set->longest, value->length);
	*smaller = count_smaller(set, position, key);
	if (*smaller < position && set->key[*smaller] == key)
		return false;
	memmove(&set->key[*smaller + 1], &set->key[*smaller], (position - *smaller) * sizeof(uint64));
	memmove(&set->position[*smaller + 1], &set->position[*smaller],
			(position - *smaller) * sizeof(int));
	set->key[*smaller] = key;
	set->position[*smaller] = position;
	return true;
}

static void
set_put(const Column *column, JsonbValue *json, ColumnSet *set, int position)
{
	ColumnValue *value = &set->value[position];
	int smaller;

	read_constant(column, json, value);
	if (!set_insert(column, set, position, &smaller))
		refuse_alike(column, json,
					 column_compare(column, &set->value[set->position[smaller]], value) == 0);
}

bool
column_set_make(const Column *column, int count, const ColumnValue *values, ColumnSet *set)
{
	int smaller;

	set_allocate(set, count);
	memcpy(set->value, values, count * sizeof(ColumnValue));
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS(); /* each constant moves the arrays */
		if (!set_insert(column, set, i, &smaller))
			return false;
	}
	return true;
}

void
column_set_single(const Column *column, JsonbValue *json, ColumnSet *set)
{
	set_allocate(set, 1);
	set_put(column, json, set, 0);
}

void
column_set_read(const Column *column, JsonbContainer *array, ColumnSet *set)
{
	set_allocate(set, JsonContainerSize(array));
	for (int i = 0; i < set->count; i++)
	{
		CHECK_FOR_INTERRUPTS(); /* each constant moves the arrays */
		set_put(column, getIthJsonbValueFromContainer(array, i), set, i);
	}
}

List *
column_set_texts(const Column *column, const ColumnSet *set)
{
	List *texts = NIL;

	for (int i = 0; i < set->count; i++)
		texts = lappend(texts, column_text(column, &set->value[i]));
	return texts;
}

bool
column_set_has(const Column *column, const ColumnSet *set, const ColumnValue *value)
{
	for (int i = 0; i < set->count; i++)
		if (column_compare(column, &set->value[i], value) == 0)
			return true;
	return false;
}

void
column_set_rest(const Column *column, const ColumnSet *all, const ColumnSet *other, ColumnSet *rest)
{
	set_allocate(rest, all->count);
	rest->count = 0;
	for (int i = 0; i < all->count; i++) /* by their keys, which stay in order */
	{
		const ColumnValue *value = &all->value[all->position[i]];

		if (column_set_has(column, other, value))
			continue;
		rest->key[rest->count] = all->key[i];
		rest->position[rest->count] = rest->count;
		rest->value[rest->count++] = *value;
		rest->longest = Max(rest->longest, value->length);
	}
}

int
column_set_find(const Column *column, const ColumnSet *set, Datum datum)
{
	ColumnValue value;
	int found;

	if (set->count == 0)
		return -1;
	column_read(column, datum, set->longest, &value);
	found = Min(count_smaller(set, set->count, key_of(column, &value)), set->count - 1);
	found = set->position[found];
	return column_compare(column, &set->value[found], &value) == 0 ? found : -1;
}
