/*
 * objective_bound.c - how far opdisc and rspm may be from the optimum, for every noise.
 *
 * Source: theorem U3.  The excess is at most X / N, X = max over w of <r, phi(w) - phi(v)>, v the
 * optimum. lambda is the rate of gauge.h, for a lattice step.
 */
#include "core/mechanisms/objective.h"

#include <math.h>

#include "core/mechanisms/utility.h"
#include "core/noise/gauge.h"

#define TWO_PI 6.283185307179586

/*
 * The shape of one row of one-hot noise with n levels (a coordinate of the cube is a row of two
 * levels). Given the radius J the row is uniform on the integer vectors r >= 0 with min r = 0 and
 * sum r <= J.  The row's part of X is max r - r_v <= J, with E(max r - r_v) <= slope J + offset
 * (lemma U4).
 */
typedef struct RowShape
{
	double slope;
	double offset;
} RowShape;

static RowShape
row_shape(int levels)
{
	double n = levels;
	double harmonic = 0;

	if (levels < 2)
		return (RowShape){0, 0};
	for (int i = 1; i < levels; i++)
		harmonic += 1.0 / i;
	return (RowShape){harmonic / n - (n - 1) / (n * n), 1 + harmonic * (n - 1) / n};
}

/* The rows of one-hot noise: a coordinate of the cube and a separator are rows of two levels. */
static int
rows_of(const Grid *grid, GaugeKind kind, int j)
{
	return kind == GAUGE_SEPARATORS ? grid->levels[j] - 1 : 1;
}

static int
row_levels(const Grid *grid, GaugeKind kind, int j)
{
	return kind == GAUGE_ONEHOT ? grid->levels[j] : 2;
}

/* All rows of the noise. */
typedef struct NoiseRows
{
	int rows;        /* of two levels or more */
	int freedom;     /* D, the sum of levels - 1 */
	RowShape shapes; /* sums over the rows */
} NoiseRows;

static NoiseRows
noise_rows(const Grid *grid, GaugeKind kind)
{
	NoiseRows sum = {0, 0, {0, 0}};

	for (int j = 0; j < grid->dimension; j++)
	{
		int rows = rows_of(grid, kind, j);
		int levels = row_levels(grid, kind, j);
		RowShape shape = row_shape(levels);

		sum.rows += levels > 1 ? rows : 0;
		sum.freedom += rows * (levels - 1);
		sum.shapes.slope += rows * shape.slope;
		sum.shapes.offset += rows * shape.offset;
	}
	return sum;
}

/*
 * The factor by which exponential moments and the mean of J + 1/2 may exceed those of a Gamma
 * variable of shape D + 1 (lemma U4): 1.013 at most for lambda <= 1/4 and D >= 1.
 */
static double
lattice_factor(int freedom, double lambda)
{
	double off = 4 * pow(lambda / TWO_PI, freedom + 1);

	return (1 + off) / (1 - off);
}

/*
 * The p above mean with KL(p || mean) = exponent, at most 1.  The mean of independent variables in
 * [0, 1] is above p with probability at most exp(-count KL(p || mean)) (Hoeffding 1963, theorem 1).
 */
static double
share_tail(double mean, double exponent)
{
	double low = mean;
	double high = 1;

	for (int i = 0; i < 100; i++)
	{
		double p = (low + high) / 2;
		double divergence = p * log(p / mean) + (p < 1 ? (1 - p) * log((1 - p) / (1 - mean)) : 0);

		if (divergence < exponent)
			low = p;
		else
			high = p;
	}
	return high;
}

/*
 * Two bounds on X given J <= radius, each except for probability beta / 2 (lemma U4).  The first is
 * better for many coordinates, the second for few with many levels.
 *
 * X is a sum of independent parts in [0, radius] with a known mean.
 */
static double
sum_given_radius(const NoiseRows *noise, double radius, double beta)
{
	double mean = (noise->shapes.slope * radius + noise->shapes.offset) / (noise->rows * radius);

	if (mean >= 1)
		return noise->rows * radius;
	return noise->rows * radius * share_tail(mean, log(2 / beta) / noise->rows);
}

/* Part by part: with m = n - 1, P(max r > 1 + u (J + m)) <= m (1 - u)^m. */
static double
parts_given_radius(const Grid *grid, GaugeKind kind, const NoiseRows *noise, double radius,
				   double beta)
{
	double sum = 0;

	for (int j = 0; j < grid->dimension; j++)
	{
		int m = row_levels(grid, kind, j) - 1;

		if (m > 0)
			sum += rows_of(grid, kind, j) *
				   (1 + (1 - pow(beta / 2 / noise->rows / m, 1.0 / m)) * (radius + m));
	}
	return sum;
}

