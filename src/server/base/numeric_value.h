/*
 * numeric_value.h - a numeric as a double, without the detour through its digits as text.
 */
#ifndef DPOBJ_NUMERIC_VALUE_H
#define DPOBJ_NUMERIC_VALUE_H

#include "postgres.h"

/* The double nearest to a numeric; infinite where it is too large, NaN where it is NaN. */
extern double numeric_value(Datum datum);

#endif
