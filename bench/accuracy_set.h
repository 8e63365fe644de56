/*
 * accuracy_set.h - a training set of bench/accuracy_sets.py, and a mechanism's accuracy on it.
 */
#ifndef DPOBJ_BENCH_ACCURACY_SET_H
#define DPOBJ_BENCH_ACCURACY_SET_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "core/check.h"
#include "core/mechanisms/mechanism.h"
#include "core/rows/rows.h"
#include "core/testbits.h"

#include "accuracy_simplex.h"
#include "measure.h"

/* A cell has LEAST_RUNS runs, more while they take less than QUICK_SECONDS together, and fewer, at
 * least FEW_RUNS, once they take longer than LONG_SECONDS. */
#define LEAST_RUNS 20
#define MOST_RUNS 100
#define FEW_RUNS 3
#define QUICK_SECONDS 1
#define LONG_SECONDS 60

/* A run that takes longer ends the process by SIGPROF.  All are processor seconds of one thread. */
#define RUN_SECONDS 30

#define ACCURACY_EPSILONS 7

static const double accuracy_epsilons[ACCURACY_EPSILONS] = {0.1, 0.3, 0.5, 1, 2, 5, 10};

/* What a program is asked to measure; NULL or 0: everything. */
typedef struct AccuracyAsk
{
	const char *folder;
	const char *set;
	const char *text; /* rows whose name has it; after a =, the row of that name */
	double epsilon;
} AccuracyAsk;

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
	int runs; /* 0: no draw is in the mean; sd is that of some draws, NAN if there was one */
	double mean;
	double sd;
	double seconds; /* of a run */
} Accuracy;

/* ---- what is asked, and the answer ---- */

static inline AccuracyAsk
accuracy_ask(int argc, char **argv)
{
	if (argc < 2)
	{
		fprintf(stderr, "usage: %s FOLDER [SET [TEXT [EPSILON]]]\n", argv[0]);
		exit(1);
	}
	return (AccuracyAsk){.folder = argv[1],
						 .set = argc > 2 && strcmp(argv[2], "all") != 0 ? argv[2] : NULL,
						 .text = argc > 3 ? argv[3] : NULL,
						 .epsilon = argc > 4 ? atof(argv[4]) : 0};
}

static inline bool
accuracy_is_set_asked(const AccuracyAsk *ask, const char *name)
{
	return ask->set == NULL || strcmp(ask->set, name) == 0;
}

static inline bool
accuracy_is_asked(const AccuracyAsk *ask, const char *row, double epsilon)
{
	const char *text = ask->text;

	if (ask->epsilon != 0 && ask->epsilon != epsilon)
		return false;
	if (text == NULL)
		return true;
	return text[0] == '=' ? strcmp(row, text + 1) == 0 : strstr(row, text) != NULL;
}

/* A line of bench/results/accuracy.tsv but for its memory and date; NULL: the number of runs. */
static inline void
accuracy_print(const char *set, const char *family, const char *row, double epsilon,
			   const char *runs, const Accuracy *accuracy)
{
	printf("%s\t%s\t%s\t%g\t", set, family, row, epsilon);
	if (runs != NULL)
		printf("%s", runs);
	else
		printf("%d", accuracy->runs);
	printf("\t%.3f\t%.3f\t%.3f\n", accuracy->mean, accuracy->sd, accuracy->seconds);
	fflush(stdout);
}

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
accuracy_set_read(AccuracySet *set, const char *folder, const char *name, Memory *memory)
{
	char path[4096];
	FILE *file;
	Rows rows;

	snprintf(path, sizeof(path), "%s/%s.set", folder, name);
	file = fopen(path, "r");
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

static inline double
accuracy_normal(TestStream *stream)
{
	double u = 1 - teststream_between(stream, 0, 1);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * teststream_between(stream, 0, 1));
}

static inline void
accuracy_finish(Accuracy *accuracy, double sum, double squares, int runs)
{
	accuracy->runs = runs;
	accuracy->mean = runs > 0 ? sum / runs : 0;
	accuracy->sd = runs > 1 ? sqrt(fmax(0, squares - sum * sum / runs) / (runs - 1)) : (double) NAN;
}

static inline bool
accuracy_is_enough(int runs, double seconds)
{
	return runs >= MOST_RUNS || (runs >= LEAST_RUNS && seconds > QUICK_SECONDS) ||
		   (runs >= FEW_RUNS && seconds > LONG_SECONDS);
}

static inline Accuracy
accuracy_of_releases(const AccuracySet *set, const MechanismRequest *request, Bits *bits)
{
	Accuracy accuracy;
	const struct itimerval limit = {.it_value.tv_sec = RUN_SECONDS};
	const struct itimerval none = {.it_value.tv_sec = 0};
	double began = cpu_seconds_now();
	double sum = 0;
	double squares = 0;
	int runs = 0;

	for (; !accuracy_is_enough(runs, cpu_seconds_now() - began); runs++)
	{
		double value;

		(void) setitimer(ITIMER_PROF, &limit, NULL);
		value = accuracy_of_release(set, request, bits);
		(void) setitimer(ITIMER_PROF, &none, NULL);
		sum += value;
		squares += value * value;
	}
	accuracy_finish(&accuracy, sum, squares, runs);
	accuracy.seconds = (cpu_seconds_now() - began) / runs;
	return accuracy;
}

#endif
