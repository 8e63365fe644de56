/*
 * oracle_noise.h - the noise programme: the cheapest vector of the grid within a
 * box when every coordinate has a cost of its own.
 *
 *   min over w in W and box of  sum_j cost[j][i_j]
 *
 * is a shortest path through the constraint's automaton (grid.h), found by a
 * dynamic programme over the coordinates; it is exact for every constraint
 * (theorem B3).  The model's cost of the state that the path ends in is added.  forward[j] and
 * backward[j] hold, for every state before coordinate j, the cheapest way there and the cheapest
 * way on.
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

/* The state after level i of coordinate j, by the state before. */
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

/* All of backward; the minimum, or ORACLE_UNREACHABLE and more where the box holds no vector. */
extern int64_t noise_minimise(NoiseProgramme *noise, const Choices *choices, LevelCosts cost);

/* The minimum once more, from backward as it stands. */
extern int64_t noise_minimum(const NoiseProgramme *noise);

/* After noise_minimise(): the first of the cheapest vectors in the public order. */
extern void noise_argmin(const NoiseProgramme *noise, const Choices *choices, LevelCosts cost,
						 int *index);

/*
 * The minimum with coordinate j fixed to each of its choices, by level index;
 * needs forward[j] and backward[j + 1].
 */
extern void noise_min_marginal(const NoiseProgramme *noise, const Choices *choices, int j,
							   const int64_t *cost, int64_t *marginal);

#endif
