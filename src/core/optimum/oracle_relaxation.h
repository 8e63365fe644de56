/*
 * oracle_relaxation.h - the Lagrangian relaxation of the loss over one box of the grid, for the
 * oracle's search and the tree sampler (theorem B3).
 *
 *   scale * (L(w) - constant) + sum_j cost_j(w_j)
 *       >= constant' + sum of the cells' minima + sum_j cost'_j(w_j)
 *
 * for every vector of the box.  cost' are the costs with all multipliers added (oracle_cells.h),
 * constant' is the loss of the groups that are no cells.  The oracle minimises the last sum over
 * the grid, by the noise programme; the tree sampler sums exp() of it.
 */
#ifndef DPOBJ_CORE_ORACLE_RELAXATION_H
#define DPOBJ_CORE_ORACLE_RELAXATION_H

#include "core/optimum/oracle_cells.h"
#include "core/optimum/oracle_noise.h"

typedef struct Relaxation
{
	const OracleModel *model;
	Cells cells;
	NoiseProgramme noise;

	/* Of the current box: */
	Choices choices[GRID_MAX_DIMENSION];
	int64_t constant; /* loss of the groups without a free coordinate */
	LevelCosts cost;  /* of single levels, multipliers included */
	int64_t minima;   /* sum of the cells' minima */
	int64_t lower;    /* bound of the box's objective */
} Relaxation;

/* If owner is not NULL, shares its rows. */
extern void relaxation_create(Relaxation *relaxation, const OracleModel *model, int64_t max_entries,
							  const Relaxation *owner, Memory *memory);
extern void relaxation_destroy(Relaxation *relaxation, Memory *memory);

/* Builds the cells and costs of a box, with the multipliers of parent, a box around it, or NULL. */
extern void relaxation_build(Relaxation *relaxation, const Box *box, const Multipliers *parent);

/* Computes minima and lower, and all backward messages. */
extern void relaxation_bound(Relaxation *relaxation);

/* True without cells and free numeric columns: then both sides of the relaxation are equal. */
extern bool relaxation_is_exact(const Relaxation *relaxation);

/* Adds amount to a multiplier and to the cost of its level, within the multipliers' limit. */
extern void relaxation_raise(Relaxation *relaxation, Member member, int i, int64_t amount);

/*
 * Moves the min-marginals of the cells of coordinate j into its costs.  No cost falls, the cells'
 * minima stay.  Needs the messages before and after j.
 */
extern void relaxation_collect(Relaxation *relaxation, int j);

/* The share of a cell in what a coordinate gives to its cells. */
static inline double
relaxation_share(const Relaxation *relaxation, const Cell *cell)
{
	return (double) cell->mass + (double) relaxation->model->scale;
}

/* Compute the messages of the cells and of the noise programme past coordinate j. */
extern void relaxation_step_forward(Relaxation *relaxation, int j);
extern void relaxation_step_backward(Relaxation *relaxation, int j);

/*
 * Passes through the coordinates and back, and moves costs from cells to levels and from levels to
 * cells; the bound does not fall.  No level gives more than most.
 */
extern void relaxation_sweep(Relaxation *relaxation, int64_t most);

/*
 * Chooses the coordinate to branch on: the numeric column with the most mass times levels, because
 * the tables are exact once numeric columns are fixed; otherwise the binary column with the most
 * mass in cells.  One exists unless the relaxation is exact.
 */
extern int relaxation_choose(const Relaxation *relaxation);

#endif
