/*
 * oracle_large.h - problems at the edge of what the oracle can certify.
 *
 *   resampled  adult23 drawn with replacement, its three numeric columns moved by
 *              up to +-0.05, so that nearly all rows are distinct
 *   adult      other columns of Adult (adult.data.csv), one-hot, nearly balanced as
 *              in the papers
 *   normal8    eight normal columns, labels of a halfspace with a fifth of them wrong
 *
 * Each problem runs in a process of its own, which ends when the limit is over,
 * and prints the time and both threads' CPU time of the search alone, the bounds
 * and the largest memory of the process, training set included.
 */
#ifndef DPOBJ_BENCH_ORACLE_LARGE_H
#define DPOBJ_BENCH_ORACLE_LARGE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.h"

#include "adult.h"
#include "measure.h"
#include "oracle_noise.h"

#define LARGE_LIMIT 60 /* seconds */
#define LARGE_THREADS 2
#define RAW_COLUMNS 15
#define RAW_VALUES 64 /* most values of a column that is made one-hot, or most bounds of bins */

/* A training set that is made row by row. */
typedef struct LargeSet
{
	int dimension;
	int64_t rows;
	int64_t room;
	int32_t *x;
	int64_t *net;
} LargeSet;

typedef struct LargeProblem
{
	const char *name;
	void (*make)(LargeSet *set, int64_t size, const char *folder);
	int64_t size; /* rows, or the number of a choice of columns */
	NoiseFamily family;
	double epsilon;
} LargeProblem;

/* Of all threads of the process. */
static double
cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void *
large_allocate(void *block, size_t bytes)
{
	block = realloc(block, bytes);
	if (block == NULL)
		check_out_of_memory();
	return block;
}

/* A row to be filled in; the set's room grows as needed. */
static int32_t *
large_add(LargeSet *set, bool positive)
{
	if (set->rows == set->room)
	{
		set->room = set->room > 0 ? 2 * set->room : 1024;
		set->x = large_allocate(set->x, (size_t) (set->room * set->dimension) * sizeof(int32_t));
		set->net = large_allocate(set->net, (size_t) set->room * sizeof(int64_t));
	}
	set->net[set->rows] = positive ? 1 : -1;
	return set->x + set->rows++ * set->dimension;
}

static int32_t
fixed_point(double value)
{
	return (int32_t) nearbyint(value * FIXED_POINT_ONE);
}

/* ---- adult23, resampled ---- */

static void
make_resampled(LargeSet *set, int64_t size, const char *folder)
{
	Arena *arena = arena_create(check_out_of_memory);
	TestStream stream;
	Adult adult;

	if (!adult_read(&adult, folder, arena_memory(arena)))
		exit(0);
	teststream_seed(&stream, (uint64_t) size);
	set->dimension = ADULT_FEATURES;
	set->room = size;
	set->x = large_allocate(NULL, (size_t) (size * ADULT_FEATURES) * sizeof(int32_t));
	set->net = large_allocate(NULL, (size_t) size * sizeof(int64_t));
	for (int64_t r = 0; r < size; r++)
	{
		int64_t from = (int64_t) teststream_below(&stream, (uint64_t) adult.all.rows);
		int32_t *x = large_add(set, adult.all.net[from] > 0);

		memcpy(x, adult.all.x + from * ADULT_FEATURES, ADULT_FEATURES * sizeof(int32_t));
		for (int j = ADULT_CATEGORIES; j < ADULT_FEATURES; j++)
			x[j] += fixed_point(0.1 * noise_uniform(&stream) - 0.05);
	}
	arena_destroy(arena);
}

/* ---- other columns of Adult ---- */

/* A column of adult.data.csv: one-hot by its values or by bins, or a number. */
typedef struct RawColumn
{
	int column;
	enum
	{
		RAW_END,
		RAW_ONE_HOT,
		RAW_BINS,
		RAW_NUMBER
	} kind;
	int most;   /* of a number: it is divided by that */
	int bounds; /* of bins */
	int bound[RAW_VALUES];
} RawColumn;

