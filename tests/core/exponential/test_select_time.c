/*
 * test_select_time.c - what public numbers say of an enumeration's time is no less than what its
 * plan expects from the rows, but for the order that the plan finds for its columns, and than the
 * work that a walk does, counted.
 */
#include "core/exponential/select_internal.h"

#include <string.h>

#include "core/fixture.h"

#define MOST_ROWS 3000
#define MOST_COLUMNS 24

/* The order depends on the rows, and is a guess; it may make this factor at most. */
#define ORDER 1.1

/* Configurations times rows of a grid that is walked through. */
#define MOST_WORK 3e6

static int32_t x[MOST_ROWS * MOST_COLUMNS];
static int64_t net[MOST_ROWS];

typedef struct Declared
{
	Encoding encoding;
	Grid grid;
	SelectGroup group; /* the first one-hot group, or none */
} Declared;

/* One-hot groups first, then indicators and numbers, an intercept or none. */
static void
random_declared(Declared *declared)
{
	Encoding *encoding = &declared->encoding;
	int groups = below(4);
	int dimension;

	encoding_init(encoding);
	encoding->intercept = below(2);
	for (int g = 0; g < groups; g++)
	{
		encoding->group[g] = (int16_t) (2 + below(4));
		encoding->features += encoding->group[g];
	}
	encoding->groups = groups;
	for (int k = below(6); k >= 0; k--)
		encoding->binary[encoding->features++] = below(2);
	CHECK(encoding_finish(encoding));
	dimension = encoding_dimension(encoding);
	CHECK(dimension <= MOST_COLUMNS);
	declared->group = (SelectGroup){0, 0};
	if (groups > 0 && below(4) > 0)
		declared->group.size = encoding->group[0];
	grid_set_plain(&declared->grid, dimension);
	for (int j = 0; j < dimension; j++)
		if (j < declared->group.size)
			grid_set_range(&declared->grid, j, 1);
		else if (below(4) > 0)
			grid_set_range(&declared->grid, j, 1 + below(3));
}

/* Rows as declared; skewed: most of them agree in most columns. */
static int
random_declared_rows(const Encoding *encoding, int dimension, bool skewed)
{
	int rows = 1 + below(below(2) ? 50 : MOST_ROWS);

	memset(x, 0, sizeof(x));
	for (int i = 0; i < rows; i++)
	{
		int32_t *row = x + i * dimension;
		int j = 0;

		net[i] = below(2) ? 1 : -1;
		for (int g = 0; g < encoding->groups; j += encoding->group[g++])
			row[j + (skewed && below(9) > 0 ? 0 : below(encoding->group[g]))] = FIXED_POINT_ONE;
		for (; j < encoding->features; j++)
			row[j] = encoding->binary[j] ? (below(skewed ? 9 : 2) == 0) * FIXED_POINT_ONE
										 : below(FIXED_POINT_ONE) - FIXED_POINT_ONE / 2;
		if (encoding->intercept)
			row[j] = FIXED_POINT_ONE;
	}
	return rows;
}

/* Sparse vectors, a ball, or sums of ranks; no group is summed out then. */
static void
constrain(Declared *declared)
{
	Grid *grid = &declared->grid;

	declared->group.size = 0;
	grid->constraint = (GridConstraint) between(GRID_BALL, GRID_MODULUS);
	grid->bound = 1 + below(grid->constraint == GRID_BALL ? 8 : 4);
	if (grid->constraint == GRID_MODULUS)
		grid->bound = 7; /* no column has more levels */
	for (int j = 0; j < grid->dimension && below(2); j++)
		if (grid->levels[j] == 3)
			grid_set_sign(grid, j);
}

/* ---- work ---- */

/* Nanoseconds of the work of a walk, which the loops below add up. */
static const SelectKernel *kernel;
static const SelectPlan *walked;
static double work;

static void
count_step(uint32_t *score, const int32_t *value, int64_t rows, int32_t difference)
{
	work += SELECT_STEP_TIME * (double) rows;
	kernel->step(score, value, rows, difference);
}

static void
count_tabulate(uint64_t *table, const uint32_t *score, const SelectRows *rows)
{
	work += SELECT_ENTRY_TIME * (double) rows->count +
			SELECT_FIRST_WORD_TIME *
				(double) (walked->layer[walked->scored].words - SELECT_BLOCK - GRID_MAX_WEIGHT);
	kernel->tabulate(table, score, rows);
}

static void
count_moves(const SelectMove *move, int64_t count)
{
	work += SELECT_TABLE_TIME * (double) count;
	for (int64_t m = 0; m < count; m++)
		work += SELECT_WORD_TIME * move[m].words;
}

static void
count_add(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count, int32_t shift)
{
	count_moves(move, count);
	kernel->add(to, from, move, count, shift);
}

