/*
 * oracle_node.h - the work at one node of the search: bound it, remove levels that cannot be
 * optimal, and list its children.
 *
 * A node is a box.  Its lower bound is  constant + sum of the cells' minima + the noise programme's
 * minimum, all with the multipliers moved (oracle_cells.h).  A sweep moves multipliers and never
 * lowers the bound; a filter removes levels that cannot be optimal; the remaining box gets one
 * child per level of one coordinate.
 *
 * Ties.  The answer is the least vector in the order (objective, public order of the grid).  A box
 * is closed when its bound exceeds the incumbent's value, or when it equals that value and the
 * box's first vector does not precede the incumbent.  (The box's first vector, the least level in
 * each coordinate, precedes or equals all of its members.)  In both cases no vector of the box is
 * less than the incumbent in that order.
 */
#ifndef DPOBJ_CORE_ORACLE_NODE_H
#define DPOBJ_CORE_ORACLE_NODE_H

#include "core/optimum/oracle_incumbent.h"
#include "core/optimum/oracle_relaxation.h"

/* A box to be searched. */
typedef struct Node
{
	Box box;
	int64_t bound; /* of the objective: no vector of the box has a lower one */
	int depth;     /* branches above it; 0 at the root */
	const Multipliers *inherited;
} Node;

/* A bounded node, with a list of its children. */
typedef struct Branch
{
	Node node; /* inherited is not used */
	Multipliers multipliers;
	int coordinate; /* each child has one level of it */
	int children;   /* by bound, the least first */
	int next;       /* the next child to take */
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

	/* Of the current node: */
	int64_t number; /* of the node, for what is done at every so many nodes */
	bool root;
	LevelCosts level_bound;           /* lower bound of the box with coordinate j at level i */
	int cheapest[GRID_MAX_DIMENSION]; /* the noise programme's last argmin */
} Workspace;

/* If owner is not NULL, shares its rows. */
extern void workspace_create(Workspace *work, const OracleModel *model, const OracleEffort *effort,
							 const Workspace *owner, Memory *memory);
extern void workspace_destroy(Workspace *work, Memory *memory);

/*
 * Bounds a node and lists its children in branch, whose multipliers go to block, of
 * cells_most_bytes().  False if no vector of the node precedes the incumbent at the end.  The
 * outcome depends on the arguments and the incumbent only, not on earlier nodes.
 */
extern bool node_expand(Workspace *work, const Node *node, int64_t number, Branch *branch,
						void *block);

/*
 * Takes the next child that may hold a vector that precedes the incumbent; false if none is left.
 */
extern bool branch_take(Branch *branch, const OracleModel *model, const Incumbent *best,
						Node *child);

/* Returns the least bound of the children not yet taken, of which one must be left. */
static inline int64_t
branch_bound(const Branch *branch)
{
	return branch->bound[branch->next];
}

#endif
