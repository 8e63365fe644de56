/*
 * utility.c - parts that the bounds of several mechanisms share.
 *
 * Plain floating point suffices: a bound is for a reader, and no noise depends on it.
 */
#include "core/mechanisms/utility.h"

#include <math.h>

double
utility_log_others(const Grid *grid)
{
	uint64_t size = grid_size(grid);

	return size == UINT64_MAX ? grid_log2_size(grid) * log(2) : log((double) (size - 1));
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

	if (grid_size(&request->grid) == 1)
		*bound = (UtilityBound){0, 0};
	else if (mechanism->bound != NULL)
		mechanism->bound(request, beta, bound);
	else
		*bound = (UtilityBound){INFINITY, INFINITY};
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
	facts_close(facts);
}
