/*
 * objective.c - training accuracy of opdisc and rspm on the papers' instance, by noise.
 *
 *   bench/objective [FOLDER [DRAWS]]
 *
 * Beside it the prototype's figures (mean and sd over 15 runs or more, n = 15,682,
 * delta = 1 / n^2) and how many standard errors apart the two means are.
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>
#include <string.h>

#include "core/testbits.h"

#include "adult.h"
#include "measure.h"

#define EPSILONS 7
#define THEIR_RUNS 15

typedef struct Line
{
	const char *name;
	MechanismKind kind;
	PerturbationNoise noise;
	int max;  /* weights -max .. max, 0: signs */
	int ball; /* |w|^2 at most this, 0: any */
	int modulus;
	int nonzeros;
	double mean[EPSILONS]; /* 0: not given */
	double sd[EPSILONS];
} Line;

static const double epsilons[EPSILONS] = {0.1, 0.3, 0.5, 1, 2, 5, 10};

static const Line lines[] = {
	{"opdisc gauge, signs",
	 MECHANISM_OPDISC,
	 PERTURBATION_GAUGE,
	 0,
	 0,
	 0,
	 0,
	 {74.5, 75.9, 76.1, 76.2, 76.3, 76.4, 76.4},
	 {0}},
	{"opdisc gauge, signs, even",
	 MECHANISM_OPDISC,
	 PERTURBATION_GAUGE,
	 0,
	 0,
	 2,
	 0,
	 {75.6, 76.1, 76.2, 76.3, 76.4, 76.4, 76.4},
	 {0}},
	{"opdisc gauge, ternary",
	 MECHANISM_OPDISC,
	 PERTURBATION_GAUGE,
	 1,
	 0,
	 0,
	 0,
	 {74.2, 75.9, 76.2, 76.9, 77.3, 77.4, 77.5},
	 {0}},
	{"opdisc gauge, ternary mod 3",
	 MECHANISM_OPDISC,
	 PERTURBATION_GAUGE,
	 1,
	 0,
	 3,
	 0,
	 {75.1, 76.3, 76.8, 77.3, 77.4, 77.4, 77.5},
	 {0}},
	{"opdisc gauge, sparse 4",
	 MECHANISM_OPDISC,
	 PERTURBATION_GAUGE,
	 1,
	 0,
	 0,
	 4,
	 {76.4, 77.1, 77.3, 77.3, 77.3, 77.3, 77.3},
	 {.6, .3, .1, .1}},
	{"opdisc spherical, ball",
	 MECHANISM_OPDISC,
	 PERTURBATION_SPHERICAL,
	 4,
	 23,
	 0,
	 0,
	 {67.9, 74.1, 75.6, 76.0, 76.3, 77.3, 77.4},
	 {5.6, 1.6, .8, .6, .6, .2, .1}},
	{"opdisc gaussian, ball", MECHANISM_OPDISC, PERTURBATION_GAUSSIAN, 4, 23, 0, 0, {0}, {0}},
	{"opdisc published, ball",
	 MECHANISM_OPDISC,
	 PERTURBATION_PUBLISHED,
	 4,
	 23,
	 0,
	 0,
	 {66.0, 72.3, 74.5, 75.3, 76.2, 76.9, 77.2},
	 {8.1, 2.3, 1.0, 1.2, .5, .4, .2}},
	{"opdisc laplace, signs", MECHANISM_OPDISC, PERTURBATION_LAPLACE, 0, 0, 0, 0, {0}, {0}},
	{"opdisc gaussian, signs", MECHANISM_OPDISC, PERTURBATION_GAUSSIAN, 0, 0, 0, 0, {0}, {0}},
	{"rspm gauge, ternary",
	 MECHANISM_RSPM,
	 PERTURBATION_GAUGE,
	 1,
	 0,
	 0,
	 0,
	 {72.5, 75.1, 75.9, 76.4, 77.1, 77.4, 77.4},
	 {2.2, .9, .5, .5, .3, .1, .1}},
	{"rspm laplace, ternary", MECHANISM_RSPM, PERTURBATION_LAPLACE, 1, 0, 0, 0, {0}, {0}},
	{"rspm gaussian, ternary", MECHANISM_RSPM, PERTURBATION_GAUSSIAN, 1, 0, 0, 0, {0}, {0}},
	{"rspm published, ternary",
	 MECHANISM_RSPM,
	 PERTURBATION_PUBLISHED,
	 1,
	 0,
	 0,
	 0,
	 {62.0, 71.3, 73.7, 75.0, 76.0, 76.9, 77.2},
	 {10, 3.5, 1.6, 1.0, .6, .5, .1}},
};

