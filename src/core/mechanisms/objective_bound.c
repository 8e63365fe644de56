/*
 * objective_bound.c - how far opdisc and rspm may be from the optimum, for every noise.
 */
#include "core/mechanisms/objective.h"

#include <math.h>

#include "core/mechanisms/utility.h"
#include "core/noise/gauge.h"

#define TWO_PI 6.283185307179586

/*
 * Source: theorem U3.  The answer w(r) is no worse than the optimum v in
 * the objective, N L(w(r)) - <r, phi(w(r))> <= N L(v) - <r, phi(v)>, so that
 *
 *   excess <= X / N,  X = max over w of <r, phi(w) - phi(v)>,
 *
 * with equality in law for losses that are 0 at v and t elsewhere.  v depends on
 * the data only, r on the noise only.  lambda is the rate of gauge.h, per lattice
 * step.
 */

/*
 * The shape of one row of one-hot noise with n levels (the cube's coordinates are
 * rows of two): given the radius J it is uniform on the integer vectors r >= 0
 * with min r = 0 and sum r <= J.  The row's part of X is max r - r_v <= J, and
 *
 *   E(max r - r_v) <= slope J + offset
 *   slope  = H / n - (n - 1) / n^2,  H = 1 + 1/2 + ... + 1 / (n - 1)
 *   offset = 1 + H (n - 1) / n
 *
 * For let the first zero be at z, so that r = y + (1 before z), with y uniform on
 * the n - 1 integers >= 0 of sum at most K = J - z + 1: with their slack, a uniform
 * composition of K into n parts.  That of T = K + n - 1 into n real parts (spacings)
 * has as its integer parts a uniform composition of a number between K and T, and
 * one of more is stochastically larger in each part (Polya's urn).  Hence E max y <=
 * T H / n, and E max r <= 1 + (J + n - 1) H / n.  Also E(sum r | z) = (z - 1) + K (n -
 * 1) / n >= J (n - 1) / n, of which r_v has the n-th part: all levels are alike.
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

/* All of them together. */
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
 * The radius J has P(J) proportional to prod_j A(n_j, J) exp(-lambda J) (gauge.c).
 * With y = J + 1/2, n! A(n, J) is prod (y + c_i) - prod (y - c_i), c_i = i - 1/2, i =
 * 1 .. n: a polynomial in y with coefficients >= 0 and degree n - 1.  So the law
 * of y is a mixture of laws proportional to y^m exp(-lambda y), m <= D, on the
 * half-integers, and stochastically below the one with m = D.  By Poisson's
 * summation the normaliser of that is D! / lambda^(D+1), the Gamma's, times 1 + e
 * with |e| <= 2 zeta(D+1) (lambda / 2 pi)^(D+1).  So its exponential moments, and its
 * mean (D+1) / lambda, are the Gamma's but for this factor, which is 1.013 at most
 * for lambda <= 1/4 and D >= 1.
 */
static double
lattice_factor(int freedom, double lambda)
{
	double off = 4 * pow(lambda / TWO_PI, freedom + 1);

	return (1 + off) / (1 - off);
}

/*
 * The p above mean with KL(p || mean) = exponent, at most 1: Hoeffding 1963, theorem 1.
 * The mean of independent variables in [0, 1] is above p with probability at most
 * exp(-count KL(p || mean)).
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
 * Two bounds on X given J <= radius, each but for probability beta / 2; the first
 * is better for many coordinates, the other for few with many levels.
 *
 * X is a sum of independent parts in [0, radius] whose mean is known.
 */
static double
sum_given_radius(const NoiseRows *noise, double radius, double beta)
{
	double mean = (noise->shapes.slope * radius + noise->shapes.offset) / (noise->rows * radius);

	if (mean >= 1)
		return noise->rows * radius;
	return noise->rows * radius * share_tail(mean, log(2 / beta) / noise->rows);
}

/*
 * Or part by part.  With y and K as above and m = n - 1, P(y_i >= k) = C(K - k + m, m)
 * / C(K + m, m) <= (1 - k / (K + m))^m, and so P(max r > 1 + u (J + m)) <= m (1 - u)^m.
 */
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

