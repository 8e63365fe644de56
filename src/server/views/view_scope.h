/*
 * view_scope.h - what the checker of views knows of a query while it goes through it.
 *
 * docs/proofs/persons.md defines the kinds of queries and says why each rule holds.
 */
#ifndef DPOBJ_VIEW_SCOPE_H
#define DPOBJ_VIEW_SCOPE_H

#include "postgres.h"

#include "nodes/bitmapset.h"
#include "nodes/parsenodes.h"

/* What is known of the values of an expression; the bounds are for numbers. */
typedef struct ViewValue
{
	int digits;     /* before the point; VIEW_UNBOUNDED: not known */
	int scale;      /* digits after the point at most */
	bool alike;     /* values that are equal are the same to every function */
	bool is_absent; /* the constant NULL, which says nothing */
} ViewValue;

#define VIEW_UNBOUNDED (-1)

typedef enum ViewKind
{
	VIEW_PUBLIC, /* the rows follow from public tables and the row of the enclosing query */
	VIEW_FIXED,  /* and from the rows of the person of the row of the enclosing query */
	VIEW_PERSONS /* each row is one person's: definition M3 */
} ViewKind;

/* What is known of the rows of a query or of a table. */
typedef struct ViewRows
{
	ViewKind kind;
	int columns;
	ViewValue *column;  /* by the column's number less 1 */
	Bitmapset *persons; /* numbers of the columns that name the row's person */
	List *keys;         /* sets of numbers of columns, in each of which no two rows agree */
	bool at_most_one;   /* there is no second row */
} ViewRows;

/* A column that names the person of a row of FROM. */
typedef struct ViewPerson
{
	int table; /* position in the range table */
	AttrNumber column;
} ViewPerson;

/* The view that is checked, and what was found in it. */
typedef struct ViewWork
{
	const char *name;
	Oid reader;   /* the owner of the view whose query is looked at */
	List *bases;  /* ViewBase, view_check.h */
	List *views;  /* KnownView of view_relation.c: views that were read */
	Oid key_type; /* of persons: INT8OID for all integers, InvalidOid: none yet */
} ViewWork;

typedef struct ViewScope
{
	ViewWork *work;
	struct ViewScope *outer; /* NULL at the top of a view */
	Query *query;
	const char *name;         /* "view \"v\"", for messages */
	const char *clause;       /* "WHERE" */
	ViewRows **from;          /* by the position in the range table less 1; NULL: not read yet */
	List *persons;            /* ViewPerson: of the rows for which the clause is evaluated */
	List *from_persons;       /* the same of the rows of FROM */
	List *ctes;               /* KnownCte of view_from.c */
	bool is_private;          /* a table of persons is read somewhere below */
	bool grouped;             /* by GROUP BY, or all rows together */
	bool after_grouping;      /* the clause is evaluated for groups */
	ViewValue tested;         /* what CASE compares */
	const ViewRows *searched; /* the rows that IN compares with */
	ViewValue *target;        /* of the target list, by position */
} ViewScope;

/* view_refuse.c */

/*
 * Raises UB003: what was found in which clause of which query, a sentence without its full stop,
 * and what is allowed instead.
 */
extern void view_refuse(const ViewScope *scope, const char *found, const char *allowed)
	__attribute__((noreturn));

/* view_query.c */

/* Checks a query below scope, or the query of a view if outer is NULL; name as in ViewScope. */
extern ViewRows *view_check_query(Query *query, ViewScope *outer, ViewWork *work, const char *name);

/* Finds the column in the list. */
extern bool view_names_person(const List *persons, int table, AttrNumber column);

/* view_set.c: the rows of UNION ALL. */
extern ViewRows *view_check_set(ViewScope *scope);

/* view_from.c */

/* Checks FROM and WHERE, and says of which kind the rows are; sets from_persons. */
extern ViewKind view_check_from(ViewScope *scope);

/* view_relation.c: a table or view of FROM. */
extern ViewRows *view_check_relation(ViewScope *scope, const RangeTblEntry *table);

/* view_expression.c */

extern ViewValue view_check_expression(Node *node, ViewScope *scope);

/*
 * The column that the expression is, without casts that keep every value, and the scope that it
 * belongs to; NULL if it is none.
 */
extern Var *view_bare_column(Node *node, ViewScope *scope, ViewScope **level);

/* The constant that an expression without columns has been checked to be; NULL: it has some. */
extern Const *view_constant(Node *node);

/* Is it a constant, not null, of type integer or bigint, between these? */
extern bool view_constant_between(Node *node, int64 low, int64 high);

/* view_functions.c */

typedef struct ViewCall
{
	Oid function;
	Oid opno; /* InvalidOid: called as a function */
	Oid type; /* of the result */
	Oid collation;
	List *arguments;
	ViewValue *argument; /* by position */
} ViewCall;

/* Refuses a function that is not in the table, or has other arguments than it may have. */
extern ViewValue view_check_call(const ViewCall *call, ViewScope *scope);

/* The same for values that are compared, without their expressions. */
extern void view_check_comparison(Oid opno, Oid collation, ViewScope *scope);

/* Is it the default equality of keys of persons? */
extern bool view_is_person_equality(const OpExpr *operation);

/* view_aggregates.c, view_windows.c */
extern ViewValue view_check_aggregate(Aggref *aggregate, ViewScope *scope);
extern ViewValue view_check_window_call(WindowFunc *call, ViewScope *scope);
extern void view_check_windows(ViewScope *scope);

/* The value of an aggregate of these arguments, in a group or in a window. */
extern ViewValue view_check_aggregated(Oid function, List *arguments, bool distinct, Oid collation,
									   ViewScope *scope);

/* view_order.c */

/*
 * Refuses what cannot be compared without an error: other types, operators that are not built in, a
 * collation that is not known.  The second one refuses what cannot be a key, too: two values that
 * are equal must be the same to every function.
 */
/* Refuses operators that are not built in. */
extern void view_check_operators(const SortGroupClause *clause, ViewScope *scope);
extern void view_check_sort(const List *clauses, ViewScope *scope);
extern void view_check_keys(const List *clauses, ViewScope *scope);
extern void view_check_sortable(Oid type, Oid collation, ViewScope *scope);
extern void view_check_key(Oid type, Oid collation, const ViewValue *value, ViewScope *scope);

/*
 * Refuses a sort that leaves open which of two rows is first: of a window, or of rows that have the
 * results of windows.  for_what says what needs it.
 */
extern void view_require_order(const List *clauses, bool is_window, const char *for_what,
							   ViewScope *scope);

/* Does the list have this column, or a key, of a table of FROM, as plain columns? */
extern bool view_lists_column(const List *clauses, const Var *column, ViewScope *scope);
extern bool view_lists_key(const List *clauses, int table, ViewScope *scope);

/* The keys of the query's rows. */
extern List *view_result_keys(ViewScope *scope);

/* view_value.c */
extern ViewValue view_value_of_type(Oid type, int32 typmod);
extern ViewValue view_value_of_constant(const Const *constant);
extern ViewValue view_value_either(ViewValue a, ViewValue b);
extern ViewValue view_value_bounded(ViewValue value, ViewScope *scope);
/* Refuses a number whose bounds are not known, or go beyond these. */
extern void view_require_bounds(const ViewValue *value, int digits, int scale, const char *for_what,
								ViewScope *scope);

#endif
