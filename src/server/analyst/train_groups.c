/*
 * train_groups.c - dpobj.train_groups(): trains a model for each combination of declared values,
 * for a role that may not read the table.
 *
 * The steps have the order of dpobj.train (train.c).  The list of keys follows from the declaration
 * alone, every key gets a model, and all of them are returned at one tick, or none is.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "server/base/admin.h"
#include "server/base/digest.h"
#include "server/analyst/analyst.h"
#include "server/release/kept.h"
#include "server/release/groups.h"
#include "server/base/materialize.h"
#include "server/release/same_call.h"
#include "server/analyst/train_rating.h"
#include "server/analyst/train_request.h"
#include "server/rows/scan_parts.h"

/*
 * Bytes of all temporary files together.  It is not public which group a row is in, so the file of
 * each group has room for all rows.
 */
#define GROUPS_MAX_ROOM (INT64CONST(1) << 34)

typedef struct GroupsRun
{
	Release release; /* the first member */
	TrainRequest request;
	AnalystTable opened;
	KeyList keys;
	char *provenance;
	Oid group_type;
	RowsState **states; /* empty; of rows that are dealt as many more, of those that rate */
	ScanParts *parts;   /* with rows that rate; NULL: none */
	GroupProblem *problems;
	MechanismAnswer *answers;
} GroupsRun;

/* ---- names ---- */

/* The names of the models: the request's name, followed by the key in braces. */
static ArrayType *
model_names(const TrainRequest *request)
{
	const KeyList *keys = request->training->keys;
	Datum *names = palloc(keys->count * sizeof(Datum));
	Oid output;
	bool is_varlena;

	getTypeOutputInfo(TEXTARRAYOID, &output, &is_varlena);
	for (int i = 0; i < keys->count; i++)
	{
		char *key = OidOutputFunctionCall(output, PointerGetDatum(key_array(keys, i)));

		names[i] = CStringGetTextDatum(psprintf("%s%s", request->name, key));
	}
	return construct_array(names, keys->count, TEXTOID, -1, false, TYPALIGN_INT);
}

static void
refuse_incomplete(const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("some models of \"%s\" were deleted", name),
					errdetail("This request has made them, and the others still have their names."),
					errhint("Choose another name, or rename or delete the others.")));
}

/*
 * The release of this request that made models of this name, whatever keys the table's declaration
 * lists by now; 0 if there is none.
 */
static int64
find_named(const TrainRequest *request, const uint8 hash[CHARGE_HASH_LENGTH])
{
	static const char *const statement =
		"SELECT m.release, EXISTS (SELECT FROM dpobj.model_rows d WHERE d.release = m.release"
		" AND d.model IS NULL) FROM dpobj.model_rows m"
		" JOIN dpobj.identity_roles r ON r.id = m.owner WHERE r.role = $1"
		" AND m.request_hash = $2 AND m.name = $3 || m.key::text AND m.model IS NOT NULL LIMIT 1";
	Oid types[] = {OIDOID, BYTEAOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(GetSessionUserId()), digest_datum(hash),
					  CStringGetTextDatum(request->name)};
	Datum found[2];
	bool isnull[2];

	if (!admin_select(statement, lengthof(types), types, values, found, isnull))
		return 0;
	if (DatumGetBool(found[1]))
		refuse_incomplete(request->name);
	return DatumGetInt64(found[0]);
}

/* Raises an error if another request has made something of one of the names. */
static void
check_names(const TrainRequest *request, const uint8 hash[CHARGE_HASH_LENGTH])
{
	static const char *const statement =
		"SELECT m.name, m.model IS NULL FROM dpobj.model_rows m"
		" JOIN dpobj.identity_roles r ON r.id = m.owner"
		" WHERE r.role = $1 AND m.name = ANY ($2) AND m.released IS NOT NULL"
		" AND m.request_hash IS DISTINCT FROM $3 ORDER BY m.release, m.place";
	Oid types[] = {OIDOID, TEXTARRAYOID, BYTEAOID};
	Datum values[lengthof(types)];
	Datum found[2];
	bool isnull[2];

	if (request->name == NULL)
		return;
	values[0] = ObjectIdGetDatum(GetSessionUserId());
	values[1] = PointerGetDatum(model_names(request));
	values[2] = digest_datum(hash);
	if (admin_select(statement, lengthof(types), types, values, found, isnull))
		kept_refuse_name(TextDatumGetCString(found[0]),
						 DatumGetBool(found[1]) ? KEPT_ANSWER : KEPT_MODEL);
}

