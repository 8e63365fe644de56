/*
 * trained.c - what a training is charged, how its problem is solved, and its model.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "core/mechanisms/weight_error.h"
#include "core/mechanisms/wire.h"

#include "server/base/run_watch.h"
#include "server/models/model.h"
#include "server/models/model_rating.h"
#include "server/release/coverage.h"
#include "server/release/encoding_choice.h"
#include "server/release/progress.h"
#include "server/release/trained.h"
#include "server/release/run_choice.h"
#include "server/ledger/charge_end.h"

uint8 *
trained_encode(const Training *training, RowsState *state, Size *length)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj problem", ALLOCSET_DEFAULT_SIZES);
	ServerMemory memory;
	ServerMemory caller;
	uint8 *bytes;
	const Mechanism *mechanism = mechanism_get(training->request.kind);
	Instance instance = {.dimension = encoding_dimension(&training->encoding)};
	Rows *rows = state == NULL ? NULL : &state->rows;

	server_memory_init(&memory, context);
	server_memory_init(&caller, CurrentMemoryContext);
	if (state != NULL && rows_state_ends_spilled(state))
		rows_spilled_instance(rows, &instance);
	else if (rows != NULL && (mechanism->convex || mechanism->targets))
		rows_labelled_instance(rows, &memory.memory, &instance);
	else if (rows != NULL)
		rows_instance(rows, mechanism->every_row, &memory.memory, &instance);
	bytes = wire_encode_problem(&training->request, &instance, &caller.memory, length);
	MemoryContextDelete(context);
	return bytes;
}

Charge
trained_charge(const Training *training)
{
	return (Charge){
		.mechanism = mechanism_get(training->request.kind)->name,
		.adjacency = training_adjacency(training),
		.pair = training_pair(training),
		.guarantee = training->guarantee,
		.parameters = training_parameters(training),
		.is_kept = true,
		.grouped = training->keys != NULL,
		.person = training->person,
	};
}

SolverOutcome
trained_solve(const Training *training, const uint8 *problem, Size length, const Spill *spill,
			  const SolverParts *parts, MechanismAnswer *answer)
{
	uint8 *bytes = NULL;
	Size bytes_length = 0;
	SolverWatch watch = run_watch != NULL ? run_watch->searched : progress_report;
	const char *rows_path = spill == NULL ? NULL : spill_path(spill);
	SolverLimits limits = training->limits;
	SolverOutcome outcome;
	ServerMemory memory;

	server_memory_init(&memory, CurrentMemoryContext);
	limits.megabytes = spill_solver_share(limits.megabytes);
	outcome = solver_run(problem, length, rows_path, &limits,
						 training->request.progress ? watch : NULL, parts, &bytes, &bytes_length);
	if (outcome == SOLVER_ANSWERED &&
		!wire_decode_answer(bytes, bytes_length, &training->request, &memory.memory, answer))
		outcome = SOLVER_DIED;
	return outcome;
}

/* The intercept of a linear model is counted from the middle of the target's bounds. */
static double
from_middle(const Training *training, int j, double weight)
{
	bool intercept = training->encoding.intercept && j == mechanism_weights(&training->request) - 1;

	if (intercept && mechanism_get(training->request.kind)->targets)
		weight += encoding_target_middle(training);
	return weight;
}

/* Returns a weight: a multiple of the step, a share of the draws, or a level of the grid. */
static double
model_weight(const Training *training, const MechanismAnswer *answer, int j)
{
	const MechanismRequest *request = &training->request;
	const Mechanism *mechanism = mechanism_get(request->kind);
	int64 draws = 0;

	if (mechanism->terms == TERMS_POOL)
		return answer->weight[j] * ldexp(1, -CONVEX_OUTPUT_BITS);
	if (mechanism->convex)
		return from_middle(training, j,
						   answer->weight[j] * (ldexp(1, -CONVEX_OUTPUT_BITS) *
												convex_weight_unit(&request->convex)));
	if (!mechanism->targets)
		return request->grid.level[j % request->grid.dimension][answer->index[j]];
	for (int k = 0; k < request->grid.dimension; k++)
		draws += answer->weight[k];
	return (double) answer->weight[j] / (double) draws;
}

