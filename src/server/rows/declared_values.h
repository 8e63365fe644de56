/*
 * declared_values.h - checks the constants of a request against what is declared of their column.
 *
 * A misspelt constant would buy a useless model.  What it is compared with is public, so the error
 * and its hint say nothing about a row.
 */
#ifndef DPOBJ_DECLARED_VALUES_H
#define DPOBJ_DECLARED_VALUES_H

#include "postgres.h"

#include "server/rows/encoders.h"

/*
 * Raises 22023, with the declared values that differ by case or blanks, for a constant that is not
 * declared for the column, where the values are: levels, and labels whose negative values are
 * declared, too.  place: what has the constants, such as "the filter".
 */
extern void declared_values_check(const Encoder *declared, const ColumnSet *constants,
								  const char *place);

/* The same for the values of a label. */
extern void declared_values_check_label(const Encoder *declared, const LabelRule *rule,
										const char *place);

#endif
