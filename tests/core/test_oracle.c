/*
 * test_oracle.c - the search against the definition: the same vector, ties
 * included, on small instances of every kind, and the same vector and number of
 * nodes for any number of threads; and against a Gray-code walk in int64 on
 * {-1,1}^16.
 */
#include "core/check.h"
#include "core/oracle_internal.h"
#include "core/testbits.h"

#define MAX_DIMENSION 10
#define MAX_ROWS 80
#define SMALL_INSTANCES 5000
#define MIDDLE_INSTANCES 200
#define EDGE_INSTANCES 300
#define MOST_THREADS 3
#define GRAY_INSTANCES 12
#define GRAY_DIMENSION 16

/* A problem and the room that it needs. */
typedef struct Trial
{
	Instance instance;
	Grid grid;
	OracleProblem problem;
	int32_t x[MAX_ROWS * GRAY_DIMENSION];
	int64_t net[MAX_ROWS];
	mpz_t reward[GRAY_DIMENSION * GRID_MAX_LEVELS];
	mpz_t level_reward[GRID_MAX_STATES];
} Trial;

static void
trial_init(Trial *trial)
{
	for (int k = 0; k < GRAY_DIMENSION * GRID_MAX_LEVELS; k++)
		mpz_init(trial->reward[k]);
	for (int k = 0; k < GRID_MAX_STATES; k++)
		mpz_init(trial->level_reward[k]);
	trial->problem = (OracleProblem){
		.instance = &trial->instance,
		.grid = &trial->grid,
		.scale = 1,
		.reward = trial->reward,
	};
}

static void
trial_clear(Trial *trial)
{
	for (int k = 0; k < GRAY_DIMENSION * GRID_MAX_LEVELS; k++)
		mpz_clear(trial->reward[k]);
	for (int k = 0; k < GRID_MAX_STATES; k++)
		mpz_clear(trial->level_reward[k]);
}

static int
below(TestStream *stream, int n)
{
	return (int) teststream_below(stream, (uint64_t) n);
}

/* One value of a column of a kind: 0, 1 binary; 2 halves, full of ties; 3 anything; 4 mostly 0. */
static int32_t
random_value(TestStream *stream, int kind)
{
	switch (kind)
	{
		case 0:
		case 1:
			return below(stream, 2) * FIXED_POINT_ONE;
		case 2:
			return (below(stream, 5) - 2) * (FIXED_POINT_ONE / 2);
		case 3:
			return below(stream, 4 * FIXED_POINT_ONE) - 2 * FIXED_POINT_ONE;
		default:
			return below(stream, 4) == 0 ? below(stream, 3 * FIXED_POINT_ONE) : 0;
	}
}

/* Of each pair or triple of columns exactly one is 1. */
static void
make_one_hot(TestStream *stream, int32_t *x, int dimension, int size)
{
	for (int first = 0; first + size <= dimension; first += size)
	{
		int hot = below(stream, size);

		for (int j = 0; j < size; j++)
			x[first + j] = j == hot ? FIXED_POINT_ONE : 0;
	}
}

/* Columns that say the same as another, or nothing. */
static void
spoil_columns(TestStream *stream, int32_t *x, int dimension, int rows)
{
	int from = below(stream, dimension);
	int to = below(stream, dimension);
	int constant = below(stream, dimension);
	bool copies = below(stream, 3) == 0;
	bool holds = below(stream, 4) == 0;

	for (int r = 0; r < rows; r++, x += dimension)
	{
		if (copies)
			x[to] = x[from];
		if (holds)
			x[constant] = (constant % 3 - 1) * FIXED_POINT_ONE;
	}
}

