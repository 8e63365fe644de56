/*
 * calibration.c - the scales of Gaussian noise: proposed in doubles, then proved.
 */
#include "core/noise/calibration.h"

#include <math.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_erf.h>

#include "core/base/mutant.h"
#include "core/noise/profile.h"
#include "core/noise/signs_law.h"

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
 * ln P(z > x), also where the probability underflows: Mills' ratio by its continued fraction 1 / (x
 * + 1 / (x + 2 / (x + 3 / ...))).
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

double
calibration_mills_fall(double x)
{
	return 1 - x / gsl_sf_hazard(x);
}

/*
 * If mu is small, the two terms of delta_G nearly cancel.  Their difference is phi(t - mu / 2) (M(t
 * - mu / 2) - M(t + mu / 2)), t = epsilon / mu, an integral of -M', which Gauss-Legendre quadrature
 * with three points computes to within 1e-15 of itself.
 */
#define SMALL_MU 0x1p-7

/* The tail beyond this many deviations is negligible beside 1e-18. */
#define MOST_TAIL 16

static double
log_gaussian_delta_of_small(double epsilon, double mu)
{
	double t = epsilon / mu;
	double side = mu / 2 * sqrt(0.6);
	double fall = (5 * (calibration_mills_fall(t - side) + calibration_mills_fall(t + side)) +
				   8 * calibration_mills_fall(t)) /
				  18;

	return log_normal_density(t - mu / 2) + log(mu * fall);
}

/*
 * Source: theorem A2, Balle and Wang 2018.  ln of Phi(mu/2 - epsilon/mu) - e^epsilon
 * Phi(-mu/2 - epsilon/mu), mu = sensitivity / sigma.
 */
static double
log_gaussian_delta(double epsilon, double mu)
{
	double first = log_normal_above(epsilon / mu - mu / 2);
	double second = epsilon + log_normal_above(epsilon / mu + mu / 2);

	if (mu < SMALL_MU && epsilon < MOST_TAIL * mu)
		return log_gaussian_delta_of_small(epsilon, mu);
	return second < first ? first + log(-expm1(second - first)) : -INFINITY;
}

double
calibration_gaussian_delta(double epsilon, double mu)
{
	return exp(log_gaussian_delta(epsilon, mu));
}

/* ---- the largest kappa that a bound allows ---- */

/* The search interval of ln kappa, and its bisection steps. */
#define LEAST_LOG_KAPPA (-60)
#define MOST_LOG_KAPPA 10
#define STEPS 60

/* A proposal is made this much smaller before it is proved. */
#define PROPOSAL_SAFE (1 - 1e-10)

/* Bisection by the bound as computed in doubles. */
static double
propose_kappa(const CalibrationTarget *target)
{
	double low = LEAST_LOG_KAPPA;
	double high = MOST_LOG_KAPPA;

	for (int i = 0; i < STEPS; i++)
	{
		double middle = (low + high) / 2;

		if (target->delta_of(target, exp(middle)) <= target->delta)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

/* Bisection by what holds() proves, below a kappa that it could not prove. */
static double
search_proved(const CalibrationTarget *target, double above)
{
	double low = LEAST_LOG_KAPPA;
	double high = log(above);

	for (int i = 0; i < STEPS; i++)
	{
		double middle = (low + high) / 2;

		if (target->holds(target, exp(middle)))
			low = middle;
		else
			high = middle;
	}
	return target->holds(target, exp(low)) ? exp(low) : 0;
}

/*
 * The proposal fails only for tiny epsilon and delta, where doubles lose their digits; then the
 * slower search by proofs finds kappa.
 */
double
calibration_largest(const CalibrationTarget *target)
{
	double kappa = PROPOSAL_SAFE * propose_kappa(target);

	if (MUTANT(27))
		return kappa * (1 + 1e-7);
	return target->holds(target, kappa) ? kappa : search_proved(target, kappa);
}

static double
union_delta(const CalibrationTarget *target, double kappa)
{
	return exp(target->log_vectors + log_gaussian_delta(target->epsilon, kappa));
}

static bool
union_holds(const CalibrationTarget *target, double kappa)
{
	return profile_gaussian(target->epsilon, target->delta, target->log_vectors, kappa);
}

/* Source: theorem R5, union. */
double
calibration_union_kappa(double epsilon, double delta, double log_vectors)
{
	CalibrationTarget target = {.epsilon = epsilon,
								.delta = delta,
								.log_vectors = log_vectors,
								.delta_of = union_delta,
								.holds = union_holds};

	return calibration_largest(&target);
}

double
calibration_gaussian_sigma(double epsilon, double delta)
{
	return CALIBRATION_SAFE / calibration_union_kappa(epsilon, delta, 0);
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
 * The right side of (2) with X the chi law.  Source: theorem R5, chi.  Gauss's rule of 20 points on
 * panels of at most 1/4, from the x whose loss is epsilon to an x beyond which the chi law's mass
 * underflows.
 */
static double
chi_delta(const CalibrationTarget *target, double kappa)
{
	const double panel = 0.25 / (1 + kappa / 4);
	gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(20);
	ChiIntegral integral = {target->epsilon, kappa, target->k};
	gsl_function function = {chi_integrand, &integral};
	double start = fmax(0, (target->epsilon - kappa * kappa / 2) / kappa);
	double end = sqrt(target->k) + 40;
	double sum = 0;

	for (double x = start; x < end; x += panel)
		sum += gsl_integration_glfixed(&function, x, x + panel, rule);
	gsl_integration_glfixed_table_free(rule);
	return sum;
}

static bool
chi_holds(const CalibrationTarget *target, double kappa)
{
	return profile_chi(target->epsilon, target->delta, target->k, kappa);
}

double
calibration_chi_kappa(double epsilon, double delta, int k)
{
	CalibrationTarget target = {
		.epsilon = epsilon, .delta = delta, .k = k, .delta_of = chi_delta, .holds = chi_holds};

	return calibration_largest(&target);
}

/* ---- signs ---- */

static double
signs_delta(const CalibrationTarget *target, double kappa)
{
	return signs_law_delta(target->context, target->epsilon, kappa);
}

static bool
signs_holds(const CalibrationTarget *target, double kappa)
{
	return signs_law_holds(target->context, target->epsilon, target->delta, kappa);
}

/*
 * Source: theorem R5, (2) with X = sum |z_i| / sqrt(k).  Returns 0 if the law cannot be computed;
 * another bound then has the largest kappa.
 */
double
calibration_signs_kappa(double epsilon, double delta, int k)
{
	SignsLaw law;
	CalibrationTarget target = {.epsilon = epsilon,
								.delta = delta,
								.context = &law,
								.delta_of = signs_delta,
								.holds = signs_holds};
	double kappa = signs_law_create(&law, k) ? calibration_largest(&target) : 0;

	signs_law_destroy(&law);
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

/* sigma = 7 G D^2 sqrt(ln 1/delta) / (tau epsilon) with G = 1 / tau */
double
calibration_published_opdisc(double epsilon, double delta, double squared_radius, double separation)
{
	return 7 * squared_radius * sqrt(log(1 / delta)) / (separation * separation * epsilon);
}

/* sigma = 7 sqrt(m ln 1/delta) / epsilon */
double
calibration_published_rspm(double epsilon, double delta, int separators)
{
	return 7 * sqrt(separators * log(1 / delta)) / epsilon;
}
