/*
 * test_select_time.c - what public numbers say of an enumeration's time is no less than what its
 * plan expects from the rows, but for the order that the plan finds for its columns.
 */
#include "core/exponential/select_internal.h"

#include <string.h>

#include "core/fixture.h"

#define MOST_ROWS 3000
#define MOST_COLUMNS 24

/* The order depends on the rows, and is a guess; it may make this factor at most. */
#define ORDER 1.1

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

static void
test_bound(void)
{
	reseed(1);
	for (int round = 0; round < check_repetitions(200); round++)
	{
		Declared declared;
		Instance instance = {.x = x, .net = net};
		SelectProblem problem = {.instance = &instance, .epsilon = EPSILON_ONE, .threads = 1};
		SelectParts parts;
		SelectPlan *plan;
		double bound;

		random_declared(&declared);
		select_parts_of(&parts, &declared.encoding);
		problem.grid = &declared.grid;
		problem.group = declared.group;
		instance.dimension = declared.grid.dimension;
		instance.rows = random_declared_rows(&declared.encoding, instance.dimension, round % 2);
		plan = select_plan_create(&problem, 1, SELECT_FASTEST, memory);
		bound = select_seconds(&declared.grid, declared.group, (double) instance.rows, &parts);
		CHECK(plan->expected_time > 0);
		/* a plan places fixed columns once, which public numbers leave out */
		CHECK(ORDER * bound >=
			  1e-9 * SELECT_SLOWEST / SELECT_TIME_THREADS *
				  (plan->expected_time -
				   SELECT_STEP_TIME * (double) (instance.rows * instance.dimension)));
		select_plan_destroy(plan, memory);
	}
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
	CHECK(select_seconds(&grid, (SelectGroup){0, 5}, rows, &parts) <
		  0.1 * select_seconds(&grid, (SelectGroup){0, 5}, rows, &none));
	for (int round = 0; round < check_repetitions(500); round++)
	{
		Declared declared;
		double some = 1 + below(1000000);
		double more = some * between(1, 3);

		random_declared(&declared);
		select_parts_of(&parts, &declared.encoding);
		CHECK(select_seconds(&declared.grid, declared.group, some, &parts) <=
			  select_seconds(&declared.grid, declared.group, more, &parts));
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
