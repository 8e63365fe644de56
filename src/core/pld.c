/*
 * pld.c - losses on a grid, composed by Fourier transforms (GSL).
 */
#include "core/pld.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

/* Normal variables are cut off at so many deviations: what is beyond has 1e-36. */
#define DEVIATIONS 12.5

/* ---- laws on the grid ---- */

/* P(loss > e) and Q(loss > e) of a continuous loss. */
typedef struct Loss
{
	double (*p_above)(const struct Loss *loss, double e);
	double (*q_above)(const struct Loss *loss, double e);
	double first;
	double second;
} Loss;

static void
pld_create(int64_t first, int64_t count, double step, Memory *memory, Pld *pld)
{
	pld->step = step;
	pld->first = first;
	pld->count = count;
	pld->infinite = 0;
	pld->mass = memory_allocate_zero(memory, (size_t) count, sizeof(double));
}

/*
 * Of the mass p under P and q under Q between e and e + step, the share that goes to e;
 * the rest goes to e + step, and both laws keep their mass.
 */
static double
lower_share(double p, double q, double e, double step)
{
	double share = (q * exp(e) - p * exp(-step)) / -expm1(-step);

	return fmin(fmax(share, 0), p);
}

/* The law of a loss on the grid's points from low to high, both rounded outwards. */
static void
pld_discretise(const Loss *loss, double low, double high, double step, Memory *memory, Pld *pld)
{
	int64_t first = (int64_t) floor(low / step);
	int64_t last = (int64_t) ceil(high / step);
	double p = loss->p_above(loss, (double) first * step);
	double q = loss->q_above(loss, (double) first * step);

	pld_create(first, last - first + 1, step, memory, pld);
	pld->mass[0] = 1 - p;
	for (int64_t i = 0; i < last - first; i++)
	{
		double e = (double) (first + i) * step;
		double p_next = loss->p_above(loss, (double) (first + i + 1) * step);
		double q_next = loss->q_above(loss, (double) (first + i + 1) * step);
		double share = lower_share(p - p_next, q - q_next, e, step);

		pld->mass[i] += share;
		pld->mass[i + 1] += p - p_next - share;
		p = p_next;
		q = q_next;
	}
	pld->infinite = p;
}

/* Randomised response with an atom that gives all away. */
void
pld_approximate(double epsilon, double delta, double step, Memory *memory, Pld *pld)
{
	int64_t steps = (int64_t) ceil(epsilon / step * (1 - 1e-12));
	double odds = exp((double) steps * step);

	pld_create(-steps, 2 * steps + 1, step, memory, pld);
	pld->mass[0] = (1 - delta) / (1 + odds);
	pld->mass[2 * steps] += (1 - delta) * odds / (1 + odds);
	pld->infinite = delta;
}

/* ---- the Gaussian mechanism on a sample: first = rate, second = noise ---- */

/*
 * The loss at x is ln(1 - rate + rate e^((2 x - 1) / (2 noise^2))) in the direction of
 * PLD_REMOVE; here x where it is e.
 */
static double
place_of(const Loss *loss, double e)
{
	double inside = (expm1(e) + loss->first) / loss->first;

	return inside > 0 ? 0.5 + loss->second * loss->second * log(inside) : -INFINITY;
}

static double
normal_above(const Loss *loss, double x, double mean)
{
	return gsl_cdf_ugaussian_Q((x - mean) / loss->second);
}

static double
normal_below(const Loss *loss, double x, double mean)
{
	return gsl_cdf_ugaussian_P((x - mean) / loss->second);
}

static double
remove_p(const Loss *loss, double e)
{
	double x = place_of(loss, e);

	return (1 - loss->first) * normal_above(loss, x, 0) + loss->first * normal_above(loss, x, 1);
}

static double
remove_q(const Loss *loss, double e)
{
	return normal_above(loss, place_of(loss, e), 0);
}

/* In the other direction the loss has the other sign and is large where x is small. */
static double
add_p(const Loss *loss, double e)
{
	return normal_below(loss, place_of(loss, -e), 0);
}

