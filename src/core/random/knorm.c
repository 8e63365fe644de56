/*
 * knorm.c - a Gamma radius times a uniform point of the body K, or of its part in the subspace S.
 *
 * The choices are drawn first, by comparing integers: the level |t| of each group, which is the
 * absolute value of the sum of its coordinates, the signs, and how much mass is below the level.
 * Given them a point is a function of uniform numbers, refined on demand (theorems K2 and K3).
 */
#include "core/random/knorm.h"

#include <math.h>

#include "core/base/mutant.h"
#include "core/random/real_noise_internal.h"

typedef struct GroupChoice
{
	int first;   /* of its coordinates */
	int size;    /* number of its coordinates */
	int level;   /* the uniform number that is |t| */
	int rest;    /* the uniform number of the smaller sign's mass */
	int steps;   /* j of theorem K3 */
	bool turned; /* t < 0 */
} GroupChoice;

typedef struct KNormChoices
{
	int groups;
	int radius; /* the first uniform number of the radius */
	int shape;  /* of the radius */
	GroupChoice *group;
	bool *minor; /* of each coordinate of a group: its sign is not that of t */
} KNormChoices;

static int
group_coordinates(const KNormBody *body)
{
	int sum = 0;

	for (int g = 0; g < body->groups; g++)
		sum += body->size[g];
	return sum;
}

int
knorm_coordinates(const KNormBody *body)
{
	return group_coordinates(body) + body->others;
}

int
knorm_dimension(const KNormBody *body)
{
	int ties = body->subspace && body->groups > 0 ? body->groups - 1 : 0;

	return knorm_coordinates(body) - ties;
}

/* ---- choices, by integers (theorem K3) ---- */

static void
draw_level(RealDraw *draw, int level, Bits *bits)
{
	mpz_set_ui(draw->uniform[level], 0);
	for (mpfr_prec_t k = 0; k < draw->known; k += 64)
		bits_append(bits, draw->uniform[level], 64);
}

/* True if a fresh uniform number is below the level. */
static bool
falls_below(RealDraw *draw, int level, Bits *bits)
{
	mpfr_prec_t place = draw->known;
	int own;
	int fresh;

	do
	{
		if (place == 0)
		{
			real_draw_take_bits(draw, bits, MORE_BITS);
			place = MORE_BITS;
		}
		place--;
		own = mpz_tstbit(draw->uniform[level], (mp_bitcnt_t) place);
		fresh = (int) bits_take(bits, 1);
	} while (own == fresh);
	return fresh < own;
}

/*
 * Draws j, of law Binomial(k - 1, 1 - |t|), and accepts with the probability C(k - 1 + j, j) 2^(k -
 * 1 - j) / C(2k - 2, k - 1), the product of 2 (i + 1) / (k + i) for i = j .. k - 2.  So the level
 * is accepted with a probability in proportion to the volume of the group's slice.
 */
static bool
accept_level(RealDraw *draw, GroupChoice *group, Bits *bits)
{
	int k = group->size;

	group->steps = 0;
	for (int i = 0; i < k - 1; i++)
		group->steps += !falls_below(draw, group->level, bits);
	for (int i = group->steps; i <= k - 2 && !MUTANT(203); i++)
		if (bits_below(bits, (uint64_t) (k + i)) >= (uint64_t) (2 * (i + 1)))
			return false;
	return true;
}

/*
 * The minor coordinates are those among j objects, chosen from the k coordinates and j - 1 others.
 */
static void
draw_minor(const GroupChoice *group, bool *minor, Bits *bits)
{
	int left = group->steps;

	for (int i = 0; i < group->size; i++)
	{
		int objects = group->size + group->steps - 1 - i;

		minor[group->first + i] =
			left > 0 && bits_below(bits, (uint64_t) objects) < (uint64_t) left;
		left -= minor[group->first + i];
	}
}

/* Draws what groups have in common that share a level, again until each group accepts it. */
static void
draw_bunch(RealDraw *draw, GroupChoice *group, int count, bool *minor, Bits *bits)
{
	bool turned = bits_take(bits, 1) != 0;
	int accepted = 0;

	while (accepted < count)
	{
		draw_level(draw, group->level, bits);
		accepted = 0;
		while (accepted < count && accept_level(draw, &group[accepted], bits))
			accepted++;
	}
	for (int g = 0; g < count; g++)
	{
		group[g].turned = turned;
		draw_minor(&group[g], minor, bits);
	}
}

