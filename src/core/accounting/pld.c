/*
 * pld.c - laws of privacy losses, on a grid and rounded up.
 *
 * A law is known by P(loss > e) and Q(loss > e).  Both are computed in long doubles, whose
 * functions (erfcl, expl, logl, ...) have errors of a few units of LDBL_EPSILON on every system.
 * Each law has a bound on the error of its two numbers that is many times larger.
 */
#include "core/accounting/pld.h"

#include <float.h>
#include <math.h>

#include "core/base/mutant.h"

/* Normal variables are cut off at this many deviations; the mass beyond is below 1e-35. */
#define DEVIATIONS 12.5L

/* P(loss > e), Q(loss > e), and a bound on their relative error. */
typedef struct Tails
{
	long double p;
	long double q;
	long double error;
} Tails;

typedef struct Law
{
	Tails (*above)(const struct Law *law, long double e);
	long double first;
	long double second;
} Law;

static void
create(int64_t first, int64_t count, double step, Memory *memory, Pld *pld)
{
	take_pause(memory->pause);
	pld->step = step;
	pld->first = first;
	pld->count = count;
	pld->infinite = 0;
	pld->slack = 0;
	pld->mass = memory_allocate_zero(memory, (size_t) count, sizeof(double));
}

/* Rounds up to a double. */
static double
rounded_up(long double value)
{
	double near = (double) value;

	return near < value ? nextafter(near, INFINITY) : near;
}

static void
add_mass(Pld *pld, int64_t place, long double mass)
{
	/* the sum of two doubles is off by half a unit, which one more makes up for */
	if (mass > 0)
		pld->mass[place] = nextafter(pld->mass[place] + rounded_up(mass), INFINITY);
}

/* ---- connect the dots ---- */

/*
 * Divides a cell.  Of the masses p and q between e and e + step the share that goes to e keeps q: a
 * + b = p and a e^-e + b e^-(e + step) = q.  Both are raised by a bound on their rounding error.
 */
static void
share_cell(Pld *pld, int64_t place, long double e, long double rise, const Tails *here,
		   const Tails *next)
{
	long double grow = expl(e);
	long double p = here->p - next->p;
	long double weight = (here->q - next->q) * grow; /* q e^e */
	long double p_error = here->error * here->p + next->error * next->p;
	long double q_error = (here->error * here->q + next->error * next->q) * grow;
	long double share = (weight - p * (1 - rise)) / rise; /* rise = 1 - e^-step */
	long double error;

	q_error += (fabsl(e) + 16) * LDBL_EPSILON * (fabsl(weight) + fabsl(p));
	error = (q_error + p_error) / rise;
	share = fminl(fmaxl(share, 0), fmaxl(p, 0));
	if (MUTANT(120))
	{
		share = p;
		error = p_error = 0;
	}
	add_mass(pld, place, share + error);
	add_mass(pld, place + 1, p - share + p_error + error);
}

/* The law of a continuous loss on the grid's points from low to high, both rounded outwards. */
static void
discretise(const Law *law, long double low, long double high, double step, Memory *memory, Pld *pld)
{
	int64_t first = (int64_t) floorl(low / step);
	int64_t last = (int64_t) ceill(high / step);
	long double rise = -expm1l(-(long double) step);
	Tails here = law->above(law, (long double) first * step);

	create(first, last - first + 1, step, memory, pld);
	add_mass(pld, 0, 1 - here.p + here.error * here.p);
	for (int64_t i = 0; i < last - first; i++)
	{
		Tails next = law->above(law, (long double) (first + i + 1) * step);

		share_cell(pld, i, (long double) (first + i) * step, rise, &here, &next);
		here = next;
	}
	pld->infinite = rounded_up(here.p * (1 + here.error));
	/* covers the rounding of the points and of the losses at which the tails are computed */
	pld->slack = rounded_up(64 * LDBL_EPSILON * (1 + fabsl(low) + fabsl(high)));
}

