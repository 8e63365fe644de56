/*
 * numeric_value.h - a numeric as a double, without a conversion to text.
 */
#ifndef DPOBJ_NUMERIC_VALUE_H
#define DPOBJ_NUMERIC_VALUE_H

#include "postgres.h"

/* Returns the nearest double; infinite if the numeric is too large, NaN if it is NaN. */
extern double numeric_value(Datum datum);

#endif
