/*
 * grid.h - the public, finite set W of weight vectors that a mechanism chooses from.
 *
 * A vector has one level per coordinate: w_j = level[j][i_j].  W is the product
 * of the level lists, restricted by at most one constraint.  Everything here is
 * public; nothing depends on a row.
 *
 * Public total order of W: lexicographic in the level *indices* (i_0, i_1, ...).
 * It decides every tie (theorem G1), so it must never depend on data or noise.
 */
#ifndef DPOBJ_CORE_GRID_H
#define DPOBJ_CORE_GRID_H

#include <stdbool.h>
#include <stdint.h>

#define COLUMNS_MAX 1024 /* columns of a row */
#define WEIGHTS_MAX 2048 /* weights of several classes together, and of a plain grid */

#define GRID_MAX_DIMENSION 128 /* of a grid that has a choice */
#define GRID_MAX_LEVELS 33     /* levels of one coordinate */
#define GRID_MAX_WEIGHT 64     /* largest |level| */
#define GRID_MAX_STATES 1025

typedef enum GridConstraint
{
	GRID_PRODUCT, /* no constraint */
	GRID_BALL,    /* sum of w_j^2 <= bound */
	GRID_SPARSE,  /* exactly bound coordinates are non-zero */
	GRID_MODULUS  /* the ranks of the levels add up to a multiple of bound, see grid_rank() */
} GridConstraint;

typedef struct Grid
{
	int dimension;
	int levels[WEIGHTS_MAX];                    /* number of levels, at least 1 */
	int8_t level[WEIGHTS_MAX][GRID_MAX_LEVELS]; /* strictly increasing */
	GridConstraint constraint;
	int bound; /* of the constraint; 0 for GRID_PRODUCT */
} Grid;

/*
 * Whether the grid is well formed: sizes in range, levels increasing, W not empty.  Beyond
 * GRID_MAX_DIMENSION it is plain.
 *
 * A modulus is 2 .. GRID_MAX_LEVELS and no smaller than any coordinate's number of levels (theorem
 * G7), see grid_least_distance().
 */
extern bool grid_is_valid(const Grid *grid);

/* Makes a grid of this dimension whose only vector is 0. */
extern void grid_set_plain(Grid *grid, int dimension);

/* Gives a coordinate the levels -max..max; grid_set_sign() gives it {-1, 1}. */
extern void grid_set_range(Grid *grid, int coordinate, int max);
extern void grid_set_sign(Grid *grid, int coordinate);

/*
 * The rank of a level: its index minus that of the level 0, or minus that of the highest level if
 * there is no level 0.  So with a modulus W always holds the vector whose ranks are all 0.  On {-1,
 * 1} the number of -1 is a multiple of the modulus; on {-1, 0, 1} the sum of the weights is.
 */
extern int grid_rank(const Grid *grid, int coordinate, int index);

/* Whether two coordinates have equal level lists. */
extern bool grid_equal_levels(const Grid *grid, int a, int b);

/*
 * Two different vectors of W differ in at least this many coordinates: 2 with a modulus, 1
 * otherwise.  Proof for a modulus: if they differed in one coordinate only, the ranks of two of its
 * levels would differ by a multiple of the modulus; but this difference is not 0 and is below the
 * number of levels, which is at most the modulus.  (A coordinate with more levels than the modulus
 * makes it 1.)
 */
extern int grid_least_distance(const Grid *grid);

/* The number of vectors in W, saturating at UINT64_MAX, and its binary logarithm. */
extern uint64_t grid_size(const Grid *grid);
extern double grid_log2_size(const Grid *grid);

/*
 * The constraint as a finite automaton over the coordinates in order: start in
 * state 0, take grid_step() for each coordinate's level, and end in a state for
 * which grid_accepts() is true.  grid_step() returns -1 where no completion can
 * be accepted.  The state is the sum of grid_increment() so far: 0 for GRID_PRODUCT, the sum of
 * squares for GRID_BALL, the number of non-zeros for GRID_SPARSE, the sum of the ranks modulo
 * bound for GRID_MODULUS.
 */
extern int grid_states(const Grid *grid);
extern int grid_increment(const Grid *grid, int coordinate, int index);
extern int grid_step(const Grid *grid, int state, int coordinate, int index);
extern bool grid_accepts(const Grid *grid, int state);

/* The state in which the automaton ends; -1 for a vector that is not in W. */
extern int grid_end_state(const Grid *grid, const int *index);

/* Whether W holds the vector with these level indices. */
extern bool grid_contains(const Grid *grid, const int *index);

/* The public order: negative, zero or positive as a precedes, equals or follows b. */
extern int grid_compare(const Grid *grid, const int *a, const int *b);

#endif
