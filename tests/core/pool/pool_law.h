/*
 * pool_law.h - the exact law of a pool's answer given centre and seed, by enumeration of all
 * candidates of all rounds, from the definitions (theorems C2 and C3).
 */
#ifndef DPOBJ_TESTS_POOL_LAW_H
#define DPOBJ_TESTS_POOL_LAW_H

#include "core/pool/pool_select.h"

#include "core/pool/pool_problem.h"

#define POOL_LAW_ANSWERS 256
#define POOL_LAW_COLUMNS 3

/* The answers' probabilities. */
typedef struct PoolAnswers
{
	int answers;
	int64_t answer[POOL_LAW_ANSWERS][POOL_LAW_COLUMNS];
	long double mass[POOL_LAW_ANSWERS];
} PoolAnswers;

/* The answer's place, a new one of mass 0 if it has none. */
static inline int
pool_answers_find(PoolAnswers *law, const int64_t *answer, int dimension)
{
	for (int k = 0; k < law->answers; k++)
		if (memcmp(law->answer[k], answer, (size_t) dimension * sizeof(int64_t)) == 0)
			return k;
	CHECK(law->answers < POOL_LAW_ANSWERS);
	memcpy(law->answer[law->answers], answer, (size_t) dimension * sizeof(int64_t));
	law->mass[law->answers] = 0;
	return law->answers++;
}

/* What candidate 0 counts for: 0.4 of a draw among equals. */
static inline int64_t
pool_law_times(const PoolProblem *problem, int64_t m)
{
	return m == 0 ? (problem->candidates - 1) * 2 / 3 + 1 : 1;
}

/* The rest of the rounds, from this centre, which is reached with this probability. */
static inline void
pool_law_follow(const PoolProblem *problem, long double rate, int round, const int64_t *centre,
				long double reached, PoolAnswers *law)
{
	PoolUnits units = pool_units(&problem->law.shape);
	int dimension = problem->law.shape.dimension;
	long double weight[64];
	long double total = 0;
	PoolCandidates pool;

	if (round == problem->rounds)
	{
		law->mass[pool_answers_find(law, centre, dimension)] += reached;
		return;
	}
	pool_candidates_create(&pool, &problem->law, centre, &problem->seed, round, problem->candidates,
						   1, memory);
	for (int64_t m = 0; m < pool.count; m++)
	{
		int64_t loss = pool_loss(problem->instance, &units, pool.weight + m * pool.stride);

		weight[m] = (long double) pool_law_times(problem, m) * expl(-rate * (long double) loss);
		total += weight[m];
	}
	for (int64_t m = 0; m < pool.count; m++)
	{
		int64_t next[POOL_LAW_COLUMNS];

		pool_candidate(&pool, dimension, m, next);
		pool_law_follow(problem, rate, round + 1, next, reached * weight[m] / total, law);
	}
	pool_candidates_destroy(&pool, memory);
}

/* Each round draws at this rate. */
static inline void
pool_law(const PoolProblem *problem, long double rate, PoolAnswers *law)
{
	law->answers = 0;
	pool_law_follow(problem, rate, 0, problem->centre, 1, law);
}

/* epsilon / (R M), written down a second time. */
static inline long double
pool_law_rate(const PoolProblem *problem)
{
	return (long double) problem->epsilon / 1e9L / problem->rounds /
		   (problem->adjacency == ADJACENCY_REPLACE ? 2 : 1);
}

#endif
