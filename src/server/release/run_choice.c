/*
 * run_choice.c - how long a run may take, and how much memory.
 */
#include "server/release/run_choice.h"

#include <math.h>

#include "server/base/dpobj.h"
#include "server/release/encoding_choice.h"
#include "server/release/key_list.h"
#include "server/rows/row_memory.h"

/* The widest weights and the most of them that a hint proposes. */
#define WIDEST_PROPOSED 16
#define MOST_PROPOSED 8

static int
runs_of(const Training *training)
{
	return training->keys == NULL ? 1 : training->keys->count;
}

/*
 * rows: 0 if the number is not public.  A group may have all rows.  One server has few enough to
 * try without such a number, but nobody knows how many others have; then memory is counted for all
 * combinations of values.
 */
static RunTerms
terms_of(const Training *training, int64 rows)
{
	int runs = runs_of(training);
	int64 counted = rows == 0 ? RUN_ASSUMED_ROWS : rows;
	int classes = training->method == METHOD_ONE_VS_REST ? training->options.classes : 1;
	bool unbounded = rows == 0 && training->elsewhere;
	Encoding encoding;
	double combinations;
	RunTerms terms;

	encoding_of_features(training, &encoding);
	combinations = encoding_most_distinct(&encoding) * classes;
	terms = run_terms((counted + runs - 1) / runs, &encoding,
					  (double) dpobj_longest_run / runs / classes);
	terms.held = unbounded ? combinations : Min((double) counted, combinations);
	if ((rows == 0 && !unbounded) || training_megabytes(training) > 0)
		terms.memory = INFINITY; /* or the user's own limit */
	return terms;
}

/* At the owner's door a table with more rows than are assumed has a choice that ends for them. */
RunTerms
run_declared(const Training *training)
{
	int64 rows = training->options.n;
	RunTerms terms;

	if (!training->by_analyst && rows == 0 && training->table_rows > RUN_ASSUMED_ROWS)
		rows = training->table_rows;
	terms = terms_of(training, rows);
	if (!training->by_analyst)
	{
		terms.held = training->request.run.held;
		terms.memory = training->request.run.memory;
	}
	return terms;
}

void
run_settle(Training *training)
{
	training->request.run =
		terms_of(training, training->table_rows > 0 ? training->table_rows : training->options.n);
}

/* ---- what a run takes ---- */

/*
 * Seconds of a call beside its solvers, on the machine of docs/solver.md (bench/ends.sh): the
 * charge and the answer; a solver's process; a row that is read, more if persons are protected, and
 * a feature of it.
 */
#define CALL_SECONDS 0.07
#define PROCESS_SECONDS 0.01
#define ROW_SECONDS 0.5e-6
#define PERSON_SECONDS 0.5e-6
#define FEATURE_SECONDS 0.05e-6

/* So many times as long they may take, of a disk or beside other sessions. */
#define SLOWEST_READING 2.5

/* The table that rates a model is a scan more. */
static double
seconds_beside_solvers(const Training *training, int runs)
{
	int scans = runs + (training->rating.epsilon > 0 ? 1 : 0);
	double row = ROW_SECONDS + FEATURE_SECONDS * training->encoding.features;

	if (training->person != NULL)
		row += PERSON_SECONDS;
	return CALL_SECONDS + runs * PROCESS_SECONDS + scans * row * training->request.run.rows;
}

/* Of each person, among which it is chosen; 0 if rows are protected. */
static int
persons_rows(const Training *training)
{
	return training->person == NULL ? 0 : training->rows_per_person;
}

/* An analyst's answer waits for the next tick. */
static double
at_tick(const Training *training, double seconds)
{
	double tick = dpobj_release_tick / 1000.0;

	return training->by_analyst && tick > 0 ? ceil(seconds / tick) * tick : seconds;
}

