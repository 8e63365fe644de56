/*
 * accuracy_set.h - a training set of bench/accuracy_sets.py, and a mechanism's accuracy on it.
 */
#ifndef DPOBJ_BENCH_ACCURACY_SET_H
#define DPOBJ_BENCH_ACCURACY_SET_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"
#include "core/mechanisms/mechanism.h"
#include "core/rows/rows.h"
#include "core/testbits.h"
#include "core/exponential/tree.h"

#include "accuracy_simplex.h"
#include "measure.h"

/* With so few configurations the law's mean is computed instead of estimated. */
#define EXACT_MEAN_COST 3000000

/* More are never enumerated. */
#define ENUMERATION_COST 50000000

/* Draws from one tree cost little beside the first. */
#define TREE_DRAWS 400
#define LEAST_DRAWS 20
#define DRAWS_SECONDS 5

/* Of other mechanisms, which begin anew each time. */
#define MOST_RUNS 200

typedef struct AccuracySet
{
	char name[32];
	int dimension;
	int64_t rows;
	int groups;
	int16_t group[GRID_MAX_DIMENSION];
	int numerics;
	int numeric[GRID_MAX_DIMENSION]; /* positions from 1 */
	Encoding encoding;
	Instance distinct; /* equal rows merged */
	Instance labelled; /* with both labels, for the convex losses */
	Instance apart;    /* row by row */
	Squares squares;   /* of a set with targets, whose rows all count as positive; else unused */
} AccuracySet;

typedef struct Accuracy
{
	int runs; /* 0: the law's own mean; sd is that of some draws, NAN if there was one */
	double mean;
	double sd;
	double seconds; /* of a run */
} Accuracy;

/* ---- reading ---- */

static inline void
accuracy_scan_failed(const char *path)
{
	fprintf(stderr, "%s is not a set of accuracy_sets.py\n", path);
	exit(1);
}

static inline int
accuracy_read_int(FILE *file, const char *path)
{
	int value;

	if (fscanf(file, "%d", &value) != 1)
		accuracy_scan_failed(path);
	return value;
}

static inline double
accuracy_read_number(FILE *file, const char *path)
{
	double value;

	if (fscanf(file, "%lf", &value) != 1)
		accuracy_scan_failed(path);
	return value;
}

static inline void
accuracy_read_head(AccuracySet *set, FILE *file, const char *path)
{
	if (fscanf(file, "%31s", set->name) != 1)
		accuracy_scan_failed(path);
	set->dimension = accuracy_read_int(file, path);
	set->rows = accuracy_read_int(file, path);
	set->groups = accuracy_read_int(file, path);
	for (int g = 0; g < set->groups; g++)
		set->group[g] = (int16_t) accuracy_read_int(file, path);
	set->numerics = accuracy_read_int(file, path);
	for (int i = 0; i < set->numerics; i++)
		set->numeric[i] = accuracy_read_int(file, path);
	encoding_init(&set->encoding);
	set->encoding.features = set->dimension;
	set->encoding.groups = set->groups;
	memcpy(set->encoding.group, set->group, sizeof(set->group));
	for (int j = 0; j < set->dimension; j++)
	{
		set->encoding.low[j] = accuracy_read_number(file, path);
		set->encoding.high[j] = accuracy_read_number(file, path);
	}
	if (!encoding_finish(&set->encoding))
		accuracy_scan_failed(path);
}

static inline void
accuracy_set_read(AccuracySet *set, const char *path, Memory *memory)
{
	FILE *file = fopen(path, "r");
	Rows rows;

	if (file == NULL)
		accuracy_scan_failed(path);
	accuracy_read_head(set, file, path);
	rows_init(&rows, &set->encoding, memory);
	for (int64_t r = 0; r < set->rows; r++)
	{
		bool positive = accuracy_read_int(file, path) > 0;
		double feature[GRID_MAX_DIMENSION];

		for (int j = 0; j < set->dimension; j++)
			feature[j] = accuracy_read_number(file, path);
		rows_add(&rows, feature, positive);
	}
	fclose(file);
	rows_instance(&rows, false, memory, &set->distinct);
	rows_labelled_instance(&rows, memory, &set->labelled);
	rows_instance(&rows, true, memory, &set->apart);
	squares_make(&set->labelled, set->rows, &set->squares);
}

/* ---- one model ---- */

static inline double
accuracy_percent(const AccuracySet *set, double loss)
{
	return 100.0 * (1.0 - loss / (double) set->rows);
}

/* Mistakes of real weights; only the score's sign counts, so any unit of the weights will do. */
static inline double
accuracy_real_loss(const AccuracySet *set, const int64_t *weight)
{
	const Instance *instance = &set->labelled;
	double loss = (double) instance->constant;

	for (int64_t r = 0; r < instance->rows; r++)
	{
		__int128 score = 0;

		for (int j = 0; j < set->dimension; j++)
			score += (__int128) weight[j] * instance->x[r * set->dimension + j];
		loss += (double) (score > 0 ? instance->negative[r] : instance->positive[r]);
	}
	return loss;
}

/* Percent, or thousandths of a squared error. */
static inline double
accuracy_of_answer(const AccuracySet *set, const Mechanism *mechanism,
				   const MechanismAnswer *answer)
{
	if (mechanism->targets)
		return squares_of_draws(&set->squares, answer->weight);
	return accuracy_percent(set, mechanism->convex ? accuracy_real_loss(set, answer->weight)
												   : (double) answer->loss);
}