/* In lattice steps.  The radius has the other half of beta. */
static void
onehot_bound(const Grid *grid, GaugeKind kind, double lambda, double beta, UtilityBound *bound)
{
	NoiseRows noise = noise_rows(grid, kind);
	double factor = lattice_factor(noise.freedom, lambda);
	double shape = noise.freedom + 1;
	double radius = utility_gamma_tail(shape, log(2 * factor / beta)) / lambda;

	bound->rows = fmin(sum_given_radius(&noise, radius, beta),
					   parts_given_radius(grid, kind, &noise, radius, beta));
	bound->mean = noise.shapes.slope * shape * factor / lambda + noise.shapes.offset;
}

/*
 * In lattice steps.  Source: lemma U5.  |r| = max(k max|r_j|, sum|r_j|) has the exponential moments
 * of a Gamma of shape d times exp(lambda d), and
 *
 *   X <= |r| - <r, v>,  E <r, v> = 0,  P(-<r, v> >= u |r|) <= exp(-k u^2 / 2)
 *   E |r| = -d ln Z / d lambda <= (ln Z(lambda (1 - s)) - ln Z(lambda)) / (lambda s)
 */
static void
sparse_bound(int dimension, int nonzeros, double lambda, double beta, UtilityBound *bound)
{
	double d = dimension;
	double radius = utility_gamma_tail(d, log(2 / beta) + lambda * d) / lambda;
	double opposite = fmin(1, sqrt(2 * log(2 / beta) / nonzeros));
	double s = sqrt(2 * lambda);

	bound->rows = (1 + opposite) * radius;
	bound->mean = d / lambda * (lambda - log1p(-s)) / s;
}

/*
 * In lattice steps.  Source: lemma U6.  With independent r, P(r) proportional to rho^|r|, rho =
 * exp(-lambda), the part of a sign, or of a separator, in X is at most xi = max(0, r):
 *
 *   E exp(s xi) = (1 + (1 - rho) rho e^s / (1 - rho e^s)) / (1 + rho),  E xi = rho / (1 - rho^2)
 */
static double
log_moment(double rho, double s)
{
	double up = rho * exp(s);

	return log((1 + (1 - rho) * up / (1 - up)) / (1 + rho));
}

/* The least t, over some s, with count ln E exp(s xi) - s t <= -exponent (Chernoff). */
static double
laplace_sum_tail(int count, double lambda, double exponent)
{
	double least = INFINITY;

	for (int i = 1; i < 200; i++)
	{
		double s = lambda * i / 200;

		least = fmin(least, (count * log_moment(exp(-lambda), s) + exponent) / s);
	}
	return least;
}

static double
laplace_mean(double lambda)
{
	return exp(-lambda) / -expm1(-2 * lambda);
}

static void
laplace_bound(int count, double lambda, double beta, UtilityBound *bound)
{
	bound->rows = laplace_sum_tail(count, lambda, log(1 / beta));
	bound->mean = count * laplace_mean(lambda);
}

/*
 * Exactly k of d signs: X is at most the sum of the k largest |r_j| plus a sum of k xi.  |r_j| is
 * stochastically below 1 + an exponential variable of rate lambda, whose i-th largest of d has the
 * mean (1/i + ... + 1/d) / lambda.
 */
static void
sparse_laplace_bound(int d, int k, double lambda, double beta, UtilityBound *bound)
{
	double mean = 0;

	for (int i = 1; i <= d; i++)
		mean += fmin(i, k) / i / lambda;
	bound->mean = k + mean;
	bound->rows = k * (1 + log(2 * d / beta) / lambda) + laplace_sum_tail(k, lambda, log(2 / beta));
}

/* Turns steps into rows; a step of the noise of a sign counts twice, from -1 to 1. */
static void
lattice_bound(const Grid *grid, const Gauge *gauge, double beta, UtilityBound *bound)
{
	double lambda = gauge_rate_double(gauge, grid);
	double step = 1.0 / (double) gauge->scale;

	switch (gauge->kind)
	{
		case GAUGE_SPARSE:
			sparse_bound(grid->dimension, grid->bound, lambda, beta, bound);
			break;
		case GAUGE_LAPLACE:
			if (grid->constraint == GRID_SPARSE)
				sparse_laplace_bound(grid->dimension, grid->bound, lambda, beta, bound);
			else
			{
				laplace_bound(grid->dimension, lambda, beta, bound);
				step *= 2;
			}
			break;
		case GAUGE_SEPARATORS_LAPLACE:
			laplace_bound(gauge_separators(grid), lambda, beta, bound);
			break;
		case GAUGE_CUBE:
			step *= 2;
			/* fall through */
		default:
			onehot_bound(grid, gauge->kind, lambda, beta, bound);
	}
	bound->rows *= step;
	bound->mean *= step;
}

/* ---- laws of real numbers ---- */

/* A bound that a normal variable exceeds with this probability at most. */
static double
normal_tail(double probability)
{
	return sqrt(2 * log(1 / probability));
}

