/*
 * descent.h - noisy gradient descent for a convex model (theorems D1 to D6).
 *
 * In the units of convex.h |v| <= 1 and |psi'| <= c (loss_steepness()), so one row adds a vector of
 * norm c at most to a sum of gradients; with several classes its vector is shortened to c.  Every
 * step releases
 *
 *   o_t = round(sum over the batch of psi' y v + z N(0, I))
 *
 * at a point u_t that is a function of o_1 .. o_(t-1).
 */
#ifndef DPOBJ_CORE_DESCENT_H
#define DPOBJ_CORE_DESCENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/convex/convex.h"
#include "core/base/pause.h"
#include "core/base/privacy.h"

typedef enum DescentSampling
{
	DESCENT_FULL,    /* all rows in every step */
	DESCENT_POISSON, /* each row with probability batch / rows, independently */
	DESCENT_FIXED,   /* so many rows as batch says, without replacement */
	DESCENT_SAMPLINGS
} DescentSampling;

extern const char *const descent_sampling_names[DESCENT_SAMPLINGS];

#define DESCENT_MAX_ITERATIONS 100000
#define DESCENT_MAX_ROWS INT64_C(1000000000000000)

/* c with several classes (rule D7). */
#define DESCENT_CLASSES_LONGEST 0.15

/* The range of step and norm, in units of u. */
#define DESCENT_LENGTH_MIN 0x1p-20
#define DESCENT_LENGTH_MAX 0x1p20

typedef struct DescentTerms
{
	DescentSampling sampling;
	int iterations; /* 1 .. DESCENT_MAX_ITERATIONS */
	int64_t batch;  /* 1 .. rows; 0 with DESCENT_FULL */
	int64_t rows;   /* the declared number; 0 with DESCENT_FULL */
	double step;    /* length of a step in a coordinate whose gradients keep their sign */
	double norm;    /* u stays in the ball of this radius */
} DescentTerms;

/* c: the longest vector that one row adds to a sum of gradients. */
extern double descent_longest(const ConvexTerms *convex);

/*
 * The default terms, from public parameters alone; rows is 0 if it is not declared.  Found by trial
 * on Adult (bench/accuracy): steps of 2 and weights of norm 40 at most for features in -1 .. 1, in
 * units of w = u / radius; a smaller norm if rows times epsilon is small.  With several classes
 * (rule D7) steps of 0.1 and a norm of 40.
 */
extern DescentTerms descent_default(DescentSampling sampling, int64_t rows,
									const ConvexTerms *convex, double epsilon, Adjacency adjacency);

/* Are all terms in range, those of the loss included?  Classes are for all rows in every step. */
extern bool descent_terms_valid(const DescentTerms *terms, const ConvexTerms *convex);

/*
 * z / c, z the deviation of a step's noise in the units above; 0 if epsilon is so small that no z
 * is known to suffice.
 *
 *   full     M sqrt(T) sigma_G(epsilon, delta): T Gaussian steps are one of mu = c M sqrt(T) / z
 *   poisson  rdp.h; under replace for (epsilon / 2, delta / (1 + e^(epsilon / 2)))
 *   fixed    rdp.h, for either adjacency
 */
extern double descent_noise(const DescentTerms *terms, double epsilon, double delta,
							Adjacency adjacency, Pause pause);

#endif
