/*
 * oracle_node.c - bounds, sweeps and filters of one node (theorem B4).
 */
#include "core/optimum/oracle_node.h"

#include <string.h>

#include "core/base/mutant.h"

#define ROOT_SWEEPS 100
#define ROOT_ROUNDS 6
#define NODE_SWEEPS 1
#define NODE_ROUNDS 2
#define LEAST_GAIN 200 /* a sweep that gains less than 1/200 of the gap is the last */

void
workspace_create(Workspace *work, const OracleModel *model, const OracleEffort *effort,
				 const Workspace *owner, Memory *memory)
{
	memset(work, 0, sizeof(*work));
	work->model = model;
	work->effort = effort;
	relaxation_create(&work->relaxation, model, effort->table_entries,
					  owner != NULL ? &owner->relaxation : NULL, memory);
	local_search_create(&work->local, &work->relaxation.cells.rows,
						owner != NULL ? &owner->local : NULL, memory);
}

void
workspace_destroy(Workspace *work, Memory *memory)
{
	local_search_destroy(&work->local, memory);
	relaxation_destroy(&work->relaxation, memory);
}

/*
 * Whether the incumbent precedes every vector of the box with coordinate j at level i (j = -1: of
 * the whole box), given a lower bound of their objective.
 */
static bool
closes(const OracleModel *model, const Incumbent *best, int64_t lower, const Box *box, int j, int i)
{
	if (lower != best->value || MUTANT(5))
		return lower > best->value;
	for (int c = 0; c < model->grid->dimension; c++)
	{
		int first = c == j ? i : __builtin_ctzll(box->levels[c]);

		if (first != best->index[c])
			return first > best->index[c];
	}
	return true;
}

static bool
is_closed(const Workspace *work, int64_t lower, const Box *box, int j, int i)
{
	return closes(work->model, &work->local.best, lower, box, j, i);
}

static bool
is_time_to_descend(const Workspace *work)
{
	const OracleEffort *effort = work->effort;

	if (relaxation_is_exact(&work->relaxation))
		return false;
	return work->number <= effort->descents ||
		   (effort->descent_every > 0 && work->number % effort->descent_every == 0);
}

/* The part of the objective that is not loss. */
static int64_t
noise_value(const OracleModel *model, const int *index)
{
	int64_t value = model->end_cost[grid_end_state(model->grid, index)];

	for (int j = 0; j < model->grid->dimension; j++)
		value += model->cost[j][index[j]];
	return value;
}

/* Offers the noise programme's argmin, which lies in the grid, as incumbent. */
static void
offer_cheapest(Workspace *work)
{
	Relaxation *relaxation = &work->relaxation;
	const RowTables *rows = &relaxation->cells.rows;
	int index[GRID_MAX_DIMENSION] = {0};
	int64_t noise;

	noise_argmin(&relaxation->noise, relaxation->choices, relaxation->cost, index);
	if (memcmp(index, work->cheapest, sizeof(index)) == 0)
		return;
	memcpy(work->cheapest, index, sizeof(index));
	noise = noise_value(work->model, index);
	/* a bound from the tables spares most vectors the pass over all rows */
	if (noise + row_tables_least(rows, index) <= work->local.best.value)
		local_search_offer(&work->local, index,
						   noise + work->model->scale * row_tables_loss(rows, index));
	if (is_time_to_descend(work))
		local_search_descend(&work->local, index);
}

static void
pause_for_others(const Workspace *work)
{
	if (work->pause != NULL)
		work->pause(work->pause_context);
}

/*
 * Sweeps.  A level whose bound exceeds the gap is removed anyway, so bounds beyond twice the gap
 * are not needed.
 */
static void
sweep_node(Workspace *work)
{
	Relaxation *relaxation = &work->relaxation;
	int64_t gap = work->local.best.value - relaxation->lower;

	relaxation_sweep(relaxation, 2 * (gap > work->model->scale ? gap : work->model->scale));
	pause_for_others(work);
}

/* Bounds the node and sweeps while that pays; false if the node is closed. */
static bool
tighten_bound(Workspace *work, const Box *box)
{
	Relaxation *relaxation = &work->relaxation;
	int sweeps = work->root ? ROOT_SWEEPS : NODE_SWEEPS;

	relaxation_bound(relaxation);
	pause_for_others(work);
	if (is_closed(work, relaxation->lower, box, -1, 0))
		return false;
	offer_cheapest(work);
	if (relaxation_is_exact(relaxation))
		return false;
	for (int k = 0; k < sweeps && relaxation->cells.count > 0; k++)
	{
		int64_t before = relaxation->lower;

		sweep_node(work);
		if (is_closed(work, relaxation->lower, box, -1, 0))
			return false;
		offer_cheapest(work);
		if (relaxation->lower - before < (work->local.best.value - relaxation->lower) / LEAST_GAIN)
			break;
	}
	return true;
}

