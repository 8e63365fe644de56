/*
 * convex_scale.c - calibrations, each with its formula.
 */
#include "core/convex/convex_scale.h"

#include <math.h>
#include <gsl/gsl_sf_erf.h>

#include "core/noise/calibration.h"
#include "core/convex/convex_columns.h"
#include "core/convex/convex_loss.h"
#include "core/base/mutant.h"
#include "core/noise/profile.h"

#define SQRT_HALF 0.70710678118654752440
#define SQRT_TWO_PI 2.50662827463100050242

/* ---- objective perturbation ---- */

static double
log_normal_cdf(double x)
{
	return gsl_sf_log_erfc(-x * SQRT_HALF) - log(2);
}

/*
 * The loss beyond the Hessian's part is at most mu^2 / 2 + mu |Z|, so
 *   delta = 2 delta_G(rest; mu) if rest >= mu^2 / 2, else 1 - 2 e^rest Phi(-mu).
 */
static double
objective_delta_folded(double rest, double mu)
{
	if (rest >= mu * mu / 2)
		return 2 * calibration_gaussian_delta(rest, mu);
	return -expm1(log(2) + rest + log_normal_cdf(-mu));
}

/*
 * E (1 - e^(rest - mu^2 / 2 - mu X))_+ for X of the law chi_2, density x e^(-x^2 / 2).  With
 * t = (rest - mu^2 / 2) / mu: mu sqrt(2 pi) e^rest Phi(-t - mu) if t >= 0.  For t < 0 the bracket
 * is always positive: 1 - e^rest (e^(-mu^2 / 2) - mu sqrt(2 pi) Phi(-mu)) = 1 - e^(rest - mu^2 / 2)
 * (1 - mu M(mu)), in which nothing overflows.
 */
double
objective_delta_chi2(double rest, double mu)
{
	double t = (rest - mu * mu / 2) / mu;

	if (t >= 0)
		return mu * SQRT_TWO_PI * exp(rest + log_normal_cdf(-t - mu));
	return 1 - exp(rest - mu * mu / 2) * calibration_mills_fall(mu);
}

/*
 * May the folded law be used?  Under replace it is proved only in this range, less a margin for
 * rounding.
 */
static bool
is_folded(double rest, double mu, Adjacency adjacency)
{
	return adjacency == ADJACENCY_ADD_REMOVE ||
		   rest * rest >= (mu * mu + mu * mu * mu * mu / 4) * CALIBRATION_SAFE;
}

double
objective_delta(double rest, double mu, Adjacency adjacency)
{
	return is_folded(rest, mu, adjacency) ? objective_delta_folded(rest, mu)
										  : objective_delta_chi2(rest, mu);
}

static double
target_delta(const CalibrationTarget *target, double mu)
{
	return objective_delta(target->epsilon, mu, *(const Adjacency *) target->context);
}

static bool
target_holds(const CalibrationTarget *target, double mu)
{
	if (is_folded(target->epsilon, mu, *(const Adjacency *) target->context))
		return profile_folded(target->epsilon, target->delta, mu);
	return profile_chi(target->epsilon, target->delta, 2, mu);
}

/* ln(1 + beta / lambda) + mu^2 / 2 + ((a - 1)^2 mu^2 / 2 + ln(2 Phi((a - 1) mu))) / (a - 1) */
double
objective_renyi(double alpha, double mu, double beta_over_lambda)
{
	double a = alpha - 1;

	return log1p(beta_over_lambda) + mu * mu / 2 +
		   (a * a * mu * mu / 2 + log(2) + log_normal_cdf(a * mu)) / a;
}

double
objective_sigma(double epsilon, double delta, double beta_over_lambda, Adjacency adjacency)
{
	CalibrationTarget target = {.epsilon = epsilon - log1p(beta_over_lambda),
								.delta = delta,
								.context = &adjacency,
								.delta_of = target_delta,
								.holds = target_holds};

	return CALIBRATION_SAFE * privacy_margin(adjacency) / calibration_largest(&target);
}

double
objective_gamma(double epsilon, double beta_over_lambda, Adjacency adjacency)
{
	return CALIBRATION_SAFE * (MUTANT(217) ? 1 : privacy_margin(adjacency)) /
		   (epsilon - (MUTANT(33) ? 0 : log1p(beta_over_lambda)));
}

