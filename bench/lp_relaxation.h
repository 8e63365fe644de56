/*
 * lp_relaxation.h - the linear relaxation of the papers' programme in a box, and
 * a lower bound from it that is proved in integers.
 *
 * In a box the score of row r lies in low .. high (integers, as in glpk_literal.h).
 * A row that is right or wrong all over the box is a constant; for any other, and
 * for any multiplier 0 <= y,
 *
 *   |net| [wrong] >= y (1 - score)   if net > 0 and y (1 - low) <= |net|
 *   |net| [wrong] >= y score         if net < 0 and y high <= |net|
 *
 * (both sides at the ends of the interval).  With y at its most this is what is
 * left of e[r] in the relaxation, big M tightened by the box.  Beside it there
 * may be cuts  loss >= constant + sum_j coefficient[j][i_j]  of boxes around this
 * one; a share of them and the rest of the rows add up to a valid cut as well:
 *
 *   loss >= sum_k share_k cut_k + (1 - sum_k share_k) (constant + sum_r ...)
 *
 * The programme that chooses y and shares is the relaxation's dual, which is the
 * smaller one: a column per row of the training set, a row per level.
 *
 * Safe bound (Neumaier and Shcherbina's idea): whatever GLPK returns is rounded
 * to integers within the limits above, units of 2^-SHARE_BITS; costs of levels
 * are computed from these exactly and rounded down, and minimised over the grid
 * by the noise programme, not over the relaxation.  No property of GLPK's
 * solution enters the proof.
 */
#ifndef DPOBJ_BENCH_LP_RELAXATION_H
#define DPOBJ_BENCH_LP_RELAXATION_H

#include "core/optimum/oracle_node.h"
#include "solver/glpk_programme.h"

#define SHARE_BITS 20
#define SHARE_ONE (INT64_C(1) << SHARE_BITS)
#define MAX_CUTS 16

/* loss >= constant + sum of coefficients, in units of 1 / scale. */
typedef struct Cut
{
	int64_t constant;
	LevelCosts coefficient;
} Cut;

/* A row that the box does not decide. */
typedef struct OpenRow
{
	int64_t row;
	int64_t divisor; /* of its features */
	int64_t range;   /* 1 - low, or high */
	int column;      /* of y times range / |net| */
} OpenRow;

typedef struct LpBound
{
	const OracleModel *model;
	const Choices *choices;
	int cuts;
	const Cut *cut;
	int64_t constant; /* |net| of the rows that are wrong all over the box */
	int64_t opens;
	OpenRow *open;
	double share; /* of the cuts together */
	glp_prob *dual;
	int score_column[GRID_MAX_DIMENSION]; /* sum of the rows' y times their feature */
	int least_column[GRID_MAX_DIMENSION]; /* least cost of a level */
	int step_column;                      /* multiplier of the constraint; 0: there is none */
	int end_column;
	int first_cut_column;
	int entries;
	int at[GRID_MAX_DIMENSION + MAX_CUTS + 8];
	double value[GRID_MAX_DIMENSION + MAX_CUTS + 8];
} LpBound;

static inline void
sort_row(LpBound *lp, int64_t r)
{
	const Instance *instance = lp->model->instance;
	const int32_t *x = instance->x + r * instance->dimension;
	int64_t divisor = programme_row_divisor(x, instance->dimension);
	bool positive = instance->net[r] > 0;
	int64_t low = 0;
	int64_t high = 0;

	for (int j = 0; j < instance->dimension; j++)
	{
		int64_t unit = x[j] / divisor;

		low += unit * (unit > 0 ? choices_low : choices_high)(&lp->choices[j]);
		high += unit * (unit > 0 ? choices_high : choices_low)(&lp->choices[j]);
	}
	if (low <= 0 && high >= 1)
		lp->open[lp->opens++] = (OpenRow){r, divisor, positive ? 1 - low : high, 0};
	else if (positive == (high <= 0))
		lp->constant += positive ? instance->net[r] : -instance->net[r];
}

static inline int
add_column(LpBound *lp, int type, double most, double gain)
{
	int column = glp_add_cols(lp->dual, 1);

	glp_set_col_bnds(lp->dual, column, type, 0.0, most);
	glp_set_obj_coef(lp->dual, column, gain);
	return column;
}

