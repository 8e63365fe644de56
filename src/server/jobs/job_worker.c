/*
 * job_worker.c - the background worker that runs the queued jobs of one database.
 *
 * It connects as the bootstrap superuser: connecting as the submitter would fail for a role
 * that may not log in, and would apply all his settings, where only the limits that a superuser
 * has set are to hold.  For each job it becomes the submitter, as SET SESSION AUTHORIZATION does,
 * so that grants, budgets, names and queues are his.
 *
 * A job does what dpobj.train does, in three transactions, because the worker commits the
 * charge itself:
 *
 *   1. takes the job, by its row
 *   2. asks everything that may be asked, writes the charge and its number in the row, commits
 *   3. opens the table again, which must be what was charged for, reads it, solves, waits for
 *      the tick, and commits the release, the model and the end of the job at once
 *
 * After the second, a job is over: whatever happens, its charge stays and nobody runs it
 * again.  Its row tells no more about a failure than dpobj.train does.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
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
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "server/analyst/analyst.h"
#include "server/ledger/charge_setting.h"
#include "server/ledger/charge_worker.h"
#include "server/base/dpobj.h"
#include "server/base/extension.h"
#include "server/base/gate.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_table.h"
#include "server/jobs/job_worker.h"
#include "server/release/progress.h"
#include "server/release/release.h"
#include "server/analyst/train.h"

/*
 * What only a superuser may set, an administrator may have set for the role, as a limit: it holds
 * as it does in the role's sessions.
 */
static const char *const limits[] = {
	"dpobj.allow_unproven", "dpobj.max_failures", "dpobj.max_solvers",    "dpobj.memory_limit",
	"dpobj.min_epsilon",    "dpobj.release_tick", "dpobj.require_budget", "dpobj.time_limit",
};

#define LIMITS lengthof(limits)

/* Milliseconds between two looks whether the sessions of a role have left its gate. */
#define GATE_PAUSE 500

/*
 * How long a job waits for a lock before its charge.  Then it is queued again: anybody may hold
 * locks, on his own tables first of all, and its place is one for all databases.
 */
#define LOCK_PATIENCE "5s"
#define LOCK_NO_END "0"

static const JobContext job_context = {job_area_scanned, job_area_searched};

