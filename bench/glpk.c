/*
 * glpk.c - compares the hybrid with GLPK and the native search, for the rule that chooses between
 * them.
 *
 * Usage: glpk --classes [seconds] [folder of the data], by default 5 and that of
 * DPOBJ_DATA.
 *
 * One line per problem class that public parameters tell apart - dimension, levels, constraint,
 * epsilon, noise -: the median seconds of five draws, the same for both, one thread each; the
 * choice by the rule, which is GLPK if its median is below half a second or within twice the native
 * one; and, after the binary logarithm of the grid's size, the default choice
 * (glpk_hybrid_suits()).  Each solve has a process of its own, which ends at the limit; a class
 * whose native median is beyond it is not given to GLPK.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solver/glpk_hybrid.h"

#include "glpk_problems.h"

#define DRAWS 5
#define SUITS_SECONDS 0.5
#define SUITS_RATIO 2.0

static const ProblemClass classes[] = {
	{SET_ADULT23, 23, GRID_KIND_SIGN, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_SIGN, NOISE_CUBE},
	{SET_ADULT23, 23, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_TERNARY, NOISE_SEPARATORS},
	{SET_ADULT23, 23, GRID_KIND_BALL, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_BALL, NOISE_GAUSSIAN},
	{SET_ADULT23, 23, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_ADULT23, 23, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_AUTO, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_PARITY, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_THREE, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_SPARSE_4, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_SPARSE_5, NOISE_GAUGE},
	{SET_ADULT23, 23, GRID_KIND_SPARSE_6, NOISE_GAUGE},
	{SET_NUMBERS, 2, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 4, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 6, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 8, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_NUMBERS, 8, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_NUMBERS, 10, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_NUMBERS, 10, GRID_KIND_MAX4, NOISE_GAUGE},
	{SET_WIDE, 41, GRID_KIND_SIGN, NOISE_GAUGE},
	{SET_WIDE, 41, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_WIDE, 41, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_WIDE, 51, GRID_KIND_SIGN, NOISE_GAUGE},
	{SET_WIDE, 51, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_WIDE, 51, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_WIDE, 60, GRID_KIND_SIGN, NOISE_GAUGE},
	{SET_WIDE, 60, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_WIDE, 60, GRID_KIND_BALL, NOISE_SPHERICAL},
	{SET_WIDE, 102, GRID_KIND_SIGN, NOISE_GAUGE},
	{SET_WIDE, 102, GRID_KIND_TERNARY, NOISE_GAUGE},
	{SET_WIDE, 102, GRID_KIND_BALL, NOISE_SPHERICAL},
};

static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 10 * EPSILON_ONE};

#define EPSILONS (int) (sizeof(epsilons) / sizeof(epsilons[0]))

typedef bool (*Solver)(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

/* What a solve's process writes back. */
typedef struct Outcome
{
	double seconds;
	OracleAnswer answer;
} Outcome;

static bool
solve_native(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	oracle_search(problem, memory, answer);
	return true;
}

/* In a process of its own; false where it took longer, or failed. */
static bool
run_limited(Solver solver, const OracleProblem *problem, double limit, Memory *memory,
			Outcome *outcome)
{
	int end[2];
	bool done;
	pid_t child;

	fflush(stdout);
	if (pipe(end) != 0 || (child = fork()) < 0)
		return false;
	if (child == 0)
	{
		double start = seconds_now();
		Outcome mine = {0};

		alarm((unsigned) ceil(limit));
		done = solver(problem, memory, &mine.answer);
		mine.seconds = seconds_now() - start;
		_exit(done && write(end[1], &mine, sizeof(mine)) == sizeof(mine) ? 0 : 1);
	}
	close(end[1]);
	done = read(end[0], outcome, sizeof(*outcome)) == sizeof(*outcome);
	close(end[0]);
	(void) waitpid(child, NULL, 0);
	return done && outcome->seconds <= limit;
}

/* Medians of a class; a solve beyond the limit counts as infinite. */
typedef struct Medians
{
	double native;
	double hybrid;
	double nodes;
	double hybrid_nodes;
	int same;
	int compared;
} Medians;

/* No more draws where most are beyond the limit already. */
static bool
is_hopeless(const double *seconds, int draws)
{
	int beyond = 0;

	for (int k = 0; k < draws; k++)
		beyond += isinf(seconds[k]) != 0;
	return beyond > DRAWS / 2;
}

