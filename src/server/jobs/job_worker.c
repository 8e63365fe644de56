/*
 * job_worker.c - the background worker that runs the queued jobs of one database.
 *
 * The worker connects as the bootstrap superuser: connecting as the submitter would fail for a
 * role that may not log in, and would apply all settings of the role, while in a job only those
 * hold that a superuser has set as limits.  For each job the worker becomes the submitter: the
 * session user, so that the submitter's grants, budgets, names and gate apply, and the
 * authenticated user, so that nothing that runs in a job can SET SESSION AUTHORIZATION to anybody
 * else.  It reads the queue as the superuser again, and opens no table of a user then.
 *
 * A job does what dpobj.train does, in three transactions, because the worker commits the charge
 * itself:
 *
 *   1. marks the job's row as running
 *   2. makes all checks, writes the charge to the ledger and its id to the row
 *   3. opens the table again, checks that it is what was charged for, reads it, solves, waits for
 *      the tick, and writes the release, the model and the end of the job
 *
 * After the second transaction the charge stays, whatever happens, and no worker runs the job
 * again.  The row says no more about a failure than dpobj.train does.
 *
 * The job of an answer calls the SQL function, which charges as in a session (answer_call.h), in
 * one transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "server/analyst/analyst.h"
#include "server/analyst/kept.h"
#include "server/ledger/charge_setting.h"
#include "server/ledger/charge_worker.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/extension.h"
#include "server/base/admin.h"
#include "server/base/gate.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_table.h"
#include "server/jobs/job_worker.h"
#include "server/release/coverage.h"
#include "server/release/progress.h"
#include "server/release/release.h"
#include "server/analyst/train.h"
#include "server/ledger/charge_end.h"

/*
 * Settings that only superusers may change.  ALTER ROLE ... SET makes them limits of a role, which
 * hold in its jobs as in its sessions.
 */
static const char *const limits[] = {
	"dpobj.allow_unproven", "dpobj.max_failures",   "dpobj.max_role_releases",
	"dpobj.max_solvers",    "dpobj.memory_limit",   "dpobj.min_epsilon",
	"dpobj.release_tick",   "dpobj.require_budget", "dpobj.time_limit",
};

#define LIMITS lengthof(limits)

/* Milliseconds after which the worker tries again to take a place of a role. */
#define GATE_PAUSE 500

/*
 * How long a job waits for a lock before its charge.  Then it is queued again: anybody may hold
 * locks, at least on their own tables, and the job's slot is needed by all databases.
 */
#define LOCK_TIMEOUT "5s"
#define LOCK_NO_TIMEOUT "0"

/* Microseconds after which the end of a job that met a deadlock is written again. */
#define KEEP_PAUSE 20000

static const JobContext job_context = {job_area_scanned, job_area_searched};

/* The state of a job's row after a run that released nothing. */
typedef enum JobEnd
{
	END_FAILED,
	END_CANCELLED,
	END_QUEUED /* again: a lock was not available before the charge */
} JobEnd;

/* One run of one job. */
typedef struct JobRun
{
	Job job;
	AnalystTerms terms;
	int64 release;                         /* the ledger id of the charge, 0: none is written */
	uint8 charged_for[CHARGE_HASH_LENGTH]; /* the fingerprint of the charge */
	bool charged;                          /* the charge is committed */
	int64 before;           /* of an answer, the last release under its name before the call */
	bool reads;             /* errors may depend on rows */
	bool failed;            /* the release failed after the scan had begun */
	const ErrorData *error; /* what ended the run */
	JobEnd end;
	bool requeued;       /* END_QUEUED is written */
	char *limit[LIMITS]; /* the role's values of limits; NULL: not set */
} JobRun;

/* ---- Transactions ----------------------------------------------------------- */

