/*
 * test_select_kernel.c - every kernel that this machine runs computes what its loops are for, and
 * walks with each of them see the losses of the definition in the same order.
 */
#include "core/exponential/select_internal.h"

#include <string.h>

#include "core/fixture.h"

/* Lengths around those of all vectors, and beginnings at any element. */
#define MOST_ROWS 150
#define MOST_SHIFT 20

typedef struct Arrays
{
	int rows;
	int32_t value[MOST_ROWS + MOST_SHIFT];
	int32_t net[MOST_ROWS + MOST_SHIFT];
	uint32_t score[MOST_ROWS + MOST_SHIFT];
} Arrays;

static uint64_t
random_word(void)
{
	return teststream_below(&stream, UINT64_MAX);
}

/* Scores near 0 and at either end, so that all comparisons count. */
static uint32_t
random_score(void)
{
	switch (below(4))
	{
		case 0:
			return (uint32_t) (below(7) - 3);
		case 1:
			return (uint32_t) (below(9) - 4) * FIXED_POINT_ONE + (uint32_t) (below(3) - 1);
		case 2:
			return (uint32_t) (below(2) ? INT32_MAX - below(3) : below(3) - INT32_MAX);
		default:
			return (uint32_t) (below(41) * 50000 - 1000000);
	}
}

static void
random_arrays(Arrays *arrays)
{
	arrays->rows = below(MOST_ROWS + 1);
	for (int i = 0; i < MOST_ROWS + MOST_SHIFT; i++)
	{
		arrays->value[i] = below(2 * FIXED_POINT_ONE + 1) - FIXED_POINT_ONE;
		arrays->net[i] = below(2000001) - 1000000;
		arrays->score[i] = random_score();
	}
}

static void
test_step(const SelectKernel *kernel)
{
	for (int round = 0; round < check_repetitions(300); round++)
	{
		int shift = below(MOST_SHIFT);
		int difference = below(129) - 64;
		uint32_t before[MOST_ROWS + MOST_SHIFT];
		bool right = true;
		Arrays arrays;

		random_arrays(&arrays);
		memcpy(before, arrays.score, sizeof(before));
		kernel->step(arrays.score + shift, arrays.value + shift, arrays.rows, difference);
		for (int i = 0; i < MOST_ROWS + MOST_SHIFT; i++)
		{
			bool inside = i >= shift && i < shift + arrays.rows;
			int64_t added = inside ? (int64_t) difference * arrays.value[i] : 0;

			right = right && arrays.score[i] == (uint32_t) (before[i] + added);
		}
		CHECK(right);
	}
}

/* The threshold is found by trying each sum, in 64 bits. */
static void
test_tabulate(const SelectKernel *kernel)
{
	for (int round = 0; round < check_repetitions(300); round++)
	{
		enum
		{
			WORDS = 300
		};
		int32_t start[MOST_ROWS];
		int32_t low[MOST_ROWS];
		int32_t size[MOST_ROWS];
		int64_t net[MOST_ROWS];
		uint64_t table[WORDS] = {0};
		uint64_t expected[WORDS] = {0};
		SelectRows rows = {.net = net, .start = start, .low = low, .size = size};
		Arrays arrays;

		random_arrays(&arrays);
		rows.count = arrays.rows;
		for (int i = 0; i < arrays.rows; i++)
		{
			int entry = 0;

			size[i] = 1 + below(30);
			low[i] = below(20) - 15;
			start[i] = below(WORDS - size[i]);
			net[i] = below(2) ? arrays.net[i] : arrays.net[i] * (INT64_C(1) << 20);
			while (entry < size[i] &&
				   (int32_t) arrays.score[i] + (int64_t) (low[i] + entry) * FIXED_POINT_ONE <= 0)
				entry++;
			expected[start[i] + entry] -= (uint64_t) net[i];
		}
		kernel->tabulate(table, arrays.score, &rows);
		CHECK(memcmp(table, expected, sizeof(table)) == 0);
	}
}

