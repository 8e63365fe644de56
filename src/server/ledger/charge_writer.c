/*
 * charge_writer.c - the background worker that commits the events of one database, many at a time.
 *
 * Each commit waits for the disk.  So the writer takes all waiting requests, runs them in one
 * transaction and commits once.  It answers after the commit.  Each statement has a new snapshot
 * and sees the requests before it, so the result is that of one request after the other.
 *
 * A request that fails undoes the transaction.  Then those before it are run again and committed,
 * and it becomes the first of a transaction: its error is an answer only there, because elsewhere
 * it may depend on events that were undone.  There are no subtransactions, because each would have
 * an id of its own, and a row that several ids have locked and changed takes long to read.
 *
 * A request that fails for another reason than a rule is returned: the backend then asks a charge
 * worker, which waits and reports.  The end of a release is kept and tried again instead, until it
 * is written: whoever holds the lock or fills the disk, the answer is paid for.  The usual reason
 * is a lock.  The writer holds the locks of several requests, so it waits for a lock only briefly.
 * It could deadlock with a session that takes two of them in another order, or wait for a session
 * that waits for an answer in the same batch.
 *
 * The writer blocks DROP DATABASE, which waits for five seconds, so it ends soon after the last
 * request that it can write.  It also ends when the stored settings have changed, because a new
 * process has the new ones.
 */
#include "postgres.h"

#include "access/xact.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_setting.h"
#include "server/ledger/charge_worker.h"
#include "server/ledger/charge_writer.h"

/* Milliseconds that a writer stays without a request, and in all: kept plans age. */
#define IDLE_TIME 1000
#define LIFE_TIME 10000

/* Most requests and milliseconds of a transaction, so that locks and answers do not take long. */
#define TRANSACTION_REQUESTS 50
#define TRANSACTION_TIME 20

/* lock_timeout of a batch: long enough for a worker's commit, and after the first timeout short. */
#define LOCK_TIMEOUT "100ms"
#define SHORT_LOCK_TIMEOUT "1ms"

/*
 * How often a posted end is tried again at once if the error is not one that passes, then once a
 * minute, so that a ledger that somebody has made unusable does not occupy the writer.
 */
#define ATTEMPTS 50

typedef struct TakenRequest
{
	ChargeTaken from;
	dsm_segment *segment;
	ChargeRequest *request;
	ChargeStatus status; /* the answer, once the transaction has committed */
} TakenRequest;

/* Those of the batch that have no answer yet. */
static struct
{
	TakenRequest *first;
	int count;
} unanswered;

/* ---- Settings --------------------------------------------------------------- */

static void
override_settings(void)
{
	charge_worker_override_settings();
	/* In a deadlock the writer gives up first. */
	SetConfigOption("deadlock_timeout", "10ms", PGC_SUSET, PGC_S_OVERRIDE);
	/* A plan for the values of each request would take longer than it saves. */
	SetConfigOption("plan_cache_mode", "force_generic_plan", PGC_SUSET, PGC_S_OVERRIDE);
}

static void
set_lock_timeout(const char *timeout)
{
	SetConfigOption("lock_timeout", timeout, PGC_SUSET, PGC_S_OVERRIDE);
}

static void
note_settings(void)
{
	ChargeActor before;

	StartTransactionCommand();
	charge_act_as_superuser(&before);
	charge_note_settings();
	charge_act_as_before(&before);
	CommitTransactionCommand();
}

/* ---- One request ------------------------------------------------------------ */

/*
 * A refusal by a rule is an answer; after other errors a charge worker must try, or this process
 * again.
 */
static void
note_refusal(TakenRequest *taken, const ErrorData *error)
{
	ChargeRequest *request = taken->request;
	bool must_wait =
		request->posted && !charge_may_pass(error->sqlerrcode) && ++request->attempts >= ATTEMPTS;

	if (request->posted)
		charge_log_error(request, error);
	if (request->denied || must_wait)
	{
		charge_describe_error(request, error);
		taken->status = CHARGE_REFUSED;
		return;
	}
	taken->status = CHARGE_NOT_WRITTEN;
}