/* Adds mass at a loss between two points of the grid, divided between them. */
static void
add_atom(Pld *pld, long double loss, long double mass)
{
	int64_t place = (int64_t) floorl(loss / pld->step);
	long double rest = (long double) (place + 1) * pld->step - loss;
	long double share = fminl(fmaxl(expm1l(rest) / expm1l(pld->step), 0), 1);

	mass *= 1 + 64 * LDBL_EPSILON;
	add_mass(pld, place - pld->first, mass * share);
	add_mass(pld, place + 1 - pld->first,
			 mass * (1 - share) + mass * (fabsl(loss) + 16) * LDBL_EPSILON / pld->step);
}

/* ---- randomised response ---- */

void
pld_approximate(double epsilon, double delta, double step, Memory *memory, Pld *pld)
{
	int64_t steps = (int64_t) floor(epsilon / step) + 2;
	long double other = expl(-(long double) epsilon);
	long double least = (1 - (long double) delta) / (1 + other);

	create(-steps, 2 * steps + 1, step, memory, pld);
	add_atom(pld, epsilon, least);
	add_atom(pld, -(long double) epsilon, least * other);
	pld->infinite = MUTANT(121) ? 0 : delta;
	pld->slack = rounded_up(64 * LDBL_EPSILON * (1 + (long double) epsilon));
}

/* ---- the Gaussian mechanism on a sample: first = rate, second = noise ---- */

/* P(z > t), z ~ N(0, 1). */
static long double
normal_above(long double t)
{
	return 0.5L * erfcl(t / sqrtl(2));
}

/* The relative error of a tail at t > 0: an error of t counts about t^2 times. */
static long double
error_at(long double t)
{
	return (16 + 8 * t * t) * LDBL_EPSILON;
}

/*
 * The x at which the loss is e.  In the direction of PLD_REMOVE the loss at x is ln(1 - rate + rate
 * e^((2 x - 1) / (2 noise^2))).
 */
static long double
variable_at(const Law *law, long double e)
{
	long double inside = (expm1l(e) + law->first) / law->first;
	long double logarithm = law->first < 1 ? logl(fmaxl(inside, 0)) : e;

	return 0.5L + law->second * law->second * logarithm;
}

/* The tails of A = (1 - rate) N(0) + rate N(1) and of N(0) above x, or below x for side < 0. */
static Tails
both_tails(const Law *law, long double x, int side)
{
	long double t = side * x / law->second;
	long double shifted = side * (x - 1) / law->second;
	long double plain = normal_above(t);
	Tails tails;

	tails.p = (1 - law->first) * plain + law->first * normal_above(shifted);
	tails.q = plain;
	tails.error = error_at(fminl(fmaxl(fmaxl(t, shifted), 0), 200));
	return tails;
}

static Tails
above_removed(const Law *law, long double e)
{
	return both_tails(law, variable_at(law, e), 1);
}

/* In the other direction the loss has the other sign and is large where x is small. */
static Tails
above_added(const Law *law, long double e)
{
	Tails tails = both_tails(law, variable_at(law, -e), -1);

	return (Tails){tails.q, tails.p, tails.error};
}

/*
 * The envelope (rdp.c): delta of what is removed where epsilon >= 0, and of what is added
 * below, where it is the same as delta of the swap.  The kink between them is an atom at 0.
 */
static Tails
above_replaced(const Law *law, long double e)
{
	return e >= 0 ? above_removed(law, e) : above_added(law, e);
}

void
pld_sampled_gaussian(double rate, double noise, PldDirection direction, double step, Memory *memory,
					 Pld *pld)
{
	/* the two vectors of a replaced row have norm at most 1, so they are at most 2 apart */
	long double z = direction == PLD_REPLACE && !MUTANT(122) ? noise / 2.0L : noise;
	long double far = DEVIATIONS * z + 1;
	long double square = 2 * z * z;
	long double most = (2 * far - 1) / square;
	long double high = most < 700 ? log1pl(rate * expm1l(most)) : most;
	long double low = rate < 1 ? log1pl(-(long double) rate) : -(2 * far + 1) / square;
	Law law = {above_removed, rate, z};

	if (direction == PLD_ADD)
	{
		law.above = above_added;
		discretise(&law, -high, -low, step, memory, pld);
	}
	else if (direction == PLD_REPLACE)
	{
		law.above = above_replaced;
		discretise(&law, -high, high, step, memory, pld);
	}
	else
		discretise(&law, low, high, step, memory, pld);
	/* x is off by its own rounding, that of the logarithm and that of e^e - (1 - rate) */
	pld->slack += rounded_up(256 * LDBL_EPSILON * (1 + high - low + far / (z * z)));
	if (rate < 1)
		pld->slack += rounded_up(256 * LDBL_EPSILON / (1 - (long double) rate));
}

