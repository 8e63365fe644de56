/*
 * run_choice.h - how long a run may take: what is public about it, and the refusal before the
 * charge (rules F3 and F4).
 */
#ifndef DPOBJ_RUN_CHOICE_H
#define DPOBJ_RUN_CHOICE_H

#include "server/release/training.h"
#include "server/rows/scan.h"

/*
 * Sets the public numbers that bound a run: rows that are declared or, under replace, those that
 * the table has room for, if they are fewer or none are declared.  The groups of a call share the
 * longest run, and the rows: seconds grow with rows less and less or in proportion, so all groups
 * together take the most where they have equally many.
 */
extern void run_settle(Training *training);

/*
 * The same from what is declared alone.  Grids and other parameters of a release are chosen by it,
 * because the room in a table's files may follow from how long the values of a row are.
 */
extern RunTerms run_declared(const Training *training);

/*
 * May the run take longer than dpobj.longest_run?  An owner says so by a time limit or
 * "endless": true; nothing chosen automatically needs it.
 */
extern bool run_may_last(const Training *training);

/* Raises 22023 if the settled run may take too long or too much memory. */
extern void run_check(const Training *training);

/*
 * Raises 22023 if rows are on other servers and the settled run cannot bear as many as these have
 * room for, where their number is public.  The sizes are known when all parts are locked.
 */
extern void run_check_parts(Training *training, const Scan *scan);

/* Raises 22023 for a request that does not finish, and says what would. */
extern void run_refuse(const Training *training, const MechanismVerdict *verdict)
	pg_attribute_noreturn();

#endif
