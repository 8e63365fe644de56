/*
 * perturbation.h - the noise of objective perturbation: what a request asks for, settled
 * from public parameters, and drawn (PRIVACY.md 1, 2).
 *
 * OPDisc and RSPM release the argmin of N L(w) - <r, phi(w)>.  They differ in phi, and
 * each has several laws for r.  Where the law lives on a lattice with an exact
 * sampler it is one of gauge.h's.  The others are laws of real numbers:
 *
 *   features     phi(w)                    s_w                            used for
 *   linear       w                         2 A w                          |w| constant on W
 *   sphere       (w, sqrt(D^2 - |w|^2))    2 A (w, sqrt(D^2 - |w|^2))     other W
 *   paraboloid   (w, -|w|^2)               A (2 w, 1)                     its gauge
 *   separators   [w_j is above a level]    A e(w), e = +-1                RSPM
 *
 * in units of 1 / N, with D the largest |w| and tau the least distance of two
 * vectors of W.  A is the least integer with A tau^2 >= N M, M the margin, because
 * <s_w, phi(w) - phi(v)> = A |w - v|^2 in the first three; for separators it is N M / h
 * (gauge.h).  (The sphere is the papers' pi(w) times D.)
 *
 *   law         density of r                                    privacy
 *   gaussian    N(0, sigma^2), sigma = |s_w| / kappa            (epsilon, delta): calibration.h
 *   spherical   exp(-epsilon |r| / |s_w|)                       epsilon
 *   paraboloid  exp(-epsilon r_0 / A) on |u| <= 2 D r_0         epsilon
 *   published   N(0, sigma^2) with the papers' sigma            not proved, and false in general
 *
 * Rounding.  The real r is rounded to integers, and a shift s_w is a vector of
 * integers, so that rounding and shifting commute: r + s_w is rounded to the rounded r
 * plus s_w, and what PRIVACY.md 1.2 to 1.4 say of densities holds for the masses of
 * rounded points, which are integrals of densities.  The sphere's last feature is not
 * an integer: r_0 stays real and r_0 sqrt(D^2 - |w|^2) is rounded for each |w|^2, which
 * moves a difference of two vectors' rewards by less than 2 under a shift; so there
 * A tau^2 >= N M + 2.
 *
 * Fixed coordinates, of one level, are no features and do not count in D.
 */
#ifndef DPOBJ_CORE_PERTURBATION_H
#define DPOBJ_CORE_PERTURBATION_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>
#include <mpfr.h>

#include "core/bits.h"
#include "core/calibration.h"
#include "core/gauge.h"
#include "core/grid.h"
#include "core/memory.h"
#include "core/privacy.h"

/* The option "noise". */
typedef enum PerturbationNoise
{
	PERTURBATION_GAUGE,
	PERTURBATION_LAPLACE,
	PERTURBATION_SPHERICAL,
	PERTURBATION_GAUSSIAN,
	PERTURBATION_PARABOLOID,
	PERTURBATION_PUBLISHED,
	PERTURBATION_NOISES
} PerturbationNoise;

typedef enum PerturbationFeatures
{
	FEATURES_LATTICE, /* gauge.h knows */
	FEATURES_LINEAR,
	FEATURES_SPHERE,
	FEATURES_PARABOLOID,
	FEATURES_SEPARATORS
} PerturbationFeatures;

/* What is public about the noise of one release. */
typedef struct Perturbation
{
	PerturbationNoise noise;
	PerturbationFeatures features;
	uint64_t scale; /* N */
	Gauge gauge;    /* FEATURES_LATTICE */

	/* The rest for laws of real numbers. */
	int dimension;         /* of r */
	int64_t step;          /* A, in units of 1 / N */
	double squared_radius; /* D^2, of the coordinates that are not fixed */
	double length;         /* the largest |s_w|, in units of 1 / N; A for the paraboloid */
	double kappa;          /* |s_w| / sigma; 0 where there is no sigma */
	double spread;         /* sigma, |s_w| / epsilon or A / epsilon, in units of 1 / N */
	CalibrationBound bound;
	bool signs;       /* have all weights the same absolute value? */
	int square_bound; /* of the sphere: |w|^2 is at most this, with the fixed coordinates */
} Perturbation;

/* What a request says about its noise. */
typedef struct PerturbationRequest
{
	const Grid *grid;
	bool separators; /* RSPM's features instead of OPDisc's */
	PerturbationNoise noise;
	int64_t epsilon; /* nano-units */
	int64_t delta;   /* atto-units */
	Adjacency adjacency;
} PerturbationRequest;

/* Does the law need delta > 0? */
extern bool perturbation_needs_delta(PerturbationNoise noise);

/* NULL, or why the noise does not go with the grid: a sentence about public parameters. */
extern const char *perturbation_refusal(const PerturbationRequest *request);

/* Settles a request that is not refused, with delta > 0 where it is needed. */
extern void perturbation_choose(Perturbation *perturbation, const PerturbationRequest *request);

/*
 * The grid with |w|^2 as the state of its automaton, for the rewards of the sphere's last
 * feature; a copy of the grid for all others.
 */
extern void perturbation_grid(const Perturbation *perturbation, const Grid *grid, Grid *oracle);

/*
 * Draws the rewards: reward as in gauge_draw(), level_reward[|w|^2] for the sphere, whose
 * initialised mpz_t are GRID_MAX_STATES; level_reward is not touched for others.
 */
extern void perturbation_draw(const Perturbation *perturbation, const Grid *grid, Bits *bits,
							  Memory *memory, mpz_t *reward, mpz_t *level_reward);

/*
 * The pieces of a draw of real numbers, which the tests look at one by one: r / spread, an
 * initialised mpfr_t of REAL_PRECISION for each of its numbers; and the rewards that it makes.
 */
extern void perturbation_numbers(const Perturbation *perturbation, Bits *bits, mpfr_t *r);
extern void perturbation_reward(const Perturbation *perturbation, const Grid *grid, const mpfr_t *r,
								Memory *memory, mpz_t *reward, mpz_t *level_reward);

#endif
