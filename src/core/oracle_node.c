/*
 * oracle_node.c - bounds, sweeps and filters of one node (SOLVER.md 3).
 */
#include "core/oracle_node.h"

#include <string.h>

#include "core/mutant.h"

#define ROOT_SWEEPS 40
#define ROOT_ROUNDS 6
#define NODE_SWEEPS 1
#define NODE_ROUNDS 2
#define LEAST_GAIN 50 /* a sweep that gains less than 1/50 of the gap is the last */

void
workspace_create(Workspace *work, const OracleModel *model, const OracleEffort *effort,
				 const Workspace *owner, Memory *memory)
{
	memset(work, 0, sizeof(*work));
	work->model = model;
	work->effort = effort;
	if (owner == NULL)
	{
		cells_create(&work->cells, model, effort->table_entries, memory);
		local_search_create(&work->local, model, memory);
	}
	else
	{
		cells_borrow(&work->cells, &owner->cells, memory);
		local_search_borrow(&work->local, &owner->local, memory);
	}
	noise_create(&work->noise, model->grid, memory);
	noise_set_end_costs(&work->noise, model->end_cost);
}

void
workspace_destroy(Workspace *work, Memory *memory)
{
	noise_destroy(&work->noise, memory);
	local_search_destroy(&work->local, memory);
	cells_destroy(&work->cells, memory);
}

/*
 * Does the incumbent precede every vector of the box that has coordinate j at
 * level i (j = -1: of the whole box), given a lower bound of their objective?
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

static void
build_node(Workspace *work, const Box *box, const Multipliers *parent)
{
	choices_list(work->choices, work->model->grid, box);
	memcpy(work->cost, work->model->cost, sizeof(LevelCosts));
	work->constant = 0;
	cells_build(&work->cells, work->choices, parent, &work->constant, work->cost);
	cells_add_multipliers(&work->cells, work->choices, work->cost);
}

/* The bound from scratch; every backward message is current afterwards. */
static void
bound_node(Workspace *work)
{
	work->lower = work->constant + cells_minimise(&work->cells, work->choices) +
				  noise_minimise(&work->noise, work->choices, work->cost);
}

/* Is the noise programme all there is, so that its argmin is the box's optimum? */
static bool
is_leaf(const Workspace *work)
{
	const RowTables *rows = &work->cells.rows;

	if (work->cells.count > 0)
		return false;
	for (int k = 0; k < rows->numerics; k++)
		if (work->choices[rows->numeric[k]].count > 1)
			return false;
	return true;
}

static bool
walks_downhill(const Workspace *work)
{
	const OracleEffort *effort = work->effort;

	if (is_leaf(work))
		return false;
	return work->number <= effort->walks ||
		   (effort->walk_every > 0 && work->number % effort->walk_every == 0);
}

static int64_t
objective(const Workspace *work, const int *index)
{
	const OracleModel *model = work->model;
	int64_t value = model->scale * row_tables_loss(&work->cells.rows, index);

	for (int j = 0; j < model->grid->dimension; j++)
		value += model->cost[j][index[j]];
	return value + model->end_cost[oracle_end_state(model->grid, index)];
}

/* Offer the noise programme's argmin, which lies in the grid, as incumbent. */
static void
offer_cheapest(Workspace *work)
{
	int index[GRID_MAX_DIMENSION] = {0};

	noise_argmin(&work->noise, work->choices, work->cost, index);
	if (memcmp(index, work->cheapest, sizeof(index)) == 0)
		return;
	memcpy(work->cheapest, index, sizeof(index));
	local_search_offer(&work->local, index, objective(work, index));
	if (walks_downhill(work))
		local_search_descend(&work->local, index);
}

static void
raise_multiplier(Workspace *work, Member member, int i, int64_t amount)
{
	Stage *stage = member_stage(member);
	int64_t limit = work->cells.multiplier_limit;
	int64_t raised = stage->multiplier[i] + amount;

	raised = raised > limit ? limit : raised < -limit ? -limit : raised;
	work->cost[stage->coordinate][i] += raised - stage->multiplier[i];
	stage->multiplier[i] = raised;
}

/* Subtract the least of the choices' marginals; returns it. */
static int64_t
normalise(const Choices *choices, int64_t *marginal)
{
	int64_t least = marginal[choices->index[0]];

	for (int k = 1; k < choices->count; k++)
		if (marginal[choices->index[k]] < least)
			least = marginal[choices->index[k]];
	for (int k = 0; k < choices->count; k++)
		marginal[choices->index[k]] -= least;
	return least;
}

