/*
 * oracle.h - the certified optimum of a perturbed 0/1 loss over a public grid.
 *
 *   argmin over w in W of  N * L(w) - sum_j reward[j][i_j] - level_reward[state(w)]
 *
 * with ties broken by the public order of grid.h.  Every answer is exact: the
 * search works in integers throughout and closes every branch by a proved bound,
 * so "returned" means "certified" (theorem B4).
 */
#ifndef DPOBJ_CORE_ORACLE_H
#define DPOBJ_CORE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>

#include "core/grid/grid.h"
#include "core/rows/instance.h"
#include "core/base/crew.h"
#include "core/base/memory.h"

typedef enum OraclePhase
{
	ORACLE_STARTED,   /* a first vector of the grid is known */
	ORACLE_SEARCHING, /* after a node, a sweep or a round of the search */
	ORACLE_CERTIFIED  /* bound = incumbent */
} OraclePhase;

/*
 * The progress of a search. bound and incumbent are the objective less a number that is the same
 * throughout one search; the bound never falls, the incumbent never rises.  So only their
 * difference means anything: the vector found so far is at most (incumbent - bound) / scale
 * misclassified rows, in the objective with the noise, from the optimum. scale is the problem's.
 */
typedef struct OracleProgress
{
	OraclePhase phase;
	int64_t nodes;
	int64_t bound;
	int64_t incumbent;
} OracleProgress;

typedef struct OracleProblem
{
	const Instance *instance;
	const Grid *grid;
	uint64_t scale;      /* N >= 1 */
	const mpz_t *reward; /* [j * GRID_MAX_LEVELS + i], any size */

	/*
	 * NULL, or a reward of each end state of the constraint's automaton, [grid_states()]: of |w|^2
	 * for a ball (grid.h).
	 */
	const mpz_t *level_reward;

	int threads; /* 1 .. CREW_MAX_THREADS, 0 for 1; changes neither answer nor nodes */

	/* Read by oracle_search_within() only: the largest number of nodes, at least 1. */
	int64_t node_limit;

	/*
	 * NULL, or called by the thread that called oracle_search(): once when started, once when
	 * certified, and in between after every node or sweep that this thread does, from a few times
	 * to a few thousand times a second.  Not called in the rare case of oracle_enumerate()
	 * (oracle.c).  The progress depends on the data and on the noise, so only the owner may see it,
	 * never an analyst (rule B10).
	 */
	void (*progress)(void *context, const OracleProgress *progress);
	void *progress_context;
} OracleProblem;

typedef struct OracleAnswer
{
	int index[GRID_MAX_DIMENSION]; /* level indices of the argmin */
	int64_t loss;                  /* L(argmin) */
	int64_t nodes; /* search nodes; depends on the data, so only the owner may see it */
} OracleAnswer;

/* Branch and bound (theorem B4); exact for every grid and every reward. */
extern void oracle_search(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

/*
 * The same search, which stops after node_limit nodes with the best vector so far.  The stop and
 * the answer depend on the problem only, not on time, the number of threads or earlier searches;
 * unlike an optimum, they depend on the order of the rows.  False, without an answer, if the
 * numbers are too large for the search (oracle.c), which cannot happen without rewards.
 */
extern bool oracle_search_within(const OracleProblem *problem, Memory *memory,
								 OracleAnswer *answer);

/* Sets value to N L(w) less the rewards of w, from the definition; w must lie in W. */
extern void oracle_objective(mpz_t value, const OracleProblem *problem, const int *index);

/* Tries every vector of W in big integers: the definition, for tests and tiny grids. */
extern void oracle_enumerate(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

#endif
