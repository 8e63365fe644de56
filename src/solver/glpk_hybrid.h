/*
 * glpk_hybrid.h - the oracle with GLPK inside: our search fixes the numeric columns, and
 * glp_intopt() searches each remaining box, a slab, with our exact bounds in its callbacks (theorem
 * B6).
 *
 * GLPK's programme for a slab has the grid's binaries (glpk_programme.h) and one variable theta for
 * the loss.  At every node of its tree our node_expand() (core/optimum/oracle_node.h) bounds the
 * box and removes levels, and its multipliers make a cut
 *
 *   theta >= constant + sum_ji coefficient[j][i] u[j][i]
 *
 * We choose the coordinate to branch on; the relaxation of the cuts chooses the level.
 *
 * The answer is exact, and that does not rest on GLPK.  A tree of our own records the nodes that
 * node_expand() closed, in integers, and the nodes that a level of a coordinate splits in two.
 * Nodes that GLPK leaves neither closed nor split, and halves that it never visits, are then
 * searched without it.  (GLPK gets the incumbent plus half a misclassified row, so that it drops
 * hardly any node that we would not.)  No number of GLPK's enters an incumbent or a bound; its
 * solution is not read.
 */
#ifndef DPOBJ_SOLVER_GLPK_HYBRID_H
#define DPOBJ_SOLVER_GLPK_HYBRID_H

#include "core/optimum/oracle.h"

/*
 * Like oracle_search(), with the same answer except for the number of nodes.  Returns false,
 * without an answer, if the numbers exceed int64 or GLPK raised an error.
 */
extern bool glpk_hybrid_solve(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

/*
 * Whether GLPK searches if the options name no solver.  Depends on public parameters only.
 *
 * It does on grids where its median is below half a second or within twice that of the native
 * search.  Seconds native / hybrid, one thread each, by bench/glpk.c (the whole table is in
 * bench/results/solver.md):
 *
 *   grid                 log2 |W|   epsilon 0.1    epsilon 10
 *   sign, d = 23               23   0.01 / 0.01    0.01 / 0.01
 *   sign, d = 60               60   0.19 / 0.18    1.72 / 1.76
 *   modulus, d = 23      22 .. 35   0.03 / 0.03    0.03 / 0.04
 *   ternary, d = 23            36   0.02 / 0.02    0.03 / 0.03
 *   auto, d = 23               41   0.03 / 0.03    0.16 / 0.15
 *   ball, d = 23               44   0.05 / 0.05    0.62 / 0.85
 *   ternary, d >= 41        >= 64   0.17 / 0.17    > 5
 *   max 4, d = 23              73   0.05 / 0.05    > 5
 *   ball, d >= 41           >= 80   0.74 / 0.78    > 5
 *
 * The ratio is near 1 wherever it is known; below 2^64 vectors that is at every epsilon.  Beyond,
 * the native search is chosen, which can use two threads.
 */
extern bool glpk_hybrid_suits(const Grid *grid);

/* Limits of GLPK's part; they do not change the answer. */
typedef struct GlpkHybridEffort
{
	int slab_nodes; /* of GLPK's tree; the rest of the slab is then searched without it */
	double slack; /* added to the incumbent, in misclassified rows; a negative slack makes GLPK drop
					 too much */
} GlpkHybridEffort;

/* What GLPK contributed, for the bench and the tests. */
typedef struct GlpkHybridCounts
{
	int64_t slabs;    /* given to GLPK */
	int64_t expanded; /* nodes of GLPK's trees */
	int64_t left;     /* boxes that it left neither closed nor split */
	int64_t finished; /* nodes searched without it in those boxes */
} GlpkHybridCounts;

extern bool glpk_hybrid_count(const OracleProblem *problem, const GlpkHybridEffort *effort,
							  Memory *memory, OracleAnswer *answer, GlpkHybridCounts *counts);

/* The limits of glpk_hybrid_solve(). */
extern const GlpkHybridEffort glpk_hybrid_effort;

#endif
