/*
 * charge.h - commits events to the ledger.
 *
 * A background worker commits each event of a statement in its own transaction, and the event is
 * durable before the call returns: no ROLLBACK, cancel, crash or kill of the caller undoes it
 * (rule H1).  A charge is committed before the first random bit is drawn and is never refunded.
 */
#ifndef DPOBJ_CHARGE_H
#define DPOBJ_CHARGE_H

#include "postgres.h"

#include "access/htup.h"
#include "utils/array.h"

#include "core/accounting/pair.h"

#include "server/ledger/charge_shared.h"

/* What a charge at the analyst's door has besides. */
typedef struct AnalystTerms
{
	const char *name;                       /* for the model or the answer, NULL: none */
	uint8 request_hash[CHARGE_HASH_LENGTH]; /* of the analyst's call */
	bool keeps_answer;                      /* is the answer kept, under the name or without one? */
	int release_tick; /* output, milliseconds: dpobj.release_tick of the role */
} AnalystTerms;

typedef struct Charge
{
	Oid relation;          /* the scanned table; the topmost ancestor of a partition */
	const char *mechanism; /* its name in the options */
	Adjacency adjacency;
	Pair pair;              /* epsilon and delta are rounded up */
	const char *guarantee;  /* exact, float, conditional, unproven */
	const char *parameters; /* jsonb text: public parameters only */
	bool is_kept;           /* reserves a row of dpobj.model_rows */
	bool grouped;           /* reserves a row for each key of "groups" in the parameters */
	AnalystTerms *analyst;  /* NULL: the owner's door */
	const char *person;     /* column whose values are the protected persons; NULL: rows are */
} Charge;

/* Raises an error on a standby, in a read-only transaction and in a parallel worker. */
extern void charge_precheck(void);

/*
 * Commits the 'charged' event for the session user and returns its ledger id.  Raises an error if a
 * budget does not cover the charge or a table is protected under other neighbours than the
 * charge's.  After any error, a cancel too, the charge may be in the ledger: release nothing.
 *
 * Unless the caller commits an end, the end of the (sub)transaction or process has a failure
 * written, with the reason that charge_note_reason() gave last, at first CHARGE_BY_ERROR.
 */
extern int64 charge_commit(const Charge *charge);

/*
 * While a call is rehearsed, it makes its checks, enters no gate, and ends in an error in place of
 * the charge; charge_end_rehearsal() says whether the call came so far.
 */
extern void charge_begin_rehearsal(void);
extern bool charge_is_rehearsed(void);
extern bool charge_end_rehearsal(void);

/* A change of a table's budgets, of its protection, or of its mark as a part. */
typedef struct TableChange
{
	Oid relation;
	Oid role;                /* of a budget or a mark; invalid: all roles */
	const char *parameters;  /* jsonb text */
	const char *adjacency;   /* of a protection, else NULL */
	const char *person;      /* of a protection; NULL: rows are protected */
	int64 relation_identity; /* output: of the table, in dpobj.identities */
	int64 role_identity;     /* output: 0 for all roles */
	int64 id;                /* output: of the event */
} TableChange;

/* Commit an event of administration by the session user: about a table, or none. */
extern void charge_table_change(ChargeEvent event, TableChange *change);
extern void charge_without_table(ChargeEvent event, const char *parameters);

#endif