static void
begin(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
commit(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

static void
set_lock_timeout(const char *timeout)
{
	SetConfigOption("lock_timeout", timeout, PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * Calls work() in a transaction of its own.  Returns 0, or the SQLSTATE if a lock or a cancel
 * aborted the transaction; raises all other errors.
 */
static int
try_transaction(void (*work)(void *context), void *context)
{
	volatile int sqlstate = 0;

	PG_TRY();
	{
		begin();
		work(context);
		commit();
	}
	PG_CATCH();
	{
		sqlstate = geterrcode();
		if (!charge_is_about_locks(sqlstate) && sqlstate != ERRCODE_QUERY_CANCELED)
			PG_RE_THROW();
		MemoryContextSwitchTo(TopMemoryContext);
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	return sqlstate;
}

/* ---- Looking for jobs ------------------------------------------------------- */

/* Counts the background workers of other kinds: a job worker without a slot is about to exit. */
static int
other_workers(void)
{
	int count = 0;

	SPI_connect();
	if (SPI_execute("SELECT pid FROM pg_catalog.pg_stat_get_activity(NULL)", true, 0) !=
		SPI_OK_SELECT)
		elog(ERROR, "could not read which processes there are");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		int pid =
			DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		const char *type = isnull ? NULL : GetBackgroundWorkerTypeByPid(pid);

		count += type != NULL && strcmp(type, JOB_WORKER_NAME) != 0;
	}
	SPI_finish();
	return count;
}

/* Sets *others to other_workers(), unless the database has no job that waits for a worker. */
static void
look_in(void *others)
{
	if (!extension_hold())
		return;
	charge_note_settings();
	if (job_any_waiting())
		*(int *) others = other_workers();
	extension_release();
}

/* Reads the limits that are set for the submitter. */
static void
read_limits(JobRun *run)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_connect();
	for (int i = 0; i < LIMITS; i++)
	{
		const char *value = charge_setting(run->job.role, limits[i]);

		run->limit[i] = value == NULL ? NULL : MemoryContextStrdup(context, value);
	}
	SPI_finish();
}

/* One look for a job. */
typedef struct JobLook
{
	JobRun *run;
	MemoryContext context; /* for the job's arguments and limits */
	bool outdated;         /* settings of roles have changed: a new process must run the jobs */
	JobClaim claim;
} JobLook;

/* The job has the slot before its row says that it runs. */
static void
take_job(JobLook *look)
{
	MemoryContext old = MemoryContextSwitchTo(look->context);

	look->claim = job_claim(&look->run->job);
	if (look->claim == JOB_CLAIMED)
		read_limits(look->run);
	MemoryContextSwitchTo(old);
	if (look->claim == JOB_CLAIMED)
		(void) job_area_set_job(look->run->job.id);
	else if (look->claim == JOB_NONE)
		job_area_stop_looking();
}

static void
look_for_job(void *context)
{
	JobLook *look = context;

	extension_require();
	look->outdated = charge_settings_changed();
	if (!look->outdated)
	{
		job_lock_queue();
		job_fail_dead();
		take_job(look);
	}
	extension_release();
}

/* ---- Running one ------------------------------------------------------------ */

static void
check_cancelled(void)
{
	CHECK_FOR_INTERRUPTS();
	if (job_area_is_cancelled())
		ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("canceling job on request")));
}

static int64
release_of_model(Datum model)
{
	bool isnull;

	return DatumGetInt64(GetAttributeByName(DatumGetHeapTupleHeader(model), "release", &isnull));
}

/* Says that the job's role or its table, whose name dpobj.jobs has, was dropped; NULL: neither. */
static const char *
what_is_gone(const Job *job, int *sqlstate)
{
	*sqlstate = ERRCODE_UNDEFINED_OBJECT;
	if (GetUserNameFromId(job->role, true) == NULL)
		return "the role that submitted the job does not exist any more";
	*sqlstate = ERRCODE_UNDEFINED_TABLE;
	if (get_rel_name(job_relation(job)) == NULL)
		return "the table of the job does not exist any more";
	return NULL;
}

static void
check_exists(const Job *job)
{
	int sqlstate;
	const char *gone = what_is_gone(job, &sqlstate);

	if (gone != NULL)
		ereport(ERROR, (errcode(sqlstate), errmsg_internal("%s", gone)));
}

/* Writes the charge to the ledger and its id to the job's row, in one transaction. */
static void
write_charge(JobRun *run, const TrainRun *train)
{
	Oid table = train->opened.table;

	release_fingerprint(train->training, table, &run->terms, run->charged_for);
	run->release = release_charge(train->training, table, &run->terms);
	job_note_release(run->job.id, run->release);
}

/* False if the model existed already, so that the job has ended. */
static bool
charge_job(JobRun *run)
{
	TrainRequest request;
	TrainRun train;
	Datum model;
	bool charged = true;

	begin();
	check_exists(&run->job);
	job_read(&run->job, &request, run->terms.request_hash);
	request.training->job = &job_context;
	analyst_ask(request.relation); /* job_claim() has taken a place of the role */
	run->terms.name = request.name;
	gate_enter_name(run->job.role, request.name, &job_context);
	charge_settle(run->job.role);
	if (kept_find_name(request.name, run->terms.request_hash, KEPT_MODEL, &model))
	{
		job_end(run->job.id, "released", dpobj_release_tick, release_of_model(model), 0, NULL);
		charged = false;
	}
	else
	{
		scan_reach_parts(request.relation);
		/* Waits in turn without a timeout: each of the running releases ends. */
		set_lock_timeout(LOCK_NO_TIMEOUT);
		gate_enter_solvers(&job_context);
		set_lock_timeout(LOCK_TIMEOUT);
		train_open(&request, &train);
		train_check_budgets(&train);
		train_lock(&train);
		train_make_room(&train);
		write_charge(run, &train);
		train_give_up(&train);
	}
	commit();
	run->charged = charged;
	return charged;
}

static void
check_unchanged(JobRun *run, const TrainRun *train)
{
	uint8 now[CHARGE_HASH_LENGTH];

	release_fingerprint(train->training, train->opened.table, &run->terms, now);
	if (memcmp(now, run->charged_for, CHARGE_HASH_LENGTH) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table or its protection was changed after the charge"),
				 errdetail("What was charged for does not exist any more. The charge stays.")));
}

