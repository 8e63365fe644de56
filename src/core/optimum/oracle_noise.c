/*
 * oracle_noise.c - the dynamic programme over the constraint's automaton.
 *
 * The last state means "no completion can be accepted".  Its backward value is unreachable and its
 * forward value is never read, which saves a test in the inner loops.
 */
#include "core/optimum/oracle_noise.h"

/* Numbers the levels; coordinates with equal lists share numbers, which keeps the table small. */
static int
number_steps(NoiseProgramme *noise)
{
	const Grid *grid = noise->grid;
	int steps = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		int like = 0;

		while (like < j && !grid_equal_levels(grid, like, j))
			like++;
		noise->first_step[j] = like < j ? noise->first_step[like] : steps;
		steps += like < j ? 0 : grid->levels[j];
	}
	return steps;
}

static void
tabulate_steps(NoiseProgramme *noise)
{
	int dead = noise->states - 1;
	int *next = noise->next;

	for (int j = 0; j < noise->grid->dimension; j++)
		for (int i = 0; i < noise->grid->levels[j] && noise_next(noise, j, i) == next; i++)
		{
			for (int s = 0; s < dead; s++)
			{
				int t = grid_step(noise->grid, s, j, i);

				next[s] = t < 0 ? dead : t;
			}
			next[dead] = dead;
			next += noise->states;
		}
}

void
noise_create(NoiseProgramme *noise, const OracleModel *model, Memory *memory)
{
	const Grid *grid = model->grid;
	size_t entries;

	noise->grid = grid;
	noise->states = grid_states(grid) + 1;
	entries = (size_t) (grid->dimension + 1) * noise->states;
	noise->next =
		memory_allocate(memory, (size_t) number_steps(noise) * noise->states, sizeof(int));
	noise->forward = memory_allocate(memory, entries, sizeof(int64_t));
	noise->backward = memory_allocate(memory, entries, sizeof(int64_t));
	for (size_t k = 0; k < entries; k++)
		noise->forward[k] = noise->backward[k] = ORACLE_UNREACHABLE;
	tabulate_steps(noise);
	noise_forward(noise, 0)[0] = 0;
	for (int s = 0; s < noise->states - 1; s++)
		if (grid_accepts(grid, s))
			noise_backward(noise, grid->dimension)[s] = model->end_cost[s];
}

void
noise_destroy(NoiseProgramme *noise, Memory *memory)
{
	memory_release(memory, noise->backward);
	memory_release(memory, noise->forward);
	memory_release(memory, noise->next);
}

void
noise_step_backward(NoiseProgramme *noise, const Choices *choices, int j, const int64_t *cost)
{
	const int64_t *after = noise_backward(noise, j + 1);
	int64_t *before = noise_backward(noise, j);

	for (int s = 0; s < noise->states - 1; s++)
		before[s] = ORACLE_UNREACHABLE;
	for (int k = 0; k < choices[j].count; k++)
	{
		const int *next = noise_next(noise, j, choices[j].index[k]);
		int64_t step = cost[choices[j].index[k]];

		for (int s = 0; s < noise->states - 1; s++)
		{
			int64_t candidate = after[next[s]] + step;

			before[s] = candidate < before[s] ? candidate : before[s];
		}
	}
}

void
noise_step_forward(NoiseProgramme *noise, const Choices *choices, int j, const int64_t *cost)
{
	const int64_t *before = noise_forward(noise, j);
	int64_t *after = noise_forward(noise, j + 1);

	for (int s = 0; s < noise->states; s++)
		after[s] = ORACLE_UNREACHABLE;
	for (int k = 0; k < choices[j].count; k++)
	{
		const int *next = noise_next(noise, j, choices[j].index[k]);
		int64_t step = cost[choices[j].index[k]];

		for (int s = 0; s < noise->states - 1; s++)
		{
			int64_t candidate = before[s] + step;

			after[next[s]] = candidate < after[next[s]] ? candidate : after[next[s]];
		}
	}
}

int64_t
noise_minimise(NoiseProgramme *noise, const Choices *choices, LevelCosts cost)
{
	for (int j = noise->grid->dimension - 1; j >= 0; j--)
		noise_step_backward(noise, choices, j, cost[j]);
	return noise_minimum(noise);
}

int64_t
noise_minimum(const NoiseProgramme *noise)
{
	return noise_backward(noise, 0)[0];
}

void
noise_argmin(const NoiseProgramme *noise, const Choices *choices, LevelCosts cost, int *index)
{
	int state = 0;

	for (int j = 0; j < noise->grid->dimension; j++)
	{
		/* The smallest level index on a shortest path: lexicographically first overall. */
		for (int k = 0; k < choices[j].count; k++)
		{
			int i = choices[j].index[k];
			int next = noise_next(noise, j, choices[j].index[k])[state];

			if (noise_backward(noise, j + 1)[next] + cost[j][i] == noise_backward(noise, j)[state])
			{
				index[j] = i;
				state = next;
				break;
			}
		}
	}
}

void
noise_min_marginal(const NoiseProgramme *noise, const Choices *choices, int j, const int64_t *cost,
				   int64_t *marginal)
{
	const int64_t *before = noise_forward(noise, j);
	const int64_t *after = noise_backward(noise, j + 1);

	for (int k = 0; k < choices[j].count; k++)
	{
		const int *next = noise_next(noise, j, choices[j].index[k]);
		int64_t best = 2 * ORACLE_UNREACHABLE;

		for (int s = 0; s < noise->states - 1; s++)
		{
			int64_t candidate = before[s] + after[next[s]];

			best = candidate < best ? candidate : best;
		}
		marginal[choices[j].index[k]] = best + cost[choices[j].index[k]];
	}
}
