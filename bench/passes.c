/*
 * passes.c - what it costs to train over parts of the rows instead of over a table: the work of
 * the parts one after the other in one process, without a network, and the bytes that would go
 * over it.
 *
 * Usage: passes THREADS
 *
 * Both releases take turns, with the same random bits, and their models are compared.  A ratio is
 * the median of the seconds over parts to those over the table, so that 1 means that the passes
 * cost nothing but the sums over rows.
 */
#include <stdio.h>
#include <string.h>

#include "core/mechanisms/convex_part.h"
#include "core/mechanisms/wire.h"

#include "core/check.h"
#include "core/testbits.h"

#include "measure.h"

#define REPEATS 9
#define PARTS 4

typedef struct Size
{
	const char *name;
	MechanismKind kind;
	int classes;
	int rows;
	int columns; /* of weights */
} Size;

static const Size sizes[] = {
	{"objective, 23 columns", MECHANISM_OBJECTIVE, 0, 100000, 23},
	{"objective, 64 columns", MECHANISM_OBJECTIVE, 0, 50000, 64},
	{"objective, 4 classes", MECHANISM_OBJECTIVE, 4, 50000, 48},
	{"sgd, 23 columns", MECHANISM_SGD, 0, 100000, 23},
	{"exponential, 3 columns", MECHANISM_CONVEX_EXPONENTIAL, 0, 20000, 3},
};

typedef struct Bench
{
	PassSource source;
	Memory *memory;
	MechanismRequest request;
	Instance table;
	ConvexPart *part[PARTS];
	int64_t sent; /* bytes to each part and back, of all passes */
	int64_t received;
} Bench;

static void
add_part(Bench *bench, int k, const uint8_t *bytes, size_t length, PassSums *sums)
{
	size_t sums_length;
	uint8_t *answer = convex_part_answer(bench->part[k], bytes, length, &sums_length);

	if (answer == NULL || !wire_add_sums(answer, sums_length, k, sums))
		abort();
	bench->sent += (int64_t) length;
	bench->received += (int64_t) sums_length;
	memory_release(bench->memory, answer);
}

static void
sum_parts(PassSource *self, const Pass *pass, Wide *sum)
{
	Bench *bench = (Bench *) self;
	size_t length;
	uint8_t *bytes = wire_encode_pass(pass, bench->memory, &length);
	PassSums sums;

	pass_sums_create(&sums, pass, PARTS, bench->memory);
	for (int k = 0; k < PARTS; k++)
		add_part(bench, k, bytes, length, &sums);
	memcpy(sum, sums.sum, (size_t) pass->sums * sizeof(Wide));
	pass_sums_destroy(&sums, bench->memory);
	memory_release(bench->memory, bytes);
}

static void
prepare(Bench *bench, const Size *size, int threads)
{
	int front = size->classes > 0 ? 1 : 0;
	int features = size->columns / (size->classes > 0 ? size->classes : 1);
	int32_t *x = memory_allocate(bench->memory, (size_t) size->rows,
								 (size_t) (features + front) * sizeof(int32_t));
	int64_t *count = memory_allocate_zero(bench->memory, 2 * (size_t) size->rows, sizeof(int64_t));
	TestStream stream;

	teststream_seed(&stream, 1);
	bench->request = (MechanismRequest){
		.kind = size->kind,
		.epsilon = EPSILON_ONE,
		.threads = threads,
		.convex = {.loss = LOSS_CLIPPED,
				   .classes = size->classes,
				   .noise =
					   size->kind == MECHANISM_CONVEX_EXPONENTIAL ? CONVEX_GAMMA : CONVEX_GAUSSIAN,
				   .radius = 2,
				   .lambda = 100 * LAMBDA_ONE,
				   .delta = size->kind == MECHANISM_CONVEX_EXPONENTIAL ? 0 : DELTA_ONE / 1000000},
	};
	grid_set_plain(&bench->request.grid, size->columns);
	if (size->kind == MECHANISM_SGD)
		bench->request.descent =
			(DescentTerms){.sampling = DESCENT_FULL, .iterations = 30, .step = 1, .norm = 8};
	if (size->kind == MECHANISM_CONVEX_EXPONENTIAL)
	{
		bench->request.convex.norm = INT64_C(8) << CONVEX_OUTPUT_BITS;
		bench->request.convex.steps = 12;
	}
	for (int64_t i = 0; i < (int64_t) size->rows * (features + front); i++)
		x[i] = (int32_t) (teststream_between(&stream, -1, 1) * FIXED_POINT_ONE);
	for (int64_t i = 0; i < size->rows; i++)
	{
		if (front > 0)
			x[i * (features + 1)] = (int32_t) teststream_below(&stream, (uint64_t) size->classes)
									<< FIXED_POINT_BITS;
		count[i] = front > 0 ? 1 : (int64_t) teststream_below(&stream, 2);
		count[size->rows + i] = 1 - count[i];
	}
	bench->table = (Instance){.dimension = features + front,
							  .rows = size->rows,
							  .x = x,
							  .positive = count,
							  .negative = count + size->rows};
}

