/*
 * glpk_programme.c - rows over the levels of a grid, and the guard around GLPK.
 */
#include "solver/glpk_programme.h"

#include <setjmp.h>
#include <string.h>

static void
jump_out(void *info)
{
	longjmp(*(jmp_buf *) info, 1);
}

/* GLPK prints errors even if its output is off. */
static int
discard_output(void *info, const char *text)
{
	(void) info;
	(void) text;
	return 1;
}

bool
glpk_guard(void (*work)(void *context), void *context)
{
	jmp_buf out;

	if (setjmp(out) != 0)
	{
		(void) glp_free_env();
		return false;
	}
	(void) glp_term_out(GLP_OFF);
	glp_term_hook(discard_output, NULL);
	glp_mem_limit(GLPK_MEMORY);
	glp_error_hook(jump_out, &out);
	work(context);
	(void) glp_free_env();
	return true;
}

int
programme_add_binary(GlpkProgramme *programme, double cost)
{
	int column = glp_add_cols(programme->problem, 1);

	glp_set_col_kind(programme->problem, column, GLP_BV);
	glp_set_obj_coef(programme->problem, column, cost);
	return column;
}

void
programme_add_entry(GlpkProgramme *programme, int column, double value)
{
	if (value == 0.0)
		return;
	programme->entries++;
	programme->at[programme->entries] = column;
	programme->value[programme->entries] = value;
}

void
programme_add_row(GlpkProgramme *programme, int type, double bound)
{
	int row = glp_add_rows(programme->problem, 1);

	glp_set_row_bnds(programme->problem, row, type, bound, bound);
	glp_set_mat_row(programme->problem, row, programme->entries, programme->at, programme->value);
	programme->entries = 0;
}

static void
add_levels(GlpkProgramme *programme, const Box *box)
{
	const OracleModel *model = programme->model;

	for (int j = 0; j < model->grid->dimension; j++)
	{
		for (uint64_t left = box->levels[j]; left != 0; left &= left - 1)
		{
			int i = __builtin_ctzll(left);
			double cost = (double) model->cost[j][i] / (double) model->scale;

			programme->column[j][i] = programme_add_binary(programme, cost);
			programme_add_entry(programme, programme->column[j][i], 1.0);
		}
		programme_add_row(programme, GLP_FX, 1.0);
	}
}

static bool
ends_cost(const OracleModel *model)
{
	for (int s = 0; s < grid_states(model->grid); s++)
		if (model->end_cost[s] != 0)
			return true;
	return false;
}

/* Adds z[s] for the accepting states; then, as entries of the next row, minus the state. */
static void
add_ends(GlpkProgramme *programme)
{
	const OracleModel *model = programme->model;
	int *column = programme->end_column;

	for (int s = 0; s < grid_states(model->grid); s++)
	{
		if (!grid_accepts(model->grid, s))
			continue;
		column[s] =
			programme_add_binary(programme, (double) model->end_cost[s] / (double) model->scale);
		programme_add_entry(programme, column[s], 1.0);
	}
	programme_add_row(programme, GLP_FX, 1.0);
	for (int s = 0; s < grid_states(model->grid); s++)
		if (column[s] != 0)
			programme_add_entry(programme, column[s], -s);
}

/*
 * Adds, as an entry of the next row, the multiple of the modulus in the sum of the ranks: it is
 * below the dimension, because a rank is below the modulus.
 */
static void
add_multiple(GlpkProgramme *programme)
{
	const Grid *grid = programme->model->grid;
	int column = glp_add_cols(programme->problem, 1);

	glp_set_col_kind(programme->problem, column, GLP_IV);
	glp_set_col_bnds(programme->problem, column, GLP_DB, -grid->dimension, grid->dimension);
	programme_add_entry(programme, column, -grid->bound);
	programme->multiple_column = column;
}

/* With a modulus only one state is accepted, so end states have no costs. */
static void
add_constraint(GlpkProgramme *programme)
{
	const Grid *grid = programme->model->grid;
	bool priced = ends_cost(programme->model);

	if (grid->constraint == GRID_PRODUCT)
		return;
	if (priced)
		add_ends(programme);
	if (grid->constraint == GRID_MODULUS)
		add_multiple(programme);
	for (int j = 0; j < grid->dimension; j++)
		for (int i = 0; i < grid->levels[j]; i++)
			if (programme->column[j][i] != 0)
				programme_add_entry(programme, programme->column[j][i], grid_increment(grid, j, i));
	if (priced || grid->constraint == GRID_MODULUS)
		programme_add_row(programme, GLP_FX, 0.0);
	else
		programme_add_row(programme, grid->constraint == GRID_BALL ? GLP_UP : GLP_FX, grid->bound);
}

void
programme_create(GlpkProgramme *programme, const OracleModel *model, const Box *box)
{
	memset(programme, 0, sizeof(*programme));
	programme->model = model;
	programme->problem = glp_create_prob();
	glp_set_obj_dir(programme->problem, GLP_MIN);
	add_levels(programme, box);
	add_constraint(programme);
}

void
programme_destroy(GlpkProgramme *programme)
{
	glp_delete_prob(programme->problem);
}

int64_t
programme_row_divisor(const int32_t *x, int dimension)
{
	int64_t divisor = 0;

	for (int j = 0; j < dimension; j++)
	{
		int64_t a = x[j] < 0 ? -(int64_t) x[j] : x[j];

		while (a != 0)
		{
			int64_t rest = divisor % a;

			divisor = a;
			a = rest;
		}
	}
	return divisor > 0 ? divisor : 1;
}
