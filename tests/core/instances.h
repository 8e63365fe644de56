/*
 * instances.h - small random problems, for the tests of the optimisers and of the
 * samplers: a Case is a training set on a small grid, a Trial adds rewards to it.
 *
 * Most faults show at ties, so most numbers are small.  All random numbers come from one seeded
 * stream; reseed() makes a test independent of those before it.
 */
#ifndef DPOBJ_TESTS_INSTANCES_H
#define DPOBJ_TESTS_INSTANCES_H

#include <string.h>

#include "core/optimum/oracle_internal.h"
#include "core/exponential/select.h"

#include "fixture.h"

#define CASE_ROWS 400
#define CASE_COLUMNS 16

/* ---- grids ---- */

/* The level lists of a grid, the tame ones first. */
typedef enum LevelKind
{
	LEVELS_TERNARY,
	LEVELS_SIGN,
	LEVELS_WIDE,   /* -2 .. 2 */
	LEVELS_RANGES, /* -m .. m, m up to 3 and of each coordinate its own */
	LEVELS_UNEVEN, /* one level, or three with gaps */
	LEVELS_MIXED,  /* each coordinate one of the above */
	LEVELS_LISTS,  /* any in -6 .. 6 */
	LEVELS_FAR     /* a few in -64 .. 64 */
} LevelKind;

static inline void
set_level_list(Grid *grid, int j, int max)
{
	grid->levels[j] = 0;
	for (int weight = -max; weight <= max; weight++)
		if (below(max) == 0 && grid->levels[j] < GRID_MAX_LEVELS)
			grid->level[j][grid->levels[j]++] = (int8_t) weight;
	if (grid->levels[j] == 0)
		grid->level[j][grid->levels[j]++] = (int8_t) (below(2 * max + 1) - max);
}

static inline void
set_uneven_levels(Grid *grid, int j)
{
	bool three = below(3) > 0;

	grid->levels[j] = three ? 3 : 1;
	grid->level[j][0] = (int8_t) (three ? -2 - below(3) : below(5) - 2);
	grid->level[j][1] = 0;
	grid->level[j][2] = (int8_t) (1 + below(3));
}

static inline void
set_levels(Grid *grid, int j, LevelKind levels)
{
	if (levels == LEVELS_MIXED)
		levels = (LevelKind) below(LEVELS_MIXED);
	switch (levels)
	{
		case LEVELS_TERNARY:
			grid_set_range(grid, j, 1);
			break;
		case LEVELS_SIGN:
			grid_set_sign(grid, j);
			break;
		case LEVELS_WIDE:
			grid_set_range(grid, j, 2);
			break;
		case LEVELS_RANGES:
			grid_set_range(grid, j, below(4));
			break;
		case LEVELS_UNEVEN:
			set_uneven_levels(grid, j);
			break;
		case LEVELS_LISTS:
			set_level_list(grid, j, 6);
			break;
		default:
			set_level_list(grid, j, 16 + below(49));
	}
}

static inline int
random_bound(const Grid *grid)
{
	int most = 2;

	switch (grid->constraint)
	{
		case GRID_BALL:
			return below(3 * grid->dimension + 2);
		case GRID_SPARSE:
			return below(grid->dimension + 1);
		case GRID_MODULUS:
			for (int j = 0; j < grid->dimension; j++)
				most = grid->levels[j] > most ? grid->levels[j] : most;
			return most + below(3);
		default:
			return 0;
	}
}

/* Any grid of the constraint with the wildest levels at most; it need not be valid. */
static inline void
try_grid(Grid *grid, GridConstraint constraint, LevelKind wildest, int dimension)
{
	LevelKind levels = (LevelKind) below((int) wildest + 1);

	memset(grid, 0, sizeof(*grid));
	grid->dimension = dimension;
	grid->constraint = constraint;
	for (int j = 0; j < dimension; j++)
		set_levels(grid, j, levels);
	grid->bound = random_bound(grid);
}

static inline bool
grid_has_size(const Grid *grid, uint64_t least, uint64_t most)
{
	return grid_is_valid(grid) && grid_size(grid) >= least && grid_size(grid) <= most;
}

/* Any constraint; least <= |W| <= most. */
static inline void
random_grid(Grid *grid, LevelKind wildest, int dimension, uint64_t least, uint64_t most)
{
	do
		try_grid(grid, (GridConstraint) below(GRID_MODULUS + 1), wildest, dimension);
	while (!grid_has_size(grid, least, most));
}