/* ---- a point of the body, by intervals ---- */

/*
 * The masses of the two signs: |t| + q and q = (1 - |t|) / 2 times the j-th root of a uniform
 * number; q = 0 for j = 0.
 */
static void
masses(const RealDraw *draw, const GroupChoice *group, Interval *major, Interval *minor)
{
	Interval root;

	real_draw_uniform(draw, group->level, major);
	interval_set_ui(minor, 0);
	if (group->steps == 0)
		return;
	interval_init(&root, draw->known + GUARD_BITS);
	real_draw_exponential(draw, group->rest, &root);
	interval_divide_ui(&root, (unsigned long) group->steps);
	interval_negate(&root);
	interval_exp(&root);
	interval_set_ui(minor, 1);
	interval_subtract(minor, major);
	interval_divide_ui(minor, 2);
	interval_multiply(minor, &root);
	interval_add(major, minor);
	interval_clear(&root);
}

/*
 * Divides a mass among the coordinates of one sign, in proportion to exponential variables; false
 * if more bits are needed.
 */
static bool
divide_mass(RealDraw *draw, const GroupChoice *group, const bool *minor, bool side,
			const Interval *mass)
{
	Interval sum;
	bool known;

	interval_init(&sum, draw->known + GUARD_BITS);
	for (int i = group->first; i < group->first + group->size; i++)
		if (minor[i] == side)
		{
			real_draw_exponential(draw, i, &draw->value[i]);
			interval_add(&sum, &draw->value[i]);
		}
	known = mpfr_sgn(sum.low) > 0 || mpfr_sgn(mass->high) == 0;
	for (int i = group->first; known && i < group->first + group->size; i++)
		if (minor[i] == side)
		{
			interval_multiply(&draw->value[i], mass);
			interval_divide(&draw->value[i], &sum);
			if (side != group->turned)
				interval_negate(&draw->value[i]);
		}
	interval_clear(&sum);
	return known;
}

static bool
evaluate_group(RealDraw *draw, const GroupChoice *group, const bool *is_minor)
{
	Interval major;
	Interval minor;
	bool known;

	interval_init(&major, draw->known + GUARD_BITS);
	interval_init(&minor, draw->known + GUARD_BITS);
	masses(draw, group, &major, &minor);
	known = divide_mass(draw, group, is_minor, false, &major) &&
			divide_mass(draw, group, is_minor, true, &minor);
	interval_clear(&major);
	interval_clear(&minor);
	return known;
}

/* 2 U - 1 */
static void
evaluate_other(RealDraw *draw, int i)
{
	Interval one;

	interval_init(&one, 2);
	interval_set_ui(&one, 1);
	real_draw_uniform(draw, i, &draw->value[i]);
	interval_multiply_ui(&draw->value[i], 2);
	interval_subtract(&draw->value[i], &one);
	interval_clear(&one);
}

static bool
evaluate_knorm(RealDraw *draw)
{
	const KNormChoices *choices = draw->choices;
	Interval radius;
	bool known = true;
	int next = 0;

	for (int g = 0; known && g < choices->groups && !MUTANT(205); g++)
	{
		known = evaluate_group(draw, &choices->group[g], choices->minor);
		next += choices->group[g].size;
	}
	if (!known)
		return false;
	for (; next < draw->dimension; next++)
		evaluate_other(draw, next);
	interval_init(&radius, draw->known + GUARD_BITS);
	real_draw_gamma(draw, choices->radius, choices->shape, &radius);
	for (int i = 0; i < draw->dimension; i++)
		interval_multiply(&draw->value[i], &radius);
	interval_clear(&radius);
	return true;
}

/* ---- creation ---- */

/* One block of memory: the choices, those of each group, a sign of each group's coordinates. */
static KNormChoices *
create_choices(const KNormBody *body, Memory *memory)
{
	size_t groups = (size_t) body->groups;
	size_t bytes = sizeof(KNormChoices) + groups * sizeof(GroupChoice) +
				   (size_t) group_coordinates(body) * sizeof(bool);
	KNormChoices *choices = memory_allocate_zero(memory, 1, bytes);

	choices->groups = body->groups;
	choices->group = (GroupChoice *) (choices + 1);
	choices->minor = (bool *) (choices->group + groups);
	return choices;
}