static void
random_rows(TestStream *stream, Trial *trial, int dimension, int rows)
{
	int kinds = below(stream, 4); /* 0: one-hot, 1: binary, 2 and 3: mixed columns */
	int labels = below(stream, 6);
	int group = 2 + below(stream, 3);
	int kind[GRAY_DIMENSION];

	trial->instance =
		(Instance){dimension, rows, trial->x, trial->net, teststream_below(stream, 3)};
	for (int j = 0; j < dimension; j++)
		kind[j] = kinds <= 1 ? 0 : below(stream, 5);
	for (int r = 0; r < rows; r++)
	{
		int32_t *x = trial->x + r * dimension;
		int64_t net = 1 + below(stream, below(stream, 4) == 0 ? 1000 : 3);

		for (int j = 0; j < dimension; j++)
			x[j] = random_value(stream, kind[j]);
		if (kinds == 0)
			make_one_hot(stream, x, dimension, group);
		/* Equal rows need not be merged. */
		if (r > 0 && below(stream, 8) == 0)
			memcpy(x, x - dimension, (size_t) dimension * sizeof(int32_t));
		trial->net[r] = labels == 0 ? net : labels == 1 ? -net : below(stream, 2) ? net : -net;
	}
	spoil_columns(stream, trial->x, dimension, rows);
}

static void
random_levels(TestStream *stream, Grid *grid, int j, int max)
{
	grid->levels[j] = 0;
	for (int weight = -max; weight <= max; weight++)
		if (below(stream, max) == 0)
			grid->level[j][grid->levels[j]++] = (int8_t) weight;
	if (grid->levels[j] == 0)
		grid->level[j][grid->levels[j]++] = (int8_t) (below(stream, 2 * max + 1) - max);
}

static void
random_grid(TestStream *stream, Grid *grid, int dimension, int least, int most)
{
	do
	{
		int kind = below(stream, 5);

		memset(grid, 0, sizeof(*grid));
		grid->dimension = dimension;
		for (int j = 0; j < dimension; j++)
			switch (kind)
			{
				case 0:
					grid_set_range(grid, j, 1);
					break;
				case 1:
					grid_set_sign(grid, j);
					break;
				case 2:
					grid_set_range(grid, j, below(stream, 4));
					break;
				case 3:
					random_levels(stream, grid, j, 6);
					break;
				default:
					random_levels(stream, grid, j, 16 + below(stream, 49));
			}
		grid->constraint = (GridConstraint) below(stream, 3);
		if (grid->constraint == GRID_BALL)
			grid->bound = below(stream, 3 * dimension + 2);
		if (grid->constraint == GRID_SPARSE)
			grid->bound = below(stream, dimension + 1);
	} while (!grid_is_valid(grid) || grid_size(grid) < (uint64_t) least ||
			 grid_size(grid) > (uint64_t) most);
}

/* Below 2^size in absolute value. */
static void
random_reward(TestStream *stream, mpz_t reward, int size)
{
	mpz_set_ui(reward, (unsigned long) teststream_next(stream));
	mpz_mul_2exp(reward, reward, 64);
	mpz_add_ui(reward, reward, (unsigned long) teststream_next(stream));
	mpz_fdiv_r_2exp(reward, reward, (mp_bitcnt_t) size);
	if (below(stream, 2))
		mpz_neg(reward, reward);
}

/*
 * Rewards of a size: 0 none, then up to 2^2, 2^12, 2^40, 2^80; 5 mixes them.
 * Every other problem has rewards of the final states too, of a size of their own.
 */
static void
random_rewards(TestStream *stream, Trial *trial)
{
	static const int bits[] = {0, 2, 12, 40, 80};
	int kind = below(stream, 6);
	int level_kind = below(stream, 6);

	for (int k = 0; k < trial->grid.dimension * GRID_MAX_LEVELS; k++)
		random_reward(stream, trial->reward[k], bits[kind == 5 ? below(stream, 5) : kind]);
	trial->problem.level_reward = below(stream, 2) ? trial->level_reward : NULL;
	for (int s = 0; s < grid_states(&trial->grid); s++)
		random_reward(stream, trial->level_reward[s],
					  bits[level_kind == 5 ? below(stream, 5) : level_kind]);
}

static uint64_t
random_scale(TestStream *stream)
{
	static const uint64_t scale[] = {1, 1, 2, 16, 1024, UINT64_C(1) << 40, UINT64_C(1) << 63};

	return scale[below(stream, 7)];
}

static bool
same_vector(const Grid *grid, const OracleAnswer *a, const OracleAnswer *b)
{
	return grid_compare(grid, a->index, b->index) == 0;
}

/* What the search reported so far. */
typedef struct Watch
{
	int reports;
	OracleProgress last;
} Watch;

