/*
 * glpk.c - what GLPK is good for on adult23.
 *
 * Usage: glpk [seconds] [folder of adult23.csv], by default 10 and that of
 * DPOBJ_DATA.  Prints two tables, for gauge noise (replace-one), one core:
 * the hybrid beside the native search, per grid and epsilon the median seconds
 * of the same draws; and the whole programme handed to GLPK under the limit,
 * one binary per row ("literal") or per distinct row, in misclassified rows
 * less a number that is the same in a line.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/check.h"
#include "core/gauge.h"
#include "core/oracle_internal.h"
#include "core/rows.h"
#include "core/testbits.h"
#include "solver/glpk_hybrid.h"
#include "solver/glpk_literal.h"

#define FEATURES 23
#define DRAWS 10
#define BALL_RADIUS 4 /* levels -4 .. 4, |w|^2 <= 23: the papers' integer ball */
#define MAX_ROWS 20000

/* The training set as distinct rows with net weights, and row by row. */
typedef struct Data
{
	int64_t count;
	Instance distinct;
	Instance all;
	int32_t x[MAX_ROWS * FEATURES];
	int64_t net[MAX_ROWS];
} Data;

typedef struct Reward
{
	mpz_t level[GRID_MAX_LEVELS * FEATURES];
	mpz_t end[GRID_MAX_STATES];
	bool ends;
} Reward;