static void
make_grid(const Line *line, Grid *grid)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = ADULT_FEATURES;
	for (int j = 0; j < ADULT_FEATURES; j++)
		if (line->max == 0)
			grid_set_sign(grid, j);
		else
			grid_set_range(grid, j, line->max);
	if (line->ball > 0 || line->nonzeros > 0 || line->modulus > 0)
		grid->constraint = line->ball > 0       ? GRID_BALL
						   : line->nonzeros > 0 ? GRID_SPARSE
												: GRID_MODULUS;
	grid->bound = line->ball + line->nonzeros + line->modulus;
}

/* One cell of the table: mean and sd in percent, and the distance to the prototype's mean. */
static void
print_cell(const Line *line, int e, const Adult *adult, int draws, Bits *bits)
{
	MechanismRequest request = {.kind = line->kind,
								.noise = line->noise,
								.epsilon = (int64_t) nearbyint(epsilons[e] * EPSILON_ONE),
								.threads = 2};
	double rows = (double) adult->all.rows;
	double sum = 0;
	double squares = 0;
	double mean;
	double sd;

	make_grid(line, &request.grid);
	if (perturbation_needs_delta(line->noise))
		request.delta = (int64_t) ((double) DELTA_ONE / (rows * rows));
	for (int k = 0; k < draws; k++)
	{
		Arena *arena = arena_create(check_out_of_memory);
		MechanismAnswer answer;
		double accuracy;

		mechanism_get(line->kind)
			->release(&request, &adult->distinct,
					  &(MechanismTools){
						  .bits = bits, .memory = arena_memory(arena), .oracle = oracle_search},
					  &answer);
		accuracy = adult_accuracy(adult, (double) answer.loss);
		sum += accuracy;
		squares += accuracy * accuracy;
		arena_destroy(arena);
	}
	mean = sum / draws;
	sd = sqrt(fmax(0, squares / draws - mean * mean) * draws / (draws - 1));
	printf("  %5.2f±%-4.2f", mean, sd);
	if (line->mean[e] > 0)
	{
		/* they are printed to one digit; where no sd is, it is taken to be ours */
		double theirs = line->sd[e] > 0 ? line->sd[e] : sd;
		double error = sqrt(sd * sd / draws + theirs * theirs / THEIR_RUNS);

		printf(" %4.1f(%4.1f)", line->mean[e],
			   fmax(0, fabs(mean - line->mean[e]) - 0.05) / fmax(error, 0.01));
	}
	(void) fflush(stdout);
}

int
main(int argc, char **argv)
{
	int draws = argc > 2 ? atoi(argv[2]) : 20;
	Arena *arena = arena_create(check_out_of_memory);
	Adult adult;
	TestStream stream;
	Bits bits;

	if (!adult_read(&adult, argc > 1 ? argv[1] : getenv("DPOBJ_DATA"), arena_memory(arena)))
		return 0;
	teststream_seed(&stream, 5);
	bits_init(&bits, teststream_fill, &stream);
	printf("%d draws; in each cell mean±sd, the prototype's mean (distance in standard "
		   "errors)\n%-28s",
		   draws, "epsilon");
	for (int e = 0; e < EPSILONS; e++)
		printf("  %-22g", epsilons[e]);
	printf("\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
	{
		double began = seconds_now();

		printf("%-28s", lines[i].name);
		for (int e = 0; e < EPSILONS; e++)
			print_cell(&lines[i], e, &adult, draws, &bits);
		printf("  %.2f s\n", (seconds_now() - began) / draws / EPSILONS);
	}
	arena_destroy(arena);
	return 0;
}