RunVerdict
run_verdict(const Training *training)
{
	MechanismVerdict solver = mechanism_verdict(&training->request);
	int runs = runs_of(training);
	double beside = seconds_beside_solvers(training, runs);
	double expected = dpobj_machine_pace * (beside + runs * solver.expected);
	double most = dpobj_machine_pace * (SLOWEST_READING * beside + runs * solver.most);
	double persons = row_memory_of_persons(persons_rows(training), &training->encoding,
										   training->table_rows, training_megabytes(training));

	return (RunVerdict){
		.expected = at_tick(training, expected),
		.most = at_tick(training, most),
		.usual_bytes = solver.usual_bytes + persons / 2,
		.bytes = solver.bytes + persons,
		.holds = solver.holds,
		.is_sure = solver.admitted && most <= dpobj_longest_run,
		.is_allowed = solver.admitted && !isinf(most) && expected <= dpobj_longest_run &&
					  solver.usual_bytes <= training->request.run.memory,
	};
}

/* Seconds in words; few digits, because they are estimates. */
static const char *
seconds_text(double seconds)
{
	return psprintf(seconds < 1e6 ? "%.0f s" : "%.1e s", ceil(seconds));
}

bool
run_may_last(const Training *training)
{
	return !training->by_analyst;
}

void
run_tell(const Training *training)
{
	RunVerdict verdict = run_verdict(training);
	const char *name = mechanism_get(training->request.kind)->name;
	bool is_limited =
		training_seconds(training) > 0 && verdict.usual_bytes <= training->request.run.memory;

	if (verdict.is_allowed || is_limited)
		return;
	ereport(
		NOTICE,
		(isinf(verdict.most) ? errmsg("no public number bounds the run of mechanism \"%s\"", name)
							 : errmsg("mechanism \"%s\" may run for %s and take %.0f MiB", name,
									  seconds_text(verdict.most), ceil(verdict.bytes / (1 << 20))),
		 errhint("It ends when it is done, by statement_timeout, \"time_limit\" or a cancel; the "
				 "charge stays.")));
}

/* Three quarters of a limit are the solver's (spill_solver_share()). */
static void
check_memory_limit(const Training *training)
{
	int megabytes = training_megabytes(training);
	double solver = DPOBJ_LEAST_MEMORY * (double) (1 << 20);

	if (megabytes == 0 || !training->by_analyst)
		return;
	if (!mechanism_get(training->request.kind)->streams)
		solver =
			Max(solver, run_bytes_of_rows(&training->request.run, training->request.grid.dimension,
										  training->request.threads) *
							(training->request.one_vs_rest > 0 ? 2 : 1) * 4 / 3);
	if (solver > (double) megabytes * (1 << 20))
		row_memory_refuse(
			solver, megabytes, training->table_rows,
			"Fewer columns, or bins instead of numbers, make fewer distinct rows, and "
			"methods \"logistic\" and \"svm\" read the rows in passes. ");
	row_memory_check(persons_rows(training), &training->encoding, training->table_rows, megabytes);
}

void
run_check(const Training *training)
{
	check_memory_limit(training);
	if (!run_may_last(training) && !run_verdict(training).is_allowed)
		run_refuse(training);
}

/* ---- what would fit ---- */

/* Does a grid fit that has these weights everywhere, or so many that are not 0? */
static bool
fits(const Training *training, int widest, int nonzeros)
{
	const Options *options = &training->options;
	Grid grid = {.dimension = training->request.grid.dimension};
	Encoding encoding;

	encoding_of_features(training, &encoding);
	for (int j = 0; j < grid.dimension; j++)
		grid_set_range(&grid, j, widest);
	if (nonzeros > 0)
	{
		grid.constraint = GRID_SPARSE;
		grid.bound = nonzeros;
	}
	return grid_log2_size(&grid) < grid_log2_size(&training->request.grid) &&
		   grid_scores_fit(&encoding, &grid) &&
		   run_fits_grid(&training->request.run, &grid,
						 select_cheapest_group(&grid, options->group, options->groups));
}

