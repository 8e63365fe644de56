/*
 * release.c - makes a private answer; every paid call goes through release_make().
 *
 * The proof that the charge comes before the noise is about this file: draw() is called by attempt()
 * only, after charge_commit() (rule Q3 of docs/proofs/server.md).
 */
#include "server/release/release.h"

#include "access/relation.h"
#include "miscadmin.h"

#include "server/base/acting.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/base/run_watch.h"
#include "server/ledger/charge_analyst.h"
#include "server/ledger/charge_end.h"
#include "server/ledger/grant.h"
#include "server/release/attempt.h"
#include "server/release/same_call.h"
#include "server/rows/scan_tables.h"

/*
 * Looks for what is kept of an analyst's call; true if it is found.  If not, waits for other calls
 * with the name and looks again, then waits for one of the session user's places.
 */
static bool
enter(Release *release, Datum *kept)
{
	const char *name = release->terms.name;
	Oid role = GetSessionUserId();

	if (release->kind->find(release, kept))
		return true;
	if (charge_is_rehearsed())
		return false;
	gate_enter_name(role, name);
	charge_settle(role); /* an end that is yet to be written fills the name, or counts as failed */
	if (name != NULL && release->kind->find(release, kept))
	{
		gate_leave_name(role, name);
		return true;
	}
	gate_enter_role(role);
	scan_reach_parts(release->table);
	/* Held until after the tick: every role can see these locks in pg_locks. */
	if (release->kind->solves)
		gate_enter_solvers();
	return false;
}

static void
leave(Release *release)
{
	if (release->kind->solves)
		gate_leave_solvers();
	gate_leave_role();
	gate_leave_name(GetSessionUserId(), release->terms.name);
}

void
release_price(Release *release)
{
	Relation relation;

	release->kind->settle(release);
	relation = acting_open(release->table, AccessShareLock);
	scan_check_relation(relation, release->ignore_rls, false);
	relation_close(relation, AccessShareLock);
	charge_check_least_epsilon(release->charge.pair.epsilon, dpobj_min_epsilon);
}

static void
settle(Release *release)
{
	Charge *charge = &release->charge;

	release->kind->settle(release);
	charge->relation = release->table;
	if (!release->by_analyst)
		return;
	charge->analyst = &release->terms;
	grant_check_budgets(release->table, &charge->pair, charge->adjacency);
}

static void
lock(Release *release)
{
	if (release->shape != NULL)
		release->scan = scan_open(release->table, release->ignore_rls, release->shape);
	if (release->kind->room != NULL)
		release->kind->room(release);
}

static void
charge(Release *release)
{
	release->id = charge_commit(&release->charge);
	if (release->scan != NULL)
		scan_set_release(release->scan, release->id);
}

/* A failure may depend on rows: who cannot read the table gets the same error for all of them. */
static void
fail(Release *release)
{
	charge_failed(release->id, CHARGE_BY_ITSELF);
	if (release->by_reader && release->kind->fail != NULL)
		release->kind->fail(release);
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_STOPPED), errmsg(RELEASE_FAILURE),
					release->by_analyst
						? errdetail(RELEASE_FAILURE_DETAIL)
						: errdetail("The charge stays. The reason is in the server log only.")));
}

static void
attempt(Release *release)
{
	int tick = release->by_analyst ? release->terms.release_tick : dpobj_release_tick;
	bool done;

	if (run_watch != NULL)
		run_watch->charged(release->id, release->public_rows, tick);
	done = release->by_reader ? attempt_for_reader(release, release->kind->draw, release->id)
							  : attempt_until_tick(release, release->kind->draw, release->id, tick);
	if (run_watch != NULL)
		run_watch->release();
	if (!done)
		fail(release);
	if (release->kind->close != NULL)
		release->kind->close(release);
	if (release->scan != NULL)
		scan_end_room(release->scan);
}

Datum
release_make(Release *release)
{
	Datum answer;

	if (release->by_analyst && enter(release, &answer))
		return answer;
	settle(release);
	lock(release);
	charge(release);
	attempt(release);
	answer = release->kind->keep(release);
	if (release->by_analyst)
	{
		same_call_remember(release->fcinfo, release->terms.request_hash, release->id);
		leave(release);
	}
	return answer;
}
