/*
 * job_launcher.c - the background worker that starts the workers of jobs, in a server that
 * preloads the library.
 *
 * It belongs to no database.  When the server has started, or its configuration has changed, it
 * has a worker look into each database; after that it answers calls (job_area.h), and those
 * that no worker slot was free for, until there is one.
 *
 * DROP DATABASE waits five seconds for the sessions of a database to end.  It holds a lock
 * meanwhile that says so, and the launcher ends the database's jobs, as DROP DATABASE will.
 * ALTER DATABASE RENAME and SET TABLESPACE hold the same lock: they come before a job, too, and
 * the jobs that are still queued go on when they are done.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "charge_worker.h"
#include "dpobj.h"
#include "job_area.h"
#include "job_launcher.h"

/* Milliseconds between two looks, where there is something to look after; and where there is not.
 */
#define BUSY_PAUSE 200
#define IDLE_PAUSE 60000

/* Milliseconds that somebody has a database's lock before its workers end. */
#define DROP_PATIENCE 150

/* Seconds after which the postmaster starts it again. */
#define RESTART_TIME 5

/* DATCONNLIMIT_INVALID_DB, which not all minor versions know: a DROP DATABASE that was cut short.
 */
#define INVALID_DATABASE (-2)

/* Not in the server that pg_upgrade starts and stops: a job would be charged and broken off. */
void
job_launcher_install(void)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade)
		return;
	charge_worker_describe(&worker, JOB_LAUNCHER_NAME, JOB_LAUNCHER_FUNCTION);
	worker.bgw_restart_time = RESTART_TIME;
	RegisterBackgroundWorker(&worker);
}

/* ---- Databases -------------------------------------------------------------- */

/* Those that a worker is still to look into; in TopMemoryContext. */
static List *unvisited = NIL;

static void
put_off(Oid database)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	unvisited = list_append_unique_oid(unvisited, database);
	MemoryContextSwitchTo(old);
}

static void
find_databases(void)
{
	Relation databases;
	TableScanDesc scan;
	HeapTuple tuple;

	list_free(unvisited);
	unvisited = NIL;
	if (dpobj_max_jobs == 0)
		return;
	StartTransactionCommand();
	(void) GetTransactionSnapshot();
	databases = table_open(DatabaseRelationId, AccessShareLock);
	scan = table_beginscan_catalog(databases, 0, NULL);
	while (HeapTupleIsValid(tuple = heap_getnext(scan, ForwardScanDirection)))
	{
		Form_pg_database database = (Form_pg_database) GETSTRUCT(tuple);

		if (database->datallowconn && !database->datistemplate &&
			database->datconnlimit != INVALID_DATABASE)
			put_off(database->oid);
	}
	table_endscan(scan);
	table_close(databases, AccessShareLock);
	CommitTransactionCommand();
}

/* ---- DROP DATABASE ---------------------------------------------------------- */

static void
set_tag(LOCKTAG *tag, Oid database)
{
	SET_LOCKTAG_OBJECT(*tag, InvalidOid, DatabaseRelationId, database, 0);
}

/* Would a worker that connects wait for a lock, or for somebody who waits for one? */
static bool
is_locked(Oid database)
{
	LOCKTAG tag;

	set_tag(&tag, database);
	if (LockAcquire(&tag, AccessShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, AccessShareLock, false);
	return false;
}

/* A database that was only renamed or moved is visited afterwards. */
static bool
may_connect(Oid database)
{
	bool locked;
	bool exists;

	StartTransactionCommand();
	locked = is_locked(database);
	AcceptInvalidationMessages();
	exists = SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
	CommitTransactionCommand();
	if (exists && locked)
		put_off(database);
	return exists && !locked;
}

/* Who has the lock, not who waits for it; false if nobody has. */
static bool
find_dropper(Oid database, VirtualTransactionId *dropper)
{
	LOCKTAG tag;
	VirtualTransactionId *holders;
	int count;

	set_tag(&tag, database);
	holders = GetLockConflicts(&tag, AccessShareLock, &count);
	if (count > 0)
		*dropper = holders[0];
	return count > 0;
}

/* One at a time: there may be many. */
static void
visit_one(void)
{
	Oid database;

	if (unvisited == NIL)
		return;
	database = linitial_oid(unvisited);
	unvisited = list_delete_first(unvisited);
	if (may_connect(database) && !job_area_call(database))
		put_off(database);
}

/* Who was seen with the lock on which database, and since when. */
typedef struct Drop
{
	Oid database;
	VirtualTransactionId dropper;
	TimestampTz since;
} Drop;

static Drop drops[JOB_SLOTS];
static int drop_count = 0;

static TimestampTz
seen_since(const Drop *drop)
{
	for (int i = 0; i < drop_count; i++)
	{
		if (drops[i].database == drop->database &&
			VirtualTransactionIdEquals(drops[i].dropper, drop->dropper))
			return drops[i].since;
	}
	return drop->since;
}

/*
 * Those of the databases that somebody has the lock on.  PostgreSQL takes it before it asks whether
 * he may drop the database: who may not has it for a moment only.
 */
static void
find_drops(const Oid *databases, int count)
{
	Drop found[JOB_SLOTS] = {0};
	int found_count = 0;

	for (int i = 0; i < count; i++)
	{
		Drop drop = {.database = databases[i], .since = GetCurrentTimestamp()};

		if (!find_dropper(drop.database, &drop.dropper))
			continue;
		drop.since = seen_since(&drop);
		found[found_count++] = drop;
	}
	memcpy(drops, found, found_count * sizeof(Drop));
	drop_count = found_count;
}

/* True if there are any workers. */
static bool
make_way(void)
{
	Oid databases[JOB_SLOTS];
	int count = job_area_databases(databases);

	if (count == 0)
		return false;
	StartTransactionCommand();
	find_drops(databases, count);
	CommitTransactionCommand();
	for (int i = 0; i < drop_count; i++)
	{
		if (!TimestampDifferenceExceeds(drops[i].since, GetCurrentTimestamp(), DROP_PATIENCE))
			continue;
		job_area_send_away(drops[i].database);
		put_off(drops[i].database);
	}
	return true;
}

/* ---- The launcher ----------------------------------------------------------- */

static void
reload(void)
{
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	find_databases(); /* dpobj.max_jobs may have become larger */
}

static void
look_after(void)
{
	while (!ShutdownRequestPending)
	{
		bool busy;

		visit_one();
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		reload();
		busy = !job_area_answer_calls(may_connect);
		busy |= make_way();
		busy |= unvisited != NIL;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 busy ? BUSY_PAUSE : IDLE_PAUSE, PG_WAIT_EXTENSION);
	}
}

void
dpobj_launcher_main(Datum argument)
{
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();

	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	find_databases();
	job_area_lead();
	look_after();
	proc_exit(1); /* so that the postmaster starts it again, unless it is going, too */
}
