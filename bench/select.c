/*
 * select.c - how long an exact selection takes on adult23, and how accurate it is.
 *
 * Usage: select [folder of adult23.csv], by default that of DPOBJ_DATA.  Prints
 * one table: seconds for one draw with one and two threads, the exact mean of
 * the training accuracy under the mechanism's law, and the accuracy of five
 * draws.  Permute-and-flip's mean is that of its draws.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/check.h"
#include "core/select.h"
#include "core/testbits.h"

#define FEATURES 23
#define GROUP_SIZE 7
#define DRAWS 5

typedef struct Row
{
	int32_t x[FEATURES];
	int64_t net;
} Row;

typedef void (*Selection)(const SelectProblem *, Bits *, Memory *, SelectAnswer *);

static int
compare_rows(const void *a, const void *b)
{
	return memcmp(((const Row *) a)->x, ((const Row *) b)->x, sizeof(((const Row *) a)->x));
}

static bool
read_row(FILE *file, Row *row)
{
	double label;
	double value;

	if (fscanf(file, "%lf", &label) != 1)
		return false;
	row->net = label > 0 ? 1 : -1;
	for (int j = 0; j < FEATURES; j++)
	{
		if (fscanf(file, ",%lf", &value) != 1)
			return false;
		row->x[j] = (int32_t) lround(value * FIXED_POINT_ONE);
	}
	return true;
}

static int64_t
read_rows(FILE *file, Memory *memory, Row **rows)
{
	int64_t room = 1024;
	int64_t count = 0;

	*rows = memory_allocate(memory, (size_t) room, sizeof(Row));
	while (read_row(file, &(*rows)[count]))
		if (++count == room)
		{
			room *= 2;
			*rows = memory_reallocate(memory, *rows, (size_t) room, sizeof(Row));
		}
	return count;
}

/* Merges rows with equal features; what cancels goes to the constant. */
static Instance
make_instance(Row *rows, int64_t count, Memory *memory)
{
	int32_t *x = memory_allocate(memory, (size_t) count * FEATURES, sizeof(int32_t));
	int64_t *net = memory_allocate(memory, (size_t) count, sizeof(int64_t));
	Instance instance = {.dimension = FEATURES, .x = x, .net = net};
	int64_t next;

	qsort(rows, (size_t) count, sizeof(Row), compare_rows);
	for (int64_t i = 0; i < count; i = next)
	{
		int64_t sum = 0;

		for (next = i; next < count && compare_rows(&rows[i], &rows[next]) == 0; next++)
			sum += rows[next].net;
		instance.constant += (next - i - llabs(sum)) / 2;
		if (sum == 0)
			continue;
		memcpy(x + instance.rows * FEATURES, rows[i].x, sizeof(rows[i].x));
		net[instance.rows++] = sum;
	}
	return instance;
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

/* One line: the first draw is timed with one thread, the others with two. */
static void
print_line(const char *name, SelectProblem problem, Selection selection, int64_t count,
		   Memory *memory)
{
	double time[2] = {0.0, 0.0};
	double sum = 0.0;
	char drawn[DRAWS * 8 + 1] = "";
	double mean;
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 1);
	bits_init(&bits, teststream_fill, &stream);
	for (int k = 0; k < DRAWS; k++)
	{
		SelectAnswer answer;
		double start = seconds();

		problem.threads = k == 0 ? 1 : 2;
		selection(&problem, &bits, memory, &answer);
		time[problem.threads - 1] += seconds() - start;
		sum += accuracy((double) answer.loss, count);
		snprintf(drawn + strlen(drawn), 9, " %7.3f", accuracy((double) answer.loss, count));
	}
	mean = selection == select_exponential ? accuracy(select_mean_loss(&problem, memory), count)
										   : sum / DRAWS;
	printf("%-34s %11" PRIu64 " %4.1f %8.2f %8.2f %8.3f %s\n", name,
		   select_cost(problem.grid, problem.group), (double) problem.epsilon / EPSILON_ONE,
		   time[0], time[1] / (DRAWS - 1), mean, drawn);
	fflush(stdout);
}

static void
print_table(const Instance *instance, int64_t count, Memory *memory)
{
	static const int64_t epsilon[] = {EPSILON_ONE / 10, EPSILON_ONE};
	Grid ternary = {.dimension = FEATURES, .constraint = GRID_PRODUCT};
	Grid sign = ternary;
	Grid sparse = {.dimension = FEATURES, .constraint = GRID_SPARSE, .bound = 6};

	for (int j = 0; j < FEATURES; j++)
	{
		grid_set_range(&ternary, j, 1);
		grid_set_sign(&sign, j);
		grid_set_range(&sparse, j, 1);
	}
	printf("%-34s %11s %4s %8s %8s %8s  drawn %%\n", "adult23", "enumerated", "eps", "1 thread",
		   "2", "mean %");
	for (int k = 0; k < 2; k++)
	{
		SelectProblem problem = {instance,   &ternary,          {0, GROUP_SIZE},
								 epsilon[k], ADJACENCY_REPLACE, 1};

		print_line("exponential {-1,0,1}^23", problem, select_exponential, count, memory);
		problem.grid = &sign;
		print_line("exponential {-1,1}^23", problem, select_exponential, count, memory);
		problem.grid = &sparse;
		problem.group = (SelectGroup){0, 0};
		print_line("exponential 6-sparse {-1,0,1}^23", problem, select_exponential, count, memory);
		print_line("permute-and-flip 6-sparse", problem, select_permute_and_flip, count, memory);
		problem.grid = &sign;
		print_line("permute-and-flip {-1,1}^23", problem, select_permute_and_flip, count, memory);
	}
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : getenv("DPOBJ_DATA");
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	char path[4096];
	FILE *file = NULL;
	int64_t count;
	Row *rows;
	Instance instance;

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
	count = read_rows(file, memory, &rows);
	fclose(file);
	instance = make_instance(rows, count, memory);
	print_table(&instance, count, memory);
	arena_destroy(arena);
	return 0;
}
