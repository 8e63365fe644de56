/*
 * job_table.c - the rows of dpobj.job_rows.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"

#include "server/base/admin.h"
#include "server/base/digest.h"
#include "server/ledger/charge_plan.h"
#include "server/base/extension.h"
#include "server/base/gate.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_table.h"

/* ---- The caller's side ------------------------------------------------------ */

/* Schema-qualified and quoted. */
static char *
table_name(Oid table)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
									  get_rel_name(table));
}

int64
job_add(const Job *job)
{
	static const char *const number =
		"SELECT pg_catalog.nextval('dpobj.job_rows_id_seq'::pg_catalog.regclass)";
	static const char *const statement =
		"INSERT INTO dpobj.job_rows (id, role, role_name, relation, relation_name, call,"
		" arguments, name, request_hash) OVERRIDING SYSTEM VALUE"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
	Oid types[] = {INT8OID, OIDOID, TEXTOID, OIDOID, TEXTOID, TEXTOID, JSONBOID, TEXTOID, BYTEAOID};
	Datum id;
	bool isnull;

	(void) admin_select(number, 0, NULL, NULL, &id, &isnull);
	{
		Datum values[] = {id,
						  ObjectIdGetDatum(job->role),
						  CStringGetTextDatum(GetUserNameFromId(job->role, false)),
						  ObjectIdGetDatum(job->relation),
						  CStringGetTextDatum(table_name(job->relation)),
						  CStringGetTextDatum(job->call),
						  JsonbPGetDatum(job->arguments),
						  CStringGetTextDatum(job->name),
						  digest_datum(job->hash)};

		if (admin_execute(statement, lengthof(types), types, values, NULL) != 1)
			elog(ERROR, "could not write the row of a job");
	}
	return DatumGetInt64(id);
}

/* A job that was queued or running before a restore reads as failed. */
#define STATE                                                                                      \
	"SELECT CASE WHEN origin = dpobj_internal.origin() THEN role ELSE coalesce((SELECT a.oid"      \
	" FROM pg_authid a WHERE a.rolname = role_name), 0::oid) END,"                                 \
	" CASE WHEN origin <> dpobj_internal.origin() AND state IN ('queued', 'running') THEN "        \
	"'failed'"                                                                                     \
	" ELSE state END, xmin, request_hash, id FROM dpobj.job_rows WHERE "

static bool
read_state(const char *statement, int count, Oid *types, Datum *values, JobState *state)
{
	Datum column[5];
	bool isnull[5];

	if (!admin_select(statement, count, types, values, column, isnull))
		return false;
	state->role = DatumGetObjectId(column[0]);
	state->state = TextDatumGetCString(column[1]);
	state->uncommitted = TransactionIdIsCurrentTransactionId(DatumGetTransactionId(column[2]));
	memcpy(state->hash, VARDATA_ANY(DatumGetByteaPP(column[3])), DIGEST_LENGTH);
	state->id = DatumGetInt64(column[4]);
	return true;
}

static bool
has_worker(int64 id)
{
	JobProgress progress;

	return job_area_progress(id, &progress);
}

static bool
is_running(const JobState *state)
{
	return strcmp(state->state, "running") == 0;
}

/*
 * A job is dead if its row says running both before and after it was seen without a worker: between
 * the two a worker may have taken it.  A standby does not see the primary's workers, so there a
 * running job is never dead.
 */
static bool
find(const char *statement, int count, Oid *types, Datum *values, JobState *state)
{
	if (!read_state(statement, count, types, values, state))
		return false;
	if (!is_running(state) || RecoveryInProgress() || has_worker(state->id))
		return true;
	if (!read_state(statement, count, types, values, state))
		return false;
	if (is_running(state) && !has_worker(state->id))
		state->state = "failed";
	return true;
}

bool
job_find(int64 id, JobState *state)
{
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(id)};

	return find(STATE "id = $1", lengthof(types), types, values, state);
}

