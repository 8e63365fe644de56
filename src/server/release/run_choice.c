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

/* Seconds in words; few digits, because they are counted with a constant. */
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
	MechanismVerdict verdict = mechanism_verdict(&training->request);
	const char *name = mechanism_get(training->request.kind)->name;
	bool is_limited =
		training_seconds(training) > 0 && verdict.bytes <= training->request.run.memory;

	if (verdict.finishes || is_limited)
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
check_memory_limit(const Training *training, const MechanismVerdict *verdict)
{
	int megabytes = training_megabytes(training);
	double solver = DPOBJ_LEAST_MEMORY * (double) (1 << 20);

	if (megabytes == 0 || !training->by_analyst)
		return;
	if (verdict->bytes > 0)
		solver =
			Max(solver, run_bytes_of_rows(&training->request.run, training->request.grid.dimension,
										  training->request.threads) *
							(training->request.rest > 0 ? 2 : 1) * 4 / 3);
	if (solver > (double) megabytes * (1 << 20))
		row_memory_refuse(
			solver, megabytes, training->table_rows,
			"Fewer columns, or bins instead of numbers, make fewer distinct rows, and "
			"methods \"logistic\" and \"svm\" read the rows in passes. ");
	row_memory_check(training->person, &training->encoding, training->table_rows, megabytes);
}

void
run_check(const Training *training)
{
	MechanismVerdict verdict = mechanism_verdict(&training->request);

	check_memory_limit(training, &verdict);
	if (!verdict.finishes && !run_may_last(training))
		run_refuse(training, &verdict);
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

/* The most seconds of the run, were there no limit; infinite if no number of rows bounds it. */
static double
asked_seconds(const Training *training)
{
	MechanismRequest request = training->request;

	request.run.longest = INFINITY;
	return mechanism_verdict(&request).most;
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
work_text(const Training *training, const MechanismVerdict *verdict)
{
	const char *name = mechanism_get(training->request.kind)->parts ? "nodes" : "configurations";

	if (verdict->cost == 0)
		return psprintf("%.0f rows at most", training->request.run.rows);
	if (verdict->cost == PG_UINT64_MAX)
		return psprintf("more than 1.8e19 %s and %.0f distinct rows at most", name,
						training->request.run.distinct);
	return psprintf(UINT64_FORMAT " %s and %.0f distinct rows at most", verdict->cost, name,
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
refuse_memory(const Training *training, const MechanismVerdict *verdict)
{
	const RunTerms *run = &training->request.run;

	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("mechanism \"%s\" may need too much memory",
				mechanism_get(training->request.kind)->name),
		 errdetail("With %s distinct rows at most it may need %s MiB; without a memory limit a "
				   "run takes %.0f MiB at most, which is enough for %s distinct rows.",
				   number_text(run->held), number_text(verdict->bytes / (1 << 20)),
				   run->memory / (1 << 20), number_text(verdict->holds)),
		 errhint("%sFewer columns, or bins instead of numbers, make fewer distinct rows. Methods "
				 "\"logistic\" and \"svm\" read the rows in passes, where they are. A superuser "
				 "sets dpobj.memory_limit.",
				 undeclared_text(training))));
}

void
run_refuse(const Training *training, const MechanismVerdict *verdict)
{
	double seconds = asked_seconds(training);

	if (verdict->bytes > training->request.run.memory)
		refuse_memory(training, verdict);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("mechanism \"%s\" is not sure to end in time",
						   mechanism_get(training->request.kind)->name),
					isinf(seconds)
						? errdetail("No public number bounds its run; %s.", limit_text(training))
						: errdetail("With %s it may take %s; %s.", work_text(training, verdict),
									seconds_text(seconds), limit_text(training)),
					errhint("%s", hint_text(training))));
}
