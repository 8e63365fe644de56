/*
 * oracle_choice.h - the choice of the solver that finds the certified optimum.
 *
 * All solvers give the same answer: the native search proves its own, and GLPK's is used only with
 * a proof in integers.  If GLPK gives up, the native search answers.
 */
#ifndef DPOBJ_SOLVER_ORACLE_CHOICE_H
#define DPOBJ_SOLVER_ORACLE_CHOICE_H

#include "core/mechanisms/mechanism.h"

typedef void (*Oracle)(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

/* Depends on public parameters only. */
extern Oracle oracle_choose(SolverKind solver, const Grid *grid);

#endif
