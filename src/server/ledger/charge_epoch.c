/*
 * charge_epoch.c - changes of the ledger after a new epoch and after a crash.
 */
#include "postgres.h"

#include "storage/lmgr.h"

#include "server/base/extension.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_count.h"
#include "server/ledger/charge_epoch.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_worker.h"

/* ---- A new epoch ------------------------------------------------------------ */

void
charge_lock_epochs(void)
{
	LockRelationOid(extension_table("ledger_events"), ShareUpdateExclusiveLock);
}

/*
 * A restored sequence would repeat the ids of lost events.  So the next id is at least the number
 * of microseconds since 1970; all earlier ids are smaller, because no server writes an event every
 * microsecond.  One change runs at a time, so that none sets the sequence back.
 */
static void
raise_ids(void)
{
	static const char *const statement =
		"SELECT setval('dpobj.ledger_events_id_seq',"
		" greatest(nextval('dpobj.ledger_events_id_seq'),"
		" (extract(epoch FROM clock_timestamp()) * 1000000)::bigint))";

	charge_lock_epochs();
	(void) charge_query(statement, 0, NULL, NULL);
}

void
charge_begin_epoch(void)
{
	charge_recount();
	charge_forget_sums();
	raise_ids();
}

/* ---- A crash ---------------------------------------------------------------- */

/*
 * The table is unlogged, so crash recovery empties it, and a charge that finds it empty is the
 * first since a crash.  Other charges at this door wait for its transaction.  Before the update to
 * 0.3.0 the table does not exist.
 */
static bool
is_first_since_crash(void)
{
	static const char *const statement =
		"INSERT INTO dpobj.since_crash DEFAULT VALUES ON CONFLICT DO NOTHING";

	return OidIsValid(extension_table("since_crash")) && charge_query(statement, 0, NULL, NULL);
}

/*
 * Rows can cause a crash (out of memory), so a crash may tell something about them, as a failure
 * does.  A role runs one release at this door at a time (gate.c), so only the last of its charges
 * without an end can have run at the crash; earlier ones were cancelled.  The row of a job says
 * whether the job ran, even if it had left the gate.
 */
void
charge_count_crash(void)
{
	static const char *const statement =
		"SELECT array_agg(c.id) FROM (SELECT l.id FROM dpobj.identities i CROSS JOIN LATERAL"
		" (SELECT e.id FROM dpobj.ledger_events e WHERE e.event = 'charged' AND e.door = 'analyst'"
		" AND e.role_identity = i.id ORDER BY e.id DESC LIMIT 1) l WHERE i.kind = 'role'"
		" AND NOT EXISTS (SELECT FROM dpobj.job_rows j"
		" WHERE j.release = l.id AND j.state <> 'running')"
		" UNION SELECT j.release FROM dpobj.job_rows j WHERE j.state = 'running') c"
		" WHERE NOT EXISTS (SELECT FROM dpobj.ledger_events e WHERE e.release = c.id)";
	Datum lost;
	bool isnull;

	if (!is_first_since_crash())
		return;
	(void) charge_query(statement, 0, NULL, NULL);
	lost = charge_column(0, 1, &isnull);
	if (!isnull)
		charge_fail_lost(lost);
}
