/*
 * label.h - the label of a row in an aggregate's call.
 */
#ifndef DPOBJ_LABEL_H
#define DPOBJ_LABEL_H

#include "postgres.h"

#include "catalog/pg_type.h"

typedef enum Label
{
	LABEL_NEGATIVE,
	LABEL_POSITIVE,
	LABEL_NEITHER
} Label;

/* The base type of a label's type; raises 42804 unless it is boolean, int2, int4 or int8. */
extern Oid label_check_type(Oid type);

/*
 * Reads a label of a type that label_check_type() returned: true and 1 are positive, false, 0 and
 * -1 negative.  Any other integer is neither and makes its row neutral.
 */
static inline Label
label_read(Datum datum, Oid type)
{
	int64 value;

	if (type == BOOLOID)
		return DatumGetBool(datum) ? LABEL_POSITIVE : LABEL_NEGATIVE;
	value = type == INT2OID   ? DatumGetInt16(datum)
			: type == INT4OID ? DatumGetInt32(datum)
							  : DatumGetInt64(datum);
	if (value == 1)
		return LABEL_POSITIVE;
	return value == 0 || value == -1 ? LABEL_NEGATIVE : LABEL_NEITHER;
}

#endif
