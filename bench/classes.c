/*
 * classes.c - how long dp_softmax takes beside dp_logistic, on generated rows of 23 numbers.
 *
 *   classes [ROWS [CLASSES [THREADS]]]    1,000,000, 5 and 2
 *
 * The rows are the same, their labels drawn from a softmax or a logistic model.  Both models have
 * the default radius, regularisation and noise at epsilon 0.1, 1 and 10.  Prints the medians of
 * REPETITIONS runs that take turns, from the rows in memory to the model, and their ratio.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"
#include "core/mechanisms/convex_default.h"
#include "core/testbits.h"

#include "measure.h"

#define FEATURES 23
#define REPETITIONS 3

typedef struct Side
{
	int classes; /* 0: dp_logistic */
	Instance instance;
	double wall[REPETITIONS];
	double processor[REPETITIONS];
	int64_t rounds;
} Side;

static TestStream stream;

static double
score_of(const int32_t *x, const double *weight)
{
	double score = 0;

	for (int j = 0; j < FEATURES; j++)
		score += weight[j] * x[j] / FIXED_POINT_ONE;
	return score;
}

static int
draw_class(const int32_t *x, int classes, double (*weight)[FEATURES])
{
	double sum = 0;
	double share[INSTANCE_MAX_CLASSES];
	double lot;
	int class = 0;

	for (int k = 0; k < classes; k++)
		sum += share[k] = exp(score_of(x, weight[k]));
	lot = teststream_between(&stream, 0, sum);
	while (class < classes - 1 && lot >= share[class])
		lot -= share[class ++];
	return class;
}

static void
make_side(Side *side, int64_t rows, const int32_t *feature, Memory *memory)
{
	int classes = side->classes > 0 ? side->classes : 2;
	int columns = FEATURES + (side->classes > 0 ? 1 : 0);
	double weight[INSTANCE_MAX_CLASSES][FEATURES];
	int32_t *x = memory_allocate(memory, (size_t) rows * (size_t) columns, sizeof(int32_t));
	int64_t *positive = memory_allocate_zero(memory, (size_t) rows, sizeof(int64_t));
	int64_t *negative = memory_allocate_zero(memory, (size_t) rows, sizeof(int64_t));

	for (int k = 0; k < classes; k++)
		for (int j = 0; j < FEATURES; j++)
			weight[k][j] = teststream_between(&stream, -1.5, 1.5);
	for (int64_t i = 0; i < rows; i++)
	{
		int class = draw_class(feature + i * FEATURES, classes, weight);

		memcpy(x + i * columns + columns - FEATURES, feature + i * FEATURES,
			   FEATURES * sizeof(int32_t));
		if (side->classes > 0)
			x[i * columns] = class * FIXED_POINT_ONE;
		if (side->classes > 0 || class == 1)
			positive[i] = 1;
		else
			negative[i] = 1;
	}
	side->instance = (Instance){
		.dimension = columns, .rows = rows, .x = x, .positive = positive, .negative = negative};
}

static void
time_side(Side *side, double epsilon, int threads, int repetition)
{
	Arena *arena = arena_create(check_out_of_memory);
	MechanismRequest request = {.kind = MECHANISM_OBJECTIVE,
								.epsilon = (int64_t) (epsilon * EPSILON_ONE),
								.adjacency = ADJACENCY_REPLACE,
								.threads = threads};
	MechanismTools tools = {.memory = arena_memory(arena)};
	MechanismAnswer answer;
	Encoding encoding;
	Bits bits;

	bits_init(&bits, teststream_fill, &stream);
	tools.bits = &bits;
	encoding_init(&encoding);
	encoding.features = FEATURES;
	if (!encoding_finish(&encoding))
		exit(1);
	grid_set_plain(&request.grid, FEATURES * (side->classes > 0 ? side->classes : 1));
	request.convex.loss = side->classes > 0 ? LOSS_CLIPPED : LOSS_LOGISTIC;
	request.convex.classes = side->classes;
	request.convex.radius = convex_default_radius(&encoding);
	convex_default(&request, &encoding, 0, side->instance.rows);
	side->wall[repetition] = seconds_now();
	side->processor[repetition] = cpu_seconds_now();
	mechanism_get(request.kind)->release(&request, &side->instance, &tools, &answer);
	side->wall[repetition] = seconds_now() - side->wall[repetition];
	side->processor[repetition] = cpu_seconds_now() - side->processor[repetition];
	side->rounds = answer.nodes;
	arena_destroy(arena);
}

int
main(int argc, char **argv)
{
	static const double epsilons[] = {0.1, 1, 10};
	int64_t rows = argc > 1 ? atoll(argv[1]) : 1000000;
	int threads = argc > 3 ? atoi(argv[3]) : 2;
	Side side[2] = {{.classes = 0}, {.classes = argc > 2 ? atoi(argv[2]) : 5}};
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	int32_t *feature = memory_allocate(memory, (size_t) rows * FEATURES, sizeof(int32_t));

	teststream_seed(&stream, 3);
	for (int64_t i = 0; i < rows * FEATURES; i++)
		feature[i] = (int32_t) teststream_between(&stream, 0, FIXED_POINT_ONE);
	for (int i = 0; i < 2; i++)
		make_side(&side[i], rows, feature, memory);
	printf("%lld rows of %d numbers, %d threads\n", (long long) rows, FEATURES, threads);
	for (int e = 0; e < 3; e++)
	{
		for (int r = 0; r < REPETITIONS; r++)
			for (int i = 0; i < 2; i++)
				time_side(&side[i], epsilons[e], threads, r);
		printf("epsilon %-4g dp_logistic %.2f s (%.2f s of processors, %lld rounds), dp_softmax of "
			   "%d classes %.2f s (%.2f s, %lld rounds)",
			   epsilons[e], median(side[0].wall, REPETITIONS),
			   median(side[0].processor, REPETITIONS), (long long) side[0].rounds, side[1].classes,
			   median(side[1].wall, REPETITIONS), median(side[1].processor, REPETITIONS),
			   (long long) side[1].rounds);
		printf(": ratio %.2f, of processors %.2f\n",
			   median(side[1].wall, REPETITIONS) / median(side[0].wall, REPETITIONS),
			   median(side[1].processor, REPETITIONS) / median(side[0].processor, REPETITIONS));
		fflush(stdout);
	}
	arena_destroy(arena);
	return 0;
}
