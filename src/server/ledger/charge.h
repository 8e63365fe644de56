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

#include "server/base/job_context.h"

#define CHARGE_HASH_LENGTH 32

typedef enum ChargeEvent
{
	CHARGE_CHARGED,
	CHARGE_RELEASED,
	CHARGE_FAILED,
	CHARGE_SET_BUDGET,
	CHARGE_RAISE_BUDGET,
	CHARGE_DROP_BUDGET,
	CHARGE_LIMIT_BUDGET,
	CHARGE_PROTECT,
	CHARGE_UNPROTECT,
	CHARGE_MARK_PART,
	CHARGE_UNMARK_PART,
	CHARGE_READ_PART,
	CHARGE_CONFIRM_EPOCH,
	CHARGE_REMEMBER_SERVER
} ChargeEvent;

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
	const JobContext *job;  /* NULL: a statement */
} Charge;

/* Raises an error on a standby, in a read-only transaction and in a parallel worker. */
extern void charge_precheck(void);

/*
 * Commits the 'charged' event for the session user and returns its ledger id.  Raises an error if a
 * budget does not cover the charge or a table is protected under other neighbours than the
 * charge's.  After any error, a cancel too, the charge may be in the ledger: release nothing.
 */
extern int64 charge_commit(const Charge *charge);

/* Hashes the charge without its snapshot and role: equal for equal charges. */
extern void charge_fingerprint(const Charge *charge, uint8 fingerprint[CHARGE_HASH_LENGTH]);

/*
 * Commits the 'released' event of a charge with the SHA-256 of the answer, and the model (a row of
 * dp_model) if the charge reserved a row for it, else NULL.
 */
extern void charge_released(const JobContext *job, int64 release,
							const uint8 hash[CHARGE_HASH_LENGTH], HeapTupleHeader model);

/* The same for a grouped charge, with a model for each key: a flat dp_group[]. */
extern void charge_released_groups(int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
								   const ArrayType *groups);

/* The same with the answer of a look or an evaluation, jsonb text; NULL: it is not kept. */
extern void charge_released_answer(int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
								   const char *answer);

/*
 * Commits the 'failed' event of a charge: nothing was released, and the charge stays.  Reads no
 * catalog, so it may be called between FlushErrorState and ReThrowError.  A charge that has ended
 * is an error.
 */
extern void charge_failed(const JobContext *job, int64 release);

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
} TableChange;

/* Commit an event of administration by the session user. */
extern void charge_table_change(ChargeEvent event, TableChange *change);
extern void charge_confirm_epoch(void);

/* Commits the epoch that another server has (epoch.h). */
extern void charge_remember_server(const char *server, const char *epoch);

#endif
