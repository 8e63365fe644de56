/*
 * numeric_value.h - a numeric as a double or as bits, without a conversion to text.
 */
#ifndef DPOBJ_NUMERIC_VALUE_H
#define DPOBJ_NUMERIC_VALUE_H

#include "postgres.h"

/* Returns the nearest double; infinite if the numeric is too large, NaN if it is NaN. */
extern double numeric_value(Datum datum);

extern bool numeric_value_is_nan(Datum datum);

/*
 * Writes bits that are equal for equal numerics only, and whose highest four are 0; false if the
 * numeric has too many digits for them, for any equal numeric, too.
 */
extern bool numeric_bits(Datum datum, uint64 *bits);

#endif
