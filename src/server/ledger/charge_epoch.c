/*
 * charge_epoch.c - changes of the ledger after a new epoch and after a start of the server.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"

#include "server/base/extension.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_count.h"
#include "server/ledger/charge_epoch.h"
#include "server/ledger/charge_ended.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_queue.h"

/* ---- A new epoch ------------------------------------------------------------ */

void
charge_lock_epochs(void)
{
	LockRelationOid(extension_table("ledger_events"), ShareUpdateExclusiveLock);
}

int64
charge_met_server(const ChargeRequest *request)
{
	static const char *const statement =
		"SELECT e.id FROM dpobj.ledger_events e WHERE e.event = 'remember_server'"
		" AND e.id > coalesce((SELECT max(c.id) FROM dpobj.ledger_events c"
		" WHERE c.event = 'confirm_epoch'), 0)"
		" AND (e.parameters ->> 'server', e.parameters ->> 'owner')"
		" = ($1::jsonb ->> 'server', $1::jsonb ->> 'owner') ORDER BY e.id LIMIT 1";
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_PARAMETERS))};
	bool isnull;

	return charge_query(statement, lengthof(types), types, values)
			   ? DatumGetInt64(charge_column(0, 1, &isnull))
			   : 0;
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

/* ---- A start of the server -------------------------------------------------- */

/*
 * The table is unlogged, so crash recovery empties it, and a charge that finds it empty is the
 * first since a crash.  Other charges at this door wait for its transaction.
 */
static bool
is_first_since_crash(void)
{
	static const char *const statement =
		"INSERT INTO dpobj.since_crash DEFAULT VALUES ON CONFLICT DO NOTHING";

	return charge_query(statement, 0, NULL, NULL);
}

static bool
is_first_since_start(void)
{
	static const char *const settled =
		"SELECT FROM dpobj.server_start WHERE at = pg_postmaster_start_time()";

	return !charge_query(settled, 0, NULL, NULL);
}

/*
 * Charges after the last settled one without an end; the condition says which.  $1: those that run,
 * which can seem to be from before the start if the clock was set back.
 */
#define UNENDED(condition)                                                                         \
	"SELECT array_agg(c.id) FROM dpobj.ledger_events c WHERE c.event = 'charged'"                  \
	" AND c.id <> ALL ($1)"                                                                        \
	" AND c.id > (SELECT coalesce(max(s.settled), 0) FROM dpobj.server_start s)"                   \
	" AND NOT EXISTS (SELECT FROM dpobj.ledger_events e WHERE e.release = c.id) AND " condition

static void
end_unended(const char *statement, ChargeReason reason)
{
	Oid types[] = {INT8ARRAYOID};
	Datum values[] = {charge_queue_releases()};
	Datum unended;
	bool isnull;

	(void) charge_query(statement, lengthof(types), types, values);
	unended = charge_column(0, 1, &isnull);
	if (!isnull)
		charge_fail_lost(unended, reason);
}

/*
 * Rows can cause a crash (out of memory), so a crash may tell something about them, as a failure
 * does: charges at this door that it left without an end count as failed.  None of them runs, since
 * this is the first charge here after the crash.  Charges that an orderly stop of the server left
 * without an end, and those of the other door, do not count.  Those of the other door can have been
 * made since a crash, which does not change the start time, and may run; the next start ends them.
 */
void
charge_end_lost(void)
{
	static const char *const crashed = UNENDED("c.door = 'analyst'");
	static const char *const stopped = UNENDED("c.at < pg_postmaster_start_time()");
	static const char *const settle =
		"UPDATE dpobj.server_start s SET at = pg_postmaster_start_time(),"
		" settled = greatest(s.settled, (SELECT max(e.id) FROM dpobj.ledger_events e"
		" WHERE e.at < pg_postmaster_start_time()))";

	if (is_first_since_crash())
		end_unended(crashed, CHARGE_BY_ITSELF);
	if (!is_first_since_start())
		return;
	end_unended(stopped, CHARGE_BY_STOP);
	(void) charge_query(settle, 0, NULL, NULL);
}
