/*
 * halfspace.c - the aggregate dp_halfspace: stream rows, charge, solve, release.
 *
 * The order of the final function is the guarantee: everything that can be
 * refused is refused from public parameters, then the charge is committed, and
 * only then does the solver process receive random bits.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "access/parallel.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/wire.h"

#include "charge.h"
#include "dpobj.h"
#include "model.h"
#include "plan.h"
#include "progress.h"
#include "rows_state.h"
#include "training.h"

/* ---- one row ---- */

/* What the transition function keeps between rows. */
typedef struct Accumulation
{
	Training training;
	Oid label_type;
} Accumulation;

typedef enum Label
{
	LABEL_NEGATIVE,
	LABEL_POSITIVE,
	LABEL_NEITHER
} Label;

/* 1 is positive, 0 and -1 are negative; any other integer makes a neutral row. */
static Label
read_label(Datum datum, Oid type)
{
	int64 value;

	if (type == BOOLOID)
		return DatumGetBool(datum) ? LABEL_POSITIVE : LABEL_NEGATIVE;
	value = type == INT4OID ? DatumGetInt32(datum) : DatumGetInt64(datum);
	if (value == 1)
		return LABEL_POSITIVE;
	return value == 0 || value == -1 ? LABEL_NEGATIVE : LABEL_NEITHER;
}

/* Public checks come before the first row is looked at, except in a parallel worker's copy. */
static Accumulation *
accumulation_create(FunctionCallInfo fcinfo)
{
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Accumulation *accumulation = palloc0(sizeof(Accumulation));
	PlanCall call;
	PlanTable table;

	plan_read_call(fcinfo, &call);
	if (!IsParallelWorker())
	{
		plan_check_shape(&call, &table);
		charge_precheck();
	}
	training_open(&call, IsParallelWorker() ? NULL : &table, &accumulation->training);
	accumulation->label_type = get_fn_expr_argtype(fcinfo->flinfo, 1 + ARGUMENT_LABEL);
	MemoryContextSwitchTo(old);
	return accumulation;
}

/* The first row's length is the dimension, where nothing public tells it. */
static void
adopt_features(Accumulation *accumulation, Rows *rows, int features, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	if (!accumulation->training.settled)
		training_set_features(&accumulation->training, features);
	MemoryContextSwitchTo(old);
	(void) rows_set_features(rows, accumulation->training.encoding.features);
}

static void
add_row(FunctionCallInfo fcinfo, Accumulation *accumulation, Rows *rows)
{
	ArrayType *array;
	int features;
	Label label;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		rows_add_neutral(rows, 1);
		return;
	}
	array = PG_GETARG_ARRAYTYPE_P(1);
	features = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
	if (rows->encoding.features == 0 && features > 0)
		adopt_features(accumulation, rows, features, fcinfo->flinfo->fn_mcxt);
	label = read_label(PG_GETARG_DATUM(2), accumulation->label_type);
	if (features == 0 || features != rows->encoding.features || label == LABEL_NEITHER ||
		(ARR_HASNULL(array) && array_contains_nulls(array)))
		rows_add_neutral(rows, 1);
	else
		rows_add(rows, (double *) ARR_DATA_PTR(array), label == LABEL_POSITIVE);
}

/*
 * dpobj.halfspace_accumulate(dp_rows, features float8[], label, epsilon, delta
 * [, options]): adds one row to the state.  A row that cannot be encoded is
 * neutral; no row raises an error.
 */
PG_FUNCTION_INFO_V1(dpobj_halfspace_accumulate);
Datum
dpobj_halfspace_accumulate(PG_FUNCTION_ARGS)
{
	Accumulation *accumulation = fcinfo->flinfo->fn_extra;
	MemoryContext context;
	RowsState *state;

	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
	{
		PlanCall call;

		plan_read_call(fcinfo, &call); /* raises the error that fits */
	}
	if (accumulation == NULL)
	{
		accumulation = accumulation_create(fcinfo);
		fcinfo->flinfo->fn_extra = accumulation;
	}
	state = PG_ARGISNULL(0) ? rows_state_create(&accumulation->training.encoding, context)
							: rows_state_get(PG_GETARG_DATUM(0), context);
	add_row(fcinfo, accumulation, &state->rows);
	PG_RETURN_DATUM(RowsStateGetDatum(state));
}

/* ---- the release ---- */

