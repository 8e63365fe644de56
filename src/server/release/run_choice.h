/*
 * run_choice.h - how long a run may take: what is public about it, and the refusal before the
 * charge (rules F3 and F4).
 */
#ifndef DPOBJ_RUN_CHOICE_H
#define DPOBJ_RUN_CHOICE_H

#include "server/release/training.h"

/*
 * Sets the public numbers that bound a run: rows that are declared or, where their number is
 * public, counted.  The groups of a call share the longest run, and the rows: seconds grow with
 * rows less and less or in proportion, so all groups together take the most where they have equally
 * many.
 */
extern void run_settle(Training *training);

/*
 * The same from what is declared alone.  Grids and other parameters of a release are chosen by it.
 */
extern RunTerms run_declared(const Training *training);

/*
 * May the run take longer than dpobj.longest_run, or more memory?  An owner may read the rows, so
 * that a bound for all tables protects nobody; nothing chosen automatically needs it.
 */
extern bool run_may_last(const Training *training);

/* Tells the owner, in a NOTICE, of a run that is not sure to end in time. */
extern void run_tell(const Training *training);

/* Raises 22023 if a settled run of an analyst may take too long or too much memory. */
extern void run_check(const Training *training);

/* Raises 22023 for a request that does not finish, and says what would. */
extern void run_refuse(const Training *training, const MechanismVerdict *verdict)
	pg_attribute_noreturn();

#endif