/* Names by number of columns: 24 and 25 add numbers to adult23's categories, 41 adds bins. */
static const RawColumn raw_columns_24[] = {
	{5, RAW_ONE_HOT, 0, 0, {0}},    {7, RAW_ONE_HOT, 0, 0, {0}},  {8, RAW_ONE_HOT, 0, 0, {0}},
	{9, RAW_ONE_HOT, 0, 0, {0}},    {0, RAW_NUMBER, 90, 0, {0}},  {10, RAW_NUMBER, 99999, 0, {0}},
	{11, RAW_NUMBER, 4356, 0, {0}}, {12, RAW_NUMBER, 99, 0, {0}}, {0, RAW_END, 0, 0, {0}}};
static const RawColumn raw_columns_25[] = {
	{5, RAW_ONE_HOT, 0, 0, {0}},     {7, RAW_ONE_HOT, 0, 0, {0}},    {8, RAW_ONE_HOT, 0, 0, {0}},
	{9, RAW_ONE_HOT, 0, 0, {0}},     {0, RAW_NUMBER, 90, 0, {0}},    {4, RAW_NUMBER, 16, 0, {0}},
	{10, RAW_NUMBER, 99999, 0, {0}}, {11, RAW_NUMBER, 4356, 0, {0}}, {12, RAW_NUMBER, 99, 0, {0}},
	{0, RAW_END, 0, 0, {0}}};
static const RawColumn raw_columns_41[] = {{5, RAW_ONE_HOT, 0, 0, {0}},
										   {7, RAW_ONE_HOT, 0, 0, {0}},
										   {8, RAW_ONE_HOT, 0, 0, {0}},
										   {9, RAW_ONE_HOT, 0, 0, {0}},
										   {0, RAW_BINS, 0, 7, {25, 30, 35, 40, 45, 50, 60}},
										   {12, RAW_BINS, 0, 5, {20, 35, 40, 41, 50}},
										   {10, RAW_BINS, 0, 3, {1, 5000, 7000}},
										   {11, RAW_BINS, 0, 2, {1, 1800}},
										   {0, RAW_END, 0, 0, {0}}};
static const RawColumn raw_columns_51[] = {{5, RAW_ONE_HOT, 0, 0, {0}}, {7, RAW_ONE_HOT, 0, 0, {0}},
										   {8, RAW_ONE_HOT, 0, 0, {0}}, {9, RAW_ONE_HOT, 0, 0, {0}},
										   {3, RAW_ONE_HOT, 0, 0, {0}}, {6, RAW_ONE_HOT, 0, 0, {0}},
										   {0, RAW_END, 0, 0, {0}}};
static const RawColumn raw_columns_60[] = {{1, RAW_ONE_HOT, 0, 0, {0}}, {3, RAW_ONE_HOT, 0, 0, {0}},
										   {5, RAW_ONE_HOT, 0, 0, {0}}, {6, RAW_ONE_HOT, 0, 0, {0}},
										   {7, RAW_ONE_HOT, 0, 0, {0}}, {8, RAW_ONE_HOT, 0, 0, {0}},
										   {9, RAW_ONE_HOT, 0, 0, {0}}, {0, RAW_END, 0, 0, {0}}};
static const RawColumn raw_columns_102[] = {
	{1, RAW_ONE_HOT, 0, 0, {0}}, {3, RAW_ONE_HOT, 0, 0, {0}},  {5, RAW_ONE_HOT, 0, 0, {0}},
	{6, RAW_ONE_HOT, 0, 0, {0}}, {7, RAW_ONE_HOT, 0, 0, {0}},  {8, RAW_ONE_HOT, 0, 0, {0}},
	{9, RAW_ONE_HOT, 0, 0, {0}}, {13, RAW_ONE_HOT, 0, 0, {0}}, {0, RAW_END, 0, 0, {0}}};

static const RawColumn *
raw_columns(int64_t dimension)
{
	switch (dimension)
	{
		case 24:
			return raw_columns_24;
		case 25:
			return raw_columns_25;
		case 41:
			return raw_columns_41;
		case 51:
			return raw_columns_51;
		case 60:
			return raw_columns_60;
		default:
			return raw_columns_102;
	}
}