/* Move what the member's cell knows about its coordinate into the coordinate's costs. */
static void
collect(Workspace *work, Member member)
{
	const Choices *own = &work->choices[member_stage(member)->coordinate];
	int64_t marginal[GRID_MAX_LEVELS];

	member_min_marginal(member, work->choices, marginal);
	(void) normalise(own, marginal);
	for (int k = 0; k < own->count; k++)
		raise_multiplier(work, member, own->index[k], marginal[own->index[k]]);
}

/*
 * Give each cell of coordinate j its share, by mass, of what is known about it
 * by now.  More than twice the gap is not worth knowing: such a level is removed
 * anyway.  The shares may be rounded as they come (double), any integer is valid.
 */
static void
distribute(Workspace *work, int j, const Member *member, int members)
{
	const Choices *own = &work->choices[j];
	int64_t gap = work->local.best.value - work->lower;
	int64_t most = 2 * (gap > work->model->scale ? gap : work->model->scale);
	int64_t marginal[GRID_MAX_LEVELS];
	double weights = 0.0;

	for (int m = 0; m < members; m++)
		weights += (double) member[m].cell->mass + (double) work->model->scale;
	weights *= 1.0 + 1.0 / members; /* the coordinate itself keeps a share */
	noise_min_marginal(&work->noise, work->choices, j, work->cost[j], marginal);
	if (normalise(own, marginal) >= ORACLE_UNREACHABLE / 2)
		return;
	for (int m = 0; m < members; m++)
	{
		double weight = (double) member[m].cell->mass + (double) work->model->scale;

		for (int k = 0; k < own->count; k++)
		{
			int64_t known = marginal[own->index[k]];

			known = known < most ? known : most;
			raise_multiplier(work, member[m], own->index[k],
							 -(int64_t) ((double) known * (weight / weights)));
		}
	}
}

static void
sweep_coordinate(Workspace *work, int j)
{
	const Member *member = work->cells.member + work->cells.first_member[j];
	int members = work->cells.first_member[j + 1] - work->cells.first_member[j];

	for (int m = 0; m < members; m++)
		collect(work, member[m]);
	if (members > 0)
		distribute(work, j, member, members);
}

static void
step_members(Workspace *work, int j, void (*step)(Member, const Choices *))
{
	for (int m = work->cells.first_member[j]; m < work->cells.first_member[j + 1]; m++)
		step(work->cells.member[m], work->choices);
}

/* Through the coordinates and back; the bound does not fall. */
static void
sweep_node(Workspace *work)
{
	int dimension = work->model->grid->dimension;
	int64_t minima = 0;

	for (int j = 0; j < dimension; j++)
	{
		sweep_coordinate(work, j);
		step_members(work, j, member_step_forward);
		noise_step_forward(&work->noise, work->choices, j, work->cost[j]);
	}
	for (int j = dimension - 1; j >= 0; j--)
	{
		sweep_coordinate(work, j);
		step_members(work, j, member_step_backward);
		noise_step_backward(&work->noise, work->choices, j, work->cost[j]);
	}
	for (int c = 0; c < work->cells.count; c++)
		minima += cell_minimum(&work->cells.cell[c]);
	work->lower = work->constant + minima + noise_minimum(&work->noise);
}

/* Bound the node and sweep while it pays; false when it is closed. */
static bool
tighten_bound(Workspace *work, const Box *box)
{
	int sweeps = work->root ? ROOT_SWEEPS : NODE_SWEEPS;

	bound_node(work);
	if (is_closed(work, work->lower, box, -1, 0))
		return false;
	offer_cheapest(work);
	if (is_leaf(work))
		return false;
	for (int k = 0; k < sweeps && work->cells.count > 0; k++)
	{
		int64_t before = work->lower;

		sweep_node(work);
		if (is_closed(work, work->lower, box, -1, 0))
			return false;
		offer_cheapest(work);
		if (work->lower - before < (work->local.best.value - work->lower) / LEAST_GAIN)
			break;
	}
	return true;
}

/*
 * through[j][i] = bound + what fixing coordinate j to level i adds to the noise
 * programme and to each of the coordinate's cells.
 */
