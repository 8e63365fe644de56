/*
 * rivals.c - the papers' mixed integer programme as files for other solvers.
 *
 * Usage: rivals <folder of adult23.csv> <folder to write to>; see rivals.sh.
 *
 * Takes the first draw of bench/oracle of families A and B (oracle_noise.h) at
 * epsilon 1 and 5, same seeds.  Of each it writes the programme of
 * glpk_literal.h as <name>-literal.mps, one binary per row of the training set,
 * and as <name>-distinct.mps, one per distinct row with its net weight; and it
 * prints the name, the native search's seconds (one thread) and the optimum of
 * either file, in misclassified rows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/check.h"
#include "core/optimum/oracle_internal.h"
#include "solver/glpk_literal.h"

#include "adult.h"
#include "measure.h"
#include "oracle_noise.h"

#define PATH_SIZE 4096

/* As bench/oracle numbers its draws. */
#define ORACLE_EPSILONS 5
#define ORACLE_DRAWS 10

typedef struct Draw
{
	const char *name;
	NoiseFamily family;
	double epsilon;
	int place; /* of epsilon in bench/oracle */
} Draw;

static const Draw draws[] = {{"A-1", NOISE_GAUSSIAN, 1, 1},
							 {"A-5", NOISE_GAUSSIAN, 5, 3},
							 {"B-1", NOISE_SPHERICAL, 1, 1},
							 {"B-5", NOISE_SPHERICAL, 5, 3}};

/* The file's objective of a vector: the reduced one, divided by the scale. */
static double
file_value(const OracleProblem *problem, const int *index, Memory *memory)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	double value = NAN;

	if (oracle_reduce(problem, model))
	{
		int64_t loss = instance_loss(problem->instance, problem->grid, index);

		value = (double) model->end_cost[oracle_end_state(problem->grid, index)];
		for (int j = 0; j < problem->grid->dimension; j++)
			value += (double) model->cost[j][index[j]];
		value = value / (double) model->scale + (double) (loss - problem->instance->constant);
	}
	memory_release(memory, model);
	return value;
}

static void
write_file(glp_prob *programme, void *path)
{
	(void) glp_write_mps(programme, GLP_MPS_FILE, NULL, path);
}

static bool
write_programme(const OracleProblem *problem, const char *folder, const char *name,
				const char *kind, Memory *memory)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s-%s.mps", folder, name, kind);
	return glpk_literal_visit(problem, memory, write_file, path);
}

static bool
write_draw(const Draw *draw, const Adult *adult, Noise *noise, const char *folder, Memory *memory)
{
	int number = (draw->family * ORACLE_EPSILONS + draw->place) * ORACLE_DRAWS;
	OracleProblem distinct;
	OracleProblem literal;
	OracleAnswer answer;
	TestStream stream;
	double start;
	double seconds;

	teststream_seed(&stream, (uint64_t) number);
	noise_set_grid(noise, draw->family, ADULT_FEATURES, 4);
	noise_draw(noise, draw->epsilon, adult->all.rows, &stream);
	distinct = noise_problem(noise, &adult->distinct, 1);
	literal = noise_problem(noise, &adult->all, 1);
	start = seconds_now();
	oracle_search(&distinct, memory, &answer);
	seconds = seconds_now() - start;
	printf("%s %.3f %.4f %.4f\n", draw->name, seconds, file_value(&literal, answer.index, memory),
		   file_value(&distinct, answer.index, memory));
	return write_programme(&literal, folder, draw->name, "literal", memory) &&
		   write_programme(&distinct, folder, draw->name, "distinct", memory);
}

int
main(int argc, char **argv)
{
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	Noise *noise = memory_allocate(memory, 1, sizeof(Noise));
	bool written = argc == 3;
	Adult adult;

	noise_init(noise);
	if (written && adult_read(&adult, argv[1], memory))
		for (size_t k = 0; k < sizeof(draws) / sizeof(draws[0]); k++)
			written = written && write_draw(&draws[k], &adult, noise, argv[2], memory);
	noise_clear(noise);
	arena_destroy(arena);
	return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
