/*
 * jobs.c - dpobj.submit(), dpobj.cancel() and dpobj.wait().
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "server/base/argument.h"
#include "server/base/admin.h"
#include "server/base/digest.h"
#include "server/analyst/analyst.h"
#include "server/ledger/epoch.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_call.h"
#include "server/jobs/job_table.h"
#include "server/release/paid_call.h"

/* Queued jobs of one role. */
#define QUEUE_LIMIT 100

/* Bytes of a request, and the number of a role's jobs without a charge that are kept. */
#define REQUEST_LIMIT 65536
#define ENDED_LIMIT 100

/* How long (in milliseconds) a wait sleeps at most before it looks again. */
#define WAIT_PAUSE 1000

/* ---- dpobj.submit ----------------------------------------------------------- */

static bool
has_state(const JobState *state, const char *one, const char *other)
{
	return strcmp(state->state, one) == 0 || strcmp(state->state, other) == 0;
}

/*
 * Finds the last job of the same name, unless it has failed or was cancelled, so that a repeated
 * submission queues no second one.  For a released job, a rehearsal of the call tells whether its
 * model or answer is still kept under the name.
 */
static bool
find_same(const Job *job, JobState *state)
{
	if (!job_find_name(job->name, state) || has_state(state, "failed", "cancelled"))
		return false;
	if (!has_state(state, "released", "released") &&
		memcmp(state->hash, job->hash, DIGEST_LENGTH) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("job \"%s\" was submitted with another request", job->name),
						errhint("Choose another name. The jobs are in dpobj.jobs.")));
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

/* Checks the arguments that a queued job keeps. */
static void
check_size(const Job *job)
{
	Size bytes = VARSIZE(job->arguments);

	if (bytes > REQUEST_LIMIT)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the request is too long for a job"),
						errdetail("Its arguments are %zu bytes together; %d are allowed.", bytes,
								  REQUEST_LIMIT),
						errhint("dpobj.%s takes it.", job->call)));
}

static void
check_queue(void)
{
	if (job_count_queued() >= QUEUE_LIMIT)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many jobs are queued"),
						errdetail("At most %d jobs of one role may be queued.", QUEUE_LIMIT)));
}

/* The statement has all of the request, and no setting of the session changes it. */
static void
read_job(FunctionCallInfo fcinfo, Job *job)
{
	StringInfoData bytes;

	job->role = GetSessionUserId();
	job->call = TextDatumGetCString(argument_value(fcinfo, 0, "call"));
	job->relation = DatumGetObjectId(argument_value(fcinfo, 1, "relation"));
	job->arguments = DatumGetJsonbP(argument_value(fcinfo, 2, "arguments"));
	(void) argument_value(fcinfo, 3, "name");
	job->name = argument_name(fcinfo, 3, "a job");
	job->statement = paid_call_statement(job->call, job->relation, job->arguments, job->name);
	initStringInfo(&bytes);
	digest_append(&bytes, job->statement);
	digest_bytes(&bytes, job->hash);
}

/* Makes the checks of the call before its charge; the worker makes them again. */
static bool
rehearse(const Job *job)
{
	bool kept;
	ErrorData *error = paid_call_rehearse(job->statement, &kept);

	/* a job that comes first may make the model */
	if (error != NULL && (error->sqlerrcode != ERRCODE_UNDEFINED_OBJECT || !job_any_unended()))
		ReThrowError(error);
	return kept;
}

/* dpobj.submit(call, relation, arguments, name) -> bigint */
PG_FUNCTION_INFO_V1(dpobj_submit);
Datum
dpobj_submit(PG_FUNCTION_ARGS)
{
	Job job = {0};
	JobState same;
	bool found;

	read_job(fcinfo, &job);
	check_caller(job.relation);
	found = find_same(&job, &same);
	if (!found || has_state(&same, "released", "released"))
	{
		check_size(&job);
		found = rehearse(&job) && found;
	}
	if (!found)
	{
		check_queue();
		job_forget_ended(ENDED_LIMIT);
		same.id = job_add(&job);
	}
	job_call_at_commit();
	PG_RETURN_INT64(same.id);
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
		job_call_now();
		job_area_wait((long) Min(WAIT_PAUSE, ceil(left / 1000)));
		CHECK_FOR_INTERRUPTS();
	}
	job_area_end_wait();
	MemoryContextSwitchTo(old);
	PG_RETURN_TEXT_P(cstring_to_text(state.state));
}
