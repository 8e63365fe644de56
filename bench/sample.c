/*
 * sample.c - sample_aggregate on adult23: accuracy, votes and seconds.
 *
 * Usage: sample [folder of adult23.csv], by default that of DPOBJ_DATA.  For each grid
 * and epsilon: the parts that are taken by default, the most votes of one vector and
 * the lead that wins, in one split; mean and standard deviation of the accuracy over
 * twenty releases, beside the exact mean of the exponential mechanism where it can be
 * enumerated; and seconds of a release on one thread.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mechanisms/mechanism.h"
#include "core/mechanisms/sample.h"
#include "core/testbits.h"
#include "core/mechanisms/utility.h"

#include "adult.h"
#include "measure.h"

#define RELEASES 20

static TestStream stream;
static Bits bits;

typedef struct Line
{
	const char *name;
	Grid grid;
	SelectGroup group;
} Line;

/* How many parts vote for the vector that most of them vote for. */
static int
most_votes(const MechanismRequest *request, const Instance *all, Memory *memory)
{
	SampleSplit split;
	SampleEffort effort = {&request->grid, request->part_nodes, 1};
	int(*vote)[GRID_MAX_DIMENSION] =
		memory_allocate_zero(memory, (size_t) request->parts, sizeof(*vote));
	int votes = 0;
	int most = 0;

	sample_split(&split, all, request->parts, &bits, memory);
	for (int k = 0; k < request->parts; k++)
	{
		Instance part;
		int64_t nodes;

		sample_part(&split, k, memory, &part);
		votes += sample_answer(&effort, &part, memory, vote[votes], &nodes);
		sample_part_destroy(&part, memory);
	}
	sample_split_destroy(&split, memory);
	for (int k = 0; k < votes; k++)
	{
		int same = 0;

		for (int l = 0; l < votes; l++)
			same += memcmp(vote[k], vote[l], sizeof(*vote)) == 0;
		most = same > most ? same : most;
	}
	memory_release(memory, vote);
	return most;
}

static void
print_line(const Line *line, int64_t epsilon, int parts, const Adult *adult, Memory *memory)
{
	MechanismRequest request = {.kind = MECHANISM_SAMPLE_AGGREGATE,
								.epsilon = epsilon,
								.adjacency = ADJACENCY_REPLACE,
								.grid = line->grid,
								.part_nodes = SAMPLE_USUAL_PART_NODES,
								.threads = 1};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	SelectProblem problem = {.instance = &adult->distinct,
							 .grid = &request.grid,
							 .group = line->group,
							 .epsilon = epsilon,
							 .adjacency = ADJACENCY_REPLACE,
							 .threads = 2};
	MechanismAnswer answer;
	double sum = 0.0;
	double squares = 0.0;
	double start;
	double seconds;
	int64_t nodes = 0;

	request.parts =
		parts > 0 ? parts : sample_aggregate_parts(&request.grid, epsilon, adult->all.rows);
	start = seconds_now();
	for (int k = 0; k < RELEASES; k++)
	{
		double accuracy;

		mechanism_sample_aggregate.release(&request, &adult->all, &tools, &answer);
		accuracy = adult_accuracy(adult, (double) answer.loss);
		sum += accuracy;
		squares += accuracy * accuracy;
		nodes += answer.nodes;
	}
	seconds = (seconds_now() - start) / RELEASES;
	printf("%-16s %5.1f %6d %6d %7.1f %8.2f %6.2f %8.3f %9" PRId64, line->name,
		   (double) epsilon / EPSILON_ONE, request.parts, most_votes(&request, &adult->all, memory),
		   utility_lead(&request.grid, epsilon, 0.05), sum / RELEASES,
		   sqrt(fmax(0, squares / RELEASES - sum * sum / RELEASES / RELEASES)), seconds,
		   nodes / RELEASES);
	if (select_cost(&request.grid, line->group) <= 1000000)
		printf(" %8.2f", adult_accuracy(adult, select_mean_loss(&problem, memory)));
	printf("\n");
	fflush(stdout);
}

static void
print_table(const Adult *adult, Memory *memory)
{
	static const int64_t epsilon[] = {EPSILON_ONE / 10, EPSILON_ONE / 2, EPSILON_ONE,
									  2 * EPSILON_ONE,  5 * EPSILON_ONE, 10 * EPSILON_ONE};
	Line lines[5] = {{.name = "sparse 1"},
					 {.name = "sparse 2"},
					 {.name = "sparse 3"},
					 {.name = "sign"},
					 {.name = "ternary", .group = {0, ADULT_GROUP}}};
	const char *parts = getenv("PARTS");

	for (int g = 0; g < 5; g++)
	{
		lines[g].grid = (Grid){.dimension = ADULT_FEATURES,
							   .constraint = g < 3 ? GRID_SPARSE : GRID_PRODUCT,
							   .bound = g < 3 ? g + 1 : 0};
		for (int j = 0; j < ADULT_FEATURES; j++)
			if (g == 3)
				grid_set_sign(&lines[g].grid, j);
			else
				grid_set_range(&lines[g].grid, j, 1);
	}
	printf("%-16s %5s %6s %6s %7s %8s %6s %8s %9s %8s\n", "adult23", "eps", "parts", "votes",
		   "lead", "mean %", "sd", "seconds", "nodes", "expon. %");
	for (int g = 0; g < 5; g++)
		for (int k = 0; k < 6; k++)
			print_line(&lines[g], epsilon[k], parts != NULL ? atoi(parts) : 0, adult, memory);
}

int
main(int argc, char **argv)
{
	teststream_seed(&stream, 1);
	bits_init(&bits, teststream_fill, &stream);
	adult_run(argc > 1 ? argv[1] : getenv("DPOBJ_DATA"), print_table);
	return 0;
}
