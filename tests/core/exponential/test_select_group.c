/*
 * test_select_group.c - the choice of the one-hot group that is summed out.
 */
#include "core/exponential/select.h"

#include "core/fixture.h"

static bool
is_group(SelectGroup group, int first, int size)
{
	return group.first == first && group.size == size;
}

/* {-1, 0, 1} or -2 .. 2, or the signs; a group in two has a column of its own: 3 or 0. */
static void
set_group_levels(Grid *grid, int first, int size)
{
	int max = below(3);
	int odd = below(2) == 0 ? below(size) : -1;

	for (int j = 0; j < size; j++)
		if (j == odd)
			grid_set_range(grid, first + j, 3 * below(2));
		else if (max == 0)
			grid_set_sign(grid, first + j);
		else
			grid_set_range(grid, first + j, max);
}

static bool
has_level(const Grid *grid, int coordinate, int weight)
{
	for (int i = 0; i < grid->levels[coordinate]; i++)
		if (grid->level[coordinate][i] == weight)
			return true;
	return false;
}

/* By the definition: one column has the levels of all, others the same or a single one of them. */
static bool
may_be_summed_out(const Grid *grid, int first, int size)
{
	for (int k = first; k < first + size; k++)
	{
		bool all = true;

		for (int j = first; j < first + size; j++)
			all = all && (grid_equal_levels(grid, j, k) ||
						  (grid->levels[j] == 1 && has_level(grid, k, grid->level[j][0])));
		if (all)
			return true;
	}
	return false;
}

/* By the definition: no other group leaves less, none before it as little. */
static bool
is_cheapest(const Grid *grid, const int16_t *size, int groups, SelectGroup chosen)
{
	uint64_t cost = select_cost(grid, chosen);
	bool among = chosen.size == 0;
	int first = 0;

	for (int g = 0; g < groups; first += size[g++])
	{
		SelectGroup group = {first, size[g]};

		if (is_group(chosen, first, size[g]))
			among = true;
		else if (size[g] > 1 && may_be_summed_out(grid, first, size[g]) &&
				 (select_cost(grid, group) < cost ||
				  (select_cost(grid, group) == cost && chosen.size > 0 && first < chosen.first)))
			return false;
	}
	return among && (chosen.size == 0 ||
					 (chosen.size > 1 && may_be_summed_out(grid, chosen.first, chosen.size)));
}

static void
test_random_groups(void)
{
	int wrong = 0;
	int none = 0;

	for (int round = 0; round < 5000; round++)
	{
		Grid grid = {.dimension = 0, .constraint = GRID_PRODUCT};
		int16_t size[6];
		int groups = 1 + below(6);
		SelectGroup chosen;

		for (int g = 0; g < groups; g++)
		{
			size[g] = (int16_t) (1 + below(4));
			set_group_levels(&grid, grid.dimension, size[g]);
			grid.dimension += size[g];
		}
		chosen = select_cheapest_group(&grid, size, groups);
		wrong += !is_cheapest(&grid, size, groups, chosen);
		none += chosen.size == 0;
	}
	CHECK(wrong == 0);
	CHECK(none > 0 && none < 2500);
}

static void
test_known_groups(void)
{
	static const int16_t size[] = {5, 7, 6, 5};
	Grid grid = {.dimension = 24, .constraint = GRID_PRODUCT};

	for (int j = 0; j < 24; j++)
		grid_set_range(&grid, j, 1);
	CHECK(is_group(select_cheapest_group(&grid, size, 4), 5, 7));
	CHECK(is_group(select_cheapest_group(&grid, size, 1), 0, 5));
	CHECK(is_group(select_cheapest_group(&grid, size, 0), 0, 0));
	grid_set_range(&grid, 5, 0); /* a weight fixed at 0: the others are 3^6, as the third's */
	CHECK(is_group(select_cheapest_group(&grid, size, 4), 5, 7));
	grid.level[5][0] = 2; /* which no other column has */
	CHECK(is_group(select_cheapest_group(&grid, size, 4), 12, 6));
	for (int j = 18; j < 23; j++)
		grid_set_range(&grid, j, 2); /* 5^5 is more than 3^6 */
	CHECK(is_group(select_cheapest_group(&grid, size, 4), 18, 5));
	grid.constraint = GRID_BALL;
	grid.bound = 20;
	CHECK(is_group(select_cheapest_group(&grid, size, 4), 0, 0));
}

int
main(void)
{
	test_begin(1);
	test_random_groups();
	test_known_groups();
	return test_end("select_group");
}
