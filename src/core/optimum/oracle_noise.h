/*
 * oracle_noise.h - the noise programme: the cheapest vector of the grid within a box, if each
 * coordinate has a cost of its own.
 *
 *   min over w in W and box of  sum_j cost[j][i_j] + end_cost[state(w)]
 *
 * is a shortest path through the constraint's automaton (grid.h), found by a dynamic programme over
 * the coordinates; it is exact for every constraint (theorem B3).  end_cost is the model's.  For
 * each state before coordinate j, forward[j] is the least cost of the coordinates before j that
 * lead to the state, and backward[j] the least cost of the others and of the end.
 */
#ifndef DPOBJ_CORE_ORACLE_NOISE_H
#define DPOBJ_CORE_ORACLE_NOISE_H

#include "core/optimum/oracle_internal.h"

typedef struct NoiseProgramme
{
	const Grid *grid;
	int states;                         /* of the automaton, and one more for "no completion" */
	int *next;                          /* [(first_step[j] + level index) * states + state] */
	int first_step[GRID_MAX_DIMENSION]; /* shared by the coordinates of equal levels */
	int64_t *forward;
	int64_t *backward; /* both (dimension + 1) * states */
} NoiseProgramme;

static inline int64_t *
noise_forward(const NoiseProgramme *noise, int j)
{
	return noise->forward + (size_t) j * noise->states;
}

static inline int64_t *
noise_backward(const NoiseProgramme *noise, int j)
{
	return noise->backward + (size_t) j * noise->states;
}

/* The state after level i of coordinate j, by the state before it. */
static inline const int *
noise_next(const NoiseProgramme *noise, int j, int i)
{
	return noise->next + (size_t) (noise->first_step[j] + i) * noise->states;
}

extern void noise_create(NoiseProgramme *noise, const OracleModel *model, Memory *memory);
extern void noise_destroy(NoiseProgramme *noise, Memory *memory);

/* backward[j] from backward[j + 1], and forward[j + 1] from forward[j]. */
extern void noise_step_backward(NoiseProgramme *noise, const Choices *choices, int j,
								const int64_t *cost);
extern void noise_step_forward(NoiseProgramme *noise, const Choices *choices, int j,
							   const int64_t *cost);

/*
 * Computes backward; returns the minimum, at least ORACLE_UNREACHABLE if the box holds no vector.
 */
extern int64_t noise_minimise(NoiseProgramme *noise, const Choices *choices, LevelCosts cost);

/* Returns the minimum from the current backward. */
extern int64_t noise_minimum(const NoiseProgramme *noise);

/* Finds the first of the cheapest vectors in the public order, after noise_minimise(). */
extern void noise_argmin(const NoiseProgramme *noise, const Choices *choices, LevelCosts cost,
						 int *index);

/*
 * Sets marginal, by level index, to the minimum with coordinate j fixed to each of its choices;
 * needs forward[j] and backward[j + 1].
 */
extern void noise_min_marginal(const NoiseProgramme *noise, const Choices *choices, int j,
							   const int64_t *cost, int64_t *marginal);

#endif
