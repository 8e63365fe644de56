/*
 * grid.c - sizes, membership and order of a public grid.
 */
#include "core/grid/grid.h"

#include <math.h>
#include <string.h>

static bool
levels_are_valid(const Grid *grid, int j)
{
	if (grid->levels[j] < 1 || grid->levels[j] > GRID_MAX_LEVELS)
		return false;
	for (int i = 0; i < grid->levels[j]; i++)
	{
		int weight = grid->level[j][i];

		if (weight < -GRID_MAX_WEIGHT || weight > GRID_MAX_WEIGHT)
			return false;
		if (i > 0 && weight <= grid->level[j][i - 1])
			return false;
	}
	return true;
}

/* Theorem G7: the ranks of a coordinate are consecutive, so these are distinct modulo bound. */
static bool
modulus_is_valid(const Grid *grid)
{
	if (grid->bound < 2 || grid->bound > GRID_MAX_LEVELS)
		return false;
	for (int j = 0; j < grid->dimension; j++)
		if (grid->levels[j] > grid->bound)
			return false;
	return true;
}

void
grid_set_plain(Grid *grid, int dimension)
{
	memset(grid, 0, sizeof(*grid));
	grid->dimension = dimension;
	for (int j = 0; j < dimension; j++)
		grid->levels[j] = 1;
}

static bool
is_plain(const Grid *grid)
{
	for (int j = 0; j < grid->dimension; j++)
		if (grid->levels[j] != 1 || grid->level[j][0] != 0)
			return false;
	return grid->constraint == GRID_PRODUCT;
}

bool
grid_is_valid(const Grid *grid)
{
	if (grid->dimension < 1 || grid->dimension > WEIGHTS_MAX)
		return false;
	if (grid->dimension > GRID_MAX_DIMENSION && !is_plain(grid))
		return false;
	for (int j = 0; j < grid->dimension; j++)
		if (!levels_are_valid(grid, j))
			return false;
	if (grid->bound < 0 || grid->bound >= GRID_MAX_STATES)
		return false;
	if (grid->constraint == GRID_MODULUS && !modulus_is_valid(grid))
		return false;
	return grid_size(grid) > 0;
}

void
grid_set_range(Grid *grid, int coordinate, int max)
{
	grid->levels[coordinate] = 2 * max + 1;
	for (int i = 0; i <= 2 * max; i++)
		grid->level[coordinate][i] = (int8_t) (i - max);
}

void
grid_set_sign(Grid *grid, int coordinate)
{
	grid->levels[coordinate] = 2;
	grid->level[coordinate][0] = -1;
	grid->level[coordinate][1] = 1;
}

int
grid_rank(const Grid *grid, int coordinate, int index)
{
	int highest = grid->levels[coordinate] - 1;

	for (int i = 0; i < highest; i++)
		if (grid->level[coordinate][i] == 0)
			return index - i;
	return index - highest;
}

bool
grid_equal_levels(const Grid *grid, int a, int b)
{
	return grid->levels[a] == grid->levels[b] &&
		   memcmp(grid->level[a], grid->level[b], (size_t) grid->levels[a]) == 0;
}

int
grid_least_distance(const Grid *grid)
{
	return grid->constraint == GRID_MODULUS && modulus_is_valid(grid) ? 2 : 1;
}

int
grid_states(const Grid *grid)
{
	switch (grid->constraint)
	{
		case GRID_PRODUCT:
			return 1;
		case GRID_MODULUS:
			return grid->bound;
		default:
			return grid->bound + 1;
	}
}

/* The remainder in 0 .. modulus - 1, for a negative number too. */
static int
remainder_of(int number, int modulus)
{
	int remainder = number % modulus;

	return remainder < 0 ? remainder + modulus : remainder;
}

int
grid_increment(const Grid *grid, int coordinate, int index)
{
	int weight = grid->level[coordinate][index];

	switch (grid->constraint)
	{
		case GRID_BALL:
			return weight * weight;
		case GRID_SPARSE:
			return weight != 0;
		case GRID_MODULUS:
			return grid_rank(grid, coordinate, index);
		default:
			return 0;
	}
}

int
grid_step(const Grid *grid, int state, int coordinate, int index)
{
	int next = state + grid_increment(grid, coordinate, index);

	if (grid->constraint == GRID_MODULUS)
		next = remainder_of(next, grid->bound);
	return next < grid_states(grid) ? next : -1;
}

bool
grid_accepts(const Grid *grid, int state)
{
	switch (grid->constraint)
	{
		case GRID_SPARSE:
			return state == grid->bound;
		case GRID_MODULUS:
			return state == 0;
		default:
			return state >= 0;
	}
}

/* Counts the accepted paths of the automaton: exactly, saturating, and as a logarithm. */
static double
count_paths(const Grid *grid, uint64_t *exact)
{
	static const uint64_t full = UINT64_MAX;
	uint64_t count[GRID_MAX_STATES] = {1};
	double weight[GRID_MAX_STATES] = {1.0};
	double log2_scale = 0.0;
	double total = 0.0;
	int states = grid_states(grid);

	for (int j = 0; j < grid->dimension; j++)
	{
		uint64_t next_count[GRID_MAX_STATES] = {0};
		double next_weight[GRID_MAX_STATES] = {0.0};

		for (int s = 0; s < states; s++)
			for (int i = 0; i < grid->levels[j]; i++)
			{
				int t = grid_step(grid, s, j, i);

				if (t < 0)
					continue;
				if (__builtin_add_overflow(next_count[t], count[s], &next_count[t]))
					next_count[t] = full;
				next_weight[t] += weight[s] / GRID_MAX_LEVELS;
			}
		memcpy(count, next_count, sizeof(count));
		memcpy(weight, next_weight, sizeof(weight));
		log2_scale += log2(GRID_MAX_LEVELS);
	}
	*exact = 0;
	for (int s = 0; s < states; s++)
		if (grid_accepts(grid, s))
		{
			if (__builtin_add_overflow(*exact, count[s], exact))
				*exact = full;
			total += weight[s];
		}
	return log2(total) + log2_scale;
}

uint64_t
grid_size(const Grid *grid)
{
	uint64_t exact;

	(void) count_paths(grid, &exact);
	return exact;
}

double
grid_log2_size(const Grid *grid)
{
	uint64_t exact;

	return count_paths(grid, &exact);
}

int
grid_end_state(const Grid *grid, const int *index)
{
	int state = 0;

	for (int j = 0; j < grid->dimension && state >= 0; j++)
		state = grid_step(grid, state, j, index[j]);
	return state >= 0 && grid_accepts(grid, state) ? state : -1;
}

bool
grid_contains(const Grid *grid, const int *index)
{
	for (int j = 0; j < grid->dimension; j++)
		if (index[j] < 0 || index[j] >= grid->levels[j])
			return false;
	return grid_end_state(grid, index) >= 0;
}

int
grid_compare(const Grid *grid, const int *a, const int *b)
{
	for (int j = 0; j < grid->dimension; j++)
		if (a[j] != b[j])
			return a[j] < b[j] ? -1 : 1;
	return 0;
}
