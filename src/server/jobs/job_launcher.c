/*
 * job_launcher.c - the background worker that starts the workers of jobs.
 *
 * The launcher is connected to no database.  When the server has started, or its configuration has
 * changed, it calls for a worker in each database (job_area.h).  It answers calls, and repeats
 * those that no worker slot was free for.
 *
 * DROP DATABASE waits five seconds for the sessions of a database to end, and holds a lock on the
 * database meanwhile.  If the launcher sees that lock, it terminates the database's workers.
 * ALTER DATABASE RENAME and SET TABLESPACE hold the same lock and have the same effect: jobs that
 * are still queued run when they are done.
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

/* Milliseconds that the launcher sleeps at most: with workers or calls, and without any. */
#define BUSY_PAUSE 200
#define IDLE_PAUSE 60000

/* Seconds after which the postmaster starts it again. */
#define RESTART_TIME 5

/* DATCONNLIMIT_INVALID_DB, which some minor versions lack: a DROP DATABASE was interrupted. */
#define INVALID_DATABASE (-2)

/* Two workers are needed at least, the launcher and a job, besides those of others. */
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

/* pg_upgrade starts the server and stops it again, which would end jobs that are charged. */
void
job_launcher_install(void)
{
	BackgroundWorker worker;

	if (IsBinaryUpgrade)
		return;
	worker_describe(&worker, JOB_LAUNCHER_NAME, JOB_LAUNCHER_FUNCTION);
	worker.bgw_restart_time = RESTART_TIME;
	RegisterBackgroundWorker(&worker);
	warn_of_few_workers();
}

/* ---- Databases -------------------------------------------------------------- */

/* Databases that the launcher has not called for yet; in TopMemoryContext. */
static List *unvisited = NIL;

static void
add_unvisited(Oid database)
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
			add_unvisited(database->oid);
	}
	table_endscan(scan);
	table_close(databases, AccessShareLock);
	CommitTransactionCommand();
}

/* ---- DROP DATABASE ---------------------------------------------------------- */

/* InvalidOid if the database does not exist any more. */
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

/* Would a worker have to wait for a lock on the database when it connects? */
static bool
is_locked(Oid database)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
	if (LockAcquire(&tag, AccessShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, AccessShareLock, false);
	return false;
}

/* A database that is locked now, perhaps to be renamed or moved, is visited again later. */
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
		add_unvisited(database);
	return exists && !locked;
}

/* Calls for one database; there may be more of them than there is room for calls. */
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
 * Does a role hold the lock that may drop the database?  Waiting for the lock or holding it means
 * nothing alone: PostgreSQL takes it before it checks the privilege, and a role without it keeps
 * the lock until its client has read the error.
 */
static bool
is_being_dropped(Oid database)
{
	Oid owner = owner_of(database);
	LOCKTAG tag;
	VirtualTransactionId *holders;
	int count;
	bool dropped = false;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, database, 0);
	holders = GetLockConflicts(&tag, AccessShareLock, &count);
	for (int i = 0; i < count && OidIsValid(owner); i++)
	{
		const PGPROC *process = process_of(holders[i]);

		dropped |= process != NULL && OidIsValid(process->roleId) &&
				   is_member_of_role(process->roleId, owner);
	}
	return dropped;
}

/* Terminates the workers of databases that are being dropped; false if there are no workers. */
static bool
free_dropped(void)
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
		job_area_terminate(databases[i]);
		add_unvisited(databases[i]);
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

/* Has changes of memberships noticed: a process without a database does not call this itself. */
static void
follow_memberships(void)
{
	StartTransactionCommand();
	initialize_acl();
	CommitTransactionCommand();
}

static void
run_launcher(void)
{
	for (;;)
	{
		bool busy;

		/* Before the work: a signal that comes meanwhile must end the wait. */
		ResetLatch(MyLatch);
		if (ShutdownRequestPending)
			return;
		CHECK_FOR_INTERRUPTS();
		visit_one();
		reload();
		busy = !job_area_answer_calls(may_connect);
		busy |= free_dropped();
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
	job_area_set_launcher();
	run_launcher();
	proc_exit(1); /* so that the postmaster starts it again, unless the server stops */
}
