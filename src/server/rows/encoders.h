/*
 * encoders.h - the public map from a row of a table to features.
 *
 * An administrator declares it once, as the jsonb "encoders" of dpobj.protect: an object with one
 * member for each column.  The features of a row depend on this row and on the declaration only.
 * Every row, whatever it contains, has features or is neutral; none raises an error.
 *
 *   numbers     {"center": c, "scale": s, "clip": [lo, hi]}
 *               one feature, (x - c) / s clipped; infinities are clipped too.
 *               Defaults 0, 1, [-1, 1]; an integer or numeric column must say
 *               "scale" or "clip".
 *   times       {"epoch_of": "day" | "hour" | "second", ...}
 *               the time since 1970-01-01 (UTC) in that unit, not rounded, then as
 *               a number; -infinity and infinity are clipped.
 *               "since": "2024-12-31" counts from that midnight instead.
 *               A time of day counts from midnight, an interval from 0.
 *   parts       {"part": "month" | "weekday"}  one feature for each of the 12 months,
 *               or of the 7 days from Monday on; infinity is missing (time_part.h).
 *               "time_zone": "Europe/Rome" reads a timestamptz by that zone's clock.
 *   boolean     {}  one feature, 0 or 1.
 *               "as": "boolean" reads a text such as yes, or a number that is 0 or 1.
 *   text        {"as": "number" | "date" | "timestamp", ...}  the text as such a value.
 *   bins        {"bins": [b1, ..., bk]}  one feature for each of the k + 1 bins
 *               below b1, from b1 to below b2, ..., from bk on; for numbers and times.
 *               Values and bounds are compared exactly (edge.h).
 *   levels      {"levels": [...]}  one feature for each level, for text, enum and
 *               integer columns.  Texts are compared bytewise.
 *   labels      {"positive": [...], "negative": [...]}  not a feature: a label that is
 *               positive for some values and negative for others; without "negative"
 *               for every other value (label.h).
 *
 * A column with levels may be a label, too, whose levels are the classes, unless the request says
 * which of them are positive.
 *
 * "drop_first": true leaves out the feature of the first level or bin.
 *
 * A value is missing if it is NULL, NaN, none of the levels or, with "as", no such value.  By
 * default a row with a missing value is neutral; so is a row whose label is NULL, neither or no
 * class.  "null" is the substitute of a missing value: a number within the clip bounds, true or
 * false, a level, or, for bins, a number in one of them. "null_indicator": true adds a feature that
 * is 1 if the value is missing and else 0; without "null" the other features of the column are then
 * 0, clipped.
 */
#ifndef DPOBJ_ENCODERS_H
#define DPOBJ_ENCODERS_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "core/rows/encoding.h"

#include "server/rows/column.h"
#include "server/rows/edge.h"
#include "server/rows/label.h"
#include "server/rows/time_part.h"
#include "server/rows/options.h"

typedef enum EncoderKind
{
	ENCODER_NUMBER,
	ENCODER_BINS,
	ENCODER_LEVELS,
	ENCODER_LABEL
} EncoderKind;

typedef struct Encoder
{
	Column column;
	ColumnCast as; /* which is declared, or of the column's type by itself */
	EncoderKind kind;
	int features; /* of a row; 0 for a label with "positive" */

	/* times */
	double unit;       /* in seconds */
	double origin;     /* in seconds since 1970 */
	const char *since; /* the same as it was declared */
	const char *zone_name;
	pg_tz *zone;   /* of a timestamptz; NULL: UTC */
	TimePart part; /* then the kind is ENCODER_LEVELS, and set is that of the parts' numbers */

	/* numbers */
	double center;
	double scale;
	double low;
	double high;
	Edge bound[2]; /* the clip bounds in the column's own unit; not of a boolean */

	/* bins and levels */
	int categories; /* their number, with the one that is dropped */
	Edge *edge;     /* between bins */
	ColumnSet set;  /* the levels */
	bool drop_first;
	/*
	 * Is the category one feature, an index (core/rows/levels.h), instead of a feature for each?
	 * Only of encoders_choose().
	 */
	bool packed;
	bool is_class; /* a label with levels: its one feature is the position of the level, from 0 */

	/* missing values */
	bool null_indicator;
	bool substitute;   /* is "null" given? */
	double null_value; /* of a number */
	int null_category; /* of bins and levels */

	LabelRule label; /* of a label, and of a boolean, which may be one */

	/*
	 * Do all rows have a value by which they are grouped, also those without a public value?  Only
	 * in groups and profiles.  The value's number is then the column's only feature.
	 */
	bool others;
} Encoder;

/* Is it of a number?  A boolean is one only as a target. */
static inline bool
encoder_is_number(const Encoder *encoder)
{
	return encoder->kind == ENCODER_NUMBER && encoder->column.kind != COLUMN_BOOLEAN;
}

/* The number of categories that have a weight. */
static inline int
encoder_kept(const Encoder *encoder)
{
	return encoder->categories - (encoder->drop_first ? 1 : 0);
}

/* The number of weights: a packed encoder has one for each category kept, and for an indicator. */
static inline int
encoder_weights(const Encoder *encoder)
{
	return encoder->packed ? encoder_kept(encoder) + (encoder->null_indicator ? 1 : 0)
						   : encoder->features;
}

/* The levels of a packed encoder's first feature; else 0. */
static inline int
encoder_levels(const Encoder *encoder)
{
	return encoder->packed ? encoder_weights(encoder) - (encoder->features - 1) : 0;
}

/* Encoders in the order of their features, which is that of the table's columns. */
typedef struct Encoders
{
	int count;
	int features; /* the sum; labels have none */
	Encoder *encoder;
	List *declared; /* the names of all columns of the declaration, for hints */
} Encoders;

