/*
 * charge_worker.c - the background worker that commits one event to the ledger, and the trigger
 * that keeps the ledger append-only.
 *
 * The worker runs as the bootstrap superuser, not as the role that is charged, because the settings
 * of that role (ALTER ROLE ... SET) would apply to it.  Settings of the database do apply, so each
 * one that could weaken or divert the charge is overridden.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "libpq/pqsignal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_event.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_request.h"
#include "server/ledger/charge_worker.h"
#include "server/base/compat.h"
#include "server/base/extension.h"
#include "server/base/worker_start.h"

/* ---- The worker ------------------------------------------------------------- */

/*
 * Overrides ALTER DATABASE ... SET session_authorization and role.  Where a role is set,
 * SetSessionAuthorization() leaves it.
 */
static void
override_users(void)
{
	StartTransactionCommand();
	SetConfigOption("session_authorization", GetUserNameFromId(BOOTSTRAP_SUPERUSERID, false),
					PGC_SUSET, PGC_S_OVERRIDE);
	SetConfigOption("role", "none", PGC_SUSET, PGC_S_OVERRIDE);
	CommitTransactionCommand();
}

/* Overrides ALTER DATABASE ... SET and the configuration file. */
void
charge_worker_override_settings(void)
{
	static const struct
	{
		const char *name;
		const char *value;
	} settings[] = {
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_deferrable", "off"},
		{"session_replication_role", "origin"}, /* the triggers of the ledger fire */
		{"exit_on_error", "off"},
		{"search_path", "pg_catalog, pg_temp"},
		{"row_security", "off"},
		{"quote_all_identifiers", "off"}, /* one spelling of each relation's name */
		{"jit", "off"},                   /* the planner overestimates these short statements */
		/*
		 * The caller may hold a lock that the worker needs.  The deadlock detector does not see
		 * that the caller waits for the worker, because it waits on a latch.
		 */
		{"lock_timeout", "2s"},
		{TRANSACTION_TIMEOUT, "0"},
	};

	for (int i = 0; i < lengthof(settings); i++)
		SetConfigOption(settings[i].name, settings[i].value, PGC_SUSET, PGC_S_OVERRIDE);
	override_users();

	/* The commit is durable before the answer; a stronger setting (remote_apply) stays. */
	if (synchronous_commit < SYNCHRONOUS_COMMIT_ON)
		SetConfigOption("synchronous_commit", "on", PGC_SUSET, PGC_S_OVERRIDE);
}

/* ALTER DATABASE ... SET role applies to workers too. */
void
charge_act_as_superuser(ChargeActor *before)
{
	extension_require();
	GetUserIdAndSecContext(&before->role, &before->security);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, before->security | SECURITY_LOCAL_USERID_CHANGE);
}

void
charge_act_as_before(const ChargeActor *before)
{
	SetUserIdAndSecContext(before->role, before->security);
	extension_release();
}

void
charge_execute(ChargeRequest *request)
{
	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	request->id = charge_insert(request);
	if (request->event == CHARGE_CHARGED)
		charge_queue_note(request);
	PopActiveSnapshot();
	SPI_finish();
}

static void
write_event(ChargeRequest *request)
{
	ChargeActor before;

	charge_act_as_superuser(&before);
	charge_execute(request);
	charge_act_as_before(&before);
}

static void
clip_text(const char *text, char clipped[CHARGE_MESSAGE_LENGTH])
{
	const char *source = text == NULL ? "" : text;
	int length = pg_mbcliplen(source, strlen(source), CHARGE_MESSAGE_LENGTH - 1);

	memcpy(clipped, source, length);
	clipped[length] = '\0';
}

void
charge_describe_error(ChargeRequest *request, const ErrorData *error)
{
	request->sqlstate = error->sqlerrcode;
	clip_text(error->message, request->message);
	clip_text(error->detail, request->detail);
	clip_text(error->hint, request->hint);
}

void
charge_log_error(ChargeRequest *request, const ErrorData *error)
{
	TimestampTz now = GetCurrentTimestamp();

	if (charge_is_about_locks(error->sqlerrcode) ||
		(request->logged != 0 &&
		 !TimestampDifferenceExceeds(request->logged, now, CHARGE_LONG_PAUSE)))
		return;
	request->logged = now;
	ereport(LOG, (errmsg("could not write the end of private release " INT64_FORMAT " yet: %s",
						 request->release, error->message)));
}

/* Changes of budgets and the like fail at once: their caller can repeat them. */
static bool
is_tried_again(ChargeRequest *request)
{
	switch (request->event)
	{
		case CHARGE_CHARGED:
			return !request->denied && charge_status(request) == CHARGE_PENDING &&
				   charge_is_about_locks(request->sqlstate);
		case CHARGE_RELEASED:
		case CHARGE_FAILED:
			return charge_may_pass(request->sqlstate);
		default:
			return false;
	}
}

