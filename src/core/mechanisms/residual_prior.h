/*
 * residual_prior.h - the steps of descent on clipped residuals, scaled by what is known of each
 * weight.
 *
 * All of it is a function of noisy counts and sums that are released, and of public numbers
 * (theorem D10), so it uses doubles.  A weight of a group is taken for a normal variable of
 * variance kappa V, V = p (1 - p), with neighbouring bins of a column near each other; its sum,
 * divided by its noisy count, for the weight plus noise.  A step is the posterior mean.
 */
#ifndef DPOBJ_CORE_RESIDUAL_PRIOR_H
#define DPOBJ_CORE_RESIDUAL_PRIOR_H

#include "core/base/memory.h"
#include "core/convex/residual.h"

typedef struct ResidualPrior
{
	const ResidualLayout *layout;
	double labels;             /* N */
	double variance;           /* V */
	double noise;              /* of the mean of all steps' sums */
	double *count;             /* C of each weight, positive */
	double *root;              /* the Cholesky factors of the groups that have bins in order */
	size_t at[COLUMNS_MAX];    /* of the root of each group */
	double kappa[COLUMNS_MAX]; /* of each group */
	Memory *memory;
} ResidualPrior;

/* count: noisy counts of the weights, of deviation sigma. */
extern void residual_prior_create(const ResidualLayout *layout, double labels, double variance,
								  double noise, const double *count, double sigma, Memory *memory,
								  ResidualPrior *prior);
extern void residual_prior_destroy(ResidualPrior *prior);

/* Sets kappa of each group by the mean of so many noisy sums of deviation sigma, which is mean. */
extern void residual_prior_learn(ResidualPrior *prior, const double *mean, int sums, double sigma);

/* Sets the direction of a step along noisy sums. */
extern void residual_prior_step(const ResidualPrior *prior, const double *sum, double *step);

#endif
