/*
 * gauge.c - the lattice gauges: which one fits a grid, and exact draws.
 *
 * Why a draw is epsilon-DP (theorems G1, G3, G4): <s_w, phi(w) - phi(v)> is
 * at least the margin M for all v != w in W, N * s_w is in the lattice, and
 * |r + N s_w| <= |r| + |N s_w| with rate |N s_w| = epsilon.  So the noise at r
 * that makes w the answer has at most exp(epsilon) times the probability of the
 * noise at r + N s_w, which makes w the answer for every neighbour.
 *
 *   cube    w_j (w_j - v_j) = 2 where w and v differ, which they do in h or more
 *           coordinates, so (M/2h) w suffices; |N s_w| = N M / 2h
 *   onehot  phi_j(w) - phi_j(v) meets phi_j(w) in 1 where they differ, so
 *           (M/h) phi(w) suffices, for any set of level lists and any subset;
 *           |N s_w| = N M / h, or 0 if no coordinate has two levels.  Rows count
 *           modulo constants, of which the lattice holds the one with least entry 0
 *   sparse  <w, w> = k and <w, v> <= k - 1 (exactly k non-zeros, counterexample G9), so M w
 *           suffices; |N s_w| = N M k
 *   laplace the shifts of cube and sparse, whose sums of absolute values are
 *           N M d / 2h and N M k
 *   separators
 *           two vectors differ in h coordinates at least, so in h thresholds, and
 *           in each of those the shift of +-(M/h) counts in full, so (M/h) e(w)
 *           suffices, e_i = 1 above the threshold and -1 below; |N s_w| is N M / h,
 *           or N m M / h as a sum.  (phi = [above] is (e + 1) / 2.)
 *
 * How a draw is made exactly.  Layer cake: if P(J) is proportional to
 * #body(J) rho^J with body(J) = {r: |r| <= J}, and r is uniform on body(J), then
 * P(r) is proportional to the sum of rho^J over J >= |r|, that is to
 * rho^|r| / (1 - rho).  This serves cube and onehot; sparse is a rejection from
 * either part of its maximum.
 *
 * The distance h is 2 with a modulus and 1 otherwise (theorem G7).  If W is a single vector, any h
 * will do: there is no other v, and the answer does not depend on the data.
 */
#include "core/noise/gauge.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/random/laplace.h"

/* Is the level list exactly these weights? */
static bool
levels_are(const Grid *grid, int j, int count, const int8_t *weights)
{
	if (grid->levels[j] != count)
		return false;
	for (int i = 0; i < count; i++)
		if (grid->level[j][i] != weights[i])
			return false;
	return true;
}

static bool
grid_is_signs(const Grid *grid)
{
	static const int8_t signs[] = {-1, 1};

	for (int j = 0; j < grid->dimension; j++)
		if (!levels_are(grid, j, 2, signs))
			return false;
	return grid->constraint == GRID_PRODUCT || grid->constraint == GRID_MODULUS;
}

/* Exactly k >= 1 non-zeros of +-1. */
static bool
grid_is_sparse_signs(const Grid *grid)
{
	static const int8_t ternary[] = {-1, 0, 1};

	for (int j = 0; j < grid->dimension; j++)
		if (!levels_are(grid, j, 3, ternary))
			return false;
	if (MUTANT(12) && grid->constraint == GRID_BALL)
		return true;
	return grid->constraint == GRID_SPARSE && grid->bound >= 1;
}

/* Sparse signs without a zero (k = d) are the cube, for which half the shift suffices. */
static bool
kind_fits(GaugeKind kind, const Grid *grid)
{
	switch (kind)
	{
		case GAUGE_CUBE:
			return grid_is_signs(grid) ||
				   (grid_is_sparse_signs(grid) && grid->bound == grid->dimension);
		case GAUGE_SPARSE:
			return grid_is_sparse_signs(grid);
		case GAUGE_LAPLACE:
			return grid_is_signs(grid) || grid_is_sparse_signs(grid);
		case GAUGE_ONEHOT:
		case GAUGE_SEPARATORS:
		case GAUGE_SEPARATORS_LAPLACE:
			return true;
	}
	return false;
}