static void
test_moves(const SelectKernel *kernel)
{
	enum
	{
		WORDS = 200
	};

	for (int round = 0; round < check_repetitions(300); round++)
	{
		uint64_t from[WORDS];
		uint64_t to[3][WORDS] = {{0}};
		uint64_t expected[3][WORDS] = {{0}};
		SelectMove move[4];
		int count = below(5);
		int shift = below(30);
		int place = 0;

		for (int i = 0; i < WORDS; i++)
			from[i] = random_word();
		for (int m = 0; m < count; m++)
		{
			move[m].words = SELECT_BLOCK * (1 + below(4));
			move[m].to = place;
			move[m].without = below(WORDS - move[m].words);
			move[m].with = below(WORDS - move[m].words - shift);
			for (int i = 0; i < move[m].words; i++, place++)
			{
				expected[1][place] = from[move[m].with + shift + i];
				expected[2][place] = from[move[m].without + i];
				expected[0][place] = expected[1][place] + expected[2][place];
			}
		}
		kernel->add(to[0], from, move, count, shift);
		kernel->copy_with(to[1], from, move, count, shift);
		kernel->copy_without(to[2], from, move, count);
		CHECK(memcmp(to, expected, sizeof(to)) == 0);
	}
}

/* Lists of levels with gaps and without, of all lengths. */
static void
test_sum(const SelectKernel *kernel)
{
	for (int round = 0; round < check_repetitions(300); round++)
	{
		int shift = below(MOST_SHIFT);
		int levels = 1 + below(GRID_MAX_LEVELS);
		int32_t bound = (below(9) - 4) * FIXED_POINT_ONE;
		int8_t weight[GRID_MAX_LEVELS];
		int64_t sum[GRID_MAX_LEVELS];
		bool right = true;
		Arrays arrays;
		SelectRun run;

		random_arrays(&arrays);
		for (int k = 0; k < levels; k++)
			weight[k] = (int8_t) (k == 0 ? -20 : weight[k - 1] + (below(8) == 0 ? 2 : 1));
		run = (SelectRun){arrays.score + shift, arrays.value + shift, arrays.net + shift,
						  arrays.rows};
		kernel->sum(sum, &run, weight, levels, bound);
		for (int k = 0; k < levels; k++)
		{
			int64_t expected = 0;

			for (int64_t i = 0; i < run.count; i++)
				if ((int32_t) (run.score[i] + (uint32_t) (weight[k] * run.value[i])) > bound)
					expected -= run.net[i];
			right = right && sum[k] == expected;
		}
		CHECK(right);
	}
}

/* ---- walks ---- */

#define COLUMNS 9
#define WALK_ROWS 120

typedef struct Walk
{
	int64_t visits;
	int64_t wrong;  /* visits whose losses are not the definition's */
	uint64_t trace; /* of all indices and losses in their order */
} Walk;

static void
trace(Walk *walk, int64_t value)
{
	walk->trace = (walk->trace ^ (uint64_t) value) * UINT64_C(0x9E3779B97F4A7C15);
	walk->trace ^= walk->trace >> 29;
}

/* The group's levels are tried one column at a time: losses are sums over the group's columns. */
static bool
visit_walk(SelectWalker *walker, void *context)
{
	const SelectPlan *plan = walker->plan;
	int64_t lowest = plan->instance->constant + plan->base;
	int index[GRID_MAX_DIMENSION];
	Walk *walk = context;

	memcpy(index, walker->index, sizeof(index));
	for (int j = 0; j < plan->grid->dimension; j++)
		trace(walk, index[j]);
	for (int g = 0; g < plan->groups; g++)
		lowest += walker->loss[g * plan->levels];
	for (int g = 0; g < plan->groups; g++)
		for (int v = 0; v < plan->levels; v++)
		{
			int64_t loss = walker->loss[g * plan->levels + v];

			trace(walk, loss);
			if (plan->levels > 1)
				index[plan->first + g] = v;
			walk->wrong += lowest - walker->loss[g * plan->levels] + loss !=
						   instance_loss(plan->instance, plan->grid, index);
			if (plan->levels > 1)
				index[plan->first + g] = 0;
		}
	walk->visits++;
	return true;
}