static double
add_q(const Loss *loss, double e)
{
	double x = place_of(loss, -e);

	return (1 - loss->first) * normal_below(loss, x, 0) + loss->first * normal_below(loss, x, 1);
}

void
pld_sampled_gaussian(double rate, double noise, PldDirection direction, double step, Memory *memory,
					 Pld *pld)
{
	double far = DEVIATIONS * noise + 1;
	double square = 2 * noise * noise;
	double high = log1p(rate * expm1(fmin((2 * far - 1) / square, 700)));
	double low = rate < 1 ? log1p(-rate) : -(2 * far + 1) / square;
	Loss loss = {remove_p, remove_q, rate, noise};

	if (direction == PLD_ADD)
	{
		loss.p_above = add_p;
		loss.q_above = add_q;
		pld_discretise(&loss, -high, -low, step, memory, pld);
	}
	else
		pld_discretise(&loss, low, high, step, memory, pld);
}

void
pld_gaussian(double mu, double step, Memory *memory, Pld *pld)
{
	pld_sampled_gaussian(1, 1 / mu, PLD_REMOVE, step, memory, pld);
}

/* ---- objective perturbation: first = determinant, second = mu ---- */

/* |Z| where the loss is e, not below 0. */
static double
fold_of(const Loss *loss, double e)
{
	return fmax((e - loss->first) / loss->second - loss->second / 2, 0);
}

static double
objective_p(const Loss *loss, double e)
{
	return 2 * gsl_cdf_ugaussian_Q(fold_of(loss, e));
}

/* E e^-l above e: the exponent turns 2 phi(z) into 2 phi(z + mu) e^-determinant. */
static double
objective_q(const Loss *loss, double e)
{
	return 2 * exp(-loss->first) * gsl_cdf_ugaussian_Q(fold_of(loss, e) + loss->second);
}

void
pld_objective(double determinant, double mu, double step, Memory *memory, Pld *pld)
{
	Loss loss = {objective_p, objective_q, determinant, mu};
	double low = determinant + mu * mu / 2;

	pld_discretise(&loss, low, low + mu * DEVIATIONS, step, memory, pld);
}

/* ---- composition ---- */

typedef struct Moments
{
	double mean;
	double variance;
	double most; /* the largest absolute loss of one release */
} Moments;

static void
add_moments(const PldPart *part, Moments *moments)
{
	const Pld *pld = part->pld;
	double mean = 0;
	double square = 0;

	for (int64_t i = 0; i < pld->count; i++)
	{
		double loss = (double) (pld->first + i) * pld->step;

		mean += loss * pld->mass[i];
		square += loss * loss * pld->mass[i];
	}
	moments->mean += (double) part->times * mean;
	moments->variance += (double) part->times * fmax(square - mean * mean, 0);
	moments->most = fmax(moments->most, fabs((double) pld->first) * pld->step);
	moments->most = fmax(moments->most, fabs((double) (pld->first + pld->count - 1)) * pld->step);
}

/* ln E e^(t l) of the finite losses of one release. */
static double
log_moment(const Pld *pld, double t)
{
	double top =
		fabs(t) * fmax(fabs((double) pld->first), fabs((double) (pld->first + pld->count)));
	double sum = 0;

	for (int64_t i = 0; i < pld->count; i++)
		sum += pld->mass[i] * exp(t * (double) (pld->first + i) * pld->step - top * pld->step);
	return log(sum) + top * pld->step;
}

/*
 * Chernoff: the mass of sums beyond the window is at most e^(-t edge) E e^(t sum), for
 * every t.  The window's edge is many deviations away, so t near edge / variance does.
 */
static double
mass_beyond(const PldPart *part, int parts, double edge, const Moments *moments)
{
	double least = 0;

	for (double t = edge / (moments->variance + edge * moments->most); t < 1e4; t *= 2)
	{
		double logarithm = -t * edge;

		for (int k = 0; k < parts; k++)
			logarithm += (double) part[k].times * log_moment(part[k].pld, t);
		if (!(logarithm < least))
			break;
		least = logarithm;
	}
	return exp(least);
}

