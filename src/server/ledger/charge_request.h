/*
 * charge_request.h - a request to write an event, and the worker that one backend starts for it.
 */
#ifndef DPOBJ_CHARGE_REQUEST_H
#define DPOBJ_CHARGE_REQUEST_H

#include "postgres.h"

#include "storage/dsm.h"

#include "server/ledger/charge_shared.h"

/* What pg_stat_activity shows of the worker; nothing there depends on the request. */
#define CHARGE_WORKER_NAME "dpobj charge"

/* The worker's entry point, as the postmaster looks it up. */
#define CHARGE_WORKER_FUNCTION "dpobj_charge_main"

/*
 * Allocates a request with its texts (NULL: none) and its model or array of groups (length 0:
 * none).
 */
extern ChargeRequest *charge_request_create(ChargeEvent event,
											const char *const texts[CHARGE_TEXTS],
											const void *model, Size model_length);

/* Copies the request into shared memory; the caller's resource owner detaches the segment. */
extern dsm_segment *charge_request_share(const ChargeRequest *request);

/* Is it the end of a release? */
extern bool charge_is_end(const ChargeRequest *request);

/*
 * May a writer commit it?  A change of a budget does not go through the writer: its caller holds a
 * lock that other requests of the writer would wait for.
 */
extern bool charge_may_queue(const ChargeRequest *request);

/*
 * Has a worker commit a request that no writer has committed.  CHARGE_PENDING: it ended without an
 * answer.  CHARGE_ABANDONED: it waited for a lock of this transaction, or for longer than
 * lock_timeout; a charge is given up then.
 */
extern ChargeStatus charge_worker_commit(dsm_segment *segment);

/* Raises the error of a request that was not committed. */
extern void charge_report_failure(ChargeStatus status, ChargeRequest *request);

#endif
