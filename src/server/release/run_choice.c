/*
 * run_choice.c - how long a run may take.
 */
#include "server/release/run_choice.h"

#include <math.h>

#include "server/base/dpobj.h"
#include "server/release/key_list.h"

/* The widest weights and the most of them that a hint proposes. */
#define WIDEST_PROPOSED 16
#define MOST_PROPOSED 8

/* rows: 0 if the number is not public. */
static RunTerms
terms_of(const Training *training, int64 rows)
{
	int runs = training->keys == NULL ? 1 : training->keys->count;

	if (rows == 0)
		rows = RUN_ASSUMED_ROWS;
	return run_terms((rows + runs - 1) / runs, &training->encoding,
					 (double) dpobj_longest_run / runs);
}

RunTerms
run_declared(const Training *training)
{
	return terms_of(training, training->options.n);
}

void
run_settle(Training *training)
{
	training->request.run =
		terms_of(training, training->options.n > 0 ? training->options.n : training->table_rows);
}

bool
run_may_last(const Training *training)
{
	return !training->by_analyst && (training->options.endless || training_seconds(training) > 0);
}

void
run_check(const Training *training)
{
	MechanismVerdict verdict = mechanism_verdict(&training->request);

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

	for (int j = 0; j < grid.dimension; j++)
		grid_set_range(&grid, j, widest);
	if (nonzeros > 0)
	{
		grid.constraint = GRID_SPARSE;
		grid.bound = nonzeros;
	}
	return grid_log2_size(&grid) < grid_log2_size(&training->request.grid) &&
		   grid_scores_fit(&training->encoding, &grid) &&
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

/* Seconds in words; few digits, because they are counted with a constant. */
static const char *
seconds_text(double seconds)
{
	return psprintf(seconds < 1e6 ? "%.0f s" : "%.1e s", ceil(seconds));
}

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
hint_text(const Training *training)
{
	const char *grid = training->method == METHOD_HALFSPACE ? fitting_grid(training) : NULL;
	bool undeclared = training->options.n == 0 && training->keys == NULL;
	StringInfoData text;

	initStringInfo(&text);
	if (grid != NULL)
		appendStringInfo(&text, "Mechanism \"exponential\" fits with \"grid\": %s. ", grid);
	if (undeclared)
		appendStringInfoString(
			&text, training->by_analyst
					   ? "An administrator declares the rows as \"n\" of dpobj.protect. "
					   : "Declare the rows as \"n\" if there are fewer. ");
	if (training->by_analyst)
		appendStringInfoString(&text, "A superuser sets dpobj.longest_run.");
	else
		appendStringInfo(&text, "%s \"time_limit\", or \"endless\": true.",
						 text.len > 0 ? "Otherwise set" : "Set");
	return text.data;
}

void
run_refuse(const Training *training, const MechanismVerdict *verdict)
{
	double seconds = asked_seconds(training);

	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("mechanism \"%s\" is not sure to end in time",
						   mechanism_get(training->request.kind)->name),
					isinf(seconds)
						? errdetail("No public number bounds its run; %s.", limit_text(training))
						: errdetail("With %s it may take %s; %s.", work_text(training, verdict),
									seconds_text(seconds), limit_text(training)),
					errhint("%s", hint_text(training))));
}
