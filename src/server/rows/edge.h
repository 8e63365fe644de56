/*
 * edge.h - a declared number in the type of the column whose values are compared with it.
 *
 * Values and edges are compared exactly.  An integer, numeric, date or timestamp is compared with
 * the number as it is declared, however many digits it has.  Of a real or double precision column
 * the edge is the value of its type that is nearest to the declared number, as in SQL: a real that
 * shows as 36.6 is not below the edge 36.6.  Infinities are beyond every edge, NaN is on no side.
 *
 * No comparison raises an error, and each depends on the value and the declaration only.
 */
#ifndef DPOBJ_EDGE_H
#define DPOBJ_EDGE_H

#include "postgres.h"

#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "server/rows/column.h"

/* What the edges of a column's times are counted in and from; a unit of 0 for other columns. */
typedef struct EdgeUnit
{
	double unit;   /* whole seconds */
	double origin; /* whole seconds since 1970 */
} EdgeUnit;

typedef struct Edge
{
	Numeric declared;
	double number; /* of a real or double precision column; of a numeric column the nearest */
	bool has_bits; /* of a numeric column: are the bits those of numeric_bits()? */
	uint64 bits;
	/* of integers and times, as rows hold them: whole, and above (1) or below (-1) it */
	int64 whole;
	int rest;
} Edge;

/* Reads a number that a float8 can hold; false for any other JSON value and for NULL. */
extern bool edge_read(JsonbValue *json, Numeric *declared);

extern Edge edge_make(const Column *column, EdgeUnit unit, Numeric declared);

/* center + scale * number, exactly. */
extern Numeric edge_scaled(Numeric center, Numeric scale, Numeric number);

/* The double that is nearest to the declared number. */
extern double edge_number(const Edge *edge);

/*
 * Is it declared as greater?  A double precision column must tell the two apart.  A real column
 * need not: then no row is between them.
 */
extern bool edge_follows(const Column *column, const Edge *edge, const Edge *before);

/* Two edges of the column: less than, equal to or greater than 0. */
extern int edge_compare(const Column *column, const Edge *a, const Edge *b);

/*
 * The number of edges, of so many in ascending order, that the value is not below; -1 if it is NaN.
 */
extern int edges_passed(const Column *column, const Edge *edges, int count, Datum datum);

/* Is the value below low (-1), above high (1), or neither (0)?  NaN is neither. */
extern int edges_side(const Column *column, const Edge *low, const Edge *high, Datum datum);

/*
 * Its digits, from which the same edge is made again: as declared, without zeros at the end; the
 * shortest of a double precision column.
 */
extern char *edge_text(const Column *column, const Edge *edge);

/* The number that the edge of a real or double precision column shows. */
extern double edge_shown(const Column *column, const Edge *edge);

/* Do the shortest digits of the nearest double say the declared number? */
extern bool edge_is_double(const Edge *edge);

/* The first date or timestamp that is not below the edge, or the one after the last there is. */
extern int64 edge_time(const Column *column, const Edge *edge);

/*
 * A number that the values of a real or double precision column are below exactly if they are below
 * the edge, whether a real is given as it is or as the number that it shows.
 */
extern double edge_between(const Column *column, const Edge *edge);

#endif
