/*
 * column.h - values of a table's columns, read without raising an error.
 *
 * What a row contains must not lead to an error (rule H12), so values are decoded here: casts and
 * operators of SQL may refuse a numeric that is too large for a float8, or call a collation.
 * Constants are public; they come as JSON and are checked against the type of the column.
 */
#ifndef DPOBJ_COLUMN_H
#define DPOBJ_COLUMN_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

typedef enum ColumnKind
{
	COLUMN_OTHER,   /* any other type, which is not read */
	COLUMN_BOOLEAN, /* bool */
	COLUMN_INTEGER, /* int2, int4, int8 */
	COLUMN_REAL,    /* float4, float8 */
	COLUMN_NUMERIC, /* numeric */
	COLUMN_TIME,    /* date, timestamp, timestamptz */
	COLUMN_TEXT,    /* text, varchar, bpchar */
	COLUMN_ENUM     /* an enum */
} ColumnKind;

/* What the stored values of a column are read as (column_cast.c). */
typedef enum ColumnCast
{
	CAST_NONE,
	CAST_NUMBER,    /* a text as a double precision */
	CAST_BOOLEAN,   /* a text, or a number that is 0 or 1 */
	CAST_DATE,      /* a text as a date */
	CAST_TIMESTAMP, /* a text as a timestamp */
	CAST_TIME,      /* a time of day as a timestamp of 1970-01-01 */
	CAST_INTERVAL   /* an interval as the timestamp that is so long after 1970-01-01 */
} ColumnCast;

typedef struct Column
{
	const char *name;  /* NULL: the label of an aggregate's call */
	AttrNumber number; /* in the declared relation */
	Oid stored;        /* the base type of a domain */
	ColumnCast cast;
	Oid type; /* what the values are read as; without a cast the stored type */
	ColumnKind kind;
	bool by_label; /* an enum of kind text: the labels of its values are read */
} Column;

/* A value of a column; which member holds it follows from the column's kind. */
typedef struct ColumnValue
{
	int64 integer; /* boolean, integer, time, and the OID of an enum's label */
	double real;
	Numeric numeric;
	const char *text;
	int length; /* of text, in bytes */
} ColumnValue;

/* The types that are read, for error details. */
#define COLUMN_TYPES_DETAIL                                                                        \
	"Columns may be of type boolean, smallint, integer, bigint, real, double precision, "          \
	"numeric, date, time, timestamp, timestamp with time zone, interval, text, varchar, char, an " \
	"enum, or a domain over one of them."

/* The types of columns that can name persons and deal rows, for error details. */
#define KEY_TYPES_DETAIL                                                                           \
	"It may be of type boolean, smallint, integer, bigint, real, double precision, numeric, "      \
	"date, "                                                                                       \
	"timestamp, timestamp with time zone, text, varchar, char, uuid, bytea, an enum, or a domain " \
	"over one of them."

extern void column_init(Column *column, Form_pg_attribute attribute);

/* The label of an aggregate's call, which has this type. */
extern void column_init_argument(Column *column, Oid type);

/* Names the column for a message: column "age", or the label. */
extern const char *column_phrase(const Column *column);

/* The same as column_init() for a relation to be scanned; raises 0A000 for a virtual generated
 * column. */
extern void column_init_stored(Column *column, Form_pg_attribute attribute);

/* The attribute of that name; NULL if there is none (system columns are none). */
extern Form_pg_attribute column_attribute(TupleDesc descriptor, const char *name);

/* The names of all columns, for hints: pg_attribute shows them to everybody. */
extern List *column_names(TupleDesc descriptor);

/* column_init_stored() for the attribute of that name; false if there is none. */
extern bool column_find(TupleDesc descriptor, const char *name, Column *column);

/*
 * Lets the column be read by this cast, which changes nothing if its values are such already; false
 * if its type cannot be read so.
 */
extern bool column_set_cast(Column *column, ColumnCast cast);

/* What a declaration calls a cast, CAST_NONE if it is none; the cast that a type has by itself. */
extern ColumnCast column_cast_named(const char *name);
extern ColumnCast column_own_cast(Oid type);

