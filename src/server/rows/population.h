/*
 * population.h - populations: the people of several tables, who have one budget.
 */
#ifndef DPOBJ_POPULATION_H
#define DPOBJ_POPULATION_H

#include "postgres.h"

/* Raises 42809 if the relation names a population, which has no rows to protect. */
extern void population_refuse(Oid relation);

/*
 * Checks that a table may be protected in a population: the population's adjacency, a column of
 * persons that has the type of its key, and the consent of both owners.
 */
extern void population_check_table(Oid table, Oid population, const char *adjacency,
								   const char *person);

/* Locks the table, and the population unless it is invalid, against charges. */
extern void population_lock(Oid table, Oid population);

/*
 * Raises an error if the table was charged in a population and would leave it, change the column of
 * persons, or lower the number of rows (0: none) that its charges for rows count for.
 */
extern void population_check_change(Oid table, Oid population, const char *person, int rows);

/*
 * Has the table, by its identity, join the population by the event of its protection; leave its
 * present one if the population is invalid.  The caller has checked it.  Returns the population's
 * identity, 0 for none.
 */
extern int64 population_put(int64 table, Oid population, const char *person, int rows, int64 event);

/* Has an unprotected table leave its population, unless it was charged. */
extern void population_leave(Oid table, int64 identity);

/* Is the table in a population? */
extern bool population_has(Oid table);

/* Has the table joined its population after that release? */
extern bool population_is_later(Oid table, int64 release);

#endif