static void
watch(void *context, const OracleProgress *now)
{
	Watch *watch = context;
	const OracleProgress *last = &watch->last;

	CHECK((now->phase == ORACLE_STARTED) == (watch->reports == 0));
	CHECK(now->bound <= now->incumbent);
	if (watch->reports > 0)
	{
		CHECK(last->phase != ORACLE_CERTIFIED);
		CHECK(now->nodes >= last->nodes);
		CHECK(now->bound >= last->bound);
		CHECK(now->incumbent <= last->incumbent);
	}
	watch->reports++;
	watch->last = *now;
}

static void
check_watch(const Watch *watch, const OracleAnswer *answer)
{
	CHECK(watch->last.phase == ORACLE_CERTIFIED);
	CHECK(watch->last.bound == watch->last.incumbent);
	CHECK(watch->last.nodes == answer->nodes);
}

/* The same vector as the definition's, and the same nodes for any number of threads. */
static void
check_solve(const Trial *trial, const OracleEffort *effort, const OracleAnswer *truth,
			Memory *memory)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	OracleProblem problem = trial->problem;
	int64_t nodes = -1;

	for (int threads = 1; threads <= MOST_THREADS && oracle_reduce(&problem, model); threads++)
	{
		Watch seen = {.reports = 0};
		OracleAnswer answer;

		problem.threads = threads;
		problem.progress = watch;
		problem.progress_context = &seen;
		oracle_solve(model, effort, &problem, memory, &answer);
		CHECK(same_vector(&trial->grid, &answer, truth));
		CHECK(nodes < 0 || answer.nodes == nodes);
		nodes = answer.nodes;
		check_watch(&seen, &answer);
	}
	memory_release(memory, model);
}

/*
 * The bare search, without a heuristic that could find what it overlooks, with
 * ample room for tables and for open nodes, or little: then binary columns are
 * read as numeric, the search goes deep, or tasks are cut short.
 */
static void
check_bare_search(TestStream *stream, const Trial *trial, const OracleAnswer *truth, Memory *memory)
{
	OracleEffort little = {.table_entries = below(stream, 200)};
	OracleEffort ample = {.table_entries = 100000000,
						  .open_bytes = below(stream, 2) ? 100000000 : 20000,
						  .task_bytes = below(stream, 2) ? 100000000 : below(stream, 5000)};

	check_solve(trial, &little, truth, memory);
	check_solve(trial, &ample, truth, memory);
}

/* Walks downhill from every few nodes: what they find must not depend on the threads either. */
static void
check_walking_search(const Trial *trial, const OracleAnswer *truth, Memory *memory)
{
	OracleEffort effort = {.table_entries = 100000000,
						   .open_bytes = 100000000,
						   .task_bytes = 100000000,
						   .walk_every = 2};

	check_solve(trial, &effort, truth, memory);
}

/* The search as it is used. */
static void
check_usual_search(const Trial *trial, const OracleAnswer *truth, Memory *memory)
{
	OracleProblem problem = trial->problem;
	OracleAnswer answer;
	int64_t nodes = -1;

	for (problem.threads = 0; problem.threads <= MOST_THREADS; problem.threads++)
	{
		oracle_search(&problem, memory, &answer);
		CHECK(grid_contains(&trial->grid, answer.index));
		CHECK(same_vector(&trial->grid, &answer, truth));
		CHECK(answer.loss == truth->loss);
		CHECK(nodes < 0 || answer.nodes == nodes);
		nodes = answer.nodes;
	}
}

static void
check_trial(TestStream *stream, const Trial *trial, Memory *memory)
{
	OracleAnswer truth;

	CHECK(grid_is_valid(&trial->grid));
	oracle_enumerate(&trial->problem, memory, &truth);
	CHECK(truth.loss == instance_loss(&trial->instance, &trial->grid, truth.index));
	check_usual_search(trial, &truth, memory);
	check_bare_search(stream, trial, &truth, memory);
	check_walking_search(trial, &truth, memory);
}

