/*
 * job_table.c - the rows of dpobj.job_rows.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "server/base/admin.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_worker.h"
#include "server/base/digest.h"
#include "server/base/extension.h"
#include "server/base/gate.h"
#include "server/jobs/job_area.h"
#include "server/jobs/job_table.h"

/* The columns that keep the arguments of dpobj.train. */
#define ARGUMENT_COLUMNS "relation, label, epsilon, features, delta, method, options, filter, name"
#define ARGUMENT_TYPES                                                                             \
	OIDOID, TEXTOID, NUMERICOID, TEXTARRAYOID, NUMERICOID, TEXTOID, JSONBOID, JSONBOID, TEXTOID

/* ---- Arguments -------------------------------------------------------------- */

/* Schema-qualified and quoted; nobody holds a lock that would keep the table. */
static char *
table_name(Oid table)
{
	char *name = get_rel_name(table);

	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
}

void
job_read(const Job *job, TrainRequest *request, uint8 hash[CHARGE_HASH_LENGTH])
{
	LOCAL_FCINFO(call, JOB_ARGUMENTS);

	InitFunctionCallInfoData(*call, NULL, JOB_ARGUMENTS, InvalidOid, NULL, NULL);
	for (int i = 0; i < JOB_ARGUMENTS; i++)
		call->args[i] = job->argument[i];
	train_request_read(call, false, request);
	(void) table_name(request->relation);
	train_request_hash(call, request, hash);
}

/* ---- The caller's side ------------------------------------------------------ */

int64
job_add(const Job *job, const TrainRequest *request, const uint8 hash[CHARGE_HASH_LENGTH])
{
	static const char *const number =
		"SELECT pg_catalog.nextval('dpobj.job_rows_id_seq'::pg_catalog.regclass)";
	static const char *const statement =
		"INSERT INTO dpobj.job_rows (" ARGUMENT_COLUMNS
		", id, role, role_name, relation_name, request_hash) OVERRIDING SYSTEM VALUE"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
	Oid types[] = {ARGUMENT_TYPES, INT8OID, OIDOID, TEXTOID, TEXTOID, BYTEAOID};
	Datum values[lengthof(types)];
	char nulls[lengthof(types) + 1];
	Datum id;
	bool isnull;

	memset(nulls, ' ', lengthof(types));
	nulls[lengthof(types)] = '\0';
	for (int i = 0; i < JOB_ARGUMENTS; i++)
	{
		values[i] = job->argument[i].value;
		if (job->argument[i].isnull)
			nulls[i] = 'n';
	}
	(void) admin_select(number, 0, NULL, NULL, &id, &isnull);
	values[JOB_ARGUMENTS] = id;
	values[JOB_ARGUMENTS + 1] = ObjectIdGetDatum(job->role);
	values[JOB_ARGUMENTS + 2] = CStringGetTextDatum(GetUserNameFromId(job->role, false));
	values[JOB_ARGUMENTS + 3] = CStringGetTextDatum(table_name(request->relation));
	values[JOB_ARGUMENTS + 4] = digest_datum(hash);
	if (admin_execute(statement, lengthof(types), types, values, nulls) != 1)
		elog(ERROR, "could not write the row of a job");
	return DatumGetInt64(id);
}

/*
 * The snapshot is the latest, and xmin says whether the row is our own.  What was queued or running
 * before a restore is over.
 */
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
	memcpy(state->hash, VARDATA_ANY(DatumGetByteaPP(column[3])), CHARGE_HASH_LENGTH);
	state->id = DatumGetInt64(column[4]);
	return true;
}

static bool
has_worker(int64 id)
{
	int64 running[JOB_SLOTS];
	int count = job_area_running(running);

	for (int i = 0; i < count; i++)
	{
		if (running[i] == id)
			return true;
	}
	return false;
}

static bool
is_running(const JobState *state)
{
	return strcmp(state->state, "running") == 0;
}

/*
 * A row that calls itself running before and after it had no worker is a dead job's, unless it was
 * taken anew in between; but on a standby, where nobody can see the primary's workers.
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

/* A guard against filling the table by mistake: open transactions do not see each other's. */
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

/* Not in a database without the extension, nor in one that has 0.1.0 of it. */
static bool
table_exists(void)
{
	bool exists;

	if (!extension_hold())
		return false;
	exists = OidIsValid(get_relname_relid("job_rows", get_namespace_oid("dpobj", false)));
	extension_release();
	return exists;
}

/*
 * A queued job whose role has a running job is not waiting: that job's worker takes it next.  A job
 * whose worker died after the charge is waiting, because its failure must be counted.
 */