static inline void
accuracy_release(const AccuracySet *set, const MechanismRequest *request, Bits *bits,
				 Memory *memory, MechanismAnswer *answer)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	MechanismTools tools = {.bits = bits, .memory = memory, .oracle = oracle_search};

	mechanism->release(request,
					   mechanism->convex || mechanism->targets ? &set->labelled
					   : mechanism->every_row                  ? &set->apart
															   : &set->distinct,
					   &tools, answer);
}

static inline double
accuracy_of_release(const AccuracySet *set, const MechanismRequest *request, Bits *bits)
{
	Arena *arena = arena_create(check_out_of_memory);
	MechanismAnswer answer;
	double value;

	accuracy_release(set, request, bits, arena_memory(arena), &answer);
	value = accuracy_of_answer(set, mechanism_get(request->kind), &answer);
	arena_destroy(arena);
	return value;
}

/* Processor seconds from the rows in memory to the model. */
static inline double
accuracy_time_release(const AccuracySet *set, const MechanismRequest *request, Bits *bits)
{
	Arena *arena = arena_create(check_out_of_memory);
	MechanismAnswer answer;
	double began = cpu_seconds_now();

	accuracy_release(set, request, bits, arena_memory(arena), &answer);
	began = cpu_seconds_now() - began;
	arena_destroy(arena);
	return began;
}

/* ---- many ---- */

static inline void
accuracy_finish(Accuracy *accuracy, double sum, double squares, int runs)
{
	accuracy->runs = runs;
	accuracy->mean = runs > 0 ? sum / runs : 0;
	accuracy->sd = runs > 1 ? sqrt(fmax(0, squares - sum * sum / runs) / (runs - 1)) : (double) NAN;
}

/* As many runs as take DRAWS_SECONDS, but least .. most. */
static inline Accuracy
accuracy_of_releases(const AccuracySet *set, const MechanismRequest *request, int least, int most,
					 Bits *bits)
{
	Accuracy accuracy;
	double began = seconds_now();
	double sum = 0;
	double squares = 0;
	int runs = 0;

	for (; runs < most && (runs < least || seconds_now() - began < DRAWS_SECONDS); runs++)
	{
		double value = accuracy_of_release(set, request, bits);

		sum += value;
		squares += value * value;
	}
	accuracy_finish(&accuracy, sum, squares, runs);
	accuracy.seconds = (seconds_now() - began) / runs;
	return accuracy;
}

/* One draw of an exponential mechanism; false if the tree has failed so often that it never will.
 */
typedef struct LawDraws
{
	const SelectProblem *problem;
	Tree *tree; /* NULL: by enumeration */
	int64_t attempts;
	Bits *bits;
	Memory *memory;
} LawDraws;

static inline bool
accuracy_draw(const LawDraws *draws, SelectAnswer *answer)
{
	if (draws->tree != NULL)
		return tree_draw(draws->tree, draws->attempts, draws->bits, answer);
	select_exponential(draws->problem, draws->bits, draws->memory, answer);
	return true;
}

/*
 * As many draws as take DRAWS_SECONDS, at most so many; with a tree, which only the
 * first of them has to grow, LEAST_DRAWS at least.
 */
static inline void
accuracy_draw_law(const AccuracySet *set, const LawDraws *draws, int most, Accuracy *accuracy)
{
	double began = seconds_now();
	double sum = 0;
	double squares = 0;
	int made = 0;
	int least = draws->tree != NULL ? LEAST_DRAWS : 1;

	for (; made < most && (made < least || seconds_now() - began < DRAWS_SECONDS); made++)
	{
		SelectAnswer answer;
		double value;

		if (!accuracy_draw(draws, &answer))
			break;
		if (made == 0)
			accuracy->seconds = seconds_now() - began;
		value = accuracy_percent(set, (double) answer.loss);
		sum += value;
		squares += value * value;
	}
	accuracy_finish(accuracy, sum, squares, made);
}

/* The exponential mechanism: the law's own mean where it is cheap, else the mean of many draws. */
static inline Accuracy
accuracy_of_law(const AccuracySet *set, const MechanismRequest *request, Bits *bits)
{
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	SelectProblem problem = {.instance = &set->distinct,
							 .grid = &request->grid,
							 .group = request->group,
							 .epsilon = request->epsilon,
							 .adjacency = request->adjacency,
							 .threads = request->threads};
	uint64_t cost = select_cost(&request->grid, request->group);
	bool cheap = cost <= EXACT_MEAN_COST;
	Accuracy accuracy = {.seconds = 0};
	LawDraws draws = {.problem = &problem,
					  .tree = cheap ? NULL : tree_create(&problem, memory),
					  /* then it is enumerated, as the mechanism itself does */
					  .attempts = cost <= ENUMERATION_COST ? 20000 : INT64_MAX,
					  .bits = bits,
					  .memory = memory};

	accuracy_draw_law(set, &draws, cheap ? LEAST_DRAWS : TREE_DRAWS, &accuracy);
	if (draws.tree != NULL)
		tree_destroy(draws.tree);
	if (cheap || accuracy.runs < LEAST_DRAWS)
	{
		accuracy.runs = 0;
		accuracy.mean = accuracy_percent(set, select_mean_loss(&problem, memory));
	}
	arena_destroy(arena);
	return accuracy;
}

static inline Accuracy
accuracy_measure(const AccuracySet *set, const MechanismRequest *request, int least, Bits *bits)
{
	return request->kind == MECHANISM_EXPONENTIAL
			   ? accuracy_of_law(set, request, bits)
			   : accuracy_of_releases(set, request, least, MOST_RUNS, bits);
}

#endif
