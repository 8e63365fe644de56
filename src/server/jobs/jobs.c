/*
 * jobs.c - dpobj.submit(), dpobj.cancel() and dpobj.wait().
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "server/base/argument.h"
#include "server/base/admin.h"
#include "server/base/digest.h"
#include "server/analyst/analyst.h"
#include "server/analyst/kept.h"
#include "server/ledger/charge_analyst.h"
#include "server/ledger/epoch.h"
#include "server/base/dpobj.h"
#include "server/base/preload.h"
#include "server/jobs/answer_call.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_call.h"
#include "server/jobs/job_table.h"
#include "server/analyst/train.h"

/* Queued jobs of one role. */
#define QUEUE_LIMIT 100

/* Bytes of a request, and the number of a role's jobs without a charge that are kept. */
#define REQUEST_LIMIT 65536
#define ENDED_LIMIT 100

/* How long (in milliseconds) a wait sleeps at most before it looks again. */
#define WAIT_PAUSE 1000

/* ---- dpobj.submit ----------------------------------------------------------- */

static void
read_submission(FunctionCallInfo fcinfo, Job *job)
{
	(void) argument_value(fcinfo, TRAIN_NAME, "name");
	job->role = GetSessionUserId();
	for (int i = 0; i < TRAIN_ARGUMENTS; i++)
		job->argument[i] = fcinfo->args[i];
}

/* Makes the checks of dpobj.train before the charge; the worker makes them again. */
static void
check_submission(const TrainRequest *request)
{
	TrainRun run;

	train_open(request, &run);
	charge_check_least_epsilon(training_pair(run.training).epsilon, dpobj_min_epsilon);
	train_check_budgets(&run);
	train_lock(&run);
	train_give_up(&run);
}

static bool
has_state(const JobState *state, const char *one, const char *other)
{
	return strcmp(state->state, one) == 0 || strcmp(state->state, other) == 0;
}

/*
 * Finds the job of the same name, so that a repeated submission queues no second one; false if
 * there is none or it has failed or was cancelled.
 */
static bool
find_same(const char *name, const uint8 hash[CHARGE_HASH_LENGTH], int64 *id)
{
	JobState state;

	if (!job_find_name(name, &state) || has_state(&state, "failed", "cancelled"))
		return false;
	if (memcmp(state.hash, hash, CHARGE_HASH_LENGTH) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("job \"%s\" was submitted with another request", name),
						errhint("Choose another name. The jobs are in dpobj.jobs.")));
	*id = state.id;
	return true;
}

/* Refuses what the charge of the job would refuse, whatever the request. */
static void
check_caller(Oid table)
{
	analyst_ask(table);
	if (!epoch_is_confirmed())
		epoch_refuse();
}

/* Checks the arguments that a queued job keeps; all but the first, the table, have any length. */
static void
check_size(const Job *job)
{
	Size bytes = 0;

	for (int i = 1; i < TRAIN_ARGUMENTS; i++)
	{
		if (!job->argument[i].isnull)
			bytes += toast_raw_datum_size(job->argument[i].value);
	}
	if (bytes > REQUEST_LIMIT)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the request is too long for a job"),
						errdetail("Its arguments are %zu bytes together; %d are "
								  "allowed.",
								  bytes, REQUEST_LIMIT),
						job->call == NULL ? errhint("dpobj.train takes it.") : 0));
}

static void
check_queue(void)
{
	if (job_count_queued() >= QUEUE_LIMIT)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many jobs are queued"),
						errdetail("At most %d jobs of one role may be queued.", QUEUE_LIMIT)));
}

static int64
add(const Job *job, const uint8 hash[CHARGE_HASH_LENGTH])
{
	check_queue();
	job_forget_ended(ENDED_LIMIT);
	return job_add(job, hash);
}

/* dpobj.submit(relation, label, ..., name) -> bigint; its arguments are those of dpobj.train. */
PG_FUNCTION_INFO_V1(dpobj_submit_training);
Datum
dpobj_submit_training(PG_FUNCTION_ARGS)
{
	Job job = {0};
	TrainRequest request;
	uint8 hash[CHARGE_HASH_LENGTH];
	Datum model;
	int64 id;

	read_submission(fcinfo, &job);
	job_read(&job, &request, hash);
	check_caller(request.relation);
	preload_require("jobs");
	if (!find_same(request.name, hash, &id))
	{
		check_size(&job);
		if (!kept_find_name(request.name, hash, KEPT_MODEL, &model))
			check_submission(&request);
		id = add(&job, hash);
	}
	job_call_at_commit();
	PG_RETURN_INT64(id);
}

/* ---- dpobj.submit_answer ---------------------------------------------------- */

static void
read_answer(FunctionCallInfo fcinfo, Job *job)
{
	for (int i = 0; i < TRAIN_ARGUMENTS; i++)
		job->argument[i].isnull = i != TRAIN_RELATION && i != TRAIN_OPTIONS && i != TRAIN_NAME;
	job->role = GetSessionUserId();
	job->call = TextDatumGetCString(argument_value(fcinfo, 0, "call"));
	job->argument[TRAIN_RELATION].value = argument_value(fcinfo, 1, "relation");
	job->argument[TRAIN_OPTIONS].value = argument_value(fcinfo, 2, "arguments");
	job->argument[TRAIN_NAME].value = argument_value(fcinfo, 3, "name");
	(void) argument_name(fcinfo, 3, "an answer");
}

