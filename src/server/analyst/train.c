/*
 * train.c - dpobj.train(): trains a model for a role that may not read the table.
 *
 * The guarantee rests on the order of the steps (rule Q3).  A name makes a request
 * idempotent: the same request under the same name returns the stored model and costs
 * nothing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/analyst/analyst.h"
#include "server/analyst/kept.h"
#include "server/base/gate.h"
#include "server/ledger/grant.h"
#include "server/release/coverage.h"
#include "server/release/release.h"
#include "server/rows/rows_state.h"
#include "server/release/same_call.h"
#include "server/analyst/train.h"

/* ---- the release ---- */

/* The rows are gathered here and go to the solver. */
static SolverOutcome
solve_here(TrainRun *run)
{
	Size length;
	uint8 *problem;

	scan_close(run->scan);
	problem = release_encode(run->training, run->state, &length);
	run->spill = run->state->spill;
	MemoryContextDelete(run->state->header.eoh_context);
	return release_solve(run->training, problem, length, &run->spill, NULL, &run->answer);
}

/* The rows stay where they are and answer the solver's passes.  An error ends the parts at once. */
static SolverOutcome
solve_by_passes(TrainRun *run)
{
	SolverOutcome outcome;
	Size length;
	const uint8 *problem = passes_problem(run->passes, &length);

	run->spill = run->state->spill;
	passes_begin(run->passes, run->scan, run->state);
	scan_close(run->scan);
	PG_TRY();
	{
		outcome = release_solve(run->training, problem, length, NULL, passes_parts(run->passes),
								&run->answer);
	}
	PG_CATCH();
	{
		passes_end(run->passes);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return outcome;
}

bool
train_run(void *context)
{
	TrainRun *run = context;
	Rows *rows = &run->state->rows;
	SolverOutcome outcome;

	run->passes = passes_plan(run->training, run->scan);
	scan_run(run->scan, run->training->job, rows);
	coverage_draw(run->training, rows_usable(rows) + passes_rows_elsewhere(run->passes),
				  rows->neutral - scan_left_out(run->scan));
	outcome = run->passes == NULL ? solve_here(run) : solve_by_passes(run);
	return outcome == SOLVER_ANSWERED;
}

void
train_end(TrainRun *run)
{
	passes_end(run->passes);
	spill_close(&run->spill);
	scan_end_room(run->scan);
}

/* Grid and mechanism follow from the declaration and the options alone. */
void
train_open(const TrainRequest *request, TrainRun *run)
{
	Training *training = request->training;
	LabelChoice label = training_label_choice(training, request->label);

	memset(run, 0, sizeof(*run));
	run->training = training;
	analyst_open(request->relation, NIL, request->features, &label, request->filter, &run->opened);
	analyst_hold_out(&run->opened, training->options.holdout, true);
	training_set_label(training, run->opened.label, request->options);
	training_set_protected(training, &run->opened.features, &run->opened.protection);
	training->provenance = analyst_provenance(&run->opened, request->filter);
	training_set_table(training, run->opened.table, 0);
	training_begin(training, training->options.dimension);
}

void
train_check_budgets(const TrainRun *run)
{
	Pair pair = training_pair(run->training);

	grant_check_budgets(run->opened.table, &pair, run->opened.protection.adjacency);
}

void
train_lock(TrainRun *run)
{
	const AnalystTable *opened = &run->opened;

	run->scan = scan_open(opened->table, opened->protection.ignore_rls, &opened->shape);
	scan_set_rows(run->scan, run->training->most_rows, run->training->leaves_out);
}

/*
 * Whether rows are spilled, and the size of the file, follow from the public number of rows, the
 * declaration and settings; if the file cannot be made, that is an error before the charge.  Rows
 * of other servers that answer passes need no room here.
 */
void
train_make_room(TrainRun *run)
{
	const Training *training = run->training;
	Size limit = spill_limit(training->limits.megabytes);
	bool passes = passes_are_made(training, run->scan);
	double share = passes ? (double) scan_places_here(run->scan) / scan_places(run->scan) : 1;
	double rows = share * (double) training->most_rows;
	double room = spill_room(&training->encoding, rows, 1, limit);

	run->state = rows_state_create(&training->encoding, CurrentMemoryContext);
	if (training->person != NULL)
		run->state->memory.limit = (Size) training->limits.megabytes * (1024 * 1024 / 2);
	if (room > 0)
		rows_state_spill(run->state, limit, (off_t) room);
	scan_make_room(run->scan, &training->encoding, 0, training->limits.megabytes);
}

void
train_give_up(TrainRun *run)
{
	if (run->state != NULL)
	{
		spill_close(&run->state->spill);
		MemoryContextDelete(run->state->header.eoh_context);
	}
	scan_close(run->scan);
	scan_end_room(run->scan);
}

static Datum
train(const TrainRequest *request, AnalystTerms *terms, TupleDesc descriptor, int64 *release)
{
	TrainRun run;

	train_open(request, &run);
	train_check_budgets(&run);
	train_lock(&run);
	train_make_room(&run);
	*release = release_charge(run.training, request->relation, terms);
	scan_set_release(run.scan, *release);
	analyst_attempt(*release, terms, train_run, &run);
	train_end(&run);
	return release_model(run.training, *release, &run.answer, descriptor);
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
	analyst_ask(request.relation);
	terms.name = request.name;
	train_request_hash(fcinfo, &request, terms.request_hash);
	if (!kept_enter(fcinfo, &terms, KEPT_MODEL, &model))
	{
		scan_reach_parts(request.relation);
		/* Held until after the tick: every role can see these locks in pg_locks. */
		gate_enter_solvers(NULL);
		model = train(&request, &terms, descriptor, &release);
		gate_leave_solvers();
		same_call_remember(fcinfo, terms.request_hash, release);
		analyst_leave(terms.name);
	}
	PG_RETURN_DATUM(model);
}