bool
job_find_name(const char *name, JobState *state)
{
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(name), ObjectIdGetDatum(GetSessionUserId())};

	return find(
		STATE
		"name = $1 AND role = $2 AND origin = dpobj_internal.origin() ORDER BY id DESC LIMIT 1",
		lengthof(types), types, values, state);
}

/* Counts without the jobs of open transactions: the limit only guards against mistakes. */
int
job_count_queued(void)
{
	static const char *const statement =
		"SELECT count(*)::int FROM dpobj.job_rows WHERE role = $1 "
		"AND state = 'queued' AND origin = dpobj_internal.origin()";
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId())};
	Datum count;
	bool isnull;

	(void) admin_select(statement, lengthof(types), types, values, &count, &isnull);
	return DatumGetInt32(count);
}

bool
job_any_unended(void)
{
	static const char *const statement =
		"SELECT true FROM dpobj.job_rows WHERE role = $1 AND state IN ('queued', 'running')"
		" AND origin = dpobj_internal.origin() LIMIT 1";
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId())};
	Datum found;
	bool isnull;

	return admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

void
job_forget_ended(int kept)
{
	static const char *const statement =
		"DELETE FROM dpobj.job_rows WHERE id IN (SELECT id FROM dpobj.job_rows WHERE role = $1"
		" AND origin = dpobj_internal.origin() AND state IN ('failed', 'cancelled') AND release IS "
		"NULL"
		" ORDER BY id DESC OFFSET $2 FOR UPDATE SKIP LOCKED)";
	Oid types[] = {OIDOID, INT4OID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId()), Int32GetDatum(kept)};

	(void) admin_execute_latest(statement, lengthof(types), types, values);
}