static void
bound_levels(Workspace *work)
{
	int64_t minimum = noise_minimum(&work->noise);
	int64_t marginal[GRID_MAX_LEVELS];

	for (int j = 0; j < work->model->grid->dimension; j++)
	{
		const Choices *own = &work->choices[j];
		int64_t *through = work->through[j];

		noise_min_marginal(&work->noise, work->choices, j, work->cost[j], through);
		for (int k = 0; k < own->count; k++)
			through[own->index[k]] += work->lower - minimum;
		for (int m = work->cells.first_member[j]; m < work->cells.first_member[j + 1]; m++)
		{
			Member member = work->cells.member[m];

			member_min_marginal(member, work->choices, marginal);
			for (int k = 0; k < own->count; k++)
				through[own->index[k]] += marginal[own->index[k]] - cell_minimum(member.cell);
		}
		step_members(work, j, member_step_forward);
		noise_step_forward(&work->noise, work->choices, j, work->cost[j]);
	}
}

typedef enum FilterResult
{
	FILTER_CLOSED, /* a coordinate has no level left */
	FILTER_UNCHANGED,
	FILTER_CHANGED
} FilterResult;

/* Remove the levels that cannot be part of a better vector. */
static FilterResult
filter_levels(Workspace *work, Box *box)
{
	FilterResult result = FILTER_UNCHANGED;

	bound_levels(work);
	for (int j = 0; j < work->model->grid->dimension; j++)
	{
		const Choices *own = &work->choices[j];

		if (own->count == 1)
			continue;
		for (int k = 0; k < own->count; k++)
		{
			int i = own->index[k];

			if (!is_closed(work, work->through[j][i], box, j, i))
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
 * Bound, sweep and filter until it no longer pays; false when the node is closed.
 * The last filter may leave choices wider than the box: branch_take() tests the
 * children all the same.
 */
static bool
process_node(Workspace *work, Box *box, Multipliers *own, void *block)
{
	int rounds = work->root ? ROOT_ROUNDS : NODE_ROUNDS;

	for (int round = 1;; round++)
	{
		FilterResult result;

		if (!tighten_bound(work, box))
			return false;
		result = filter_levels(work, box);
		if (result == FILTER_CLOSED)
			return false;
		cells_save_at(&work->cells, own, block);
		if (result == FILTER_UNCHANGED || round == rounds)
			return true;
		build_node(work, box, own);
	}
}

/* The numeric column with the most mass times levels; -1 when all are fixed. */
static int
choose_numeric(const Workspace *work)
{
	const RowTables *rows = &work->cells.rows;
	double most = -1.0;
	int chosen = -1;

	for (int k = 0; k < rows->numerics; k++)
	{
		int j = rows->numeric[k];
		double score = (double) rows->mass[j] * work->choices[j].count;

		if (work->choices[j].count > 1 && score > most)
		{
			most = score;
			chosen = j;
		}
	}
	return chosen;
}

/* The coordinate with the most mass in cells; there is one unless the node is a leaf. */
static int
choose_binary(const Workspace *work)
{
	const Cells *cells = &work->cells;
	double most = -1.0;
	int chosen = -1;

	for (int j = 0; j < work->model->grid->dimension; j++)
	{
		double score = 0.0;

		if (cells->first_member[j] == cells->first_member[j + 1])
			continue;
		for (int m = cells->first_member[j]; m < cells->first_member[j + 1]; m++)
			score += (double) cells->member[m].cell->mass;
		if (score > most)
		{
			most = score;
			chosen = j;
		}
	}
	return chosen;
}

/* Numeric columns come first: the tables are exact once they are fixed. */
static int
choose_coordinate(const Workspace *work)
{
	int j = choose_numeric(work);

	return j >= 0 ? j : choose_binary(work);
}

/* One child per level, the least bound first, equals in the order of the levels. */
static void
list_children(const Workspace *work, Branch *branch)
{
	int j = choose_coordinate(work);
	const Choices *own = &work->choices[j];

	branch->coordinate = j;
	branch->children = own->count;
	branch->next = 0;
	for (int k = 0; k < own->count; k++)
	{
		int64_t bound = work->through[j][own->index[k]];
		int at = k;

		/* Inherited multipliers are clamped and merged: the parent may have known more. */
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
	work->cheapest[0] = -1; /* none yet */
	build_node(work, &branch->node.box, node->inherited);
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
		child->inherited = &branch->multipliers;
		if (!closes(model, best, child->bound, &child->box, -1, 0))
			return true;
	}
	return false;
}
