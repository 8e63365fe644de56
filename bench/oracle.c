/*
 * oracle.c - how long a certified optimum takes on adult23, and how accurate it is.
 *
 * Usage: oracle [folder of adult23.csv], by default that of DPOBJ_DATA.  Prints
 * one table: per grid and epsilon ten draws of gauge noise (replace-one), how many
 * were certified, median and largest seconds on one core, median nodes and the
 * mean training accuracy.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/check.h"
#include "core/gauge.h"
#include "core/oracle.h"
#include "core/rows.h"
#include "core/testbits.h"

#define FEATURES 23
#define DRAWS 10

typedef struct Reward
{
	mpz_t level[GRID_MAX_LEVELS * FEATURES];
} Reward;

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

static int
compare_doubles(const void *left, const void *right)
{
	double a = *(const double *) left;
	double b = *(const double *) right;

	return (a > b) - (a < b);
}

static double
median(double *value, int count)
{
	qsort(value, (size_t) count, sizeof(double), compare_doubles);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static void
print_line(const char *name, const Instance *instance, const Grid *grid, int64_t count,
		   int64_t epsilon, Reward *reward, Memory *memory)
{
	double time[DRAWS];
	double nodes[DRAWS];
	double accuracy = 0.0;
	double middle;
	int certified = 0;
	Gauge gauge;
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, (uint64_t) epsilon);
	bits_init(&bits, teststream_fill, &stream);
	gauge_choose(&gauge, grid, epsilon, ADJACENCY_REPLACE);
	for (int k = 0; k < DRAWS; k++)
	{
		OracleProblem problem = {instance, grid, gauge.scale, reward->level};
		OracleAnswer answer;
		double start;

		gauge_draw(&gauge, grid, &bits, memory, reward->level);
		start = seconds();
		oracle_search(&problem, memory, &answer);
		time[k] = seconds() - start;
		nodes[k] = (double) answer.nodes;
		accuracy += 100.0 * (1.0 - (double) answer.loss / (double) count) / DRAWS;
		certified++; /* it has no other way to return */
	}
	middle = median(time, DRAWS); /* and sorts */
	printf("%-12s %5.1f %7d/%d", name, (double) epsilon / EPSILON_ONE, certified, DRAWS);
	printf(" %9.3f %9.3f", middle, time[DRAWS - 1]);
	printf(" %9.0f %11.3f\n", median(nodes, DRAWS), accuracy);
	fflush(stdout);
}

static void
print_table(const Instance *instance, int64_t count, Memory *memory)
{
	static const int64_t tenths[] = {1, 5, 10, 20, 50, 100};
	Grid ternary = {.dimension = FEATURES, .constraint = GRID_PRODUCT};
	Grid sign = ternary;
	Reward *reward = memory_allocate(memory, 1, sizeof(Reward));

	for (int k = 0; k < GRID_MAX_LEVELS * FEATURES; k++)
		mpz_init(reward->level[k]);
	for (int j = 0; j < FEATURES; j++)
	{
		grid_set_range(&ternary, j, 1);
		grid_set_sign(&sign, j);
	}
	printf("%-12s %5s %10s %9s %9s %9s %11s\n", "adult23", "eps", "certified", "median s", "max s",
		   "nodes", "accuracy %");
	for (int k = 0; k < 6; k++)
		print_line("{-1,0,1}^23", instance, &ternary, count, tenths[k] * EPSILON_ONE / 10, reward,
				   memory);
	for (int k = 0; k < 6; k++)
		print_line("{-1,1}^23", instance, &sign, count, tenths[k] * EPSILON_ONE / 10, reward,
				   memory);
	for (int k = 0; k < GRID_MAX_LEVELS * FEATURES; k++)
		mpz_clear(reward->level[k]);
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