/* spectrum *= transform(pld)^times, both as GSL's halfcomplex arrays. */
static void
multiply_power(const PldPart *part, size_t size, double *work, double *spectrum)
{
	const Pld *pld = part->pld;
	size_t half = size / 2;

	memset(work, 0, size * sizeof(double));
	for (int64_t i = 0; i < pld->count; i++)
		work[(size_t) (pld->first + i) & (size - 1)] += pld->mass[i];
	gsl_fft_real_radix2_transform(work, 1, size);
	for (size_t k = 0; k <= half; k++)
	{
		bool real = k == 0 || k == half;
		double a = work[k];
		double b = real ? 0 : work[size - k];
		double length = pow(hypot(a, b), (double) part->times);
		double angle = fmod(atan2(b, a) * (double) part->times, 2 * M_PI);
		double x = length * cos(angle);
		double y = real ? 0 : length * sin(angle);
		double re = spectrum[k];
		double im = real ? 0 : spectrum[size - k];

		spectrum[k] = re * x - im * y;
		if (!real)
			spectrum[size - k] = re * y + im * x;
	}
}

/* A window that holds the sum: a power of two of steps around 0. */
static size_t
window_size(const Moments *moments, double step)
{
	double half = fabs(moments->mean) + 24 * sqrt(moments->variance) + 2 * moments->most + 2;
	size_t size = 2;

	while ((double) size < 2 * half / step + 2)
		size *= 2;
	return size;
}

void
pld_compose(const PldPart *part, int parts, Memory *memory, Pld *sum)
{
	Moments moments = {0};
	double finite = 1;
	size_t size;
	double *work;
	double *spectrum;

	for (int k = 0; k < parts; k++)
		add_moments(&part[k], &moments);
	size = window_size(&moments, part[0].pld->step);
	work = memory_allocate(memory, size, sizeof(double));
	spectrum = memory_allocate_zero(memory, size, sizeof(double));
	for (size_t k = 0; k <= size / 2; k++)
		spectrum[k] = 1;
	for (int k = 0; k < parts; k++)
	{
		multiply_power(&part[k], size, work, spectrum);
		finite *= pow(1 - part[k].pld->infinite, (double) part[k].times);
	}
	gsl_fft_halfcomplex_radix2_inverse(spectrum, 1, size);

	pld_create(-(int64_t) (size / 2), (int64_t) size, part[0].pld->step, memory, sum);
	for (size_t i = 0; i < size; i++)
		sum->mass[i] = fmax(spectrum[(i + size / 2) & (size - 1)], 0);
	sum->infinite =
		1 - finite + mass_beyond(part, parts, (double) (size / 2) * sum->step, &moments);
	memory_release(memory, work);
	memory_release(memory, spectrum);
}

/* ---- guarantees ---- */

double
pld_delta(const Pld *pld, double epsilon)
{
	double delta = pld->infinite;

	for (int64_t i = pld->count - 1; i >= 0; i--)
	{
		double loss = (double) (pld->first + i) * pld->step;

		if (loss <= epsilon)
			break;
		delta += pld->mass[i] * -expm1(epsilon - loss);
	}
	return delta;
}

/*
 * Between points of the grid delta(epsilon) = infinite + above - e^epsilon weight, with the
 * mass above epsilon and its integral of e^-l; the first stretch from the right where it
 * passes the wanted delta holds the answer.
 */
double
pld_epsilon(const Pld *pld, double delta)
{
	double above = 0;
	double weight = 0;

	if (delta <= pld->infinite)
		return INFINITY;
	for (int64_t i = pld->count - 1; i >= 0; i--)
	{
		double loss = (double) (pld->first + i) * pld->step;

		if (loss <= 0 || pld->infinite + above - exp(loss) * weight > delta)
			break;
		above += pld->mass[i];
		weight += pld->mass[i] * exp(-loss);
	}
	if (pld->infinite + above - weight <= delta)
		return 0;
	return fmax(log((pld->infinite + above - delta) / weight), 0);
}
