/*
 * near_name.h - the hint about a name that is none of those that are known.
 *
 * It is made from the known names alone.  Give it names that the caller may see: declarations are
 * public, and so are the columns of a table; values of rows never.
 */
#ifndef DPOBJ_NEAR_NAME_H
#define DPOBJ_NEAR_NAME_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * Writes "Did you mean \"age\"? ", or nothing if no known name is near: one that differs by case
 * and blanks only, else the first of those that differ least, in a third of the name's bytes at
 * most.
 */
extern const char *near_name(const char *name, const List *known);

/* The names of a text "age, sex". */
extern List *near_name_listed(const char *names);

/* Adds that as the whole hint of an error, which has none if no name is near. */
extern int near_name_errhint(const char *name, const List *known);

/* The same before a list of the values, but for those beyond the first twenty. */
extern char *near_name_of_values(const char *constant, const List *values);

#endif
