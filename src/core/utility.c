/*
 * utility.c - bounds on the excess of each mechanism (utility.h).
 *
 * rate is epsilon / M throughout, what a misclassified row adds to the exponent:
 * M is the margin, 2 under replace and 1 under add_remove.  Plain floating point
 * serves: a bound is for a reader, and no noise depends on it.
 */
#include "core/utility.h"

#include <math.h>

#include "core/gauge.h"

#define TWO_PI 6.283185307179586

/* ---- exponential mechanism, permute-and-flip ---- */

/* ln(|W| - 1), and ln |W| where that is too many to count. */
static double
log_others(const Grid *grid)
{
	uint64_t size = grid_size(grid);

	return size == UINT64_MAX ? grid_log2_size(grid) * log(2) : log((double) (size - 1));
}

/*
 * Source: PRIVACY.md 1.5; McSherry and Talwar 2007.  The odds of an excess of t or
 * more are at most those of |W| - 1 vectors of excess t against the optimum,
 * (|W| - 1) exp(-rate t), with equality for such losses.  Odds of beta / (1 - beta)
 * are a probability of beta:
 *
 *   rows = (ln(|W| - 1) + ln((1 - beta) / beta)) / rate
 *   mean = ln |W| / rate, because the law minimises E(L) - entropy / rate, at most
 *          L_min, and an entropy is at most ln |W|
 */
static void
exponential_bound(const Grid *grid, double rate, double beta, UtilityBound *bound)
{
	bound->rows = fmax(0, (log_others(grid) + log((1 - beta) / beta)) / rate);
	bound->mean = grid_log2_size(grid) * log(2) / rate;
}

/*
 * Source: PRIVACY.md 3, T5.  The same on votes, at the rate epsilon / 2 of
 * select_vote.c: the odds of an answer that is behind by t are at most
 * (|W| - 1) exp(-epsilon t / 2).
 */
double
utility_lead(const Grid *grid, int64_t epsilon, double beta)
{
	double rate = (double) epsilon / (2.0 * (double) EPSILON_ONE);

	return fmax(0, (log_others(grid) + log((1 - beta) / beta)) / rate);
}

/*
 * Source: PRIVACY.md 1.5.  A vector of excess t or more is the answer only if it
 * is visited before the optimum, which is accepted when its turn comes, and is
 * accepted itself: two independent events of probability 1/2 and exp(-rate t) at
 * most.  There are at most |W| - 1 such vectors:
 *
 *   rows = (ln(|W| - 1) + ln(1 / (2 beta))) / rate
 *   mean: never above the exponential mechanism's (McKenna and Sheldon 2020)
 */
static void
permute_flip_bound(const Grid *grid, double rate, double beta, UtilityBound *bound)
{
	bound->rows = fmax(0, (log_others(grid) + log(1 / (2 * beta))) / rate);
	bound->mean = grid_log2_size(grid) * log(2) / rate;
}

/* ---- opdisc ---- */

/*
 * Source: PRIVACY.md 1.4, 1.6.  The answer w(r) is no worse than the optimum v in
 * the objective, N L(w(r)) - <r, phi(w(r))> <= N L(v) - <r, phi(v)>, so that
 *
 *   excess <= X / N,  X = max over w of <r, phi(w) - phi(v)>,
 *
 * with equality in law for losses that are 0 at v and t elsewhere.  v depends on
 * the data only, r on the noise only.  lambda is the rate of gauge.h, per lattice
 * step.
 */

/* The x above shape with x - shape - shape ln(x / shape) = exponent: Chernoff's tail of a Gamma. */
static double
gamma_tail(double shape, double exponent)
{
	double low = shape;
	double high = 2 * shape + 2 * exponent + 2;

	while (high - shape - shape * log(high / shape) < exponent)
		high *= 2;
	for (int i = 0; i < 100; i++)
	{
		double x = (low + high) / 2;

		if (x - shape - shape * log(x / shape) < exponent)
			low = x;
		else
			high = x;
	}
	return high;
}

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

/* The rows of one-hot noise together. */
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
		int levels = kind == GAUGE_CUBE ? 2 : grid->levels[j];
		RowShape shape = row_shape(levels);

		sum.rows += levels > 1;
		sum.freedom += levels - 1;
		sum.shapes.slope += shape.slope;
		sum.shapes.offset += shape.offset;
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
		int m = kind == GAUGE_CUBE ? 1 : grid->levels[j] - 1;

		if (m > 0)
			sum += 1 + (1 - pow(beta / 2 / noise->rows / m, 1.0 / m)) * (radius + m);
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
	double radius = gamma_tail(shape, log(2 * factor / beta)) / lambda;

	bound->rows = fmin(sum_given_radius(&noise, radius, beta),
					   parts_given_radius(grid, kind, &noise, radius, beta));
	bound->mean = noise.shapes.slope * shape * factor / lambda + noise.shapes.offset;
}

/*
 * In lattice steps.  Source: PRIVACY.md 0.1 C3.  |r| = max(k max|r_j|, sum|r_j|)
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
	double radius = gamma_tail(d, log(2 / beta) + lambda * d) / lambda;
	double opposite = fmin(1, sqrt(2 * log(2 / beta) / nonzeros));
	double s = sqrt(2 * lambda);

	bound->rows = (1 + opposite) * radius;
	bound->mean = d / lambda * (lambda - log1p(-s)) / s;
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

/* From steps to rows; a step of the cube's noise counts twice, from -1 to 1. */
static void
opdisc_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	const Grid *grid = &request->grid;
	Gauge gauge;
	double lambda;
	double step;

	gauge_choose(&gauge, grid, request->epsilon, request->adjacency);
	lambda = noise_rate(&gauge, grid);
	step = (gauge.kind == GAUGE_CUBE ? 2.0 : 1.0) / (double) gauge.scale;
	if (gauge.kind == GAUGE_SPARSE)
		sparse_bound(grid->dimension, grid->bound, lambda, beta, bound);
	else
		onehot_bound(grid, gauge.kind, lambda, beta, bound);
	bound->rows *= step;
	bound->mean *= step;
}

/* ---- all of them ---- */

void
utility_bound(const MechanismRequest *request, double beta, UtilityBound *bound)
{
	double rate = (double) request->epsilon / EPSILON_ONE / privacy_margin(request->adjacency);

	if (grid_size(&request->grid) == 1)
	{
		*bound = (UtilityBound){0, 0};
		return;
	}
	switch (request->kind)
	{
		case MECHANISM_EXPONENTIAL:
			exponential_bound(&request->grid, rate, beta, bound);
			break;
		case MECHANISM_PERMUTE_FLIP:
			permute_flip_bound(&request->grid, rate, beta, bound);
			break;
		case MECHANISM_SAMPLE_AGGREGATE:
			*bound = (UtilityBound){INFINITY, INFINITY};
			break;
		default:
			opdisc_bound(request, beta, bound);
	}
}
