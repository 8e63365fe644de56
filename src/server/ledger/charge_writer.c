/*
 * charge_writer.c - the background worker that commits the events of one database,
 * many at a time, in a server that preloads the library.
 *
 * A commit waits for the disk, whatever it holds; so the writer takes all requests
 * that wait, runs each in a subtransaction of its own and commits once.  Nobody gets
 * an answer before that, not even a refusal: it may rest on an event that the same
 * transaction writes.  Each statement has a new snapshot and sees what the requests
 * before it did, so that they are judged one after the other, as ever.
 *
 * Whatever goes wrong by accident is undone and handed back: the backend then asks
 * a worker of its own, which waits and reports as it does without a writer.  Such
 * accidents are locks, above all.  The writer holds the locks of several requests
 * and must not wait for more than a moment: neither in a circle with a worker or
 * a session that wants two of them in another order, nor behind one that waits
 * for the answer of a request in the same batch.
 *
 * It connects to one database and is in the way of DROP DATABASE and the like, which
 * wait for five seconds; so it leaves soon after the last request.  It also leaves
 * when a setting has changed that a new process would find otherwise.
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
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_setting.h"
#include "server/ledger/charge_worker.h"
#include "server/ledger/charge_writer.h"

/* How long (in milliseconds) a writer stays without a request, and at all: kept plans age. */
#define IDLE_TIME 1000
#define LIFE_TIME 10000

/* What one transaction holds, so that neither its locks nor its answers take long. */
#define TRANSACTION_REQUESTS 50
#define TRANSACTION_TIME 20

/* How long a batch waits for a lock: at first as long as a worker's commit may take, then not. */
#define LOCK_PATIENCE "100ms"
#define LOCK_IMPATIENCE "1ms"

typedef struct Taken
{
	dsm_segment *segment;
	ChargeRequest *request;
	ChargeStatus status; /* the answer, once the transaction has committed */
} Taken;

/* ---- Settings --------------------------------------------------------------- */

static void
override_settings(void)
{
	charge_worker_override_settings();
	/* If there is a circle all the same, it is the writer that gives up. */
	SetConfigOption("deadlock_timeout", "10ms", PGC_SUSET, PGC_S_OVERRIDE);
	/* Planning for the values of each request would take longer than it could save. */
	SetConfigOption("plan_cache_mode", "force_generic_plan", PGC_SUSET, PGC_S_OVERRIDE);
}

static void
wait_for_locks(const char *limit)
{
	SetConfigOption("lock_timeout", limit, PGC_SUSET, PGC_S_OVERRIDE);
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

/* A refusal by a rule is an answer; after an accident somebody else has to try. */
static void
note_error(Taken *taken, const ErrorData *error)
{
	if (taken->request->denied)
	{
		charge_describe_error(taken->request, error);
		taken->status = CHARGE_REFUSED;
		return;
	}
	taken->status = CHARGE_NOT_WRITTEN;
	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		wait_for_locks(LOCK_IMPATIENCE);
}

static void
run_request(Taken *taken)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		charge_execute(taken->request);
		ReleaseCurrentSubTransaction();
		taken->status = CHARGE_COMMITTED;
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		note_error(taken, error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
}

/* ---- One transaction -------------------------------------------------------- */

/*
 * Runs the first requests and commits them; returns how many.  *outdated: another
 * process would have other settings, and nothing was run.
 */
static int
run_transaction(Taken *taken, int count, bool *outdated)
{
	TimestampTz began = GetCurrentTimestamp();
	ChargeActor before;
	int done = 0;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	charge_act_as_superuser(&before);
	*outdated = charge_settings_changed();
	while (
		!*outdated && done < Min(count, TRANSACTION_REQUESTS) &&
		(done == 0 || !TimestampDifferenceExceeds(began, GetCurrentTimestamp(), TRANSACTION_TIME)))
		run_request(&taken[done++]);
	charge_act_as_before(&before);
	CHECK_FOR_INTERRUPTS(); /* a late lock timeout must not cut the wait for standbys short */
	CommitTransactionCommand();
	return done;
}

/*
 * The same; after an error, nothing was committed: had it been, the server would
 * have gone down when it was to be rolled back.
 */
static int
try_transaction(Taken *taken, int count, bool *outdated)
{
	volatile int done = 0;

	PG_TRY();
	{
		done = run_transaction(taken, count, outdated);
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

/* A cancel is about a statement, and none is running; a request to end is honoured. */
static void
interrupts_between(void)
{
	QueryCancelPending = false;
	CHECK_FOR_INTERRUPTS();
}

/* ---- One batch -------------------------------------------------------------- */

/* Those whose backends have given up are left out: nothing is charged. */
static int
attach(const dsm_handle *segments, int count, Taken *taken)
{
	int attached = 0;

	for (int i = 0; i < count; i++)
	{
		dsm_segment *segment = dsm_attach(segments[i]);

		if (segment != NULL)
			taken[attached++] = (Taken){segment, dsm_segment_address(segment), CHARGE_NOT_WRITTEN};
	}
	return attached;
}

static void
answer(Taken *taken, int count)
{
	for (int i = 0; i < count; i++)
	{
		charge_answer(taken[i].request, taken[i].status);
		dsm_detach(taken[i].segment);
	}
}

/* Sees to all of them; false: this process should be replaced. */
static bool
serve(const dsm_handle *segments, int count)
{
	static Taken taken[CHARGE_QUEUE_SLOTS];
	bool outdated = false;
	int next = 0;

	count = attach(segments, count, taken);
	wait_for_locks(LOCK_PATIENCE);
	pgstat_report_activity(STATE_RUNNING, CHARGE_WRITER_NAME);
	while (next < count && !outdated)
	{
		int done = try_transaction(taken + next, count - next, &outdated);

		/* A wait for standbys that was cut short by our end is no answer. */
		interrupts_between();
		answer(taken + next, done);
		next += done;
	}
	for (int i = next; i < count; i++)
		taken[i].status = CHARGE_NOT_WRITTEN;
	answer(taken + next, count - next);
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
serve_all(void)
{
	static dsm_handle segments[CHARGE_QUEUE_SLOTS];
	TimestampTz began = GetCurrentTimestamp();
	TimestampTz idle_since = began;

	while (!ConfigReloadPending && milliseconds_since(began) < LIFE_TIME)
	{
		long rest = IDLE_TIME - milliseconds_since(idle_since);
		int count;

		ResetLatch(MyLatch);
		interrupts_between();
		count = charge_queue_take(segments);
		if (count > 0)
		{
			if (!serve(segments, count))
				return;
			idle_since = GetCurrentTimestamp();
		}
		else if (rest > 0)
			(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, rest,
							 PG_WAIT_EXTENSION);
		else
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
		proc_exit(0); /* we come too late; nobody waits for us */
	charge_worker_connect(database);
	override_settings();
	charge_keep_plans();
	note_settings();
	charge_queue_ready();
	serve_all();
	proc_exit(0);
}
