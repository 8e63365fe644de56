/*
 * charge_shared.h - the request that a backend shares with the process that commits it.
 *
 * A request has its own dynamic shared memory segment.  The backend fills in the request first; the
 * other process fills in the answer, and the status last.
 */
#ifndef DPOBJ_CHARGE_SHARED_H
#define DPOBJ_CHARGE_SHARED_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/proc.h"

#include "server/ledger/charge_cost.h"

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
	CHARGE_REMEMBER_SERVER,
	CHARGE_MAINTENANCE,
	CHARGE_RESET_FAILURES,
	CHARGE_POPULATION
} ChargeEvent;

/* Why a release that was charged has no answer. */
typedef enum ChargeReason
{
	CHARGE_BY_ITSELF, /* a limit or the rows: counted as a failure at the analyst's door */
	CHARGE_BY_CANCEL, /* a cancel, a timeout or the end of the session */
	CHARGE_BY_STOP,   /* the server was stopped, or the worker of the job was terminated */
	CHARGE_BY_ERROR   /* another error: of the caller's expressions, or of other transactions */
} ChargeReason;

typedef enum ChargeStatus
{
	CHARGE_PENDING,     /* no answer yet */
	CHARGE_COMMITTED,   /* the event is durable */
	CHARGE_REFUSED,     /* the worker raised an error */
	CHARGE_NOT_WRITTEN, /* a writer has written nothing: a charge worker must try */
	CHARGE_ABANDONED,   /* the backend does not wait any more: nothing is charged, or it ends */
	CHARGE_UNKNOWN      /* the process that may have committed it has ended without an answer */
} ChargeStatus;

/* The texts of an event; an absent text is empty. */
typedef enum ChargeText
{
	CHARGE_TEXT_OIDS,      /* array: the table, its ancestors, its descendants */
	CHARGE_TEXT_SCHEMAS,   /* array: their schemas */
	CHARGE_TEXT_RELATIONS, /* array: their names */
	CHARGE_TEXT_ROLE,
	CHARGE_TEXT_MECHANISM,
	CHARGE_TEXT_MECHANISM_VERSION,
	CHARGE_TEXT_ADJACENCY,
	CHARGE_TEXT_GUARANTEE,
	CHARGE_TEXT_PAIR,
	CHARGE_TEXT_PARAMETERS,
	CHARGE_TEXT_SNAPSHOT,
	CHARGE_TEXT_PAIR_TERMS,
	CHARGE_TEXT_PERSON, /* column name; empty: rows are protected */
	CHARGE_TEXT_NAME,   /* of the model or the answer; empty: none */
	CHARGE_TEXT_ANSWER, /* of a release: jsonb; empty: none is kept */
	CHARGE_TEXTS
} ChargeText;

#define CHARGE_MESSAGE_LENGTH 512 /* of primary message, detail and hint each */

/* Milliseconds after which a backend reads the status again, in case that a wake-up was lost. */
#define CHARGE_STATUS_PAUSE 1000

typedef struct ChargeRequest
{
	/* the request */
	Size size; /* with the characters */
	Oid database;
	dsm_handle segment; /* of the request */
	PGPROC *backend;    /* waits for the answer on its latch */
	ChargeEvent event;
	Oid relation;         /* of a charge and of administration */
	int ancestors;        /* how many of the tables are ancestors */
	Oid role;             /* of a charge and of administration: the session user */
	Oid grantee;          /* of a budget; invalid: all roles */
	bool budget_required; /* of a charge: the session's dpobj.require_budget */
	bool temporary;       /* of a charge: the table is temporary and cannot have a budget */
	ChargeCost cost;      /* of a charge */
	int64 release;        /* of an end: the charge it belongs to */
	ChargeReason reason;  /* of a failure */
	bool perhaps;         /* of a failure: its charge may not be in the ledger */
	bool posted;          /* of an end: it is written whether the backend waits or not */
	int attempts;         /* of a posted end, that have failed for reasons that do not pass */
	TimestampTz logged;   /* of a posted end: when the server log last said why it waits */
	bool is_kept;         /* of a charge: it reserves a row of dpobj.model_rows */
	bool grouped;         /* of a charge and of a release: a row for each key */
	bool by_analyst;      /* of a charge: at the analyst's door */
	double min_epsilon;   /* of a charge: this and the next two are the session's settings */
	int max_failures;
	int release_tick;
	uint8 hash[CHARGE_HASH_LENGTH]; /* of an analyst's call or of the released answer */
	Size model_length;              /* of a release: bytes of the model, 0: none */
	Size model_offset;              /* where they begin in the characters below */

	/* the answer */
	pg_atomic_uint32 status; /* a ChargeStatus */
	int64 id;                /* ledger id of the committed event */
	int64 relation_identity; /* of administration: of the table */
	int64 grantee_identity;  /* of administration: of the role, 0: all roles */
	bool denied;             /* a rule refused it; false: another error did */
	int sqlstate;            /* of the error that refused it */
	char message[CHARGE_MESSAGE_LENGTH];
	char detail[CHARGE_MESSAGE_LENGTH];
	char hint[CHARGE_MESSAGE_LENGTH];

	/* texts of the request: where each begins in the characters below */
	Size offset[CHARGE_TEXTS];
	char characters[FLEXIBLE_ARRAY_MEMBER];
} ChargeRequest;

static inline const char *
charge_request_text(const ChargeRequest *request, ChargeText which)
{
	return request->characters + request->offset[which];
}

/* Reads the status; the answer may be read after it. */
extern ChargeStatus charge_status(ChargeRequest *request);

/* Gives up a request that has no answer; false if it has one by now. */
extern bool charge_abandon(ChargeRequest *request);

/*
 * Makes of a charge the failure that ends it, and of its segment the request, which the caller then
 * has alone.  perhaps: the charge may not have been committed.
 */
extern void charge_turn_into_failure(ChargeRequest *request, ChargeReason reason, bool perhaps);

/*
 * Sets the status and wakes the backend, to which the request then belongs; false if the backend
 * has given it up.
 */
extern bool charge_answer(ChargeRequest *request, ChargeStatus status);

/* Is it the error of a lock that was not available? */
extern bool charge_is_about_locks(int sqlstate);

/* May an event that such an error has stopped be written later? */
extern bool charge_may_pass(int sqlstate);

#endif
