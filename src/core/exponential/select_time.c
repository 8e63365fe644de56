/*
 * select_time.c - how long an enumeration takes, and how many of its columns are best summed.
 *
 * A plan knows how many cells its rows make.  Before there are rows, public numbers bound them:
 * there are no more cells than rows, and no more than the summed columns and the group can make,
 * one more for each column of a one-hot group until the last.
 *
 * Under a constraint a dense plan is counted, whose order is public too.  A plan has tables instead
 * only where they are faster.
 */
#include "core/exponential/select_time.h"

#include <math.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/exponential/select_kernel.h"

/*
 * Tables may take so many words, or ROW_WORDS per row if that is more: then memory is a few words
 * per row whatever the rows are.
 */
#define TABLE_WORDS (1 << 22)
#define ROW_WORDS 8

int64_t
select_table_words(int64_t entries)
{
	/* one more for rows that are predicted positive nowhere */
	return (entries + SELECT_BLOCK) / SELECT_BLOCK * SELECT_BLOCK;
}

/* ---- configurations ---- */

/* The states of the grid's automaton from which a vector can be completed, by depth. */
typedef struct Alive
{
	bool at[GRID_MAX_DIMENSION + 1][GRID_MAX_STATES];
} Alive;

static void
find_alive(const Grid *grid, const int *order, int depths, Alive *alive)
{
	int states = grid_states(grid);

	for (int s = 0; s < states; s++)
		alive->at[depths][s] = grid_accepts(grid, s);
	for (int depth = depths - 1; depth >= 0; depth--)
		for (int s = 0; s < states; s++)
		{
			bool any = false;

			for (int i = 0; i < grid->levels[order[depth]] && !any; i++)
			{
				int t = grid_step(grid, s, order[depth], i);

				any = t >= 0 && alive->at[depth + 1][t];
			}
			alive->at[depth][s] = any;
		}
}

/*
 * A walk passes through the levels that a node allows, forwards and backwards in turn.  So each of
 * them is a move at most.  A node that allows one level only moves if the level was another one: if
 * all such nodes of a depth allow the same level, only after a node that allows several, or at
 * the beginning.
 */
static void
count_depth(const Grid *grid, int j, const bool *alive, const double *here, double *after,
			SelectWork *work)
{
	double several = 0; /* nodes that allow several levels */
	double single = 0;
	double all = 0; /* their levels */
	int only = -1;  /* the level that all single nodes allow; levels: they differ */

	for (int s = 0; s < grid_states(grid); s++)
	{
		int allowed = 0;
		int last = 0;

		for (int i = 0; here[s] > 0 && i < grid->levels[j]; i++)
		{
			int t = grid_step(grid, s, j, i);

			if (t < 0 || !alive[t])
				continue;
			after[t] += here[s];
			allowed++;
			last = i;
		}
		all += here[s] * allowed;
		if (allowed == 1)
		{
			single += here[s];
			only = only < 0 || only == last ? last : grid->levels[j];
		}
		else
			several += here[s];
	}
	work->forced += single;
	work->nodes[work->depths + 1] = all;
	work->moves[work->depths++] =
		all - single +
		(only < grid->levels[j] ? fmin(single, MUTANT(228) ? 0 : several + 1) : single);
}

void
select_count_work(const Grid *grid, const int *order, int depths, SelectWork *work)
{
	double here[GRID_MAX_STATES] = {1.0};
	Alive alive;

	find_alive(grid, order, depths, &alive);
	work->depths = 0;
	work->nodes[0] = 1.0;
	work->forced = 0;
	while (work->depths < depths)
	{
		double after[GRID_MAX_STATES] = {0.0};

		count_depth(grid, order[work->depths], alive.at[work->depths + 1], here, after, work);
		memcpy(here, after, sizeof(here));
	}
}

/* ---- nanoseconds ---- */

