/*
 * tree.c - time and accuracy of the tree sampler.
 *
 * Usage: tree [--wide] [folder of the data], by default that of DPOBJ_DATA.  Prints
 * one table (replace-one, one thread): per training set, grid and epsilon the seconds
 * to the first draw, and the attempts, nodes and megabytes that it took; then the
 * mean training accuracy of twenty draws (G1: 400, wide: 5) from the same tree.  A
 * line has sixty seconds for its first draw.  Each line is a process of its own, so
 * that the memory is its own.
 *
 *   adult23   the papers' training set: {-1,0,1}^23, where two lines also have the
 *             seconds of a draw by enumeration and the law's exact mean; the integer
 *             ball; +-4 with one weight of three groups fixed at 0; and +-4 for the
 *             three numeric columns with {-1,0,1} for the others
 *   G1        the same rows in a public encoding that suits weights of +-2 and +-3
 *   d = 51 .. 102   with --wide, instead: other columns of Adult, all one-hot
 *             (oracle_large.h); half an hour
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/testbits.h"
#include "core/exponential/tree_internal.h"

#include "adult.h"
#include "adult_g1.h"
#include "measure.h"
#include "oracle_large.h"

#define DRAWS 20
#define G1_DRAWS 400
#define WIDE_DRAWS 5
#define LIMIT 60.0 /* seconds to the first draw */

/* One training set. */
typedef struct TreeSet
{
	const char *name;
	const Instance *instance;
	int64_t rows; /* of which the accuracy is a share */
	int draws;
} TreeSet;

/* Ends the process when the first draw takes too long. */
typedef struct Watch
{
	double start;
	bool drawn;
} Watch;

static double
megabytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double) usage.ru_maxrss / 1024.0; /* Linux counts kilobytes */
}

static void
print_effort(const Watch *watch, int64_t attempts, int64_t expanded)
{
	printf(" %9.3f %9" PRId64 " %8" PRId64 " %7.0f", seconds_now() - watch->start, attempts,
		   expanded, megabytes());
}

static void
watch_first_draw(void *context, const TreeProgress *progress)
{
	const Watch *watch = context;

	if (watch->drawn || seconds_now() - watch->start < LIMIT)
		return;
	print_effort(watch, progress->attempts, progress->expanded);
	printf(" limit\n");
	fflush(stdout);
	_exit(0);
}

static double
accuracy(const TreeSet *set, double loss)
{
	return 100.0 * (1.0 - loss / (double) set->rows);
}

static void
print_draws(const TreeSet *set, SelectProblem problem, Memory *memory)
{
	Watch watch = {seconds_now(), false};
	double sum = 0.0;
	TestStream stream;
	Tree *tree;
	Bits bits;

	problem.progress = watch_first_draw;
	problem.progress_context = &watch;
	teststream_seed(&stream, 1);
	bits_init(&bits, teststream_fill, &stream);
	tree = tree_create(&problem, memory);
	for (int k = 0; k < set->draws; k++)
	{
		SelectAnswer answer;

		(void) tree_draw(tree, INT64_MAX, &bits, &answer);
		if (!watch.drawn)
			print_effort(&watch, tree->attempts, tree->expanded);
		watch.drawn = true;
		sum += (double) answer.loss;
	}
	printf(" %10.3f", accuracy(set, sum / set->draws));
	tree_destroy(tree);
}

static void
print_enumeration(const TreeSet *set, SelectProblem problem, Memory *memory)
{
	double start = seconds_now();
	SelectAnswer answer;
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 1);
	bits_init(&bits, teststream_fill, &stream);
	problem.group = (SelectGroup){0, ADULT_GROUP};
	select_exponential(&problem, &bits, memory, &answer);
	printf(" %9.2f", seconds_now() - start);
	printf(" %9.3f", accuracy(set, select_mean_loss(&problem, memory)));
}

static void
print_line(const TreeSet *set, const char *name, const Grid *grid, int64_t tenths, bool enumerate,
		   Memory *memory)
{
	SelectProblem problem = {.instance = set->instance,
							 .grid = grid,
							 .epsilon = tenths * EPSILON_ONE / 10,
							 .adjacency = ADJACENCY_REPLACE,
							 .threads = 1};
	pid_t child;

	printf("%-8s %3d %-14s %5.1f %5.1f", set->name, grid->dimension, name,
		   grid_log2_size(grid) * 0.69314718, (double) tenths / 10);
	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		print_draws(set, problem, memory);
		if (enumerate)
			print_enumeration(set, problem, memory);
		printf("\n");
		fflush(stdout);
		_exit(0);
	}
	if (child > 0)
		(void) waitpid(child, NULL, 0);
}

/* ---- adult23 ---- */