/*
 * Adds to details what the candidates can be drawn again from: the public coins, the released
 * centre and the candidate that each round has drawn.
 */
static char *
with_record(const char *details, const Training *training, const PoolRecord *record)
{
	StringInfoData text;

	initStringInfo(&text);
	appendBinaryStringInfo(&text, details, strlen(details) - 1);
	appendStringInfoString(&text, ", \"pool_seed\": \"");
	for (int i = 0; i < lengthof(record->seed.byte); i++)
		appendStringInfo(&text, "%02x", record->seed.byte[i]);
	appendStringInfoString(&text, "\", \"pool_centre\": [");
	for (int j = 0; j < training->request.grid.dimension; j++)
		appendStringInfo(&text, "%s%.17g", j > 0 ? ", " : "",
						 ldexp((double) record->centre[j], -CONVEX_OUTPUT_BITS));
	appendStringInfoString(&text, "], \"pool_drawn\": [");
	for (int round = 0; round < training->request.pool.rounds; round++)
		appendStringInfo(&text, "%s" INT64_FORMAT, round > 0 ? ", " : "", record->drawn[round]);
	appendStringInfoString(&text, "]}");
	return text.data;
}

static char *
with_ratings(const char *details, const Training *training)
{
	StringInfoData text;

	initStringInfo(&text);
	appendBinaryStringInfo(&text, details, strlen(details) - 1);
	coverage_append(&text, training);
	if (training->rating.table != NULL)
		model_rating_append(&text, training->rating.table);
	else if (training->rating.why_not != NULL)
	{
		appendStringInfoString(&text, ", \"unrated\": ");
		escape_json(&text, training->rating.why_not);
	}
	appendStringInfoChar(&text, '}');
	return text.data;
}

/* How many rows a group has is not public. */
static char *
with_errors(const char *details, const Training *training, const Model *model)
{
	double *error = palloc(model->weights * sizeof(double));
	int64 rows = training->keys == NULL ? training_rows_read(training, training->options.n) : 0;
	Encoding encoding;
	StringInfoData text;

	encoding_of_features(training, &encoding);
	if (!weight_errors(&training->request, &encoding, rows, model->weight, error))
		return unconstify(char *, details);
	initStringInfo(&text);
	appendBinaryStringInfo(&text, details, strlen(details) - 1);
	for (int j = 0; j < model->weights; j++)
		appendStringInfo(&text, "%s%.3g", j == 0 ? ", \"weight_errors\": [" : ", ", error[j]);
	appendStringInfoString(&text, "]}");
	return text.data;
}

void
trained_describe(const Training *training, int64 release, const MechanismAnswer *answer,
				 Model *model)
{
	const Mechanism *mechanism = mechanism_get(training->request.kind);

	bool pooled = mechanism->terms == TERMS_POOL;

	/* a pool's answer predicts labels, but its length says nothing of probabilities */
	model->kind = method_name(pooled ? METHOD_HALFSPACE : training->method);
	model->mechanism = mechanism->name;
	model->weights = mechanism_weights(&training->request);
	model->weight = palloc(model->weights * sizeof(double));
	for (int j = 0; j < model->weights; j++)
		model->weight[j] = model_weight(training, answer, j);
	if (training->rating.table != NULL && training->rating.table->moved != 0)
		model->weight[model->weights - 1] += training->rating.table->moved;
	model->epsilon = (double) training->cost.epsilon_charged / EPSILON_ONE;
	model->delta = (double) training->cost.delta_charged / DELTA_ONE;
	model->adjacency = adjacency_name(training_adjacency(training));
	model->guarantee = training->guarantee;
	model->release = release;
	model->details = training_parameters(training);
	if (pooled)
		model->details = with_record(model->details, training, &answer->pool);
	model->details = with_errors(with_ratings(model->details, training), training, model);
}

Datum
trained_keep(const Training *training, int64 release, const MechanismAnswer *answer,
			 TupleDesc descriptor)
{
	Model model;
	Datum row;
	uint8 hash[MODEL_HASH_LENGTH];

	trained_describe(training, release, answer, &model);
	model_hash(&model, hash);
	row = model_form(&model, descriptor);
	charge_released(release, hash, DatumGetHeapTupleHeader(row));
	coverage_warn(training);
	return row;
}
