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
#include "replication/logicallauncher.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/base/worker_start.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_launcher.h"

/* Milliseconds between two looks, where there is something to look after; and where there is not.
 */
#define BUSY_PAUSE 200
#define IDLE_PAUSE 60000

/* Seconds after which the postmaster starts it again. */
#define RESTART_TIME 5

/* DATCONNLIMIT_INVALID_DB, which not all minor versions know: a DROP DATABASE that was cut short.
 */
#define INVALID_DATABASE (-2)

/*
 * The launcher, logical replication's launcher if there is one, a job, and the slots that jobs
 * leave free.
 */
static void
warn_of_few_workers(void)
{
	int needed = 2 + (max_logical_replication_workers > 0) + JOB_SPARE_WORKERS;

	if (dpobj_max_jobs > 0 && max_worker_processes < needed)
		ereport(
			WARNING,
			(errmsg("jobs of dpobj stay queued: max_worker_processes is %d", max_worker_processes),
			 errdetail("A job leaves %d worker slots to charges, and with the launchers that "
					   "takes at least %d.",
					   JOB_SPARE_WORKERS, needed),
			 errhint("Raise max_worker_processes, or set dpobj.max_jobs to 0.")));
}

/* Not in the server that pg_upgrade starts and stops: a job would be charged and broken off. */
void
job_launcher_install(void)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade)
		return;
	worker_describe(&worker, JOB_LAUNCHER_NAME, JOB_LAUNCHER_FUNCTION);
	worker.bgw_restart_time = RESTART_TIME;
	RegisterBackgroundWorker(&worker);
	warn_of_few_workers();
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

/* Invalid if there is no such database any more. */
static Oid
owner_of(Oid database)
{
	HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_database) GETSTRUCT(tuple))->datdba;
	ReleaseSysCache(tuple);
	return owner;
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

/* One at a time: there may be many. */
static void
visit_one(void)
{
	Oid database;

	if (job_area_lost_calls())
		find_databases();
	if (unvisited == NIL || job_area_is_full())
		return;
	database = linitial_oid(unvisited);
	unvisited = list_delete_first(unvisited);
	if (may_connect(database))
		job_area_call(database);
}

/*
 * Has somebody the lock who may drop the database?  Not who waits for it: PostgreSQL takes it
 * before it asks, so that anybody can wait for it, and have it for as long as he does not read the
 * refusal.
 */
static bool
is_being_dropped(Oid database)
{
	Oid owner = owner_of(database);
	LOCKTAG tag;
	VirtualTransactionId *holders;
	int count;
	bool dropped = false;

	set_tag(&tag, database);
	holders = GetLockConflicts(&tag, AccessShareLock, &count);
	for (int i = 0; i < count && OidIsValid(owner); i++)
	{
		const PGPROC *process = process_of(holders[i]);

		dropped |= process != NULL && OidIsValid(process->roleId) &&
				   is_member_of_role(process->roleId, owner);
	}
	return dropped;
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
	for (int i = 0; i < count; i++)
	{
		if (!is_being_dropped(databases[i]))
			continue;
		job_area_send_away(databases[i]);
		put_off(databases[i]);
	}
	CommitTransactionCommand();
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

/* Processes without a database do not, and would see memberships as they were at first. */
static void
follow_memberships(void)
{
	StartTransactionCommand();
	initialize_acl();
	CommitTransactionCommand();
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
	follow_memberships();
	find_databases();
	job_area_lead();
	look_after();
	proc_exit(1); /* so that the postmaster starts it again, unless it is going, too */
}
