/*
 * charge.c - the backend's side of the ledger: asks a worker, waits, reports.
 *
 * An event must outlive whatever happens to the transaction that caused it, and
 * must be durable before the call returns.  So each one is committed by a
 * dynamic background worker (charge_worker.c), which needs no preloading; with
 * preloading a writer commits many at a time (charge_writer.c).  All
 * names are resolved here, in the caller's transaction: the caller sees tables
 * that it has not committed yet, the worker does not.
 *
 * The wait can be interrupted at any moment.  The worker then commits or not, as
 * it happens; since the caller gets an error it draws no noise and releases
 * nothing, so that both are safe.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/latch.h"
#include "storage/shmem.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "server/ledger/charge.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_slot.h"
#include "server/ledger/charge_tables.h"
#include "server/ledger/charge_worker.h"
#include "server/base/compat.h"
#include "server/base/decimal.h"
#include "server/base/digest.h"
#include "server/base/dpobj.h"
#include "server/base/worker_start.h"
#include "server/ledger/pair_terms.h"

/* The worker sets our latch; this only bounds what a lost wake-up could cost. */
#define ANSWER_PAUSE 1000

/* ---- The request ------------------------------------------------------------ */

/* Allocates a request with room for its texts, which may be NULL, and its model or array of groups.
 */
static ChargeRequest *
request_create(ChargeEvent event, const char *const texts[CHARGE_TEXTS], const void *model,
			   Size model_length)
{
	Size size = MAXALIGN(offsetof(ChargeRequest, characters)) + model_length;
	ChargeRequest *request;
	char *end;

	for (int i = 0; texts != NULL && i < CHARGE_TEXTS; i++)
		size = add_size(size, strlen(texts[i]) + 1);

	request = palloc_extended(size, MCXT_ALLOC_HUGE);
	memset(request, 0, offsetof(ChargeRequest, characters));
	request->size = size;
	request->database = MyDatabaseId;
	request->event = event;

	/* Such a row is flat: it was formed from values in memory (model_form). */
	end = (char *) request + MAXALIGN(offsetof(ChargeRequest, characters));
	request->model_offset = end - request->characters;
	request->model_length = model_length;
	if (model_length > 0)
		memcpy(end, model, model_length);
	end += model_length;

	for (int i = 0; texts != NULL && i < CHARGE_TEXTS; i++)
	{
		Size length = strlen(texts[i]) + 1;

		request->offset[i] = end - request->characters;
		memcpy(end, texts[i], length);
		end += length;
	}
	return request;
}

/* A copy that another process can read; the caller's resource owner detaches it. */
static dsm_segment *
request_share(const ChargeRequest *request)
{
	dsm_segment *segment = dsm_create(request->size, 0);
	ChargeRequest *shared = dsm_segment_address(segment);

	memcpy(shared, request, request->size);
	shared->leader = MyProc;
	pg_atomic_init_u32(&shared->status, CHARGE_PENDING);
	return segment;
}

/* ---- The worker ------------------------------------------------------------- */

static bool
is_end(const ChargeRequest *request)
{
	return request->event == CHARGE_RELEASED || request->event == CHARGE_FAILED;
}

/* The charge of a release stays whether or not its end could be written. */
static const char *
what_stays(const ChargeRequest *request)
{
	return is_end(request)
			   ? psprintf(" The charge of release " INT64_FORMAT " stays.", request->release)
			   : "";
}

static BackgroundWorkerHandle *
worker_start(dsm_segment *segment)
{
	const ChargeRequest *request = dsm_segment_address(segment);
	BackgroundWorker worker;
	BackgroundWorkerHandle *handle;

	worker_describe(&worker, CHARGE_WORKER_NAME, CHARGE_WORKER_FUNCTION);
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(segment));
	worker.bgw_notify_pid = MyProcPid;
	handle = charge_slot_start(&worker);
	if (handle == NULL)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
						errmsg("no background worker is free to write the privacy ledger"),
						errdetail("None was within %d seconds.%s", CHARGE_SLOT_PATIENCE,
								  is_end(request) ? what_stays(request)
												  : " Nothing was written to the ledger."),
						errhint("You might need to increase %s.", "max_worker_processes")));
	return handle;
}

