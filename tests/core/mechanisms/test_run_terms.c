/*
 * test_run_terms.c - how long a run takes at most, from public numbers, and what of it fits.
 */
#include <math.h>

#include "core/check.h"
#include "core/exponential/tree.h"
#include "core/mechanisms/mechanism.h"

#define LONGEST 600.0

static const SelectGroup no_group = {0, 0};

static Grid
uniform(int dimension, int widest)
{
	Grid grid = {.dimension = dimension};

	for (int j = 0; j < dimension; j++)
		grid_set_range(&grid, j, widest);
	return grid;
}

/* So many rows of numbers. */
static RunTerms
numeric_terms(double rows, int dimension)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = dimension;
	CHECK(encoding_finish(&encoding));
	return run_terms((int64_t) rows, &encoding, LONGEST);
}

static MechanismRequest
request_of(MechanismKind kind, Grid grid, double rows)
{
	return (MechanismRequest){.kind = kind,
							  .epsilon = EPSILON_ONE,
							  .grid = grid,
							  .parts = kind == MECHANISM_SAMPLE_AGGREGATE ? 16 : 0,
							  .part_nodes = kind == MECHANISM_SAMPLE_AGGREGATE ? 1000 : 0,
							  .run = numeric_terms(rows, grid.dimension),
							  .threads = 1};
}

/* Distinct rows are no more than rows, and few if all columns are binary. */
static void
test_rows(void)
{
	Encoding encoding;
	RunTerms terms;

	encoding_init(&encoding);
	encoding.features = 4;
	CHECK(encoding_finish(&encoding));
	terms = run_terms(1000, &encoding, LONGEST);
	CHECK(terms.rows == 1000 && terms.distinct == 1000);
	terms = run_terms(0, &encoding, LONGEST);
	CHECK(terms.rows == RUN_ASSUMED_ROWS && terms.distinct == RUN_ASSUMED_ROWS);
	for (int j = 0; j < 4; j++)
		encoding.binary[j] = true;
	terms = run_terms(1000, &encoding, LONGEST);
	CHECK(terms.rows == 1000 && terms.distinct == 16);
}

/*
 * A million rows of 23 columns fit, ten million do not unless few are distinct or nobody knows how
 * many there are; what reads them in passes needs no memory for them.
 */
static void
test_memory(void)
{
	static const double rows[] = {1e6, 1e7};
	Encoding encoding;

	for (int k = 0; k < 2; k++)
		for (int numbers = 0; numbers <= 23; numbers += 23)
		{
			MechanismRequest request = request_of(MECHANISM_EXPONENTIAL, uniform(23, 0), rows[k]);

			encoding_init(&encoding);
			encoding.features = 23;
			for (int j = numbers; j < 23; j++)
				encoding.binary[j] = true;
			CHECK(encoding_finish(&encoding));
			request.threads = 2;
			request.run = run_terms((int64_t) rows[k], &encoding, LONGEST);
			CHECK(mechanism_verdict(&request).finishes == (k == 0));
			request.kind = MECHANISM_OUTPUT;
			CHECK(mechanism_verdict(&request).bytes < RUN_MOST_MEMORY / 10);
			request.kind = MECHANISM_EXPONENTIAL;
			request.run = run_terms(0, &encoding, LONGEST);
			request.run.rows = request.run.distinct = request.run.held = rows[k];
			CHECK(mechanism_verdict(&request).finishes);
			request.run = run_terms((int64_t) rows[k], &encoding, LONGEST);
			request.run.distinct = request.run.held = 1e6;
			CHECK(mechanism_verdict(&request).finishes);
		}
}

/* As many distinct rows as a verdict says are held, and one more are not; of classes fewer. */
static void
test_held(void)
{
	MechanismRequest request = request_of(MECHANISM_EXPONENTIAL, uniform(23, 0), 1000);
	double holds = mechanism_verdict(&request).holds;
	double of_classes;

	CHECK(holds == floor((RUN_MOST_MEMORY - 6.5 * 1024 * 1024) / (80 + 8 * 23)));
	request.run.held = holds;
	CHECK(mechanism_verdict(&request).finishes);
	request.run.held = holds + 1;
	CHECK(!mechanism_verdict(&request).finishes);
	request.one_vs_rest = 3;
	of_classes = mechanism_verdict(&request).holds;
	CHECK(of_classes <= holds / 2);
	request.run.held = of_classes;
	CHECK(mechanism_verdict(&request).usual_bytes <= RUN_MOST_MEMORY);
	request.run.held = of_classes + 1;
	CHECK(mechanism_verdict(&request).usual_bytes > RUN_MOST_MEMORY);
	request.one_vs_rest = 0;
	request.run.memory = INFINITY;
	CHECK(isinf(mechanism_verdict(&request).holds) && mechanism_verdict(&request).finishes);
	request.kind = MECHANISM_OUTPUT;
	CHECK(mechanism_verdict(&request).holds == 0);
}