/* Nanoseconds with these last columns summed. */
static double
time_summed(const SelectWork *work, int summed)
{
	const double *nodes = work->nodes;
	int scored = work->depths - summed;
	bool dense = summed == 0 && work->narrow && work->depths > 0;
	double looks = work->groups * work->levels;
	double time = nodes[work->depths] * (SELECT_VISIT_TIME + looks * SELECT_LOOK_TIME) +
				  work->forced * SELECT_FORCED_TIME;

	for (int depth = 0; depth < scored - dense; depth++)
		time += work->moves[depth] * work->rows * SELECT_STEP_TIME;
	if (dense)
		return time + nodes[work->depths] * work->rows * work->levels * SELECT_DENSE_TIME;
	time += nodes[scored] *
			(work->rows * SELECT_ENTRY_TIME + work->size[summed].words * SELECT_FIRST_WORD_TIME);
	for (int m = summed - 1; m >= 0; m--)
		time += nodes[work->depths - m] *
				(work->size[m].cells * SELECT_TABLE_TIME + work->size[m].words * SELECT_WORD_TIME);
	return time;
}

int
select_most_summed(const SelectWork *work)
{
	double limit = fmin(fmax(work->rows * ROW_WORDS, TABLE_WORDS), INT32_MAX / 2);
	double words = work->size[0].words;
	int most = 0;

	while (most < work->most && (words += work->size[most + 1].words) <= limit)
		most++;
	return most;
}

int
select_fastest_summed(const SelectWork *work, double *time)
{
	int most = select_most_summed(work);
	int best = 0;

	*time = time_summed(work, 0);
	for (int m = 1; m <= most; m++)
		if (time_summed(work, m) < *time)
		{
			*time = time_summed(work, m);
			best = m;
		}
	return best;
}

void
select_public_order(const Grid *grid, int *order)
{
	int count = 0;

	for (int levels = 1; levels <= GRID_MAX_LEVELS; levels++)
		for (int j = 0; j < grid->dimension; j++)
			if (grid->levels[j] == levels)
				order[count++] = j;
}

double
select_constrained_time(const Grid *grid, SelectWork *work)
{
	int order[GRID_MAX_DIMENSION];

	select_public_order(grid, order);
	select_count_work(grid, order, grid->dimension, work);
	return time_summed(work, 0);
}

/* ---- from public numbers ---- */

void
select_parts_of(SelectParts *parts, const Encoding *encoding)
{
	int count = 0;
	int j = 0;

	memset(parts->part, -1, sizeof(parts->part));
	for (int g = 0; g < encoding->groups; g++)
	{
		int end = j + encoding->group[g];

		if (encoding->group[g] == 1 && !encoding->binary[j])
			j++;
		else
			parts->cells[count++] = (int16_t) (encoding->group[g] > 1 ? encoding->group[g] : 2);
		for (; j < end; j++)
			parts->part[j] = (int16_t) (count - 1);
	}
	for (; j < encoding->features; j++)
		if (encoding->binary[j])
		{
			parts->cells[count] = 2;
			parts->part[j] = (int16_t) count++;
		}
	if (encoding->intercept)
	{
		parts->cells[count] = 1;
		parts->part[j] = (int16_t) count;
	}
}

/* The columns that are summed so far, and the cells that they make. */
typedef struct Growth
{
	int taken[GRID_MAX_DIMENSION]; /* columns of each part */
	int range[GRID_MAX_DIMENSION]; /* the largest range of levels among them */
	double cells;
	int entries; /* of a table at most */
} Growth;

static int
cells_of_part(const SelectParts *parts, int part, int taken)
{
	return taken < parts->cells[part] ? taken + 1 : parts->cells[part];
}

/* By how much a column multiplies the cells. */
static double
growth_by(const Growth *growth, const SelectParts *parts, int part)
{
	int taken = growth->taken[part];

	return (double) cells_of_part(parts, part, taken + 1) / cells_of_part(parts, part, taken);
}

