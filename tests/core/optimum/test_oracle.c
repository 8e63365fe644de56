/*
 * test_oracle.c - the search against the definition: the same vector, ties
 * included, on small instances of every kind, and the same vector and number of
 * nodes for any number of threads; and against a Gray-code walk in int64 on
 * {-1,1}^16.
 */
#include "core/instances.h"

#define MAX_DIMENSION 10
#define MAX_ROWS 80
#define SMALL_INSTANCES 5000
#define MIDDLE_INSTANCES 200
#define EDGE_INSTANCES 300
#define MOST_THREADS 3
#define GRAY_INSTANCES 12
#define GRAY_DIMENSION 16
#define MOST_REWARD 80 /* bits */

/* Rows of every kind, and rewards of every size. */
static void
fill_trial(Trial *trial, int rows)
{
	random_rows(&trial->c, (ColumnKind) below(COLUMNS_ANY + 1), rows, below(2) ? 1000 : 3,
				random_label());
	spoil_columns(&trial->c, below(3) == 0, below(4) == 0);
	random_rewards(trial, MOST_REWARD);
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
check_solve(const Trial *trial, const OracleEffort *effort, const OracleAnswer *truth)
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
		oracle_solve(model, effort, &problem, ORACLE_NO_LIMIT, memory, &answer);
		CHECK(grid_compare(&trial->c.grid, answer.index, truth->index) == 0);
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
check_bare_search(const Trial *trial, const OracleAnswer *truth)
{
	OracleEffort little = {.table_entries = below(200)};
	OracleEffort ample = {.table_entries = 100000000,
						  .open_bytes = below(2) ? 100000000 : 20000,
						  .task_bytes = below(2) ? 100000000 : below(5000)};

	check_solve(trial, &little, truth);
	check_solve(trial, &ample, truth);
}

/* Walks downhill from every few nodes: what they find must not depend on the threads either. */
static void
check_walking_search(const Trial *trial, const OracleAnswer *truth)
{
	OracleEffort effort = {.table_entries = 100000000,
						   .open_bytes = 100000000,
						   .task_bytes = 100000000,
						   .descent_every = 2};

	check_solve(trial, &effort, truth);
}

/* The search as mechanisms call it. */
static void
check_default_search(const Trial *trial, const OracleAnswer *truth)
{
	OracleProblem problem = trial->problem;
	OracleAnswer answer;
	int64_t nodes = -1;

	for (problem.threads = 0; problem.threads <= MOST_THREADS; problem.threads++)
	{
		oracle_search(&problem, memory, &answer);
		CHECK(grid_contains(&trial->c.grid, answer.index));
		CHECK(same_answer(&trial->c.grid, &answer, truth));
		CHECK(nodes < 0 || answer.nodes == nodes);
		nodes = answer.nodes;
	}
}

/*
 * A search of few nodes: not more than those, the same for any number of threads, and
 * with what it proved where it did not need them all.
 */
static void
check_limited_search(const Trial *trial, const OracleAnswer *truth)
{
	OracleProblem problem = trial->problem;
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));
	bool fits = oracle_reduce(&problem, model);
	OracleAnswer first = {.nodes = 0};

	problem.node_limit = below(2) ? 1 + below(5) : 1 + below(300);
	for (problem.threads = 1; problem.threads <= MOST_THREADS; problem.threads++)
	{
		OracleAnswer answer;

		CHECK(oracle_search_within(&problem, memory, &answer) == fits);
		if (!fits)
			break;
		CHECK(answer.nodes >= 1 && answer.nodes <= problem.node_limit);
		CHECK(grid_contains(&trial->c.grid, answer.index));
		CHECK(answer.loss == instance_loss(&trial->c.instance, &trial->c.grid, answer.index));
		CHECK(answer.nodes == problem.node_limit || same_answer(&trial->c.grid, &answer, truth));
		if (problem.threads == 1)
			first = answer;
		CHECK(answer.nodes == first.nodes && same_answer(&trial->c.grid, &answer, &first));
	}
	memory_release(memory, model);
}

static void
check_trial(const Trial *trial)
{
	OracleAnswer truth;

	CHECK(grid_is_valid(&trial->c.grid));
	oracle_enumerate(&trial->problem, memory, &truth);
	CHECK(truth.loss == instance_loss(&trial->c.instance, &trial->c.grid, truth.index));
	check_default_search(trial, &truth);
	check_limited_search(trial, &truth);
	check_bare_search(trial, &truth);
	check_walking_search(trial, &truth);
}

static void
check_random_instances(Trial *trial)
{
	for (int k = 0; k < check_repetitions(SMALL_INSTANCES); k++)
	{
		random_grid(&trial->c.grid, LEVELS_FAR, 1 + below(5), 1, 1500);
		fill_trial(trial, below(13));
		trial->problem.scale = random_scale(UINT64_MAX);
		check_trial(trial);
	}
	for (int k = 0; k < check_repetitions(MIDDLE_INSTANCES); k++)
	{
		random_grid(&trial->c.grid, LEVELS_FAR, 6 + below(MAX_DIMENSION - 5), 500, 6000);
		fill_trial(trial, 20 + below(MAX_ROWS - 19));
		trial->problem.scale = random_scale(UINT64_MAX);
		check_trial(trial);
	}
}