/* The same configurations end with few rows and not with many. */
static void
test_work(void)
{
	Grid grid = uniform(8, 4); /* 9^8 configurations */
	MechanismRequest few = request_of(MECHANISM_EXPONENTIAL, grid, 1000);
	MechanismRequest many = request_of(MECHANISM_EXPONENTIAL, grid, 1000000);
	MechanismVerdict verdict = mechanism_verdict(&few);

	CHECK(verdict.finishes && verdict.cost == 43046721);
	CHECK(verdict.expected <= verdict.most && verdict.most <= LONGEST);
	verdict = mechanism_verdict(&many);
	CHECK(verdict.admitted && !verdict.finishes && isinf(verdict.most));
	many.run.longest = 1e6;
	CHECK(mechanism_verdict(&many).finishes);
	CHECK(run_fits_grid(&few.run, &grid, no_group));
	few.run.longest = 1;
	CHECK(!run_fits_grid(&few.run, &grid, no_group));
}

/* The tree's attempts, the last one included, are part of the seconds and fit. */
static void
test_tree(void)
{
	int tried = 0;

	for (int dimension = 2; dimension < 40; dimension++)
		for (double rows = 1; rows < 1e8; rows *= 10)
		{
			Grid grid = uniform(dimension, 1);
			RunTerms terms = numeric_terms(rows, dimension);
			GridRun run = run_of_grid(&terms, &grid, no_group);

			bool sure = run.enumeration <= 0.75 * LONGEST;
			double most = LONGEST * (sure ? 1 : SELECT_SLOWEST) * (1 + 1e-12);

			CHECK(run_fits_grid(&terms, &grid, no_group) == sure);
			CHECK(run.bounded == (run.enumeration <= 0.75 * LONGEST * SELECT_SLOWEST));
			CHECK(run.effort == 0 || !run.bounded ||
				  (run.tree > 0 && run.tree + run.enumeration <= most));
			CHECK(run.effort == 0 || !run.bounded || run.tree > 0.5e-9 * (double) run.effort);
			CHECK(run.bounded || run.effort == TREE_NO_LIMIT);
			tried += run.bounded && run.effort > 0;
		}
	CHECK(tried > 10);
}

/* For every mechanism of halfspaces more rows never take less time, and enough of them too much. */
static void
test_every_mechanism(void)
{
	static const MechanismKind kinds[] = {MECHANISM_EXPONENTIAL, MECHANISM_PERMUTE_FLIP,
										  MECHANISM_OPDISC, MECHANISM_RSPM,
										  MECHANISM_SAMPLE_AGGREGATE};

	for (int k = 0; k < 5; k++)
	{
		double before = 0;

		for (double rows = 1; rows <= 1e15; rows *= 10)
		{
			MechanismRequest request = request_of(kinds[k], uniform(3, 1), rows);
			MechanismVerdict verdict;

			request.run.memory = INFINITY;
			verdict = mechanism_verdict(&request);
			CHECK(verdict.admitted && verdict.expected <= verdict.most);
			CHECK(verdict.finishes == (verdict.most <= LONGEST));
			CHECK(verdict.most > LONGEST || before <= LONGEST);
			before = verdict.most;
		}
		CHECK(before > LONGEST);
	}
	for (int k = 2; k < 4; k++)
	{
		MechanismRequest search = request_of(kinds[k], uniform(30, 1), 10000);

		CHECK(isinf(mechanism_verdict(&search).most));
	}
}

int
main(void)
{
	test_rows();
	test_memory();
	test_held();
	test_work();
	test_tree();
	test_every_mechanism();
	return check_report("run_terms");
}