static ChargeStatus
worker_wait(BackgroundWorkerHandle *handle, ChargeRequest *request)
{
	for (;;)
	{
		pid_t pid;
		/* Asked before the status is read: a worker that stopped has answered if it ever will. */
		BgwHandleStatus state = GetBackgroundWorkerPid(handle, &pid);
		ChargeStatus status = (ChargeStatus) pg_atomic_read_u32(&request->status);

		if (status != CHARGE_PENDING || state == BGWH_STOPPED)
		{
			pg_read_barrier(); /* pairs with the write barrier of the worker */
			return status;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ANSWER_PAUSE,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* A lock that the worker could not get: most likely the caller's own. */
static void
report_accident(const ChargeRequest *request)
{
	ereport(
		ERROR,
		(errcode(request->sqlstate), errmsg("could not write the privacy ledger"),
		 errdetail("The background worker reported: %s.%s", request->message, what_stays(request)),
		 request->sqlstate == ERRCODE_LOCK_NOT_AVAILABLE ||
				 request->sqlstate == ERRCODE_T_R_DEADLOCK_DETECTED
			 ? errhint("A transaction holds a lock on the ledger or has changed a budget "
					   "or the protection of this table. If it is your own, commit it first.")
			 : 0));
}

static void
report_failure(ChargeStatus status, const ChargeRequest *request)
{
	if (status == CHARGE_PENDING)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("could not write the privacy ledger"),
						errdetail("The background worker ended without an answer; %s may have been "
								  "written.%s",
								  request->event == CHARGE_CHARGED ? "the charge" : "the event",
								  what_stays(request)),
						errhint("More details may be available in the server log.")));
	if (!request->denied)
		report_accident(request);
	ereport(ERROR, (errcode(request->sqlstate), errmsg_internal("%s", request->message),
					errdetail_internal("%s", request->detail),
					request->hint[0] == '\0' ? 0 : errhint("%s", request->hint)));
}

static ChargeStatus
worker_commit(dsm_segment *segment)
{
	ChargeRequest *request = dsm_segment_address(segment);
	BackgroundWorkerHandle *handle;
	ChargeStatus status;

	request->denied = false; /* a writer may have tried */
	pg_atomic_write_u32(&request->status, CHARGE_PENDING);
	handle = worker_start(segment);
	status = worker_wait(handle, request);
	pfree(handle);
	return status;
}

/*
 * Whoever changes a budget holds a lock that a writer would wait for in vain
 * while the change itself waits its turn.
 */
static bool
may_queue(ChargeEvent event)
{
	return event == CHARGE_CHARGED || event == CHARGE_RELEASED || event == CHARGE_FAILED;
}

/* For a job: as a charge worker does it, in the transaction that is open. */
static void
write_here(ChargeRequest *request)
{
	ChargeActor before;

	charge_act_as_superuser(&before);
	charge_execute(request);
	charge_act_again(&before);
}

/* Has another process commit the request, and reads its answer. */
static void
write_elsewhere(ChargeRequest *request)
{
	dsm_segment *segment = request_share(request);
	ChargeStatus status = CHARGE_ALONE;

	if (may_queue(request->event))
		status = charge_queue_commit(segment);
	if (status == CHARGE_ALONE)
		status = worker_commit(segment);
	memcpy(request, dsm_segment_address(segment), offsetof(ChargeRequest, characters));
	if (status != CHARGE_COMMITTED)
		report_failure(status, request);
	dsm_detach(segment);
}

/* Has the request committed, which then has the answer. */
static void
request_commit(ChargeRequest *request, const JobContext *job)
{
	if (job != NULL)
		write_here(request);
	else
		write_elsewhere(request);
}

/* ---- Events ----------------------------------------------------------------- */

void
charge_precheck(void)
{
	if (IsParallelWorker())
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("cannot charge a privacy cost in a parallel worker"),
						errhint("Set %s to off.", FORCE_PARALLEL)));
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot charge a privacy cost during recovery"),
						errhint("Run the query on the primary server.")));
	if (XactReadOnly)
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot charge a privacy cost in a read-only transaction")));
}