static void
count_copy_with(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count,
				int32_t shift)
{
	count_moves(move, count);
	kernel->copy_with(to, from, move, count, shift);
}

static void
count_copy_without(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count)
{
	count_moves(move, count);
	kernel->copy_without(to, from, move, count);
}

static void
count_sum(int64_t *sum, const SelectRun *run, const int8_t *weight, int levels, int32_t bound)
{
	work += SELECT_DENSE_TIME * (double) run->count * levels;
	kernel->sum(sum, run, weight, levels, bound);
}

static bool
count_visit(SelectWalker *walker, void *context)
{
	(void) context;
	work += SELECT_VISIT_TIME +
			SELECT_LOOK_TIME * (double) walker->plan->groups * (double) walker->plan->levels;
	return true;
}

/* Walks through a plan's grid with counting loops. */
static double
count_work(SelectPlan *plan)
{
	static const SelectKernel counting = {count_step,      count_tabulate,     count_add,
										  count_copy_with, count_copy_without, count_sum};
	SelectTeam team;

	kernel = plan->kernel;
	walked = plan;
	plan->kernel = &counting;
	select_team_create(&team, plan, 1, memory);
	work = 0; /* without the rows' places, which public numbers leave out */
	select_visit_all(&team, count_visit, NULL);
	select_team_destroy(&team, memory);
	return work;
}

static void
test_bound(void)
{
	int constraints = 0;
	int dense = 0;

	reseed(1);
	for (int round = 0; round < check_repetitions(1000); round++)
	{
		Declared declared;
		Instance instance = {.x = x, .net = net};
		SelectProblem problem = {.instance = &instance, .epsilon = EPSILON_ONE, .threads = 1};
		SelectParts parts;
		SelectPlan *plan;
		bool constrained = round % 4 >= 2;
		double nanoseconds; /* of one thread */
		double order = constrained ? 1 + 1e-9 : ORDER;
		double start;

		random_declared(&declared);
		if (constrained)
			constrain(&declared);
		if (!grid_is_valid(&declared.grid))
			continue;
		select_parts_of(&parts, &declared.encoding);
		problem.grid = &declared.grid;
		problem.group = declared.group;
		instance.dimension = declared.grid.dimension;
		instance.rows = random_declared_rows(&declared.encoding, instance.dimension, round % 2);
		plan = select_plan_create(&problem, 1, SELECT_FASTEST, memory);
		nanoseconds =
			1e9 * SELECT_TIME_THREADS / SELECT_SLOWEST *
			select_bound(&declared.grid, declared.group, (double) instance.rows, &parts).seconds;
		/* a plan places fixed columns once, which public numbers leave out */
		start =
			(SELECT_STEP_TIME * (double) instance.rows + SELECT_FORCED_TIME) * instance.dimension;
		CHECK(plan->expected_time > 0);
		CHECK(order * nanoseconds >= plan->expected_time - (constrained ? 0 : start));
		if ((double) select_cost(&declared.grid, declared.group) * (double) instance.rows <
			MOST_WORK)
		{
			CHECK(count_work(plan) <= plan->expected_time + start);
			constraints += constrained;
			dense += constrained && plan->dense;
		}
		select_plan_destroy(plan, memory);
	}
	printf("constrained %d, of these dense %d\n", constraints, dense);
	CHECK(dense > 0 && dense < constraints);
}

/*
 * More rows never make it shorter.  With declared groups few configurations look at rows, which
 * makes an enumeration ten times as short.
 */
static void
test_declared(void)
{
	static const int16_t sizes[] = {5, 4, 3};
	const double rows = 10000;
	Encoding encoding;
	SelectParts parts;
	SelectParts none;
	Grid grid;

	encoding_init(&encoding);
	encoding.features = 13;
	encoding.groups = 3;
	memcpy(encoding.group, sizes, sizeof(sizes));
	CHECK(encoding_finish(&encoding));
	grid_set_plain(&grid, 13);
	for (int j = 0; j < 13; j++)
		grid_set_range(&grid, j, 1);
	select_parts_of(&parts, &encoding);
	encoding.groups = 0;
	select_parts_of(&none, &encoding);
	CHECK(select_bound(&grid, (SelectGroup){0, 5}, rows, &parts).seconds <
		  0.1 * select_bound(&grid, (SelectGroup){0, 5}, rows, &none).seconds);
	for (int round = 0; round < check_repetitions(500); round++)
	{
		Declared declared;
		double some = 1 + below(1000000);
		double more = some * between(1, 3);

		random_declared(&declared);
		select_parts_of(&parts, &declared.encoding);
		CHECK(select_bound(&declared.grid, declared.group, some, &parts).seconds <=
			  select_bound(&declared.grid, declared.group, more, &parts).seconds);
	}
}

int
main(void)
{
	test_begin(1);
	test_bound();
	test_declared();
	return test_end("select_time");
}
