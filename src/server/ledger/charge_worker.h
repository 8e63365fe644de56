/*
 * charge_worker.h - writes an event, in a worker of its own or in another process.
 */
#ifndef DPOBJ_CHARGE_WORKER_H
#define DPOBJ_CHARGE_WORKER_H

#include "postgres.h"

#include "storage/dsm.h"

#include "server/ledger/charge_shared.h"

/*
 * Has another process write an end: charge is the segment of its charge, which may have become the
 * end's.  Raises no error and does not wait.
 */
extern void charge_post(dsm_segment *charge, dsm_segment *end);

/*
 * At the exit of a process that has the request and may have committed it without an answer: the
 * backend learns that, or else, if it has given up, another process ends the charge.
 */
extern void charge_pass_on(dsm_segment *segment);

/* ---- For charge workers, the writer and job workers ---- */

extern void charge_worker_connect(Oid database);
extern void charge_worker_override_settings(void);

/* The user to return to; an abort returns to it, a commit does not. */
typedef struct ChargeActor
{
	Oid role;
	int security;
} ChargeActor;

/*
 * Acts as superuser within a transaction, and holds the extension.  The transaction must not be
 * committed before charge_act_as_before().
 */
extern void charge_act_as_superuser(ChargeActor *before);
extern void charge_act_as_before(const ChargeActor *before);

/* Writes the event within a transaction, or raises an error; see ChargeRequest.denied. */
extern void charge_execute(ChargeRequest *request);

/* Says in the server log why an end is not written yet: at first, then once a minute. */
extern void charge_log_error(ChargeRequest *request, const ErrorData *error);

/* Copies an error into the answer. */
extern void charge_describe_error(ChargeRequest *request, const ErrorData *error);

extern PGDLLEXPORT void dpobj_charge_main(Datum segment_handle);

#endif