/*
 * Reads the whole declaration and checks it against the columns of a relation.  Raises 22023 if it
 * is not valid, or has a gap of dpobj.declare() (declare.c); so do the functions that choose from
 * it.
 */
extern void encoders_parse(Jsonb *declaration, TupleDesc descriptor, Encoders *encoders);

/* The same for the named columns only; columns that are not declared are left out. */
extern void encoders_parse_columns(Jsonb *declaration, TupleDesc descriptor, List *columns,
								   Encoders *encoders);

/* The columns of a request with these features (NIL: all) and this label. */
extern List *encoders_taken(Jsonb *declaration, List *names, const char *label);

/* The names in a text[], the argument "features", "columns" or "by". */
extern List *encoders_names(ArrayType *array);
extern List *encoders_column_names(ArrayType *array);
extern List *encoders_group_names(ArrayType *array);

/*
 * The encoders of the named columns, or (NIL) of all columns but labels and the given label.  More
 * features than a row takes are refused; if may_pack, categories are packed first, and a model then
 * has LEVELS_WEIGHTS_MAX weights at most, an intercept included.
 */
extern void encoders_choose(const Encoders *all, List *names, const char *label, bool may_pack,
							Encoders *chosen);

/* The sum of encoder_weights(). */
extern int encoders_weights(const Encoders *encoders);

/*
 * Divides all into the named columns, which must have public values, in this order, and the others.
 */
extern void encoders_split(const Encoders *all, List *names, Encoders *groups, Encoders *rest);

/*
 * Chooses the named columns in this order, or (NIL) all in the table's order, each with the number
 * of its value among encoder_values() as its only feature, so that no row is neutral.
 */
extern void encoders_values(const Encoders *all, List *names, Encoders *chosen);

/*
 * Makes one of these columns the label of a training: nothing stands in for its missing values, if
 * it is a class or positive or negative.  Raises 22023 if it is none of them or can be no label.
 */
extern void encoders_set_label(Encoders *values, const char *name);

/* The encoder of a column.  Raises 22023 if there is none. */
extern const Encoder *encoders_find(const Encoders *all, const char *name);

/*
 * The encoder of a label, which must have "positive" or "levels" or be a boolean.  With levels,
 * is_class is set, unless the choice says which levels are positive, against the other ones or
 * those that it names; any other value makes its row neutral, whatever the substitute of a feature
 * is.  A target must be a number or a boolean without an indicator; with may_be_target a number is
 * one.
 */
extern const Encoder *encoders_label(const Encoders *all, const LabelChoice *choice);

/*
 * The encoder of a column's number as it is, neither scaled nor clipped, from any declaration of a
 * column of numbers, times or booleans.  low and high: the declared clip bounds of that number;
 * false if the column is not declared as a number and has none.
 */
extern bool encoders_plain_number(const Encoders *all, const char *name, Encoder *number,
								  double *low, double *high);

/*
 * Divides a column of numbers or times into bins, by these edges or (NULL) those that are declared,
 * or by equal parts of the declared bounds.  Raises 22023 if the column has no numbers.
 */
extern void encoders_set_bins(Encoders *all, const char *name, JsonbValue *bins);

/* Are all numbers of that encoder whole, by the type of its column? */
extern bool encoder_is_whole(const Encoder *number);

/*
 * Sets the options that follow from the encoders: dimension, numeric, groups, levels and clip
 * bounds.
 */
extern void encoders_describe(const Encoders *encoders, Options *options);

/* The fixed-point encoding of the features, whose bounds and groups are in the options. */
extern void encoders_encoding(const Options *options, Encoding *encoding);

/* The meaning of an encoder's feature, counted from 0, such as "25 <= age < 35". */
extern char *encoder_feature_name(const Encoder *encoder, int position);

/* What levels and bins are of: the column, or "month of" it. */
extern const char *encoder_subject(const Encoder *encoder);

/* Lets the encoder read another column, whose values mean the same; its edges get that type. */
extern void encoder_bind(Encoder *encoder, const Column *column);

/* What the edges of the encoder's column are counted in. */
static inline EdgeUnit
encoder_unit(const Encoder *encoder)
{
	return (EdgeUnit){encoder->unit, encoder->origin};
}

/* The digits of a bin's upper edge. */
extern char *encoder_edge_text(const Encoder *encoder, int bin);

/*
 * The number of public values by which a column can group rows: its levels or bins, 2 for a
 * boolean, 0 for any other; the name of a value, counted from 0; and the value of a row, -1 if it
 * has none of them, also if there is a substitute.
 *
 * With others, a number has public values, too: below, within and above its clip bounds; so has a
 * label, positive and negative.  Then two values follow: "NULL", which a NaN has, too, and "other",
 * for what is none of the levels and no value of a label that names both.
 */
extern int encoder_values(const Encoder *encoder);
extern char *encoder_value_name(const Encoder *encoder, int position);
extern int encoder_value(const Encoder *encoder, Datum datum, bool isnull);

/* With others: so many of the first values are of rows that a training can use. */
extern int encoder_usable_values(const Encoder *encoder);

/* The features of one value; false if the row is neutral. */
extern bool encoder_apply(const Encoder *encoder, Datum datum, bool isnull, double *features);

/* The features of a composite value that has the encoders' columns; false if it is neutral. */
extern bool encoders_apply(const Encoders *encoders, HeapTupleHeader row, double *features);

/* Identifies the type of a composite value as it is now: ALTER TABLE changes it. */
extern uint64 encoders_row_type(HeapTupleHeader row);

extern Label encoder_apply_label(const Encoder *encoder, Datum datum, bool isnull);

#endif
