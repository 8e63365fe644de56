/*
 * run_terms.c - does a run end in time?
 *
 * An enumeration ends in a time that is known from public numbers.  The tree sampler usually
 * answers sooner, so it is tried first for as long as the enumeration takes, if that fits the
 * longest run.  The limit of its effort is looked at between attempts, and an attempt that might
 * exceed it is not made (theorem E10).
 */
#include "core/mechanisms/run_terms.h"

#include <math.h>

#include "core/base/mutant.h"
#include "core/exponential/select_time.h"
#include "core/exponential/tree.h"

/* The part of the longest run that an enumeration may take; the rest is the tree sampler's. */
#define ENUMERATION_SHARE 0.75

/* An enumeration of so few seconds begins at once, because the tree would not be quicker. */
#define ENUMERATED_AT_ONCE 1.0

/* Seconds for a unit of the tree's effort, measured on a slow machine. */
#define EFFORT_TIME 0.5e-9

/* Seconds for a row, and for a feature of it, when the columns and the tables are laid out. */
#define ROW_TIME 300e-9
#define PREPARE_TIME 100e-9

RunTerms
run_terms(int64_t rows, const Encoding *encoding, double longest)
{
	RunTerms terms = {.rows = (double) (rows > 0 ? rows : RUN_ASSUMED_ROWS),
					  .longest = longest,
					  .memory = rows > 0 ? RUN_MOST_MEMORY : INFINITY};

	terms.distinct = fmin(terms.rows, encoding_most_distinct(encoding));
	terms.held = terms.distinct;
	select_parts_of(&terms.parts, encoding);
	return terms;
}

/* Nanoseconds for a class of a row, and for a feature of that; of many classes half as many. */
#define CLASS_TIME 35.0
#define FEATURE_TIME 5.0

double
run_pass_seconds(const RunTerms *terms, int weights, int classes)
{
	double weight_time = FEATURE_TIME * (1 + 1.0 / classes) / 2;

	return 1e-9 * terms->distinct * (CLASS_TIME * classes + weight_time * weights);
}

double
run_prepare_seconds(const RunTerms *terms, int dimension)
{
	return terms->distinct * (ROW_TIME + PREPARE_TIME * dimension);
}

/*
 * Bytes of a distinct row and of one of its features, twice: an enumeration copies the rows column
 * by column, with a key, a net weight, a score for each thread and places in tables.
 * bench/memory.sh measures 233 MiB with a million rows of 23 numbers, for which this says 258.  At
 * most they take a little more.
 */
#define ROW_BYTES 80.0
#define FEATURE_BYTES 8.0
#define MOST_ROW_BYTES 1.3

/* Of a backend and a solver beside that: usually, and at most. */
#define USUAL_BYTES (6.5 * 1024 * 1024)
#define FIRST_BYTES (12.0 * 1024 * 1024)

/* Of rows that are read in passes, before they are in a file. */
#define USUAL_PASSES_BYTES (4.0 * 1024 * 1024)
#define PASSES_BYTES (24.0 * 1024 * 1024)
#define PASSES_COPIES 3

/* Of the tables of an enumeration where its grid is not looked at (select_time.c). */
#define TABLES_BYTES (32.0 * 1024 * 1024)
#define ROW_TABLES_BYTES 64.0

double
run_table_bytes(double words, int threads)
{
	return words * sizeof(uint64_t) * threads;
}

static double
most_table_bytes(const RunTerms *terms, int dimension, int threads)
{
	for (int j = 0; j < dimension; j++)
		if (terms->parts.part[j] >= 0 && terms->parts.cells[terms->parts.part[j]] > 1)
			return TABLES_BYTES + ROW_TABLES_BYTES * terms->held * threads;
	return 0;
}

static double
row_bytes(int dimension)
{
	return MUTANT(229) ? 0 : ROW_BYTES + FEATURE_BYTES * dimension;
}

double
run_bytes_of_rows(const RunTerms *terms, int dimension, int threads)
{
	return FIRST_BYTES + most_table_bytes(terms, dimension, threads) +
		   terms->held * row_bytes(dimension);
}

bool
run_fits_memory(const RunTerms *terms, int dimension, int threads)
{
	return isinf(terms->memory) ||
		   run_bytes_of_rows(terms, dimension, threads) <= RUN_CHOSEN_MEMORY;
}

/* Of the chunks in which rows are passed over. */
static double
passes_bytes(const RunTerms *terms, int dimension)
{
	return terms->distinct * FEATURE_BYTES * (dimension + 2);
}

double
run_bytes(const RunTerms *terms, int dimension, int copies)
{
	if (copies == 0)
		return FIRST_BYTES + fmin(PASSES_COPIES * passes_bytes(terms, dimension), PASSES_BYTES);
	return FIRST_BYTES + copies * terms->held * MOST_ROW_BYTES * row_bytes(dimension);
}

double
run_usual_bytes(const RunTerms *terms, int dimension, int copies)
{
	if (copies == 0)
		return USUAL_BYTES + fmin(passes_bytes(terms, dimension), USUAL_PASSES_BYTES);
	return USUAL_BYTES + copies * terms->held * row_bytes(dimension);
}

double
run_holds(const RunTerms *terms, int dimension, int copies)
{
	return floor((terms->memory - USUAL_BYTES) / copies / row_bytes(dimension));
}

/* Does an enumeration of so many seconds end in time on a slow machine, too? */
static bool
is_sure(const RunTerms *terms, double enumeration)
{
	return enumeration <= ENUMERATION_SHARE * terms->longest;
}

GridRun
run_of_grid(const RunTerms *terms, const Grid *grid, SelectGroup group)
{
	double rows = MUTANT(219) ? 1 : terms->distinct;
	SelectBound bound = select_bound(grid, group, rows, &terms->parts);
	GridRun run = {.enumeration = bound.seconds, .words = bound.words};
	double prepare = PREPARE_TIME * terms->distinct * grid->dimension;
	double longest = terms->longest * (is_sure(terms, run.enumeration) ? 1 : SELECT_SLOWEST);
	double tree = fmin(run.enumeration, longest - run.enumeration - prepare);

	run.bounded = run.enumeration <= ENUMERATION_SHARE * longest;
	run.effort = run.bounded ? 0 : TREE_NO_LIMIT;
	if (!run.bounded || run.enumeration <= ENUMERATED_AT_ONCE || tree <= 0)
		return run;
	run.effort = (int64_t) (tree / EFFORT_TIME);
	run.tree = MUTANT(221) ? 0 : tree + prepare;
	return run;
}

bool
run_fits_grid(const RunTerms *terms, const Grid *grid, SelectGroup group)
{
	return is_sure(terms, run_of_grid(terms, grid, group).enumeration);
}