/* Encoded problem of the state; without any row the loss is 0 for every vector. */
static uint8 *
encode_problem(const Training *training, RowsState *state, Size *length)
{
	ServerMemory memory;
	Instance instance = {.dimension = training->request.grid.dimension};

	server_memory_init(&memory, CurrentMemoryContext);
	if (state != NULL)
		rows_instance(&state->rows, &memory.memory, &instance);
	return wire_encode_problem(&training->request, &instance, &memory.memory, length);
}

static void
raise_outcome(SolverOutcome outcome, const Training *training)
{
	const char *detail = "The solver process ended unexpectedly.";

	if (outcome == SOLVER_TIME_LIMIT)
		detail = psprintf("The time limit of %d s was reached.", training->limits.seconds);
	else if (outcome == SOLVER_MEMORY_LIMIT)
		detail = "The solver process ran out of memory.";
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_STOPPED),
					errmsg("training was stopped and nothing was released"),
					errdetail("%s The charge of epsilon %.9g stays.", detail,
							  (double) training->cost.epsilon_charged / EPSILON_ONE)));
}

static void
solve(const Training *training, const uint8 *problem, Size length, int64 release,
	  MechanismAnswer *answer)
{
	uint8 *bytes = NULL;
	Size bytes_length = 0;
	SolverWatch watch = training->request.progress ? progress_report : NULL;
	SolverOutcome outcome =
		solver_run(problem, length, &training->limits, watch, &bytes, &bytes_length);

	if (outcome == SOLVER_ANSWERED &&
		!wire_decode_answer(bytes, bytes_length, &training->request, answer))
		outcome = SOLVER_DIED;
	if (outcome == SOLVER_ANSWERED)
		return;
	charge_failed(release);
	raise_outcome(outcome, training);
}

static int64
commit_charge(const Training *training, const Mechanism *mechanism, Oid table)
{
	Charge charge = {
		.relation = table,
		.mechanism = mechanism->name,
		.adjacency = training->request.adjacency,
		.epsilon = training->cost.epsilon_charged,
		.delta = training->cost.delta_charged,
		.guarantee = training->guarantee,
		.pair = mechanism->bounded_range ? "br" : "pure",
		.parameters = training_parameters(training),
	};

	return charge_commit(&charge);
}

static void
describe_model(const Training *training, const Mechanism *mechanism, int64 release,
			   const MechanismAnswer *answer, Model *model)
{
	const Grid *grid = &training->request.grid;

	model->kind = "halfspace";
	model->mechanism = mechanism->name;
	model->weights = grid->dimension;
	for (int j = 0; j < grid->dimension; j++)
		model->weight[j] = grid->level[j][answer->index[j]];
	model->epsilon = (double) training->cost.epsilon_charged / EPSILON_ONE;
	model->delta = (double) training->cost.delta_charged / DELTA_ONE;
	model->adjacency = training->request.adjacency == ADJACENCY_REPLACE ? "replace" : "add_remove";
	model->guarantee = training->guarantee;
	model->release = release;
	model->details = training_parameters(training);
}

static void
settle_from_state(Training *training, RowsState *state)
{
	if (training->settled)
		return;
	if (state == NULL || state->rows.encoding.features == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the dimension is not known"),
				 errhint("Set \"dimension\" or \"groups\" in the options, or write the "
						 "features as ARRAY[...].")));
	training_set_features(training, state->rows.encoding.features);
}

/* dpobj.halfspace_final(dp_rows) -> dp_model: charge, solve, release. */
PG_FUNCTION_INFO_V1(dpobj_halfspace_final);
Datum
dpobj_halfspace_final(PG_FUNCTION_ARGS)
{
	RowsState *state = NULL;
	Training training;
	PlanCall call;
	const Mechanism *mechanism;
	MechanismAnswer answer;
	Model model;
	TupleDesc descriptor;
	PlanTable table;
	uint8 *problem;
	Size length;
	int64 release;
	uint8 hash[MODEL_HASH_LENGTH];

	plan_read_call(fcinfo, &call);
	plan_check_shape(&call, &table);
	charge_precheck();
	training_open(&call, &table, &training);
	if (!PG_ARGISNULL(0))
		state = rows_state_get(PG_GETARG_DATUM(0), CurrentMemoryContext);
	settle_from_state(&training, state);
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type of dpobj.halfspace_final must be dp_model");
	mechanism = mechanism_get(training.request.kind);
	training.request.progress = progress_wanted(table.oid);
	problem = encode_problem(&training, state, &length);

	release = commit_charge(&training, mechanism, table.oid);
	solve(&training, problem, length, release, &answer);

	describe_model(&training, mechanism, release, &answer, &model);
	model_hash(&model, hash);
	charge_released(release, hash);
	PG_RETURN_DATUM(model_form(&model, descriptor));
}
