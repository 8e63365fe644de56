/*
 * oracle_choice.c - the native search, or GLPK with the native search behind it.
 */
#include "solver/oracle_choice.h"

#include "solver/glpk_hybrid.h"
#include "solver/glpk_literal.h"

static void
search_hybrid(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	if (!glpk_hybrid_solve(problem, memory, answer))
		oracle_search(problem, memory, answer);
}

static void
search_literal(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	if (!glpk_literal_solve(problem, memory, answer))
		oracle_search(problem, memory, answer);
}

Oracle
oracle_choose(SolverKind solver, const Grid *grid)
{
	if (solver == SOLVER_AUTO)
		solver = glpk_hybrid_suits(grid) ? SOLVER_GLPK : SOLVER_NATIVE;
	if (solver == SOLVER_GLPK)
		return search_hybrid;
	return solver == SOLVER_GLPK_LITERAL ? search_literal : oracle_search;
}
