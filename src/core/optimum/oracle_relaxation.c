/*
 * oracle_relaxation.c - bounding a box and moving its multipliers.
 */
#include "core/optimum/oracle_relaxation.h"

#include <string.h>

void
relaxation_create(Relaxation *relaxation, const OracleModel *model, int64_t max_entries,
				  const Relaxation *owner, Memory *memory)
{
	relaxation->model = model;
	cells_create(&relaxation->cells, model, max_entries, owner != NULL ? &owner->cells : NULL,
				 memory);
	noise_create(&relaxation->noise, model, memory);
}

void
relaxation_destroy(Relaxation *relaxation, Memory *memory)
{
	noise_destroy(&relaxation->noise, memory);
	cells_destroy(&relaxation->cells, memory);
}

void
relaxation_build(Relaxation *relaxation, const Box *box, const Multipliers *parent)
{
	choices_list(relaxation->choices, relaxation->model->grid, box);
	memcpy(relaxation->cost, relaxation->model->cost, sizeof(LevelCosts));
	relaxation->constant = 0;
	cells_build(&relaxation->cells, relaxation->choices, parent, &relaxation->constant,
				relaxation->cost);
	cells_add_multipliers(&relaxation->cells, relaxation->choices, relaxation->cost);
}

void
relaxation_bound(Relaxation *relaxation)
{
	relaxation->minima = cells_minimise(&relaxation->cells, relaxation->choices);
	relaxation->lower = relaxation->constant + relaxation->minima +
						noise_minimise(&relaxation->noise, relaxation->choices, relaxation->cost);
}

bool
relaxation_is_exact(const Relaxation *relaxation)
{
	const RowTables *rows = &relaxation->cells.rows;

	if (relaxation->cells.count > 0)
		return false;
	for (int k = 0; k < rows->numerics; k++)
		if (relaxation->choices[rows->numeric[k]].count > 1)
			return false;
	return true;
}

void
relaxation_raise(Relaxation *relaxation, Member member, int i, int64_t amount)
{
	Stage *stage = member_stage(member);
	int64_t limit = cells_multiplier_limit(&relaxation->cells, member.cell);
	int64_t raised = stage->multiplier[i] + amount;

	raised = raised > limit ? limit : raised < -limit ? -limit : raised;
	relaxation->cost[stage->coordinate][i] += raised - stage->multiplier[i];
	stage->multiplier[i] = raised;
}

/* Subtracts the least of the choices' marginals and returns it. */
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

static void
collect_member(Relaxation *relaxation, Member member)
{
	const Choices *own = &relaxation->choices[member_stage(member)->coordinate];
	int64_t marginal[GRID_MAX_LEVELS];

	member_min_marginal(member, relaxation->choices, marginal);
	(void) normalise(own, marginal);
	for (int k = 0; k < own->count; k++)
		relaxation_raise(relaxation, member, own->index[k], marginal[own->index[k]]);
}

void
relaxation_collect(Relaxation *relaxation, int j)
{
	const Cells *cells = &relaxation->cells;

	for (int m = cells->first_member[j]; m < cells->first_member[j + 1]; m++)
		collect_member(relaxation, cells->member[m]);
}

/*
 * Gives each cell of coordinate j its share of the coordinate's costs.  Shares may be rounded in
 * any way, because any integer is valid.
 */
static void
distribute(Relaxation *relaxation, int j, int64_t most)
{
	const Choices *own = &relaxation->choices[j];
	const Member *member = relaxation->cells.member + relaxation->cells.first_member[j];
	int members = relaxation->cells.first_member[j + 1] - relaxation->cells.first_member[j];
	int64_t marginal[GRID_MAX_LEVELS];
	double weights = 0.0;

	for (int m = 0; m < members; m++)
		weights += relaxation_share(relaxation, member[m].cell);
	weights *= 1.0 + 1.0 / members; /* the coordinate keeps a share */
	noise_min_marginal(&relaxation->noise, relaxation->choices, j, relaxation->cost[j], marginal);
	if (normalise(own, marginal) >= ORACLE_UNREACHABLE / 2)
		return;
	for (int m = 0; m < members; m++)
	{
		double share = relaxation_share(relaxation, member[m].cell) / weights;

		for (int k = 0; k < own->count; k++)
		{
			int64_t known = marginal[own->index[k]];

			known = known < most ? known : most;
			relaxation_raise(relaxation, member[m], own->index[k],
							 -(int64_t) ((double) known * share));
		}
	}
}

static void
sweep_coordinate(Relaxation *relaxation, int j, int64_t most)
{
	relaxation_collect(relaxation, j);
	if (relaxation->cells.first_member[j + 1] > relaxation->cells.first_member[j])
		distribute(relaxation, j, most);
}

static void
step_members(Relaxation *relaxation, int j, void (*step)(Member, const Choices *))
{
	const Cells *cells = &relaxation->cells;

	for (int m = cells->first_member[j]; m < cells->first_member[j + 1]; m++)
		step(cells->member[m], relaxation->choices);
}

void
relaxation_step_forward(Relaxation *relaxation, int j)
{
	step_members(relaxation, j, member_step_forward);
	noise_step_forward(&relaxation->noise, relaxation->choices, j, relaxation->cost[j]);
}

void
relaxation_step_backward(Relaxation *relaxation, int j)
{
	step_members(relaxation, j, member_step_backward);
	noise_step_backward(&relaxation->noise, relaxation->choices, j, relaxation->cost[j]);
}

void
relaxation_sweep(Relaxation *relaxation, int64_t most)
{
	int dimension = relaxation->model->grid->dimension;

	for (int j = 0; j < dimension; j++)
	{
		sweep_coordinate(relaxation, j, most);
		relaxation_step_forward(relaxation, j);
	}
	for (int j = dimension - 1; j >= 0; j--)
	{
		sweep_coordinate(relaxation, j, most);
		relaxation_step_backward(relaxation, j);
	}
	relaxation->minima = cells_minimum(&relaxation->cells);
	relaxation->lower =
		relaxation->constant + relaxation->minima + noise_minimum(&relaxation->noise);
}

/* The numeric column with the most mass times levels; -1 when all are fixed. */
static int
choose_numeric(const Relaxation *relaxation)
{
	const RowTables *rows = &relaxation->cells.rows;
	double most = -1.0;
	int chosen = -1;

	for (int k = 0; k < rows->numerics; k++)
	{
		int j = rows->numeric[k];
		double score = (double) rows->mass[j] * relaxation->choices[j].count;

		if (relaxation->choices[j].count > 1 && score > most)
		{
			most = score;
			chosen = j;
		}
	}
	return chosen;
}

/* The coordinate with the most mass in cells; -1 when there are no cells. */
static int
choose_binary(const Relaxation *relaxation)
{
	const Cells *cells = &relaxation->cells;
	double most = -1.0;
	int chosen = -1;

	for (int j = 0; j < relaxation->model->grid->dimension; j++)
	{
		double mass = cells_coordinate_mass(cells, j);

		if (cells->first_member[j] == cells->first_member[j + 1] || mass <= most)
			continue;
		most = mass;
		chosen = j;
	}
	return chosen;
}

int
relaxation_choose(const Relaxation *relaxation)
{
	int j = choose_numeric(relaxation);

	return j >= 0 ? j : choose_binary(relaxation);
}
