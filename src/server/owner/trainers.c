/*
 * trainers.c - the aggregates dp_halfspace, dp_logistic, dp_svm, dp_classifier, dp_softmax,
 * dp_simplex and dp_linear: they collect rows, charge, solve and release.
 *
 * The guarantee rests on the order of the final function: it refuses what it can refuse from
 * public parameters, then commits the charge, and only then does the solver process get random
 * bits.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "server/base/dpobj.h"
#include "server/rows/label.h"
#include "server/owner/owner.h"
#include "server/plan/plan.h"
#include "server/release/coverage.h"
#include "server/release/encoding_choice.h"
#include "server/release/progress.h"
#include "server/release/run_choice.h"
#include "server/release/trained.h"
#include "server/rows/next_rows.h"
#include "server/rows/rows_state.h"
#include "server/owner/trainers.h"
#include "server/release/training.h"

/* ---- the call ---- */

Jsonb *
trainer_options(PlanCall *call, int first)
{
	int position = first + TRAINER_OPTIONS;
	bool isnull;
	Datum value;

	if (list_length(call->aggref->aggargtypes) <= position)
		return NULL;
	value = plan_constant_argument(call, position, "options", &isnull);
	return isnull ? NULL : DatumGetJsonbP(value);
}

/*
 * A protected table has one adjacency: all charges to it must be about the same neighbours, or be
 * converted to them (dpobj_internal.cost_under).
 */
static void
settle_adjacency(const PlanTable *table, Options *options)
{
	if (!table->is_protected)
		return;
	if (options_given(options, "adjacency") && table->adjacency == ADJACENCY_REPLACE)
		return; /* add_remove is converted */
	if (options_given(options, "adjacency") && options->adjacency != table->adjacency)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"adjacency\" is not the table's"),
						errdetail("The table is protected with adjacency \"%s\".",
								  adjacency_name(table->adjacency)),
						errhint("Leave the option out.")));
	options->adjacency = table->adjacency;
}

void
trainer_read(PlanCall *call, int first, Jsonb *options, const PlanTable *table, Training *training)
{
	training_set_cost(training, owner_argument(call, first + TRAINER_EPSILON, "epsilon"),
					  owner_argument_type(call, first + TRAINER_EPSILON),
					  owner_argument(call, first + TRAINER_DELTA, "delta"),
					  owner_argument_type(call, first + TRAINER_DELTA));
	training_set_options(training, options);
	if (method_has_classes(training->method))
		label_open_classes(owner_argument_type(call, first + TRAINER_LABEL),
						   training->options.class_values, &training->label);
	else if (method_has_target(training->method))
		label_open_target(owner_argument_type(call, first + TRAINER_LABEL), &training->label);
	else
		label_open(
			owner_argument_type(call, first + TRAINER_LABEL), training->options.positive,
			training->options.negative,
			"Set \"positive\" in the options, or write a condition, such as outcome = 'yes'.",
			&training->label);
	owner_check_label(call, first + TRAINER_LABEL, table, &training->label, "the options");
	if (table != NULL)
		settle_adjacency(table, &training->options);
	if (training->options.low.count == 0 && training->options.scale.count == 0)
		plan_refuse_unscaled(
			plan_argument_expression(call, first + TRAINER_FEATURES), training->options.levels,
			training->options.levels_count, call->aggregate->curperagg != NULL, "a feature array",
			"feature", "a declared scale",
			"Features are clipped to [-1, 1] unless options say otherwise.",
			"Set \"scale\" and \"clip\" in the options, or cast an indicator from boolean.");
	if (method_has_target(training->method) && !options_given(&training->options, "target"))
		plan_refuse_unscaled_target(call, first + TRAINER_LABEL);
}

/* The hint for ereport() that says where to declare the number of features. */
static int
hint_dimension(void)
{
	return errhint(
		"Set \"dimension\" or \"groups\" in the options, add CHECK (cardinality(features) = N) to "
		"the table, or write the features as ARRAY[...].");
}

void
trainer_begin(PlanCall *call, int first, const PlanTable *table, int64 rows, Training *training)
{
	int features = training->options.dimension;

	if (features == 0)
		features = plan_feature_count(call, first + TRAINER_FEATURES, table);
	if (features == 0)
		features = encoding_declared_features(&training->options);
	if (features == 0 && training->keys != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("for groups the dimension must be declared"),
				 errdetail("A group may have no row that could tell it."), hint_dimension()));
	if (features == 0 && training->options.adjacency == ADJACENCY_ADD_REMOVE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("under add_remove the dimension must be declared"), hint_dimension()));
	if (rows == TRAINER_ROWS_TO_COME)
		training->table_rows = 1; /* the final function chooses, and refuses */
	else
		training_set_table(training, table->oid, rows);
	training_begin(training, features);
}