/* The distinct values of the columns, in the order in which they come. */
typedef struct RawValues
{
	int count[RAW_COLUMNS];
	char value[RAW_COLUMNS][RAW_VALUES][32];
} RawValues;

static int
value_number(RawValues *values, int column, const char *text)
{
	int k = 0;

	while (k < values->count[column] && strcmp(values->value[column][k], text) != 0)
		k++;
	if (k == values->count[column] && k < RAW_VALUES - 1)
		snprintf(values->value[column][values->count[column]++], 32, "%s", text);
	return k;
}

/* One line's fields; false at the end. */
static bool
read_raw(FILE *file, char field[RAW_COLUMNS][32])
{
	for (int c = 0; c < RAW_COLUMNS; c++)
		if (fscanf(file, c < RAW_COLUMNS - 1 ? " %31[^,\n]," : " %31[^,\n]", field[c]) != 1)
			return false;
	return true;
}

/* Fills in one column's features; returns how many they are at most. */
static int
encode_raw(const RawColumn *raw, RawValues *values, const char *text, int32_t *x)
{
	int number = atoi(text);
	int hot = 0;

	if (raw->kind == RAW_NUMBER)
	{
		x[0] = fixed_point((double) number / raw->most);
		return 1;
	}
	if (raw->kind == RAW_ONE_HOT)
		hot = value_number(values, raw->column, text);
	while (raw->kind == RAW_BINS && hot < raw->bounds && number >= raw->bound[hot])
		hot++;
	x[hot] = FIXED_POINT_ONE;
	return raw->kind == RAW_BINS ? raw->bounds + 1 : values->count[raw->column];
}

/* Rows in the order of the file; as many of the frequent label as of the other. */
static void
read_raw_rows(LargeSet *set, FILE *file, const RawColumn *columns, RawValues *values, bool count)
{
	char field[RAW_COLUMNS][32];
	TestStream stream;

	rewind(file);
	(void) read_raw(file, field); /* the headings */
	teststream_seed(&stream, 1);
	while (read_raw(file, field))
	{
		bool positive = strncmp(field[RAW_COLUMNS - 1], ">50K", 4) == 0;
		int32_t scratch[GRID_MAX_DIMENSION + RAW_VALUES] = {0};
		int at = 0;

		/* 7,841 of 24,720 negative rows */
		if (!count && !positive && teststream_below(&stream, 24720) >= 7841)
			continue;
		for (const RawColumn *raw = columns; raw->kind != RAW_END; raw++)
			at += encode_raw(raw, values, field[raw->column], scratch + at);
		if (count)
			set->dimension = at;
		else
			memcpy(large_add(set, positive), scratch, (size_t) set->dimension * sizeof(int32_t));
	}
}

static void
make_adult(LargeSet *set, int64_t dimension, const char *folder)
{
	FILE *file = data_open(folder, "adult.data.csv");
	RawValues *values = large_allocate(NULL, sizeof(RawValues));

	if (file == NULL)
		exit(0);
	memset(values, 0, sizeof(*values));
	/* The first pass finds the values of the columns. */
	read_raw_rows(set, file, raw_columns(dimension), values, true);
	read_raw_rows(set, file, raw_columns(dimension), values, false);
	fclose(file);
	free(values);
}

/* ---- numbers only ---- */

static void
make_normal8(LargeSet *set, int64_t size, const char *folder)
{
	TestStream stream;

	(void) folder;
	teststream_seed(&stream, 8);
	set->dimension = 8;
	for (int64_t r = 0; r < size; r++)
	{
		int32_t *x = large_add(set, false);
		double score = 0.0;

		for (int j = 0; j < 8; j++)
		{
			double value = noise_normal(&stream);

			x[j] = fixed_point(value);
			score += value * (j - 3);
		}
		if ((score > 0) != (teststream_below(&stream, 5) == 0))
			set->net[r] = 1;
	}
}

/* ---- running them ---- */

