/*
 * job_call.c - calls for workers that look for queued jobs of this database.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"

#include "server/jobs/job_area.h"
#include "server/jobs/job_call.h"
#include "server/jobs/job_table.h"

/* What this transaction has done; a rollback to a savepoint does not undo it. */
static bool submitted = false;
static bool cancelled = false;

/* Jobs of a prepared transaction wait for job_call_now(). */
static void
transaction_ends(XactEvent event, void *argument)
{
	bool ends = event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT;

	if ((event == XACT_EVENT_COMMIT && submitted) || (ends && cancelled))
		job_area_call(MyDatabaseId);
	if (ends || event == XACT_EVENT_PREPARE)
		submitted = cancelled = false;
}

static void
watch_transaction(void)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(transaction_ends, NULL);
	registered = true;
}

void
job_call_at_commit(void)
{
	watch_transaction();
	submitted = true;
}

void
job_call_at_end(void)
{
	watch_transaction();
	cancelled = true;
}

void
job_call_now(void)
{
	if (!RecoveryInProgress() && !IsInParallelMode() && !job_area_is_looking() && job_any_waiting())
		job_area_call(MyDatabaseId);
}