static inline void
add_entry(LpBound *lp, int column, double value)
{
	lp->entries++;
	lp->at[lp->entries] = column;
	lp->value[lp->entries] = value;
}

static inline void
add_row(LpBound *lp, int type, double bound)
{
	int row = glp_add_rows(lp->dual, 1);

	glp_set_row_bnds(lp->dual, row, type, bound, bound);
	glp_set_mat_row(lp->dual, row, lp->entries, lp->at, lp->value);
	lp->entries = 0;
}

static inline int
level_step(const Grid *grid, int weight)
{
	return grid->constraint == GRID_BALL ? weight * weight : weight != 0;
}

/* Columns of the rows last: their entries are in the first dimension rows. */
static inline void
add_open_rows(LpBound *lp)
{
	const Instance *instance = lp->model->instance;

	for (int64_t k = 0; k < lp->opens && lp->share < 1.0; k++)
	{
		OpenRow *open = &lp->open[k];
		const int32_t *x = instance->x + open->row * instance->dimension;
		int64_t net = instance->net[open->row];
		double most = (double) (net > 0 ? net : -net);
		int entries = 0;

		open->column =
			add_column(lp, GLP_DB, 1.0 - lp->share, net > 0 ? most / (double) open->range : 0.0);
		for (int j = 0; j < instance->dimension; j++)
			if (x[j] != 0)
			{
				lp->at[++entries] = j + 1;
				lp->value[entries] = (double) (net < 0 ? -x[j] : x[j]) / (double) open->divisor *
									 most / (double) open->range;
			}
		glp_set_mat_col(lp->dual, open->column, entries, lp->at, lp->value);
	}
}

/* least[j] <= cost of each level: its own, the cuts', the rows' and the constraint's. */
static inline void
add_level(LpBound *lp, int j, int i)
{
	const OracleModel *model = lp->model;
	int weight = model->grid->level[j][i];
	double scale = (double) model->scale;

	add_entry(lp, lp->least_column[j], 1.0);
	if (weight != 0)
		add_entry(lp, lp->score_column[j], -weight);
	if (lp->step_column != 0 && level_step(model->grid, weight) != 0)
		add_entry(lp, lp->step_column, -level_step(model->grid, weight));
	for (int k = 0; k < lp->cuts && lp->share > 0.0; k++)
		add_entry(lp, lp->first_cut_column + k, -(double) lp->cut[k].coefficient[j][i] / scale);
	add_row(lp, GLP_UP, (double) model->cost[j][i] / scale);
}

static inline void
build_dual(LpBound *lp)
{
	const OracleModel *model = lp->model;
	const Grid *grid = model->grid;
	double scale = (double) model->scale;

	lp->dual = glp_create_prob();
	glp_set_obj_dir(lp->dual, GLP_MAX);
	for (int j = 0; j < grid->dimension; j++)
	{
		lp->score_column[j] = add_column(lp, GLP_FR, 0.0, 0.0);
		add_entry(lp, lp->score_column[j], 1.0);
		add_row(lp, GLP_FX, 0.0);
	}
	lp->step_column = 0;
	if (grid->constraint != GRID_PRODUCT)
	{
		lp->step_column = add_column(lp, GLP_FR, 0.0, 0.0);
		lp->end_column = add_column(lp, GLP_FR, 0.0, 1.0);
		for (int s = 0; s < grid_states(grid); s++)
			if (grid_accepts(grid, s))
			{
				add_entry(lp, lp->end_column, 1.0);
				if (s != 0)
					add_entry(lp, lp->step_column, s);
				add_row(lp, GLP_UP, (double) model->end_cost[s] / scale);
			}
	}
	for (int k = 0; k < lp->cuts && lp->share > 0.0; k++)
	{
		int column = add_column(lp, GLP_LO, 0.0, (double) lp->cut[k].constant / scale);

		lp->first_cut_column = column - k;
		add_entry(lp, column, 1.0);
	}
	if (lp->entries > 0)
		add_row(lp, GLP_FX, lp->share);
	for (int j = 0; j < grid->dimension; j++)
	{
		lp->least_column[j] = add_column(lp, GLP_FR, 0.0, 1.0);
		for (int k = 0; k < lp->choices[j].count; k++)
			add_level(lp, j, lp->choices[j].index[k]);
	}
	add_open_rows(lp);
}

