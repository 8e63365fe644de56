/*
 * oracle.c - time and accuracy of certified optima.
 *
 * Usage: oracle [--large] [folder of the data], by default that of DPOBJ_DATA.
 *
 * Prints one table on adult23 (adult23.csv): per noise (bench/oracle_noise.h) and epsilon ten
 * draws, how many were certified, median and largest seconds of one and of two threads, the median
 * number of nodes, and the mean training accuracy.  Then repeats the ten slowest draws, each as the
 * best of five runs, which other processes disturb least.
 *
 * --large prints the problems of bench/oracle_large.h instead, each under a limit
 * of a minute.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/check.h"

#include "adult.h"
#include "measure.h"
#include "oracle_noise.h"
#include "oracle_large.h"

#define DRAWS 10
#define EPSILONS 5
#define SLOWEST 10
#define REPEATS 5

static const double epsilons[EPSILONS] = {0.5, 1, 2, 5, 10};

/* One draw, and what it took with one and with two threads. */
typedef struct Run
{
	NoiseFamily family;
	double epsilon;
	uint64_t seed;
	double seconds[2];
	double nodes;
	double accuracy;
} Run;

typedef struct Bench
{
	Adult adult;
	Memory *memory;
	Noise noise;
	Run run[NOISE_FAMILIES * EPSILONS * DRAWS];
	int runs;
} Bench;

static int
compare_runs(const void *left, const void *right)
{
	const Run *a = left;
	const Run *b = right;

	return compare_doubles(&b->seconds[0], &a->seconds[0]);
}

static void
measure(Bench *bench, Run *run)
{
	TestStream stream;

	teststream_seed(&stream, run->seed);
	noise_set_grid(&bench->noise, run->family, ADULT_FEATURES, 4);
	noise_draw(&bench->noise, run->epsilon, bench->adult.all.rows, &stream);
	for (int threads = 1; threads <= 2; threads++)
	{
		OracleProblem problem = noise_problem(&bench->noise, &bench->adult.distinct, threads);
		OracleAnswer answer;
		double start = seconds_now();

		oracle_search(&problem, bench->memory, &answer);
		run->seconds[threads - 1] = seconds_now() - start;
		run->nodes = (double) answer.nodes;
		run->accuracy = adult_accuracy(&bench->adult, (double) answer.loss);
	}
}

static void
print_line(const char *name, const Run *run)
{
	double seconds[2][DRAWS];
	double nodes[DRAWS];
	double accuracy = 0.0;

	for (int k = 0; k < DRAWS; k++)
	{
		for (int t = 0; t < 2; t++)
			seconds[t][k] = run[k].seconds[t];
		nodes[k] = run[k].nodes;
		accuracy += run[k].accuracy / DRAWS;
	}
	/* The search has no way to return but with a certificate. */
	printf("%-29s %4.1f %6d/%d", name, run->epsilon, DRAWS, DRAWS);
	for (int t = 0; t < 2; t++)
	{
		double middle = median(seconds[t], DRAWS);

		printf(" %9.3f %7.3f", middle, seconds[t][DRAWS - 1]);
	}
	printf(" %7.0f %10.2f\n", median(nodes, DRAWS), accuracy);
	fflush(stdout);
}

static void
print_table(Bench *bench)
{
	static const char *const name[] = {"A OPDisc, published Gaussian", "B OPDisc, spherical Gamma",
									   "C {-1,1}^23, cube", "T {-1,0,1}^23, separators"};

	printf("%-29s %4s %9s %9s %7s %9s %7s %7s %10s\n", "adult23", "eps", "certified", "1 thr: med",
		   "max s", "2: med", "max s", "nodes", "accuracy %");
	for (int family = 0; family < NOISE_FAMILIES; family++)
		for (int e = 0; e < EPSILONS; e++)
		{
			Run *first = bench->run + bench->runs;

			for (int k = 0; k < DRAWS; k++)
			{
				Run *run = &bench->run[bench->runs++];

				run->family = (NoiseFamily) family;
				run->epsilon = epsilons[e];
				run->seed = (uint64_t) ((family * EPSILONS + e) * DRAWS + k);
				measure(bench, run);
			}
			print_line(name[family], first);
		}
}

static void
print_slowest(Bench *bench)
{
	double total[2] = {0.0, 0.0};

	qsort(bench->run, (size_t) bench->runs, sizeof(Run), compare_runs);
	for (int k = 0; k < SLOWEST; k++)
	{
		double best[2] = {1e9, 1e9};

		for (int repeat = 0; repeat < REPEATS; repeat++)
		{
			measure(bench, &bench->run[k]);
			for (int t = 0; t < 2; t++)
				if (bench->run[k].seconds[t] < best[t])
					best[t] = bench->run[k].seconds[t];
		}
		total[0] += best[0];
		total[1] += best[1];
	}
	printf("the ten slowest together: %.3f s with one thread, %.3f s with two, ratio %.2f\n",
		   total[0], total[1], total[0] / total[1]);
}

int
main(int argc, char **argv)
{
	bool large = argc > 1 && strcmp(argv[1], "--large") == 0;
	const char *folder = argc > 1 + large ? argv[1 + large] : getenv("DPOBJ_DATA");
	Arena *arena;
	Bench *bench;

	if (large)
		return large_print(folder);
	arena = arena_create(check_out_of_memory);
	bench = memory_allocate_zero(arena_memory(arena), 1, sizeof(Bench));
	bench->memory = arena_memory(arena);
	if (adult_read(&bench->adult, folder, bench->memory))
	{
		noise_init(&bench->noise);
		print_table(bench);
		print_slowest(bench);
		noise_clear(&bench->noise);
	}
	arena_destroy(arena);
	return 0;
}