/*
 * Numbers the uniform numbers: one for each coordinate, those of the radius, one for the mass of
 * each group's smaller sign, one for each level.  Returns how many there are.
 */
static int
number_uniforms(const KNormBody *body, bool together, KNormChoices *choices)
{
	int first = 0;
	int levels = together && body->groups > 0 ? 1 : body->groups;
	int rests = knorm_coordinates(body) + choices->shape;

	choices->radius = knorm_coordinates(body);
	for (int g = 0; g < body->groups; g++)
	{
		choices->group[g].first = first;
		choices->group[g].size = body->size[g];
		choices->group[g].rest = rests + g;
		choices->group[g].level = rests + body->groups + (together ? 0 : g);
		first += body->size[g];
	}
	return rests + body->groups + levels;
}

/* The radius has the law Gamma(dimension + 1), because the point is uniform in the body. */
RealDraw *
knorm_draw_create(const KNormBody *body, double scale, Bits *bits, Memory *memory)
{
	KNormChoices *choices = create_choices(body, memory);
	bool together = body->subspace && !MUTANT(204);
	RealDraw *draw;
	int uniforms;

	choices->shape = knorm_dimension(body) + (MUTANT(202) ? 0 : 1);
	uniforms = number_uniforms(body, together, choices);
	draw =
		real_draw_begin(evaluate_knorm, knorm_coordinates(body), 0, uniforms, scale, bits, memory);
	draw->choices = choices;
	for (int g = 0; g < body->groups; g += together ? body->groups : 1)
		draw_bunch(draw, &choices->group[g], together ? body->groups : 1, choices->minor, bits);
	real_draw_settle(draw, bits);
	return draw;
}

/* ---- the typical length ---- */

#define SPREAD_STEPS 1024

/*
 * The volume of a group's slice at t < 1, in units of the one at 0; square is set to the mean of
 * v_1^2 in the slice (theorem K3).  A term that underflows is negligible.
 */
static double
slice_volume(int k, double t, double *square)
{
	double u = 1 - t;
	double term = pow(u, k - 1);
	double volume = 0;
	double moment = 0;

	for (int j = k - 1; j >= 0; j--)
	{
		double minor = u * u * j / (4 * (j + 2));
		double major = t * t + t * u * j / (j + 1) + minor;

		volume += term;
		moment += term * (k + j) * (major / k + minor / (j + 1));
		term *= 2.0 * j * j / ((double) (k - j) * (k - 1 + j)) * (t / u);
	}
	*square = volume > 0 ? 2 * moment / ((double) k * (k + 1) * volume) : 0;
	return volume;
}

/*
 * Sets mean[g] to the mean of v_1^2 of the g-th group over K in S: over t, by the midpoint rule, in
 * proportion to the product of the groups' slices.
 */
static void
mean_squares(const KNormBody *body, double *mean)
{
	double total = 0;

	for (int g = 0; g < body->groups; g++)
		mean[g] = 0;
	for (int i = 0; i < SPREAD_STEPS; i++)
	{
		double t = (i + 0.5) / SPREAD_STEPS;
		double weight = 1;
		double square;

		for (int g = 0; g < body->groups; g++)
			weight *= slice_volume(body->size[g], t, &square);
		total += weight;
		for (int g = 0; g < body->groups; g++)
		{
			(void) slice_volume(body->size[g], t, &square);
			mean[g] += weight * square;
		}
	}
	for (int g = 0; g < body->groups; g++)
		mean[g] /= total;
}

/* The mean of a squared coordinate is 2 / ((k + 1) (k + 2)) in a cross-polytope, 1/3 in [-1, 1]. */
void
knorm_spread(const KNormBody *body, double *spread)
{
	double dimension = knorm_dimension(body);
	double radius = sqrt((dimension + 1) * (dimension + 2));

	if (body->subspace)
		mean_squares(body, spread);
	else
		for (int g = 0; g < body->groups; g++)
			spread[g] = 2.0 / ((body->size[g] + 1.0) * (body->size[g] + 2.0));
	spread[body->groups] = 1.0 / 3;
	for (int g = 0; g <= body->groups; g++)
		spread[g] = radius * sqrt(spread[g]);
}
