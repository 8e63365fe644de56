/*
 * select.c - time and accuracy of exact selection on adult23.
 *
 * Usage: select [folder of adult23.csv], by default that of DPOBJ_DATA.  Prints
 * one table: seconds for one draw with one and two threads, the exact mean of
 * the training accuracy under the mechanism's law, and the accuracy of five
 * draws.  Permute-and-flip's mean is that of its draws.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exponential/select.h"
#include "core/testbits.h"

#include "adult.h"
#include "measure.h"

#define DRAWS 5

typedef void (*Selection)(const SelectProblem *, Bits *, Memory *, SelectAnswer *);

/* One line: the first draw is timed with one thread, the others with two. */
static void
print_line(const char *name, SelectProblem problem, Selection selection, const Adult *adult,
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
		double start = seconds_now();

		problem.threads = k == 0 ? 1 : 2;
		selection(&problem, &bits, memory, &answer);
		time[problem.threads - 1] += seconds_now() - start;
		sum += adult_accuracy(adult, (double) answer.loss);
		snprintf(drawn + strlen(drawn), 9, " %7.3f", adult_accuracy(adult, (double) answer.loss));
	}
	mean = selection == select_exponential
			   ? adult_accuracy(adult, select_mean_loss(&problem, memory))
			   : sum / DRAWS;
	printf("%-34s %11" PRIu64 " %4.1f %8.2f %8.2f %8.3f %s\n", name,
		   select_cost(problem.grid, problem.group), (double) problem.epsilon / EPSILON_ONE,
		   time[0], time[1] / (DRAWS - 1), mean, drawn);
	fflush(stdout);
}

static void
print_table(const Adult *adult, Memory *memory)
{
	static const int64_t epsilon[] = {EPSILON_ONE / 10, EPSILON_ONE};
	Grid ternary = {.dimension = ADULT_FEATURES, .constraint = GRID_PRODUCT};
	Grid sign = ternary;
	Grid sparse = {.dimension = ADULT_FEATURES, .constraint = GRID_SPARSE, .bound = 6};

	for (int j = 0; j < ADULT_FEATURES; j++)
	{
		grid_set_range(&ternary, j, 1);
		grid_set_sign(&sign, j);
		grid_set_range(&sparse, j, 1);
	}
	printf("%-34s %11s %4s %8s %8s %8s  drawn %%\n", "adult23", "enumerated", "eps", "1 thread",
		   "2", "mean %");
	for (int k = 0; k < 2; k++)
	{
		SelectProblem problem = {.instance = &adult->distinct,
								 .grid = &ternary,
								 .group = {0, ADULT_GROUP},
								 .epsilon = epsilon[k],
								 .adjacency = ADJACENCY_REPLACE,
								 .threads = 1};

		print_line("exponential {-1,0,1}^23", problem, select_exponential, adult, memory);
		problem.grid = &sign;
		print_line("exponential {-1,1}^23", problem, select_exponential, adult, memory);
		problem.grid = &sparse;
		problem.group = (SelectGroup){0, 0};
		print_line("exponential 6-sparse {-1,0,1}^23", problem, select_exponential, adult, memory);
		print_line("permute-and-flip 6-sparse", problem, select_permute_and_flip, adult, memory);
		problem.grid = &sign;
		print_line("permute-and-flip {-1,1}^23", problem, select_permute_and_flip, adult, memory);
	}
}

int
main(int argc, char **argv)
{
	return adult_run(argc > 1 ? argv[1] : NULL, print_table);
}
