/*
 * charge.c - the backend's side of the ledger: asks a worker, waits and reports.
 *
 * An event must survive the transaction that caused it and be durable before the call returns.  So
 * another process commits it: a writer, many at a time (charge_writer.c).  Names are resolved here,
 * because the caller sees tables that it has not committed yet, and the other process does not.
 *
 * The writer holds the locks of all requests of a transaction, so it cannot wait for one more.  A
 * charge that has to wait for a lock, a change of a budget, and a charge that no writer takes in
 * time are committed by a worker of their own (charge_worker.c), which holds up nobody else.
 *
 * The wait for a charge can be interrupted at any moment.  Then the worker commits nothing, or a
 * failure after the charge: the caller gets an error, so it draws no noise and releases nothing.
 * From the charge on, the backend holds what it needs to post a failure.  The end of the
 * transaction or of the process posts it if the release has not ended (charge_end.c).
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/dsm.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "server/base/acting.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_analyst.h"
#include "server/ledger/charge_end.h"
#include "server/ledger/charge_queue.h"
#include "server/ledger/charge_request.h"
#include "server/ledger/charge_tables.h"
#include "server/ledger/charge_worker.h"
#include "server/base/compat.h"
#include "server/base/decimal.h"
#include "server/base/dpobj.h"
#include "server/base/extension.h"
#include "server/ledger/grant.h"
#include "server/ledger/pair_terms.h"

/* ---- Writing ---------------------------------------------------------------- */

/* Has another process commit the request, and copies the answer. */
static void
request_commit(ChargeRequest *request)
{
	dsm_segment *segment;
	ChargeStatus status = CHARGE_NOT_WRITTEN;

	if (!IsUnderPostmaster)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("cannot write the privacy ledger in single-user mode")));
	segment = charge_request_share(request);
	if (charge_may_queue(request))
		charge_queue_enter(segment);
	if (request->event == CHARGE_CHARGED)
		charge_open(segment);
	if (charge_may_queue(request))
		status = charge_queue_commit(segment);
	if (status == CHARGE_NOT_WRITTEN)
		status = charge_worker_commit(segment);
	memcpy(request, dsm_segment_address(segment), offsetof(ChargeRequest, characters));
	if (status != CHARGE_COMMITTED)
		charge_report_failure(status, request);
	if (request->event == CHARGE_CHARGED)
		charge_note_reason(request->id, CHARGE_BY_ERROR);
	else
		dsm_detach(segment);
}

/* ---- Events ----------------------------------------------------------------- */

void
charge_precheck(void)
{
	if (IsParallelWorker())
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("cannot charge a privacy cost in a parallel worker"),
						errhint("Set %s to off.", FORCE_PARALLEL)));
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot charge a privacy cost during recovery"),
						errhint("Run the query on the primary server.")));
	if (XactReadOnly)
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot charge a privacy cost in a read-only transaction")));
	if (GetUserId() != GetSessionUserId())
		acting_refuse_maintenance("a release"); /* an owner may refresh a view of releases */
}

/* Returns the snapshot that the release reads, as pg_current_snapshot() writes it. */
static const char *
snapshot_text(void)
{
	if (!ActiveSnapshotSet())
		elog(ERROR, "cannot charge without an active snapshot");
	return OidOutputFunctionCall(F_PG_SNAPSHOT_OUT, OidFunctionCall0(F_PG_CURRENT_SNAPSHOT));
}

/* Events name the session user, also after SET ROLE and in SECURITY DEFINER functions. */
static ChargeRequest *
request_by_session_user(ChargeEvent event, const char *texts[CHARGE_TEXTS])
{
	ChargeRequest *request;

	texts[CHARGE_TEXT_ROLE] = GetUserNameFromId(GetSessionUserId(), false);
	request = charge_request_create(event, texts, NULL, 0);
	request->role = GetSessionUserId();
	return request;
}

/* Makes a request about a table, its ancestors and its descendants. */
static ChargeRequest *
request_for_table(ChargeEvent event, Oid relation, const char *texts[CHARGE_TEXTS])
{
	int ancestors = charge_tables_describe(relation, texts);
	ChargeRequest *request = request_by_session_user(event, texts);

	request->relation = relation;
	request->ancestors = ancestors;
	return request;
}

static void
add_analyst_terms(ChargeRequest *request, const AnalystTerms *analyst)
{
	request->by_analyst = true;
	memcpy(request->hash, analyst->request_hash, CHARGE_HASH_LENGTH);
	request->min_epsilon = dpobj_min_epsilon;
	request->max_failures = dpobj_max_failures;
	request->release_tick = dpobj_release_tick;
}