static void
print_adult_grid(const TreeSet *set, const char *name, const Grid *grid, Memory *memory)
{
	static const int64_t tenths[] = {1, 5, 10, 20, 50, 100};
	bool small = grid->constraint == GRID_PRODUCT && grid_log2_size(grid) < 40;

	for (int k = 0; k < 6; k++)
		print_line(set, name, grid, tenths[k], small && (k == 0 || k == 2), memory);
}

static void
print_adult(const Adult *adult, Memory *memory)
{
	static const int reference[] = {0, 7, 13}; /* the first columns of three groups */
	TreeSet set = {
		.name = "adult23", .instance = &adult->distinct, .rows = adult->all.rows, .draws = DRAWS};
	Grid ternary = {.dimension = ADULT_FEATURES, .constraint = GRID_PRODUCT};
	Grid ball = {.dimension = ADULT_FEATURES, .constraint = GRID_BALL, .bound = ADULT_FEATURES};
	Grid mixed;
	Grid wide;

	for (int j = 0; j < ADULT_FEATURES; j++)
	{
		grid_set_range(&ternary, j, 1);
		grid_set_range(&ball, j, 4);
	}
	mixed = ternary;
	for (int j = ADULT_CATEGORIES; j < ADULT_FEATURES; j++)
		grid_set_range(&mixed, j, 4);
	wide = ball;
	wide.constraint = GRID_PRODUCT;
	wide.bound = 0;
	for (int k = 0; k < 3; k++)
		grid_set_range(&wide, reference[k], 0);
	print_adult_grid(&set, "{-1,0,1}", &ternary, memory);
	print_adult_grid(&set, "+-1, num. +-4", &mixed, memory);
	print_adult_grid(&set, "ball 23, +-4", &ball, memory);
	print_adult_grid(&set, "+-4, 3 at 0", &wide, memory);
}

/* ---- other encodings ---- */

static void
print_g1(const char *folder, Memory *memory)
{
	static const int64_t tenths[] = {1, 5, 10};
	AdultG1 g1;
	Grid grid;
	TreeSet set = {.name = "G1", .instance = &g1.instance, .draws = G1_DRAWS};

	if (!adult_g1_read(&g1, folder, memory))
		return;
	set.rows = g1.rows;
	adult_g1_grid(&grid);
	for (int k = 0; k < 3; k++)
		print_line(&set, "+-2, +-3", &grid, tenths[k], false, memory);
}

static void
print_wide_grid(const TreeSet *set, const char *name, const Grid *grid, Memory *memory)
{
	static const int64_t tenths[] = {1, 10, 100};

	for (int k = 0; k < 3; k++)
		print_line(set, name, grid, tenths[k], false, memory);
}

static void
print_wide(const char *folder, int dimension, Memory *memory)
{
	LargeSet large = {.dimension = 0};
	Grid grid = {.constraint = GRID_PRODUCT};
	Instance instance;
	TreeSet set = {.name = "Adult", .instance = &instance, .draws = WIDE_DRAWS};

	make_adult(&large, dimension, folder);
	instance = (Instance){
		.dimension = large.dimension, .rows = large.rows, .x = large.x, .net = large.net};
	set.rows = large.rows;
	grid.dimension = large.dimension;
	for (int j = 0; j < grid.dimension; j++)
		grid_set_range(&grid, j, 1);
	print_wide_grid(&set, "{-1,0,1}", &grid, memory);
	grid.constraint = GRID_SPARSE;
	grid.bound = 4;
	print_wide_grid(&set, "4-sparse", &grid, memory);
	for (int j = 0; j < grid.dimension; j++)
		grid_set_range(&grid, j, 4);
	grid.constraint = GRID_BALL;
	grid.bound = grid.dimension;
	print_wide_grid(&set, "ball d, +-4", &grid, memory);
	free(large.x);
	free(large.net);
}

int
main(int argc, char **argv)
{
	bool wide = argc > 1 && strcmp(argv[1], "--wide") == 0;
	const char *folder = argc > 1 + wide ? argv[1 + wide] : getenv("DPOBJ_DATA");
	Arena *arena = arena_create(check_out_of_memory);
	int status = 0;

	printf("%-8s %3s %-14s %5s %5s %9s %9s %8s %7s %10s %9s %9s\n", "set", "d", "grid", "ln|W|",
		   "eps", "first s", "attempts", "nodes", "MB", "accuracy %", "enum. s", "exact %");
	if (!wide)
	{
		status = adult_run(folder, print_adult);
		print_g1(folder, arena_memory(arena));
	}
	else if (folder != NULL)
	{
		print_wide(folder, 51, arena_memory(arena));
		print_wide(folder, 60, arena_memory(arena));
		print_wide(folder, 102, arena_memory(arena));
	}
	arena_destroy(arena);
	return status;
}
