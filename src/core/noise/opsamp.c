/*
 * opsamp.c - calibration of OPSamp.
 */
#include "core/noise/opsamp.h"

#include <math.h>

#include "core/base/mutant.h"

/* Rounding to the safe side. */
#define SAFE (1 + 1e-10)

/* The oracle's error adds at most this share to the shift. */
#define GAP_SHARE 1e-3

/* The most by which rounding moves a weight. */
#define ROUNDED 0x1p-21

#define RATES 400
#define LEAST_RATE 1e-8

/* The most by which neighbours differ, in units of one loss. */
static double
margin(const OpsampProblem *problem)
{
	return MUTANT(94) ? 1 : privacy_margin(problem->adjacency);
}

/* t rounded up to a multiple of the lattice's step. */
static double
on_lattice(double t)
{
	return ldexp(ceil(ldexp(t, OPSAMP_LATTICE_BITS)), -OPSAMP_LATTICE_BITS);
}

/* For t = K d g the bound is (K^2 a + c) / (K - 1), which K = 1 + sqrt(1 + c / a) minimises. */
static double
lipschitz_bound(const OpsampProblem *problem, double eta, double gap)
{
	double d = problem->dimension;
	double g = margin(problem) * problem->lipschitz;
	double a = eta * g * d * d * problem->side;
	double t = on_lattice((1 + sqrt(1 + 3 * gap / g / a)) * d * g);

	return d * (3 * gap / t + eta * t * problem->side) / (1 - d * g / t);
}

static double
oscillation_bound(const OpsampProblem *problem, double eta, double gap)
{
	double o = margin(problem) * problem->range;
	double least = INFINITY;

	for (double t = 1e-6; t < 1e9; t *= 1.01)
	{
		double step = on_lattice(t);

		least = fmin(least, (o + 3 * gap) / step - expm1(-eta * step) * problem->side);
	}
	return problem->dimension * least;
}

double
opsamp_stability(const OpsampProblem *problem, double eta, double gap)
{
	double most = problem->dimension * problem->side;
	double bound = fmin(lipschitz_bound(problem, eta, gap), oscillation_bound(problem, eta, gap));

	return fmin(bound, most);
}

/* a ln(a / p) + (1 - a) ln((1 - a) / (1 - p)) */
static double
divergence(double a, double p)
{
	return a * log(a / p) + (a < 1 ? (1 - a) * log((1 - a) / (1 - p)) : 0);
}

double
opsamp_shift(const OpsampProblem *problem, double stability)
{
	double most = problem->dimension * problem->side;
	double p = stability / most;
	double level = log(1 / problem->delta) / problem->calls;
	double low = p;
	double high = 1;

	if (MUTANT(98))
		return stability;
	if (p >= 1 || divergence(1, p) < level)
		return most;
	for (int i = 0; i < 200; i++)
	{
		double a = (low + high) / 2;

		if (divergence(a, p) < level)
			low = a;
		else
			high = a;
	}
	return most * high;
}

double
opsamp_risk(const OpsampProblem *problem, double eta, double gap, double shift)
{
	double d = problem->dimension;
	double steep = problem->lipschitz + problem->pull / problem->rows;

	return steep * d * (shift / problem->epsilon + ROUNDED) +
		   (d * problem->side / eta + gap) / problem->rows;
}

/* Chooses alpha so that 3 alpha / g is a thousandth of the bound for alpha = 0. */
static double
choose_gap(const OpsampProblem *problem, double eta)
{
	return GAP_SHARE * opsamp_stability(problem, eta, 0) * margin(problem) * problem->lipschitz / 3;
}

void
opsamp_plan(const OpsampProblem *problem, OpsampPlan *plan)
{
	plan->risk = INFINITY;
	for (int i = 0; i < RATES; i++)
	{
		double rate = LEAST_RATE * pow(1 / LEAST_RATE, (double) i / (RATES - 1));
		double eta = ldexp(ceil(ldexp(rate, OPSAMP_RATE_BITS)), -OPSAMP_RATE_BITS);
		double gap = choose_gap(problem, eta);
		double stable = opsamp_stability(problem, eta, gap) * SAFE;
		double shift = opsamp_shift(problem, stable) * SAFE;
		double risk = opsamp_risk(problem, eta, gap, shift);

		take_pause(problem->pause);
		if (risk < plan->risk)
			*plan = (OpsampPlan){.rate = (int64_t) ldexp(eta, OPSAMP_RATE_BITS),
								 .eta = eta,
								 .gap = gap,
								 .stable = stable,
								 .shift = shift,
								 .risk = risk};
	}
}
