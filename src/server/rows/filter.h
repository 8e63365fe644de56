/*
 * filter.h - the structured filter of an analyst's request.
 *
 * {"column": {"op": constant, ...}, ...}: a row passes if every condition holds.  Operators are =,
 * <>, <, <=, >, >=, in (an array) and "is null" (true or false).  A missing value, NULL or
 * NaN, passes no operator but "is null".  Texts are compared bytewise, and enums have no order.  A
 * filter calls no function of SQL, so it cannot fail.  Rows that do not pass become neutral: they
 * still count.
 */
#ifndef DPOBJ_FILTER_H
#define DPOBJ_FILTER_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/jsonb.h"

#include "server/rows/column.h"
#include "server/rows/encoders.h"

typedef enum FilterOperator
{
	FILTER_EQUAL,
	FILTER_NOT_EQUAL,
	FILTER_LESS,
	FILTER_LESS_EQUAL,
	FILTER_GREATER,
	FILTER_GREATER_EQUAL,
	FILTER_IN,
	FILTER_IS_NULL
} FilterOperator;

typedef struct Condition
{
	Column column;
	FilterOperator op;
	bool want_null; /* the constant of "is null" */
	ColumnSet constants;
} Condition;

typedef struct Filter
{
	int count;
	Condition *condition;
} Filter;

/* Raises 22023 for a filter that is not valid; NULL lets every row pass. */
extern void filter_parse(Jsonb *jsonb, TupleDesc descriptor, Filter *filter);

/*
 * Raises 22023 if a condition compares a column with a value that is not declared for it, where the
 * values are: levels, and labels whose negative values are declared, too.  Such a condition holds
 * for no row that a model can use, or for every one.
 */
extern void filter_check_declared(const Filter *filter, const Encoders *declared);

/* Does a value of the condition's column pass? */
extern bool condition_holds(const Condition *condition, Datum datum, bool isnull);

#endif
