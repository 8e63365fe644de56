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
 * What a settled call takes on this machine, its rows and the wait for a tick included, from public
 * numbers; the seconds are infinite if none bounds them.
 */
typedef struct RunVerdict
{
	double expected; /* seconds */
	double most;
	double usual_bytes;
	double bytes;    /* at most */
	double holds;    /* the most distinct rows that fit; infinite without a limit, 0 in passes */
	bool is_sure;    /* it ends within dpobj.longest_run in any case */
	bool is_allowed; /* at the analyst's door: it has a bound, and is expected to end and to fit */
} RunVerdict;

/* The only judge of a run: of its price, of what is chosen and of what is refused. */
extern RunVerdict run_verdict(const Training *training);

/*
 * May the run take longer than dpobj.longest_run, or more memory?  An owner may read the rows, so
 * that a bound for all tables protects nobody; nothing chosen automatically needs it.
 */
extern bool run_may_last(const Training *training);

/* Tells the owner, in a NOTICE, of a run that an analyst would be refused. */
extern void run_tell(const Training *training);

/* Raises 22023 if a settled run of an analyst may take too long or too much memory. */
extern void run_check(const Training *training);

/* Raises 22023 for a run that is not allowed, and says what would be. */
extern void run_refuse(const Training *training) __attribute__((noreturn));

#endif