static void
note_error(TakenRequest *taken, const ErrorData *error, bool first)
{
	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		set_lock_timeout(SHORT_LOCK_TIMEOUT);
	if (first)
		note_refusal(taken, error);
}

/*
 * Runs one; false if the transaction was aborted, because the request failed or its backend gave
 * up meanwhile.  As the first of the transaction it has its answer then.
 */
static bool
run_request(TakenRequest *taken, bool first)
{
	volatile bool done = false;

	taken->request->id = 0;
	taken->request->denied = false;
	if (charge_status(taken->request) == CHARGE_ABANDONED)
		return true;
	PG_TRY();
	{
		charge_execute(taken->request);
		done = charge_status(taken->request) != CHARGE_ABANDONED;
		if (!done)
			AbortCurrentTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(TopMemoryContext);
		error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		note_error(taken, error, first);
		FreeErrorData(error);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	if (done)
		taken->status = CHARGE_COMMITTED;
	else
		taken->request->id = 0;
	return done;
}

/* ---- One transaction -------------------------------------------------------- */

/* Nothing was written for the first requests. */
static void
forget(TakenRequest *taken, int count)
{
	for (int i = 0; i < count; i++)
	{
		taken[i].request->id = 0;
		taken[i].status = CHARGE_NOT_WRITTEN;
	}
}

/*
 * Runs the first requests and commits them; returns how many have their answers.  Sets *outdated if
 * the stored settings have changed, and then runs none.
 */
static int
run_transaction(TakenRequest *taken, int count, bool *outdated)
{
	TimestampTz began = GetCurrentTimestamp();
	ChargeActor before;
	int done = 0;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	charge_act_as_superuser(&before);
	*outdated = charge_settings_changed();
	while (
		!*outdated && done < count &&
		(done == 0 || !TimestampDifferenceExceeds(began, GetCurrentTimestamp(), TRANSACTION_TIME)))
	{
		if (!run_request(&taken[done], done == 0))
		{
			forget(taken, done);
			return done == 0 ? 1 : run_transaction(taken, done, outdated);
		}
		done++;
	}
	charge_act_as_before(&before);
	CHECK_FOR_INTERRUPTS(); /* a late lock timeout must not end the wait for standbys */
	CommitTransactionCommand();
	return done;
}

/*
 * The same, without raising an error.  After an error nothing was committed: an abort after the
 * commit record would have been a PANIC.
 */
static int
try_transaction(TakenRequest *taken, int count, bool *outdated)
{
	volatile int done = 0;

	PG_TRY();
	{
		done = run_transaction(taken, Min(count, TRANSACTION_REQUESTS), outdated);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
		RESUME_INTERRUPTS();
		*outdated = true;
	}
	PG_END_TRY();
	return done;
}

/* Ignores a cancel, because no statement runs; a termination ends the process. */
static void
check_for_termination(void)
{
	QueryCancelPending = false;
	CHECK_FOR_INTERRUPTS();
}

/* ---- One batch -------------------------------------------------------------- */

/* Leaves out requests whose backends have given up: nothing is charged for them. */
static int
attach(const ChargeTaken *from, int count, TakenRequest *taken)
{
	int attached = 0;

	for (int i = 0; i < count; i++)
	{
		dsm_segment *segment = dsm_attach(from[i].segment);

		if (segment != NULL)
			taken[attached++] =
				(TakenRequest){from[i], segment, dsm_segment_address(segment), CHARGE_NOT_WRITTEN};
	}
	return attached;
}

/* A charge whose backend has given up at the last moment ends here: nothing was released. */
static void
answer_charge(const TakenRequest *taken)
{
	if (!charge_answer(taken->request, taken->status) && taken->status == CHARGE_COMMITTED)
	{
		charge_turn_into_failure(taken->request, CHARGE_BY_CANCEL, false);
		charge_post(taken->segment, taken->segment);
	}
}

static void
answer_end(const TakenRequest *taken)
{
	bool written = taken->status == CHARGE_COMMITTED || taken->request->denied;
	int pause = taken->status == CHARGE_REFUSED ? CHARGE_LONG_PAUSE : CHARGE_RETRY_PAUSE;

	charge_queue_return(&taken->from, written ? 0 : pause);
	if (taken->status != CHARGE_NOT_WRITTEN)
		(void) charge_answer(taken->request, taken->status);
}

/* Answers the first requests of those that wait. */
static void
answer(int count)
{
	while (count-- > 0)
	{
		const TakenRequest *taken = unanswered.first++;

		unanswered.count--;
		if (taken->from.posted)
			answer_end(taken);
		else
			answer_charge(taken);
		dsm_detach(taken->segment);
	}
}

/* Of a charge that has not run nothing was written; posted ends are left to the next writer. */
static void
pass_on_unanswered(int code, Datum argument)
{
	for (int i = 0; i < unanswered.count; i++)
	{
		const TakenRequest *taken = &unanswered.first[i];

		if (taken->from.posted)
			continue;
		if (taken->request->id == 0)
			(void) charge_answer(taken->request, CHARGE_NOT_WRITTEN);
		else
			charge_pass_on(taken->segment);
	}
}

/* Commits and answers all of the requests; false if another process should replace this one. */
static bool
commit_batch(const ChargeTaken *from, int count)
{
	static TakenRequest taken[CHARGE_QUEUE_SLOTS];
	bool outdated = false;

	unanswered.first = taken;
	unanswered.count = attach(from, count, taken);
	set_lock_timeout(LOCK_TIMEOUT);
	pgstat_report_activity(STATE_RUNNING, CHARGE_WRITER_NAME);
	while (unanswered.count > 0 && !outdated)
	{
		int done = try_transaction(unanswered.first, unanswered.count, &outdated);

		/* No answer if a termination has ended the wait for standbys. */
		check_for_termination();
		answer(done);
	}
	for (int i = 0; i < unanswered.count; i++)
		unanswered.first[i].status = CHARGE_NOT_WRITTEN;
	answer(unanswered.count);
	pgstat_report_activity(STATE_IDLE, CHARGE_WRITER_NAME);
	return !outdated;
}

/* ---- The writer ------------------------------------------------------------- */

static long
milliseconds_since(TimestampTz moment)
{
	return TimestampDifferenceMilliseconds(moment, GetCurrentTimestamp());
}

static void
commit_batches(void)
{
	static ChargeTaken taken[CHARGE_QUEUE_SLOTS];
	TimestampTz began = GetCurrentTimestamp();
	TimestampTz idle_since = began;

	while (!ConfigReloadPending && milliseconds_since(began) < LIFE_TIME)
	{
		long rest = IDLE_TIME - milliseconds_since(idle_since);
		bool waiting;
		int count;

		ResetLatch(MyLatch);
		check_for_termination();
		count = charge_queue_take(taken, &waiting);
		if (count > 0 && !commit_batch(taken, count))
			return;
		if (count > 0 || waiting)
			idle_since = GetCurrentTimestamp();
		if (count == 0 && (rest > 0 || waiting))
			(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
							 waiting ? CHARGE_RETRY_PAUSE : rest, PG_WAIT_EXTENSION);
		else if (count == 0)
			return;
	}
}

void
dpobj_writer_main(Datum argument)
{
	Oid database;

	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();

	database = charge_queue_join();
	if (!OidIsValid(database))
		proc_exit(0); /* the slot was given up */
	before_shmem_exit(pass_on_unanswered, (Datum) 0);
	charge_worker_connect(database);
	override_settings();
	charge_keep_plans();
	note_settings();
	charge_queue_ready();
	commit_batches();
	proc_exit(0);
}
