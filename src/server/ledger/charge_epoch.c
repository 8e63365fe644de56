/*
 * charge_epoch.c - what a new epoch and a crash change in the ledger.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "storage/lmgr.h"

#include "server/base/extension.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_count.h"
#include "server/ledger/charge_epoch.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_worker.h"

/* ---- A new epoch ------------------------------------------------------------ */

/*
 * A restored sequence would give the ids of lost events again.  From now on ids are at least the
 * microseconds since 1970.  All earlier ids are smaller, because no server writes an event in each
 * microsecond.  The lock lets one change run at a time, so that none sets the sequence back.
 */
static void
leap_ids(void)
{
	static const char *const statement =
		"SELECT setval('dpobj.ledger_events_id_seq',"
		" greatest(nextval('dpobj.ledger_events_id_seq'),"
		" (extract(epoch FROM clock_timestamp()) * 1000000)::bigint))";

	LockRelationOid(extension_table("ledger_events"), ShareUpdateExclusiveLock);
	(void) charge_query(statement, 0, NULL, NULL);
}

void
charge_begin_epoch(void)
{
	charge_recount();
	charge_distrust_sums();
	leap_ids();
}

/* ---- A crash ---------------------------------------------------------------- */

/*
 * The table is unlogged, so that crash recovery empties it.  A charge that finds it empty is the
 * first one since a crash; other charges at this door wait for its transaction.  Versions of the
 * extension before 0.3.0 do not have the table.
 */
static bool
is_first_since_crash(void)
{
	static const char *const statement =
		"INSERT INTO dpobj.since_crash DEFAULT VALUES ON CONFLICT DO NOTHING";

	return OidIsValid(extension_table("since_crash")) && charge_query(statement, 0, NULL, NULL);
}

/*
 * A crash that the rows have caused (no memory) tells something about them, as a failure does.  A
 * role runs one release at this door at a time (gate.c), so that only the last of its charges
 * without an end may have run at the crash; the earlier ones were cancelled.  For a job its row
 * says whether it ran, even if it had left the gate.
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
	lost = charge_column(1, &isnull);
	if (!isnull)
		charge_fail_lost(lost);
}
