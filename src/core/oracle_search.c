/*
 * oracle_search.c - branch and bound over boxes of the grid (SOLVER.md 3).
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
#include "core/oracle_cells.h"
#include "core/oracle_incumbent.h"
#include "core/mutant.h"

#include <string.h>

#define ROOT_SWEEPS 40
#define ROOT_ROUNDS 6
#define NODE_SWEEPS 1
#define NODE_ROUNDS 2
#define LEAST_GAIN 50 /* a sweep that gains less than 1/50 of the gap is the last */

typedef struct Search
{
	const OracleModel *model;
	const OracleEffort *effort;
	Memory *memory;
	Cells cells;
	NoiseProgramme noise;
	LocalSearch local;
	int64_t nodes;

	/* Of the node at hand: */
	bool root;
	Choices choices[GRID_MAX_DIMENSION];
	int64_t constant;   /* loss of the groups without a free coordinate */
	LevelCosts cost;    /* of single levels, multipliers included */
	LevelCosts through; /* lower bound of the box with coordinate j at level i */
	int64_t lower;
	int cheapest[GRID_MAX_DIMENSION]; /* the noise programme's argmin offered last */
} Search;

/*
 * Does the incumbent precede every vector of the box that has coordinate j at
 * level i (j = -1: of the whole box), given a lower bound of their objective?
 */
static bool
is_closed(const Search *search, int64_t lower, const Box *box, int j, int i)
{
	const Incumbent *best = &search->local.best;

	if (lower != best->value || MUTANT(5))
		return lower > best->value;
	for (int c = 0; c < search->model->grid->dimension; c++)
	{
		int first = c == j ? i : __builtin_ctzll(box->levels[c]);

		if (first != best->index[c])
			return first > best->index[c];
	}
	return true;
}

static void
build_node(Search *search, const Box *box, const Multipliers *parent)
{
	choices_list(search->choices, search->model->grid, box);
	memcpy(search->cost, search->model->cost, sizeof(LevelCosts));
	search->constant = 0;
	cells_build(&search->cells, search->choices, parent, &search->constant, search->cost);
	cells_add_multipliers(&search->cells, search->choices, search->cost);
}

/* The bound from scratch; every backward message is current afterwards. */
static void
bound_node(Search *search)
{
	search->lower = search->constant + cells_minimise(&search->cells, search->choices) +
					noise_minimise(&search->noise, search->choices, search->cost);
}

/* Is the noise programme all there is, so that its argmin is the box's optimum? */
static bool
is_leaf(const Search *search)
{
	const RowTables *rows = &search->cells.rows;

	if (search->cells.count > 0)
		return false;
	for (int k = 0; k < rows->numerics; k++)
		if (search->choices[rows->numeric[k]].count > 1)
			return false;
	return true;
}

static bool
walks_downhill(const Search *search)
{
	const OracleEffort *effort = search->effort;

	if (is_leaf(search))
		return false;
	return search->nodes <= effort->walks ||
		   (effort->walk_every > 0 && search->nodes % effort->walk_every == 0);
}

/* Offer the noise programme's argmin, which lies in the grid, as incumbent. */
static void
offer_cheapest(Search *search)
{
	int index[GRID_MAX_DIMENSION] = {0};

	noise_argmin(&search->noise, search->choices, search->cost, index);
	if (memcmp(index, search->cheapest, sizeof(index)) == 0)
		return;
	memcpy(search->cheapest, index, sizeof(index));
	local_search_offer(&search->local, index, walks_downhill(search));
}

