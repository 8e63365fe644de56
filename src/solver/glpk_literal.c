/*
 * glpk_literal.c - builds the literal programme and checks GLPK's answer.
 */
#include "solver/glpk_literal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "solver/glpk_programme.h"

/* From this size on, doubles have too few digits for GLPK's tolerances. */
#define COEFFICIENT_LIMIT (INT64_C(1) << 40)

typedef struct Literal
{
	OracleModel model;
	GlpkProgramme programme;
	int milliseconds;
	double start;
	GlpkWitness *witness;
} Literal;

static bool
coefficients_fit(const OracleModel *model)
{
	/* R1: no overflow. */
	bool fit = model->scale * instance_span(model->instance) < COEFFICIENT_LIMIT;

	for (int j = 0; j < model->grid->dimension; j++)
		for (int i = 0; i < model->grid->levels[j]; i++)
			fit &= model->cost[j][i] < COEFFICIENT_LIMIT;
	for (int s = 0; s < grid_states(model->grid); s++)
		fit &= model->end_cost[s] < COEFFICIENT_LIMIT;
	return fit;
}

/* Adds the score of a row as entries, in units of the divisor; sets its range. */
static void
add_score(GlpkProgramme *programme, const int32_t *x, int64_t divisor, int64_t *low, int64_t *high)
{
	const Grid *grid = programme->model->grid;

	*low = 0;
	*high = 0;
	for (int j = 0; j < grid->dimension; j++)
	{
		int64_t unit = x[j] / divisor;
		int64_t first = unit * grid->level[j][0];
		int64_t last = unit * grid->level[j][grid->levels[j] - 1];

		*low += first < last ? first : last;
		*high += first < last ? last : first;
		for (int i = 0; i < grid->levels[j]; i++)
			if (programme->column[j][i] != 0)
				programme_add_entry(programme, programme->column[j][i],
									(double) (unit * grid->level[j][i]));
	}
}

static void
add_instance(GlpkProgramme *programme)
{
	const Instance *instance = programme->model->instance;

	for (int64_t r = 0; r < instance->rows; r++)
	{
		const int32_t *x = instance->x + r * instance->dimension;
		int64_t net = instance->net[r];
		int error = programme_add_binary(programme, (double) (net > 0 ? net : -net));
		int64_t low;
		int64_t high;

		add_score(programme, x, programme_row_divisor(x, instance->dimension), &low, &high);
		if (net > 0)
		{
			programme_add_entry(programme, error, (double) (low < 1 ? 1 - low : 0));
			programme_add_row(programme, GLP_LO, 1.0);
		}
		else
		{
			programme_add_entry(programme, error, (double) (high > 0 ? -high : 0));
			programme_add_row(programme, GLP_UP, 0.0);
		}
	}
}

/*
 * GLPK calls this at every step of its search, because its lower bound is not available afterwards.
 */
static void
watch_bound(glp_tree *tree, void *info)
{
	GlpkWitness *witness = info;
	int best = glp_ios_best_node(tree);

	if (best != 0)
		witness->bound = glp_ios_node_bound(tree, best);
}

static int
remaining_time(const Literal *literal)
{
	double spent = 1000.0 * glp_difftime(glp_time(), literal->start);

	if (literal->milliseconds == INT_MAX)
		return INT_MAX;
	return spent < literal->milliseconds - 1 ? literal->milliseconds - (int) spent : 1;
}

/*
 * Solves the root relaxation first, because glp_intopt() does not apply the time limit to it.  All
 * costs are at least 0, so the dual simplex can start at once, and has a lower bound even if it
 * does not finish.
 */
static bool
relax(Literal *literal)
{
	glp_prob *problem = literal->programme.problem;
	glp_smcp settings;
	int status;

	glp_scale_prob(problem, GLP_SF_AUTO); /* scores of numeric columns are in units of 2^-16 */
	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.meth = GLP_DUALP;
	settings.tm_lim = remaining_time(literal);
	status = glp_simplex(problem, &settings);
	if (glp_get_dual_stat(problem) == GLP_FEAS)
		literal->witness->bound = glp_get_obj_val(problem);
	return status == 0 && glp_get_status(problem) == GLP_OPT;
}

/* Reads the levels that GLPK has chosen; false if they are no vector of the grid. */
static bool
read_vector(const GlpkProgramme *programme, int *index)
{
	const Grid *grid = programme->model->grid;

	for (int j = 0; j < grid->dimension; j++)
	{
		index[j] = -1;
		for (int i = 0; i < grid->levels[j]; i++)
			if (programme->column[j][i] != 0 &&
				glp_mip_col_val(programme->problem, programme->column[j][i]) > 0.5)
				index[j] = i;
	}
	return grid_contains(grid, index);
}

static void
optimise(Literal *literal)
{
	glp_prob *problem = literal->programme.problem;
	GlpkWitness *witness = literal->witness;
	glp_iocp settings;
	int status;

	glp_init_iocp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.tm_lim = remaining_time(literal);
	settings.tol_int = 1e-9; /* e[r] = 1e-5 would forgive a wrong score of 1e-5 times low_r */
	settings.cb_func = watch_bound;
	settings.cb_info = witness;
	status = glp_intopt(problem, &settings);
	if (glp_mip_status(problem) != GLP_OPT && glp_mip_status(problem) != GLP_FEAS)
		return;
	witness->found = read_vector(&literal->programme, witness->index);
	witness->value = glp_mip_obj_val(problem);
	witness->finished = witness->found && status == 0;
	if (witness->finished)
		witness->bound = witness->value;
}

static void
work(void *context)
{
	Literal *literal = context;

	literal->start = glp_time();
	programme_create(&literal->programme, &literal->model, &literal->model.box);
	add_instance(&literal->programme);
	if (relax(literal))
		optimise(literal);
	programme_destroy(&literal->programme);
}

bool
glpk_literal_witness(const OracleProblem *problem, int milliseconds, Memory *memory,
					 GlpkWitness *witness)
{
	Literal *literal = memory_allocate_zero(memory, 1, sizeof(Literal));
	bool done;

	memset(witness, 0, sizeof(*witness));
	witness->value = HUGE_VAL;
	witness->bound = -HUGE_VAL;
	literal->milliseconds = milliseconds;
	literal->witness = witness;
	done = oracle_reduce(problem, &literal->model) && coefficients_fit(&literal->model) &&
		   glpk_guard(work, literal);
	memory_release(memory, literal);
	return done;
}

bool
glpk_literal_solve(const OracleProblem *problem, Memory *memory, OracleAnswer *answer)
{
	GlpkWitness witness;
	bool same;
	mpz_t claimed;
	mpz_t proved;

	if (!glpk_literal_witness(problem, INT_MAX, memory, &witness) || !witness.finished)
		return false;
	oracle_search(problem, memory, answer);
	mpz_inits(claimed, proved, NULL);
	oracle_objective(claimed, problem, witness.index);
	oracle_objective(proved, problem, answer->index);
	same = mpz_cmp(claimed, proved) == 0;
	mpz_clears(claimed, proved, NULL);
	return same;
}