static void
read_rows(FILE *file, Rows *rows, Data *data)
{
	double label;
	double feature[FEATURES];

	while (data->count < MAX_ROWS && fscanf(file, "%lf", &label) == 1)
	{
		for (int j = 0; j < FEATURES; j++)
		{
			if (fscanf(file, ",%lf", &feature[j]) != 1)
				return;
			data->x[data->count * FEATURES + j] = (int32_t) lrint(feature[j] * FIXED_POINT_ONE);
		}
		data->net[data->count] = label > 0 ? 1 : -1;
		data->count++;
		rows_add(rows, feature, label > 0);
	}
	data->all = (Instance){FEATURES, data->count, data->x, data->net, 0};
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static int
compare_doubles(const void *left, const void *right)
{
	double a = *(const double *) left;
	double b = *(const double *) right;

	return (a > b) - (a < b);
}

static double
median(double *value, int count)
{
	qsort(value, (size_t) count, sizeof(double), compare_doubles);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static void
draw_rewards(Reward *reward, const Gauge *gauge, const Grid *grid, Bits *bits, Memory *memory)
{
	gauge_draw(gauge, grid, bits, memory, reward->level);
	if (!reward->ends)
		return;
	/* Any numbers of the same size will do to measure the ends' cost. */
	for (int s = 0; s < grid_states(grid); s++)
		mpz_set(reward->end[s], reward->level[s % grid->levels[0]]);
}

static OracleProblem
problem_of(const Instance *instance, const Grid *grid, const Gauge *gauge, const Reward *reward)
{
	return (OracleProblem){
		.instance = instance,
		.grid = grid,
		.scale = gauge->scale,
		.reward = reward->level,
		.level_reward = reward->ends ? reward->end : NULL,
	};
}

static void
print_hybrid(const char *name, const Data *data, const Grid *grid, int64_t epsilon, Reward *reward,
			 Memory *memory)
{
	double native[DRAWS];
	double hybrid[DRAWS];
	double nodes[DRAWS];
	double slabs[DRAWS];
	double expanded[DRAWS];
	double finished[DRAWS];
	int same = 0;
	Gauge gauge;
	TestStream stream;
	Bits bits;

	teststream_seed(&stream, (uint64_t) epsilon);
	bits_init(&bits, teststream_fill, &stream);
	gauge_choose(&gauge, grid, epsilon, ADJACENCY_REPLACE);
	for (int k = 0; k < DRAWS; k++)
	{
		OracleProblem problem = problem_of(&data->distinct, grid, &gauge, reward);
		GlpkHybridCounts counts;
		OracleAnswer truth;
		OracleAnswer answer;
		double start;

		draw_rewards(reward, &gauge, grid, &bits, memory);
		start = seconds();
		oracle_search(&problem, memory, &truth);
		native[k] = seconds() - start;
		start = seconds();
		same += glpk_hybrid_count(&problem, &glpk_hybrid_effort, memory, &answer, &counts) &&
				grid_compare(grid, answer.index, truth.index) == 0;
		hybrid[k] = seconds() - start;
		nodes[k] = (double) truth.nodes;
		slabs[k] = (double) counts.slabs;
		expanded[k] = (double) counts.expanded;
		finished[k] = (double) counts.finished;
	}
	printf("%-14s %5.1f %4d/%d", name, (double) epsilon / EPSILON_ONE, same, DRAWS);
	printf(" %9.3f %9.3f", median(native, DRAWS), median(hybrid, DRAWS));
	printf(" %7.1f", median(hybrid, DRAWS) / median(native, DRAWS));
	printf(" %7.0f %6.0f", median(nodes, DRAWS), median(slabs, DRAWS));
	printf(" %7.0f %7.0f\n", median(expanded, DRAWS), median(finished, DRAWS));
	fflush(stdout);
}

/* The programme's objective of a vector: the reduced one, divided by the scale. */
static double
reduced_value(const OracleProblem *problem, const int *index, Memory *memory)
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
print_whole(const char *name, const Instance *instance, const Grid *grid, int64_t epsilon,
			double limit, Reward *reward, Memory *memory)
{
	OracleProblem problem;
	OracleAnswer truth;
	GlpkWitness witness;
	Gauge gauge;
	TestStream stream;
	Bits bits;
	double start;
	double taken;
	double optimum;
	bool done;

	teststream_seed(&stream, (uint64_t) epsilon);
	bits_init(&bits, teststream_fill, &stream);
	gauge_choose(&gauge, grid, epsilon, ADJACENCY_REPLACE);
	problem = problem_of(instance, grid, &gauge, reward);
	draw_rewards(reward, &gauge, grid, &bits, memory);
	oracle_search(&problem, memory, &truth);
	optimum = reduced_value(&problem, truth.index, memory);
	start = seconds();
	done = glpk_literal_witness(&problem, (int) (1000 * limit), memory, &witness);
	taken = seconds() - start;
	if (!done)
		printf("%-14s %5.1f GLPK gave up\n", name, (double) epsilon / EPSILON_ONE);
	else
	{
		printf("%-14s %5.1f %9" PRId64 " %-6s", name, (double) epsilon / EPSILON_ONE,
			   instance->rows, witness.finished ? "solved" : "open");
		printf(" %9.1f %11.2f %11.2f %11.2f\n", taken, optimum, witness.value, witness.bound);
	}
	fflush(stdout);
}

static void
print_tables(const Data *data, double limit, Memory *memory)
{
	static const int64_t tenths[] = {5, 10, 50, 100};
	Grid *ternary = memory_allocate_zero(memory, 1, sizeof(Grid));
	Grid *ball = memory_allocate_zero(memory, 1, sizeof(Grid));
	Reward *reward = memory_allocate_zero(memory, 1, sizeof(Reward));

	for (int k = 0; k < GRID_MAX_LEVELS * FEATURES; k++)
		mpz_init(reward->level[k]);
	for (int s = 0; s < GRID_MAX_STATES; s++)
		mpz_init(reward->end[s]);
	*ternary = (Grid){.dimension = FEATURES, .constraint = GRID_PRODUCT};
	*ball = (Grid){.dimension = FEATURES, .constraint = GRID_BALL, .bound = FEATURES};
	for (int j = 0; j < FEATURES; j++)
	{
		grid_set_range(ternary, j, 1);
		grid_set_range(ball, j, BALL_RADIUS);
	}
	printf("%-14s %5s %7s %9s %9s %7s %7s %6s %7s %7s\n", "adult23", "eps", "same", "native s",
		   "hybrid s", "ratio", "nodes", "slabs", "in GLPK", "left");
	for (int k = 0; k < 4; k++)
		print_hybrid("{-1,0,1}^23", data, ternary, tenths[k] * EPSILON_ONE / 10, reward, memory);
	for (int k = 0; k < 4; k++)
		print_hybrid("ball", data, ball, tenths[k] * EPSILON_ONE / 10, reward, memory);
	reward->ends = true;
	for (int k = 0; k < 4; k++)
		print_hybrid("ball, ends", data, ball, tenths[k] * EPSILON_ONE / 10, reward, memory);
	reward->ends = false;

	printf("\n%-14s %5s %9s %-6s %9s %11s %11s %11s\n", "whole, limit", "eps", "binaries", "", "s",
		   "optimum", "incumbent", "bound");
	print_whole("literal", &data->all, ternary, EPSILON_ONE, limit, reward, memory);
	print_whole("distinct rows", &data->distinct, ternary, EPSILON_ONE, limit, reward, memory);
	print_whole("distinct rows", &data->distinct, ternary, 5 * EPSILON_ONE, limit, reward, memory);

	for (int k = 0; k < GRID_MAX_LEVELS * FEATURES; k++)
		mpz_clear(reward->level[k]);
	for (int s = 0; s < GRID_MAX_STATES; s++)
		mpz_clear(reward->end[s]);
}

int
main(int argc, char **argv)
{
	double limit = argc > 1 ? atof(argv[1]) : 10.0;
	const char *folder = argc > 2 ? argv[2] : getenv("DPOBJ_DATA");
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	Data *data = memory_allocate_zero(memory, 1, sizeof(Data));
	char path[4096];
	FILE *file = NULL;
	Encoding encoding;
	Rows rows;

	if (folder != NULL)
	{
		snprintf(path, sizeof(path), "%s/adult23.csv", folder);
		file = fopen(path, "r");
	}
	if (file == NULL)
	{
		printf("skipped: no adult23.csv (name its folder, or set DPOBJ_DATA)\n");
		arena_destroy(arena);
		return 0;
	}
	encoding_init(&encoding);
	encoding.features = FEATURES;
	(void) encoding_finish(&encoding);
	rows_init(&rows, &encoding, memory);
	read_rows(file, &rows, data);
	fclose(file);
	rows_instance(&rows, memory, &data->distinct);
	print_tables(data, limit, memory);
	arena_destroy(arena);
	return 0;
}