/* ---- training sets ---- */

typedef enum ColumnKind
{
	COLUMNS_BINARY,
	COLUMNS_ONE_HOT,    /* in groups of two to four, the last perhaps without its one */
	COLUMNS_HALVES,     /* multiples of 1/2: full of ties */
	COLUMNS_SIXTEENTHS, /* multiples of 1/16 */
	COLUMNS_NUMERIC,    /* anything in -2 .. 2 */
	COLUMNS_SELDOM,     /* mostly 0 */
	COLUMNS_MIXED,      /* binary, but every fourth of halves or sixteenths */
	COLUMNS_ANY         /* each column one of the above */
} ColumnKind;

/* A training set on a small grid, and its storage; not to be copied. */
typedef struct Case
{
	Instance instance;
	Grid grid;
	SelectProblem problem;
	int32_t x[CASE_ROWS * CASE_COLUMNS];
	int64_t net[CASE_ROWS];
} Case;

static inline int32_t
random_value(ColumnKind column)
{
	switch (column)
	{
		case COLUMNS_HALVES:
			return (below(7) - 3) * (FIXED_POINT_ONE / 2);
		case COLUMNS_SIXTEENTHS:
			return (below(33) - 16) * (FIXED_POINT_ONE / 16);
		case COLUMNS_NUMERIC:
			return below(4 * FIXED_POINT_ONE + 1) - 2 * FIXED_POINT_ONE;
		case COLUMNS_SELDOM:
			return below(4) == 0 ? below(3 * FIXED_POINT_ONE) : 0;
		default:
			return below(2) * FIXED_POINT_ONE;
	}
}

static inline void
choose_columns(ColumnKind *column, ColumnKind columns, int dimension)
{
	int numeric = below(4);

	for (int j = 0; j < dimension; j++)
	{
		column[j] = columns;
		if (columns == COLUMNS_MIXED)
			column[j] = j % 4 != numeric ? COLUMNS_BINARY
						: below(2)       ? COLUMNS_HALVES
										 : COLUMNS_SIXTEENTHS;
		if (columns == COLUMNS_ANY)
			column[j] = (ColumnKind) below(COLUMNS_MIXED);
	}
}

/* One of size columns from first on is 1, the others 0. */
static inline void
set_one_hot(int32_t *x, int first, int size)
{
	int hot = below(size);

	for (int j = 0; j < size; j++)
		x[first + j] = j == hot ? FIXED_POINT_ONE : 0;
}

/* Half of each label, unless all rows have the given one. */
static inline int64_t
random_net(int64_t most, int label)
{
	int64_t usual = below(4) == 0 || most < 3 ? most : 3;
	int64_t net = 1 + (int64_t) teststream_below(&stream, (uint64_t) usual);

	return label < 0 || (label == 0 && below(2)) ? -net : net;
}

/* Some rows are equal: they need not be merged. */
static inline void
random_rows(Case *c, ColumnKind columns, int rows, int64_t most_net, int label)
{
	ColumnKind column[CASE_COLUMNS];
	int dimension = c->grid.dimension;
	int group = 2 + below(3);

	choose_columns(column, columns, dimension);
	for (int r = 0; r < rows; r++)
	{
		int32_t *x = c->x + r * dimension;

		for (int j = 0; j < dimension; j++)
			x[j] = random_value(column[j]);
		for (int j = 0; columns == COLUMNS_ONE_HOT && j < dimension; j += group)
			set_one_hot(x, j, group < dimension - j ? group : dimension - j);
		if (r > 0 && below(8) == 0)
			memcpy(x, x - dimension, (size_t) dimension * sizeof(int32_t));
		c->net[r] = random_net(most_net, label);
	}
	c->instance = (Instance){
		.dimension = dimension, .rows = rows, .x = c->x, .net = c->net, .constant = below(10)};
}

/* Mostly 0, for both labels. */
static inline int
random_label(void)
{
	int number = below(6);

	return number < 2 ? 2 * number - 1 : 0;
}