/*
 * ln of the ratio of the acceptance rates of the two samplers of sparse noise, for small rates:
 * #body / #ball is d! / k^d times #body / #cube.  Only speed depends on it.
 */
static double
sparse_laplace_advantage(int dimension, int nonzeros)
{
	double advantage = 0;

	for (int i = 1; i <= dimension; i++)
		advantage += log((double) i / nonzeros);
	return advantage;
}

/*
 * Does the better of the two accept at least about once in 1e4 attempts? #body / #cube is the
 * probability that d uniform variables have a sum of at most k, about normal with mean d/2 and
 * variance d/12.  Below d = 80 the answer is always yes.
 */
static bool
sparse_is_quick(int dimension, int nonzeros)
{
	double d = dimension;
	double from_cube = log(0.5 * erfc((d / 2 - nonzeros) / sqrt(d / 6)));

	return from_cube + fmax(0, sparse_laplace_advantage(dimension, nonzeros)) > log(1e-4);
}

/* D = sum_j (levels_j - 1), the dimension of one-hot rows modulo constants. */
static int
free_levels(const int *levels, int dimension)
{
	int sum = 0;

	for (int j = 0; j < dimension; j++)
		sum += levels[j] - 1;
	return sum;
}

int
gauge_separators(const Grid *grid)
{
	return free_levels(grid->levels, grid->dimension);
}

/*
 * M phi(w) / s_w, or M e(w) / s_w.  Source: theorem G4 (the cube's shift is half as
 * long in units of phi(w)) and G7: s_w = M pattern / least distance.  Sparse
 * signs have the least distance 1.
 */
static int
shift_divisor(GaugeKind kind, const Grid *grid)
{
	int distance = MUTANT(14) ? 2 : grid_least_distance(grid);
	bool cube = kind == GAUGE_CUBE || (kind == GAUGE_LAPLACE && kind_fits(GAUGE_CUBE, grid));

	return (cube ? 2 : 1) * distance;
}

/* |s_w| is this many times M / shift_divisor(). */
static int
shift_size(GaugeKind kind, const Grid *grid)
{
	switch (kind)
	{
		case GAUGE_SPARSE:
			return MUTANT(11) ? 1 : grid->bound;
		case GAUGE_LAPLACE:
			return kind_fits(GAUGE_CUBE, grid) ? grid->dimension : grid->bound;
		case GAUGE_SEPARATORS_LAPLACE:
			return gauge_separators(grid) > 0 ? gauge_separators(grid) : 1;
		default:
			return 1;
	}
}

/*
 * The smallest N, within its limits, with N >= 4 D divisor epsilon / M, D being
 * the dimension of the noise.  The radius is then about D / rate >= 4 D^2 and is
 * accepted with probability about exp(-D rate / 2) >= exp(-1/8), see
 * accept_onehot_radius(); GAUGE_MAX_EPSILON keeps it above exp(-4) at the
 * largest N and D.  Only the speed depends on this choice.
 */
static uint64_t
choose_scale(const Gauge *gauge, const Grid *grid)
{
	bool linear =
		gauge->kind == GAUGE_CUBE || gauge->kind == GAUGE_SPARSE || gauge->kind == GAUGE_LAPLACE;
	int64_t dimension = linear ? grid->dimension : free_levels(grid->levels, grid->dimension);
	uint64_t wanted =
		(uint64_t) (4 * dimension * shift_divisor(gauge->kind, grid) * gauge->epsilon);
	uint64_t unit = (uint64_t) (privacy_margin(gauge->adjacency) * EPSILON_ONE);
	uint64_t scale = GAUGE_MIN_SCALE;

	while (scale < GAUGE_MAX_SCALE && scale * unit < wanted)
		scale *= 2;
	if (MUTANT(4))
		scale++;
	return scale;
}

void
gauge_choose_kind(Gauge *gauge, const Grid *grid, GaugeKind kind, int64_t epsilon,
				  Adjacency adjacency)
{
	gauge->kind = kind;
	gauge->epsilon = epsilon < GAUGE_MAX_EPSILON ? epsilon : GAUGE_MAX_EPSILON;
	gauge->adjacency = adjacency;
	gauge->scale = choose_scale(gauge, grid);
}