/* Columns: a group of three, another group of three or indicators, numbers. */
static void
random_walk_rows(Instance *instance, int32_t *x, int64_t *net, int64_t most_net)
{
	bool one_hot = below(2) == 0;

	*instance = (Instance){.dimension = COLUMNS,
						   .rows = below(WALK_ROWS + 1),
						   .x = x,
						   .net = net,
						   .constant = below(9)};
	memset(x, 0, WALK_ROWS * COLUMNS * sizeof(int32_t));
	for (int i = 0; i < WALK_ROWS; i++)
	{
		int32_t *row = x + i * COLUMNS;

		row[below(3)] = FIXED_POINT_ONE;
		if (one_hot)
			row[3 + below(3)] = FIXED_POINT_ONE;
		for (int j = 3; j < 6 && !one_hot; j++)
			row[j] = below(2) * FIXED_POINT_ONE;
		for (int j = 6; j < COLUMNS; j++)
			row[j] = below(4 * FIXED_POINT_ONE + 1) - 2 * FIXED_POINT_ONE;
		net[i] =
			(1 + (int64_t) teststream_below(&stream, (uint64_t) most_net)) * (below(2) ? 1 : -1);
	}
}

static void
random_walk_grid(Grid *grid, bool numbers)
{
	grid_set_plain(grid, COLUMNS);
	for (int j = 0; j < 3; j++)
		grid_set_range(grid, j, 1);
	for (int j = 3; j < 6; j++)
		if (below(4) > 0)
			grid_set_range(grid, j, 1 + below(2));
	if (below(3) == 0)
		grid_set_sign(grid, 3 + below(3));
	for (int j = 6; j < COLUMNS && numbers; j++)
		if (below(3) > 0)
			grid_set_range(grid, j, 1 + below(2));
	if (below(3) == 0)
	{
		grid->constraint = GRID_BALL;
		grid->bound = 6;
	}
}

static void
test_walks(void)
{
	static int32_t x[WALK_ROWS * COLUMNS];
	static int64_t net[WALK_ROWS];
	const SelectKernel *kernel[SELECT_MAX_KERNELS];
	int kernels = select_kernels(kernel);

	for (int round = 0; round < check_repetitions(60); round++)
	{
		SelectLayout layout = round % 2 ? SELECT_TABLES : SELECT_DENSE;
		Instance instance;
		Grid grid;
		SelectProblem problem = {
			.instance = &instance, .grid = &grid, .epsilon = EPSILON_ONE, .threads = 1};
		SelectPlan *plan;
		Walk first = {0};

		random_walk_rows(&instance, x, net, round % 3 == 0 ? INT64_C(1) << 35 : 5);
		random_walk_grid(&grid, round % 4 < 3);
		if (grid.constraint == GRID_PRODUCT && below(3) > 0)
			problem.group = (SelectGroup){0, 3};
		plan = select_plan_create(&problem, 1 + below(60), layout, memory);
		for (int k = 0; k < kernels; k++)
		{
			Walk walk = {0};
			SelectTeam team;

			plan->kernel = kernel[k];
			select_team_create(&team, plan, 1, memory);
			select_visit_all(&team, visit_walk, &walk);
			select_team_destroy(&team, memory);
			if (k == 0)
				first = walk;
			CHECK(walk.visits == (int64_t) select_cost(&grid, problem.group));
			CHECK(walk.wrong == 0);
			CHECK(walk.trace == first.trace);
		}
		select_plan_destroy(plan, memory);
	}
}

int
main(void)
{
	const SelectKernel *kernel[SELECT_MAX_KERNELS];
	int kernels;

	test_begin(1);
	kernels = select_kernels(kernel);
	CHECK(kernels >= 1 && select_fastest_kernel() == kernel[kernels - 1]);
	for (int k = 0; k < kernels; k++)
	{
		reseed(2);
		test_step(kernel[k]);
		test_tabulate(kernel[k]);
		test_moves(kernel[k]);
		test_sum(kernel[k]);
	}
	reseed(3);
	test_walks();
	return test_end("select_kernel");
}