/*
 * Finds models that this request has made, an array of dp_group: by their names, or in another
 * evaluation of the call.
 */
static bool
find_made(Release *release, Datum *kept)
{
	static const char *const statement =
		"SELECT g.groups FROM dpobj.model_groups g WHERE g.release = $1";
	const TrainRequest *request = &((GroupsRun *) release)->request;
	const uint8 *hash = release->terms.request_hash;
	int64 made =
		request->name == NULL ? same_call_find(release->fcinfo, hash) : find_named(request, hash);
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(made)};
	bool isnull;

	return made != 0 && admin_select(statement, lengthof(types), types, values, kept, &isnull);
}

/* ---- the release ---- */

/* Sets a limit for all states together; 0: none. */
static void
bound_memory(RowsState **states, int count, Size limit)
{
	for (int i = 0; i < count; i++)
	{
		states[i]->memory.bounded = MemoryContextGetParent(states[i]->header.eoh_context);
		states[i]->memory.limit = limit;
	}
}

/*
 * As in train.c: whether rows are spilled, and the sizes of the files, follow from the
 * public number of rows, the declaration and settings.  If the files would be too large,
 * halfspaces keep their rows in memory, which is enough for many groups of a few distinct rows.
 * They get a quarter of the limit, because all problems are made before the first is solved.
 */
static void
spill_states(const Training *training, RowsState **states, int count)
{
	Size limit = spill_limit(training->limits.megabytes);
	double room = spill_room(&training->encoding, (double) training->most_rows, count, limit);

	if (room == 0)
		return;
	if (room * count > (double) GROUPS_MAX_ROOM)
	{
		if (!mechanism_get(training->request.kind)->streams)
		{
			bound_memory(states, count, (Size) training->limits.megabytes * (1024 * 1024 / 4));
			return;
		}
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the table is too large for %d groups", training->keys->count),
						errdetail("Each of them needs room for all rows in a temporary file."),
						errhint("Use dpobj.train with a filter for each group, or raise "
								"work_mem or dpobj.memory_limit.")));
	}
	if (training->person != NULL)
		bound_memory(states, count, (Size) training->limits.megabytes * (1024 * 1024 / 2));
	for (int i = 0; i < count; i++)
		rows_state_spill(states[i], group_limit(training, limit * training->keys->count / count),
						 (off_t) room);
}

static void
settle(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;
	const TrainRequest *request = &run->request;
	Training *training = request->training;
	AnalystTable *opened = &run->opened;

	train_request_settle(request, opened, &run->keys);
	check_names(request, release->terms.request_hash);
	run->provenance = analyst_provenance(opened, request->filter);
	training->provenance =
		psprintf("%s%s", run->provenance, groups_provenance(training, request->by));
	release->charge = trained_charge(training);
	analyst_shape(release, opened);
}

static int
state_count(const Training *training)
{
	return training->keys->count * (train_rating_is_dealt(training) ? 2 : 1);
}

static void
make_room(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;
	Training *training = run->request.training;
	int count = state_count(training);

	run->states = groups_states(
		training, count,
		AllocSetContextCreate(CurrentMemoryContext, "dpobj groups", ALLOCSET_DEFAULT_SIZES));
	run->answers = palloc(training->keys->count * sizeof(MechanismAnswer));
	scan_set_rows(release->scan, training->most_rows, training->leaves_out);
	spill_states(training, run->states, count);
	train_rating_check(training, release->scan);
	scan_make_room(release->scan, &training->encoding, 0, training->limits.megabytes);
	train_request_note_name(&run->request);
}