static void
open_parts(Bench *bench, Instance *share)
{
	int64_t rows = bench->table.rows;

	bench->source = (PassSource){.sum = sum_parts};
	for (int k = 0; k < PARTS; k++)
	{
		int64_t first = rows * k / PARTS;

		share[k] = bench->table;
		share[k].rows = rows * (k + 1) / PARTS - first;
		share[k].x += first * bench->table.dimension;
		share[k].positive += first;
		share[k].negative += first;
		bench->part[k] =
			convex_part_create(&bench->request, &share[k], bench->request.threads, bench->memory);
		if (bench->part[k] == NULL)
			abort();
	}
}

/* Returns the seconds. */
static double
release(Bench *bench, const Instance *instance, MechanismAnswer *answer)
{
	TestStream stream;
	Bits bits;
	MechanismTools tools = {.bits = &bits, .memory = bench->memory};
	double start = seconds_now();

	teststream_seed(&stream, 2);
	bits_init(&bits, teststream_fill, &stream);
	memset(answer, 0, sizeof(*answer));
	mechanism_release(&bench->request, instance, &tools, answer);
	return seconds_now() - start;
}

static void
measure(const Size *size, int threads)
{
	Arena *arena = arena_create(check_out_of_memory);
	Bench bench = {.memory = arena_memory(arena)};
	Instance share[PARTS];
	double ratio[REPEATS];
	double seconds = 0;

	prepare(&bench, size, threads);
	for (int i = 0; i < REPEATS; i++)
	{
		Instance elsewhere = {.dimension = bench.table.dimension, .elsewhere = true};
		MechanismAnswer here;
		MechanismAnswer there;

		bench.sent = bench.received = 0;
		open_parts(&bench, share);
		elsewhere.parts = &bench.source;
		seconds = release(&bench, &bench.table, &here);
		ratio[i] = release(&bench, &elsewhere, &there) / seconds;
		if (memcmp(here.weight, there.weight,
				   (size_t) mechanism_weights(&bench.request) * sizeof(int64_t)) != 0)
			abort();
		for (int k = 0; k < PARTS; k++)
			convex_part_destroy(bench.part[k]);
	}
	printf("%-24s %7d %8.3f %7.3f %7lld %9.0f %9.0f\n", size->name, size->rows, seconds,
		   median(ratio, REPEATS), (long long) bench.source.passes,
		   (double) bench.sent / (double) bench.source.passes / PARTS,
		   (double) bench.received / (double) bench.source.passes / PARTS);
	arena_destroy(arena);
}

int
main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;

	printf("%-24s %7s %8s %7s %7s %9s %9s\n", "", "rows", "seconds", "ratio", "passes", "bytes to",
		   "and from");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(&sizes[i], threads);
	return 0;
}