/* Makes one column a copy of another, and one column constant, if asked to. */
static inline void
spoil_columns(Case *c, bool copies, bool holds)
{
	int dimension = c->grid.dimension;
	int from = below(dimension);
	int to = below(dimension);
	int constant = below(dimension);

	for (int64_t r = 0; r < c->instance.rows; r++)
	{
		int32_t *x = c->x + r * dimension;

		if (copies)
			x[to] = x[from];
		if (holds)
			x[constant] = (constant % 3 - 1) * FIXED_POINT_ONE;
	}
}

/* ---- problems of selection ---- */

static inline void
set_problem(Case *c, int64_t epsilon)
{
	c->problem = (SelectProblem){.instance = &c->instance,
								 .grid = &c->grid,
								 .epsilon = epsilon,
								 .adjacency = below(2) ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE,
								 .threads = 1 + below(2)};
}

/* A prior of some power, unless the samplers do not have it at the problem's epsilon. */
static inline void
set_prior(Case *c)
{
	static const int64_t powers[] = {PRIOR_ONE / 2, PRIOR_ONE, 2 * PRIOR_ONE, 2 * PRIOR_ONE + 1};
	int64_t power = powers[below(4)];

	if (c->problem.epsilon > 0 &&
		prior_refusal(&c->grid, power, c->problem.epsilon, c->problem.adjacency) == NULL)
		c->problem.prior_power = power;
}

/*
 * Gives a run of coordinates equal levels, as the group of a product grid must have, but for one
 * that may keep a single level of them.
 */
static inline SelectGroup
random_group(Grid *grid, int most)
{
	int size = 1 + below(grid->dimension < most ? grid->dimension : most);
	int first = below(grid->dimension - size + 1);

	for (int j = first + 1; j < first + size; j++)
	{
		grid->levels[j] = grid->levels[first];
		memcpy(grid->level[j], grid->level[first], sizeof(grid->level[j]));
	}
	if (below(2))
	{
		int fixed = first + below(size);

		grid->level[fixed][0] = grid->level[fixed][below(grid->levels[fixed])];
		grid->levels[fixed] = 1;
	}
	return (SelectGroup){first, size};
}

/* The group's columns become one-hot, so that they can be summed out. */
static inline void
set_group(Case *c, SelectGroup group)
{
	c->problem.group = group;
	for (int64_t r = 0; group.size > 0 && r < c->instance.rows; r++)
		set_one_hot(c->x + r * c->grid.dimension, group.first, group.size);
}

/* What a case is like; the rest is random. */
typedef struct Recipe
{
	GridConstraint constraint;
	int bound;
	LevelKind levels;
	ColumnKind columns;
	int dimension;
	int rows;
	int64_t most_net;
	int64_t epsilon; /* nano-units */
	int label;       /* of all rows; 0: both */
} Recipe;

static inline void
make_case(Case *c, const Recipe *recipe)
{
	memset(&c->grid, 0, sizeof(c->grid));
	c->grid.dimension = recipe->dimension;
	c->grid.constraint = recipe->constraint;
	c->grid.bound = recipe->bound;
	for (int j = 0; j < recipe->dimension; j++)
		set_levels(&c->grid, j, recipe->levels);
	random_rows(c, recipe->columns, recipe->rows, recipe->most_net, recipe->label);
	set_problem(c, recipe->epsilon);
	CHECK(grid_is_valid(&c->grid));
}

/* ---- problems of the oracle ---- */

/* A case with rewards; made by trial_create(). */
typedef struct Trial
{
	Case c;
	OracleProblem problem;
	mpz_t *reward;
	mpz_t *end_reward;
} Trial;

static inline Trial *
trial_create(void)
{
	Trial *trial = memory_allocate_zero(memory, 1, sizeof(Trial));

	trial->reward = integers_create(CASE_COLUMNS * GRID_MAX_LEVELS, memory);
	trial->end_reward = integers_create(GRID_MAX_STATES, memory);
	trial->problem = (OracleProblem){
		.instance = &trial->c.instance,
		.grid = &trial->c.grid,
		.scale = 1,
		.reward = trial->reward,
	};
	return trial;
}

static inline void
trial_destroy(Trial *trial)
{
	integers_destroy(trial->reward, CASE_COLUMNS * GRID_MAX_LEVELS, memory);
	integers_destroy(trial->end_reward, GRID_MAX_STATES, memory);
	memory_release(memory, trial);
}