/*
 * Copies the current error into the answer.  Writes it to the server log unless a rule refused or
 * it is about a lock.
 */
static void
refuse(ChargeRequest *request)
{
	ErrorData *error;

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(TopMemoryContext);
	error = CopyErrorData();
	if (charge_is_end(request))
		charge_log_error(request, error);
	else if (!request->denied && !charge_is_about_locks(error->sqlerrcode))
		EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	charge_describe_error(request, error);
}

/* Connects without a role, so that no settings of a role apply. */
void
charge_worker_connect(Oid database)
{
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
}

/*
 * One attempt.  Returns false if the request is to be tried again: a charge while its backend waits
 * for it, an end in any case.
 */
static bool
attempt(ChargeRequest *request)
{
	volatile bool done = true;

	PG_TRY();
	{
		StartTransactionCommand();
		write_event(request);
		if (charge_status(request) == CHARGE_ABANDONED)
		{
			AbortCurrentTransaction();
			request->id = 0;
		}
		else
		{
			CommitTransactionCommand();
			CHECK_FOR_INTERRUPTS(); /* no answer if a termination has ended the wait for standbys */
			if (!charge_answer(request, CHARGE_COMMITTED) && request->event == CHARGE_CHARGED)
			{
				charge_turn_into_failure(request, CHARGE_BY_CANCEL, false);
				done = false;
			}
		}
	}
	PG_CATCH();
	{
		refuse(request);
		RESUME_INTERRUPTS();
		done = !is_tried_again(request);
		if (done)
			(void) charge_answer(request, CHARGE_REFUSED);
	}
	PG_END_TRY();
	return done;
}

/* ---- The end of the process ------------------------------------------------- */

void
charge_post(dsm_segment *charge, dsm_segment *end)
{
	ChargeRequest *request = dsm_segment_address(end);
	BackgroundWorker worker;

	if (charge_queue_post(charge, end))
		return;
	worker_describe(&worker, CHARGE_WORKER_NAME, CHARGE_WORKER_FUNCTION);
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(end));
	request->posted = true;
	dsm_pin_segment(end);
	if (RegisterDynamicBackgroundWorker(&worker, NULL))
		return;
	dsm_unpin_segment(dsm_segment_handle(end));
	elog(LOG, "no process is free to write the end of private release " INT64_FORMAT,
		 request->release);
}

void
charge_pass_on(dsm_segment *segment)
{
	ChargeRequest *request = dsm_segment_address(segment);

	if (request->id != 0 && !charge_answer(request, CHARGE_UNKNOWN) &&
		charge_status(request) == CHARGE_ABANDONED)
	{
		charge_turn_into_failure(request, CHARGE_BY_CANCEL, true);
		charge_post(segment, segment);
	}
}

/* A worker has an end if it has given up the charge, or no slot of the queue was free for it. */
static void
pass_on_at_exit(int code, Datum segment)
{
	dsm_segment *own = (dsm_segment *) DatumGetPointer(segment);
	ChargeRequest *request = dsm_segment_address(own);

	if (request->event == CHARGE_CHARGED)
		charge_pass_on(own);
	else if (charge_is_end(request) && charge_status(request) == CHARGE_PENDING)
	{
		if (request->posted)
			dsm_unpin_segment(dsm_segment_handle(own));
		charge_post(own, own);
	}
}

void
dpobj_charge_main(Datum segment_handle)
{
	dsm_segment *segment;
	ChargeRequest *request;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();

	/* There is no resource owner yet, so the segment stays mapped until the process exits. */
	segment = dsm_attach(DatumGetUInt32(segment_handle));
	if (segment == NULL)
		proc_exit(0); /* the backend has given up; nothing is charged */
	request = dsm_segment_address(segment);
	before_shmem_exit(pass_on_at_exit, PointerGetDatum(segment));

	charge_worker_connect(request->database);
	charge_worker_override_settings();
	pgstat_report_activity(STATE_RUNNING, CHARGE_WORKER_NAME);

	while (!attempt(request))
		worker_wait_for_latch(CHARGE_RETRY_PAUSE);
	if (request->posted)
		dsm_unpin_segment(DatumGetUInt32(segment_handle));
	proc_exit(0);
}

/* ---- The trigger ------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(dpobj_ledger_refuse_change);

/*
 * Fires before every change of the ledger.  Superusers may insert: the charge worker is one, and a
 * superuser may restore a dump.  Nobody else may, whatever was granted: an invented event could
 * pass for a release or end a charge too early.
 */
Datum
dpobj_ledger_refuse_change(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("function can only be called as a trigger")));
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event) && superuser())
		PG_RETURN_POINTER(NULL);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("the privacy ledger is append-only"),
			 errdetail("Events in table \"%s\" are written by the charge worker and can be neither "
					   "changed nor removed.",
					   RelationGetRelationName(trigger->tg_relation))));
}
