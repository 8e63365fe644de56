/*
 * oracle_relaxation.h - the Lagrangian relaxation of the loss over one box of the
 * grid, which the oracle's search and the tree sampler share (theorem B3).
 *
 *   scale * (L(w) - constant) + sum_j cost_j(w_j)
 *       >= constant' + sum of the cells' minima + sum_j cost'_j(w_j)
 *
 * for every vector of the box, cost' being the costs with all multipliers moved
 * into them (oracle_cells.h) and constant' the groups that are no cells.  The
 * oracle takes the least of the last sum over the grid, by the noise programme;
 * the tree sampler sums exp() of it.
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

	/* Of the box at hand: */
	Choices choices[GRID_MAX_DIMENSION];
	int64_t constant; /* loss of the groups without a free coordinate */
	LevelCosts cost;  /* of single levels, multipliers included */
	int64_t minima;   /* sum of the cells' minima */
	int64_t lower;    /* bound of the box's objective */
} Relaxation;

/* With owner not NULL the rows are borrowed from there. */
extern void relaxation_create(Relaxation *relaxation, const OracleModel *model, int64_t max_entries,
							  const Relaxation *owner, Memory *memory);
extern void relaxation_destroy(Relaxation *relaxation, Memory *memory);

/* Cells and costs of a box, with the multipliers of a box around it if parent is given. */
extern void relaxation_build(Relaxation *relaxation, const Box *box, const Multipliers *parent);

/* minima and lower from scratch; every backward message is current afterwards. */
extern void relaxation_bound(Relaxation *relaxation);

/* Are no cells and no free numeric columns left?  Then it is no relaxation: both sides agree. */
extern bool relaxation_is_exact(const Relaxation *relaxation);

/* Adds amount to a multiplier and to the cost of its level, within the multipliers' limit. */
extern void relaxation_raise(Relaxation *relaxation, Member member, int i, int64_t amount);

/*
 * Moves the min-marginals of the cells of coordinate j into its costs.  Costs do not fall and
 * cells' minima stay; needs the messages up to and after j.
 */
extern void relaxation_collect(Relaxation *relaxation, int j);

/* The weight of a cell where something is to be shared among the cells of a coordinate. */
static inline double
relaxation_share(const Relaxation *relaxation, const Cell *cell)
{
	return (double) cell->mass + (double) relaxation->model->scale;
}

/* Messages of the cells past coordinate j. */
extern void relaxation_step_forward(Relaxation *relaxation, int j);
extern void relaxation_step_backward(Relaxation *relaxation, int j);

/*
 * Once through the coordinates and back, collecting and giving back; the bound
 * does not fall.  No more than most is given back of a level.
 */
extern void relaxation_sweep(Relaxation *relaxation, int64_t most);

/*
 * The coordinate to branch on: the numeric column with the most mass times
 * levels - the tables are exact once these are fixed -, then the binary one with
 * the most mass in cells.  There is one unless the relaxation is exact.
 */
extern int relaxation_choose(const Relaxation *relaxation);

#endif