static Datum
ids_datum(const int64 *ids, int count)
{
	Datum *values = palloc(Max(count, 1) * sizeof(Datum));

	for (int i = 0; i < count; i++)
		values[i] = Int64GetDatum(ids[i]);
	return PointerGetDatum(
		construct_array(values, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/*
 * A queued job whose role has a running job does not wait: that job's worker takes it next.  A job
 * whose worker died waits: another one must write its end.
 */
bool
job_any_waiting(void)
{
	static const char *const statement =
		"SELECT true FROM dpobj.job_rows q WHERE q.origin = dpobj_internal.origin() AND (q.state = "
		"'queued'"
		" AND NOT EXISTS (SELECT FROM dpobj.job_rows r WHERE r.id = ANY ($1) AND r.role = q.role)"
		" OR q.state = 'running' AND q.id <> ALL ($1)) LIMIT 1";
	Oid types[] = {INT8ARRAYOID};
	Datum values[lengthof(types)];
	int64 running[JOB_SLOTS];
	Datum found;
	bool isnull;

	if (!extension_hold())
		return false;
	extension_release();
	values[0] = ids_datum(running, job_area_running(running));
	return admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

/* A standby does not see the primary's workers, so it finds no dead jobs. */
Datum
job_dead(void)
{
	static const char *const statement =
		"SELECT array_agg(id) FROM dpobj.job_rows"
		" WHERE state = 'running' AND origin = dpobj_internal.origin()";
	Datum running;
	bool isnull;
	Datum *ids;
	int64 *dead;
	int count;
	int found = 0;

	(void) admin_select(statement, 0, NULL, NULL, &running, &isnull);
	if (isnull || RecoveryInProgress())
		return PointerGetDatum(construct_empty_array(INT8OID));
	deconstruct_array(DatumGetArrayTypeP(running), INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &ids, NULL, &count);
	dead = palloc(count * sizeof(int64));
	for (int i = 0; i < count; i++)
	{
		int64 id = DatumGetInt64(ids[i]);

		if (!has_worker(id))
			dead[found++] = id;
	}
	return ids_datum(dead, found);
}

/* Ended jobs do not keep these; the ledger has them if the job was charged. */
#define FORGET ", arguments = NULL, features = NULL, options = NULL, filter = NULL"

static bool
set_cancelled(int64 id)
{
	static const char *const statement =
		"UPDATE dpobj.job_rows SET state = 'cancelled', finished = "
		"pg_catalog.clock_timestamp()" FORGET " WHERE id = $1 AND state = 'queued'";
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(id)};

	return admin_execute_latest(statement, lengthof(types), types, values) > 0;
}

/*
 * If a worker has taken the job meanwhile, the update is rolled back: it has locked the row, and
 * the worker would wait for the end of the caller's transaction.
 */
bool
job_cancel_queued(int64 id)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool cancelled = false;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		cancelled = set_cancelled(id);
		if (cancelled)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		ReThrowError(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return cancelled;
}

/* ---- The worker's side ------------------------------------------------------ */

/* Neither readers nor writers of rows wait for this lock. */
void
job_lock_queue(void)
{
	LockRelationOid(extension_table("job_rows"), ShareUpdateExclusiveLock);
}

/*
 * The charge of a job is known by the name that was charged: a role makes one release under a name
 * at a time (gate.h).  Its worker may have died after the answer was kept, or before its end was
 * written: then the job is ended when the charge has been.
 */
void
job_fail_dead(void)
{
	static const char *const statement =
		"UPDATE dpobj.job_rows j SET release = coalesce(j.release, a.release),"
		" state = CASE WHEN a.kept THEN 'released' ELSE 'failed' END" FORGET
		" FROM dpobj.job_rows d LEFT JOIN LATERAL ("
		"SELECT m.release, m.released IS NOT NULL AS kept FROM dpobj.model_rows m"
		" JOIN dpobj.identity_roles r ON r.id = m.owner"
		" JOIN dpobj.ledger_events e ON e.id = m.release"
		" WHERE r.role = d.role AND e.at >= d.started AND d.name = " CHARGED_NAME
		" ORDER BY m.release DESC LIMIT 1) a ON true WHERE d.id = j.id AND j.id = ANY ($1)"
		" AND j.state = 'running' AND dpobj_internal.charge_state(a.release) IS NULL";
	Oid types[] = {INT8ARRAYOID};
	Datum values[] = {job_dead()};

	SPI_connect();
	(void) charge_query(statement, lengthof(types), types, values);
	SPI_finish();
}

/* Copies a text of the row that SPI has found into the memory of the caller of SPI. */
static char *
copy_text(int number)
{
	bool isnull;
	Datum value = charge_column(0, number, &isnull);
	char *copy = TextDatumGetCString(value);

	return DatumGetCString(SPI_datumTransfer(CStringGetDatum(copy), false, -2));
}

static void
copy_row(Job *job)
{
	Datum arguments;
	bool isnull;

	job->id = DatumGetInt64(charge_column(0, 1, &isnull));
	job->role = DatumGetObjectId(charge_column(0, 2, &isnull));
	job->relation = DatumGetObjectId(charge_column(0, 3, &isnull));
	job->call = copy_text(4);
	arguments = JsonbPGetDatum(DatumGetJsonbP(charge_column(0, 5, &isnull)));
	job->arguments = DatumGetJsonbP(SPI_datumTransfer(arguments, false, -1));
	job->name = copy_text(6);
	job->superuser = superuser_arg(job->role);
}

/*
 * Finds the next queued job, except these ids and these roles; false if there is none.  A job that
 * was queued again comes after those that were submitted before that.
 */
static bool
find_next(Datum ids, Datum roles, int64 *id, Oid *role)
{
	static const char *const statement =
		"SELECT q.id, q.role FROM dpobj.job_rows q WHERE q.state = 'queued' AND q.id <> ALL ($1)"
		" AND q.origin = dpobj_internal.origin() AND q.role <> ALL ($2) AND NOT EXISTS (SELECT"
		" FROM dpobj.job_rows r WHERE r.state = 'running' AND r.origin = q.origin"
		" AND r.role = q.role) ORDER BY coalesce(q.started, q.submitted), q.id LIMIT 1";
	Oid types[] = {INT8ARRAYOID, OIDARRAYOID};
	Datum values[] = {ids, roles};
	bool isnull;

	if (!charge_query(statement, lengthof(types), types, values))
		return false;
	*id = DatumGetInt64(charge_column(0, 1, &isnull));
	*role = DatumGetObjectId(charge_column(0, 2, &isnull));
	return true;
}

/* Marks the job as running; false if a transaction is cancelling it. */
static bool
take(int64 id, Job *job)
{
	static const char *const statement =
		"UPDATE dpobj.job_rows SET state = 'running', started = pg_catalog.clock_timestamp()"
		" WHERE id = (SELECT q.id FROM dpobj.job_rows q WHERE q.id = $1 AND q.state = 'queued'"
		" FOR UPDATE SKIP LOCKED) RETURNING id, role, relation, coalesce(call, 'train'),"
		" coalesce(arguments, dpobj_internal.arguments_of_0_3(call, label, epsilon, features,"
		" delta, method, options, filter)), name";
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(id)};

	if (!charge_query(statement, lengthof(types), types, values))
		return false;
	copy_row(job);
	return true;
}

/*
 * A job is passed over while sessions of its role have all of the role's places: it would keep a
 * slot and only wait.
 */
JobClaim
job_claim(Job *job)
{
	ArrayBuildState *at_gate = initArrayResult(OIDOID, CurrentMemoryContext, false);
	ArrayBuildState *cancelled = initArrayResult(INT8OID, CurrentMemoryContext, false);
	JobClaim claim = JOB_NONE;
	int64 id;
	Oid role;

	SPI_connect();
	while (claim != JOB_CLAIMED &&
		   find_next(makeArrayResult(cancelled, CurrentMemoryContext),
					 makeArrayResult(at_gate, CurrentMemoryContext), &id, &role))
	{
		if (!gate_try_role(role))
		{
			accumArrayResult(at_gate, ObjectIdGetDatum(role), false, OIDOID, CurrentMemoryContext);
			claim = JOB_AT_GATE;
		}
		else if (take(id, job))
			claim = JOB_CLAIMED;
		else
		{
			gate_leave_all();
			accumArrayResult(cancelled, Int64GetDatum(id), false, INT8OID, CurrentMemoryContext);
		}
	}
	SPI_finish();
	return claim;
}

void
job_queue_again(int64 id)
{
	static const char *const statement =
		"UPDATE dpobj.job_rows SET state = 'queued', started = pg_catalog.clock_timestamp()"
		" WHERE id = $1 AND state = 'running' AND release IS NULL";
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(id)};

	(void) admin_execute(statement, lengthof(types), types, values, NULL);
}

void
job_end(int64 id, const char *state, int tick, int64 release, int sqlstate, const char *reason)
{
	static const char *const statement =
		"UPDATE dpobj.job_rows SET state = $2, finished = greatest(started, CASE WHEN $3 = 0"
		" THEN pg_catalog.clock_timestamp() ELSE pg_catalog.to_timestamp("
		"floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000 / $3) * $3 / 1000) END),"
		" release = coalesce(nullif($4, 0), release), sqlstate = $5, reason = $6" FORGET
		" WHERE id = $1 AND state = 'running'";
	Oid types[] = {INT8OID, TEXTOID, INT4OID, INT8OID, TEXTOID, TEXTOID};
	Datum values[lengthof(types)] = {Int64GetDatum(id), CStringGetTextDatum(state),
									 Int32GetDatum(tick), Int64GetDatum(release)};
	const char *nulls = reason == NULL ? "    nn" : NULL;

	if (reason != NULL)
	{
		values[4] = CStringGetTextDatum(unpack_sql_state(sqlstate));
		values[5] = CStringGetTextDatum(reason);
	}
	(void) admin_execute(statement, lengthof(types), types, values, nulls);
}