/* Below 2^size in absolute value. */
static inline void
random_reward(mpz_t reward, int size)
{
	mpz_set_ui(reward, (unsigned long) teststream_next(&stream));
	mpz_mul_2exp(reward, reward, 64);
	mpz_add_ui(reward, reward, (unsigned long) teststream_next(&stream));
	mpz_fdiv_r_2exp(reward, reward, (mp_bitcnt_t) size);
	if (below(2))
		mpz_neg(reward, reward);
}

/* Rewards of one size up to 2^most, or of mixed ones. */
static inline void
random_reward_list(mpz_t *reward, int count, int most)
{
	static const int sizes[] = {0, 1, 2, 5, 10, 12, 40, 57, 58, 80};
	int choices = 1;
	int choice;

	while (choices < 10 && sizes[choices] <= most)
		choices++;
	choice = below(choices + 1);
	for (int k = 0; k < count; k++)
		random_reward(reward[k], sizes[choice < choices ? choice : below(choices)]);
}

/* Every other problem has rewards of the final states too, of a size of their own. */
static inline void
random_rewards(Trial *trial, int most)
{
	random_reward_list(trial->reward, trial->c.grid.dimension * GRID_MAX_LEVELS, most);
	random_reward_list(trial->end_reward, grid_states(&trial->c.grid), most);
	trial->problem.level_reward = below(2) ? trial->end_reward : NULL;
}

static inline uint64_t
random_scale(uint64_t most)
{
	static const uint64_t scales[] = {1, 1, 2, 16, 1024, UINT64_C(1) << 40, UINT64_C(1) << 63};
	int choices = 1;

	while (choices < 7 && scales[choices] <= most)
		choices++;
	return scales[below(choices)];
}

/* The largest and the smallest reward of several. */
typedef struct RewardRange
{
	const mpz_t *least;
	const mpz_t *most;
} RewardRange;

static inline void
range_widen(RewardRange *range, const mpz_t *reward)
{
	if (mpz_cmp(*reward, *range->least) < 0)
		range->least = reward;
	if (mpz_cmp(*reward, *range->most) > 0)
		range->most = reward;
}

static inline void
add_range(mpz_t total, const RewardRange *range)
{
	mpz_add(total, total, *range->most);
	mpz_sub(total, total, *range->least);
}

/* The largest objective less the smallest, as the oracle's R1 has it: scale times span and costs.
 */
static inline void
largest_objective(const Trial *trial, mpz_t total)
{
	const Grid *grid = &trial->c.grid;
	const mpz_t *end = &trial->end_reward[grid_accepts(grid, 0) ? 0 : grid->bound];
	RewardRange ends = {end, end};

	mpz_set_ui(total, (unsigned long) trial->problem.scale);
	mpz_mul_ui(total, total, (unsigned long) instance_span(&trial->c.instance));
	for (int j = 0; j < grid->dimension; j++)
	{
		const mpz_t *reward = &trial->reward[j * GRID_MAX_LEVELS];
		RewardRange range = {reward, reward};

		for (int i = 1; i < grid->levels[j]; i++)
			range_widen(&range, &reward[i]);
		add_range(total, &range);
	}
	for (int s = 0; s < grid_states(grid); s++)
		if (grid_accepts(grid, s))
			range_widen(&ends, &trial->end_reward[s]);
	if (trial->problem.level_reward != NULL)
		add_range(total, &ends);
}

/*
 * A scale with which the numbers only just fit the search's int64, one more being
 * too large.  False unless there are rows and the rewards are below 2^55 together:
 * beside such a scale no level is too expensive, and so left out.
 */
static inline bool
set_largest_scale(Trial *trial)
{
	unsigned long span = (unsigned long) instance_span(&trial->c.instance);
	bool fits;
	mpz_t total;

	mpz_init(total);
	trial->problem.scale = 0;
	largest_objective(trial, total);
	fits = span > 0 && mpz_sizeinbase(total, 2) <= 55;
	if (fits)
	{
		mpz_ui_sub(total, (unsigned long) ORACLE_LIMIT - 1, total);
		mpz_fdiv_q_ui(total, total, span);
		trial->problem.scale = (uint64_t) mpz_get_ui(total);
	}
	mpz_clear(total);
	return fits;
}

static inline bool
same_answer(const Grid *grid, const OracleAnswer *a, const OracleAnswer *b)
{
	return grid_compare(grid, a->index, b->index) == 0 && a->loss == b->loss;
}

#endif
