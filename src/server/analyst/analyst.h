/*
 * analyst.h - what dpobj.train and the other functions of the analyst's door share.
 *
 *   analyst_ask()      may the caller call?
 *   analyst_enter()    what is kept of the call, or a place among the session user's calls
 *   analyst_open()     the protected table, its encoders and the filter
 *   charge_commit()    the charge, before the first page is read
 *   analyst_attempt()  everything that reads rows
 *   analyst_leave()
 *
 * Before the charge, errors are about the request.  After the charge, the call ends at a tick, with
 * an answer or with an error that is always the same.
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

/* A protected table and the columns that are read. */
typedef struct AnalystTable
{
	Oid table;
	char *name; /* schema-qualified and quoted */
	Protection protection;
	Encoders features;
	Encoders groups;      /* of the columns that rows are grouped by, if any */
	const Encoder *label; /* NULL for a look */
	Encoders columns;     /* a label that is a target or a class, and then the features */
	Filter filter;
	Holdout holdout;
	Column person;
	ScanShape shape;
} AnalystTable;

/*
 * Checks the table and the grant; raises UB003, also for a call from a SECURITY DEFINER function or
 * after SET ROLE.
 */
extern void analyst_ask(Oid table);

/*
 * Looks for what is kept of a call; true if it is found.  If not, waits for other calls with the
 * name (NULL: none) and looks again, then waits for one of the session user's places, and returns
 * false: the call ends with analyst_leave().
 */
extern bool analyst_enter(const char *name, bool (*find)(void *call), void *call);
extern void analyst_leave(const char *name);

/* Raises UB003 for a relation of the wrong kind, a partition or a child. */
extern void analyst_check_relation(Oid table);

/* Raises an error for a filter that does not fit the table; NULL: none. */
extern void analyst_check_filter(Oid table, Jsonb *filter);

/*
 * by: the columns that rows are grouped by, NIL for none; they are neither features nor the label.
 * names: the features, NIL for all declared columns.  A label that is a target or a class is
 * encoded before the features.  filter: or NULL.
 */
extern void analyst_open(Oid table, List *by, List *names, const LabelChoice *label, Jsonb *filter,
						 AnalystTable *opened);

/*
 * The same for a look.  by: the columns that rows are grouped by.  column: NULL for a count; of a
 * histogram it is the last of the groups, in these bins or (NULL) the declared or usual ones, with
 * values for other rows; else the only feature, a plain number with the declared bounds low and
 * high, which are NaN if there are none.
 */
extern void analyst_open_look(Oid table, List *by, const char *column, bool is_histogram,
							  JsonbValue *bins, Jsonb *filter, AnalystTable *opened, double *low,
							  double *high);

/*
 * The same for a profile.  encoders: NULL for those that are declared.  names: the columns, NIL for
 * all; they are the features, by their values.
 */
extern void analyst_open_profile(Oid table, Jsonb *encoders, List *names, Jsonb *filter,
								 AnalystTable *opened);

/*
 * Leaves the rows that are held out at a share to ratings, or reads only these.  thousandths: 0 for
 * all rows.  Before the provenance is written.
 */
extern void analyst_hold_out(AnalystTable *opened, int64 thousandths, bool trains);

/* JSON members for the ledger: relation, filter, holdout, person. */
extern char *analyst_look_provenance(const AnalystTable *opened, Jsonb *filter);

/*
 * JSON members for ledger and model: relation, label, features, encoders, types, filter, holdout,
 * person.
 */
extern char *analyst_provenance(const AnalystTable *opened, Jsonb *filter);

/*
 * Runs work(context) after the charge and waits for the tick.  If work returns false or raises an
 * error, other than a cancel and the like, the release has failed: the event is committed and UB004
 * raised, always with the same text.
 */
extern void analyst_attempt(int64 release, const AnalystTerms *terms, bool (*work)(void *context),
							void *context);

/*
 * The same without event and error; false if the release has failed.  It waits for the tick before
 * the caller aborts the transaction, because other sessions can see its locks.
 */
extern bool analyst_try(int64 release, const AnalystTerms *terms, bool (*work)(void *context),
						void *context);

/* The same text for every failure. */
#define ANALYST_FAILURE "the release failed and nothing was released"
#define ANALYST_FAILURE_DETAIL                                                                     \
	"The charge stays. Failures are counted against the table, and the reason is in the server "   \
	"log only."

#endif