/* One run of one job. */
typedef struct JobRun
{
	Job job;
	AnalystTerms terms;
	int64 release; /* 0: nothing is charged */
	uint8 charged_for[CHARGE_HASH_LENGTH];
	bool charged; /* that is committed */
	bool reads;   /* from here on, errors may tell about rows */
	bool failed;  /* and is to be counted */
	bool blocked; /* queued again: locks were in its way */
	const ErrorData *error;
	char *limit[LIMITS];
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

/* Until it is set again. */
static void
wait_for_locks(const char *patience)
{
	SetConfigOption("lock_timeout", patience, PGC_SUSET, PGC_S_OVERRIDE);
}

/* Somebody else's lock was in the way. */
static bool
is_about_locks(int sqlstate)
{
	return sqlstate == ERRCODE_LOCK_NOT_AVAILABLE || sqlstate == ERRCODE_T_R_DEADLOCK_DETECTED;
}

/*
 * Calls what opens and ends a transaction.  Returns 0, or what ended the transaction before that:
 * a lock or a cancel; raises all other errors.
 */
static int
try_transaction(void (*work)(void *context), void *context)
{
	volatile int sqlstate = 0;

	PG_TRY();
	{
		work(context);
	}
	PG_CATCH();
	{
		sqlstate = geterrcode();
		if (!is_about_locks(sqlstate) && sqlstate != ERRCODE_QUERY_CANCELED)
			PG_RE_THROW();
		MemoryContextSwitchTo(TopMemoryContext);
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	return sqlstate;
}

/* For statements on our own tables, which the submitter may not change. */
static void
begin_as_superuser(ChargeActor *before)
{
	begin();
	charge_act_as_superuser(before);
}

static void
commit_as_superuser(const ChargeActor *before)
{
	charge_act_as_before(before);
	commit();
}

/* ---- Looking for jobs ------------------------------------------------------- */

/* Worker slots that others have: job workers without a slot of ours are about to leave. */
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

static bool
is_installed(void)
{
	bool installed;

	begin();
	installed = extension_hold();
	if (installed)
		extension_release();
	commit();
	return installed;
}

/* Who finds nothing to run does not ask whether he might. */
static bool
join_in(void)
{
	bool waiting;
	int others;
	ChargeActor before;

	begin_as_superuser(&before);
	charge_note_settings();
	waiting = job_any_waiting();
	others = other_workers();
	commit_as_superuser(&before);
	return waiting && job_area_join(others);
}

static void
look_in(void *joined)
{
	*(bool *) joined = is_installed() && join_in();
}

/* Those that have been set; the others are null. */
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
	MemoryContext context; /* for what is read of the job */
	bool outdated;         /* jobs run under the settings of a new process: settings have changed */
	JobClaim claim;
} JobLook;

/* The slot is the job's before its row says that it runs. */
static void
take_job(JobLook *look)
{
	MemoryContext old = MemoryContextSwitchTo(look->context);

	look->claim = job_claim(&look->run->job);
	if (look->claim == JOB_CLAIMED)
		read_limits(look->run);
	MemoryContextSwitchTo(old);
	if (look->claim == JOB_CLAIMED)
		(void) job_area_begin(look->run->job.id);
	else if (look->claim == JOB_NONE)
		job_area_finish();
}

static void
look_for_job(void *context)
{
	JobLook *look = context;
	ChargeActor before;

	begin_as_superuser(&before);
	look->outdated = charge_settings_changed();
	if (!look->outdated)
	{
		job_lock_queue();
		job_bury();
		take_job(look);
	}
	commit_as_superuser(&before);
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

/* Whose catalog entry has gone, has no name to be charged under. */
static void
check_role(Oid role)
{
	if (GetUserNameFromId(role, true) == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("the role that submitted the job does not exist any more")));
}

/* The table, its columns and what is declared about it, locked until the end of the transaction. */
static void
open_table(JobRun *run, const TrainRequest *request, TrainRun *train)
{
	train_open(request, train);
	if (run->release == 0)
		train_check_budgets(train);
	train_lock(train);
	train_make_room(train);
}

/* The number of the charge is in the job's row when the charge is in the ledger. */
static void
write_charge(JobRun *run, const TrainRun *train)
{
	Oid table = train->opened.table;
	ChargeActor before;

	release_fingerprint(train->training, table, &run->terms, run->charged_for);
	run->release = release_charge(train->training, table, &run->terms);
	charge_act_as_superuser(&before);
	job_note_release(run->job.id, run->release);
	charge_act_as_before(&before);
}

/* False: the model is there already, and the job has ended. */
static bool
charge_job(JobRun *run)
{
	TrainRequest request;
	TrainRun train;
	ChargeActor before;
	Datum model;
	bool charged = true;

	begin();
	check_role(run->job.role);
	job_read(&run->job, &request, run->terms.request_hash);
	request.training->job = &job_context;
	analyst_ask(request.relation); /* we are at the role's gate since we took the job */
	run->terms.name = request.name;
	if (train_find_name(&request, run->terms.request_hash, &model))
	{
		charge_act_as_superuser(&before);
		job_end(run->job.id, "released", dpobj_release_tick, release_of_model(model), 0, NULL);
		charge_act_as_before(&before);
		charged = false;
	}
	else
	{
		/* First come, first served: releases end, so nobody has to go and queue again. */
		wait_for_locks(LOCK_NO_END);
		gate_enter_solvers(&job_context);
		wait_for_locks(LOCK_PATIENCE);
		open_table(run, &request, &train);
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

	check_role(run->job.role);
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
	Oid table = get_relname_relid("model_rows", get_namespace_oid("dpobj", false));
	Oid type = get_atttype(table, get_attnum(table, "model"));

	return lookup_rowtype_tupdesc_copy(type, -1);
}

static void
keep_model(JobRun *run, TrainRun *train)
{
	ChargeActor before;
	TupleDesc descriptor;

	charge_act_as_superuser(&before);
	descriptor = model_descriptor();
	charge_act_as_before(&before);
	(void) release_model(train->training, run->release, &train->answer, descriptor);
	charge_act_as_superuser(&before);
	job_end(run->job.id, "released", run->terms.release_tick, 0, 0, NULL);
	charge_act_as_before(&before);
}

/*
 * Where a row comes or goes, or all rows of a person are replaced, how many there are is no public
 * number, and an operator may have hidden the statistics that say it.
 */
static double
rows_to_tell(const TrainRun *train)
{
	const Protection *protection = &train->opened.protection;

	if (protection->adjacency != ADJACENCY_REPLACE || protection->person != NULL)
		return 0;
	return scan_estimated_rows(train->scan);
}

static void
run_charged(JobRun *run)
{
	TrainRequest request;
	TrainRun train;
	uint8 hash[CHARGE_HASH_LENGTH];

	/* What is charged is charged: it waits, as dpobj.train does. */
	wait_for_locks(LOCK_NO_END);
	begin();
	job_read(&run->job, &request, hash);
	request.training->job = &job_context;
	run->terms.name = request.name;
	open_table(run, &request, &train);
	check_unchanged(run, &train);
	check_cancelled();
	train.training->request.progress = true;
	job_area_scan(rows_to_tell(&train), run->terms.release_tick);
	run->reads = true;
	run->failed = !analyst_try(run->release, &run->terms, train_run, &train);
	job_area_release(); /* a failure, too: it is in the ledger before anybody sees it */
	if (run->failed)
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_STOPPED), errmsg(ANALYST_FAILURE)));
	spill_close(&train.spill);
	keep_model(run, &train);
	commit();
}

