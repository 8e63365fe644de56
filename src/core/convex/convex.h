/*
 * convex.h - the public terms of a convex model.
 *
 * A generalised linear model minimises, over all real vectors w,
 *
 *   J(w) = sum over rows of psi(y <x, w>) + (Lambda / 2) |w|^2
 *
 * in sum form (theorem V1), for rows clipped to |x|_2 <= R.  Everything is
 * computed in units of R: rows v = x / R with |v| <= 1 and weights u = R w, which
 * leaves the scores as they are and turns Lambda into lambda = Lambda / R^2.
 *
 * With LOSS_SQUARES a row has a target t instead of a label, and adds psi(<x, w> - t).  A row that
 * is clipped has x and t scaled by the same factor.
 *
 * With K classes there are K vectors, a row's loss is that of softmax regression, ln(sum of exp(<x,
 * w_k>)) - <x, w_y>, y its class, clipped so that the share of y counts as 1 / 2 in the slopes if
 * it is less (theorem V14), and |w|^2 is the sum over all K.
 */
#ifndef DPOBJ_CORE_CONVEX_H
#define DPOBJ_CORE_CONVEX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/privacy.h"
#include "core/grid/grid.h"
#include "core/rows/instance.h"
#include "core/rows/levels.h"

typedef enum ConvexLoss
{
	LOSS_LOGISTIC, /* ln(1 + exp(-margin)) */
	LOSS_CLIPPED,  /* the same with its slope clipped to 1/2: a line below margin 0; or classes */
	LOSS_HUBER,    /* the hinge, rounded off over margins 1 - h .. 1 + h, h = 1/2 */
	LOSS_SQUARES,  /* z^2 / 2 with its slope clipped to 1: lines beyond +-1; rows have targets */
	LOSS_KINDS,
	LOSS_LABEL_KINDS = LOSS_SQUARES /* those before it are of labels */
} ConvexLoss;

typedef enum ConvexNoise
{
	CONVEX_GAMMA,    /* density proportional to exp(-|b| / scale): pure */
	CONVEX_GAUSSIAN, /* independent normal coordinates of deviation scale: needs delta > 0 */
	CONVEX_LAPLACE,  /* independent Laplace coordinates, of OPSamp only: needs delta > 0 */
	CONVEX_KNORM,    /* exp(-|b|_K / scale), of objective perturbation only: pure (theorem K6) */
	CONVEX_NOISES
} ConvexNoise;

/* lambda is an integer number of units of 2^-32. */
#define LAMBDA_BITS 32
#define LAMBDA_ONE (INT64_C(1) << LAMBDA_BITS)
#define LAMBDA_MIN (LAMBDA_ONE >> 10)
#define LAMBDA_MAX (LAMBDA_ONE << 24)

/* The release is u, rounded to multiples of 2^-20. */
#define CONVEX_OUTPUT_BITS 20

/* The largest bound on |u|, or on each of its weights, in the same units: 32. */
#define CONVEX_NORM_MAX (INT64_C(32) << CONVEX_OUTPUT_BITS)

/* The radius, in units of a feature of 1.0. */
#define CONVEX_RADIUS_MIN 0x1p-10
#define CONVEX_RADIUS_MAX 0x1p14

#define COLUMN_INDICATOR INT16_MAX

/* What is public of the columns of a row. */
typedef struct ConvexColumns
{
	/*
	 * The one-hot group of the column, counted from 1; an intercept is one, the last; 0: none;
	 * COLUMN_INDICATOR: none, but 0 <= x_j <= 1, beside an intercept.
	 */
	int16_t group[COLUMNS_MAX];
	int32_t bound[COLUMNS_MAX]; /* the largest |x_j|, units of 2^-16 */
} ConvexColumns;

typedef struct ConvexTerms
{
	ConvexLoss loss;
	int classes; /* K, at most INSTANCE_MAX_CLASSES; 0: a loss of the margin */
	ConvexNoise noise;
	double radius;  /* R, in units of a feature of 1.0 */
	int64_t lambda; /* LAMBDA_MIN .. LAMBDA_MAX; over a body from 0 on */
	int64_t delta;  /* atto-units, rounded down; 0 with pure noise */
	int64_t norm;   /* over a body (convex_net.h) the bound, 1 .. CONVEX_NORM_MAX; else 0 */
	int steps;      /* of its net (net.h); else 0 */
	int64_t rows; /* of OPSamp (convex_opsamp.h), like the next two: the declared number; else 0 */
	int64_t peak; /* the bound on |v_j|, units of 2^-20 */
	int calls;    /* of the oracle */
	ConvexColumns columns; /* with CONVEX_KNORM, and of descent (residual.h); else all 0 */
	/* Of the columns of a row, with Gamma or Gaussian noise and without classes; else all 0. */
	int16_t levels[WEIGHTS_MAX];
	double unit; /* of targets: the threshold in their own units, for facts only; 0: none */
} ConvexTerms;

/* What a weight is multiplied by, after R, to be released. */
static inline double
convex_weight_unit(const ConvexTerms *terms)
{
	return (terms->unit > 0 ? terms->unit : 1) / terms->radius;
}

/* Lambda, for w in units of the features. */
static inline double
convex_regularization(const ConvexTerms *terms)
{
	return (double) terms->lambda / LAMBDA_ONE * terms->radius * terms->radius;
}

/* Does the noise spend no delta? */
static inline bool
convex_noise_is_pure(ConvexNoise noise)
{
	return noise == CONVEX_GAMMA || noise == CONVEX_KNORM;
}

/* Are all terms in range, but for the columns (convex_columns_valid())? */
static inline bool
convex_terms_valid(const ConvexTerms *terms)
{
	return (unsigned) terms->loss < LOSS_KINDS && (unsigned) terms->noise < CONVEX_NOISES &&
		   (terms->classes == 0 ||
			(terms->loss == LOSS_CLIPPED && terms->classes >= 2 &&
			 terms->classes <= INSTANCE_MAX_CLASSES && terms->noise < CONVEX_LAPLACE)) &&
		   terms->radius >= CONVEX_RADIUS_MIN && terms->radius <= CONVEX_RADIUS_MAX &&
		   terms->lambda >= (terms->norm > 0 ? 0 : LAMBDA_MIN) && terms->lambda <= LAMBDA_MAX &&
		   terms->norm >= 0 && terms->norm <= CONVEX_NORM_MAX && terms->steps >= 0 &&
		   terms->rows >= 0 && terms->peak >= 0 &&
		   terms->peak <= INT64_C(1) << CONVEX_OUTPUT_BITS && terms->calls >= 0 &&
		   (convex_noise_is_pure(terms->noise) ? terms->delta == 0
											   : terms->delta > 0 && terms->delta < DELTA_ONE);
}

#endif