/* Which state of the data the release is about, as pg_current_snapshot() writes it. */
static const char *
snapshot_text(void)
{
	if (!ActiveSnapshotSet())
		elog(ERROR, "cannot charge without an active snapshot");
	return OidOutputFunctionCall(F_PG_SNAPSHOT_OUT, OidFunctionCall0(F_PG_CURRENT_SNAPSHOT));
}

static void
texts_clear(const char *texts[CHARGE_TEXTS])
{
	for (int i = 0; i < CHARGE_TEXTS; i++)
		texts[i] = "";
}

/* SET ROLE and SECURITY DEFINER change who acts, not who asked. */
static const char *
session_user_name(void)
{
	return GetUserNameFromId(GetSessionUserId(), false);
}

static void
add_analyst_terms(ChargeRequest *request, const AnalystTerms *analyst)
{
	request->by_analyst = true;
	memcpy(request->hash, analyst->request_hash, CHARGE_HASH_LENGTH);
	request->min_epsilon = dpobj_min_epsilon;
	request->max_failures = dpobj_max_failures;
	request->release_tick = dpobj_release_tick;
}

static ChargeRequest *
charge_request(const Charge *charge)
{
	const char *texts[CHARGE_TEXTS];
	ChargeRequest *request;
	int ancestors;

	charge_precheck();
	if (charge->pair.epsilon < 0 || charge->pair.delta < 0 || charge->pair.delta > DELTA_ONE)
		elog(ERROR, "invalid privacy cost");

	ancestors = charge_tables_describe(charge->relation, texts);
	texts[CHARGE_TEXT_ROLE] = session_user_name();
	texts[CHARGE_TEXT_MECHANISM] = charge->mechanism;
	texts[CHARGE_TEXT_MECHANISM_VERSION] = DPOBJ_VERSION;
	texts[CHARGE_TEXT_ADJACENCY] = adjacency_name(charge->adjacency);
	texts[CHARGE_TEXT_GUARANTEE] = charge->guarantee;
	texts[CHARGE_TEXT_PAIR] = pair_name(charge->pair.kind);
	texts[CHARGE_TEXT_PAIR_TERMS] = pair_terms(&charge->pair);
	texts[CHARGE_TEXT_PARAMETERS] = charge->parameters;
	texts[CHARGE_TEXT_SNAPSHOT] = snapshot_text();
	texts[CHARGE_TEXT_MODEL_NAME] = "";
	if (charge->analyst != NULL && charge->analyst->name != NULL)
		texts[CHARGE_TEXT_MODEL_NAME] = charge->analyst->name;
	texts[CHARGE_TEXT_PERSON] = charge->person == NULL ? "" : charge->person;

	request = request_create(CHARGE_CHARGED, texts, NULL, 0);
	request->relation = charge->relation;
	request->ancestors = ancestors;
	request->role = GetSessionUserId();
	request->budget_required = dpobj_require_budget;
	charge_cost_of(&charge->pair, charge->adjacency, &request->cost);
	request->makes_model = charge->makes_model;
	request->grouped = charge->grouped;
	request->temporary = get_rel_persistence(charge->relation) == RELPERSISTENCE_TEMP;
	if (charge->analyst != NULL)
		add_analyst_terms(request, charge->analyst);
	return request;
}

int64
charge_commit(const Charge *charge)
{
	ChargeRequest *request;
	int64 id;

	decimal_warn_of_large_delta(charge->pair.delta); /* what the mechanism uses */
	request = charge_request(charge);
	request_commit(request, charge->job);
	if (charge->analyst != NULL)
		charge->analyst->release_tick = request->release_tick;
	id = request->id;
	pfree(request);
	return id;
}

