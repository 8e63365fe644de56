/*
 * train.c - dpobj.train(): a model for somebody who may not read the table.
 *
 * The order is the guarantee (API.md 2).  A name makes a request idempotent: the
 * same request under the same name returns the stored model and costs nothing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "admin.h"
#include "analyst.h"
#include "gate.h"
#include "grant.h"
#include "release.h"
#include "rows_state.h"
#include "same_call.h"
#include "train_request.h"

/* ---- names ---- */

/* Another place of this very call has made the model (same_call.h). */
static bool
find_same_call(FunctionCallInfo fcinfo, const TrainRequest *request,
			   const uint8 hash[CHARGE_HASH_LENGTH], Datum *model)
{
	static const char *const statement =
		"SELECT m.model FROM dpobj.model_rows m WHERE m.release = $1 AND m.model IS NOT NULL";
	Oid types[] = {INT8OID};
	Datum values[lengthof(types)];
	int64 release = request->name == NULL ? same_call_find(fcinfo, hash) : 0;
	bool isnull;

	values[0] = Int64GetDatum(release);
	return release != 0 && admin_select(statement, lengthof(types), types, values, model, &isnull);
}

/* The model of that name, if this very request made it; false if there is none. */
static bool
find_name(const TrainRequest *request, const uint8 hash[CHARGE_HASH_LENGTH], Datum *model)
{
	static const char *const statement =
		"SELECT m.request_hash FROM dpobj.model_rows m JOIN dpobj.identity_roles r ON r.id = "
		"m.owner"
		" WHERE r.role = $1 AND m.name = $2 AND m.model IS NOT NULL";
	static const char *const fetch =
		"SELECT m.model FROM dpobj.model_rows m JOIN dpobj.identity_roles r ON r.id = m.owner"
		" WHERE r.role = $1 AND m.name = $2";
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[lengthof(types)];
	Datum stored;
	bool isnull;

	if (request->name == NULL)
		return false;
	values[0] = ObjectIdGetDatum(GetSessionUserId());
	values[1] = CStringGetTextDatum(request->name);
	if (!admin_select(statement, lengthof(types), types, values, &stored, &isnull))
		return false;
	if (memcmp(VARDATA_ANY(DatumGetByteaPP(stored)), hash, CHARGE_HASH_LENGTH) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("model \"%s\" was made by another request", request->name),
						errhint("Choose another name. The models are in dpobj.models.")));
	return admin_select(fetch, lengthof(types), types, values, model, &isnull);
}

/* ---- the release ---- */

typedef struct Run
{
	const Training *training;
	Scan *scan;
	RowsState *state; /* empty */
	MechanismAnswer answer;
} Run;

/* All that looks at rows. */
static bool
run(void *context)
{
	Run *run = context;
	RowsState *state = run->state;
	Spill spill;
	bool answered;
	Size length;
	uint8 *problem;

	scan_run(run->scan, &state->rows);
	scan_close(run->scan);
	problem = release_encode(run->training, state, &length);
	spill = state->spill;
	MemoryContextDelete(state->header.eoh_context);
	answered =
		release_solve(run->training, problem, length, &spill, &run->answer) == SOLVER_ANSWERED;
	spill_close(&spill);
	return answered;
}

/*
 * Whether rows are spilled, and how large the file is, follows from the size of the table, which
 * is public, and from settings; that the file cannot be made is an error before the charge.  With a
 * person they are not: which of them enter is known in the end only.
 */
static RowsState *
create_state(const Training *training, const Scan *scan)
{
	RowsState *state = rows_state_create(&training->encoding, CurrentMemoryContext);
	Size limit = spill_limit(training->limits.megabytes);
	double size;

	if (!mechanism_get(training->request.kind)->streams || training->person != NULL)
		return state;
	size =
		(double) spill_record_size(encoding_dimension(&training->encoding)) * scan_most_rows(scan);
	if (size > (double) limit)
		rows_state_spill(state, limit, (off_t) size);
	return state;
}

/* Grid and mechanism, from the declaration and the options alone. */
static void
settle(const TrainRequest *request, const AnalystTable *opened)
{
	Training *training = request->training;

	training_set_protected(training, &opened->features, &opened->protection);
	if (training->method == METHOD_SIMPLEX)
		training_set_target(training, opened->label);
	training->provenance = analyst_provenance(opened, request->filter);
	training_begin(training, training->options.dimension);
}

static Datum
train(const TrainRequest *request, AnalystTerms *terms, TupleDesc descriptor, int64 *release)
{
	Training *training = request->training;
	AnalystTable opened;
	Run context = {.training = training};
	Pair pair;

	analyst_open(request->relation, request->features, request->label,
				 training->method == METHOD_SIMPLEX, request->filter, &opened);
	settle(request, &opened);
	pair = training_pair(training);
	grant_check_budgets(request->relation, &pair, opened.protection.adjacency);
	context.scan = scan_open(request->relation, opened.protection.ignore_rls, &opened.shape);
	context.state = create_state(training, context.scan);

	*release = release_charge(training, request->relation, terms);
	analyst_attempt(*release, terms, run, &context);
	return release_model(training, *release, &context.answer, descriptor);
}

/* dpobj.train(relation, label, epsilon, features, delta, method, options, filter, name) -> dp_model
 */
PG_FUNCTION_INFO_V1(dpobj_train);
Datum
dpobj_train(PG_FUNCTION_ARGS)
{
	TrainRequest request;
	AnalystTerms terms = {0};
	TupleDesc descriptor;
	Datum model;
	int64 release;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type of dpobj.train must be dp_model");
	train_request_read(fcinfo, false, &request);
	analyst_enter(request.relation);
	terms.name = request.name;
	train_request_hash(fcinfo, &request, terms.request_hash);
	if (!find_name(&request, terms.request_hash, &model) &&
		!find_same_call(fcinfo, &request, terms.request_hash, &model))
	{
		/* Held until after the tick: anybody may watch these locks in pg_locks. */
		gate_enter_solvers();
		model = train(&request, &terms, descriptor, &release);
		gate_leave_solvers();
		same_call_remember(fcinfo, terms.request_hash, release);
	}
	analyst_leave();
	PG_RETURN_DATUM(model);
}