static ChargeRequest *
charge_request(const Charge *charge)
{
	const char *texts[CHARGE_TEXTS] = {NULL};
	ChargeRequest *request;

	charge_precheck();
	grant_check_caller(charge->relation, false);
	if (charge->pair.epsilon < 0 || charge->pair.delta < 0 || charge->pair.delta > DELTA_ONE)
		elog(ERROR, "invalid privacy cost");

	texts[CHARGE_TEXT_MECHANISM] = charge->mechanism;
	texts[CHARGE_TEXT_MECHANISM_VERSION] = DPOBJ_VERSION;
	texts[CHARGE_TEXT_ADJACENCY] = adjacency_name(charge->adjacency);
	texts[CHARGE_TEXT_GUARANTEE] = charge->guarantee;
	texts[CHARGE_TEXT_PAIR] = pair_name(charge->pair.kind);
	texts[CHARGE_TEXT_PAIR_TERMS] = pair_terms(&charge->pair);
	texts[CHARGE_TEXT_PARAMETERS] = charge->parameters;
	texts[CHARGE_TEXT_SNAPSHOT] = snapshot_text();
	texts[CHARGE_TEXT_PERSON] = charge->person;
	if (charge->analyst != NULL)
		texts[CHARGE_TEXT_NAME] = charge->analyst->name;

	request = request_for_table(CHARGE_CHARGED, charge->relation, texts);
	request->budget_required = dpobj_require_budget;
	charge_cost_of(&charge->pair, charge->adjacency, &request->cost);
	request->is_kept = charge->is_kept;
	request->grouped = charge->grouped;
	request->temporary = get_rel_persistence(charge->relation) == RELPERSISTENCE_TEMP;
	if (charge->analyst != NULL)
		add_analyst_terms(request, charge->analyst);
	return request;
}

/*
 * The worker reserves a name, and would wait for a transaction that has changed one: this
 * transaction, which waits for the worker.  Other transactions that change names of the role are
 * kept out by the gate (registry.c).
 */
static void
check_names_settled(const AnalystTerms *analyst)
{
	Relation table;
	bool changed;

	if (analyst == NULL || analyst->name == NULL)
		return;
	table = extension_open_table("model_rows");
	changed = CheckRelationLockedByMe(table, RowExclusiveLock, true);
	table_close(table, AccessShareLock);
	if (changed)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("cannot charge a release with a name in this transaction"),
						errdetail("The transaction has changed models or answers, and their names "
								  "may still change back."),
						errhint("Commit first.")));
}

static struct
{
	bool runs;
	bool reached; /* the charge */
} rehearsal;

void
charge_begin_rehearsal(void)
{
	rehearsal.runs = true;
	rehearsal.reached = false;
}

bool
charge_is_rehearsed(void)
{
	return rehearsal.runs;
}

bool
charge_end_rehearsal(void)
{
	rehearsal.runs = false;
	return rehearsal.reached;
}

static void
end_call(const ChargeRequest *request)
{
	if (request->by_analyst)
		charge_check_least_epsilon(request->cost.epsilon, dpobj_min_epsilon);
	rehearsal.reached = true;
	ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("the call was rehearsed")));
}

int64
charge_commit(const Charge *charge)
{
	ChargeRequest *request;
	int64 id;

	check_names_settled(charge->analyst);
	decimal_warn_of_large_delta(charge->pair.delta);
	request = charge_request(charge);
	if (rehearsal.runs)
		end_call(request);
	request_commit(request);
	if (charge->analyst != NULL)
		charge->analyst->release_tick = request->release_tick;
	id = request->id;
	pfree(request);
	return id;
}

/* ---- Administration --------------------------------------------------------- */

void
charge_table_change(ChargeEvent event, TableChange *change)
{
	const char *texts[CHARGE_TEXTS] = {[CHARGE_TEXT_PARAMETERS] = change->parameters,
									   [CHARGE_TEXT_ADJACENCY] = change->adjacency,
									   [CHARGE_TEXT_PERSON] = change->person};
	ChargeRequest *request = request_for_table(event, change->relation, texts);

	request->grantee = change->role;
	request_commit(request);
	change->relation_identity = request->relation_identity;
	change->role_identity = request->grantee_identity;
	change->id = request->id;
	pfree(request);
}

void
charge_without_table(ChargeEvent event, const char *parameters)
{
	const char *texts[CHARGE_TEXTS] = {[CHARGE_TEXT_OIDS] = "{}",
									   [CHARGE_TEXT_SCHEMAS] = "{}",
									   [CHARGE_TEXT_RELATIONS] = "{}",
									   [CHARGE_TEXT_PARAMETERS] = parameters};
	ChargeRequest *request = request_by_session_user(event, texts);

	request_commit(request);
	pfree(request);
}
