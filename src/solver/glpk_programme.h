/*
 * glpk_programme.h - the common part of GLPK's two models: a programme over the grid, built row by
 * row, and a guard against GLPK's errors.
 *
 * Binaries u[j][i], "coordinate j has level i", for the levels of a box, one per coordinate; the
 * increments of the constraint's automaton (grid_increment()) are linear in them.  With a modulus
 * the ranks add up to the modulus times an integer column.  If end states have costs, binaries z[s]
 * name the end state.  Costs are in misclassified rows, that is, divided by the model's scale.
 *
 * GLPK answers a misuse, a failed assertion of its own and the end of its memory with abort(),
 * after it has called a hook.  Our hook jumps out of GLPK; freeing GLPK's environment then frees
 * its memory.
 */
#ifndef DPOBJ_SOLVER_GLPK_PROGRAMME_H
#define DPOBJ_SOLVER_GLPK_PROGRAMME_H

#include <glpk.h>

#include "core/optimum/oracle_internal.h"

#define GLPK_MEMORY 2048 /* megabytes; the literal model of adult23 takes less than 50 */
#define GLPK_MAX_ENTRIES (GRID_MAX_DIMENSION * GRID_MAX_LEVELS + GRID_MAX_STATES + 1)

typedef struct GlpkProgramme
{
	const OracleModel *model;
	glp_prob *problem;
	int column[GRID_MAX_DIMENSION][GRID_MAX_LEVELS]; /* 0: not in the box */
	int end_column[GRID_MAX_STATES];                 /* 0: no end state has a cost */
	int multiple_column;                             /* 0: the constraint is no modulus */
	int entries;                                     /* of the row that is being built */
	int at[GLPK_MAX_ENTRIES + 1];                    /* GLPK counts from 1 */
	double value[GLPK_MAX_ENTRIES + 1];
} GlpkProgramme;

/*
 * Runs work(context), which may call GLPK; false if GLPK gave up.  work must leave no GLPK object
 * behind.  It may be left by a jump out of any call of GLPK, so its other resources must be
 * reachable from context.
 */
extern bool glpk_guard(void (*work)(void *context), void *context);

/* A minimisation over the vectors of the grid in the box: columns, costs and constraint. */
extern void programme_create(GlpkProgramme *programme, const OracleModel *model, const Box *box);
extern void programme_destroy(GlpkProgramme *programme);

extern int programme_add_binary(GlpkProgramme *programme, double cost);

/* Adds entries to a row that programme_add_row() completes; each column once. */
extern void programme_add_entry(GlpkProgramme *programme, int column, double value);
extern void programme_add_row(GlpkProgramme *programme, int type, double bound);

/* The greatest common divisor of a row's features; 1 if all are 0. */
extern int64_t programme_row_divisor(const int32_t *x, int dimension);

#endif
