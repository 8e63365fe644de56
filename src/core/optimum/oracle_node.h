/*
 * oracle_node.h - what the search does at one node: bound it, remove levels that
 * cannot be optimal, and list its children.
 *
 * A node is a box.  Its lower bound is  constant + sum of the cells' minima +
 * the noise programme's minimum, all after moving multipliers (oracle_cells.h).
 * A sweep moves them so that the bound never falls; a filter removes levels that
 * cannot be optimal; what is left is branched, one child per level.
 *
 * Ties.  The answer is the least vector in the order (objective, public order of
 * the grid).  A box is closed when its bound exceeds the incumbent's value, or
 * equals it while the box's first vector - the least of a set that holds all of
 * its members - does not precede the incumbent.  Either way the box holds no
 * vector that is less than the incumbent in that order.
 */
#ifndef DPOBJ_CORE_ORACLE_NODE_H
#define DPOBJ_CORE_ORACLE_NODE_H

#include "core/optimum/oracle_incumbent.h"
#include "core/optimum/oracle_relaxation.h"

/* A box to be searched, with what is known about it. */
typedef struct Node
{
	Box box;
	int64_t bound; /* no vector of the box has a lower objective */
	int depth;     /* branches above it; 0 at the root */
	const Multipliers *inherited;
} Node;

/* A node that has been bounded, as the list of its children. */
typedef struct Branch
{
	Node node; /* inherited is not used */
	Multipliers multipliers;
	int coordinate; /* its level is fixed in each child */
	int children;   /* by bound, the least first */
	int next;       /* the first that has not been taken */
	int8_t level[GRID_MAX_LEVELS];
	int64_t bound[GRID_MAX_LEVELS];
} Branch;

/* One thread's room for nodes. */
typedef struct Workspace
{
	const OracleModel *model;
	const OracleEffort *effort;
	Relaxation relaxation;
	LocalSearch local; /* and the incumbent */

	void (*pause)(void *context); /* NULL, or called after every bound and every sweep */
	void *pause_context;

	/* Of the node at hand: */
	int64_t number; /* counts nodes, so that it is known what to do every so many */
	bool root;
	LevelCosts through;               /* lower bound of the box with coordinate j at level i */
	int cheapest[GRID_MAX_DIMENSION]; /* the noise programme's argmin offered last */
} Workspace;

/* With owner not NULL the rows are borrowed from there. */
extern void workspace_create(Workspace *work, const OracleModel *model, const OracleEffort *effort,
							 const Workspace *owner, Memory *memory);
extern void workspace_destroy(Workspace *work, Memory *memory);

/*
 * Bound a node and list its children in branch, whose multipliers go into block,
 * of cells_most_bytes(); false when it holds nothing that precedes the incumbent
 * in the end.  The outcome depends on the arguments and the incumbent alone, not
 * on earlier nodes.
 */
extern bool node_expand(Workspace *work, const Node *node, int64_t number, Branch *branch,
						void *block);

/* The next child that may hold something that precedes the incumbent; false: none is left. */
extern bool branch_take(Branch *branch, const OracleModel *model, const Incumbent *best,
						Node *child);

/* The least bound of a child that has not been taken; there must be one. */
static inline int64_t
branch_bound(const Branch *branch)
{
	return branch->bound[branch->next];
}

#endif
