/*
 * charge_request.c - a request to write an event, and the worker that one backend starts for it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "server/base/worker_start.h"
#include "server/ledger/charge_request.h"
#include "server/ledger/charge_slot.h"
#include "server/ledger/charge_wait.h"

/* ---- The request ------------------------------------------------------------ */

static const char *
text_or_empty(const char *const texts[CHARGE_TEXTS], int which)
{
	return texts == NULL || texts[which] == NULL ? "" : texts[which];
}

ChargeRequest *
charge_request_create(ChargeEvent event, const char *const texts[CHARGE_TEXTS], const void *model,
					  Size model_length)
{
	Size size = MAXALIGN(offsetof(ChargeRequest, characters)) + model_length;
	ChargeRequest *request;
	char *end;

	for (int i = 0; i < CHARGE_TEXTS; i++)
		size = add_size(size, strlen(text_or_empty(texts, i)) + 1);

	request = palloc_extended(size, MCXT_ALLOC_HUGE);
	memset(request, 0, offsetof(ChargeRequest, characters));
	request->size = size;
	request->database = MyDatabaseId;
	request->event = event;

	/* The model is flat: model_form() formed it from values in memory. */
	end = (char *) request + MAXALIGN(offsetof(ChargeRequest, characters));
	request->model_offset = end - request->characters;
	request->model_length = model_length;
	if (model_length > 0)
		memcpy(end, model, model_length);
	end += model_length;

	for (int i = 0; i < CHARGE_TEXTS; i++)
	{
		const char *text = text_or_empty(texts, i);
		Size length = strlen(text) + 1;

		request->offset[i] = end - request->characters;
		memcpy(end, text, length);
		end += length;
	}
	return request;
}

dsm_segment *
charge_request_share(const ChargeRequest *request)
{
	dsm_segment *segment = dsm_create(request->size, 0);
	ChargeRequest *shared = dsm_segment_address(segment);

	memcpy(shared, request, request->size);
	shared->segment = dsm_segment_handle(segment);
	shared->backend = MyProc;
	pg_atomic_init_u32(&shared->status, CHARGE_PENDING);
	return segment;
}

/* ---- The worker ------------------------------------------------------------- */

bool
charge_is_end(const ChargeRequest *request)
{
	return request->event == CHARGE_RELEASED || request->event == CHARGE_FAILED;
}

bool
charge_may_queue(const ChargeRequest *request)
{
	return request->event == CHARGE_CHARGED || request->event == CHARGE_READ_PART;
}

/* Says that a charge stays, if the request is its end; else an empty text. */
static const char *
charge_kept(const ChargeRequest *request)
{
	return charge_is_end(request)
			   ? psprintf(" The charge of release " INT64_FORMAT " stays.", request->release)
			   : "";
}

static BackgroundWorkerHandle *
start_worker(dsm_segment *segment)
{
	BackgroundWorker worker;
	BackgroundWorkerHandle *handle;

	worker_describe(&worker, CHARGE_WORKER_NAME, CHARGE_WORKER_FUNCTION);
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(segment));
	worker.bgw_notify_pid = MyProcPid;
	handle = charge_slot_start(&worker);
	if (handle == NULL)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
						errmsg("no background worker is free to write the privacy ledger"),
						errdetail("None was within %d seconds. Nothing was written to the ledger.",
								  CHARGE_SLOT_TIMEOUT),
						errhint("You might need to increase %s.", "max_worker_processes")));
	return handle;
}

/*
 * Has the caller waited as long as its lock_timeout says, or would it wait forever because the
 * worker waits for a lock of this transaction?
 */
static bool
waits_in_vain(pid_t pid, TimestampTz began)
{
	TimestampTz now = GetCurrentTimestamp();

	return (LockTimeout > 0 && TimestampDifferenceExceeds(began, now, LockTimeout)) ||
		   (TimestampDifferenceExceeds(began, now, CHARGE_STATUS_PAUSE) &&
			charge_waits_for_us(pid));
}

static ChargeStatus
wait_for_worker(BackgroundWorkerHandle *handle, ChargeRequest *request)
{
	TimestampTz began = GetCurrentTimestamp();
	long pause = LockTimeout > 0 ? Min(LockTimeout, CHARGE_STATUS_PAUSE) : CHARGE_STATUS_PAUSE;

	for (;;)
	{
		pid_t pid;
		/* Read before the status: a worker that has stopped answered before, or never will. */
		BgwHandleStatus state = GetBackgroundWorkerPid(handle, &pid);
		ChargeStatus status = charge_status(request);

		if (status != CHARGE_PENDING || state == BGWH_STOPPED)
			return status;
		if (state == BGWH_STARTED && charge_may_queue(request) && waits_in_vain(pid, began))
		{
			if (charge_abandon(request))
				return CHARGE_ABANDONED;
			continue; /* it has been answered */
		}
		worker_wait_for_latch(pause);
	}
}

/* The most likely error is a lock that the worker could not get, because the caller has it. */
static void
report_error(const ChargeRequest *request)
{
	ereport(
		ERROR,
		(errcode(request->sqlstate), errmsg("could not write the privacy ledger"),
		 errdetail("The background worker reported: %s.%s", request->message, charge_kept(request)),
		 charge_is_about_locks(request->sqlstate)
			 ? errhint("A transaction holds a lock on the ledger or has changed a budget "
					   "or the protection of this table. If it is your own, commit it first.")
			 : 0));
}

void
charge_report_failure(ChargeStatus status, ChargeRequest *request)
{
	if (status == CHARGE_PENDING || status == CHARGE_UNKNOWN)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("could not write the privacy ledger"),
						errdetail("The background worker ended without an answer; %s may have been "
								  "written.%s",
								  request->event == CHARGE_CHARGED ? "the charge" : "the event",
								  charge_kept(request)),
						errhint("More details may be available in the server log.")));
	if (status == CHARGE_ABANDONED)
	{
		request->denied = false;
		request->sqlstate = ERRCODE_LOCK_NOT_AVAILABLE;
		strlcpy(request->message, "a lock was not available", CHARGE_MESSAGE_LENGTH);
	}
	if (!request->denied)
		report_error(request);
	ereport(ERROR, (errcode(request->sqlstate), errmsg_internal("%s", request->message),
					errdetail_internal("%s", request->detail),
					request->hint[0] == '\0' ? 0 : errhint("%s", request->hint)));
}

ChargeStatus
charge_worker_commit(dsm_segment *segment)
{
	ChargeRequest *request = dsm_segment_address(segment);
	BackgroundWorkerHandle *handle;
	ChargeStatus status;

	request->denied = false; /* a writer may have set these */
	request->id = 0;
	pg_atomic_write_u32(&request->status, CHARGE_PENDING);
	handle = start_worker(segment);
	status = wait_for_worker(handle, request);
	pfree(handle);
	return status;
}