static void
open_training(PlanCall *call, const PlanTable *table, int64 rows, Training *training)
{
	memset(training, 0, sizeof(*training));
	training_set_method(training, get_func_name(call->aggref->aggfnoid) + strlen("dp_"), "");
	trainer_read(call, 0, trainer_options(call, 0), table, training);
	trainer_begin(call, 0, table, rows, training);
}

/* ---- one row ---- */

/* What the transition function keeps between rows. */
typedef struct Accumulation
{
	Training training;
} Accumulation;

/* A parallel worker leaves most checks to the leader, which makes them before its own first row. */
static void *
accumulation_create(FunctionCallInfo fcinfo)
{
	Accumulation *accumulation = palloc0(sizeof(Accumulation));
	PlanCall call;
	PlanTable table;

	if (IsParallelWorker())
	{
		plan_read_call(fcinfo, &call);
		plan_check_groups((Agg *) call.node);
	}
	else
		owner_open_call(fcinfo, &call, &table);
	open_training(&call, IsParallelWorker() ? NULL : &table, TRAINER_ROWS_TO_COME,
				  &accumulation->training);
	return accumulation;
}

/*
 * Takes the first row's length for the dimension if nothing public gives it.  The guarantee is then
 * conditional on that row.
 */
static void
adopt_features(Accumulation *accumulation, Rows *rows, int features, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	if (!accumulation->training.settled)
	{
		accumulation->training.length_of_row = true;
		training_set_features(&accumulation->training, features);
	}
	MemoryContextSwitchTo(old);
	(void) rows_set_features(rows, accumulation->training.encoding.features);
}

/* The number of a row's features; 0 unless the array has one dimension. */
static int
length_of(const ArrayType *array)
{
	return ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
}

/* Adds a row with the number to be predicted in front of the features. */
static void
add_target_row(Rows *rows, double target, const double *features, int count)
{
	double row[COLUMNS_MAX];

	row[0] = target;
	memcpy(row + 1, features, count * sizeof(double));
	rows_add(rows, row, true);
}

void
trainer_let_spill(FunctionCallInfo fcinfo, const Training *training, Size limit, RowsState *state)
{
	if (training->settled && state->rows.sink == NULL)
		rows_state_spill_in_query(state, fcinfo, limit);
}

/* The number in front of the features; a label that is none of the classes is neither. */
static Label
read_target(const Training *training, Datum datum, double *number)
{
	int class;

	if (method_has_target(training->method))
	{
		*number = label_read_target(&training->label, datum);
		return LABEL_POSITIVE;
	}
	class = label_read_class(&training->label, datum);
	*number = class;
	return class >= 0 ? LABEL_POSITIVE : LABEL_NEITHER;
}

void
trainer_add(const Training *training, RowsState *state, ArrayType *array, Datum label_datum)
{
	Rows *rows = &state->rows;
	bool target = training_target_columns(training) > 0;
	int features = length_of(array);
	double number = 0;
	Label label = target ? read_target(training, label_datum, &number)
						 : label_read(&training->label, label_datum);

	if (features == 0 || features != rows->encoding.features - (target ? 1 : 0) ||
		label == LABEL_NEITHER || (ARR_HASNULL(array) && array_contains_nulls(array)))
		rows_add_neutral(rows, 1);
	else if (target)
		add_target_row(rows, number, (double *) ARR_DATA_PTR(array), features);
	else
		rows_add(rows, (double *) ARR_DATA_PTR(array), label == LABEL_POSITIVE);
}

/* A partial state must fit a value that is passed on to the leader. */
static Size
limit_of(FunctionCallInfo fcinfo, const Training *training)
{
	Size limit = spill_limit(training_megabytes(training));

	if (DO_AGGSPLIT_SKIPFINAL(castNode(AggState, fcinfo->context)->aggsplit))
		limit = Min(limit, MaxAllocSize / 2);
	return limit;
}

static void
add_row(FunctionCallInfo fcinfo, Accumulation *accumulation, RowsState *state)
{
	Rows *rows = &state->rows;
	ArrayType *array;
	int features;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		rows_add_neutral(rows, 1);
		return;
	}
	array = PG_GETARG_ARRAYTYPE_P(1);
	next_rows_prefetch(array, VARSIZE(array));
	features = length_of(array);
	if (rows->encoding.features == 0 && features > 0)
		adopt_features(accumulation, rows, features, fcinfo->flinfo->fn_mcxt);
	if (rows->sink == NULL)
		trainer_let_spill(fcinfo, &accumulation->training,
						  limit_of(fcinfo, &accumulation->training), state);
	trainer_add(&accumulation->training, state, array, PG_GETARG_DATUM(2));
}

