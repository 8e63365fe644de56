/*
 * glpk_literal.h - the papers' mixed integer programme, handed to GLPK as it stands.
 *
 * One binary u[j][i] per coordinate and level, one binary e[r] per row of the
 * instance, "row r is misclassified":
 *
 *   minimise    sum_r |net_r| e[r] + (sum_ji cost[j][i] u[j][i] + sum_s end_cost[s] z[s]) / N
 *   subject to  the grid (glpk_programme.h)
 *               score_r >= 1 - (1 - low_r) e[r]                 where net_r > 0
 *               score_r <= high_r e[r]                          where net_r < 0
 *
 * score_r = sum_ji level[j][i] x[r][j] u[j][i] is an integer in units of the greatest
 * common divisor of the row, so that "score > 0" is "score >= 1" (theorem B7).
 * low_r and high_r are its least and largest value on the product of the levels:
 * functions of the row alone and of the public grid.  Every |net_r| is positive
 * and minimised, so e[r] is 0 wherever it may be: one direction is enough (RSPM's
 * negative weights would need both).
 *
 * GLPK computes in floating point with tolerances: it may take a slightly
 * fractional e[r] for 0, and it prunes within a relative tolerance.  So what it
 * returns is a witness, never an answer: its objective is computed anew in big
 * integers, and glpk_literal_solve() returns nothing that oracle_search() has
 * not proved.
 */
#ifndef DPOBJ_SOLVER_GLPK_LITERAL_H
#define DPOBJ_SOLVER_GLPK_LITERAL_H

#include "core/optimum/oracle.h"

/* GLPK's result for the programme. */
typedef struct GlpkWitness
{
	bool found;                    /* a vector of the grid */
	bool finished;                 /* GLPK claims that it is optimal */
	int index[GRID_MAX_DIMENSION]; /* its level indices */
	double value;                  /* the programme's objective, as GLPK sees it; or HUGE_VAL */
	double bound;                  /* GLPK's lower bound of it, or -HUGE_VAL */
} GlpkWitness;

/*
 * Returns false if a coefficient is 2^40 or more, or GLPK gave up.  milliseconds is GLPK's time
 * limit, INT_MAX for none; GLPK may exceed it, because only some of its steps check the time.
 */
extern bool glpk_literal_witness(const OracleProblem *problem, int milliseconds, Memory *memory,
								 GlpkWitness *witness);

/*
 * Returns the oracle's answer, ties included, if GLPK's witness has the objective of that proved
 * optimum; false if GLPK gave up or was wrong.
 */
extern bool glpk_literal_solve(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

#endif
