/*
 * charge_epoch.c - what a new epoch changes in the ledger.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"

#include "charge_budget.h"
#include "charge_count.h"
#include "charge_epoch.h"
#include "charge_plan.h"

/*
 * The ids of events that were lost have been given, and the sequence, restored, would give them
 * again.  From now on they are at least the microseconds since 1970, which the ids of all events
 * before are not: no server writes one in each microsecond.  One change at a time, so that none
 * takes another's back.
 */
static void
leap_ids(void)
{
	static const char *const statement =
		"SELECT setval('dpobj.ledger_events_id_seq',"
		" greatest(nextval('dpobj.ledger_events_id_seq'),"
		" (extract(epoch FROM clock_timestamp()) * 1000000)::bigint))";

	LockRelationOid(get_relname_relid("ledger_events", get_namespace_oid("dpobj", false)),
					ShareUpdateExclusiveLock);
	(void) charge_query(statement, 0, NULL, NULL);
}

void
charge_begin_epoch(void)
{
	charge_recount();
	charge_distrust_sums();
	leap_ids();
}