void
gauge_choose(Gauge *gauge, const Grid *grid, int64_t epsilon, Adjacency adjacency)
{
	GaugeKind kind = GAUGE_ONEHOT;

	if (kind_fits(GAUGE_CUBE, grid))
		kind = GAUGE_CUBE;
	else if (kind_fits(GAUGE_SPARSE, grid) && sparse_is_quick(grid->dimension, grid->bound))
		kind = GAUGE_SPARSE;
	gauge_choose_kind(gauge, grid, kind, epsilon, adjacency);
}

/*
 * Theorem G5: N s_w = (N M / divisor) phi(w) must be an integer vector.  That takes a
 * multiple of 4 for the cube with a modulus under add_remove, and an even number
 * at most for all others; an even one is required of every gauge.
 */
static bool
scale_is_valid(const Gauge *gauge, const Grid *grid)
{
	uint64_t shift = gauge->scale * (uint64_t) privacy_margin(gauge->adjacency);

	if (MUTANT(4))
		return true;
	return gauge->scale >= 2 && gauge->scale <= GAUGE_MAX_SCALE && gauge->scale % 2 == 0 &&
		   shift % (uint64_t) shift_divisor(gauge->kind, grid) == 0;
}

bool
gauge_is_valid(const Gauge *gauge, const Grid *grid)
{
	return kind_fits(gauge->kind, grid) && scale_is_valid(gauge, grid) && gauge->epsilon >= 1 &&
		   gauge->epsilon <= GAUGE_MAX_EPSILON;
}

/*
 * Source: theorem G4, gauge.h.  Unit: 1 / lattice steps; epsilon is in nano-units.
 * rate = epsilon / |N s_w| = divisor epsilon / (M N size).
 */
void
gauge_rate(const Gauge *gauge, const Grid *grid, mpz_t p, mpz_t q)
{
	mpz_t factor;

	mpz_init(factor);
	mpz_from_word(p, (uint64_t) gauge->epsilon);
	mpz_mul_si(p, p, shift_divisor(gauge->kind, grid));
	mpz_from_word(q, (uint64_t) (MUTANT(1) ? EPSILON_ONE / 10 * 7 : EPSILON_ONE));
	mpz_mul_si(q, q, privacy_margin(gauge->adjacency));
	mpz_from_word(factor, gauge->scale);
	mpz_mul(q, q, factor);
	mpz_mul_si(q, q, shift_size(gauge->kind, grid));
	mpz_gcd(factor, p, q);
	mpz_divexact(p, p, factor);
	mpz_divexact(q, q, factor);
	mpz_clear(factor);
}

double
gauge_rate_double(const Gauge *gauge, const Grid *grid)
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

/*
 * n! A(n, J) = (J+1) ... (J+n) - J (J-1) ... (J-n+1), from A(n, J) = C(J+n, n) - C(J, n):
 * all rows of sum at most J without those whose entries are all positive.
 */
static void
count_rows(mpz_t result, int n, const mpz_t radius)
{
	mpz_t factor;
	mpz_t positive;

	mpz_init_set(factor, radius);
	mpz_init_set_ui(positive, 1);
	for (int i = 0; i < n; i++)
	{
		mpz_mul(positive, positive, factor);
		mpz_sub_ui(factor, factor, 1);
	}
	mpz_set_ui(result, 1);
	mpz_set(factor, radius);
	for (int i = 0; i < n; i++)
	{
		mpz_add_ui(factor, factor, 1);
		mpz_mul(result, result, factor);
	}
	mpz_sub(result, result, positive);
	mpz_clears(factor, positive, NULL);
}

/* n^2 (J + before + 1) ... (J + before + n - 1) */
static void
bound_rows(mpz_t result, int n, const mpz_t radius, int before)
{
	mpz_t factor;

	mpz_init(factor);
	mpz_add_ui(factor, radius, (unsigned long) before);
	mpz_set_si(result, n * n);
	for (int i = 1; i < n; i++)
	{
		mpz_add_ui(factor, factor, 1);
		mpz_mul(result, result, factor);
	}
	mpz_clear(factor);
}