static void
raise_multiplier(Search *search, Member member, int i, int64_t amount)
{
	Stage *stage = member_stage(member);
	int64_t limit = search->cells.multiplier_limit;
	int64_t raised = stage->multiplier[i] + amount;

	raised = raised > limit ? limit : raised < -limit ? -limit : raised;
	search->cost[stage->coordinate][i] += raised - stage->multiplier[i];
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
collect(Search *search, Member member)
{
	const Choices *own = &search->choices[member_stage(member)->coordinate];
	int64_t marginal[GRID_MAX_LEVELS];

	member_min_marginal(member, search->choices, marginal);
	(void) normalise(own, marginal);
	for (int k = 0; k < own->count; k++)
		raise_multiplier(search, member, own->index[k], marginal[own->index[k]]);
}

/*
 * Give each cell of coordinate j its share, by mass, of what is known about it
 * by now.  More than twice the gap is not worth knowing: such a level is removed
 * anyway.  The shares may be rounded as they come (double), any integer is valid.
 */
static void
distribute(Search *search, int j, const Member *member, int members)
{
	const Choices *own = &search->choices[j];
	int64_t gap = search->local.best.value - search->lower;
	int64_t most = 2 * (gap > search->model->scale ? gap : search->model->scale);
	int64_t marginal[GRID_MAX_LEVELS];
	double weights = 0.0;

	for (int m = 0; m < members; m++)
		weights += (double) member[m].cell->mass + (double) search->model->scale;
	weights *= 1.0 + 1.0 / members; /* the coordinate itself keeps a share */
	noise_min_marginal(&search->noise, search->choices, j, search->cost[j], marginal);
	if (normalise(own, marginal) >= ORACLE_UNREACHABLE / 2)
		return;
	for (int m = 0; m < members; m++)
	{
		double weight = (double) member[m].cell->mass + (double) search->model->scale;

		for (int k = 0; k < own->count; k++)
		{
			int64_t known = marginal[own->index[k]];

			known = known < most ? known : most;
			raise_multiplier(search, member[m], own->index[k],
							 -(int64_t) ((double) known * (weight / weights)));
		}
	}
}

static void
sweep_coordinate(Search *search, int j)
{
	const Member *member = search->cells.member + search->cells.first_member[j];
	int members = search->cells.first_member[j + 1] - search->cells.first_member[j];

	for (int m = 0; m < members; m++)
		collect(search, member[m]);
	if (members > 0)
		distribute(search, j, member, members);
}

static void
step_members(Search *search, int j, void (*step)(Member, const Choices *))
{
	for (int m = search->cells.first_member[j]; m < search->cells.first_member[j + 1]; m++)
		step(search->cells.member[m], search->choices);
}

/* Through the coordinates and back; the bound does not fall. */
static void
sweep_node(Search *search)
{
	int dimension = search->model->grid->dimension;
	int64_t minima = 0;

	for (int j = 0; j < dimension; j++)
	{
		sweep_coordinate(search, j);
		step_members(search, j, member_step_forward);
		noise_step_forward(&search->noise, search->choices, j, search->cost[j]);
	}
	for (int j = dimension - 1; j >= 0; j--)
	{
		sweep_coordinate(search, j);
		step_members(search, j, member_step_backward);
		noise_step_backward(&search->noise, search->choices, j, search->cost[j]);
	}
	for (int c = 0; c < search->cells.count; c++)
		minima += cell_minimum(&search->cells.cell[c]);
	search->lower = search->constant + minima + noise_minimum(&search->noise);
}

/* Bound the node and sweep while it pays; false when it is closed. */
static bool
tighten_bound(Search *search, const Box *box)
{
	int sweeps = search->root ? ROOT_SWEEPS : NODE_SWEEPS;

	bound_node(search);
	if (is_closed(search, search->lower, box, -1, 0))
		return false;
	offer_cheapest(search);
	if (is_leaf(search))
		return false;
	for (int k = 0; k < sweeps && search->cells.count > 0; k++)
	{
		int64_t before = search->lower;

		sweep_node(search);
		if (is_closed(search, search->lower, box, -1, 0))
			return false;
		offer_cheapest(search);
		if (search->lower - before < (search->local.best.value - search->lower) / LEAST_GAIN)
			break;
	}
	return true;
}

/*
 * through[j][i] = bound + what fixing coordinate j to level i adds to the noise
 * programme and to each of the coordinate's cells.
 */
static void
bound_levels(Search *search)
{
	int64_t minimum = noise_minimum(&search->noise);
	int64_t marginal[GRID_MAX_LEVELS];

	for (int j = 0; j < search->model->grid->dimension; j++)
	{
		const Choices *own = &search->choices[j];
		int64_t *through = search->through[j];

		noise_min_marginal(&search->noise, search->choices, j, search->cost[j], through);
		for (int k = 0; k < own->count; k++)
			through[own->index[k]] += search->lower - minimum;
		for (int m = search->cells.first_member[j]; m < search->cells.first_member[j + 1]; m++)
		{
			Member member = search->cells.member[m];

			member_min_marginal(member, search->choices, marginal);
			for (int k = 0; k < own->count; k++)
				through[own->index[k]] += marginal[own->index[k]] - cell_minimum(member.cell);
		}
		step_members(search, j, member_step_forward);
		noise_step_forward(&search->noise, search->choices, j, search->cost[j]);
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
filter_levels(Search *search, Box *box)
{
	FilterResult result = FILTER_UNCHANGED;

	bound_levels(search);
	for (int j = 0; j < search->model->grid->dimension; j++)
	{
		const Choices *own = &search->choices[j];

		if (own->count == 1)
			continue;
		for (int k = 0; k < own->count; k++)
		{
			int i = own->index[k];

			if (!is_closed(search, search->through[j][i], box, j, i))
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
 * The last filter may leave choices wider than the box: branch() tests its
 * children all the same.
 */
static bool
process_node(Search *search, Box *box, Multipliers *own)
{
	int rounds = search->root ? ROOT_ROUNDS : NODE_ROUNDS;

	for (int round = 1;; round++)
	{
		FilterResult result;

		if (!tighten_bound(search, box))
			return false;
		result = filter_levels(search, box);
		if (result == FILTER_CLOSED)
			return false;
		cells_save(&search->cells, own, search->memory);
		if (result == FILTER_UNCHANGED || round == rounds)
			return true;
		build_node(search, box, own);
	}
}

/* The numeric column with the most mass times levels; -1 when all are fixed. */
static int
choose_numeric(const Search *search)
{
	const RowTables *rows = &search->cells.rows;
	double most = -1.0;
	int chosen = -1;

	for (int k = 0; k < rows->numerics; k++)
	{
		int j = rows->numeric[k];
		double score = (double) rows->mass[j] * search->choices[j].count;

		if (search->choices[j].count > 1 && score > most)
		{
			most = score;
			chosen = j;
		}
	}
	return chosen;
}

/* The coordinate with the most mass in cells; there is one unless the node is a leaf. */
static int
choose_binary(const Search *search)
{
	const Cells *cells = &search->cells;
	double most = -1.0;
	int chosen = -1;

	for (int j = 0; j < search->model->grid->dimension; j++)
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
choose_coordinate(const Search *search)
{
	int j = choose_numeric(search);

	return j >= 0 ? j : choose_binary(search);
}

static void search_node(Search *search, const Box *box, const Multipliers *parent);

/* One child per level, the most promising first. */
static void
branch(Search *search, const Box *box, const Multipliers *own)
{
	int j = choose_coordinate(search);
	int count = search->choices[j].count;
	int level[GRID_MAX_LEVELS];
	int64_t through[GRID_MAX_LEVELS];
	Box child = *box;

	for (int k = 0; k < count; k++)
	{
		int i = search->choices[j].index[k];
		int64_t bound = search->through[j][i];
		int at = k;

		for (; at > 0 && through[at - 1] > bound; at--)
		{
			through[at] = through[at - 1];
			level[at] = level[at - 1];
		}
		through[at] = bound;
		level[at] = i;
	}
	for (int k = 0; k < count; k++)
	{
		child.levels[j] = UINT64_C(1) << level[k];
		if (!is_closed(search, through[k], &child, -1, 0))
			search_node(search, &child, own);
	}
}

/* Find every vector of the box that precedes the incumbent. */
static void
search_node(Search *search, const Box *box, const Multipliers *parent)
{
	Box left = *box;
	Multipliers own = {0};

	search->nodes++;
	search->root = parent == NULL;
	build_node(search, &left, parent);
	if (process_node(search, &left, &own))
		branch(search, &left, &own);
	multipliers_release(&own, search->memory);
}

void
oracle_solve(const OracleModel *model, const OracleEffort *effort, Memory *memory,
			 OracleAnswer *answer)
{
	Search *search = memory_allocate_zero(memory, 1, sizeof(Search));

	search->model = model;
	search->effort = effort;
	search->memory = memory;
	search->cheapest[0] = -1; /* none yet */
	cells_create(&search->cells, model, effort->table_entries, memory);
	noise_create(&search->noise, model->grid, memory);
	local_search_create(&search->local, model, memory);
	local_search_start(&search->local, &search->noise, effort->restarts, memory);
	search_node(search, &model->box, NULL);
	memcpy(answer->index, search->local.best.index, sizeof(answer->index));
	answer->nodes = search->nodes;
	local_search_destroy(&search->local, memory);
	noise_destroy(&search->noise, memory);
	cells_destroy(&search->cells, memory);
	memory_release(memory, search);
}
