/*
 * utility.c - parts that the bounds of several mechanisms share.
 *
 * Plain floating point suffices: a bound is for a reader, and no noise depends on it.
 */
#include "core/mechanisms/utility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ln(|W| - 1), or ln |W| if |W| does not fit a word. */
static double
utility_log_others(const Grid *grid)
{
	uint64_t size = grid_size(grid);

	return size == UINT64_MAX ? grid_log2_size(grid) * log(2) : log((double) (size - 1));
}

/* ---- the mass of a prior ---- */

/* The paths of the grid's automaton to a state; a state without paths has mass -INFINITY. */
typedef struct Paths
{
	double mass;     /* ln of the sum of exp(-rate cost / PRIOR_SCALE) */
	int64_t dearest; /* the largest cost of those with small weights; negative: none of them */
} Paths;

static void
add_paths(Paths *to, const Paths *from, double step)
{
	double mass = from->mass + step;
	double most = fmax(to->mass, mass);

	if (mass > -INFINITY)
		to->mass = most + log(exp(to->mass - most) + exp(mass - most));
}

/* Extends the paths by coordinate j. */
static void
step_paths(const Grid *grid, const PriorCosts *costs, double rate, int largest, int j, Paths *paths)
{
	Paths next[GRID_MAX_STATES] = {{0, 0}};
	int states = grid_states(grid);

	for (int s = 0; s < states; s++)
		next[s] = (Paths){-INFINITY, -1};
	for (int s = 0; s < states; s++)
		for (int i = 0; paths[s].mass > -INFINITY && i < grid->levels[j]; i++)
		{
			int64_t cost = costs->cost[j][i];
			int64_t dearest = paths[s].dearest + cost;
			int t = grid_step(grid, s, j, i);

			if (t < 0)
				continue;
			add_paths(&next[t], &paths[s], -rate * (double) cost / PRIOR_SCALE);
			if (paths[s].dearest >= 0 && abs(grid->level[j][i]) <= largest &&
				dearest > next[t].dearest)
				next[t].dearest = dearest;
		}
	memcpy(paths, next, sizeof(Paths) * (size_t) states);
}

/*
 * -ln pi(v) for the vector of weights of at most largest in absolute value with the least prior;
 * infinite if there is none.
 */
static double
least_prior(const MechanismRequest *request, int largest)
{
	const Grid *grid = &request->grid;
	double rate = utility_rate(request);
	Paths paths[GRID_MAX_STATES];
	Paths all = {-INFINITY, -1};
	PriorCosts costs;

	prior_costs(grid, request->prior_power, request->epsilon, request->adjacency, &costs);
	for (int s = 0; s < grid_states(grid); s++)
		paths[s] = (Paths){-INFINITY, -1};
	paths[0] = (Paths){0, 0};
	for (int j = 0; j < grid->dimension; j++)
		step_paths(grid, &costs, rate, largest, j, paths);
	for (int s = 0; s < grid_states(grid); s++)
		if (grid_accepts(grid, s))
		{
			add_paths(&all, &paths[s], 0);
			all.dearest = paths[s].dearest > all.dearest ? paths[s].dearest : all.dearest;
		}
	return all.dearest < 0 ? INFINITY : all.mass + rate * (double) all.dearest / PRIOR_SCALE;
}

/* ln((1 - pi) / pi) from -ln pi > 0. */
static double
log_odds(double information)
{
	return information + log(-expm1(-information));
}

void
utility_weighted(const MechanismRequest *request, double tail, double more, UtilityBound *bound)
{
	double rate = utility_rate(request);
	double information;

	*bound = (UtilityBound){.rows = 0};
	if (request->prior_power == 0)
	{
		bound->rows = fmax(0, (utility_log_others(&request->grid) + tail) / rate);
		bound->mean = grid_log2_size(&request->grid) * log(2) / rate;
		return;
	}
	information = least_prior(request, GRID_MAX_WEIGHT);
	bound->rows = fmax(0, (log_odds(information) + tail) / rate);
	bound->mean = (information + more) / rate;
	information = least_prior(request, 1);
	bound->small = information < INFINITY;
	bound->small_rows = fmax(0, (log_odds(information) + tail) / rate);
	bound->small_mean = (information + more) / rate;
}

double
utility_gamma_tail(double shape, double exponent)
{
	double low = shape;
	double high = 2 * shape + 2 * exponent + 2;

	while (high - shape - shape * log(high / shape) < exponent)
		high *= 2;
	for (int i = 0; i < 100; i++)
	{
		double x = (low + high) / 2;

		if (x - shape - shape * log(x / shape) < exponent)
			low = x;
		else
			high = x;
	}
	return high;
}

/*
 * Source: theorem U9: the exponential mechanism's bound at the rate epsilon / 2 of select_vote.c.
 */
double
utility_lead(const Grid *grid, int64_t epsilon, double beta)
{
	double rate = (double) epsilon / (2.0 * (double) EPSILON_ONE);

	return fmax(0, (utility_log_others(grid) + log((1 - beta) / beta)) / rate);
}

double
utility_rate(const MechanismRequest *request)
{
	return (double) request->epsilon / EPSILON_ONE / privacy_margin(request->adjacency);
}

void
utility_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	*bound = (UtilityBound){.rows = 0};
	if (grid_size(&request->grid) == 1)
		return;
	if (mechanism->bound != NULL)
		mechanism->bound(request, beta, bound);
	else
		*bound = (UtilityBound){.rows = INFINITY, .mean = INFINITY};
}

/* Rule U19: the bound fails with this probability; found by trial: rate times rows. */
#define USELESS_BETA 0.05
#define USELESS_EXPONENT 6.0

double
utility_useless_rows(const MechanismRequest *request, const Encoding *encoding)
{
	UtilityBound bound;
	double rows;

	(void) encoding;
	utility_bound(request, USELESS_BETA, &bound);
	rows = 2 * (bound.small ? bound.small_rows : bound.rows);
	return request->grid.constraint == GRID_SPARSE
			   ? rows
			   : fmin(rows, USELESS_EXPONENT / utility_rate(request));
}

double
utility_whole_rows(double bound)
{
	return floor(bound * (1 + 1e-9));
}

void
utility_error(const MechanismRequest *request, double beta, Facts *facts)
{
	UtilityBound bound;

	utility_bound(request, beta, &bound);
	facts_open(facts, "error");
	facts_fixed(facts, "rows", utility_whole_rows(bound.rows), 0);
	facts_number(facts, "beta", beta, 6);
	facts_fixed(facts, "mean", ceil(bound.mean * 10) / 10, 1);
	if (bound.small)
	{
		facts_open(facts, "small_weights");
		facts_fixed(facts, "rows", utility_whole_rows(bound.small_rows), 0);
		facts_fixed(facts, "mean", ceil(bound.small_mean * 10) / 10, 1);
		facts_close(facts);
	}
	facts_close(facts);
}
