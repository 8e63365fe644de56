/*
 * oracle_cells.h - a node's cells: loss tables over the free coordinates of a box, with multipliers
 * and min-plus messages.
 *
 * In a box, row groups whose patterns have the same free coordinates add up to one cell f_c(s), s =
 * the sum of the weights of its free coordinates.  A group without a free coordinate is a constant;
 * a group with one is a cost of that coordinate's levels.  For any integer multipliers m_cj(i)
 *
 *   loss(w) >= constant + sum_c f_c(sum of w over c)
 *            = constant + sum_c [f_c - sum_j m_cj(i_j)] + sum_j sum_c m_cj(i_j)
 *
 * so each bracket may be minimised separately (theorem B3).  The minimum is a min-plus convolution
 * along the cell's coordinates:
 *
 *   forward_k(s)  = least cost of the coordinates before k, their weights adding up to s
 *   backward_k(s) = least cost of the other coordinates and f_c, given s
 *
 * Any integer is valid as a multiplier.  The absolute value of a multiplier is limited to a
 * constant for each row group of its cell, so that range R2 of oracle_internal.h holds: a pair
 * (cell, coordinate) stands for one pair (group, coordinate) for each group of the cell.  All
 * groups of a cell go to the same cell of a child.  So multipliers that are inherited, and added up
 * where cells merge, stay within the limit.
 */
#ifndef DPOBJ_CORE_ORACLE_CELLS_H
#define DPOBJ_CORE_ORACLE_CELLS_H

#include "core/optimum/oracle_rows.h"

/* A cell's messages before one of its coordinates; the last stage has no coordinate. */
typedef struct Stage
{
	int coordinate;
	int low;             /* smallest sum of the coordinates before */
	int width;           /* number of sums */
	int64_t *forward;    /* by sum - low */
	int64_t *backward;   /* by sum - low; in the last stage the table itself */
	int64_t *multiplier; /* by level index */
} Stage;

typedef struct Cell
{
	ColumnSet scope; /* free coordinates, at least two */
	int size;
	int groups;   /* row groups added up in its table */
	Stage *stage; /* size + 1 of them, in the order of the coordinates */
	int64_t mass; /* largest minus smallest table entry */
} Cell;

/* A coordinate of a cell. */
typedef struct Member
{
	Cell *cell;
	int position;
} Member;

typedef struct Cells
{
	const OracleModel *model;
	RowTables rows;
	int count;
	Cell *cell;
	Stage *stage;       /* of all cells */
	int64_t *entries;   /* messages and multipliers of all cells */
	int *cell_of_group; /* -1: the group became a constant or a cost */
	Member *member;     /* by coordinate: first_member[j] .. first_member[j + 1] - 1 */
	int first_member[GRID_MAX_DIMENSION + 1];
	int64_t multiplier_limit; /* of each group of a cell */

	int *slot; /* hash table from scope to cell */
	unsigned slots;
	bool *inherited; /* cells of the parent whose multipliers have been added */
	Stage *next_stage;
	int64_t *next_entry;
} Cells;

/* A node's multipliers, kept for its children in one block of memory that begins at value. */
typedef struct Multipliers
{
	int *cell_of_group; /* NULL: none are kept */
	ColumnSet *scope;   /* by cell */
	size_t *first;      /* by cell: where its values start */
	int64_t *value;
	int count;
	size_t values;
	size_t bytes; /* of the block */
} Multipliers;

/* If owner is not NULL, shares its rows, for another thread; owner must then outlive cells. */
extern void cells_create(Cells *cells, const OracleModel *model, int64_t max_entries,
						 const Cells *owner, Memory *memory);
extern void cells_destroy(Cells *cells, Memory *memory);

/*
 * Builds the cells of a box and adds the groups that are no cells to constant and cost.
 * Multipliers start from those of parent, a box around this one, unless it is NULL.
 */
extern void cells_build(Cells *cells, const Choices *choices, const Multipliers *parent,
						int64_t *constant, LevelCosts cost);

/* Copies the multipliers to block, which is aligned for int64_t and has cells_most_bytes(). */
extern void cells_save(const Cells *cells, Multipliers *multipliers, void *block);
extern size_t cells_most_bytes(const Cells *cells);

extern void multipliers_release(Multipliers *multipliers, Memory *memory);
extern void multipliers_copy(const Multipliers *from, Multipliers *to, Memory *memory);

/* Adds the multipliers of every cell to the costs of its coordinates' levels. */
extern void cells_add_multipliers(const Cells *cells, const Choices *choices, LevelCosts cost);

/* Computes all backward messages; returns the sum of the cells' minima. */
extern int64_t cells_minimise(Cells *cells, const Choices *choices);

/* Returns that sum from the current backward messages. */
extern int64_t cells_minimum(const Cells *cells);

/* Compute the messages of the stage after a member (forward) or of its own stage (backward). */
extern void member_step_forward(Member member, const Choices *choices);
extern void member_step_backward(Member member, const Choices *choices);

/* The cell's minimum with the member's coordinate fixed to each choice, by level index. */
extern void member_min_marginal(Member member, const Choices *choices, int64_t *marginal);

static inline Stage *
member_stage(Member member)
{
	return &member.cell->stage[member.position];
}

/* The largest absolute value of a multiplier of the cell. */
static inline int64_t
cells_multiplier_limit(const Cells *cells, const Cell *cell)
{
	return cells->multiplier_limit * cell->groups;
}

/* The mass of the cells of a coordinate: how much the coordinate decides. */
static inline double
cells_coordinate_mass(const Cells *cells, int j)
{
	double mass = 0.0;

	for (int m = cells->first_member[j]; m < cells->first_member[j + 1]; m++)
		mass += (double) cells->member[m].cell->mass;
	return mass;
}

/* Needs the backward messages. */
static inline int64_t
cell_minimum(const Cell *cell)
{
	return cell->stage[0].backward[0];
}

#endif