/*
 * The value that a stored one is read as; NULL if it cannot be read so.  Every function below takes
 * values that have been cast, but for column_bytes().
 */
extern void column_cast_value(const Column *column, Datum *datum, bool *isnull);

/*
 * The name of the column's stored type as models keep it, and the type of such a name, InvalidOid
 * if there is none.  Every enum is "enum", which is read back as text.
 */
extern const char *column_type_name(const Column *column);
extern const char *column_name_of_type(Oid type);
extern Oid column_type_named(const char *name);

/* COLUMN_OTHER of a type that is not read, or only by a cast. */
extern ColumnKind column_kind_of(Oid type);

/* Is it a kind of numbers? */
extern bool column_is_number(ColumnKind kind);

/* The labels of an enum, in their order. */
extern List *column_enum_labels(Oid type);

/* Can its values name persons? */
extern bool column_names_persons(const Column *column);

/*
 * A value of a column that can name persons, as bytes that are equal exactly for equal values: 1.0
 * and 1.00 are one numeric, -0 and 0 one float, NaN is equal to itself, texts are compared
 * bytewise, without the trailing blanks of a bpchar.  They are the same on every machine and after
 * a restore, and no setting changes them.  The result may lie in buffer, which must hold 8 bytes.
 */
extern const uint8 *column_bytes(const Column *column, Datum datum, uint8 *buffer, uint32 *length);

/*
 * The number of a boolean, integer, real, numeric or time column; a real is the number that it
 * shows (real_value.h), a time is in seconds since 1970 (UTC for a timestamptz).  Infinite if the
 * value is infinite or too large; NaN if the value is.
 */
extern double column_number(const Column *column, Datum datum);

/* Is the value missing?  NULL is, and so is NaN. */
extern bool column_is_missing(const Column *column, Datum datum, bool isnull);

/*
 * The value of a real or double precision column that is nearest to a number that a float8 can
 * hold; the float8 if no real is near.
 */
extern double column_nearest(const Column *column, Numeric number);

/*
 * The value, for comparison with constants of at most longest bytes; of a long text only as much is
 * fetched as the comparison needs.  Trailing blanks of a bpchar do not count.
 */
extern void column_read(const Column *column, Datum datum, int longest, ColumnValue *value);

/*
 * Less than, equal to or greater than 0.  Texts are compared bytewise; enums by
 * equality only; NaN is the greatest number and equals itself, as in SQL; no constant is NaN.
 */
extern int column_compare(const Column *column, const ColumnValue *a, const ColumnValue *b);

/* Is it an integer, text or enum column?  Its constants have a text. */
extern bool column_has_text(const Column *column);
extern char *column_text(const Column *column, const ColumnValue *value);

/* Different constants of one column, found in a number of steps that does not depend on rows. */
typedef struct ColumnSet
{
	int count;
	int longest;        /* bytes of the longest text */
	ColumnValue *value; /* in the order given */
	uint64 *key;        /* hashes of the values, ascending */
	int *position;      /* the index in value for each key */
} ColumnSet;

/*
 * A set of one constant, or of the elements of an array.  They raise 22023 for a constant that does
 * not fit the column or is repeated.
 */
extern void column_set_single(const Column *column, JsonbValue *json, ColumnSet *set);
extern void column_set_read(const Column *column, JsonbContainer *array, ColumnSet *set);

/*
 * A set of these different values, in this order; false if two of them have the same hash value,
 * as equal ones do.
 */
extern bool column_set_make(const Column *column, int count, const ColumnValue *values,
							ColumnSet *set);

/* The constants as column_text() writes them. */
extern List *column_set_texts(const Column *column, const ColumnSet *set);

/* Is the constant in the set? */
extern bool column_set_has(const Column *column, const ColumnSet *set, const ColumnValue *value);

/* The set of those constants of all that the other set does not have. */
extern void column_set_rest(const Column *column, const ColumnSet *all, const ColumnSet *other,
							ColumnSet *rest);

/*
 * The position of the row's value among the constants, or -1.  The search takes the same number of
 * steps for every value, so the time of a scan does not show which rows have which value.
 */
extern int column_set_find(const Column *column, const ColumnSet *set, Datum datum);

#endif
