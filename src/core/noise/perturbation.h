/*
 * perturbation.h - the noise of objective perturbation: chosen from public parameters, then drawn
 * (theorems R1 to R5).
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
 * r is drawn exactly (real_noise.h) and rounded to integers, x to floor(x + 1/2); the sphere's r_0
 * stays real, and r_0 sqrt(D^2 - |w|^2) is rounded for each |w|^2.  The proof covers this (theorem
 * R2).
 *
 * Fixed coordinates have one level; they are no features and do not count in D.
 */
#ifndef DPOBJ_CORE_PERTURBATION_H
#define DPOBJ_CORE_PERTURBATION_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>

#include "core/random/bits.h"
#include "core/noise/calibration.h"
#include "core/noise/gauge.h"
#include "core/grid/grid.h"
#include "core/base/memory.h"
#include "core/base/privacy.h"
#include "core/random/real_noise.h"

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
	FEATURES_LATTICE, /* those of gauge.h */
	FEATURES_LINEAR,
	FEATURES_SPHERE,
	FEATURES_PARABOLOID,
	FEATURES_SEPARATORS
} PerturbationFeatures;

/* The public parameters of one release's noise. */
typedef struct Perturbation
{
	PerturbationNoise noise;
	PerturbationFeatures features;
	uint64_t scale; /* N */
	Gauge gauge;    /* FEATURES_LATTICE */

	/* The fields below are for laws of real numbers. */
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

/* The part of a request that determines its noise. */
typedef struct PerturbationRequest
{
	const Grid *grid;
	bool separators; /* RSPM's features instead of OPDisc's */
	PerturbationNoise noise;
	int64_t epsilon; /* nano-units */
	int64_t delta;   /* atto-units */
	Adjacency adjacency;
} PerturbationRequest;

extern const char *perturbation_noise_name(PerturbationNoise noise);

/* Does the law need delta > 0? */
extern bool perturbation_needs_delta(PerturbationNoise noise);

/* NULL, or the reason why the noise does not fit the grid: a sentence about public parameters. */
extern const char *perturbation_refusal(const PerturbationRequest *request);

/* Chooses the noise of a request that is not refused, with delta > 0 if the law needs it. */
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
 * The parts of a draw of real numbers, public for tests: r, with r_0 last if the law has one, and
 * with u / 2 D instead of u for the paraboloid; and the rewards computed from r.
 */
extern RealDraw *perturbation_numbers(const Perturbation *perturbation, Bits *bits, Memory *memory);
extern void perturbation_reward(const Perturbation *perturbation, const Grid *grid, RealDraw *r,
								Bits *bits, Memory *memory, mpz_t *reward, mpz_t *level_reward);

#endif
