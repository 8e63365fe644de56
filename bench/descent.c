/*
 * descent.c - training accuracy of noisy gradient descent on the papers' instance.
 *
 *   bench/descent [FOLDER [RUNS [ITERATIONS [BATCH]]]]
 *
 * One-hot groups declared, add_remove, delta = 1 / n^2, as in the last row, of DP-SGD with
 * its parameters searched for each epsilon: mean and standard deviation over RUNS, 20.
 */
#include "core/mechanisms/mechanism.h"

#include <math.h>
#include <string.h>

#include "core/testbits.h"

#include "adult.h"
#include "measure.h"

#define EPSILONS 7

/* The default: three quarters of the longest row, which has seven groups with a 1 in each. */
#define ADULT_RADIUS (0.75 * 2.6457513110645906)

static const double epsilons[EPSILONS] = {0.1, 0.3, 0.5, 1, 2, 5, 10};

static int runs = 20;
static int iterations;
static int64_t batch;

/* The labelled instance, and by how many labels a row gains if it is called positive. */
typedef struct Labelled
{
	Instance instance;
	int64_t *positive;
	int64_t *negative;
} Labelled;

static void
make_labelled(const Adult *adult, Memory *memory, Labelled *labelled)
{
	int64_t rows = adult->all.rows;

	labelled->positive = memory_allocate_zero(memory, (size_t) rows, sizeof(int64_t));
	labelled->negative = memory_allocate_zero(memory, (size_t) rows, sizeof(int64_t));
	for (int64_t i = 0; i < rows; i++)
	{
		labelled->positive[i] = adult->all.net[i] > 0;
		labelled->negative[i] = adult->all.net[i] < 0;
	}
	labelled->instance = adult->all;
	labelled->instance.net = NULL;
	labelled->instance.positive = labelled->positive;
	labelled->instance.negative = labelled->negative;
}

static double
mistakes(const Adult *adult, const MechanismAnswer *answer)
{
	double wrong = 0;

	for (int64_t i = 0; i < adult->all.rows; i++)
	{
		double score = 0;

		for (int j = 0; j < ADULT_FEATURES; j++)
			score += (double) answer->weight[j] * adult->all.x[i * ADULT_FEATURES + j];
		wrong += (score > 0) != (adult->all.net[i] > 0);
	}
	return wrong;
}

static void
print_cell(const Adult *adult, const Labelled *labelled, const MechanismRequest *request,
		   Bits *bits, Memory *memory)
{
	MechanismTools tools = {.bits = bits, .memory = memory};
	double sum = 0;
	double squares = 0;

	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer = {0};
		double accuracy;

		mechanism_sgd.release(request, &labelled->instance, &tools, &answer);
		accuracy = adult_accuracy(adult, mistakes(adult, &answer));
		sum += accuracy;
		squares += accuracy * accuracy;
	}
	sum /= runs;
	printf(" | %5.2f±%.2f", sum, sqrt(fmax(0, squares / runs - sum * sum)));
	fflush(stdout);
}

static void
print_line(const Adult *adult, const Labelled *labelled, ConvexLoss loss, DescentSampling sampling,
		   Adjacency adjacency, Memory *memory)
{
	static const char *const names[] = {"full", "poisson", "fixed"};
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, 7);
	bits_init(&bits, teststream_fill, &stream);
	printf("%s, %s, %s", loss == LOSS_LOGISTIC ? "logistic" : "huber", names[sampling],
		   adjacency == ADJACENCY_REPLACE ? "replace" : "add_remove");
	for (int e = 0; e < EPSILONS; e++)
	{
		double n = (double) adult->all.rows;
		MechanismRequest request = {.kind = MECHANISM_SGD,
									.epsilon = (int64_t) nearbyint(epsilons[e] * EPSILON_ONE),
									.adjacency = adjacency,
									.threads = 1,
									.convex = {.loss = loss,
											   .noise = CONVEX_GAUSSIAN,
											   .radius = ADULT_RADIUS,
											   .lambda = LAMBDA_MIN,
											   .delta = (int64_t) (DELTA_ONE / (n * n))},
									.descent = descent_usual(sampling, adult->all.rows,
															 ADULT_RADIUS, epsilons[e], adjacency)};

		request.grid.dimension = ADULT_FEATURES;
		if (iterations > 0)
			request.descent.iterations = iterations;
		if (sampling != DESCENT_FULL && batch > 0)
			request.descent.batch = batch;
		print_cell(adult, labelled, &request, &bits, memory);
	}
	printf("\n");
}

static void
print_all(const Adult *adult, Memory *memory)
{
	Labelled labelled;

	make_labelled(adult, memory, &labelled);
	printf("training accuracy in percent, mean and sd over %d runs, at epsilon 0.1 0.3 0.5 1 2 5 "
		   "10\n",
		   runs);
	printf(
		"prototype, DP-SGD (PLD), add_remove | 75.9±.3 | 77.2±.5 | 77.7±.3 | 77.7±.2 | 77.8±.1 | "
		"77.9±.1 | 77.9\n");
	for (int sampling = 0; sampling < DESCENT_SAMPLINGS; sampling++)
		for (int loss = 0; loss < LOSS_KINDS; loss++)
			for (int adjacency = 1; adjacency >= 0; adjacency--)
				print_line(adult, &labelled, (ConvexLoss) loss, (DescentSampling) sampling,
						   (Adjacency) adjacency, memory);
}

int
main(int argc, char **argv)
{
	if (argc > 2)
		runs = atoi(argv[2]);
	if (argc > 3)
		iterations = atoi(argv[3]);
	if (argc > 4)
		batch = atoi(argv[4]);
	return adult_run(argc > 1 ? argv[1] : NULL, print_all);
}
