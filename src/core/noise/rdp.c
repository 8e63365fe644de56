/*
 * rdp.c - Renyi moments of sampled Gaussian mechanisms, and the noise that follows from them.
 *
 * Adding or removing (theorem D2): the moment of A = (1 - q) N(0) + q N(1 / z) against N(0),
 *
 *   sum over k of C(alpha, k) (1 - q)^(alpha - k) q^k exp(k (k - 1) / (2 z^2)).
 *
 * Replacing (theorem D3): with A = (1 - q) N + q N(2 / z), M = E_N (A / N)^alpha - 1 and E_t(P, Q)
 * = integral of max(0, p - t q), a step's moment is at most
 *
 *   1 + M + alpha (alpha - 1) integral over t >= 1 of t^(-alpha - 1) (E_t(A, N) - E_t(N, A)),
 *
 * the moment of the envelope of A, N and its swap.  E_t is convex in t, so chords bound it from
 * above and prolonged chords from below.
 */
#include "core/noise/rdp.h"

#include <math.h>
#include <stdbool.h>

#include "core/noise/calibration.h"
#include "core/base/mutant.h"

/* ---- one row is added or removed ---- */

/* ln(e^x - 1), x > 0 */
static double
log_expm1(double x)
{
	return x > 30 ? x + log1p(-exp(-x)) : log(expm1(x));
}

/* ln(e^a + e^b) */
static double
log_add(double a, double b)
{
	double high = fmax(a, b);

	return high == -INFINITY ? high : high + log1p(exp(fmin(a, b) - high));
}

/*
 * ln M for two Gaussians 1 / z apart.  The binomial weights add up to 1, so M is the sum of their
 * products with exp(k (k - 1) / (2 z^2)) - 1, none of which is negative.
 */
static double
log_moment(double q, double z, int alpha)
{
	double sum = -INFINITY;
	double log_choose = log(alpha);

	for (int k = 2; k <= alpha; k++)
	{
		double rest = k < alpha ? (alpha - k) * log1p(-q) : 0;
		double gain = (double) k * (k - 1) / (2 * z * z);

		log_choose += log((double) (alpha - k + 1) / k);
		sum = log_add(sum, log_choose + rest + k * log(q) + log_expm1(gain));
	}
	return sum;
}

/* ln(1 + e^x) / (alpha - 1) */
static double
divergence(double log_moment, int alpha)
{
	return log_add(0, log_moment) / (alpha - 1);
}

double
rdp_poisson(double q, double z, int alpha)
{
	return divergence(log_moment(q, z, alpha), alpha);
}

/* ---- one row is replaced ---- */

/* The width of the integrals' cells, in epsilon: the lesser of 1 and mu, divided by this. */
#define CELLS_PER_UNIT 48

/*
 * A bound on the rounding error of a difference of profiles: epsilon over mu, a few deviations of
 * the loss, is off by 4e-16 / mu at most, and 1 / mu is below RDP_MAX_Z.
 */
#define ROUNDING 1e-7

/* The tail beyond this many deviations of the privacy loss is negligible. */
#define REACH 10.0

#define MOST_CELLS 4096

/* E_t of the pair and of its swap, at t = e^x. */
typedef struct Profile
{
	int cells;
	double x[MOST_CELLS + 2];
	double ahead[MOST_CELLS + 2];  /* E_t(A, N) */
	double behind[MOST_CELLS + 2]; /* E_t(N, A) */
} Profile;

/* E_t(N, A) = (1 - t (1 - q)) delta_G(ln s), s = t q / (1 - t (1 - q)); 0 beyond 1 / (1 - q). */
static double
swapped_profile(double q, double mu, double x)
{
	double share = q - (1 - q) * expm1(x);

	return share > 0 ? share * fmax(0, calibration_gaussian_delta(x + log(q / share), mu)) : 0;
}

static void
make_profile(double q, double mu, Profile *profile)
{
	double width = fmin(mu, 1) / CELLS_PER_UNIT;
	double cells = ceil((REACH * mu + mu * mu / 2) / width);

	profile->cells = (int) fmin(cells, MOST_CELLS);
	for (int i = 0; i <= profile->cells + 1; i++)
	{
		double epsilon = i * width;

		profile->x[i] = log1p(q * expm1(epsilon));
		profile->ahead[i] = q * fmax(0, calibration_gaussian_delta(epsilon, mu));
		profile->behind[i] = swapped_profile(q, mu, profile->x[i]);
	}
}

/* t_(i+1) - t_i in units of t_i */
static double
width_of(const Profile *profile, int i)
{
	return expm1(profile->x[i + 1] - profile->x[i]);
}

