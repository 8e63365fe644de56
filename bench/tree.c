/*
 * tree.c - how long the tree sampler takes on adult23, and how accurate it is.
 *
 * Usage: tree [folder of adult23.csv], by default that of DPOBJ_DATA.  Prints one
 * table (replace-one, one thread): per grid and epsilon the seconds to the first
 * draw, and the attempts, nodes and megabytes that it took; then the mean training
 * accuracy of up to twenty draws from the same tree.  Each line is a process of
 * its own, so that the memory is its own.  At two epsilons the ternary grid is
 * also enumerated: seconds of one such draw, and the law's exact mean accuracy.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/check.h"
#include "core/rows.h"
#include "core/testbits.h"
#include "core/tree_internal.h"

#define FEATURES 23
#define GROUP_SIZE 7
#define DRAWS 20
#define MAX_ATTEMPTS INT64_C(1000000)

/* Features lie in 0 .. 1: the encoding rounds them to multiples of 2^-16. */
static int64_t
read_rows(FILE *file, Rows *rows)
{
	double label;
	double feature[FEATURES];
	int64_t count = 0;

	while (fscanf(file, "%lf", &label) == 1)
	{
		for (int j = 0; j < FEATURES; j++)
			if (fscanf(file, ",%lf", &feature[j]) != 1)
				return 0;
		rows_add(rows, feature, label > 0);
		count++;
	}
	return count;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static double
accuracy(double loss, int64_t count)
{
	return 100.0 * (1.0 - loss / (double) count);
}

static double
megabytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double) usage.ru_maxrss / 1024.0; /* Linux counts kilobytes */
}

static void
print_draws(const char *name, const SelectProblem *problem, int64_t count, Memory *memory)
{
	double epsilon = (double) problem->epsilon / EPSILON_ONE;
	double start = seconds();
	double sum = 0.0;
	int draws = 0;
	SelectAnswer answer;
	TestStream stream;
	Tree *tree;
	Bits bits;

	teststream_seed(&stream, 1);
	bits_init(&bits, teststream_fill, &stream);
	tree = tree_create(problem, memory);
	while (draws < DRAWS && tree_draw(tree, MAX_ATTEMPTS, &bits, &answer))
	{
		sum += (double) answer.loss;
		if (draws++ == 0)
			printf("%-12s %5.1f %9.3f %9" PRId64 " %8" PRId64 " %7.0f", name, epsilon,
				   seconds() - start, tree->attempts, tree->expanded, megabytes());
	}
	if (draws == 0)
		printf("%-12s %5.1f given up after %.3f s, %" PRId64 " attempts, %.0f MB", name, epsilon,
			   seconds() - start, tree->attempts, megabytes());
	else
		printf(" %6d %10.3f", draws, accuracy(sum / draws, count));
	tree_destroy(tree);
}

static void
print_enumeration(SelectProblem problem, int64_t count, Memory *memory)
{
	double start = seconds();
	SelectAnswer answer;
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 1);
	bits_init(&bits, teststream_fill, &stream);
	problem.group = (SelectGroup){0, GROUP_SIZE};
	select_exponential(&problem, &bits, memory, &answer);
	printf(" %9.2f", seconds() - start);
	printf(" %9.3f", accuracy(select_mean_loss(&problem, memory), count));
}

static void
print_line(const char *name, const Instance *instance, const Grid *grid, int64_t tenths,
		   bool enumerate, int64_t count, Memory *memory)
{
	SelectProblem problem = {instance,          grid, {0, 0}, tenths * EPSILON_ONE / 10,
							 ADJACENCY_REPLACE, 1};
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		print_draws(name, &problem, count, memory);
		if (enumerate)
			print_enumeration(problem, count, memory);
		printf("\n");
		fflush(stdout);
		_exit(0);
	}
	if (child > 0)
		(void) waitpid(child, NULL, 0);
}

static void
print_table(const Instance *instance, int64_t count, Memory *memory)
{
	static const int64_t tenths[] = {1, 5, 10, 20, 50, 100};
	static const int reference[] = {0, 7, 13}; /* the first columns of three groups */
	Grid ternary = {.dimension = FEATURES, .constraint = GRID_PRODUCT};
	Grid ball = {.dimension = FEATURES, .constraint = GRID_BALL, .bound = FEATURES};
	Grid wide = ternary;

	for (int j = 0; j < FEATURES; j++)
	{
		grid_set_range(&ternary, j, 1);
		grid_set_range(&ball, j, 4);
		grid_set_range(&wide, j, 4);
	}
	for (int k = 0; k < 3; k++)
		grid_set_range(&wide, reference[k], 0);
	printf("%-12s %5s %9s %9s %8s %7s %6s %10s %9s %9s\n", "adult23", "eps", "first s", "attempts",
		   "nodes", "MB", "draws", "accuracy %", "enum. s", "exact %");
	for (int k = 0; k < 6; k++)
		print_line("{-1,0,1}^23", instance, &ternary, tenths[k], k == 0 || k == 2, count, memory);
	for (int k = 0; k < 6; k++)
		print_line("ball 23, +-4", instance, &ball, tenths[k], false, count, memory);
	for (int k = 0; k < 6; k++)
		print_line("+-4, 3 at 0", instance, &wide, tenths[k], false, count, memory);
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : getenv("DPOBJ_DATA");
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	char path[4096];
	FILE *file = NULL;
	Encoding encoding;
	Rows rows;
	Instance instance;
	int64_t count;

	if (folder != NULL)
	{
		snprintf(path, sizeof(path), "%s/adult23.csv", folder);
		file = fopen(path, "r");
	}
	if (file == NULL)
	{
		printf("skipped: no adult23.csv (name its folder, or set DPOBJ_DATA)\n");
		arena_destroy(arena);
		return 0;
	}
	encoding_init(&encoding);
	encoding.features = FEATURES;
	(void) encoding_finish(&encoding);
	rows_init(&rows, &encoding, memory);
	count = read_rows(file, &rows);
	fclose(file);
	rows_instance(&rows, memory, &instance);
	print_table(&instance, count, memory);
	arena_destroy(arena);
	return 0;
}
