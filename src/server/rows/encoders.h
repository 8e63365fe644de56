/*
 * encoders.h - the public map from a row of a table to features.
 *
 * An administrator declares it once, as the jsonb "encoders" of dpobj.protect: an
 * object with one member for each column.  It is a function of one row and of the
 * declaration only, and it is total: whatever a row contains, it has features or
 * it is a neutral row, silently.
 *
 *   numbers     {"center": c, "scale": s, "clip": [lo, hi]}
 *               one feature, (x - c) / s clipped; infinities are clipped too.
 *               Defaults 0, 1, [-1, 1]; an integer or numeric column must say
 *               "scale" or "clip".
 *   times       {"epoch_of": "day" | "hour" | "second", ...}
 *               the time since 1970-01-01 (UTC) in that unit, not rounded, then as
 *               a number; -infinity and infinity are clipped.
 *   boolean     {}  one feature, 0 or 1.
 *   bins        {"bins": [b1, ..., bk]}  one feature for each of the k + 1 bins
 *               below b1, from b1 to below b2, ..., from bk on; of numbers and times.
 *   levels      {"levels": [...]}  one feature for each level, of text, enum and
 *               integer columns.  Texts are compared bytewise.
 *   labels      {"positive": [...]}  not a feature: a label that is positive for
 *               these values and negative for every other.
 *
 * "drop_first": true leaves out the feature of the first level or bin.
 *
 * A value is missing if it is NULL, NaN or none of the levels.  By default a row
 * with a missing value is neutral; so is one whose label is NULL.  "null" is what
 * stands in for it: a number within the clip bounds, true or false, a level, or,
 * for bins, a number that lies in one.  "null_indicator": true adds a feature that
 * is 1 where the value is missing and 0 elsewhere; without "null" the other features
 * of the column are then 0, clipped.
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
#include "server/base/options.h"

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
	EncoderKind kind;
	int features; /* 0 for a label that is declared as such */

	/* numbers; unit is that of a time, in seconds */
	double unit;
	double center;
	double scale;
	double low;
	double high;

	/* bins and levels */
	int categories; /* how many, the one that is dropped included */
	double *edge;   /* between the bins */
	ColumnSet set;  /* the levels, or the positive values of a label */
	bool drop_first;

	/* missing values */
	bool null_indicator;
	bool substitute;   /* is there something to stand in? else neutral or indicated only */
	double null_value; /* of a number */
	int null_category; /* of bins and levels */
} Encoder;

/* Encoders in the order of their features, which is that of the table's columns. */
typedef struct Encoders
{
	int count;
	int features; /* the sum; labels have none */
	Encoder *encoder;
} Encoders;

typedef enum RowLabel
{
	ROW_NEGATIVE,
	ROW_POSITIVE,
	ROW_UNLABELLED
} RowLabel;

/*
 * The whole declaration, checked against the columns of a relation.  Raises 22023
 * for what is wrong with it; so do the functions that choose from it.
 */
extern void encoders_parse(Jsonb *declaration, TupleDesc descriptor, Encoders *encoders);

/* The same for the named columns only; columns that are not declared are left out. */
extern void encoders_parse_columns(Jsonb *declaration, TupleDesc descriptor, List *columns,
								   Encoders *encoders);

/* The columns of a request with these features (NIL: all) and this label. */
extern List *encoders_taken(Jsonb *declaration, List *names, const char *label);

/* The names in a text[], which an argument of that name holds. */
extern List *encoders_names(ArrayType *array);
extern List *encoders_group_names(ArrayType *array);

/* The encoders of the named columns, or of all if there are none (NIL) but labels and the one
 * given. */
extern void encoders_choose(const Encoders *all, List *names, const char *label, Encoders *chosen);

/*
 * Takes the named columns, which must have public values, out of all: groups has them in this
 * order, rest has the others.
 */
extern void encoders_split(const Encoders *all, List *names, Encoders *groups, Encoders *rest);

/* The encoder of a column that can be a label: one with "positive", or a boolean. */
extern const Encoder *encoders_label(const Encoders *all, const char *name);

/* The encoder of a column that can be a target: a number or a boolean, without an indicator. */
extern const Encoder *encoders_target(const Encoders *all, const char *name);

/* Fills in what the encoders know: dimension, numeric, groups and clip bounds. */
extern void encoders_describe(const Encoders *encoders, Options *options);

/* The fixed-point encoding of the features, whose bounds and groups are in the options. */
extern void encoders_encoding(const Options *options, Encoding *encoding);

/* What feature number position (from 0) of an encoder stands for, such as "age in [25, 35)". */
extern char *encoder_feature_name(const Encoder *encoder, int position);

/* The bin that a number lies in. */
extern int encoder_bin(const Encoder *encoder, double number);

/*
 * How many public values a column has that rows can be grouped by: its levels or bins, false
 * and true of a boolean, 0 of any other; what they are called, from position 0; and which one
 * a row has, -1 if it has none of them, whatever stands in for it as a feature.
 */
extern int encoder_values(const Encoder *encoder);
extern char *encoder_value_name(const Encoder *encoder, int position);
extern int encoder_value(const Encoder *encoder, Datum datum, bool isnull);

/* The features of one value; false if the row is neutral. */
extern bool encoder_apply(const Encoder *encoder, Datum datum, bool isnull, double *features);

/* The features of a composite value that has the encoders' columns; false if it is neutral. */
extern bool encoders_apply(const Encoders *encoders, HeapTupleHeader row, double *features);

/* Identifies the type of a composite value as it is now: ALTER TABLE changes it. */
extern uint64 encoders_row_type(HeapTupleHeader row);

extern RowLabel encoder_apply_label(const Encoder *encoder, Datum datum, bool isnull);

#endif