/*
 * level_bound[j][i] = bound + what fixing coordinate j to level i adds to the minimum of the noise
 * programme and of each of the coordinate's cells.
 */
static void
bound_levels(Workspace *work)
{
	Relaxation *relaxation = &work->relaxation;
	int64_t minimum = noise_minimum(&relaxation->noise);
	int64_t marginal[GRID_MAX_LEVELS];

	for (int j = 0; j < work->model->grid->dimension; j++)
	{
		const Choices *own = &relaxation->choices[j];
		int64_t *bound = work->level_bound[j];

		noise_min_marginal(&relaxation->noise, relaxation->choices, j, relaxation->cost[j], bound);
		for (int k = 0; k < own->count; k++)
			bound[own->index[k]] += relaxation->lower - minimum;
		for (int m = relaxation->cells.first_member[j]; m < relaxation->cells.first_member[j + 1];
			 m++)
		{
			Member member = relaxation->cells.member[m];

			member_min_marginal(member, relaxation->choices, marginal);
			for (int k = 0; k < own->count; k++)
				bound[own->index[k]] += marginal[own->index[k]] - cell_minimum(member.cell);
		}
		relaxation_step_forward(relaxation, j);
	}
}

typedef enum FilterResult
{
	FILTER_CLOSED, /* a coordinate has no level left */
	FILTER_UNCHANGED,
	FILTER_CHANGED
} FilterResult;

/* Removes the levels that cannot be part of a better vector. */
static FilterResult
filter_levels(Workspace *work, Box *box)
{
	Relaxation *relaxation = &work->relaxation;
	FilterResult result = FILTER_UNCHANGED;

	bound_levels(work);
	for (int j = 0; j < work->model->grid->dimension; j++)
	{
		const Choices *own = &relaxation->choices[j];

		if (own->count == 1)
			continue;
		for (int k = 0; k < own->count; k++)
		{
			int i = own->index[k];

			if (!is_closed(work, work->level_bound[j][i], box, j, i))
				continue;
			box->levels[j] &= ~(UINT64_C(1) << i);
			result = FILTER_CHANGED;
			if (box->levels[j] == 0)
				return FILTER_CLOSED;
		}
	}
	return result;
}

/*
 * Bounds, sweeps and filters while that pays; false if the node is closed.  The last filter may
 * leave more choices than the box has levels; branch_take() tests each child.
 */
static bool
process_node(Workspace *work, Box *box, Multipliers *own, void *block)
{
	Relaxation *relaxation = &work->relaxation;
	int rounds = work->root ? ROOT_ROUNDS : NODE_ROUNDS;

	for (int round = 1;; round++)
	{
		FilterResult result;

		if (!tighten_bound(work, box))
			return false;
		result = filter_levels(work, box);
		if (result == FILTER_CLOSED)
			return false;
		cells_save(&relaxation->cells, own, block);
		if (result == FILTER_UNCHANGED || round == rounds)
			return true;
		relaxation_build(relaxation, box, own);
	}
}

/* Lists one child per level by increasing bound, equal bounds in the order of the levels. */
static void
list_children(const Workspace *work, Branch *branch)
{
	const Relaxation *relaxation = &work->relaxation;
	int j = relaxation_choose(relaxation);
	const Choices *own = &relaxation->choices[j];

	branch->coordinate = j;
	branch->children = own->count;
	branch->next = 0;
	for (int k = 0; k < own->count; k++)
	{
		int64_t bound = work->level_bound[j][own->index[k]];
		int at = k;

		/* the parent's bound holds for the child too */
		bound = bound > branch->node.bound ? bound : branch->node.bound;
		for (; at > 0 && branch->bound[at - 1] > bound; at--)
		{
			branch->bound[at] = branch->bound[at - 1];
			branch->level[at] = branch->level[at - 1];
		}
		branch->bound[at] = bound;
		branch->level[at] = own->index[k];
	}
}

bool
node_expand(Workspace *work, const Node *node, int64_t number, Branch *branch, void *block)
{
	branch->node = *node;
	work->number = number;
	work->root = node->depth == 0;
	work->cheapest[0] = -1; /* none */
	relaxation_build(&work->relaxation, &branch->node.box, node->inherited);
	if (!process_node(work, &branch->node.box, &branch->multipliers, block))
		return false;
	list_children(work, branch);
	return true;
}

bool
branch_take(Branch *branch, const OracleModel *model, const Incumbent *best, Node *child)
{
	while (branch->next < branch->children)
	{
		int k = branch->next++;

		*child = branch->node;
		child->box.levels[branch->coordinate] = UINT64_C(1) << branch->level[k];
		child->bound = branch->bound[k];
		child->depth++;
		child->inherited = branch->multipliers.value != NULL ? &branch->multipliers : NULL;
		if (!closes(model, best, child->bound, &child->box, -1, 0))
			return true;
	}
	return false;
}