/* ---- Other ends ------------------------------------------------------------- */

static char *
describe(const JobRun *run, const ErrorData *error)
{
	if (run->reads)
		return ANALYST_FAILURE "\nThe charge stays.";
	return psprintf("%s%s%s", error->message, error->detail == NULL ? "" : "\n",
					error->detail == NULL ? "" : error->detail);
}

static int
tick_of(const JobRun *run)
{
	return run->charged ? run->terms.release_tick : dpobj_release_tick;
}

/*
 * An error from before the first page was read may be shown; a later one goes to the log only.  A
 * charged release has failed, whoever has ended it.
 */
static void
write_error(void *context)
{
	const JobRun *run = context;
	ChargeActor before;

	begin_as_superuser(&before);
	if (run->reads)
		charge_failed(&job_context, run->release);
	job_end(run->job.id, "failed", tick_of(run), 0,
			run->reads ? ERRCODE_DPOBJ_STOPPED : run->error->sqlerrcode, describe(run, run->error));
	commit_as_superuser(&before);
}

static void
write_failure(void *context)
{
	const JobRun *run = context;
	ChargeActor before;

	begin_as_superuser(&before);
	charge_failed(&job_context, run->release);
	job_end(run->job.id, "failed", tick_of(run), 0, ERRCODE_DPOBJ_STOPPED,
			ANALYST_FAILURE "\n" ANALYST_FAILURE_DETAIL);
	commit_as_superuser(&before);
}

static void
write_cancel(void *context)
{
	const JobRun *run = context;
	ChargeActor before;

	begin_as_superuser(&before);
	job_end(run->job.id, "cancelled", tick_of(run), 0, 0, NULL);
	commit_as_superuser(&before);
}

static void
write_back(void *context)
{
	const JobRun *run = context;
	ChargeActor before;

	begin_as_superuser(&before);
	job_queue_again(run->job.id);
	commit_as_superuser(&before);
}

typedef void (*JobEnd)(void *run);

/* Before the charge a job that cannot have its locks makes way for others. */
static JobEnd
choose_end(const JobRun *run)
{
	int sqlstate = run->error->sqlerrcode;
	bool before_charge = is_about_locks(sqlstate) && !run->charged;

	if (run->failed)
		return write_failure;
	if (job_area_is_cancelled() && (sqlstate == ERRCODE_QUERY_CANCELED || before_charge))
		return write_cancel;
	return before_charge ? write_back : write_error;
}

/*
 * A failure is written whatever happens: it tells something about the rows, and whoever saw it
 * coming must not keep it from being counted.  So is what goes back to the queue.  For the others
 * it is enough that their worker has gone, if anybody has locked our tables: they read as failed,
 * and the next worker writes it.
 */
