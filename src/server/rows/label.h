/*
 * label.h - which values of a label are positive and which are negative, at both doors.
 *
 * Booleans, and the integers 1, 0 and -1, say so themselves.  For other values it is declared: the
 * positive ones, and either the negative ones, so that any third value makes its row neutral, or
 * none, so that every other value is negative.  No row has a say in it.
 */
#ifndef DPOBJ_LABEL_H
#define DPOBJ_LABEL_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "server/rows/column.h"

typedef enum Label
{
	LABEL_NEGATIVE,
	LABEL_POSITIVE,
	LABEL_NEITHER /* the row is neutral */
} Label;

typedef struct LabelRule
{
	Column column;
	ColumnSet positive; /* empty: the value itself says so */
	ColumnSet negative; /* empty: every value that is not positive */
	ColumnSet classes;  /* of a label of several classes, which has no other set */
} LabelRule;

/* What a request says of its label. */
typedef struct LabelChoice
{
	const char *name;
	bool is_target;       /* it is a number */
	bool may_be_target;   /* it is a number if its column is declared as one */
	JsonbValue *positive; /* each a constant or an array of them, or NULL */
	JsonbValue *negative;
} LabelChoice;

/* Raises 22023 if only the negative values are given. */
extern void label_check_choice(JsonbValue *positive, JsonbValue *negative);

/*
 * Declares the values of the rule's column, each a constant or an array of them; negative may be
 * NULL.  Raises 22023 for a constant that does not fit the column, is repeated, or is both.
 */
extern void label_declare(LabelRule *rule, JsonbValue *positive, JsonbValue *negative);

/* Declares the values of this array that are not positive as the negative ones. */
extern void label_declare_rest(LabelRule *rule, JsonbValue *values);

/*
 * The rule for an aggregate's argument of that type; positive and negative: as in its options, NULL
 * if not given.  Raises 42804 for a type that cannot be a label or needs them, with the hint, and
 * 22023 where a boolean has them or only the negative values are given.
 */
extern void label_open(Oid type, JsonbValue *positive, JsonbValue *negative, const char *hint,
					   LabelRule *rule);

/* Reads a label that is not null.  It takes the same steps for every value of a declared label. */
extern Label label_read(const LabelRule *rule, Datum datum);

/*
 * The rule for a label that is one of several classes, an array of constants.  Raises 42804 for a
 * type whose values have no text, and 22023 for a constant that does not fit it or is repeated.
 */
extern void label_open_classes(Oid type, JsonbValue *classes, LabelRule *rule);

/* The position of the label among the classes, or -1, in the same steps for every value. */
extern int label_read_class(const LabelRule *rule, Datum datum);

/* The rule for a label that is a number.  Raises 42804 for a type that is none. */
extern void label_open_target(Oid type, LabelRule *rule);

/* The number, as column_number() reads it: infinite if no float8 holds it. */
extern double label_read_target(const LabelRule *rule, Datum datum);

#endif