/*
 * A coin of bias c prod_j A(n_j, J) / C(J + D, D), c a constant (theorem G11).  It is one coin for
 * each row j, of bias
 *
 *   n_j! A(n_j, J) / (n_j^2 (J + b + 1) ... (J + b + n_j - 1)) <= 1
 *
 * with b the sum over i < j of n_i - 1; it is 1 for a row of one level.  For large J the product is
 * about prod over i = 1..D of (J + 1/2) / (J + i), or exp(-D^2 / 2 J).
 */
static bool
accept_onehot_radius(Bits *bits, const mpz_t radius, const int *levels, int dimension)
{
	bool accepted = true;
	int before = 0;
	mpz_t p;
	mpz_t q;

	mpz_inits(p, q, NULL);
	for (int j = 0; j < dimension && accepted; j++)
	{
		if (j == 0 || levels[j] != levels[j - 1])
			count_rows(p, levels[j], radius);
		bound_rows(q, levels[j], radius, before);
		accepted = bits_bernoulli(bits, p, q);
		before += levels[j] - 1;
	}
	mpz_clears(p, q, NULL);
	return accepted;
}

/*
 * Source: theorem G11.  Unit: lattice steps, 1 / N of a mistake.
 * The sum of D + 1 geometrics has P(J) proportional to C(J + D, D) exp(-J p / q).
 */
void
gauge_onehot_radius(Bits *bits, mpz_t radius, const int *levels, int dimension, const mpz_t p,
					const mpz_t q)
{
	int count = free_levels(levels, dimension) + (MUTANT(10) ? 0 : 1);
	mpz_t term;

	mpz_init(term);
	do
	{
		mpz_set_ui(radius, 0);
		for (int i = 0; i < count; i++)
		{
			bits_geometric(bits, term, p, q);
			mpz_add(radius, radius, term);
		}
	} while (!accept_onehot_radius(bits, radius, levels, dimension));
	mpz_clear(term);
}

/* Rows of two levels: A(2, J) = 2 J + 1. */
void
gauge_cube_radius(Bits *bits, mpz_t radius, int dimension, const mpz_t p, const mpz_t q)
{
	int levels[GAUGE_MAX_SEPARATORS];

	for (int j = 0; j < dimension; j++)
		levels[j] = 2;
	gauge_onehot_radius(bits, radius, levels, dimension, p, q);
}

/*
 * A uniform set of count numbers out of 0 .. total + count - 1, in rising order
 * (Floyd: at step i a number at most total + i, or total + i itself if that
 * number is taken already).
 */
static void
draw_subset(Bits *bits, mpz_t *member, int count, const mpz_t total)
{
	mpz_t range;

	mpz_init_set(range, total);
	for (int i = 0; i < count; i++)
	{
		int place = i;

		mpz_add_ui(range, range, 1);
		bits_below_mpz(bits, member[i], range);
		while (place > 0 && mpz_cmp(member[place - 1], member[i]) > 0)
			place--;
		if (place > 0 && mpz_cmp(member[place - 1], member[i]) == 0)
			mpz_sub_ui(member[i], range, 1);
		else
			for (int k = i; k > place; k--)
				mpz_swap(member[k], member[k - 1]);
	}
	mpz_clear(range);
}

/*
 * A uniform vector of count integers >= 0 with sum at most total: the gaps
 * before each of count bars among total + count places.
 */
static void
draw_composition(Bits *bits, mpz_t *part, int count, const mpz_t total)
{
	draw_subset(bits, part, count, total);
	for (int i = count - 1; i > 0; i--)
	{
		mpz_sub(part[i], part[i], part[i - 1]);
		mpz_sub_ui(part[i], part[i], 1);
	}
}

static bool
all_positive(const mpz_t *part, int count)
{
	for (int i = 0; i < count; i++)
		if (mpz_sgn(part[i]) == 0)
			return false;
	return true;
}

/*
 * Source: theorem G12.  Unit: lattice steps.  Takes a uniform place for the first zero and a
 * uniform composition around it, and starts again if there was a zero before it.
 */