static void
check_random_instances(TestStream *stream, Trial *trial, Memory *memory)
{
	for (int k = 0; k < check_repetitions(SMALL_INSTANCES); k++)
	{
		int dimension = 1 + below(stream, 5);

		random_grid(stream, &trial->grid, dimension, 1, 1500);
		random_rows(stream, trial, dimension, below(stream, 13));
		random_rewards(stream, trial);
		trial->problem.scale = random_scale(stream);
		check_trial(stream, trial, memory);
	}
	for (int k = 0; k < check_repetitions(MIDDLE_INSTANCES); k++)
	{
		int dimension = 6 + below(stream, MAX_DIMENSION - 5);

		random_grid(stream, &trial->grid, dimension, 500, 6000);
		random_rows(stream, trial, dimension, 20 + below(stream, MAX_ROWS - 19));
		random_rewards(stream, trial);
		trial->problem.scale = random_scale(stream);
		check_trial(stream, trial, memory);
	}
}

/* The largest of reward[first .. last] less the smallest. */
static void
reward_range(mpz_t range, const mpz_t *reward, int first, int last)
{
	int least = first;
	int most = first;

	for (int k = first; k <= last; k++)
	{
		least = mpz_cmp(reward[k], reward[least]) < 0 ? k : least;
		most = mpz_cmp(reward[k], reward[most]) > 0 ? k : most;
	}
	mpz_sub(range, reward[most], reward[least]);
}

/* Scale times span and the largest costs, of all levels and states. */
static void
largest_objective(const Trial *trial, mpz_t total)
{
	const Grid *grid = &trial->grid;
	mpz_t range;

	mpz_init(range);
	mpz_set_ui(total, (unsigned long) trial->problem.scale);
	mpz_mul_ui(total, total, (unsigned long) instance_span(&trial->instance));
	for (int j = 0; j < grid->dimension; j++)
	{
		reward_range(range, trial->reward + j * GRID_MAX_LEVELS, 0, grid->levels[j] - 1);
		mpz_add(total, total, range);
	}
	if (trial->problem.level_reward != NULL)
	{
		int last = grid_states(grid) - 1;

		reward_range(range, trial->level_reward, grid_accepts(grid, 0) ? 0 : last, last);
		mpz_add(total, total, range);
	}
	mpz_clear(range);
}

/*
 * Numbers that only just fit the search's int64, and numbers that are too large
 * by as little as the scale allows.
 */
static void
check_edge(TestStream *stream, Trial *trial, Memory *memory)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	mpz_t total;

	mpz_init(total);
	for (int k = 0; k < check_repetitions(EDGE_INSTANCES); k++)
	{
		int dimension = 1 + below(stream, 5);
		unsigned long span;

		do
		{
			random_grid(stream, &trial->grid, dimension, 2, 500);
			random_rows(stream, trial, dimension, 1 + below(stream, 12));
			random_rewards(stream, trial);
			trial->problem.scale = 0;
			largest_objective(trial, total);
		} while (mpz_sizeinbase(total, 2) > 55);
		span = (unsigned long) instance_span(&trial->instance);
		mpz_ui_sub(total, (unsigned long) ORACLE_LIMIT - 1, total);
		mpz_fdiv_q_ui(total, total, span);
		trial->problem.scale = (uint64_t) mpz_get_ui(total);
		CHECK(oracle_reduce(&trial->problem, model));
		check_trial(stream, trial, memory);
		trial->problem.scale++;
		CHECK(!oracle_reduce(&trial->problem, model));
		check_trial(stream, trial, memory);
	}
	mpz_clear(total);
	memory_release(memory, model);
}

/* The first in the public order of the best of {-1,1}^16: a Gray-code walk in int64. */
static void
gray_walk(const Trial *trial, const int64_t *reward, int *best_index)
{
	int64_t score[MAX_ROWS] = {0};
	int index[GRID_MAX_DIMENSION] = {0};
	int64_t rewards = 0;
	int64_t best = INT64_MAX;

	for (int j = 0; j < GRAY_DIMENSION; j++)
	{
		rewards += reward[2 * j];
		for (int64_t r = 0; r < trial->instance.rows; r++)
			score[r] -= trial->x[r * GRAY_DIMENSION + j];
	}
	for (uint32_t step = 1;; step++)
	{
		int64_t value = -rewards;
		int flip;

		for (int64_t r = 0; r < trial->instance.rows; r++)
			if ((score[r] > 0) != (trial->net[r] > 0))
				value += (int64_t) trial->problem.scale * llabs(trial->net[r]);
		if (value < best || (value == best && grid_compare(&trial->grid, index, best_index) < 0))
		{
			best = value;
			memcpy(best_index, index, sizeof(index));
		}
		if (step == UINT32_C(1) << GRAY_DIMENSION)
			return;
		flip = __builtin_ctz(step);
		index[flip] = 1 - index[flip];
		rewards += reward[2 * flip + index[flip]] - reward[2 * flip + 1 - index[flip]];
		for (int64_t r = 0; r < trial->instance.rows; r++)
			score[r] += (index[flip] ? 2 : -2) * (int64_t) trial->x[r * GRAY_DIMENSION + flip];
	}
}

