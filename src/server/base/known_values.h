/*
 * known_values.h - the hint about a constant that is none of the values that are declared for it.
 *
 * Declarations are public, so the hint may list them.  It is made from them alone.
 */
#ifndef DPOBJ_KNOWN_VALUES_H
#define DPOBJ_KNOWN_VALUES_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * Lists the values, which are strings, but for those beyond the first twenty; before them stands
 * the one that differs from the constant by case and blanks only, if there is one.
 */
extern char *known_values_hint(const char *constant, const List *values);

#endif
