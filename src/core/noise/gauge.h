/*
 * gauge.h - exact lattice noise for objective perturbation (theorems G3 to G14).
 *
 * The oracle minimises N * L(w) - sum_j reward[j][i_j] over W.  reward is drawn with P(r)
 * proportional to exp(-(epsilon / N) gauge_K(r)) on a lattice that holds N * s_w for every w, s_w
 * being the shift of theorem G4's table.  The result is exactly epsilon-DP, whatever the data.
 *
 * On its lattice each gauge is a multiple of an integer size |r|, so P(r) is proportional to
 * exp(-rate |r|) with a rational rate.  M is the margin (privacy_margin()), h the least number of
 * coordinates in which two vectors of W differ (grid_least_distance(): 2 with a modulus, else 1;
 * theorem G7):
 *
 *   kind    lattice                        size |r|                     s_w         rate
 *   cube    Z^d                            max_j |r_j|                  (M/2h) w    2 h eps / (M N)
 *   onehot  rows r_j >= 0, min_i r_ji = 0  max_j sum_i r_ji             (M/h) phi   h eps / (M N)
 *   sparse  Z^d                            max(k max|r_j|, sum|r_j|)    M w         eps / (M k N)
 *
 * These are the best for OPDisc.  The discrete Laplace law on signs is offered beside the cube.
 * RSPM (theorem G14) has the same two sizes on its separators e, the m = sum_j (levels_j - 1)
 * thresholds of levels, each +-1:
 *
 *   laplace             Z^d  sum_j |r_j|  (M/2h) w, or M w for k < d non-zeros  eps / |N s_w|
 *   separators          Z^m  max_i |r_i|  (M/h) e(w)                      h eps / (M N)
 *   separators laplace  Z^m  sum_i |r_i|  (M/h) e(w)                      h eps / (M N m)
 *
 * N s_w is in the lattice if N is even, and for the cube with a modulus under add_remove if N is a
 * multiple of 4 (theorem G5).  Rewards are big integers without a limit.
 */
#ifndef DPOBJ_CORE_GAUGE_H
#define DPOBJ_CORE_GAUGE_H

#include <gmp.h>

#include "core/random/bits.h"
#include "core/grid/grid.h"
#include "core/base/memory.h"
#include "core/base/privacy.h"

/* gauge_choose() takes a power of two in this range, which suits theorem G5. */
#define GAUGE_MIN_SCALE (UINT64_C(1) << 4)
#define GAUGE_MAX_SCALE (UINT64_C(1) << 20)

/*
 * The largest epsilon used for a draw, in nano-units; a larger request is drawn with this one,
 * which is more private.  It bounds the rate, and so the samplers' run time.
 */
#define GAUGE_MAX_EPSILON (1000 * EPSILON_ONE)

typedef enum GaugeKind
{
	GAUGE_CUBE,       /* W within {-1, 1}^d: phi(w) = w, K = l_inf ball */
	GAUGE_ONEHOT,     /* any product grid or a subset of one: phi = one-hot level indicators */
	GAUGE_SPARSE,     /* exactly k non-zeros of +-1: phi(w) = w, K = conv{2w} (AR: conv{w}) */
	GAUGE_LAPLACE,    /* either of the two: phi(w) = w, K = l_1 ball */
	GAUGE_SEPARATORS, /* any subset of a product grid: phi = [w_j above a level], l_inf */
	GAUGE_SEPARATORS_LAPLACE /* the same with the l_1 ball */
} GaugeKind;

typedef struct Gauge
{
	GaugeKind kind;
	int64_t epsilon; /* nano-units, at most GAUGE_MAX_EPSILON */
	Adjacency adjacency;
	uint64_t scale; /* N, see gauge_is_valid() */
} Gauge;

/*
 * Chooses the gauge of least noise for a grid, and an N that makes its sampler fast.  Uses public
 * inputs only.  (Sparse signs have the one-hot gauge where their own would be slow to draw: above
 * 80 coordinates with about d/e non-zeros.)
 */
extern void gauge_choose(Gauge *gauge, const Grid *grid, int64_t epsilon, Adjacency adjacency);

/* The same with a given kind, which may not fit the grid; gauge_is_valid() checks that. */
extern void gauge_choose_kind(Gauge *gauge, const Grid *grid, GaugeKind kind, int64_t epsilon,
							  Adjacency adjacency);

/* RSPM's separators of a grid: levels - 1 thresholds for each coordinate (theorem G14). */
#define GAUGE_MAX_SEPARATORS (GRID_MAX_DIMENSION * (GRID_MAX_LEVELS - 1))
extern int gauge_separators(const Grid *grid);

/* reward[j][i] = sum of the noises of the thresholds that level i of coordinate j is above. */
extern void gauge_reward_separators(const Grid *grid, const mpz_t *noise, mpz_t *reward);

/*
 * Does the gauge's proof cover the grid: is W inside its kind, is epsilon in
 * range, and does its lattice hold N * s_w for every w?
 */
extern bool gauge_is_valid(const Gauge *gauge, const Grid *grid);

/*
 * Rewards of every level: reward[j * GRID_MAX_LEVELS + i] for coordinate j,
 * level index i.  The array has GRID_MAX_LEVELS * dimension initialised mpz_t;
 * those beyond a coordinate's levels are not touched.
 */
extern void gauge_draw(const Gauge *gauge, const Grid *grid, Bits *bits, Memory *memory,
					   mpz_t *reward);

/*
 * The parts of gauge_draw(), public so that tests can compare each with its law.  p / q is the rate
 * in the exponent, p, q >= 1.
 */

/* The rate of the table above, in lowest terms, and as a double. */
extern void gauge_rate(const Gauge *gauge, const Grid *grid, mpz_t p, mpz_t q);
extern double gauge_rate_double(const Gauge *gauge, const Grid *grid);

/*
 * P(J) proportional to exp(-J p / q) prod_j A(levels[j], J), where A(n, J) counts
 * the rows of n integers >= 0 with least entry 0 and sum at most J.
 */
extern void gauge_onehot_radius(Bits *bits, mpz_t radius, const int *levels, int dimension,
								const mpz_t p, const mpz_t q);

/* Uniform on the rows that A(levels, radius) counts. */
extern void gauge_onehot_row(Bits *bits, mpz_t *row, int levels, const mpz_t radius);

/* P(J) proportional to exp(-J p / q) (2 J + 1)^dimension, dimension <= GAUGE_MAX_SEPARATORS. */
extern void gauge_cube_radius(Bits *bits, mpz_t radius, int dimension, const mpz_t p,
							  const mpz_t q);

/* P(r) proportional to exp(-(p / q) max_j |r_j|) on Z^dimension. */
extern void gauge_cube_noise(Bits *bits, mpz_t *noise, int dimension, const mpz_t p, const mpz_t q);

/*
 * P(r) proportional to exp(-(p / q) max(nonzeros max_j |r_j|, sum_j |r_j|)) on
 * Z^dimension, in two ways: the first is the quicker if nonzeros^dimension is
 * above dimension!.
 */
extern void gauge_sparse_from_cube(Bits *bits, mpz_t *noise, int dimension, int nonzeros,
								   const mpz_t p, const mpz_t q);
extern void gauge_sparse_from_laplace(Bits *bits, mpz_t *noise, int dimension, int nonzeros,
									  const mpz_t p, const mpz_t q);

#endif