/* Under replace the share of delta for the corners that are at most sqrt(3/4) g long. */
#define SHORTER_SHARE (1.0 / 4)
#define SHORTER_LENGTH 0.86602540378443871 /* above the root of 3/4 */

/*
 * The difference of gradients is in the hull of 0 and K - 1 vectors of length g at most, and under
 * replace of K (K - 1) more of length sqrt(3/4) g at most: delta is at most the sum of the Gaussian
 * mechanism's for all (theorem V15).
 */
double
objective_classes_sigma(double epsilon, double delta, double ratio, int classes,
						Adjacency adjacency)
{
	double rest = epsilon - log1p(ratio);
	double corners = MUTANT(246) ? 1 : classes - 1;
	double longest = delta / corners;
	double shorter = SHORTER_SHARE * longest / classes;
	double sigma;

	if (adjacency == ADJACENCY_ADD_REMOVE)
		sigma = calibration_gaussian_sigma(rest, longest);
	else
		sigma = fmax(calibration_gaussian_sigma(rest, (1 - SHORTER_SHARE) * longest),
					 MUTANT(279) ? 0 : SHORTER_LENGTH * calibration_gaussian_sigma(rest, shorter));
	return CALIBRATION_SAFE * privacy_margin(adjacency) * sigma;
}

/* ---- choosing the noise ---- */

/*
 * |gradient| <= tolerance = 2^-26 min(1, lambda) puts the answer within 2^-26 of the minimiser. The
 * noise that hides the difference takes one part in 256 of epsilon.  It moves the answer by 2^-17 d
 * / epsilon at most, far less than the noise of the objective, 2 d / epsilon over the curvature.
 */
#define TOLERANCE_BITS 26
#define OUTER_SHARE 256

/*
 * The Hessian's part takes at most this share of the objective's epsilon; at least a sixteenth is
 * left for the noise.
 */
#define HESSIAN_SHARE (15.0 / 16)

/*
 * The typical length of the noise, d scale, is at most NOISE_LIMIT, and at most NOISE_LIMIT_LAMBDA
 * times lambda.
 */
#define NOISE_LIMIT 0x1p24
#define NOISE_LIMIT_LAMBDA 0x1p14

/* delta as a double, at most 1/2: a larger delta hardly reduces the noise. */
static double
delta_value(int64_t delta)
{
	return fmin(privacy_delta(delta), 0.5);
}

static double
lambda_value(int64_t lambda)
{
	return (double) lambda / (double) LAMBDA_ONE;
}

double
convex_outer_epsilon(double epsilon)
{
	return epsilon / OUTER_SHARE;
}

double
convex_inner_epsilon(double epsilon)
{
	return epsilon * (1 - 1.0 / OUTER_SHARE);
}

/* A row's Hessian has K - 1 eigenvalues on S, of this mean at most (theorem V14). */
static double
class_curvature(int classes)
{
	double others = classes - 1;

	return (3 * others - 1) / (4 * others * others);
}

double
convex_lambda_for_hessian(const ConvexTerms *terms, double epsilon)
{
	if (terms->classes > 0)
		return class_curvature(terms->classes) / expm1(epsilon / (terms->classes - 1));
	return loss_curvature(terms->loss) / expm1(epsilon);
}

/* The least lambda that leaves the noise its share of epsilon; above LAMBDA_MAX if none does. */
static int64_t
least_lambda(ConvexKind kind, const ConvexTerms *terms, double epsilon)
{
	double share = HESSIAN_SHARE * convex_inner_epsilon(epsilon);
	double least;

	if (kind == CONVEX_OUTPUT)
		return LAMBDA_MIN;
	least = convex_lambda_for_hessian(terms, share);
	if (least >= lambda_value(LAMBDA_MAX))
		return LAMBDA_MAX + 1;
	return (int64_t) ceil(fmax(least * (double) LAMBDA_ONE, (double) LAMBDA_MIN));
}

/* c; the double is above the root of 1 / 2. */
static double
steepness(const ConvexTerms *terms)
{
	if (terms->classes > 0)
		return MUTANT(245) ? 0.5 : 0.70710678118654757;
	return loss_steepness(terms->loss);
}