static inline int64_t
floor_shift(__int128 value)
{
	return (int64_t) (value >> SHARE_BITS); /* rounds towards minus infinity */
}

/* A share of the dual's as an integer in 0 .. most. */
static inline int64_t
whole_share(const LpBound *lp, int column, int64_t most)
{
	double share = glp_get_col_prim(lp->dual, column) * SHARE_ONE;

	return !(share > 0.0) ? 0 : share >= (double) most ? most : (int64_t) share;
}

/*
 * The bound, from integers: objective = scale * loss + costs.  share_r / SHARE_ONE
 * is y range / |net|, so scale y = factor / SHARE_ONE with factor = floor(scale
 * |net| share_r / range): then factor * range <= scale |net| share_r, as it must.
 */
static inline int64_t
safe_bound(const LpBound *lp, NoiseProgramme *noise)
{
	const OracleModel *model = lp->model;
	const Instance *instance = model->instance;
	LevelCosts cost;
	int64_t cut_share[MAX_CUTS] = {0};
	int64_t left = SHARE_ONE;
	__int128 score[GRID_MAX_DIMENSION] = {0};
	__int128 constant = 0;

	for (int k = 0; k < lp->cuts && lp->share > 0.0; k++)
	{
		cut_share[k] = whole_share(lp, lp->first_cut_column + k, left);
		left -= cut_share[k];
		constant += (__int128) cut_share[k] * lp->cut[k].constant;
	}
	constant += (__int128) left * model->scale * lp->constant;
	for (int64_t r = 0; r < lp->opens && lp->share < 1.0; r++)
	{
		const OpenRow *open = &lp->open[r];
		const int32_t *x = instance->x + open->row * instance->dimension;
		int64_t net = instance->net[open->row];
		int64_t most = net > 0 ? net : -net;
		__int128 factor =
			(__int128) model->scale * most * whole_share(lp, open->column, left) / open->range;

		constant += net > 0 ? factor : 0;
		for (int j = 0; j < instance->dimension; j++)
			score[j] += factor * (net > 0 ? -(x[j] / open->divisor) : x[j] / open->divisor);
	}
	for (int j = 0; j < model->grid->dimension; j++)
		for (int n = 0; n < lp->choices[j].count; n++)
		{
			int i = lp->choices[j].index[n];
			__int128 sum = score[j] * model->grid->level[j][i];

			for (int k = 0; k < lp->cuts; k++)
				sum += (__int128) cut_share[k] * lp->cut[k].coefficient[j][i];
			cost[j][i] = model->cost[j][i] + floor_shift(sum);
		}
	return floor_shift(constant) + noise_minimise(noise, lp->choices, cost);
}

/*
 * The bound of a box with this share of the cuts, 0 .. 1, within so many
 * milliseconds: the dual is stopped there, and what it has got is valid too.
 */
static inline int64_t
lp_bound(LpBound *lp, NoiseProgramme *noise, double share, int milliseconds)
{
	glp_smcp settings;
	int64_t bound;

	lp->share = lp->cuts > 0 ? share : 0.0;
	lp->entries = 0;
	build_dual(lp);
	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.tm_lim = milliseconds;
	/* Nearly all columns have two bounds: flipping them saves a hundredfold of the steps. */
	settings.meth = GLP_DUALP;
	settings.r_test = GLP_RT_FLIP;
	(void) glp_term_out(GLP_OFF);
	glp_adv_basis(lp->dual, 0);
	(void) glp_simplex(lp->dual, &settings);
	bound = safe_bound(lp, noise);
	glp_delete_prob(lp->dual);
	return bound;
}

/* For a box, given as its choices; open has room for every row. */
static inline void
lp_box(LpBound *lp, const OracleModel *model, const Choices *choices, OpenRow *open)
{
	memset(lp, 0, sizeof(*lp));
	lp->model = model;
	lp->choices = choices;
	lp->open = open;
	for (int64_t r = 0; r < model->instance->rows; r++)
		sort_row(lp, r);
}

#endif
