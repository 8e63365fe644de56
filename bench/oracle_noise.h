/*
 * oracle_noise.h - the noises that the oracle's bench draws, as rewards of levels.
 *
 * Doubles and a seeded stream: for measuring time, not for privacy.  delta is
 * 1 / n^2 as in the papers; d is the number of coordinates and D = sqrt(d).
 *
 *   A  OPDisc as published: the integers of the ball |w|^2 <= d, noise on
 *      phi(w) = (w, sqrt(D^2 - |w|^2)) / D, Gaussian with the published
 *      sigma = 7 d sqrt(ln 1/delta) / eps.  (Not proved private: counterexample R7.)
 *   B  the same grid and phi; a uniform direction times Gamma(d + 1, 4 d / eps)
 *   C  {-1,1}^d and phi(w) = w; uniform in a cube of radius Gamma(d + 1, 1 / eps)
 *   T  {-1,0,1}^d and the 2 d separators [w_j <= 0], [w_j >= 0] of RSPM; uniform
 *      in a cube of radius 2 Gamma(2 d + 1, 1 / eps)
 *
 * Everything is rounded to multiples of 1 / N, N = 2^20.
 */
#ifndef DPOBJ_BENCH_ORACLE_NOISE_H
#define DPOBJ_BENCH_ORACLE_NOISE_H

#include <math.h>

#include "core/optimum/oracle.h"
#include "core/testbits.h"

#define NOISE_SCALE (1 << 20)

typedef enum NoiseFamily
{
	NOISE_GAUSSIAN,
	NOISE_SPHERICAL,
	NOISE_CUBE,
	NOISE_SEPARATORS,
	NOISE_FAMILIES
} NoiseFamily;

typedef struct Noise
{
	NoiseFamily family;
	Grid grid;
	mpz_t level[GRID_MAX_DIMENSION * GRID_MAX_LEVELS];
	mpz_t end[GRID_MAX_STATES];
} Noise;

static inline void
noise_init(Noise *noise)
{
	for (int k = 0; k < GRID_MAX_DIMENSION * GRID_MAX_LEVELS; k++)
		mpz_init(noise->level[k]);
	for (int k = 0; k < GRID_MAX_STATES; k++)
		mpz_init(noise->end[k]);
}

static inline void
noise_clear(Noise *noise)
{
	for (int k = 0; k < GRID_MAX_DIMENSION * GRID_MAX_LEVELS; k++)
		mpz_clear(noise->level[k]);
	for (int k = 0; k < GRID_MAX_STATES; k++)
		mpz_clear(noise->end[k]);
}

/* The grid of a family; coordinates of a ball go from -most to most. */
static inline void
noise_set_grid(Noise *noise, NoiseFamily family, int dimension, int most)
{
	bool ball = family == NOISE_GAUSSIAN || family == NOISE_SPHERICAL;

	noise->family = family;
	memset(&noise->grid, 0, sizeof(noise->grid));
	noise->grid.dimension = dimension;
	noise->grid.constraint = ball ? GRID_BALL : GRID_PRODUCT;
	noise->grid.bound = ball ? dimension : 0;
	for (int j = 0; j < dimension; j++)
		if (family == NOISE_CUBE)
			grid_set_sign(&noise->grid, j);
		else
			grid_set_range(&noise->grid, j, ball ? most : 1);
}

/* In 0 < u < 1. */
static inline double
noise_uniform(TestStream *stream)
{
	return ((double) (teststream_next(stream) >> 12) + 0.5) / 4503599627370496.0;
}

/* Box and Muller's. */
static inline double
noise_normal(TestStream *stream)
{
	double radius = sqrt(-2.0 * log(noise_uniform(stream)));

	return radius * cos(2.0 * acos(-1.0) * noise_uniform(stream));
}

/* Gamma(shape, 1) with a whole shape: a sum of exponentials. */
static inline double
noise_gamma(TestStream *stream, int shape)
{
	double sum = 0.0;

	for (int k = 0; k < shape; k++)
		sum -= log(noise_uniform(stream));
	return sum;
}

static inline void
noise_set(mpz_t reward, double value)
{
	mpz_set_d(reward, nearbyint(NOISE_SCALE * value));
}

static inline void
noise_draw_ball(Noise *noise, double epsilon, int64_t count, TestStream *stream)
{
	int dimension = noise->grid.dimension;
	double root = sqrt(dimension);
	double eta[GRID_MAX_DIMENSION + 1];
	double norm = 0.0;
	double factor = 7.0 * dimension * sqrt(2.0 * log((double) count)) / epsilon;

	for (int j = 0; j <= dimension; j++)
	{
		eta[j] = noise_normal(stream);
		norm += eta[j] * eta[j];
	}
	if (noise->family == NOISE_SPHERICAL)
		factor = 4.0 * dimension / epsilon * noise_gamma(stream, dimension + 1) / sqrt(norm);
	for (int j = 0; j < dimension; j++)
		for (int i = 0; i < noise->grid.levels[j]; i++)
			noise_set(noise->level[j * GRID_MAX_LEVELS + i],
					  factor * eta[j] * noise->grid.level[j][i] / root);
	for (int s = 0; s <= dimension; s++)
		noise_set(noise->end[s], factor * eta[dimension] * sqrt(dimension - s) / root);
}

static inline void
noise_draw_product(Noise *noise, double epsilon, TestStream *stream)
{
	int dimension = noise->grid.dimension;
	bool cube = noise->family == NOISE_CUBE;
	double radius = noise_gamma(stream, (cube ? 1 : 2) * dimension + 1) * (cube ? 1 : 2) / epsilon;

	for (int j = 0; j < dimension; j++)
	{
		double low = radius * (2.0 * noise_uniform(stream) - 1.0);
		double high = cube ? -low : radius * (2.0 * noise_uniform(stream) - 1.0);

		for (int i = 0; i < noise->grid.levels[j]; i++)
		{
			int weight = noise->grid.level[j][i];

			noise_set(noise->level[j * GRID_MAX_LEVELS + i],
					  (weight <= 0 ? low : 0.0) + (weight >= 0 ? high : 0.0));
		}
	}
}

/* Draws the rewards for a training set of count rows. */
static inline void
noise_draw(Noise *noise, double epsilon, int64_t count, TestStream *stream)
{
	if (noise->grid.constraint == GRID_BALL)
		noise_draw_ball(noise, epsilon, count, stream);
	else
		noise_draw_product(noise, epsilon, stream);
}

static inline OracleProblem
noise_problem(const Noise *noise, const Instance *instance, int threads)
{
	return (OracleProblem){
		.instance = instance,
		.grid = &noise->grid,
		.scale = NOISE_SCALE,
		.reward = noise->level,
		.level_reward = noise->grid.constraint == GRID_BALL ? noise->end : NULL,
		.threads = threads,
	};
}

#endif