static const LargeProblem large_problems[] = {
	{"resampled", make_resampled, 100000, NOISE_SPHERICAL, 1},
	{"resampled", make_resampled, 1000000, NOISE_SPHERICAL, 1},
	{"adult", make_adult, 24, NOISE_SPHERICAL, 1},
	{"adult", make_adult, 25, NOISE_SPHERICAL, 1},
	{"adult", make_adult, 41, NOISE_SEPARATORS, 1},
	{"adult", make_adult, 51, NOISE_SEPARATORS, 1},
	{"adult", make_adult, 60, NOISE_SEPARATORS, 1},
	{"adult", make_adult, 102, NOISE_SEPARATORS, 1},
	{"adult", make_adult, 51, NOISE_SPHERICAL, 1},
	{"adult", make_adult, 51, NOISE_SPHERICAL, 5},
	{"adult", make_adult, 60, NOISE_SPHERICAL, 1},
	{"adult", make_adult, 102, NOISE_SPHERICAL, 1},
	{"normal8", make_normal8, 10000, NOISE_SPHERICAL, 1},
	{"normal8", make_normal8, 100000, NOISE_SPHERICAL, 1},
};

/* The process's largest resident set so far, in MiB; forget it afterwards. */
static double
peak_memory(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	FILE *reset = fopen("/proc/self/clear_refs", "w");
	char line[256];
	long kib = 0;

	while (status != NULL && fgets(line, sizeof(line), status) != NULL)
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (status != NULL)
		fclose(status);
	if (reset != NULL)
	{
		fputs("5", reset);
		fclose(reset);
	}
	return (double) kib / 1024;
}

static void
print_outcome(const double *start, const OracleProgress *now)
{
	printf(" %8.2f %8.2f %8" PRId64 " %11.1f %11.1f %8.0f %s\n", seconds_now() - start[0],
		   cpu_now() - start[1], now->nodes, (double) now->bound / NOISE_SCALE,
		   (double) now->incumbent / NOISE_SCALE, peak_memory(),
		   now->phase == ORACLE_CERTIFIED ? "certified" : "limit");
	fflush(stdout);
}

/* Ends the process when the search has, or at the limit. */
static void
watch_limit(void *context, const OracleProgress *now)
{
	const double *start = context;

	if (now->phase != ORACLE_CERTIFIED && seconds_now() - start[0] < LARGE_LIMIT)
		return;
	print_outcome(start, now);
	_exit(0);
}

static void
run_large(const LargeProblem *large, const char *folder)
{
	Arena *arena = arena_create(check_out_of_memory);
	LargeSet set = {.dimension = 0};
	Noise *noise = large_allocate(NULL, sizeof(Noise));
	Instance instance;
	OracleProblem problem;
	OracleAnswer answer;
	TestStream stream;
	double start[2];

	large->make(&set, large->size, folder);
	instance = (Instance){.dimension = set.dimension, .rows = set.rows, .x = set.x, .net = set.net};
	noise_init(noise);
	noise_set_grid(noise, large->family, set.dimension, 4);
	teststream_seed(&stream, 1);
	noise_draw(noise, large->epsilon, set.rows, &stream);
	problem = noise_problem(noise, &instance, LARGE_THREADS);
	problem.progress = watch_limit;
	problem.progress_context = start;
	printf("%-10s %3d %8" PRId64 " %-7s %4.1f", large->name, set.dimension, set.rows,
		   large->family == NOISE_SPHERICAL ? "ball" : "ternary", large->epsilon);
	fflush(stdout);
	(void) peak_memory();
	start[0] = seconds_now();
	start[1] = cpu_now();
	oracle_search(&problem, arena_memory(arena), &answer);
	arena_destroy(arena);
}

static inline int
large_print(const char *folder)
{
	int problems = (int) (sizeof(large_problems) / sizeof(large_problems[0]));

	printf("%-10s %3s %8s %-7s %4s %8s %8s %8s %11s %11s %8s\n", "set", "d", "rows", "grid", "eps",
		   "seconds", "CPU s", "nodes", "bound", "incumbent", "MiB");
	for (int k = 0; k < problems; k++)
	{
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0)
		{
			/* A round that does not end in time: the system ends the process. */
			alarm(2 * LARGE_LIMIT);
			run_large(&large_problems[k], folder);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}

#endif
