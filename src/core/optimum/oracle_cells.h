/*
 * oracle_cells.h - a node's cells: the loss tables over the coordinates that are
 * still free, with multipliers and min-plus messages.
 *
 * In a box, row groups whose patterns agree on the free coordinates add up to
 * one cell f_c(s), s = sum of its free coordinates' weights.  A group without a
 * free coordinate is a constant, one with a single one is a cost of its levels.
 * For any integer multipliers m_cj(i)
 *
 *   loss(w) >= constant + sum_c f_c(sum of w over c)
 *            = constant + sum_c [f_c - sum_j m_cj(i_j)] + sum_j sum_c m_cj(i_j)
 *
 * so the minimum of each bracket may be taken on its own (theorem B3).
 * That minimum is a min-plus convolution along the cell's coordinates:
 *
 *   forward_k(s)  = cheapest way to the sum s with the coordinates before k
 *   backward_k(s) = cheapest way on from there, ending in f_c
 *
 * Any integer is valid as a multiplier.  They are kept within so much for each row
 * group of the cell, which makes R2 of oracle_internal.h hold: a pair (cell,
 * coordinate) stands for a pair (group, coordinate) for each group of the cell.
 * Groups stay together on the way down, so that multipliers that are inherited,
 * and added up where cells merge, keep within the limit by themselves.
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
	int64_t mass; /* largest minus smallest table entry: what the cell can decide */
} Cell;

/* One coordinate's place in a cell. */
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
	int64_t multiplier_limit; /* for each group of a cell */

	int *slot; /* hash table from scope to cell */
	unsigned slots;
	bool *inherited; /* cells of the parent whose multipliers are taken */
	Stage *next_stage;
	int64_t *next_entry;
} Cells;

/* A node's multipliers, kept for its children; one block of memory, which begins at value. */
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

/* Shares the rows of owner unless that is NULL, for another thread; owner must live as long. */
extern void cells_create(Cells *cells, const OracleModel *model, int64_t max_entries,
						 const Cells *owner, Memory *memory);
extern void cells_destroy(Cells *cells, Memory *memory);

/*
 * Build the cells of a box, with the multipliers of a box around it if parent is
 * given.  Adds the groups that are no cells to constant and cost.
 */
extern void cells_build(Cells *cells, const Choices *choices, const Multipliers *parent,
						int64_t *constant, LevelCosts cost);

/* Keeps the multipliers in block, aligned for int64_t and of cells_most_bytes(). */
extern void cells_save(const Cells *cells, Multipliers *multipliers, void *block);
extern size_t cells_most_bytes(const Cells *cells);

extern void multipliers_release(Multipliers *multipliers, Memory *memory);
extern void multipliers_copy(const Multipliers *from, Multipliers *to, Memory *memory);

/* Add the multipliers of every cell to the costs of its coordinates' levels. */
extern void cells_add_multipliers(const Cells *cells, const Choices *choices, LevelCosts cost);

/* Recompute all backward messages; the sum of the cells' minima. */
extern int64_t cells_minimise(Cells *cells, const Choices *choices);

/* The same from the backward messages as they stand. */
extern int64_t cells_minimum(const Cells *cells);

/* One step of messages past a member: forward to the stage after it, backward to its own. */
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
