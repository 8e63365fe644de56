/*
 * enumerate.c - the time of an enumeration: losses and weights of all configurations of a grid.
 *
 * Usage: enumerate [folder of the data [shape]], by default that of DPOBJ_DATA and all shapes.
 *
 * Each line is a shape of rows and a grid: the distinct rows, how many of the enumerated columns
 * are summed, and the configurations.  Then nanoseconds for a configuration: of one thread, by the
 * processor's clock, losses alone with each kernel that this machine runs, from the portable one
 * on, and with the weights of the exponential mechanism; what select_time.h expects of that; of two
 * threads by the clock; and what admission counts with, from public numbers.  Last, nanoseconds of
 * the fastest kernel for a configuration and a distinct row, and the billions of configurations
 * that two threads reach in ten minutes if they share the work evenly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/exponential/select_internal.h"

#include "adult.h"
#include "measure.h"

#define MOST_ROWS 1000000

static Memory *memory;

/* Rows of any number: groups of one-hot columns, indicators, numbers in -1 .. 1. */
typedef struct Shape
{
	const char *name;
	int rows;
	int group[4];   /* sizes */
	int indicators; /* 1 in an eighth of the rows */
	int numbers;
	int max_summed; /* largest weights: of the groups' columns and indicators that vary */
	int max_number; /* and of numbers */
	int varying;    /* indicators or group columns beyond the first group that are not fixed at 0 */
	int fixed_numbers; /* numbers that are fixed at 1 */
	int sparse;        /* 0, or so many weights are +-1 and the others 0 */
} Shape;

static const Shape shapes[] = {
	{"adult23", 0, {7, 6, 5, 2}, 0, 3, 1, 4, 10, 0, 0},
	{"adult23", 0, {7, 6, 5, 2}, 0, 3, 2, 2, 6, 0, 0},
	{"groups and numbers", 10000, {7, 5, 5, 0}, 0, 3, 1, 4, 8, 0, 0},
	{"groups and numbers", 1000000, {7, 5, 5, 0}, 0, 3, 1, 1, 8, 1, 0},
	{"one-hot", 10000, {5, 5, 5, 5}, 0, 0, 2, 0, 9, 0, 0},
	{"indicators", 10000, {0}, 40, 0, 1, 0, 12, 0, 0},
	{"indicators", 1000000, {0}, 40, 0, 1, 0, 7, 0, 0},
	{"numbers", 10000, {0}, 0, 15, 0, 2, 0, 9, 0},
	{"numbers", 10000, {0}, 0, 10, 0, 8, 0, 7, 0},
	{"numbers", 1000000, {0}, 0, 10, 0, 1, 0, 5, 0},
	{"a group and numbers", 10000, {5, 0}, 0, 8, 1, 2, 0, 3, 0},
	{"sparse, indicators", 10000, {0}, 50, 0, 1, 0, 50, 0, 3},
	{"sparse, numbers", 10000, {0}, 0, 20, 0, 1, 0, 0, 3},
};

static uint64_t state = 1;

static uint32_t
next_number(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (state >> 33);
}

static void
make_rows(Instance *instance, const Shape *shape)
{
	int dimension = shape->indicators + shape->numbers;
	int32_t *x;
	int64_t *net;

	for (int g = 0; g < 4; g++)
		dimension += shape->group[g];
	x = memory_allocate_zero(memory, (size_t) shape->rows * (size_t) dimension, sizeof(int32_t));
	net = memory_allocate(memory, (size_t) shape->rows, sizeof(int64_t));
	*instance = (Instance){.dimension = dimension, .rows = shape->rows, .x = x, .net = net};
	for (int i = 0; i < shape->rows; i++)
	{
		int32_t *row = x + (int64_t) i * dimension;
		int j = 0;

		net[i] = next_number() % 2 ? 1 : -1;
		for (int g = 0; g < 4; j += shape->group[g++])
			if (shape->group[g] > 0)
				row[j + (int) (next_number() % (uint32_t) shape->group[g])] = FIXED_POINT_ONE;
		for (; j < dimension - shape->numbers; j++)
			row[j] = next_number() % 8 == 0 ? FIXED_POINT_ONE : 0;
		for (; j < dimension; j++)
			row[j] = (int32_t) (next_number() % (2 * FIXED_POINT_ONE + 1)) - FIXED_POINT_ONE;
	}
}

/* The first group is summed out; of what follows it some columns vary. */
static void
make_grid(Grid *grid, const Shape *shape, int dimension)
{
	int varying = shape->group[0] + shape->varying;

	grid_set_plain(grid, dimension);
	for (int j = 0; j < dimension - shape->numbers; j++)
		if (j < varying)
			grid_set_range(grid, j, shape->max_summed);
	for (int j = dimension - shape->numbers; j < dimension; j++)
	{
		grid_set_range(grid, j, shape->max_number);
		if (j >= dimension - shape->fixed_numbers)
		{
			grid->levels[j] = 1;
			grid->level[j][0] = 1;
		}
	}
	if (shape->sparse > 0)
	{
		grid->constraint = GRID_SPARSE;
		grid->bound = shape->sparse;
	}
}

