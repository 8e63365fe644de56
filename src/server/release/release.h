/*
 * release.h - the one order in which a private answer is made, at both doors.
 *
 *   find     what is kept of the call: it is given again, and nothing is charged
 *   settle   the parameters and the cost, from public facts alone
 *   check    the budgets
 *   lock     the table and its parts, and make room for the rows
 *   charge   another process commits it; before it nothing is written, and no bit is drawn
 *   attempt  rows, solver and noise; it ends at a tick
 *   keep     the answer and its hash are committed
 *   release  the caller gets what is kept
 *
 * Before the charge, errors are about the request.  After it, the call ends with an answer or with
 * an error that is always the same.
 */
#ifndef DPOBJ_RELEASE_H
#define DPOBJ_RELEASE_H

#include "postgres.h"

#include "fmgr.h"

#include "server/ledger/charge.h"
#include "server/rows/scan.h"

typedef struct Release Release;

/* What differs between calls.  Only settle, draw and keep must be there; others may be NULL. */
typedef struct ReleaseKind
{
	bool solves; /* at the analyst's door it takes one of dpobj.max_solvers */
	bool (*find)(Release *release, Datum *kept);
	void (*settle)(Release *release); /* fills in charge, and shape if there are rows to read */
	void (*room)(Release *release);
	bool (*draw)(Release *release);  /* false: a limit was reached */
	void (*close)(Release *release); /* what a run that has answered still holds */
	Datum (*keep)(Release *release);
	void (*fail)(Release *release); /* raises an error that says more, to readers of the table */
} ReleaseKind;

/* A call; what is its own follows in a struct of which this is the first member. */
struct Release
{
	const ReleaseKind *kind;
	FunctionCallInfo fcinfo;
	Oid table;
	bool by_analyst;
	bool by_reader;         /* a caller who may read the table gets errors, and at once */
	AnalystTerms terms;     /* of an analyst's call */
	Charge charge;          /* from here on by settle() */
	const ScanShape *shape; /* NULL: the executor has read the rows */
	bool ignore_rls;
	double public_rows; /* for progress; 0: not public */
	Scan *scan;         /* from here on by release_make() */
	int64 id;           /* of the charge in the ledger */
};

/* What every failure says to a caller who may not read the table. */
#define RELEASE_FAILURE "the release failed and nothing was released"
#define RELEASE_FAILURE_DETAIL                                                                     \
	"The charge stays. Failures are counted against the table, and the reason is in the server "   \
	"log only."

/* Makes the answer, and returns what keep() or find() has given. */
extern Datum release_make(Release *release);

/*
 * Settles an analyst's call for its price: raises what the call raises, but for names, budgets, rows
 * of other servers and room, and fills in the charge.
 */
extern void release_price(Release *release);

#endif
