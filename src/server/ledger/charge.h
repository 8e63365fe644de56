/*
 * charge.h - the ledger's only writer.
 *
 * Each event of a statement is committed by a background worker in a transaction of
 * its own, and is durable before the call returns: no ROLLBACK, cancel, crash or kill of
 * the caller takes it back (rule H1).  A charge is committed before the
 * first random bit is drawn and is never refunded.
 */
#ifndef DPOBJ_CHARGE_H
#define DPOBJ_CHARGE_H

#include "postgres.h"

#include "access/htup.h"
#include "utils/array.h"

#include "core/accounting/pair.h"

#include "server/base/job_context.h"

#define CHARGE_HASH_LENGTH 32

/* What the analyst's door adds to a charge. */
typedef struct AnalystTerms
{
	const char *name;                       /* of the model to be, NULL: none */
	uint8 request_hash[CHARGE_HASH_LENGTH]; /* of what was asked */
	int release_tick;                       /* answer, in milliseconds: of an answer */
} AnalystTerms;

typedef struct Charge
{
	Oid relation;          /* what was scanned; of a partition the topmost ancestor */
	const char *mechanism; /* name, as in the option */
	Adjacency adjacency;
	Pair pair;              /* epsilon and delta, rounded up, and what else is known */
	const char *guarantee;  /* exact, float, conditional, unproven */
	const char *parameters; /* jsonb text: public parameters only */
	bool makes_model;       /* keep a place for it in dpobj.models */
	bool grouped;           /* a place for each key of "groups" in the parameters */
	AnalystTerms *analyst;  /* NULL: the owner's door */
	const char *person;     /* column whose values are the protected persons; NULL: rows are */
	const JobContext *job;  /* NULL: a statement */
} Charge;

/*
 * Could a charge be committed here and now?  Raises an error on a standby, in
 * a read-only transaction and in a parallel worker; writes nothing.
 */
extern void charge_precheck(void);

/*
 * Commits the 'charged' event for the session user if every budget that applies
 * covers it and no table concerned is protected under other neighbours than the
 * charge is about; returns its ledger id.  Any error, a cancel included: treat as
 * charged, release nothing.
 */
extern int64 charge_commit(const Charge *charge);

/* Of all that is charged for, but the snapshot: equal where nothing has changed in between. */
extern void charge_fingerprint(const Charge *charge, uint8 fingerprint[CHARGE_HASH_LENGTH]);

/*
 * Commits the 'released' event of a charge with the SHA-256 of what is released,
 * and the model, a row of dp_model, where the charge kept a place for one.
 */
extern void charge_released(const JobContext *job, int64 release,
							const uint8 hash[CHARGE_HASH_LENGTH], HeapTupleHeader model);

/* The same with a model for each key of a charge that was grouped: a flat dp_group[]. */
extern void charge_released_groups(int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
								   const ArrayType *groups);

/*
 * Commits the 'failed' event of a charge: nothing was released, the charge stays.
 * It reads no catalog, so that it may be called while an error is being handled,
 * between FlushErrorState and ReThrowError.  A charge ends once: a second end is
 * an error.
 */
extern void charge_failed(const JobContext *job, int64 release);

/* A change of a table's budgets or of its protection, for the ledger. */
typedef struct TableChange
{
	Oid relation;
	Oid role;                /* of a budget; invalid: all roles */
	const char *parameters;  /* jsonb text */
	const char *adjacency;   /* of a protection, else NULL */
	const char *person;      /* of a protection; NULL: rows are protected */
	int64 relation_identity; /* answer: of the table, in dpobj.identities */
	int64 role_identity;     /* answer: 0 for all roles */
} TableChange;

/* Each commits an event of administration by the session user. */
extern void charge_set_budget(TableChange *change);
extern void charge_raise_budget(TableChange *change);
extern void charge_drop_budget(TableChange *change);
extern void charge_limit_budget(TableChange *change);
extern void charge_protect(TableChange *change);
extern void charge_unprotect(TableChange *change);
extern void charge_confirm_epoch(void);

#endif
