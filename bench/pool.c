/*
 * pool.c - how fast the losses of a pool's candidates are computed, beside sgemm.
 *
 * Usage: pool THREADS LIBRARY...; a library's own setting says how many threads its sgemm takes
 * (bench/pool.sh).
 *
 * sgemm computes the scores of the same candidates on the same rows, as floats, and does not
 * compare them with labels.  All take turns; the table has medians, in 10^9 candidates x rows x
 * columns a second, with the columns that a row has, not those that it is filled up to, and the
 * median of the ratio to each library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/base/crew.h"
#include "core/check.h"
#include "core/pool/pool_losses.h"
#include "core/testbits.h"

#include "measure.h"

#define REPEATS 5
#define MOST_LIBRARIES 4

/* Of BLAS: the arguments are those of Fortran. */
typedef void (*Sgemm)(const char *transpose_a, const char *transpose_b, const int *m, const int *n,
					  const int *k, const float *alpha, const float *a, const int *lda,
					  const float *b, const int *ldb, const float *beta, float *c, const int *ldc);

typedef struct Size
{
	int rows;
	int columns;
	int candidates;
} Size;

static const Size sizes[] = {
	{10000, 15, 6144}, {10000, 23, 6144}, {10000, 60, 6144}, {20000, 128, 3072}, {100000, 23, 768}};

typedef struct Bench
{
	Size size;
	int threads;
	int libraries;
	Sgemm sgemm[MOST_LIBRARIES];
	Memory *memory;
	PoolRows rows;
	int16_t *weight;
	int64_t *loss;
	float *a;
	float *b;
	float *c;
} Bench;

static float *
random_floats(Memory *memory, size_t count, TestStream *stream)
{
	float *value = memory_allocate(memory, count, sizeof(float));

	for (size_t i = 0; i < count; i++)
		value[i] = (float) teststream_between(stream, -1, 1);
	return value;
}

static void
prepare(Bench *bench, TestStream *stream)
{
	size_t rows = (size_t) bench->size.rows;
	size_t columns = (size_t) bench->size.columns;
	int64_t room = pool_room(bench->size.candidates);
	int64_t stride = pool_stride(bench->size.columns);
	PoolShape shape = {.dimension = bench->size.columns, .peak = FIXED_POINT_ONE};
	PoolUnits units = pool_units(&shape);
	int32_t *x = memory_allocate(bench->memory, rows * columns, sizeof(int32_t));
	int64_t *count = memory_allocate(bench->memory, 2 * rows, sizeof(int64_t));
	Instance instance = {.dimension = bench->size.columns,
						 .rows = bench->size.rows,
						 .x = x,
						 .positive = count,
						 .negative = count + rows};

	bench->b = random_floats(bench->memory, rows * columns, stream);
	for (size_t i = 0; i < rows * columns; i++)
		x[i] = (int32_t) (bench->b[i] * FIXED_POINT_ONE);
	for (size_t i = 0; i < rows; i++)
	{
		count[i] = (int64_t) teststream_below(stream, 2);
		count[rows + i] = 1 - count[i];
	}
	pool_rows_create(&bench->rows, &instance, 0, &units, bench->memory);
	bench->weight = memory_allocate_zero(bench->memory, (size_t) (room * stride), sizeof(int16_t));
	bench->loss = memory_allocate(bench->memory, (size_t) room, sizeof(int64_t));
	bench->a = random_floats(bench->memory, (size_t) bench->size.candidates * columns, stream);
	for (int64_t m = 0; m < bench->size.candidates; m++)
		for (int j = 0; j < bench->size.columns; j++)
			bench->weight[m * stride + j] =
				(int16_t) (bench->a[m * bench->size.columns + j] * (float) units.weight);
	bench->c =
		memory_allocate(bench->memory, (size_t) bench->size.candidates * rows, sizeof(float));
}

static double
speed(const Bench *bench, double seconds)
{
	return (double) bench->size.rows * bench->size.columns * bench->size.candidates / seconds / 1e9;
}

static double
rate(Bench *bench, PoolKernel kernel)
{
	double start = seconds_now();

	pool_losses(&bench->rows, bench->weight, bench->size.candidates, kernel, bench->threads,
				bench->memory, bench->loss);
	return speed(bench, seconds_now() - start);
}

/* Rows and candidates one after the other: c has the scores of all rows for each candidate. */
static double
multiply(Bench *bench, Sgemm sgemm)
{
	const float one = 1;
	const float zero = 0;
	double start = seconds_now();

	sgemm("T", "N", &bench->size.rows, &bench->size.candidates, &bench->size.columns, &one,
		  bench->b, &bench->size.columns, bench->a, &bench->size.columns, &zero, bench->c,
		  &bench->size.rows);
	return speed(bench, seconds_now() - start);
}

static void
measure(Bench *bench, PoolKernel kernel, int number)
{
	static const char *names[POOL_MAX_KERNELS] = {"portable", "sse2", "avx2", "avx512bw",
												  "avx512vnni"};
	double rated[REPEATS];
	double multiplied[MOST_LIBRARIES][REPEATS];
	double ratio[MOST_LIBRARIES][REPEATS];

	for (int k = 0; k < REPEATS; k++)
	{
		rated[k] = rate(bench, kernel);
		for (int i = 0; i < bench->libraries; i++)
		{
			multiplied[i][k] = multiply(bench, bench->sgemm[i]);
			ratio[i][k] = rated[k] / multiplied[i][k];
		}
	}
	printf("%7d %8d %11d  %-10s %8.1f", bench->size.rows, bench->size.columns,
		   bench->size.candidates, names[number], median(rated, REPEATS));
	for (int i = 0; i < bench->libraries; i++)
		printf(" %8.1f %6.2f", median(multiplied[i], REPEATS), median(ratio[i], REPEATS));
	printf("\n");
	fflush(stdout);
}

/* POSIX makes a function of what dlsym() finds. */
static Sgemm
load_sgemm(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *found = handle == NULL ? NULL : dlsym(handle, "sgemm_");
	Sgemm sgemm;

	if (found == NULL)
	{
		fprintf(stderr, "%s has no sgemm: %s\n", library, dlerror());
		exit(1);
	}
	memcpy(&sgemm, &found, sizeof(sgemm));
	return sgemm;
}

int
main(int argc, char **argv)
{
	PoolKernel kernel[POOL_MAX_KERNELS];
	int kernels = pool_kernels(kernel);
	Bench bench = {.libraries = argc - 2};
	TestStream stream;

	if (argc < 3 || argc > 2 + MOST_LIBRARIES || atoi(argv[1]) < 1 ||
		atoi(argv[1]) > CREW_MAX_THREADS)
	{
		fprintf(stderr, "usage: pool THREADS LIBRARY...\n");
		return 2;
	}
	bench.threads = atoi(argv[1]);
	printf("sgemm and ratio, for each library:\n");
	for (int i = 0; i < bench.libraries; i++)
	{
		bench.sgemm[i] = load_sgemm(argv[2 + i]);
		printf("  %s\n", argv[2 + i]);
	}
	printf("%d threads\n\n   rows  columns  candidates  kernel         pool   sgemm and ratio\n",
		   bench.threads);
	teststream_seed(&stream, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
	{
		Arena *arena = arena_create(check_out_of_memory);

		bench.size = sizes[i];
		bench.memory = arena_memory(arena);
		prepare(&bench, &stream);
		(void) multiply(&bench, bench.sgemm[0]);
		for (int k = i == 1 ? 0 : kernels - 1; k < kernels; k++)
			measure(&bench, kernel[k], k);
		arena_destroy(arena);
	}
	return 0;
}