/* The largest grid of these two kinds that mechanism "exponential" draws from in time. */
static const char *
fitting_grid(const Training *training)
{
	for (int widest = WIDEST_PROPOSED; widest > 0; widest--)
		if (fits(training, widest, 0))
			return psprintf("{\"max\": %d}", widest);
	for (int nonzeros = Min(MOST_PROPOSED, training->request.grid.dimension); nonzeros > 0;
		 nonzeros--)
		if (fits(training, 1, nonzeros))
			return psprintf("{\"sparse\": %d}", nonzeros);
	return NULL;
}

/* ---- the refusal ---- */

/* What the run would take, were there no limit. */
static RunVerdict
asked_verdict(const Training *training)
{
	Training asked = *training;

	asked.request.run.longest = INFINITY;
	return run_verdict(&asked);
}

static const char *
limit_text(const Training *training)
{
	if (training->keys == NULL)
		return psprintf("dpobj.longest_run is %d s", dpobj_longest_run);
	return psprintf("dpobj.longest_run is %d s, which %d groups share", dpobj_longest_run,
					training->keys->count);
}

static const char *
work_text(const Training *training)
{
	uint64 cost = mechanism_verdict(&training->request).cost;
	const char *name = mechanism_get(training->request.kind)->parts ? "nodes" : "configurations";

	if (cost == 0)
		return psprintf("%.0f rows at most", training->request.run.rows);
	if (cost == PG_UINT64_MAX)
		return psprintf("more than 1.8e19 %s and %.0f distinct rows at most", name,
						training->request.run.distinct);
	return psprintf(UINT64_FORMAT " %s and %.0f distinct rows at most", cost, name,
					training->request.run.distinct);
}

static const char *
undeclared_text(const Training *training)
{
	if (training->options.n > 0 || (training->keys != NULL && !training->elsewhere))
		return "";
	return "An administrator declares the rows as \"n\" of dpobj.protect. ";
}

static const char *
hint_text(const Training *training)
{
	const char *grid = method_has_grid(training->method) ? fitting_grid(training) : NULL;
	StringInfoData text;

	initStringInfo(&text);
	if (grid != NULL)
		appendStringInfo(&text, "Mechanism \"exponential\" fits with \"grid\": %s. ", grid);
	appendStringInfoString(&text, undeclared_text(training));
	appendStringInfoString(&text, "A superuser sets dpobj.longest_run.");
	return text.data;
}

/* A whole number, or the first digits of a large one. */
static const char *
number_text(double number)
{
	return psprintf(number < 1e15 ? "%.0f" : "%.1e", ceil(number));
}

static void
refuse_memory(const Training *training, const RunVerdict *verdict)
{
	const RunTerms *run = &training->request.run;

	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("mechanism \"%s\" may need too much memory",
				mechanism_get(training->request.kind)->name),
		 errdetail("With %s distinct rows it is expected to take %s MiB, and %s MiB at most; "
				   "without a memory limit %.0f MiB are allowed, which is enough for %s distinct "
				   "rows.",
				   number_text(run->held), number_text(verdict->usual_bytes / (1 << 20)),
				   number_text(verdict->bytes / (1 << 20)), run->memory / (1 << 20),
				   number_text(verdict->holds)),
		 errhint("%sFewer columns, or bins instead of numbers, make fewer distinct rows. Methods "
				 "\"logistic\" and \"svm\" read the rows in passes, where they are. A superuser "
				 "sets dpobj.memory_limit.",
				 undeclared_text(training))));
}

void
run_refuse(const Training *training)
{
	RunVerdict verdict = asked_verdict(training);

	if (verdict.usual_bytes > training->request.run.memory)
		refuse_memory(training, &verdict);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("mechanism \"%s\" is not sure to end in time",
						   mechanism_get(training->request.kind)->name),
					isinf(verdict.most)
						? errdetail("No public number bounds its run; %s.", limit_text(training))
						: errdetail("With %s it is expected to take %s, and %s at most; %s.",
									work_text(training), seconds_text(verdict.expected),
									seconds_text(verdict.most), limit_text(training)),
					errhint("%s", hint_text(training))));
}
