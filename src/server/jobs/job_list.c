/*
 * job_list.c - the jobs and their progress, for the views dpobj.jobs and dpobj.progress.
 *
 * The list shows the present state, however old the caller's snapshot is.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "server/base/admin.h"
#include "server/base/dpobj.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_call.h"
#include "server/jobs/job_table.h"
#include "server/base/materialize.h"
#include "server/release/progress.h"

/* The columns of list_statement. */
enum
{
	LIST_ID,
	LIST_NAME,
	LIST_STATE,
	LIST_SUBMITTED,
	LIST_STARTED,
	LIST_FINISHED,
	LIST_PHASE,
	LIST_MODEL,
	LIST_RELATION,
	LIST_RELATION_NAME,
	LIST_SUBMITTER,
	LIST_RELEASE,
	LIST_SQLSTATE,
	LIST_REASON,
	LIST_ROWS_SCANNED,
	LIST_ROWS_TOTAL,
	LIST_NODES,
	LIST_ATTEMPTS,
	LIST_GAP,
	LIST_COLUMNS
};

static void
set_phase(JobPhase phase, Datum *values, bool *nulls)
{
	static const char *const names[] = {"queued", "scanning", "solving", "releasing"};

	values[LIST_PHASE] = CStringGetTextDatum(names[phase]);
	nulls[LIST_PHASE] = false;
}

static void
set_progress(const JobProgress *progress, bool owner, Datum *values, bool *nulls)
{
	set_phase(progress->phase, values, nulls);
	if (progress->release > 0)
	{
		values[LIST_RELEASE] = Int64GetDatum(progress->release);
		nulls[LIST_RELEASE] = false;
	}
	if (progress->rows_total > 0)
	{
		values[LIST_ROWS_SCANNED] = Int64GetDatum((int64) progress->rows_scanned);
		values[LIST_ROWS_TOTAL] = Int64GetDatum((int64) progress->rows_total);
		nulls[LIST_ROWS_SCANNED] = nulls[LIST_ROWS_TOTAL] = false;
	}
	if (!progress->searched || !owner)
		return;
	values[LIST_NODES] = Int64GetDatum(progress->nodes);
	values[LIST_ATTEMPTS] = Int64GetDatum(progress->attempts);
	values[LIST_GAP] = Float8GetDatum(progress->gap);
	nulls[LIST_NODES] = nulls[LIST_ATTEMPTS] = nulls[LIST_GAP] = false;
}

/* Bounds and nodes depend on rows, so they are shown to those who may read the rows. */
static bool
may_see_rows(Datum *values, bool *nulls)
{
	Oid relation = nulls[LIST_RELATION] ? InvalidOid : DatumGetObjectId(values[LIST_RELATION]);

	return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)) && progress_may_see(relation);
}

/* Why a job is queued; NULL if it only waits for its turn. */
static const char *
queued_for(void)
{
	if (dpobj_max_jobs == 0)
		return "it waits for dpobj.max_jobs, which is 0";
	if (job_area_is_crowded())
		return "it waits for a background worker: too few of max_worker_processes are free";
	return NULL;
}

static void
set_queued(Datum *values, bool *nulls)
{
	const char *reason = queued_for();

	set_phase(JOB_QUEUED, values, nulls);
	nulls[LIST_REASON] = reason == NULL;
	if (reason != NULL)
		values[LIST_REASON] = CStringGetTextDatum(reason);
}

/* Adds what shared memory knows of the job, and the row does not. */
static void
complete(Datum *values, bool *nulls)
{
	char *state = TextDatumGetCString(values[LIST_STATE]);
	JobProgress progress;

	if (strcmp(state, "queued") == 0)
		set_queued(values, nulls);
	else if (strcmp(state, "running") == 0 &&
			 job_area_progress(DatumGetInt64(values[LIST_ID]), &progress))
		set_progress(&progress, may_see_rows(values, nulls), values, nulls);
}

/*
 * $1: all jobs, or those of the role $2, whose name is $3, which identifies it after a restore; $4:
 * ids of dead jobs; $5: with all models.  Jobs that were queued or running before a restore read as
 * failed.  pg_table_is_visible() is null for a table that does not exist (charge_identity.c).
 */
static const char *const list_statement =
	"SELECT j.id, j.name, s.state, j.submitted, j.started, j.finished, NULL::text,"
	" CASE WHEN o.own OR $5 THEN m.model END, CASE WHEN j.origin = dpobj_internal.origin()"
	" AND pg_table_is_visible(j.relation) IS NOT NULL THEN j.relation::regclass END,"
	" j.relation_name,"
	" coalesce((SELECT a.rolname::text FROM pg_authid a WHERE a.oid = j.role"
	" AND j.origin = dpobj_internal.origin()), j.role_name),"
	" j.release, j.sqlstate, coalesce(j.reason, CASE WHEN s.state = 'failed' THEN s.reason END),"
	" NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::float8"
	" FROM dpobj.job_rows j"
	" CROSS JOIN LATERAL (SELECT CASE WHEN j.origin = dpobj_internal.origin() THEN j.role = $2"
	" ELSE j.role_name = $3 END AS own) o"
	" CROSS JOIN LATERAL (SELECT CASE WHEN j.state IN ('queued', 'running')"
	" AND j.origin <> dpobj_internal.origin() OR j.state = 'running' AND j.id = ANY ($4)"
	" THEN 'failed' ELSE j.state END AS state,"
	" CASE WHEN j.origin <> dpobj_internal.origin() AND j.state <> 'failed'"
	" THEN 'the job was submitted before the database was restored' ELSE 'the job''s worker ended"
	" before the job'"
	" END || CASE WHEN j.release IS NOT NULL THEN E'\\nThe charge stays.' ELSE '' END AS reason) s"
	" LEFT JOIN dpobj.model_rows m ON m.release = j.release AND m.key IS NULL"
	" AND s.state = 'released'"
	" WHERE o.own OR $1 ORDER BY j.id";

typedef struct JobList
{
	Tuplestorestate *set;
	TupleDesc descriptor;
} JobList;

static void
put_row(HeapTuple row, TupleDesc descriptor, void *context)
{
	JobList *list = context;
	Datum values[LIST_COLUMNS];
	bool nulls[LIST_COLUMNS];

	heap_deform_tuple(row, descriptor, values, nulls);
	complete(values, nulls);
	tuplestore_putvalues(list->set, list->descriptor, values, nulls);
}

/* dpobj_internal.job_list() -> the jobs that the current role may see, as they are now */
PG_FUNCTION_INFO_V1(dpobj_job_list);
Datum
dpobj_job_list(PG_FUNCTION_ARGS)
{
	Oid types[] = {BOOLOID, OIDOID, TEXTOID, INT8ARRAYOID, BOOLOID};
	Datum values[lengthof(types)];
	JobList list;

	list.set = materialize_begin(fcinfo, &list.descriptor);
	if (list.descriptor->natts != LIST_COLUMNS)
		elog(ERROR, "dpobj_internal.job_list() must return %d columns", LIST_COLUMNS);
	job_call_now();
	values[0] = BoolGetDatum(job_sees_all());
	values[1] = ObjectIdGetDatum(GetUserId());
	values[2] = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
	values[3] = job_dead();
	values[4] = BoolGetDatum(superuser());
	admin_read(list_statement, lengthof(types), types, values, put_row, &list);
	return (Datum) 0;
}