bool
job_any_waiting(void)
{
	static const char *const statement =
		"SELECT true FROM dpobj.job_rows q WHERE q.origin = dpobj_internal.origin() AND (q.state = "
		"'queued'"
		" AND NOT EXISTS (SELECT FROM dpobj.job_rows r WHERE r.id = ANY ($1) AND r.role = q.role)"
		" OR q.state = 'running' AND q.id <> ALL ($1) AND q.release IS NOT NULL) LIMIT 1";
	Oid types[] = {INT8ARRAYOID};
	Datum values[lengthof(types)];
	int64 running[JOB_SLOTS];
	Datum found;
	bool isnull;

	if (!table_exists())
		return false;
	values[0] = ids_datum(running, job_area_running(running));
	return admin_select(statement, lengthof(types), types, values, &found, &isnull);
}

/* On a standby nobody can see the primary's workers. */
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

/* An ended job needs no features, options and filter: the ledger has them if it was charged. */
#define FORGET ", features = NULL, options = NULL, filter = NULL"

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
 * An update that finds the job taken meanwhile has locked its row, for which the worker would
 * wait until our caller's transaction ends: it is rolled back.
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

static void
change(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	SPI_connect();
	if (SPI_execute_with_args(extension_statement(statement), count, types, values, nulls, false,
							  0) < 0)
		elog(ERROR, "could not write the row of a job");
	SPI_finish();
}

/* A lock that writers of rows do not wait for, nor readers. */
void
job_lock_queue(void)
{
	LockRelationOid(get_relname_relid("job_rows", get_namespace_oid("dpobj", false)),
					ShareUpdateExclusiveLock);
}

void
job_bury(void)
{
	static const char *const statement =
		"WITH dead AS (UPDATE dpobj.job_rows SET state = 'failed'" FORGET
		" WHERE id = ANY ($1) AND state = 'running' RETURNING release)"
		" SELECT array_agg(release) FROM dead";
	Oid types[] = {INT8ARRAYOID};
	Datum values[] = {job_dead()};
	Datum releases;
	bool isnull;

	SPI_connect();
	if (SPI_execute_with_args(extension_statement(statement), lengthof(types), types, values, NULL,
							  false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not write the row of a job");
	releases = charge_column(0, 1, &isnull);
	if (!isnull)
		charge_fail_lost(releases);
	SPI_finish();
}

/* Copies the row that SPI has found, for a caller outside of SPI. */
static void
keep(Job *job)
{
	bool isnull;

	job->id = DatumGetInt64(charge_column(0, 1, &isnull));
	job->role = DatumGetObjectId(charge_column(0, 2, &isnull));
	for (int i = 0; i < JOB_ARGUMENTS; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(SPI_tuptable->tupdesc, i + 2);
		Datum value = charge_column(0, i + 3, &job->argument[i].isnull);

		job->argument[i].value =
			job->argument[i].isnull
				? (Datum) 0
				: SPI_datumTransfer(value, attribute->attbyval, attribute->attlen);
	}
	job->superuser = superuser_arg(job->role);
}

/*
 * The one that may be next, not among those and not of one of those roles; false if there is none.
 * One that is queued again waits behind those that came since.
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

	if (SPI_execute_with_args(extension_statement(statement), lengthof(types), types, values, NULL,
							  false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the jobs");
	if (SPI_processed == 0)
		return false;
	*id = DatumGetInt64(charge_column(0, 1, &isnull));
	*role = DatumGetObjectId(charge_column(0, 2, &isnull));
	return true;
}

/* False if somebody cancels it. */
static bool
take(int64 id, Job *job)
{
	static const char *const statement =
		"UPDATE dpobj.job_rows SET state = 'running', started = pg_catalog.clock_timestamp()"
		" WHERE id = (SELECT q.id FROM dpobj.job_rows q WHERE q.id = $1 AND q.state = 'queued'"
		" FOR UPDATE SKIP LOCKED) RETURNING id, role, " ARGUMENT_COLUMNS;
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(id)};

	if (SPI_execute_with_args(extension_statement(statement), lengthof(types), types, values, NULL,
							  false, 0) != SPI_OK_UPDATE_RETURNING)
		elog(ERROR, "could not take a job");
	if (SPI_processed == 0)
		return false;
	keep(job);
	return true;
}

/*
 * Of one role only one release at the analyst's door runs at a time: a job that would only wait for
 * a session of its role leaves its place to others.
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

	change(statement, lengthof(types), types, values, NULL);
}

void
job_note_release(int64 id, int64 release)
{
	static const char *const statement = "UPDATE dpobj.job_rows SET release = $2 WHERE id = $1";
	Oid types[] = {INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(id), Int64GetDatum(release)};

	change(statement, lengthof(types), types, values, NULL);
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
	Datum values[] = {Int64GetDatum(id), CStringGetTextDatum(state), Int32GetDatum(tick),
					  Int64GetDatum(release)};
	char nulls[] = "      ";
	Datum all[lengthof(types)] = {0};

	memcpy(all, values, sizeof(values));
	if (reason == NULL)
		nulls[4] = nulls[5] = 'n';
	else
	{
		all[4] = CStringGetTextDatum(unpack_sql_state(sqlstate));
		all[5] = CStringGetTextDatum(reason);
	}
	change(statement, lengthof(types), types, all, nulls);
}
