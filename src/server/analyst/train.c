/*
 * train.c - dpobj.train(): trains a model for a role that may not read the table.
 *
 * A name makes a request idempotent: the same request under the same name returns the stored model
 * and costs nothing.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/memutils.h"

#include "server/analyst/analyst.h"
#include "server/analyst/train_rating.h"
#include "server/analyst/train_request.h"
#include "server/release/coverage.h"
#include "server/release/kept.h"
#include "server/release/passes.h"
#include "server/release/trained.h"
#include "server/release/usefulness.h"
#include "server/base/run_watch.h"
#include "server/rows/rows_state.h"
#include "server/rows/scan_parts.h"

typedef struct TrainRun
{
	Release release; /* the first member */
	TrainRequest request;
	TupleDesc descriptor;
	AnalystTable opened;
	RowsState *state; /* empty until the run */
	Spill spill;      /* the temporary file of the state, after the run */
	RowsState *rated; /* of rows that are dealt, those that rate; NULL: none */
	ScanParts *parts; /* once they have read; NULL: none */
	Passes *passes;   /* over rows on several servers; NULL: the rows are gathered here */
	int64 left_out;   /* scan_left_out() */
	bool closed;      /* the scan is */
	MechanismAnswer answer;
} TrainRun;

static void
settle(Release *release)
{
	TrainRun *run = (TrainRun *) release;
	const TrainRequest *request = &run->request;
	Training *training = request->training;
	AnalystTable *opened = &run->opened;

	train_request_settle(request, opened, NULL);
	training->provenance = analyst_provenance(opened, request->filter);
	training->request.progress = run_watch != NULL;
	if (training_rows_are_public(training))
		release->public_rows = (double) training->table_rows;
	release->charge = trained_charge(training);
	analyst_shape(release, opened);
	usefulness_check(training);
}

/* States in one context have the memory that one would have */
static RowsState *
make_state(const Training *training, MemoryContext context, Size limit, double room)
{
	RowsState *state = rows_state_create(&training->encoding, context);

	state->memory.bounded = context;
	if (training->person != NULL)
		state->memory.limit = (Size) training->limits.megabytes * (1024 * 1024 / 2);
	if (room > 0)
		rows_state_spill(state, limit, (off_t) room);
	return state;
}

/*
 * Whether rows are spilled, and the size of the file, follow from the public number of rows, the
 * declaration and settings; if the file cannot be made, that is an error before the charge.  Rows
 * of other servers that answer passes need no room here.  Rows that rate get as much as those that
 * train, because coins decide which they are.
 */
static void
make_room(Release *release)
{
	TrainRun *run = (TrainRun *) release;
	const Training *training = run->request.training;
	Scan *scan = release->scan;
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj training", ALLOCSET_DEFAULT_SIZES);
	int sets = train_rating_is_dealt(training) ? 2 : 1;
	Size limit = spill_limit(training->limits.megabytes);
	bool passes = passes_are_made(training, scan);
	double share = passes ? (double) scan_places_here(scan) / scan_places(scan) : 1;
	double rows = share * (double) training->most_rows;
	double room = spill_room(&training->encoding, rows, sets, limit);

	train_rating_check(training, scan);
	scan_set_rows(scan, training->most_rows, training->leaves_out);
	run->state = make_state(training, context, limit / sets, room);
	if (sets > 1)
		run->rated = make_state(training, context, limit / sets, room);
	scan_make_room(scan, &training->encoding, 0, training->limits.megabytes);
	train_request_note_name(&run->request);
}

/* The rows are gathered here and go to the solver. */
static SolverOutcome
solve_here(TrainRun *run)
{
	const Training *training = run->request.training;
	Size length;
	uint8 *problem;

	problem = trained_encode(training, run->state, &length);
	run->spill = run->state->spill;
	MemoryContextDelete(run->state->header.eoh_context);
	return trained_solve(training, problem, length, &run->spill, NULL, &run->answer);
}

/* The rows stay where they are and answer the solver's passes.  An error ends the parts at once. */
static SolverOutcome
solve_by_passes(TrainRun *run)
{
	SolverOutcome outcome;
	Size length;
	const uint8 *problem = passes_problem(run->passes, &length);

	run->spill = run->state->spill;
	passes_begin(run->passes, run->parts, run->state);
	PG_TRY();
	{
		outcome = trained_solve(run->request.training, problem, length, NULL,
								passes_parts(run->passes), &run->answer);
	}
	PG_CATCH();
	{
		passes_end(run->passes);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return outcome;
}

/* Reads the rows.  Their scan stays open only if it is to read those that rate. */
static void
read_rows(TrainRun *run)
{
	const Training *training = run->request.training;
	Scan *scan = run->release.scan;
	Rows *rows[] = {&run->state->rows, run->rated == NULL ? NULL : &run->rated->rows};

	scan_run_sets(scan, &(ScanSets){.rows = rows, .count = 1, .sides = run->rated != NULL}, NULL);
	run->left_out = scan_left_out(scan);
	if (training->rating.epsilon > 0 && run->rated == NULL)
		return;
	if (run->passes != NULL || run->rated != NULL)
		run->parts = scan_detach_parts(scan);
	scan_close(scan);
	run->closed = true;
}

static bool
draw(Release *release)
{
	TrainRun *run = (TrainRun *) release;
	Training *training = run->request.training;
	Rows *rows = &run->state->rows;
	RatedRows rated;
	SolverOutcome outcome;

	holdout_draw(&run->opened.holdout);
	run->passes = passes_plan(training, release->scan);
	read_rows(run);
	coverage_draw(training, rows_usable(rows) + passes_rows_elsewhere(run->passes),
				  rows->neutral - run->left_out);
	outcome = run->passes == NULL ? solve_here(run) : solve_by_passes(run);
	rated = (RatedRows){&run->rated, run->parts};
	if (outcome == SOLVER_ANSWERED && training->rating.epsilon > 0)
		train_rating_draw(release, &run->opened, training, &run->answer,
						  run->rated == NULL ? NULL : &rated);
	return outcome == SOLVER_ANSWERED;
}

static void
close_run(Release *release)
{
	TrainRun *run = (TrainRun *) release;

	passes_end(run->passes);
	spill_close(&run->spill);
	if (run->rated != NULL)
		spill_close(&run->rated->spill);
	if (run->parts != NULL)
		scan_parts_close(run->parts);
	if (!run->closed)
		scan_close(release->scan);
}

static Datum
keep(Release *release)
{
	TrainRun *run = (TrainRun *) release;

	return trained_keep(run->request.training, release->id, &run->answer, run->descriptor);
}

/* dpobj.train(relation, label, epsilon, features, delta, method, options, filter, name) -> dp_model
 */
PG_FUNCTION_INFO_V1(dpobj_train);
Datum
dpobj_train(PG_FUNCTION_ARGS)
{
	static const ReleaseKind kind = {.solves = true,
									 .find = kept_find_model,
									 .settle = settle,
									 .room = make_room,
									 .draw = draw,
									 .close = close_run,
									 .keep = keep};
	TrainRun run;

	memset(&run, 0, sizeof(run));
	if (get_call_result_type(fcinfo, NULL, &run.descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type of dpobj.train must be dp_model");
	train_request_read(fcinfo, false, NULL, &run.request);
	analyst_begin(&run.release, &kind, fcinfo, run.request.relation);
	train_request_hash(fcinfo, &run.request, run.release.terms.request_hash);
	run.release.terms.name = run.request.name;
	PG_RETURN_DATUM(release_make(&run.release));
}
