/*
 * grid_draw.c - uniform vectors of a grid, drawn level by level from the numbers of completions.
 */
#include "core/grid/grid_draw.h"

#include "core/base/integers.h"
#include "core/base/mutant.h"

static mpz_t *
ways_from(const GridCounts *counts, int coordinate, int state)
{
	return &counts->ways[(size_t) coordinate * (size_t) counts->states + (size_t) state];
}

/* Adds the completions over the levels of one coordinate; a level that leads out of W adds none. */
static void
count_state(GridCounts *counts, int j, int state)
{
	mpz_t *sum = ways_from(counts, j, state);

	for (int i = 0; i < counts->grid->levels[j]; i++)
	{
		int next = grid_step(counts->grid, state, j, i);

		if (next < 0)
			continue;
		if (MUTANT(50) && mpz_sgn(*ways_from(counts, j + 1, next)) > 0)
			mpz_add_ui(*sum, *sum, 1);
		else
			mpz_add(*sum, *sum, *ways_from(counts, j + 1, next));
	}
}

void
grid_counts_create(GridCounts *counts, const Grid *grid, Memory *memory)
{
	int dimension = grid->dimension;
	size_t entries;

	counts->grid = grid;
	counts->states = grid_states(grid);
	entries = (size_t) (dimension + 1) * (size_t) counts->states;
	counts->ways = integers_create(entries, memory);
	for (int s = 0; s < counts->states; s++)
		mpz_set_ui(*ways_from(counts, dimension, s), grid_accepts(grid, s) ? 1 : 0);
	for (int j = dimension - 1; j >= 0; j--)
		for (int s = 0; s < counts->states; s++)
			count_state(counts, j, s);
}

void
grid_counts_destroy(GridCounts *counts, Memory *memory)
{
	size_t entries = (size_t) (counts->grid->dimension + 1) * (size_t) counts->states;

	integers_destroy(counts->ways, entries, memory);
}

mpz_srcptr
grid_counts_size(const GridCounts *counts)
{
	return *ways_from(counts, 0, 0);
}

/*
 * The completions from a state are numbered by rank, first those with the first level of coordinate
 * j.  Finds the level of the completion with this rank, reduces rank to its rank among the
 * completions with that level, and returns the next state.
 */
static int
take_level(const GridCounts *counts, int j, int state, mpz_t rank, int *level)
{
	int i = 0;
	int next = grid_step(counts->grid, state, j, i);

	while (next < 0 || mpz_cmp(rank, *ways_from(counts, j + 1, next)) >= 0)
	{
		if (next >= 0)
			mpz_sub(rank, rank, *ways_from(counts, j + 1, next));
		next = grid_step(counts->grid, state, j, ++i);
	}
	*level = i;
	return next;
}

void
grid_draw(const GridCounts *counts, Bits *bits, int *index)
{
	int state = 0;
	mpz_t rank;

	mpz_init(rank);
	bits_below_mpz(bits, rank, grid_counts_size(counts));
	for (int j = 0; j < counts->grid->dimension; j++)
		state = take_level(counts, j, state, rank, &index[j]);
	mpz_clear(rank);
}
