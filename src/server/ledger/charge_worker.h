/*
 * charge_worker.h - what a backend and its charge worker share.
 *
 * A request lives in a dynamic shared memory segment of its own.  The backend
 * fills it in before the worker exists; the worker fills in the answer and then,
 * last of all, the status.
 */
#ifndef DPOBJ_CHARGE_WORKER_H
#define DPOBJ_CHARGE_WORKER_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/proc.h"

#include "server/ledger/charge.h"
#include "server/ledger/charge_cost.h"

/* All that other sessions get to see of a request, in pg_stat_activity. */
#define CHARGE_WORKER_NAME "dpobj charge"

/* The worker's entry point, as the postmaster looks it up. */
#define CHARGE_WORKER_FUNCTION "dpobj_charge_main"

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
	CHARGE_CONFIRM_EPOCH
} ChargeEvent;

typedef enum ChargeStatus
{
	CHARGE_PENDING,   /* no answer yet */
	CHARGE_COMMITTED, /* the event is durable */
	CHARGE_REFUSED,   /* the worker met an error */
	CHARGE_ALONE      /* a writer wrote nothing: a worker of its own has to try */
} ChargeStatus;

/* The texts of an event; those that it does not have are empty. */
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
	CHARGE_TEXT_MODEL_NAME,
	CHARGE_TEXTS /* how many there are */
} ChargeText;

#define CHARGE_MESSAGE_LENGTH 512 /* of primary message, detail and hint each */

typedef struct ChargeRequest
{
	/* the request */
	Size size; /* of all, with the characters */
	Oid database;
	PGPROC *leader; /* whose latch to set */
	ChargeEvent event;
	Oid relation;         /* of a charge and of administration */
	int ancestors;        /* how many of the tables above */
	Oid role;             /* of a charge and of administration: the session user */
	Oid grantee;          /* of a budget; invalid: all roles */
	bool budget_required; /* of a charge: no budget, no release */
	bool temporary;       /* of a charge: the table is, so that it cannot have a budget */
	ChargeCost cost;      /* of a charge */
	int64 release;        /* of an end: the charge it belongs to */
	bool makes_model;     /* of a charge: it gets a row in dpobj.model_rows */
	bool grouped;         /* of a charge and of a release: with a row for each key */
	bool by_analyst;      /* of a charge: at that door */
	double min_epsilon;   /* these three of a charge: what the session's settings are */
	int max_failures;
	int release_tick;
	uint8 hash[CHARGE_HASH_LENGTH]; /* of a charge: the request's; of a release: the output's */
	Size model_length;              /* of a release: bytes of the model, 0: none */
	Size model_offset;              /* where they begin in the characters below */

	/* the answer */
	pg_atomic_uint32 status; /* a ChargeStatus */
	int64 id;                /* ledger id of the committed event */
	int64 relation_identity; /* of administration: of the table */
	int64 grantee_identity;  /* and of the role, 0: all roles */
	bool denied;             /* refused by a rule, not by an accident */
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

/* ---- What a writer shares with a worker of one request ---- */

extern void charge_worker_connect(Oid database);
extern void charge_worker_override_settings(void);

/* Who acted before; an abort goes back to him, a commit does not. */
typedef struct ChargeActor
{
	Oid role;
	int security;
} ChargeActor;

/*
 * Within a transaction, which is not to be committed before the other has acted again; the
 * extension stays until then.
 */
extern void charge_act_as_superuser(ChargeActor *before);
extern void charge_act_again(const ChargeActor *before);

/* Writes the event within a transaction, or raises an error; see ChargeRequest.denied. */
extern void charge_execute(ChargeRequest *request);

/*
 * Writes that these releases (bigint[]) have failed, unless they have an end.  They were charged
 * here, and their processes are gone.  Within SPI, as superuser.
 */
extern void charge_fail_lost(Datum releases);

extern void charge_describe_error(ChargeRequest *request, const ErrorData *error);

/* The last that a worker does with a request: it belongs to the backend again. */
extern void charge_answer(ChargeRequest *request, ChargeStatus status);

extern PGDLLEXPORT void dpobj_charge_main(Datum segment_handle);

#endif