static void
set_size(SelectWork *work, const Growth *growth, int summed)
{
	work->size[summed].cells = fmin(growth->cells, work->rows);
	work->size[summed].words =
		work->size[summed].cells * (double) select_table_words(growth->entries);
}

/*
 * Takes the columns that can be summed in the order of a plan: the one with the least growth first,
 * and among equals the one with most levels.
 */
static void
grow(SelectWork *work, Growth *growth, const Grid *grid, const SelectParts *parts,
	 const bool *summed, int *levels)
{
	bool left[GRID_MAX_DIMENSION];

	memcpy(left, summed, sizeof(left));
	set_size(work, growth, 0);
	for (work->most = 0;; work->most++)
	{
		double least = INFINITY;
		int best = -1;
		int part;
		int range;

		for (int j = 0; j < grid->dimension; j++)
		{
			double growth_of = left[j] ? growth_by(growth, parts, parts->part[j]) : INFINITY;

			if (growth_of < least ||
				(left[j] && growth_of == least && grid->levels[j] > grid->levels[best]))
			{
				best = j;
				least = growth_of;
			}
		}
		if (best < 0)
			return;
		part = parts->part[best];
		range = grid->level[best][grid->levels[best] - 1] - grid->level[best][0];
		if (range > growth->range[part])
		{
			growth->entries += range - growth->range[part];
			growth->range[part] = range;
		}
		growth->cells *= least;
		growth->taken[part]++;
		left[best] = false;
		levels[work->most] = grid->levels[best];
		set_size(work, growth, work->most + 1);
	}
}

static void
add_depth(SelectWork *work, int levels)
{
	work->nodes[work->depths + 1] = work->moves[work->depths] = work->nodes[work->depths] * levels;
	work->depths++;
}

/*
 * Without a constraint: the columns of numbers first, those with most levels last, as in a plan.
 */
static double
product_time(const Grid *grid, SelectGroup group, const SelectParts *parts, SelectWork *work)
{
	Growth growth = {.cells = work->groups, .entries = 1};
	bool summed[GRID_MAX_DIMENSION] = {false};
	int last[GRID_MAX_DIMENSION];
	double time;

	for (int j = group.first; j < group.first + group.size; j++)
	{
		int range = grid->level[j][grid->levels[j] - 1] - grid->level[j][0];

		growth.entries = range + 1 > growth.entries ? range + 1 : growth.entries;
	}
	for (int levels = 2; levels <= GRID_MAX_LEVELS; levels++)
		for (int j = 0; j < grid->dimension; j++)
		{
			if (grid->levels[j] != levels || (j >= group.first && j < group.first + group.size))
				continue;
			summed[j] = parts->part[j] >= 0;
			if (summed[j])
				continue;
			add_depth(work, levels);
		}
	grow(work, &growth, grid, parts, summed, last);
	for (int k = work->most - 1; k >= 0; k--)
		add_depth(work, last[k]);
	(void) select_fastest_summed(work, &time);
	return time;
}

SelectBound
select_bound(const Grid *grid, SelectGroup group, double rows, const SelectParts *parts)
{
	SelectWork work = {.nodes = {1.0}, .groups = 1, .levels = 1, .rows = rows, .narrow = true};
	SelectBound bound = {.words = 0};
	double time;

	if (group.size > 0)
		work.groups = group.size;
	for (int j = group.first; j < group.first + group.size; j++)
		work.levels = grid->levels[j] > work.levels ? grid->levels[j] : work.levels;
	time = grid->constraint == GRID_PRODUCT ? product_time(grid, group, parts, &work)
											: select_constrained_time(grid, &work);
	bound.seconds = 1e-9 * time * SELECT_SLOWEST / SELECT_TIME_THREADS;
	if (grid->constraint == GRID_PRODUCT)
		for (int m = select_most_summed(&work); m >= 0; m--)
			bound.words += work.size[m].words;
	return bound;
}