/*
 * dpobj_internal.train_accumulate(dp_rows, features float8[], label, epsilon, delta [, options]) ->
 * dp_rows: adds one row.  A row that cannot be encoded is neutral; no row raises an error.
 */
PG_FUNCTION_INFO_V1(dpobj_train_accumulate);
Datum
dpobj_train_accumulate(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	Accumulation *accumulation = owner_accumulation(fcinfo, &context, accumulation_create);
	RowsState *state;

	state = PG_ARGISNULL(0) ? rows_state_create(&accumulation->training.encoding, context)
							: rows_state_get(PG_GETARG_DATUM(0), context);
	add_row(fcinfo, accumulation, state);
	return RowsStateGetDatum(state);
}

/* ---- the release ---- */

void
trainer_fail(SolverOutcome outcome, const Training *training)
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

/*
 * Checks the length of the state's rows.  It differs from the dimension if it came from the first
 * row, and a constraint with another length has been validated since.
 */
static void
check_length(const Training *training, RowsState *state)
{
	int length = training->encoding.features;

	if (state == NULL || state->rows.encoding.features == length)
		return;
	if (state->rows.encoding.features > 0 || !rows_set_features(&state->rows, length))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
						errmsg("a constraint of the table was changed meanwhile")));
}

static void
settle_from_state(Training *training, RowsState *state)
{
	if (training->settled)
	{
		check_length(training, state);
		return;
	}
	if (state == NULL || state->rows.encoding.features == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the dimension is not known"), hint_dimension()));
	training->length_of_row = true;
	training_set_features(training,
						  state->rows.encoding.features - training_target_columns(training));
}

typedef struct TrainerRun
{
	Release release; /* the first member */
	Training training;
	TupleDesc descriptor;
	RowsState *state; /* NULL if there was no row */
	int64 usable;
	int64 unusable;
	uint8 *problem;
	Size length;
	MechanismAnswer answer;
	SolverOutcome outcome;
} TrainerRun;

static void
settle(Release *release)
{
	TrainerRun *run = (TrainerRun *) release;

	settle_from_state(&run->training, run->state);
	run->training.request.progress = progress_wanted(release->table);
	run->problem = trained_encode(&run->training, run->state, &run->length);
	release->charge = trained_charge(&run->training);
	run_tell(&run->training);
}

static bool
draw(Release *release)
{
	TrainerRun *run = (TrainerRun *) release;
	Spill *spill = run->state == NULL ? NULL : &run->state->spill;

	coverage_draw(&run->training, run->usable, run->unusable);
	run->outcome =
		trained_solve(&run->training, run->problem, run->length, spill, NULL, &run->answer);
	return run->outcome == SOLVER_ANSWERED;
}

static void
fail(Release *release)
{
	const TrainerRun *run = (TrainerRun *) release;

	trainer_fail(run->outcome, &run->training);
}

static void
close_run(Release *release)
{
	TrainerRun *run = (TrainerRun *) release;

	if (run->state != NULL)
		spill_close(&run->state->spill); /* a cursor may stay open for long */
}

static Datum
keep(Release *release)
{
	TrainerRun *run = (TrainerRun *) release;

	return trained_keep(&run->training, release->id, &run->answer, run->descriptor);
}

/* dpobj_internal.train_final(dp_rows) -> dp_model: charges, solves, releases. */
PG_FUNCTION_INFO_V1(dpobj_train_final);
Datum
dpobj_train_final(PG_FUNCTION_ARGS)
{
	static const ReleaseKind kind = {
		.settle = settle, .draw = draw, .fail = fail, .close = close_run, .keep = keep};
	TrainerRun run;
	PlanCall call;
	PlanTable table;

	memset(&run, 0, sizeof(run));
	owner_open_call(fcinfo, &call, &table);
	if (!PG_ARGISNULL(0))
		run.state = rows_state_get(PG_GETARG_DATUM(0), CurrentMemoryContext);
	if (run.state != NULL)
	{
		run.usable = rows_usable(&run.state->rows);
		run.unusable = run.state->rows.neutral;
	}
	open_training(&call, &table, plan_is_whole_table(&call, &table) ? run.usable + run.unusable : 0,
				  &run.training);
	if (get_call_result_type(fcinfo, NULL, &run.descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the aggregate's final function must return dp_model");
	owner_begin(&run.release, &kind, fcinfo, &table);
	return release_make(&run.release);
}
