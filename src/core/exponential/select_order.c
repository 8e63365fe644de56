/*
 * select_order.c - the order in which the columns of an enumeration change, the grid's automaton
 * in that order, and how many of the last columns are summed.
 *
 * All of it may depend on the rows, because it affects only the time, not the law of an answer.
 */
#include "core/exponential/select_internal.h"

#include <string.h>

/* The order is chosen by so many rows at most. */
#define SAMPLE_ROWS 16384

static bool
column_is_binary(const Instance *instance, int coordinate)
{
	for (int64_t i = 0; i < instance->rows; i++)
	{
		int32_t x = instance->x[i * instance->dimension + coordinate];

		if (x != 0 && x != FIXED_POINT_ONE)
			return false;
	}
	return true;
}

/* ---- the order of the columns ---- */

/* Some of the rows, divided into classes by their group column and the columns taken so far. */
typedef struct Sample
{
	int64_t rows;
	uint8_t *bit; /* bit[j * rows + i]: column j of row i, of columns that can be summed */
	int32_t *class;
	int64_t classes;
	uint8_t *values;  /* of each class, the values that a column has in it: bits 1 and 2 */
	int32_t *divided; /* of each class and value, the class that it becomes */
} Sample;

static void
sample_create(Sample *sample, const SelectPlan *plan, SelectGroup group, Memory *memory)
{
	const Instance *instance = plan->instance;
	int64_t distance = instance->rows / SAMPLE_ROWS + 1;
	size_t rows;

	sample->rows = (instance->rows + distance - 1) / distance;
	rows = (size_t) sample->rows;
	sample->bit = memory_allocate(memory, rows, (size_t) instance->dimension);
	sample->class = memory_allocate_zero(memory, rows, sizeof(int32_t));
	sample->values = memory_allocate(memory, rows + GRID_MAX_DIMENSION, 1);
	sample->divided = memory_allocate(memory, 2 * (rows + GRID_MAX_DIMENSION), sizeof(int32_t));
	sample->classes = plan->groups;
	for (int64_t i = 0; i < sample->rows; i++)
		for (int j = 0; j < instance->dimension; j++)
		{
			bool set = instance->x[i * distance * instance->dimension + j] != 0;

			sample->bit[j * sample->rows + i] = set;
			if (set && select_is_grouped(group, j))
				sample->class[i] = j - group.first;
		}
}

static void
sample_destroy(Sample *sample, Memory *memory)
{
	memory_release(memory, sample->bit);
	memory_release(memory, sample->class);
	memory_release(memory, sample->values);
	memory_release(memory, sample->divided);
}

/* Finds the values that a column has in each class; returns how many classes it makes. */
static int64_t
count_divided(Sample *sample, int coordinate)
{
	const uint8_t *bit = sample->bit + coordinate * sample->rows;
	int64_t count = 0;

	memset(sample->values, 0, (size_t) sample->classes);
	for (int64_t i = 0; i < sample->rows; i++)
		sample->values[sample->class[i]] |= (uint8_t) (1 << bit[i]);
	for (int64_t c = 0; c < sample->classes; c++)
		count += (sample->values[c] & 1) + (sample->values[c] >> 1);
	return count;
}

static void
divide(Sample *sample, int coordinate)
{
	const uint8_t *bit = sample->bit + coordinate * sample->rows;
	int64_t count = 0;

	(void) count_divided(sample, coordinate);
	for (int64_t c = 0; c < sample->classes; c++)
		for (int value = 0; value < 2; value++)
		{
			sample->divided[2 * c + value] = (int32_t) count;
			count += sample->values[c] >> value & 1;
		}
	for (int64_t i = 0; i < sample->rows; i++)
		sample->class[i] = sample->divided[2 * sample->class[i] + bit[i]];
	sample->classes = count;
}

/*
 * Takes the columns that can be summed, the one that changes fastest first: each is the one that
 * divides the classes least, and among equals the one with most levels.  So the columns of a
 * one-hot group follow one another, and the last layers have few tables.
 */