/*
 * A bound on the integral of alpha (alpha - 1) t^(-alpha - 1) (E_t(A, N) - E_t(N, A)).
 * A cell's weight is W = (alpha - 1) (t_i^-alpha - t_(i+1)^-alpha); its weighted mean lies
 * between sqrt(r) / (1 + sqrt(r)) and 1/2 of the way through it, r = (t_(i+1) /
 * t_i)^(-alpha - 1) being the ratio of the weights at its ends.
 */
static double
swap_excess(const Profile *profile, int alpha)
{
	double ahead = 0;
	double behind = 0;
	int last = profile->cells;

	for (int i = 0; i < last; i++)
	{
		double step = profile->x[i + 1] - profile->x[i];
		double weight = (alpha - 1) * exp(-alpha * profile->x[i]) * -expm1(-alpha * step);
		double root = exp(-(alpha + 1) * step / 2);
		double chord = profile->ahead[i + 1] - profile->ahead[i];
		double fall = profile->behind[i + 1] - profile->behind[i + 2];
		double ratio = width_of(profile, i) / (exp(step) * width_of(profile, i + 1));

		ahead += weight * (profile->ahead[i] + chord * root / (1 + root));
		behind += weight * (profile->behind[i + 1] + fall * ratio / 2);
	}
	ahead += (alpha - 1) * exp(-alpha * profile->x[last]) * profile->ahead[last];
	return fmax(0, ahead * (1 + ROUNDING) - behind);
}

void
rdp_replace(double q, double z, const int *alpha, int count, double *rdp)
{
	double mu = (MUTANT(80) ? 1 : 2) / z;
	Profile profile;

	make_profile(q, mu, &profile);
	for (int i = 0; i < count; i++)
	{
		double excess = MUTANT(81) ? 0 : swap_excess(&profile, alpha[i]);

		rdp[i] = divergence(log_add(log_moment(q, 1 / mu, alpha[i]), log(excess)), alpha[i]);
	}
}

/* ---- conversions ---- */

/* min over alpha of rdp + ln(1 - 1 / alpha) - (ln delta + ln alpha) / (alpha - 1) */
double
rdp_epsilon(const int *alpha, const double *rdp, int count, double delta)
{
	double least = INFINITY;

	for (int i = 0; i < count; i++)
		least = fmin(least, rdp[i] + log1p(-1.0 / alpha[i]) -
								(log(delta) + log(alpha[i])) / (alpha[i] - 1));
	return fmax(least, 0);
}

/* ---- calibration ---- */

/* The orders that are tried: all small ones, then ever sparser ones. */
static const int orders[] = {2,   3,   4,   5,   6,   7,   8,   9,   10,   11,   12,   13,  14,
							 15,  16,  17,  18,  19,  20,  22,  24,  26,   28,   30,   32,  36,
							 40,  44,  48,  56,  64,  72,  80,  96,  112,  128,  160,  192, 224,
							 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1536, 2048, 4096};

#define ORDERS ((int) (sizeof(orders) / sizeof(orders[0])))

/*
 * Covers the rounding of a conversion, which may leave hardly anything of epsilon for the
 * divergence.
 */
#define EPSILON_SAFE (1 - 1e-12)

static bool
suffices(RdpNeighbours neighbours, double q, double z, int steps, double epsilon, double delta)
{
	double rdp[ORDERS];

	if (neighbours == RDP_REPLACE)
		rdp_replace(q, z, orders, ORDERS, rdp);
	else
		for (int i = 0; i < ORDERS; i++)
			rdp[i] = rdp_poisson(q, z, orders[i]);
	for (int i = 0; i < ORDERS; i++)
		rdp[i] *= steps;
	return rdp_epsilon(orders, rdp, ORDERS, delta) <= epsilon * EPSILON_SAFE;
}

/*
 * Bisection on the logarithm.  The z returned has been checked to suffice, and is then raised by
 * RDP_MARGIN, which covers the rounding of doubles: a binomial coefficient is a sum of 4096
 * logarithms that stays below 2840, so that it is off by 2^-53 4096 2840 < 1.3e-9 at most, and the
 * sum of as many terms by 2^-53 4096 (|ln M| + 1), while the margin takes 2 RDP_MARGIN max(1, ln M)
 * from ln M: each term falls with z^-2 at least, and in the mean of the terms k (k - 1) / (2 z^2)
 * is ln M or more.
 */
double
rdp_noise(RdpNeighbours neighbours, double q, int steps, double epsilon, double delta, Pause pause)
{
	double low = 0x1p-10;
	double high = 1;

	while (!suffices(neighbours, q, high, steps, epsilon, delta))
	{
		take_pause(pause);
		low = high;
		high *= 4;
		if (high > RDP_MAX_Z)
			return 0;
	}
	while (high / low > 1 + RDP_MARGIN / 2)
	{
		double middle = sqrt(low * high);

		take_pause(pause);
		if (suffices(neighbours, q, middle, steps, epsilon, delta))
			high = middle;
		else
			low = middle;
	}
	return high * (1 + RDP_MARGIN);
}