static bool
visit_loss(SelectWalker *walker, void *context)
{
	int64_t *sum = context;

	sum[8 * walker->number] += walker->loss[0];
	return true;
}

typedef struct Weights
{
	const SelectTables *tables;
	uint64_t sum[8 * CREW_MAX_THREADS];
} Weights;

static bool
visit_weight(SelectWalker *walker, void *context)
{
	Weights *weights = context;

	weights->sum[8 * walker->number] += select_weight(weights->tables, walker).mantissa;
	return true;
}

/* Seconds, of the processor for one thread and by the clock for more, of one walk through all
 * configurations. */
static double
time_walk(SelectPlan *plan, const SelectKernel *kernel, int threads, SelectVisit visit,
		  void *context)
{
	SelectTeam team;
	double start;
	double seconds;

	plan->kernel = kernel;
	select_team_create(&team, plan, threads, memory);
	start = threads == 1 ? cpu_seconds_now() : seconds_now();
	select_visit_all(&team, visit, context);
	seconds = (threads == 1 ? cpu_seconds_now() : seconds_now()) - start;
	select_team_destroy(&team, memory);
	return seconds;
}

/* What is public of the shape: the groups and the indicators. */
static void
declare(Encoding *encoding, const Shape *shape, int dimension)
{
	encoding_init(encoding);
	encoding->features = dimension;
	for (int g = 0; g < 4; g++)
		if (shape->group[g] > 0)
			encoding->group[encoding->groups++] = (int16_t) shape->group[g];
	for (int j = 0; j < shape->indicators; j++)
		encoding->binary[dimension - shape->numbers - shape->indicators + j] = true;
	(void) encoding_finish(encoding);
}

static void
measure(const Shape *shape, const Instance *instance)
{
	const SelectKernel *kernel[SELECT_MAX_KERNELS];
	int kernels = select_kernels(kernel);
	Grid grid;
	SelectProblem problem = {
		.instance = instance,
		.grid = &grid,
		.group = {0, shape->group[0]},
		.epsilon = EPSILON_ONE,
		.adjacency = ADJACENCY_REPLACE,
		.threads = 2,
	};
	SelectLaw law;
	Encoding encoding;
	SelectParts parts;
	double unit;
	double losses = 0;
	double expected;
	double weights;
	double both;
	Weights sums;

	make_grid(&grid, shape, instance->dimension);
	declare(&encoding, shape, instance->dimension);
	select_parts_of(&parts, &encoding);
	unit = 1e9 / (double) select_cost(&grid, problem.group);
	select_law_create(&law, &problem, 0, memory);
	expected = law.plan->expected_time;
	sums.tables = law.tables;
	printf("%-20s %8lld %4d/%-3d %10.0f", shape->name, (long long) instance->rows,
		   law.plan->depths - law.plan->scored, law.plan->depths, 1e9 / unit);
	for (int k = 0; k < kernels; k++)
	{
		int64_t sum[8 * CREW_MAX_THREADS] = {0};

		losses = unit * time_walk(law.plan, kernel[k], 1, visit_loss, sum);
		printf(" %9.1f", losses);
	}
	weights = unit * time_walk(law.plan, kernel[kernels - 1], 1, visit_weight, &sums);
	both = unit * time_walk(law.plan, kernel[kernels - 1], 2, visit_weight, &sums);
	printf(" %9.1f %9.1f %9.1f %9.1f %8.4f %8.3f\n", weights, unit * 1e-9 * expected, both,
		   unit * select_bound(&grid, problem.group, (double) instance->rows, &parts).seconds,
		   losses / (double) instance->rows, 2 * 600 / weights);
	fflush(stdout);
	select_law_destroy(&law, memory);
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : getenv("DPOBJ_DATA");
	Arena *arena = arena_create(NULL);
	Adult adult;
	bool has_adult;

	memory = arena_memory(arena);
	has_adult = adult_read(&adult, folder, memory);
	printf("%-20s %8s %8s %10s %s\n", "rows and grid", "distinct", "summed", "configs",
		   "losses by kernel .. weights, expected, two threads, bound, per row, billions");
	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++)
	{
		Instance instance;

		if (argc > 2 && strcmp(argv[2], shapes[k].name) != 0)
			continue;
		if (shapes[k].rows > 0)
			make_rows(&instance, &shapes[k]);
		else if (!has_adult)
			continue;
		else
			instance = adult.distinct;
		measure(&shapes[k], &instance);
		if (shapes[k].rows > 0)
		{
			memory_release(memory, (void *) instance.x);
			memory_release(memory, (void *) instance.net);
		}
	}
	arena_destroy(arena);
	return 0;
}