/* In lattice steps.  The radius takes the other half of beta. */
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
 * In lattice steps.  Source: lemma U5.  |r| = max(k max|r_j|, sum|r_j|)
 * is a norm, at most d / 2 on a unit cube around 0, so the sums of exp(-lambda |r|)
 * over the lattice are integrals but for factors exp(+- lambda d / 2), and |r| has
 * the exponential moments of a Gamma of shape d but for exp(lambda d).  The k largest
 * |r_j| add up to |r| at most, so that
 *
 *   X <= |r| - <r, v>,  E <r, v> = 0,
 *   P(-<r, v> >= u |r|) <= exp(-k u^2 / 2)
 *
 * for given |r_j|, because v has k entries of +-1, the signs of r are fair and
 * independent, and k squares of at most (|r| / k)^2 add up to |r|^2 / k at most
 * (Hoeffding).  The mean: -d ln Z / d lambda <= (ln Z(lambda (1 - s)) - ln Z(lambda)) /
 * (lambda s), as ln Z is convex.
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
 * In lattice steps.  Source: lemma U6.  Independent r with P(r) proportional to
 * rho^|r|, rho = exp(-lambda).  The part of a sign, and of a separator, in X is at most
 * that of r where it is against v, xi = max(0, r) after a change of sign:
 *
 *   E exp(s xi) = (1 + (1 - rho) rho e^s / (1 - rho e^s)) / (1 + rho),  E xi = rho / (1 - rho^2)
 *
 * For separators X is at most the sum of all xi, because what a coordinate gains between
 * v_j and w_j is a sum of thresholds' noises, each with the sign of its direction.
 */
static double
log_moment(double rho, double s)
{
	double up = rho * exp(s);

	return log((1 + (1 - rho) * up / (1 - up)) / (1 + rho));
}

/* The least t with count ln E exp(s xi) - s t <= -exponent for one of some s: Chernoff. */
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
 * Exactly k of d signs: X is the sum of the k largest |r_j|, less <r, v>, which is at most
 * the sum of k xi.  |r_j| is stochastically below 1 + an exponential variable of rate
 * lambda, whose i-th largest has the mean (1/i + ... + 1/d) / lambda.
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

/* lambda in steps of the lattice. */
static double
noise_rate(const Gauge *gauge, const Grid *grid)
{
	double rate;
	mpz_t p;
	mpz_t q;

	mpz_inits(p, q, NULL);
	gauge_rate(gauge, grid, p, q);
	rate = mpz_get_d(p) / mpz_get_d(q);
	mpz_clears(p, q, NULL);
	return rate;
}

/* From steps to rows; a step of the noise of a sign counts twice, from -1 to 1. */
static void
lattice_bound(const Grid *grid, const Gauge *gauge, double beta, UtilityBound *bound)
{
	double lambda = noise_rate(gauge, grid);
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

/* ---- opdisc, rspm: laws of real numbers ---- */

/* sqrt(2 ln(1 / probability)): a normal is above it with this probability at most. */
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

/* The largest |phi(w)|, and |phi(w) - phi(v)| of separators, which are 0 or 1. */
static double
feature_length(const Perturbation *perturbation)
{
	return perturbation->features == FEATURES_SEPARATORS ? sqrt(perturbation->dimension)
														 : sqrt(perturbation->squared_radius);
}

/*
 * A bound on E max over w of <z, phi(w) - phi(v)> for k normals z, by feature_length():
 * E |z|; the maximum of |W| normals; for signs the sum of |z_i|, for separators that of
 * max(0, z_i), over sqrt(k).
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

/*
 * Source: lemma U7.  X is a function of z with the Lipschitz constant
 * max |phi(w) - phi(v)|, so above its mean by more than that times a normal's tail with
 * the tail's probability at most (Tsirelson, Ibragimov and Sudakov 1976).
 */
static void
gaussian_bound(const Perturbation *perturbation, const Grid *grid, double beta, UtilityBound *bound)
{
	double lipschitz = perturbation->features == FEATURES_SEPARATORS ? 1 : 2;
	double unit = perturbation->spread * feature_length(perturbation);

	bound->mean = unit * normal_mean(perturbation, grid);
	bound->rows = bound->mean + unit * lipschitz * normal_tail(beta);
}

/*
 * Source: lemma U7.  r = radius times a direction, the radius Gamma(k) times spread,
 * and the direction that of k normals, whose length is independent of it.  For a
 * given direction X is at most its length 1 less <direction, phi(v)>, of which a share
 * u is exceeded with probability exp(-k u^2 / 2) at most (a cap of the sphere).
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

/* What rounding adds to a difference of rewards: 1/2 for each number, times its weights. */
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
