/*
 * analyst.h - what dpobj.train and its kin have in common: who may, what is read,
 * and what anybody gets to know of a run.
 *
 *   analyst_enter()    may this caller?  One call at a time of a session user.
 *   analyst_open()     the protected table, its encoders and the filter
 *   charge_commit()    the charge, before the first page is read
 *   analyst_attempt()  all that looks at rows
 *   analyst_leave()
 *
 * Everything up to the charge raises errors about what was asked; everything after
 * it ends at a tick, in an answer or in one error that is always the same.
 */
#ifndef DPOBJ_ANALYST_H
#define DPOBJ_ANALYST_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "server/ledger/charge.h"
#include "server/rows/encoders.h"
#include "server/rows/filter.h"
#include "server/rows/protection.h"
#include "server/rows/scan.h"

/* A protected table and what is read of it. */
typedef struct AnalystTable
{
	Oid table;
	char *name; /* schema-qualified and quoted */
	Protection protection;
	Encoders features;
	Encoders groups; /* columns that rows are grouped by; none but after analyst_open_groups() */
	const Encoder *label;
	Encoders columns; /* of a row: the target, if the label is one, and the features */
	Filter filter;
	Column person;
	ScanShape shape;
} AnalystTable;

/* Waits for the session user's other calls; raises UB003 for a caller in disguise. */
extern void analyst_enter(Oid table);
extern void analyst_leave(void);

/* The same questions, without waiting for anybody and without entering. */
extern void analyst_ask(Oid table);

/* Raises UB003 for what no call may be about: the first thing that analyst_enter() asks. */
extern void analyst_check_relation(Oid table);

/* Raises an error for a filter that the table's rows cannot be asked by; NULL: none. */
extern void analyst_check_filter(Oid table, Jsonb *filter);

/*
 * names: the columns, NIL for all that are declared; filter may be NULL; is_target: is the
 * label a number, which then goes in front of the features?
 */
extern void analyst_open(Oid table, List *names, const char *label, bool is_target, Jsonb *filter,
						 AnalystTable *opened);

/*
 * The same for a label that is no target, with the rows grouped by these columns, which are
 * neither features nor the label.
 */
extern void analyst_open_groups(Oid table, List *by, List *names, const char *label, Jsonb *filter,
								AnalystTable *opened);

/* Members for ledger and model: relation, label, features, encoders, types, filter, person. */
extern char *analyst_provenance(const AnalystTable *opened, Jsonb *filter);

/*
 * Runs work(context) after the charge and waits for the tick.  When it returns false
 * or raises an error, other than a cancel, the release has failed: the event is
 * committed and one generic error raised, UB004.
 */
extern void analyst_attempt(int64 release, const AnalystTerms *terms, bool (*work)(void *context),
							void *context);

/*
 * The same without event and error: false for a release that has failed.  It waits for the tick
 * before the transaction is aborted, as anybody may watch its locks.
 */
extern bool analyst_try(int64 release, const AnalystTerms *terms, bool (*work)(void *context),
						void *context);

/* All that is said of any failure. */
#define ANALYST_FAILURE "the release failed and nothing was released"
#define ANALYST_FAILURE_DETAIL                                                                     \
	"The charge stays. Failures are counted against the table, and the reason is in the server "   \
	"log only."

#endif