static int
take_summed(const SelectPlan *plan, SelectGroup group, bool *summed, int *order, Memory *memory)
{
	const Grid *grid = plan->grid;
	Sample sample;
	int taken = 0;

	sample_create(&sample, plan, group, memory);
	for (;;)
	{
		int64_t least = INT64_MAX;
		int best = -1;

		for (int j = 0; j < grid->dimension; j++)
		{
			int64_t count = summed[j] ? count_divided(&sample, j) : INT64_MAX;

			if (count < least ||
				(summed[j] && count == least && grid->levels[j] > grid->levels[best]))
			{
				least = count;
				best = j;
			}
		}
		if (best < 0)
			break;
		divide(&sample, best);
		summed[best] = false;
		order[taken++] = best;
	}
	sample_destroy(&sample, memory);
	return taken;
}

/*
 * A column with one level never changes, so it comes first and divides no cells.  The other columns
 * that cannot be summed follow, those with most levels last.
 */
int
select_order_columns(SelectPlan *plan, SelectGroup group, Memory *memory)
{
	const Grid *grid = plan->grid;
	bool summed[GRID_MAX_DIMENSION] = {false};
	int order[GRID_MAX_DIMENSION];
	int count;

	plan->depths = 0;
	for (int j = 0; j < grid->dimension; j++)
	{
		int k = plan->depths;

		if (select_is_grouped(group, j))
			continue;
		summed[j] = grid->levels[j] > 1 && column_is_binary(plan->instance, j);
		if (summed[j])
			continue;
		for (; k > 0 && grid->levels[plan->column[k - 1].coordinate] > grid->levels[j]; k--)
			plan->column[k] = plan->column[k - 1];
		plan->column[k].coordinate = j;
		plan->depths++;
	}
	count = take_summed(plan, group, summed, order, memory);
	for (int k = count - 1; k >= 0; k--)
		plan->column[plan->depths++].coordinate = order[k];
	return count;
}

void
select_order_publicly(SelectPlan *plan)
{
	int order[GRID_MAX_DIMENSION];

	select_public_order(plan->grid, order);
	for (int depth = 0; depth < plan->depths; depth++)
		plan->column[depth].coordinate = order[depth];
}

/* ---- the automaton ---- */

static int16_t *
steps_from(const SelectPlan *plan, int depth, int state)
{
	return plan->next + ((int64_t) depth * plan->states + state) * GRID_MAX_LEVELS;
}

/* Fills plan->next from the last depth to the first, so that dead ends are known. */
void
select_order_automaton(SelectPlan *plan, Memory *memory)
{
	const Grid *grid = plan->grid;
	bool alive[GRID_MAX_STATES];
	bool alive_before[GRID_MAX_STATES];

	plan->states = grid_states(grid);
	plan->next = memory_allocate(memory, (size_t) plan->depths * (size_t) plan->states,
								 GRID_MAX_LEVELS * sizeof(int16_t));
	for (int s = 0; s < plan->states; s++)
		alive[s] = grid_accepts(grid, s);
	for (int depth = plan->depths - 1; depth >= 0; depth--)
	{
		int j = plan->column[depth].coordinate;

		for (int s = 0; s < plan->states; s++)
		{
			int16_t *next = steps_from(plan, depth, s);

			alive_before[s] = false;
			for (int i = 0; i < grid->levels[j]; i++)
			{
				int t = grid_step(grid, s, j, i);

				next[i] = (int16_t) (t >= 0 && alive[t] ? t : -1);
				alive_before[s] |= next[i] >= 0;
			}
		}
		memcpy(alive, alive_before, sizeof(alive));
	}
}

/* ---- how many columns to sum ---- */

int
select_choose_summed(SelectPlan *plan, SelectWork *work, SelectLayout layout)
{
	bool constrained = plan->grid->constraint != GRID_PRODUCT;
	int order[GRID_MAX_DIMENSION];
	double dense;
	int summed;

	if (layout == SELECT_DENSE)
		return 0;
	for (int depth = 0; depth < plan->depths; depth++)
		order[depth] = plan->column[depth].coordinate;
	select_count_work(plan->grid, order, plan->depths, work);
	work->groups = plan->groups;
	work->levels = plan->levels;
	work->rows = (double) plan->instance->rows;
	work->narrow = plan->span <= INT32_MAX;
	if (layout == SELECT_TABLES)
		return select_most_summed(work);
	summed = select_fastest_summed(work, &plan->expected_time);
	if (!constrained)
		return summed;
	dense = select_constrained_time(plan->grid, work);
	if (dense > plan->expected_time)
		return summed;
	plan->expected_time = dense;
	return 0;
}
