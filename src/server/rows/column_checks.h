/*
 * column_checks.h - what CHECK constraints of a table and of a domain say about one column.
 *
 * They are read in the form in which the catalog stores them, and never evaluated: conditions of
 * built-in operators on the column and a constant, joined by AND, and lists of values.  Any other
 * condition says nothing.
 */
#ifndef DPOBJ_COLUMN_CHECKS_H
#define DPOBJ_COLUMN_CHECKS_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "nodes/pg_list.h"
#include "utils/numeric.h"
#include "utils/relcache.h"

#include "server/rows/column.h"

typedef struct ColumnChecks
{
	/*
	 * The bounds, NULL if there is none.  Of an integer both are values that it may have, of a time
	 * they are in microseconds since 2000-01-01.
	 */
	Numeric low;
	Numeric high;
	bool listed; /* are its values listed? */

	/* Then these, as different strings: texts, labels of an enum, digits of numbers. */
	List *values;
	bool many; /* is there a list of more than LEVELS_MAX values, which is not read? */
	bool not_null;
} ColumnChecks;

extern void column_checks_read(Relation relation, Form_pg_attribute attribute, const Column *column,
							   ColumnChecks *checks);

#endif
