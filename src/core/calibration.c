/*
 * calibration.c - the scales of Gaussian noise, by integration and bisection.
 */
#include "core/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_integration.h>

/* ---- the normal law ---- */

static double
normal_below(double x)
{
	return 0.5 * erfc(-x / sqrt(2));
}

static double
log_normal_density(double x)
{
	return -0.5 * x * x - 0.5 * log(2 * acos(-1.0));
}

/*
 * ln P(z > x), also where the probability is no double: Mills' ratio by its
 * continued fraction 1 / (x + 1 / (x + 2 / (x + 3 / ...))).
 */
static double
log_normal_above(double x)
{
	double fraction = x;

	if (x < 10)
		return log(normal_below(-x));
	for (int i = 60; i >= 1; i--)
		fraction = x + i / fraction;
	return log_normal_density(x) - log(fraction);
}

/*
 * Source: PRIVACY.md 0, Balle and Wang 2018.  ln of Phi(mu/2 - epsilon/mu) - e^epsilon
 * Phi(-mu/2 - epsilon/mu), mu = sensitivity / sigma.
 */
static double
log_gaussian_delta(double epsilon, double mu)
{
	double here = log_normal_above(epsilon / mu - mu / 2);
	double there = epsilon + log_normal_above(epsilon / mu + mu / 2);

	return there < here ? here + log(-expm1(there - here)) : -INFINITY;
}

double
calibration_gaussian_delta(double epsilon, double mu)
{
	return exp(log_gaussian_delta(epsilon, mu));
}

/* ---- the largest kappa that a bound allows ---- */

typedef struct Target
{
	double epsilon;
	double log_delta;
	int k;
	const struct SignsLaw *law;
	double (*log_bound)(const struct Target *target, double kappa); /* rises with kappa */
} Target;