/* The statement has all of the request, and no setting of the session changes it. */
static void
hash_statement(const char *statement, uint8 hash[CHARGE_HASH_LENGTH])
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	digest_append(&bytes, statement);
	digest_bytes(&bytes, hash);
}

/*
 * Makes the checks of the call before its charge; the worker makes them again.  An error has the
 * context of this call only, because the statement is not the caller's.
 */
static void
rehearse(const char *statement)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	bool exit_on_error = ExitOnAnyError;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	charge_begin_rehearsal();
	PG_TRY();
	{
		ExitOnAnyError = false; /* a rehearsal ends by an error that is caught */
		SPI_connect();
		if (SPI_execute(statement, false, 0) != SPI_OK_SELECT)
			elog(ERROR, "could not rehearse the call of a job");
		SPI_finish();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	ExitOnAnyError = exit_on_error;
	MemoryContextSwitchTo(context);
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (charge_end_rehearsal() || error == NULL)
		return;
	/* a job that comes first may make the model */
	if (error->sqlerrcode == ERRCODE_UNDEFINED_OBJECT && job_any_unended())
		return;
	error->context = NULL;
	ReThrowError(error);
}

/* dpobj.submit_answer(call, relation, arguments, name) -> bigint */
PG_FUNCTION_INFO_V1(dpobj_submit_answer);
Datum
dpobj_submit_answer(PG_FUNCTION_ARGS)
{
	Job job = {0};
	uint8 hash[CHARGE_HASH_LENGTH];
	char *statement;
	int64 id;

	read_answer(fcinfo, &job);
	statement = job_statement(&job);
	hash_statement(statement, hash);
	check_caller(job_relation(&job));
	preload_require("jobs");
	if (!find_same(job_name(&job), hash, &id))
	{
		check_size(&job);
		rehearse(statement);
		id = add(&job, hash);
	}
	job_call_at_commit();
	PG_RETURN_INT64(id);
}

/* ---- whose job it is -------------------------------------------------------- */

bool
job_sees_all(void)
{
	return admin_sees_all() || admin_allowed();
}

/* Raises the same error for a job that the role may not see as for one that does not exist. */
static void
find_visible(int64 id, JobState *state)
{
	if (job_find(id, state) && (state->role == GetUserId() || job_sees_all()))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("job " INT64_FORMAT " does not exist", id),
			 errdetail("Each role has its own jobs.")));
}

static bool
has_ended(const JobState *state)
{
	return !has_state(state, "queued", "running");
}

/* ---- dpobj.cancel ----------------------------------------------------------- */

static void
check_may_cancel(const JobState *state)
{
	if (state->role != GetUserId() && !admin_allowed())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied to cancel job " INT64_FORMAT, state->id),
						errdetail("Jobs are cancelled by the role that submitted them and by "
								  "administrators.")));
}

/* Repeats both ways of cancelling, because the job may be taken or queued again in between. */
static bool
cancel(int64 id)
{
	JobState state;

	job_call_at_end();
	do
	{
		CHECK_FOR_INTERRUPTS();
		if (job_cancel_queued(id))
			return true;
		if (!job_find(id, &state) || has_ended(&state))
			return false;
	} while (!job_area_cancel(id));
	return true;
}

/* dpobj.cancel(job) -> boolean */
PG_FUNCTION_INFO_V1(dpobj_cancel);
Datum
dpobj_cancel(PG_FUNCTION_ARGS)
{
	int64 id = PG_GETARG_INT64(0);
	JobState state;

	PreventCommandIfReadOnly("dpobj.cancel()");
	job_call_now();
	find_visible(id, &state);
	check_may_cancel(&state);
	PG_RETURN_BOOL(!has_ended(&state) && cancel(id));
}

/* ---- dpobj.wait ------------------------------------------------------------- */

/* A wait for a job of this transaction would not end: the job is queued at its commit. */
static void
check_committed(const JobState *state)
{
	if (state->uncommitted && !has_ended(state))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("job " INT64_FORMAT " was submitted in this transaction", state->id),
						errdetail("It is queued when the transaction commits."),
						errhint("Commit first, then wait.")));
}

/* Microseconds; months count 30 days. */
static double
read_timeout(FunctionCallInfo fcinfo)
{
	const Interval *timeout;
	double length;

	if (PG_ARGISNULL(1))
		return INFINITY;
	timeout = PG_GETARG_INTERVAL_P(1);
	length = (double) timeout->time +
			 ((double) timeout->month * DAYS_PER_MONTH + timeout->day) * (double) USECS_PER_DAY;
	if (length < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("timeout must not be negative")));
	return length;
}

/* dpobj.wait(job, timeout) -> state */
PG_FUNCTION_INFO_V1(dpobj_wait);
Datum
dpobj_wait(PG_FUNCTION_ARGS)
{
	int64 id = argument_value(fcinfo, 0, "job");
	double timeout = read_timeout(fcinfo);
	TimestampTz began = GetCurrentTimestamp();
	MemoryContext look =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj wait", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(look);
	JobState state;

	for (;;)
	{
		double left;

		MemoryContextReset(look);
		find_visible(id, &state);
		check_committed(&state);
		left = timeout - (double) (GetCurrentTimestamp() - began);
		if (has_ended(&state) || left <= 0)
			break;
		preload_require("jobs");
		job_call_now();
		job_area_wait((long) Min(WAIT_PAUSE, ceil(left / 1000)));
		CHECK_FOR_INTERRUPTS();
	}
	job_area_end_wait();
	MemoryContextSwitchTo(old);
	PG_RETURN_TEXT_P(cstring_to_text(state.state));
}