double
convex_curvature(const ConvexTerms *terms)
{
	return terms->classes > 0 ? 0.5 : loss_curvature(terms->loss);
}

double
convex_gradient_change(const ConvexTerms *terms, Adjacency adjacency)
{
	return steepness(terms) * privacy_margin(adjacency);
}

double
convex_determinant(const ConvexTerms *terms)
{
	double lambda = lambda_value(terms->lambda);
	int classes = terms->classes;

	if (classes > 0)
		return expm1((MUTANT(249) ? 1 : classes - 1) * log1p(class_curvature(classes) / lambda));
	return loss_curvature(terms->loss) / lambda;
}

/* The scale of noise on a vector whose distance between neighbours is at most distance. */
static double
distance_scale(const ConvexTerms *terms, double epsilon, double distance)
{
	if (terms->noise == CONVEX_GAUSSIAN)
		return distance * calibration_gaussian_sigma(epsilon, delta_value(terms->delta));
	return CALIBRATION_SAFE * distance / epsilon;
}

/*
 * Output perturbation: minimisers of neighbours are at most g / lambda apart, and the vector found
 * is within tolerance / lambda of the minimiser (theorem V2).
 */
static void
settle_output(const ConvexTerms *terms, double epsilon, Adjacency adjacency, ConvexScale *scale)
{
	double lambda = lambda_value(terms->lambda);
	double change = convex_gradient_change(terms, adjacency);

	scale->inner = 0;
	scale->outer = distance_scale(terms, epsilon, (change + 2 * scale->tolerance) / lambda);
}

/*
 * The outer noise is pure, so all of delta goes to the objective. ratio and inner are rounded to
 * the safe side before ln(1 + ratio) is subtracted from inner, of which at least a sixteenth is
 * left.
 */
static void
settle_objective(const ConvexTerms *terms, double epsilon, Adjacency adjacency, ConvexScale *scale)
{
	double lambda = lambda_value(terms->lambda);
	double square = MUTANT(216) ? terms->radius * terms->radius : 1;
	double ratio = convex_determinant(terms) / square * CALIBRATION_SAFE;
	double inner = convex_inner_epsilon(epsilon) / CALIBRATION_SAFE;

	if (terms->noise != CONVEX_GAUSSIAN)
		scale->inner = objective_gamma(inner, ratio, adjacency);
	else if (terms->classes > 0)
		scale->inner = objective_classes_sigma(inner, delta_value(terms->delta), ratio,
											   terms->classes, adjacency);
	else
		scale->inner = objective_sigma(inner, delta_value(terms->delta), ratio, adjacency);
	scale->inner *= steepness(terms);
	scale->outer = CALIBRATION_SAFE * 2 * scale->tolerance / lambda * OUTER_SHARE / epsilon;
}

double
convex_unit_length(const ConvexTerms *terms, int dimension)
{
	ColumnsBody body;

	if (terms->noise != CONVEX_KNORM)
		return 1;
	columns_body_make(&terms->columns, terms->radius, dimension, &body);
	return body.length;
}

ConvexVerdict
convex_scale(ConvexKind kind, const ConvexTerms *terms, double epsilon, Adjacency adjacency,
			 int dimension, ConvexScale *scale)
{
	double lambda = lambda_value(terms->lambda);
	double noise;

	scale->least = least_lambda(kind, terms, epsilon);
	if (scale->least > LAMBDA_MAX)
		return CONVEX_NOISE_TOO_LARGE;
	if (terms->lambda < scale->least)
		return CONVEX_LAMBDA_TOO_SMALL;
	scale->tolerance = ldexp(fmin(lambda, 1), -TOLERANCE_BITS);
	if (kind == CONVEX_OUTPUT)
		settle_output(terms, epsilon, adjacency, scale);
	else
		settle_objective(terms, epsilon, adjacency, scale);
	noise = dimension *
			fmax(scale->inner * convex_unit_length(terms, dimension), scale->outer * lambda);
	return noise <= NOISE_LIMIT && noise <= NOISE_LIMIT_LAMBDA * lambda ? CONVEX_FITS
																		: CONVEX_NOISE_TOO_LARGE;
}