static void
write_end(JobRun *run)
{
	JobEnd write;
	int sqlstate;

	job_area_end();
	write = choose_end(run);

	HOLD_INTERRUPTS(); /* a message is a place for a cancel */
	if (write == write_error && run->reads)
		ereport(LOG_SERVER_ONLY,
				(errmsg("job " INT64_FORMAT " failed: %s", run->job.id, run->error->message)));
	RESUME_INTERRUPTS();
	wait_for_locks(LOCK_PATIENCE);
	do
		sqlstate = try_transaction(write, run);
	while (sqlstate == ERRCODE_QUERY_CANCELED ||
		   (sqlstate != 0 && (run->failed || write == write_back)));
	run->blocked = write == write_back && sqlstate == 0;
}

/* A cancel that came when it was to be queued again. */
static void
cancel_again(void *context)
{
	const JobRun *run = context;
	ChargeActor before;

	begin_as_superuser(&before);
	if (!job_cancel_queued(run->job.id))
		(void) job_area_cancel(run->job.id);
	commit_as_superuser(&before);
}

static void
run_steps(JobRun *run)
{
	ErrorData *volatile error = NULL;

	PG_TRY();
	{
		check_cancelled();
		if (charge_job(run))
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
	write_end(run);
	FreeErrorData(error);
}

/* Everything that asks who asks gets the submitter for an answer; the role may have gone. */
static void
become_submitter(const Job *job)
{
	SetSessionAuthorization(job->role, job->superuser);
}

static void
become_nobody(void)
{
	SetSessionAuthorization(BOOTSTRAP_SUPERUSERID, true);
}

/* Outside of transactions, so that they hold in all those of the job; null goes back. */
static void
set_limits(char *const values[LIMITS])
{
	for (int i = 0; i < LIMITS; i++)
		(void) set_config_option(limits[i], values[i], PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SET,
								 true, WARNING, false);
}

static void
run_job(JobRun *run)
{
	char *no_limits[LIMITS] = {NULL};
	bool cancelled;

	set_limits(run->limit);
	run->terms.release_tick = dpobj_release_tick;
	become_submitter(&run->job);
	run_steps(run);
	become_nobody();
	set_limits(no_limits);
	gate_leave_all();
	wait_for_locks(LOCK_PATIENCE);
	cancelled = job_area_begin(0);
	if (cancelled && run->blocked)
		while (try_transaction(cancel_again, run) == ERRCODE_QUERY_CANCELED)
			;
}

/* ---- The worker ------------------------------------------------------------- */

static void
override_settings(void)
{
	charge_worker_override_settings();
	wait_for_locks(LOCK_PATIENCE);
	/* ALTER DATABASE ... SET role: where a role is set, SetSessionAuthorization() leaves it. */
	SetConfigOption("role", "none", PGC_SUSET, PGC_S_OVERRIDE);
}

/* What was as strong as it must be may be weaker now: synchronous_commit. */
static void
reload(void)
{
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	override_settings();
}

/* Nothing tells that a session leaves the gate, or that a lock is given back. */
static void
wait_at_gate(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, GATE_PAUSE,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/* One after the other; it goes when there are none, or when another worker is to run them. */
static void
run_jobs(void)
{
	MemoryContext context =
		AllocSetContextCreate(TopMemoryContext, "dpobj job", ALLOCSET_DEFAULT_SIZES);
	JobRun *run = MemoryContextAlloc(TopMemoryContext, sizeof(JobRun));
	JobLook look = {.run = run, .context = context};

	for (;;)
	{
		/* A cancel is about a job, and none is running. */
		QueryCancelPending = false;
		CHECK_FOR_INTERRUPTS();
		reload();
		MemoryContextReset(context);
		memset(run, 0, sizeof(*run));
		if (try_transaction(look_for_job, &look) != 0)
		{
			(void) job_area_begin(0);
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
		else if (job_area_is_spare())
			return;
		if (look.claim == JOB_AT_GATE || run->blocked)
			wait_at_gate(); /* before it gives way: others may be at a gate, too */
		if (job_area_others_wait())
			return;
	}
}

void
dpobj_job_main(Datum database)
{
	bool joined = false;

	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, StatementCancelHandler);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();

	if (!job_area_arrive(DatumGetObjectId(database)))
		proc_exit(0);
	gate_leave_at_exit();
	charge_worker_connect(DatumGetObjectId(database));
	override_settings();
	if (try_transaction(look_in, &joined) != 0)
		job_area_call_again();
	if (!joined)
		proc_exit(0);
	run_jobs();
	proc_exit(0);
}
