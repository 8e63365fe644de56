/*
 * oracle_choice.h - who finds the certified optimum for a request.
 *
 * All answer alike: the native search proves its own answer, and GLPK's are taken
 * only with a proof in integers; where GLPK gives up, the native search answers.
 */
#ifndef DPOBJ_SOLVER_ORACLE_CHOICE_H
#define DPOBJ_SOLVER_ORACLE_CHOICE_H

#include "core/mechanisms/mechanism.h"

typedef void (*Oracle)(const OracleProblem *problem, Memory *memory, OracleAnswer *answer);

/* From public parameters only. */
extern Oracle oracle_choose(SolverKind solver, const Grid *grid);

#endif