static TupleDesc
model_descriptor(void)
{
	Oid table = extension_table("model_rows");
	Oid type = get_atttype(table, get_attnum(table, "model"));

	return lookup_rowtype_tupdesc_copy(type, -1);
}

/* Writes the model and the end of the job; false if they met a lock that ended in a deadlock. */
static bool
try_keep(JobRun *run, TrainRun *train, TupleDesc descriptor)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool kept = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		(void) release_model(train->training, run->release, &train->answer, descriptor);
		job_end(run->job.id, "released", run->terms.release_tick, 0, 0,
				coverage_warning(train->training));
		ReleaseCurrentSubTransaction();
		kept = true;
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		/* Always: an abort of the transaction would leave it open around the subtransaction. */
		RollbackAndReleaseCurrentSubTransaction();
		if (!charge_is_about_locks(error->sqlerrcode))
			ReThrowError(error);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return kept;
}

/* The answer is paid for, so a deadlock with maintenance of the ledger does not lose it. */
static void
keep_model(JobRun *run, TrainRun *train)
{
	TupleDesc descriptor;

	extension_require();
	descriptor = model_descriptor();
	extension_release();
	while (!try_keep(run, train, descriptor))
		pg_usleep(KEEP_PAUSE);
}

/*
 * The number of rows that dpobj.progress may show; 0 if it is not public: neighbours differ in it
 * under add_remove, and where persons are protected.
 */
static double
public_rows(const TrainRun *train)
{
	return training_rows_are_public(train->training) ? (double) train->training->table_rows : 0;
}

static void
run_charged(JobRun *run)
{
	TrainRequest request;
	TrainRun train;
	uint8 hash[CHARGE_HASH_LENGTH];

	/* The charge is committed, so the job waits without a timeout, as dpobj.train does. */
	set_lock_timeout(LOCK_NO_TIMEOUT);
	begin();
	check_exists(&run->job);
	job_read(&run->job, &request, hash);
	request.training->job = &job_context;
	run->terms.name = request.name;
	train_open(&request, &train);
	run->reads = true; /* a part or the disk may fail for some rows only */
	train_lock(&train);
	train_make_room(&train);
	run->reads = false; /* the catalogs are public */
	check_unchanged(run, &train);
	check_cancelled();
	train.training->request.progress = true;
	job_area_scan(public_rows(&train), run->terms.release_tick);
	scan_set_release(train.scan, run->release);
	run->reads = true;
	run->failed = !analyst_try(run->release, &run->terms, train_run, &train);
	job_area_release(); /* of a failure, too: it is shown when the ledger has it */
	if (run->failed)
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_STOPPED), errmsg(ANALYST_FAILURE)));
	train_end(&train);
	keep_model(run, &train);
	commit();
}

/* ---- An answer -------------------------------------------------------------- */

/* The last release that was charged under the job's name; 0: none. */
static int64
last_release(const JobRun *run)
{
	static const char *const statement =
		"SELECT max(m.release) FROM dpobj.model_rows m JOIN "
		"dpobj.identity_roles r ON r.id = m.owner"
		" WHERE r.role = $1 AND coalesce(m.charged_as, m.name) = $2";
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(run->job.role), CStringGetTextDatum(job_name(&run->job))};
	Datum release;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &release, &isnull) && !isnull
			   ? DatumGetInt64(release)
			   : 0;
}