/*
 * Numbers that only just fit the search's int64, and numbers that are too large
 * by as little as the scale allows.
 */
static void
check_edge(Trial *trial)
{
	OracleModel *model = memory_allocate(memory, 1, sizeof(OracleModel));

	for (int k = 0; k < check_repetitions(EDGE_INSTANCES); k++)
	{
		do
		{
			random_grid(&trial->c.grid, LEVELS_FAR, 1 + below(5), 2, 500);
			fill_trial(trial, 1 + below(12));
		} while (!set_largest_scale(trial));
		CHECK(oracle_reduce(&trial->problem, model));
		check_trial(trial);
		trial->problem.scale++;
		CHECK(!oracle_reduce(&trial->problem, model));
		check_trial(trial);
	}
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
		for (int64_t r = 0; r < trial->c.instance.rows; r++)
			score[r] -= trial->c.x[r * GRAY_DIMENSION + j];
	}
	for (uint32_t step = 1;; step++)
	{
		int64_t value = -rewards;
		int flip;

		for (int64_t r = 0; r < trial->c.instance.rows; r++)
			if ((score[r] > 0) != (trial->c.net[r] > 0))
				value += (int64_t) trial->problem.scale * llabs(trial->c.net[r]);
		if (value < best || (value == best && grid_compare(&trial->c.grid, index, best_index) < 0))
		{
			best = value;
			memcpy(best_index, index, sizeof(index));
		}
		if (step == UINT32_C(1) << GRAY_DIMENSION)
			return;
		flip = __builtin_ctz(step);
		index[flip] = 1 - index[flip];
		rewards += reward[2 * flip + index[flip]] - reward[2 * flip + 1 - index[flip]];
		for (int64_t r = 0; r < trial->c.instance.rows; r++)
			score[r] += (index[flip] ? 2 : -2) * (int64_t) trial->c.x[r * GRAY_DIMENSION + flip];
	}
}

static void
check_gray(Trial *trial)
{
	for (int k = 0; k < check_repetitions(GRAY_INSTANCES); k++)
	{
		int64_t reward[2 * GRAY_DIMENSION];
		OracleAnswer truth = {.nodes = 0};
		OracleAnswer answer;

		memset(&trial->c.grid, 0, sizeof(trial->c.grid));
		trial->c.grid.dimension = GRAY_DIMENSION;
		for (int j = 0; j < GRAY_DIMENSION; j++)
		{
			grid_set_sign(&trial->c.grid, j);
			for (int i = 0; i < 2; i++)
			{
				reward[2 * j + i] = below(k % 3 == 0 ? 3 : 40);
				mpz_set_si(trial->reward[j * GRID_MAX_LEVELS + i], (long) reward[2 * j + i]);
			}
		}
		random_rows(&trial->c, COLUMNS_ANY, MAX_ROWS, 1000, 0);
		trial->problem.scale = 4;
		trial->problem.level_reward = NULL;
		trial->problem.threads = 1 + k % MOST_THREADS;
		gray_walk(trial, reward, truth.index);
		oracle_search(&trial->problem, memory, &answer);
		CHECK(grid_compare(&trial->c.grid, answer.index, truth.index) == 0);
		CHECK(answer.loss == instance_loss(&trial->c.instance, &trial->c.grid, answer.index));
	}
}

/* Every coordinate and every level there can be, on a few wide rows. */
static void
check_largest_grid(void)
{
	size_t entries = (size_t) GRID_MAX_DIMENSION * GRID_MAX_LEVELS;
	Grid *grid = memory_allocate_zero(memory, 1, sizeof(Grid));
	mpz_t *reward = integers_create(entries, memory);
	int32_t *x = memory_allocate(memory, (size_t) 3 * GRID_MAX_DIMENSION, sizeof(int32_t));
	int64_t net[3] = {5, -7, 4};
	Instance instance = {.dimension = GRID_MAX_DIMENSION, .rows = 3, .x = x, .net = net};
	OracleProblem problem = {
		.instance = &instance, .grid = grid, .scale = 1 << 20, .reward = reward};
	OracleAnswer answer;

	grid->dimension = GRID_MAX_DIMENSION;
	for (int j = 0; j < GRID_MAX_DIMENSION; j++)
	{
		grid_set_range(grid, j, 16);
		for (int r = 0; r < 3; r++)
			x[r * GRID_MAX_DIMENSION + j] = below(2) * FIXED_POINT_ONE;
	}
	/* Coordinates prefer weights around 1, but no row is lost for that. */
	for (size_t k = 0; k < entries; k++)
		mpz_set_si(reward[k], -1000 * labs((long) (k % GRID_MAX_LEVELS) - 17) - below(1000));
	oracle_search(&problem, memory, &answer);
	CHECK(grid_contains(grid, answer.index));
	CHECK(answer.loss == 0);
	integers_destroy(reward, entries, memory);
	memory_release(memory, x);
	memory_release(memory, grid);
}

int
main(void)
{
	Trial *trial;

	test_begin(7);
	trial = trial_create();
	check_random_instances(trial);
	check_gray(trial);
	check_edge(trial);
	check_largest_grid();
	trial_destroy(trial);
	return test_end("oracle");
}