void
pld_gaussian(double mu, double step, Memory *memory, Pld *pld)
{
	/* 1 / mu rounded down, which makes the losses larger */
	pld_sampled_gaussian(1, nextafter(1 / mu, 0), PLD_REMOVE, step, memory, pld);
}

/* ---- bounded range: first = range ---- */

/*
 * The worst pair for one epsilon has the losses t and t - range with P(t) = (e^range - e^t) /
 * (e^range - 1) (Dong, Durfee and Rogers 2020; theorem A3).  The supremum over t, at t = (range +
 * epsilon) / 2, is with s = e^epsilon
 *
 *   (e^(range / 2) - sqrt(s))^2 / (e^range - 1),
 *
 * convex in s and at least 1 - s, so the profile of a pair (Zhu, Dong and Wang 2022, proposition
 * 8).  Its slope is -Q(loss > e).
 */
static Tails
above_range(const Law *law, long double e)
{
	long double all = -expm1l(-law->first);
	long double rest = fmaxl((law->first - e) / 2, 0); /* e <= range, but for its rounding */
	Tails tails;

	tails.p = fminl(-expm1l(-rest) / all, 1);
	tails.q = fminl(tails.p * expl(rest - law->first), 1);
	tails.error = 64 * LDBL_EPSILON * (1 + law->first);
	return tails;
}

void
pld_bounded_range(double range, double step, Memory *memory, Pld *pld)
{
	Law law = {above_range, MUTANT(125) ? range / 2 : range, 0};

	discretise(&law, -law.first, law.first, step, memory, pld);
}

/* ---- objective perturbation: first = determinant, second = mu ---- */

/*
 * The loss is determinant + mu^2 / 2 + mu X at most, in both directions, with X = |Z| under
 * add_remove.  Under replace X has the chi law with 2 degrees of freedom, which is what is
 * proved at every epsilon (theorems V4 and V6).  Here X where the loss is e.
 */
static long double
length_of(const Law *law, long double e)
{
	return fmaxl((e - law->first) / law->second - law->second / 2, 0);
}

/* Q is E_P e^-l: it turns 2 phi(x) into 2 phi(x + mu) e^-determinant. */
static Tails
above_folded(const Law *law, long double e)
{
	long double x = length_of(law, e);
	Tails tails;

	tails.p = 2 * normal_above(x);
	tails.q = 2 * expl(-law->first) * normal_above(x + law->second);
	tails.error = error_at(x + law->second) + law->first * LDBL_EPSILON;
	return tails;
}

/*
 * P(X > x) = e^(-x^2 / 2), and the integral of x e^(-(x + mu)^2 / 2) above x is e^(-y^2 / 2) - mu
 * sqrt(2 pi) P(Z > y), y = x + mu, of whose first term at least 1 / (2 + y^2) is left.
 */
static Tails
above_chi(const Law *law, long double e)
{
	long double x = length_of(law, e);
	long double y = x + law->second;
	long double term = law->second * sqrtl(2 * acosl(-1)) * normal_above(y);
	Tails tails;

	tails.p = expl(-x * x / 2);
	tails.q = expl(-law->first) * fmaxl(expl(-y * y / 2) - term, 0);
	tails.error = (error_at(y) + law->first * LDBL_EPSILON) * (2 + y * y);
	return tails;
}

void
pld_objective(double determinant, double mu, Adjacency adjacency, double step, Memory *memory,
			  Pld *pld)
{
	Law law = {above_folded, MUTANT(124) ? 0 : determinant, mu};
	long double low = law.first + law.second * law.second / 2;

	if (adjacency == ADJACENCY_REPLACE)
		law.above = above_chi;
	discretise(&law, low, low + law.second * (DEVIATIONS + 1), step, memory, pld);
	pld->slack += rounded_up(64 * LDBL_EPSILON * (low + law.second * DEVIATIONS));
}