void
gauge_onehot_row(Bits *bits, mpz_t *row, int levels, const mpz_t radius)
{
	int zero;

	do
	{
		zero = (int) bits_below(bits, (uint64_t) levels);
		draw_composition(bits, row, levels - 1, radius);
	} while (!MUTANT(7) && !all_positive((const mpz_t *) row, zero));
	for (int i = levels - 1; i > zero; i--)
		mpz_swap(row[i], row[i - 1]);
	mpz_set_ui(row[zero], 0);
}

/* Source: theorem G10.  Unit: lattice steps.  The radius, then uniform in the cube. */
void
gauge_cube_noise(Bits *bits, mpz_t *noise, int dimension, const mpz_t p, const mpz_t q)
{
	mpz_t radius;
	mpz_t side;

	mpz_inits(radius, side, NULL);
	gauge_cube_radius(bits, radius, dimension, p, q);
	mpz_mul_2exp(side, radius, 1);
	mpz_add_ui(side, side, 1);
	for (int j = 0; j < dimension; j++)
	{
		bits_below_mpz(bits, noise[j], side);
		mpz_sub(noise[j], noise[j], radius);
	}
	mpz_clears(radius, side, NULL);
}

/*
 * P(r) proportional to exp(-(p / q) sum_j |r_j|) on Z^dimension: independent coordinates.
 * Source: theorem G4.  Unit: lattice steps.
 */
static void
laplace_noise(Bits *bits, mpz_t *noise, int dimension, const mpz_t p, const mpz_t q)
{
	for (int j = 0; j < dimension; j++)
		laplace_draw(bits, noise[j], p, q);
}

/* excess = nonzeros max_j |r_j| - sum_j |r_j| */
static void
sparse_excess(mpz_t excess, const mpz_t *noise, int dimension, int nonzeros)
{
	mpz_t sum;

	mpz_init(sum);
	mpz_set_ui(excess, 0);
	for (int j = 0; j < dimension; j++)
	{
		if (mpz_cmpabs(noise[j], excess) > 0)
			mpz_abs(excess, noise[j]);
		if (mpz_sgn(noise[j]) < 0)
			mpz_sub(sum, sum, noise[j]);
		else
			mpz_add(sum, sum, noise[j]);
	}
	mpz_mul_si(excess, excess, nonzeros);
	mpz_sub(excess, excess, sum);
	mpz_clear(sum);
}

/* True with probability exp(-max(0, excess) p / q). */
static bool
accept_excess(Bits *bits, const mpz_t excess, const mpz_t p, const mpz_t q)
{
	bool accepted;
	mpz_t exponent;

	if (mpz_sgn(excess) <= 0)
		return true;
	mpz_init(exponent);
	mpz_mul(exponent, excess, p);
	accepted = bits_bernoulli_exp(bits, exponent, q);
	mpz_clear(exponent);
	return accepted;
}

/*
 * Source: theorem G13.  Unit: lattice steps.  With a = k max|r_j| and
 * b = sum|r_j|, max(a, b) = a + max(0, b - a): cube noise of rate k p / q, kept
 * with probability exp(-max(0, b - a) p / q).
 */
void
gauge_sparse_from_cube(Bits *bits, mpz_t *noise, int dimension, int nonzeros, const mpz_t p,
					   const mpz_t q)
{
	mpz_t cube_p;
	mpz_t excess;

	mpz_inits(cube_p, excess, NULL);
	mpz_mul_si(cube_p, p, nonzeros);
	do
	{
		gauge_cube_noise(bits, noise, dimension, cube_p, q);
		sparse_excess(excess, (const mpz_t *) noise, dimension, nonzeros);
		mpz_neg(excess, excess);
	} while (!accept_excess(bits, excess, p, q));
	mpz_clears(cube_p, excess, NULL);
}

/*
 * The same law from the other side, max(a, b) = b + max(0, a - b): independent
 * discrete Laplace coordinates, kept with probability exp(-max(0, a - b) p / q).
 */
