/*
 * oracle.h - the certified optimum of a perturbed 0/1 loss over a public grid.
 *
 *   argmin over w in W of  N * L(w) - sum_j reward[j][i_j]
 *
 * with ties broken by the public order of grid.h.  Every answer is exact: the
 * search works in integers throughout and closes every branch by a proved bound,
 * so "returned" means "certified" (PRIVACY.md 1.7).
 */
#ifndef DPOBJ_CORE_ORACLE_H
#define DPOBJ_CORE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>

#include "core/grid.h"
#include "core/instance.h"
#include "core/memory.h"

typedef struct OracleProblem
{
	const Instance *instance;
	const Grid *grid;
	uint64_t scale;      /* N >= 1 */
	const mpz_t *reward; /* [j * GRID_MAX_LEVELS + i], any size */
} OracleProblem;

typedef struct OracleAnswer
{
	int index[GRID_MAX_DIMENSION]; /* level indices of the argmin */
	int64_t loss;                  /* L(argmin) */
	int64_t nodes;                 /* search nodes, for the owner's eyes only */
} OracleAnswer;

/* Branch and bound of SOLVER.md 3; exact for every grid and every reward. */
extern void oracle_search(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

/* Every vector of W in turn, in big integers: the definition, for tests and tiny grids. */
extern void oracle_enumerate(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

#endif