void
charge_fingerprint(const Charge *charge, uint8 fingerprint[CHARGE_HASH_LENGTH])
{
	ChargeRequest *request = charge_request(charge);
	StringInfoData bytes;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, (const char *) &request->cost, sizeof(request->cost));
	for (int i = 0; i < CHARGE_TEXTS; i++)
	{
		if (i != CHARGE_TEXT_SNAPSHOT && i != CHARGE_TEXT_ROLE)
			digest_append(&bytes, charge_request_text(request, (ChargeText) i));
	}
	digest_bytes(&bytes, fingerprint);
	pfree(request);
}

/* ---- Administration --------------------------------------------------------- */

static void
table_change_commit(ChargeEvent event, TableChange *change)
{
	const char *texts[CHARGE_TEXTS];
	ChargeRequest *request;
	int ancestors;

	texts_clear(texts);
	ancestors = charge_tables_describe(change->relation, texts);
	texts[CHARGE_TEXT_ROLE] = session_user_name();
	texts[CHARGE_TEXT_PARAMETERS] = change->parameters;
	if (change->adjacency != NULL)
		texts[CHARGE_TEXT_ADJACENCY] = change->adjacency;
	if (change->person != NULL)
		texts[CHARGE_TEXT_PERSON] = change->person;
	request = request_create(event, texts, NULL, 0);
	request->relation = change->relation;
	request->ancestors = ancestors;
	request->role = GetSessionUserId();
	request->grantee = change->role;
	request_commit(request, NULL);
	change->relation_identity = request->relation_identity;
	change->role_identity = request->grantee_identity;
	pfree(request);
}

void
charge_set_budget(TableChange *change)
{
	table_change_commit(CHARGE_SET_BUDGET, change);
}

void
charge_raise_budget(TableChange *change)
{
	table_change_commit(CHARGE_RAISE_BUDGET, change);
}

void
charge_drop_budget(TableChange *change)
{
	table_change_commit(CHARGE_DROP_BUDGET, change);
}

void
charge_limit_budget(TableChange *change)
{
	table_change_commit(CHARGE_LIMIT_BUDGET, change);
}

void
charge_protect(TableChange *change)
{
	table_change_commit(CHARGE_PROTECT, change);
}

void
charge_unprotect(TableChange *change)
{
	table_change_commit(CHARGE_UNPROTECT, change);
}

void
charge_confirm_epoch(void)
{
	const char *texts[CHARGE_TEXTS];
	ChargeRequest *request;

	texts_clear(texts);
	texts[CHARGE_TEXT_OIDS] = texts[CHARGE_TEXT_SCHEMAS] = texts[CHARGE_TEXT_RELATIONS] = "{}";
	texts[CHARGE_TEXT_ROLE] = session_user_name();
	texts[CHARGE_TEXT_PARAMETERS] = "{}";
	request = request_create(CHARGE_CONFIRM_EPOCH, texts, NULL, 0);
	request->role = GetSessionUserId();
	request_commit(request, NULL);
	pfree(request);
}

/* ---- The end of a release --------------------------------------------------- */

static void
end_commit(ChargeRequest *request, const JobContext *job, int64 release)
{
	request->release = release;
	request_commit(request, job);
	pfree(request);
}

void
charge_released(const JobContext *job, int64 release, const uint8 hash[CHARGE_HASH_LENGTH],
				HeapTupleHeader model)
{
	Size length = model == NULL ? 0 : HeapTupleHeaderGetDatumLength(model);
	ChargeRequest *request = request_create(CHARGE_RELEASED, NULL, model, length);

	memcpy(request->hash, hash, CHARGE_HASH_LENGTH);
	end_commit(request, job, release);
}

void
charge_released_groups(int64 release, const uint8 hash[CHARGE_HASH_LENGTH], const ArrayType *groups)
{
	ChargeRequest *request = request_create(CHARGE_RELEASED, NULL, groups, VARSIZE(groups));

	request->grouped = true;
	memcpy(request->hash, hash, CHARGE_HASH_LENGTH);
	end_commit(request, NULL, release);
}

void
charge_failed(const JobContext *job, int64 release)
{
	end_commit(request_create(CHARGE_FAILED, NULL, NULL, 0), job, release);
}
