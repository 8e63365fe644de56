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
 * A job makes its call as a session does (paid_call.h): one transaction marks the job's row as
 * running, one makes the call and writes the end of the job.  The charge is committed by another
 * process; the worker finds it by the job's name, so that after the charge no worker runs the job
 * again.  The row says no more about a failure than the call does.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
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
#include "utils/snapmgr.h"

#include "server/ledger/charge_setting.h"
#include "server/ledger/charge_worker.h"
#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/extension.h"
#include "server/base/admin.h"
#include "server/base/gate.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_table.h"
#include "server/base/run_watch.h"
#include "server/jobs/job_worker.h"
#include "server/ledger/charge_end.h"
#include "server/release/paid_call.h"
#include "server/release/release.h"

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

/* The state of a job's row after a run that an error has ended. */
typedef enum JobEnd
{
	END_RELEASED, /* the error came while the answer was written */
	END_FAILED,
	END_CANCELLED,
	END_QUEUED /* again: a lock was not available before the charge */
} JobEnd;

/* One run of one job. */
typedef struct JobRun
{
	Job job;
	int tick;               /* milliseconds: dpobj.release_tick of the role */
	int64 before;           /* the last release under the job's name before the call */
	int64 release;          /* the ledger id of the charge, 0: none is known */
	bool kept;              /* its answer is */
	bool counted;           /* it has failed by itself */
	const char *warning;    /* about the released model, or NULL */
	const ErrorData *error; /* what ended the run */
	JobEnd end;
	bool requeued;       /* END_QUEUED is written */
	char *limit[LIMITS]; /* the role's values of limits; NULL: not set */
} JobRun;

/* The run of this worker, for its watch. */
static JobRun *running;

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

/* Says that the job's role or its table, whose name dpobj.jobs has, was dropped; NULL: neither. */
static const char *
what_is_gone(const Job *job, int *sqlstate)
{
	*sqlstate = ERRCODE_UNDEFINED_OBJECT;
	if (GetUserNameFromId(job->role, true) == NULL)
		return "the role that submitted the job does not exist any more";
	*sqlstate = ERRCODE_UNDEFINED_TABLE;
	if (get_rel_name(job->relation) == NULL)
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

/* The last release that was charged under the job's name; 0: none. */
static int64
last_release(const JobRun *run)
{
	static const char *const statement =
		"SELECT max(m.release) FROM dpobj.model_rows m JOIN "
		"dpobj.identity_roles r ON r.id = m.owner WHERE r.role = $1 AND $2 = " CHARGED_NAME;
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(run->job.role), CStringGetTextDatum(run->job.name)};
	Datum release;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &release, &isnull) && !isnull
			   ? DatumGetInt64(release)
			   : 0;
}

/* After an error: was the call charged before it, and how has the charge ended? */
static void
find_charge(void *context)
{
	static const char *const statement =
		"SELECT m.released IS NOT NULL, e.event = 'failed' AND e.reason IS NULL"
		" FROM dpobj.model_rows m JOIN dpobj.ledger_events e ON e.release = m.release"
		" WHERE m.release = $1 LIMIT 1";
	JobRun *run = context;
	Oid types[] = {INT8OID};
	Datum values[1];
	Datum found[2];
	bool isnull[2];
	int64 last;

	charge_settle(run->job.role);
	last = last_release(run);
	run->release = last > run->before ? last : 0;
	values[0] = Int64GetDatum(run->release);
	if (run->release == 0 ||
		!admin_select(statement, lengthof(types), types, values, found, isnull))
		return;
	run->kept = DatumGetBool(found[0]);
	run->counted = DatumGetBool(found[1]);
}

/* Nobody sees the WARNING of a job's call. */
static void
note_warning(const char *message)
{
	running->warning = MemoryContextStrdup(TopMemoryContext, message);
}

static void
run_call(JobRun *run)
{
	static const RunWatch watch = {job_area_charged, job_area_scanned, job_area_searched,
								   job_area_release, note_warning};
	const Job *job = &run->job;
	char *statement;

	begin();
	check_exists(job);
	run->before = last_release(run);
	statement = paid_call_statement(job->call, job->relation, job->arguments, job->name);
	running = run;
	run_watch = &watch;
	SPI_connect();
	if (SPI_execute(statement, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not call dpobj.%s", job->call);
	SPI_finish();
	job_end(job->id, "released", run->tick, last_release(run), 0, run->warning);
	commit();
}

/* ---- Other ends ------------------------------------------------------------- */

/*
 * What the job's row says about a failure, which is what the call says.  A table or a role that is
 * dropped while the job waits for a lock is named in no error so well.
 */
static const char *
failure_reason(const JobRun *run, int *sqlstate)
{
	const ErrorData *error = run->error;
	const char *gone = what_is_gone(&run->job, sqlstate);

	if (gone != NULL && run->release == 0)
		return gone;
	*sqlstate = run->counted ? ERRCODE_DPOBJ_STOPPED : error->sqlerrcode;
	if (run->counted)
		return RELEASE_FAILURE "\n" RELEASE_FAILURE_DETAIL; /* a cancel may have come since */
	return psprintf("%s%s%s", error->message, error->detail == NULL ? "" : "\n",
					error->detail == NULL ? "" : error->detail);
}

/* Writes the end of the job to its row; that of its charge is the call's. */
static void
write_end(void *context)
{
	const JobRun *run = context;
	const char *reason;
	int sqlstate;

	switch (run->end)
	{
		case END_RELEASED:
			job_end(run->job.id, "released", run->tick, run->release, 0, run->warning);
			break;
		case END_QUEUED:
			job_queue_again(run->job.id);
			break;
		case END_CANCELLED:
			job_end(run->job.id, "cancelled", run->tick, run->release, 0, NULL);
			break;
		case END_FAILED:
			reason = failure_reason(run, &sqlstate);
			job_end(run->job.id, "failed", run->tick, run->release, sqlstate, reason);
	}
}

/* A job ends as its charge has, even if the job was cancelled meanwhile. */
static JobEnd
choose_end(const JobRun *run)
{
	int sqlstate = run->error->sqlerrcode;
	bool before_charge = charge_is_about_locks(sqlstate) && run->release == 0;

	if (run->kept)
		return END_RELEASED;
	if (run->counted)
		return END_FAILED;
	if (job_area_is_cancelled() && (sqlstate == ERRCODE_QUERY_CANCELED || before_charge))
		return END_CANCELLED;
	return before_charge ? END_QUEUED : END_FAILED;
}

/*
 * Writes the end of a run that an error has ended.  That of a job that is queued again or was
 * charged is written whatever happens.  Other ends need not be written if a lock is in the way: a
 * running job without a worker reads as failed, and the next worker writes it.
 */
static void
end_run(JobRun *run)
{
	int sqlstate;

	job_area_ignore_cancels();
	set_lock_timeout(LOCK_TIMEOUT);
	while (try_transaction(find_charge, run) != 0)
		; /* a charged job must not be queued again */
	run->end = choose_end(run);
	do
		sqlstate = try_transaction(write_end, run);
	while (sqlstate == ERRCODE_QUERY_CANCELED ||
		   (sqlstate != 0 && (run->release != 0 || run->end == END_QUEUED)));
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
		run_call(run);
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
	run->tick = dpobj_release_tick;
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
