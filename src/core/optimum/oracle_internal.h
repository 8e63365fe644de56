/*
 * oracle_internal.h - the common parts of the oracle: the reduced problem in int64, boxes of the
 * grid, and the best vector so far.
 *
 * Ranges.  Three facts keep every sum of the oracle inside int64:
 *
 *   R1  scale * span + sum_j max_i cost[j][i] + max_s end_cost[s] <
 *       ORACLE_LIMIT = 2^58, so one entry of every cell table plus one cost of
 *       every coordinate and of the end adds up to a number in 0 .. 2^58;
 *   R2  the multipliers (oracle_cells.h) are clamped so that one of every pair
 *       (cell, coordinate) adds up to at most 2^57 in absolute value;
 *   R3  "unreachable" is 2^61.
 *
 * Hence a true bound or min-marginal is below 2^59 in absolute value, the
 * difference of two is below 2^60, and the sum of two unreachable values and
 * anything true is below 2^62 + 2^59 < 2^63.
 */
#ifndef DPOBJ_CORE_ORACLE_INTERNAL_H
#define DPOBJ_CORE_ORACLE_INTERNAL_H

#include "core/optimum/oracle.h"

#define ORACLE_LIMIT (INT64_C(1) << 58)
#define ORACLE_MULTIPLIER_LIMIT (INT64_C(1) << 57)
#define ORACLE_UNREACHABLE (INT64_C(1) << 61)

typedef int64_t LevelCosts[GRID_MAX_DIMENSION][GRID_MAX_LEVELS];

/* A product of level sets within the grid: bit i of levels[j] allows level index i. */
typedef struct Box
{
	uint64_t levels[GRID_MAX_DIMENSION];
} Box;

/*
 * The reduced problem: minimise
 *
 *   scale * (L(w) - constant) + sum_j cost[j][i_j] + end_cost[state(w)]
 *
 * over the vectors of the grid that lie in box.  It has the same optima as the
 * OracleProblem it came from, ties included.
 */
typedef struct OracleModel
{
	const Instance *instance;
	const Grid *grid;
	int64_t scale;
	LevelCosts cost;                   /* at least 0 */
	int64_t end_cost[GRID_MAX_STATES]; /* at least 0; of the states that the grid accepts */
	Box box;
} OracleModel;

/* One coordinate's levels in a box, as lists in increasing order. */
typedef struct Choices
{
	int count;
	int8_t index[GRID_MAX_LEVELS];
	int8_t weight[GRID_MAX_LEVELS];
} Choices;

static inline int
choices_low(const Choices *choices)
{
	return choices->weight[0];
}

static inline int
choices_high(const Choices *choices)
{
	return choices->weight[choices->count - 1];
}

extern void choices_list(Choices *choices, const Grid *grid, const Box *box);

/*
 * The best vector so far, in the order (value, public order of the grid); incumbent_precedes()
 * compares in it.
 */
typedef struct Incumbent
{
	int64_t value;
	int index[GRID_MAX_DIMENSION];
} Incumbent;

extern bool incumbent_precedes(const OracleModel *model, const Incumbent *a, const Incumbent *b);

/* Reduces the rewards; false if the numbers exceed range R1. */
extern bool oracle_reduce(const OracleProblem *problem, OracleModel *model);

/*
 * Effort beyond what the proof needs.  It does not change the answer; tests set all of it to zero,
 * so that it does not hide a flaw of the search.
 */
typedef struct OracleEffort
{
	int64_t table_entries; /* of all cells together, 8 bytes each; see row_tables_create() */
	int64_t open_bytes; /* of open nodes; beyond it the search goes deep; the limit is twice this */
	int64_t task_bytes; /* of a task's open nodes; one node always fits */
	int restarts;       /* of the local search before the search */
	int descents;       /* local descents from the vectors of the first nodes */
	int descent_every;  /* and of every so many nodes later; 0: none */
} OracleEffort;

extern const OracleEffort oracle_default_effort;

#define ORACLE_NO_LIMIT INT64_MAX

/*
 * Branch and bound on a reduced problem, of at most node_limit nodes.  Reads threads and progress
 * of problem; sets index and nodes of answer.
 */
extern void oracle_solve(const OracleModel *model, const OracleEffort *effort,
						 const OracleProblem *problem, int64_t node_limit, Memory *memory,
						 OracleAnswer *answer);

#endif