/* The scan stays open if it is to read the rows that rate. */
static void
read_rows(GroupsRun *run)
{
	const Training *training = run->request.training;
	Scan *scan = run->release.scan;
	bool dealt = train_rating_is_dealt(training);
	int count = state_count(training);
	Rows **rows = palloc(count * sizeof(Rows *));

	for (int i = 0; i < count; i++)
		rows[i] = &run->states[i]->rows;
	scan_run_sets(
		scan,
		&(ScanSets){.rows = rows, .count = training->keys->count, .grouped = true, .sides = dealt},
		NULL);
	if (dealt)
		run->parts = scan_detach_parts(scan);
	if (dealt || training->rating.epsilon == 0)
		scan_close(scan);
}

static bool
draw(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;
	Training *training = run->request.training;
	RatedRows rated = {run->states + training->keys->count};
	SolverOutcome outcome;

	holdout_draw(&run->opened.holdout);
	read_rows(run);
	rated.parts = run->parts;
	run->problems = groups_encode(training, run->states, true);
	outcome = groups_solve(training, run->problems, run->answers);
	training->provenance = run->provenance; /* shorter than with all keys */
	if (outcome == SOLVER_ANSWERED && training->rating.epsilon > 0)
		train_rating_draw(release, &run->opened, training, run->answers,
						  train_rating_is_dealt(training) ? &rated : NULL);
	return outcome == SOLVER_ANSWERED;
}

static void
close_run(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;
	const Training *training = run->request.training;

	groups_close(training, run->problems);
	for (int i = training->keys->count; i < state_count(training); i++)
		spill_close(&run->states[i]->spill);
	if (run->parts != NULL)
		scan_parts_close(run->parts);
	if (training->rating.epsilon > 0 && !train_rating_is_dealt(training))
		scan_close(release->scan);
}

static Datum
keep(Release *release)
{
	GroupsRun *run = (GroupsRun *) release;

	return PointerGetDatum(groups_release(run->request.training, release->id, run->provenance,
										  run->request.by, run->answers, run->group_type));
}

/* ---- the set ---- */

static void
put_groups(Tuplestorestate *set, TupleDesc descriptor, Datum groups)
{
	ArrayType *array = DatumGetArrayTypeP(groups);
	Oid group_type = ARR_ELEMTYPE(array);
	TupleDesc group = lookup_rowtype_tupdesc_copy(group_type, -1);
	Datum *rows;
	int count;

	deconstruct_array(array, group_type, -1, false, TYPALIGN_DOUBLE, &rows, NULL, &count);
	for (int i = 0; i < count; i++)
	{
		HeapTupleHeader row = DatumGetHeapTupleHeader(rows[i]);
		HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
		Datum values[2];
		bool nulls[2];

		heap_deform_tuple(&tuple, group, values, nulls);
		tuplestore_putvalues(set, descriptor, values, nulls);
	}
}

/* Type dp_group is in the schema of dp_model. */
static Oid
find_group_type(TupleDesc descriptor)
{
	Oid model = TupleDescAttr(descriptor, 1)->atttypid;
	Oid space = get_rel_namespace(get_typ_typrelid(model));
	Oid group = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("dp_group"),
								ObjectIdGetDatum(space));

	if (!OidIsValid(group))
		elog(ERROR, "type dp_group not found");
	return group;
}

/*
 * dpobj.train_groups(relation, label, epsilon, features, delta, method, options, filter, name,
 * by) -> key, model
 */
PG_FUNCTION_INFO_V1(dpobj_train_by);
Datum
dpobj_train_by(PG_FUNCTION_ARGS)
{
	static const ReleaseKind kind = {.solves = true,
									 .find = find_made,
									 .settle = settle,
									 .room = make_room,
									 .draw = draw,
									 .close = close_run,
									 .keep = keep};
	TupleDesc descriptor;
	Tuplestorestate *set = materialize_begin(fcinfo, &descriptor);
	GroupsRun run;

	memset(&run, 0, sizeof(run));
	run.group_type = find_group_type(descriptor);
	train_request_read(fcinfo, true, NULL, &run.request);
	analyst_begin(&run.release, &kind, fcinfo, run.request.relation);
	train_request_hash(fcinfo, &run.request, run.release.terms.request_hash);
	run.release.terms.name = run.request.name;
	put_groups(set, descriptor, release_make(&run.release));
	return (Datum) 0;
}