static void
check_gray(TestStream *stream, Trial *trial, Memory *memory)
{
	for (int k = 0; k < check_repetitions(GRAY_INSTANCES); k++)
	{
		int64_t reward[2 * GRAY_DIMENSION];
		OracleAnswer truth = {.nodes = 0};
		OracleAnswer answer;

		memset(&trial->grid, 0, sizeof(trial->grid));
		trial->grid.dimension = GRAY_DIMENSION;
		for (int j = 0; j < GRAY_DIMENSION; j++)
		{
			grid_set_sign(&trial->grid, j);
			for (int i = 0; i < 2; i++)
			{
				reward[2 * j + i] = below(stream, k % 3 == 0 ? 3 : 40);
				mpz_set_si(trial->reward[j * GRID_MAX_LEVELS + i], (long) reward[2 * j + i]);
			}
		}
		random_rows(stream, trial, GRAY_DIMENSION, MAX_ROWS);
		trial->problem.scale = 4;
		trial->problem.level_reward = NULL;
		trial->problem.threads = 1 + k % MOST_THREADS;
		gray_walk(trial, reward, truth.index);
		oracle_search(&trial->problem, memory, &answer);
		CHECK(same_vector(&trial->grid, &answer, &truth));
		CHECK(answer.loss == instance_loss(&trial->instance, &trial->grid, answer.index));
	}
}

/* Every coordinate and every level there can be, on a few wide rows. */
static void
check_largest_grid(TestStream *stream, Memory *memory)
{
	size_t entries = (size_t) GRID_MAX_DIMENSION * GRID_MAX_LEVELS;
	Grid *grid = memory_allocate_zero(memory, 1, sizeof(Grid));
	mpz_t *reward = memory_allocate(memory, entries, sizeof(mpz_t));
	int32_t *x = memory_allocate(memory, (size_t) 3 * GRID_MAX_DIMENSION, sizeof(int32_t));
	int64_t net[3] = {5, -7, 4};
	Instance instance = {GRID_MAX_DIMENSION, 3, x, net, 0};
	OracleProblem problem = {
		.instance = &instance, .grid = grid, .scale = 1 << 20, .reward = reward};
	OracleAnswer answer;

	grid->dimension = GRID_MAX_DIMENSION;
	for (int j = 0; j < GRID_MAX_DIMENSION; j++)
	{
		grid_set_range(grid, j, 16);
		for (int r = 0; r < 3; r++)
			x[r * GRID_MAX_DIMENSION + j] = below(stream, 2) * FIXED_POINT_ONE;
	}
	/* Coordinates prefer weights around 1, but no row is lost for that. */
	for (size_t k = 0; k < entries; k++)
		mpz_init_set_si(reward[k],
						-1000 * labs((long) (k % GRID_MAX_LEVELS) - 17) - below(stream, 1000));
	oracle_search(&problem, memory, &answer);
	CHECK(grid_contains(grid, answer.index));
	CHECK(answer.loss == 0);
	for (size_t k = 0; k < entries; k++)
		mpz_clear(reward[k]);
	memory_release(memory, x);
	memory_release(memory, reward);
	memory_release(memory, grid);
}

int
main(void)
{
	Arena *arena = arena_create(check_out_of_memory);
	Memory *memory = arena_memory(arena);
	Trial *trial = memory_allocate_zero(memory, 1, sizeof(Trial));
	TestStream stream;

	teststream_seed(&stream, 7);
	trial_init(trial);
	check_random_instances(&stream, trial, memory);
	check_gray(&stream, trial, memory);
	check_edge(&stream, trial, memory);
	check_largest_grid(&stream, memory);
	trial_clear(trial);
	memory_release(memory, trial);
	arena_destroy(arena);
	return check_report("oracle");
}