static void
measure_class(const ProblemClass *class, int64_t epsilon, const Instance *instance, int64_t count,
			  double limit, Noise *noise, Memory *memory, Medians *medians)
{
	double native[DRAWS] = {0.0};
	double hybrid[DRAWS] = {0.0};
	double nodes[2][DRAWS] = {{0.0}, {0.0}};

	memset(medians, 0, sizeof(*medians));
	for (int k = 0; k < DRAWS; k++)
	{
		OracleProblem problem =
			class_problem(class, epsilon, instance, count, (uint64_t) k, noise, memory);
		Outcome truth = {0};
		Outcome answer = {0};
		bool solved[2] = {false, false};

		if (!is_hopeless(native, k))
			solved[0] = run_limited(solve_native, &problem, limit, memory, &truth);
		if (!is_hopeless(native, k) && !is_hopeless(hybrid, k))
			solved[1] = run_limited(glpk_hybrid_solve, &problem, limit, memory, &answer);
		native[k] = solved[0] ? truth.seconds : HUGE_VAL;
		hybrid[k] = solved[1] ? answer.seconds : HUGE_VAL;
		nodes[0][k] = (double) truth.answer.nodes;
		nodes[1][k] = (double) answer.answer.nodes;
		if (solved[0] && solved[1])
		{
			medians->compared++;
			medians->same +=
				grid_compare(&noise->grid, truth.answer.index, answer.answer.index) == 0;
		}
	}
	medians->native = median(native, DRAWS);
	medians->hybrid = median(hybrid, DRAWS);
	medians->nodes = median(nodes[0], DRAWS);
	medians->hybrid_nodes = median(nodes[1], DRAWS);
}

static void
print_seconds(double seconds, double limit)
{
	char text[32];

	if (isinf(seconds))
		snprintf(text, sizeof(text), "> %g", limit);
	else
		snprintf(text, sizeof(text), "%.3f", seconds);
	printf(" %9s", text);
}

static void
print_class(const ProblemClass *class, int64_t epsilon, const Grid *grid, const Medians *medians,
			double limit)
{
	static const char *const sets[] = {"adult23", "wide", "numbers"};
	bool known = !isinf(medians->hybrid);
	bool drives = known && (medians->hybrid < SUITS_SECONDS ||
							medians->hybrid <= SUITS_RATIO * medians->native);

	printf("%-8s %3d %-8s %-5s %5.1f", sets[class->set], class->dimension, grid_names[class->grid],
		   noise_names[class->noise], (double) epsilon / EPSILON_ONE);
	print_seconds(medians->native, limit);
	print_seconds(medians->hybrid, limit);
	if (known)
		printf(" %6.1f %8.0f %8.0f %3d/%d", medians->hybrid / medians->native, medians->nodes,
			   medians->hybrid_nodes, medians->same, medians->compared);
	else
		printf(" %6s %8s %8s %3d/%d", "-", "-", "-", medians->same, medians->compared);
	printf(" %-7s %5.1f %s\n",
		   drives  ? "GLPK"
		   : known ? "native"
				   : "-",
		   grid_log2_size(grid), glpk_hybrid_suits(grid) ? "GLPK" : "native");
	fflush(stdout);
}

static void
print_classes(double limit, const char *folder, Memory *memory)
{
	Noise *noise = memory_allocate(memory, 1, sizeof(Noise));
	Instance instance = {0};
	int64_t count = 0;

	noise_init(noise);
	printf("%-8s %3s %-8s %-5s %5s %9s %9s %6s %8s %8s %5s %-7s %5s %s\n", "set", "d", "grid",
		   "noise", "eps", "native s", "hybrid s", "ratio", "nodes", "hybrid's", "same", "rule",
		   "bits", "auto");
	for (size_t c = 0; c < sizeof(classes) / sizeof(classes[0]); c++)
	{
		const ProblemClass *class = &classes[c];

		if (c == 0 || class->set != class[-1].set || class->dimension != class[-1].dimension)
			if (!class_set(class, folder, memory, &instance, &count))
				break;
		for (int e = 0; e < EPSILONS; e++)
		{
			Medians medians;

			measure_class(class, epsilons[e], &instance, count, limit, noise, memory, &medians);
			print_class(class, epsilons[e], &noise->grid, &medians, limit);
		}
	}
	noise_clear(noise);
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 3 ? argv[3] : getenv("DPOBJ_DATA");
	Arena *arena;

	if (argc < 2 || strcmp(argv[1], "--classes") != 0)
	{
		fputs("usage: glpk --classes [seconds] [folder of the data]\n", stderr);
		return EXIT_FAILURE;
	}
	arena = arena_create(check_out_of_memory);
	print_classes(argc > 2 ? atof(argv[2]) : 5.0, folder, arena_memory(arena));
	arena_destroy(arena);
	return EXIT_SUCCESS;
}