/* E |z| of k normals. */
static double
mean_length(int k)
{
	return sqrt(2) * exp(lgamma((k + 1) / 2.0) - lgamma(k / 2.0));
}

/* The largest |phi(w)|; for separators, which are 0 or 1, the largest |phi(w) - phi(v)|. */
static double
feature_length(const Perturbation *perturbation)
{
	return perturbation->features == FEATURES_SEPARATORS ? sqrt(perturbation->dimension)
														 : sqrt(perturbation->squared_radius);
}

/*
 * A bound on E max over w of <z, phi(w) - phi(v)> for k normals z, divided by feature_length(): the
 * least of E |z|, the maximum of |W| normals, and, over sqrt(k), the sum of |z_i| for signs or of
 * max(0, z_i) for separators.
 */
static double
normal_mean(const Perturbation *perturbation, const Grid *grid)
{
	int k = perturbation->dimension;
	double most = fmin(mean_length(k), sqrt(2 * grid_log2_size(grid) * log(2)));

	if (perturbation->features == FEATURES_SEPARATORS)
		return fmin(most, sqrt(k / TWO_PI));
	return perturbation->signs ? fmin(most, sqrt(4 * k / TWO_PI)) : most;
}

/* Source: lemma U7.  X has the Lipschitz constant max |phi(w) - phi(v)|. */
static void
gaussian_bound(const Perturbation *perturbation, const Grid *grid, double beta, UtilityBound *bound)
{
	double lipschitz = perturbation->features == FEATURES_SEPARATORS ? 1 : 2;
	double unit = perturbation->spread * feature_length(perturbation);

	bound->mean = unit * normal_mean(perturbation, grid);
	bound->rows = bound->mean + unit * lipschitz * normal_tail(beta);
}

/*
 * Source: lemma U7.  r is a Gamma(k) radius times a direction that does not depend on it.  Given
 * the direction X is at most its length 1 less <direction, phi(v)>, of which a share u is exceeded
 * with probability exp(-k u^2 / 2) at most.
 */
static void
spherical_bound(const Perturbation *perturbation, const Grid *grid, double beta,
				UtilityBound *bound)
{
	int k = perturbation->dimension;
	double unit = perturbation->spread * feature_length(perturbation);
	double opposite = fmin(1, normal_tail(beta / 2) / sqrt(k));

	if (perturbation->features == FEATURES_SEPARATORS)
		opposite = 0;
	bound->mean = unit * k * fmin(1, normal_mean(perturbation, grid) / mean_length(k));
	bound->rows = unit * utility_gamma_tail(k, log(2 / beta)) * (1 + opposite);
}

/*
 * Source: lemma U7.  <u, w - v> with |u| <= 2 D r_0 and |w| <= D, and (r_0 - mean)
 * (|v|^2 - |w|^2), at most |r_0 - mean| D^2; E |u| = 2 D E r_0 (k - 1) / k.
 */
static void
paraboloid_bound(const Perturbation *perturbation, double beta, UtilityBound *bound)
{
	double k = perturbation->dimension;
	double unit = perturbation->spread * perturbation->squared_radius;
	double radius = utility_gamma_tail(k, log(2 / beta));
	double opposite = fmin(1, normal_tail(beta / 2) / sqrt(fmax(1, k - 1)));

	bound->mean = unit * (2 * (k - 1) + sqrt(k));
	bound->rows = unit * (2 * radius * (1 + opposite) + fmax(radius - k, k));
}

/*
 * The most that rounding adds to a difference of rewards: 1/2 for each number, times its weights.
 */
static double
rounding_bound(const Perturbation *perturbation)
{
	if (perturbation->features == FEATURES_SEPARATORS)
		return 0.5 * perturbation->dimension;
	return perturbation->dimension + 2 * perturbation->squared_radius + 1;
}

static void
real_bound(const Perturbation *perturbation, const Grid *grid, double beta, UtilityBound *bound)
{
	double scale = (double) perturbation->scale;

	switch (perturbation->noise)
	{
		case PERTURBATION_SPHERICAL:
			spherical_bound(perturbation, grid, beta, bound);
			break;
		case PERTURBATION_PARABOLOID:
			paraboloid_bound(perturbation, beta, bound);
			break;
		default:
			gaussian_bound(perturbation, grid, beta, bound);
	}
	bound->rows = (bound->rows + rounding_bound(perturbation)) / scale;
	bound->mean = (bound->mean + rounding_bound(perturbation)) / scale;
}

void
objective_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	PerturbationRequest asked = mechanism_perturbation(request);
	Perturbation perturbation;

	perturbation_choose(&perturbation, &asked);
	if (perturbation.features == FEATURES_LATTICE)
		lattice_bound(&request->grid, &perturbation.gauge, beta, bound);
	else
		real_bound(&perturbation, &request->grid, beta, bound);
}