/* After an error: was the call charged before it? */
static void
find_charge(void *context)
{
	JobRun *run = context;
	int64 last = last_release(run);

	run->charged = last > run->before;
	run->release = run->charged ? last : 0;
}

static void
run_call(JobRun *run)
{
	const Job *job = &run->job;
	char *statement;

	begin();
	check_exists(job);
	run->before = last_release(run);
	statement = job_statement(job);
	job_area_scan(0, run->terms.release_tick);
	SPI_connect();
	if (SPI_execute(statement, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not call dpobj.%s", job->call);
	SPI_finish();
	job_area_release();
	job_end(job->id, "released", run->terms.release_tick, last_release(run), 0, NULL);
	commit();
}

/* ---- Other ends ------------------------------------------------------------- */

/*
 * What the job's row says about a failure; after the scan has begun, nothing about its cause.  A
 * table or a role that is dropped while the job waits for a lock is named in no error so well.
 */
static const char *
failure_reason(const JobRun *run, int *sqlstate)
{
	const ErrorData *error = run->error;
	const char *gone;

	*sqlstate = ERRCODE_DPOBJ_STOPPED;
	if (run->failed)
		return ANALYST_FAILURE "\n" ANALYST_FAILURE_DETAIL;
	if (run->reads)
		return ANALYST_FAILURE "\nThe charge stays.";
	gone = what_is_gone(&run->job, sqlstate);
	if (gone != NULL)
		return gone;
	*sqlstate = error->sqlerrcode;
	return psprintf("%s%s%s", error->message, error->detail == NULL ? "" : "\n",
					error->detail == NULL ? "" : error->detail);
}

/* Ends the charge of a training; that of an answer has ended with its call. */
static void
end_charge(const JobRun *run, ChargeReason reason)
{
	if (run->charged && run->job.call == NULL)
		charge_failed(&job_context, run->release, reason);
}

/* Writes the end of the job to its row, and that of its charge to the ledger. */
static void
write_end(void *context)
{
	const JobRun *run = context;
	int tick = run->charged ? run->terms.release_tick : dpobj_release_tick;
	const char *reason;
	int sqlstate;

	switch (run->end)
	{
		case END_QUEUED:
			job_queue_again(run->job.id);
			break;
		case END_CANCELLED:
			end_charge(run, CHARGE_BY_CANCEL);
			job_end(run->job.id, "cancelled", tick, run->release, 0, NULL);
			break;
		case END_FAILED:
			end_charge(run,
					   run->reads ? CHARGE_BY_ITSELF : charge_reason_of(run->error->sqlerrcode));
			reason = failure_reason(run, &sqlstate);
			job_end(run->job.id, "failed", tick, run->release, sqlstate, reason);
	}
}

/* A failed release is counted, even if the job was cancelled. */
static JobEnd
choose_end(const JobRun *run)
{
	int sqlstate = run->error->sqlerrcode;
	bool before_charge = charge_is_about_locks(sqlstate) && !run->charged;

	if (run->failed)
		return END_FAILED;
	if (job_area_is_cancelled() && (sqlstate == ERRCODE_QUERY_CANCELED || before_charge))
		return END_CANCELLED;
	return before_charge ? END_QUEUED : END_FAILED;
}

/*
 * Writes the end of a run that an error has ended.  The end of a charge is written whatever
 * happens: a failure depends on rows, so nobody may keep it from being counted by a cancel or a
 * lock.  So is a job that is queued again.  Other ends need not be written if a lock is in the way:
 * a running job without a worker reads as failed, and the next worker writes it.
 */
static void
end_run(JobRun *run)
{
	int sqlstate;

	job_area_ignore_cancels();
	if (run->job.call != NULL)
		(void) try_transaction(find_charge, run);
	run->end = choose_end(run);

	HOLD_INTERRUPTS(); /* writing a message checks for a cancel */
	if (run->end == END_FAILED && run->reads && !run->failed)
		ereport(LOG_SERVER_ONLY,
				(errmsg("job " INT64_FORMAT " failed: %s", run->job.id, run->error->message)));
	RESUME_INTERRUPTS();
	set_lock_timeout(LOCK_TIMEOUT);
	do
		sqlstate = try_transaction(write_end, run);
	while (sqlstate == ERRCODE_QUERY_CANCELED ||
		   (sqlstate != 0 && (run->charged || run->end == END_QUEUED)));
	run->requeued = run->end == END_QUEUED && sqlstate == 0;
}

/* Cancels a job that was queued again while the cancel came. */
static void
cancel_again(void *context)
{
	const JobRun *run = context;

	if (!job_cancel_queued(run->job.id))
		(void) job_area_cancel(run->job.id);
}

static void
run_steps(JobRun *run)
{
	ErrorData *volatile error = NULL;

	PG_TRY();
	{
		check_cancelled();
		if (run->job.call != NULL)
			run_call(run);
		else if (charge_job(run))
		{
			check_cancelled();
			run_charged(run);
		}
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(TopMemoryContext);
		error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	if (error == NULL)
		return;
	run->error = error;
	end_run(run);
	FreeErrorData(error);
}

/* Sets limits outside of transactions, so that they hold for the whole job; NULL resets one. */
static void
set_limits(char *const values[LIMITS])
{
	for (int i = 0; i < LIMITS; i++)
		(void) set_config_option(limits[i], values[i], PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SET,
								 true, WARNING, false);
}

/* Who may signal the process does not change: its role must not end it before a failure is written.
 */
static void
become(Oid role, bool is_superuser)
{
	Oid owner = MyProc->roleId;

	set_authenticated_user(role, is_superuser);
	MyProc->roleId = owner;
	SetSessionAuthorization(role, is_superuser);
}

static void
run_job(JobRun *run)
{
	char *no_limits[LIMITS] = {NULL};
	bool cancelled;

	set_limits(run->limit);
	run->terms.release_tick = dpobj_release_tick;
	become(run->job.role, run->job.superuser);
	run_steps(run);
	become(BOOTSTRAP_SUPERUSERID, true);
	set_limits(no_limits);
	gate_leave_all();
	set_lock_timeout(LOCK_TIMEOUT);
	cancelled = job_area_set_job(0);
	if (cancelled && run->requeued)
		while (try_transaction(cancel_again, run) == ERRCODE_QUERY_CANCELED)
			;
}

/* ---- The worker ------------------------------------------------------------- */

static void
override_settings(void)
{
	charge_worker_override_settings();
	set_lock_timeout(LOCK_TIMEOUT);
}

/* A setting may be weaker now than charges allow: synchronous_commit. */
static void
reload(void)
{
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	override_settings();
}

/* Sleeps: no event tells that a session has left the gate or that a lock was released. */
static void
wait_at_gate(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, GATE_PAUSE,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/* Runs jobs one after the other, until there are none or another worker is to run them. */
static void
run_jobs(void)
{
	MemoryContext context =
		AllocSetContextCreate(TopMemoryContext, "dpobj job", ALLOCSET_DEFAULT_SIZES);
	JobRun *run = MemoryContextAlloc(TopMemoryContext, sizeof(JobRun));
	JobLook look = {.run = run, .context = context};

	for (;;)
	{
		/* No job is running, so a cancel that arrives now came too late. */
		QueryCancelPending = false;
		CHECK_FOR_INTERRUPTS();
		reload();
		MemoryContextReset(context);
		memset(run, 0, sizeof(*run));
		if (try_transaction(look_for_job, &look) != 0)
		{
			(void) job_area_set_job(0);
			look.claim = JOB_AT_GATE;
		}
		else if (look.outdated)
		{
			job_area_call_again();
			return;
		}
		if (look.claim == JOB_NONE)
			return;
		if (look.claim == JOB_CLAIMED)
		{
			pgstat_report_activity(STATE_RUNNING, JOB_WORKER_NAME);
			run_job(run);
			pgstat_report_activity(STATE_IDLE, NULL);
		}
		else if (job_area_is_redundant())
			return;
		if (look.claim == JOB_AT_GATE || run->requeued)
			wait_at_gate(); /* before it exits: workers of other databases may be at a gate, too */
		if (job_area_must_yield())
			return;
	}
}

void
dpobj_job_main(Datum database)
{
	int others = -1;

	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, StatementCancelHandler);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();

	if (!job_area_take_slot(DatumGetObjectId(database)))
		proc_exit(0);
	gate_leave_at_exit();
	charge_worker_connect(DatumGetObjectId(database));
	override_settings();
	if (try_transaction(look_in, &others) != 0)
		job_area_call_again();
	else if (others >= 0 && job_area_activate(others))
		run_jobs();
	proc_exit(0);
}