void
gauge_sparse_from_laplace(Bits *bits, mpz_t *noise, int dimension, int nonzeros, const mpz_t p,
						  const mpz_t q)
{
	mpz_t excess;

	mpz_init(excess);
	do
	{
		laplace_noise(bits, noise, dimension, p, q);
		sparse_excess(excess, (const mpz_t *) noise, dimension, nonzeros);
	} while (!accept_excess(bits, excess, p, q));
	mpz_clear(excess);
}

static void
draw_sparse(Bits *bits, mpz_t *noise, int dimension, int nonzeros, const mpz_t p, const mpz_t q)
{
	if (sparse_laplace_advantage(dimension, nonzeros) < 0)
		gauge_sparse_from_cube(bits, noise, dimension, nonzeros, p, q);
	else
		gauge_sparse_from_laplace(bits, noise, dimension, nonzeros, p, q);
}

/* phi(w) = w: the reward of a level is noise times level. */
static void
draw_linear(const Gauge *gauge, const Grid *grid, Bits *bits, Memory *memory, const mpz_t p,
			const mpz_t q, mpz_t *reward)
{
	int dimension = grid->dimension;
	mpz_t *noise = integers_create((size_t) dimension, memory);

	if (gauge->kind == GAUGE_CUBE)
		gauge_cube_noise(bits, noise, dimension, p, q);
	else if (gauge->kind == GAUGE_LAPLACE)
		laplace_noise(bits, noise, dimension, p, q);
	else
		draw_sparse(bits, noise, dimension, grid->bound, p, q);
	for (int j = 0; j < dimension; j++)
		for (int i = 0; i < grid->levels[j]; i++)
			mpz_mul_si(reward[j * GRID_MAX_LEVELS + i], noise[j], grid->level[j][i]);
	integers_destroy(noise, (size_t) dimension, memory);
}

void
gauge_reward_separators(const Grid *grid, const mpz_t *noise, mpz_t *reward)
{
	for (int j = 0; j < grid->dimension; j++)
	{
		mpz_t *row = reward + (size_t) j * GRID_MAX_LEVELS;

		mpz_set_ui(row[0], 0);
		for (int i = 1; i < grid->levels[j]; i++)
			mpz_add(row[i], row[i - 1], *noise++);
	}
}

/* phi(w) = [w_j is above a level]: the reward of a level is the sum over those it is above. */
static void
draw_separators(const Gauge *gauge, const Grid *grid, Bits *bits, Memory *memory, const mpz_t p,
				const mpz_t q, mpz_t *reward)
{
	int count = gauge_separators(grid);
	mpz_t *noise = integers_create((size_t) count, memory);

	if (gauge->kind == GAUGE_SEPARATORS)
		gauge_cube_noise(bits, noise, count, p, q);
	else
		laplace_noise(bits, noise, count, p, q);
	gauge_reward_separators(grid, (const mpz_t *) noise, reward);
	integers_destroy(noise, (size_t) count, memory);
}

/* phi(w) = the indicators of the levels: the reward of a level is its entry of the row. */
static void
draw_onehot(const Grid *grid, Bits *bits, const mpz_t p, const mpz_t q, mpz_t *reward)
{
	mpz_t radius;

	mpz_init(radius);
	gauge_onehot_radius(bits, radius, grid->levels, grid->dimension, p, q);
	for (int j = 0; j < grid->dimension; j++)
		gauge_onehot_row(bits, reward + j * GRID_MAX_LEVELS, grid->levels[j], radius);
	mpz_clear(radius);
}

void
gauge_draw(const Gauge *gauge, const Grid *grid, Bits *bits, Memory *memory, mpz_t *reward)
{
	mpz_t p;
	mpz_t q;

	if (!gauge_is_valid(gauge, grid))
		abort(); /* noise that the proof does not cover must never be used */
	mpz_inits(p, q, NULL);
	gauge_rate(gauge, grid, p, q);
	if (gauge->kind == GAUGE_ONEHOT)
		draw_onehot(grid, bits, p, q, reward);
	else if (gauge->kind == GAUGE_SEPARATORS || gauge->kind == GAUGE_SEPARATORS_LAPLACE)
		draw_separators(gauge, grid, bits, memory, p, q, reward);
	else
		draw_linear(gauge, grid, bits, memory, p, q, reward);
	mpz_clears(p, q, NULL);
}