/* Bisection of ln kappa; what is returned meets the target, for all that doubles can tell. */
static double
largest_kappa(const Target *target)
{
	double low = -60;
	double high = 10;

	for (int i = 0; i < 64; i++)
	{
		double middle = (low + high) / 2;

		if (target->log_bound(target, exp(middle)) <= target->log_delta)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

static double
union_bound(const Target *target, double kappa)
{
	return log_gaussian_delta(target->epsilon, kappa);
}

/* Source: PRIVACY.md 1.3 (b). */
double
calibration_union_kappa(double epsilon, double delta, double log_vectors)
{
	Target target = {
		.epsilon = epsilon, .log_delta = log(delta) - log_vectors, .log_bound = union_bound};

	return largest_kappa(&target);
}

double
calibration_gaussian_sigma(double epsilon, double log_delta)
{
	Target target = {.epsilon = epsilon, .log_delta = log_delta, .log_bound = union_bound};

	return 1 / largest_kappa(&target);
}

/* ---- chi ---- */

typedef struct ChiIntegral
{
	double epsilon;
	double kappa;
	int k;
} ChiIntegral;

/* (1 - exp(epsilon - kappa x - kappa^2 / 2)) times the density of chi with k degrees of freedom. */
static double
chi_integrand(double x, void *context)
{
	const ChiIntegral *integral = context;
	double k = integral->k;
	double loss = integral->kappa * x + integral->kappa * integral->kappa / 2;
	double log_density = (k - 1) * log(x) - x * x / 2 - (k / 2 - 1) * log(2.0) - lgamma(k / 2);

	return -expm1(integral->epsilon - loss) * exp(log_density);
}

/*
 * Source: PRIVACY.md 1.3 (a).  Gauss's rule of 20 points on panels of 1/4, from where
 * the loss is epsilon to where the chi law has no mass that a double could hold.
 */
double
calibration_chi_delta(double epsilon, double kappa, int k)
{
	const double panel = 0.25;
	gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(20);
	ChiIntegral integral = {epsilon, kappa, k};
	gsl_function function = {chi_integrand, &integral};
	double start = fmax(0, (epsilon - kappa * kappa / 2) / kappa);
	double end = sqrt(k) + 40;
	double sum = 0;

	for (double x = start; x < end; x += panel)
		sum += gsl_integration_glfixed(&function, x, x + panel, rule);
	gsl_integration_glfixed_table_free(rule);
	return sum;
}

static double
chi_bound(const Target *target, double kappa)
{
	return log(calibration_chi_delta(target->epsilon, kappa, target->k));
}

double
calibration_chi_kappa(double epsilon, double delta, int k)
{
	Target target = {.epsilon = epsilon, .log_delta = log(delta), .k = k, .log_bound = chi_bound};

	return largest_kappa(&target);
}

/*
 * Source: PRIVACY.md 1.3 (a).  P(|z| > a) <= delta with a = sqrt(k) + sqrt(2 ln 1/delta), and
 * elsewhere the loss is at most kappa a + kappa^2 / 2 = epsilon.
 */
double
calibration_closed_kappa(double epsilon, double delta, int k)
{
	double a = sqrt(k) + sqrt(2 * log(1 / delta));

	return sqrt(a * a + 2 * epsilon) - a;
}

/* ---- signs ---- */

/* The law of S = sum of k independent |z_i|, each rounded up to a multiple of a step. */
typedef struct SignsLaw
{
	int k;
	int points;
	double *mass; /* [points], of S = (k + i) steps, each rounded up */
} SignsLaw;

#define SIGNS_STEP 2e-3

/* What doubles may get wrong in one mass of a law, out of 1. */
#define SIGNS_ROUNDING 1e-14

/* P(S is beyond the last point), see signs_points(). */
#define SIGNS_TAIL 1e-34

/*
 * A power of two.  S <= sqrt(k) |z| and P(|z| > sqrt(k) + t) <= exp(-t^2 / 2); the last point
 * is above sqrt(k) (sqrt(k) + 12.5) for k <= 128, and the transform is twice as long.
 */
static int
signs_points(int k)
{
	double last = k + 12.5 * sqrt(k) + 1;
	int points = 1;

	while (points * SIGNS_STEP < last)
		points *= 2;
	return points;
}

/* For which E |z| is the wanted mean: exp(tilt |z|) makes |z| a normal around tilt, cut at 0. */
static double
choose_tilt(double mean)
{
	double low = 0;
	double high = 40;

	for (int i = 0; i < 60; i++)
	{
		double tilt = (low + high) / 2;

		if (tilt + exp(log_normal_density(tilt) - log_normal_above(-tilt)) < mean)
			low = tilt;
		else
			high = tilt;
	}
	return low;
}

/* Tilted masses of one |z|, rounded up to (i + 1) steps; their sum is made 1, and returned. */
static double
tilt_one(SignsLaw *law, double tilt)
{
	double *mass = law->mass;
	double sum = 0;

	for (int i = 0; i < law->points; i++)
	{
		double x = i * SIGNS_STEP;
		double low = log_normal_above(x);
		double log_mass = log(2) + low + log(-expm1(log_normal_above(x + SIGNS_STEP) - low));

		mass[i] = exp(log_mass + tilt * (x + SIGNS_STEP));
		sum += mass[i];
	}
	for (int i = 0; i < law->points; i++)
		mass[i] /= sum;
	return sum;
}

/* (re + i im)^power */
static void
complex_power(double *re, double *im, int power)
{
	double x = *re;
	double y = *im;
	double a = 1;
	double b = 0;

	for (; power > 0; power >>= 1)
	{
		double square = x * x - y * y;

		if (power & 1)
		{
			double next = a * x - b * y;

			b = a * y + b * x;
			a = next;
		}
		y = 2 * x * y;
		x = square;
	}
	*re = a;
	*im = b;
}

/* The k-fold convolution, by GSL's transform of a real sequence. */
static void
convolve(double *mass, int length, int k)
{
	double none = 0;

	(void) gsl_fft_real_radix2_transform(mass, 1, (size_t) length);
	complex_power(&mass[0], &none, k);
	none = 0;
	complex_power(&mass[length / 2], &none, k);
	for (int i = 1; i < length / 2; i++)
		complex_power(&mass[i], &mass[length - i], k);
	(void) gsl_fft_halfcomplex_radix2_inverse(mass, 1, (size_t) length);
}

/*
 * mean: near where S will be asked for.  A transform's errors are small in relation to the
 * largest masses only, so it is made of the law times exp(tilt S), whose mean is
 * there; then the tilt is taken back.
 */
static void
signs_create(SignsLaw *law, int k, double mean)
{
	double tilt = choose_tilt(mean / k);
	double log_constant;

	law->k = k;
	law->points = signs_points(k);
	law->mass = calloc(2 * (size_t) law->points, sizeof(double));
	if (law->mass == NULL)
		return;
	log_constant = k * log(tilt_one(law, tilt));
	convolve(law->mass, 2 * law->points, k);
	for (int i = 0; i < law->points; i++)
		law->mass[i] = (fmax(0, law->mass[i]) + SIGNS_ROUNDING) *
					   exp(log_constant - tilt * (k + i) * SIGNS_STEP);
}

static void
signs_destroy(SignsLaw *law)
{
	free(law->mass);
}

/*
 * Source: PRIVACY.md 1.3 (c), (2) with X = S / sqrt(k).  Every |z_i| was rounded up, and with
 * it the loss.
 */
static double
signs_delta(const SignsLaw *law, double epsilon, double kappa)
{
	double sum = SIGNS_TAIL;

	for (int i = law->points - 1; i >= 0; i--)
	{
		double loss = kappa * (law->k + i) * SIGNS_STEP / sqrt(law->k) + kappa * kappa / 2;

		if (loss <= epsilon)
			break;
		sum += -expm1(epsilon - loss) * law->mass[i];
	}
	return fmin(1, sum);
}

static double
signs_bound(const Target *target, double kappa)
{
	return log(signs_delta(target->law, target->epsilon, kappa));
}

/* What S is where the loss is epsilon. */
static double
critical_sum(double epsilon, double kappa, int k)
{
	return fmax(0, (epsilon - kappa * kappa / 2) / kappa) * sqrt(k);
}

double
calibration_signs_delta(double epsilon, double kappa, int k)
{
	SignsLaw law;
	double delta;

	signs_create(&law, k, critical_sum(epsilon, kappa, k));
	delta = law.mass == NULL ? 1 : signs_delta(&law, epsilon, kappa);
	signs_destroy(&law);
	return delta;
}

/* Without memory, or with too many points, the bound is not made: 0 loses to the others. */
double
calibration_signs_kappa(double epsilon, double delta, int k)
{
	double near = fmax(calibration_union_kappa(epsilon, delta, k * log(2)),
					   calibration_chi_kappa(epsilon, delta, k));
	SignsLaw law;
	Target target = {
		.epsilon = epsilon, .log_delta = log(delta), .law = &law, .log_bound = signs_bound};
	double kappa;

	if (k > 128)
		return 0;
	signs_create(&law, k, critical_sum(epsilon, near, k));
	kappa = law.mass == NULL ? 0 : largest_kappa(&target);
	signs_destroy(&law);
	return kappa;
}

/* ---- the best of them ---- */

double
calibration_kappa(double epsilon, double delta, const CalibrationShifts *shifts,
				  CalibrationBound *bound)
{
	double kappa[] = {
		[CALIBRATION_CHI] = calibration_chi_kappa(epsilon, delta, shifts->dimension),
		[CALIBRATION_UNION] = calibration_union_kappa(epsilon, delta, shifts->log_vectors),
		[CALIBRATION_SIGNS] =
			shifts->signs ? calibration_signs_kappa(epsilon, delta, shifts->dimension) : 0,
	};

	*bound = CALIBRATION_CHI;
	for (CalibrationBound b = CALIBRATION_UNION; b <= CALIBRATION_SIGNS; b++)
		if (kappa[b] > kappa[*bound])
			*bound = b;
	return kappa[*bound];
}

/* ---- as published ---- */

/* Source: PRIVACY.md 1.1, sigma = 7 G D^2 sqrt(ln 1/delta) / (tau epsilon) with G = 1 / tau. */
double
calibration_published_opdisc(double epsilon, double delta, double squared_radius, double separation)
{
	return 7 * squared_radius * sqrt(log(1 / delta)) / (separation * separation * epsilon);
}

/* Source: PRIVACY.md 2, sigma = 7 sqrt(m ln 1/delta) / epsilon. */
double
calibration_published_rspm(double epsilon, double delta, int separators)
{
	return 7 * sqrt(separators * log(1 / delta)) / epsilon;
}
