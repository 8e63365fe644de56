/*
 * calibration.h - how much Gaussian noise objective perturbation needs (theorem R5).
 *
 * The noise is r = sigma z, z ~ N(0, I_k), and the answer w(r) the argmin of L(w) - <r, phi(w)>.
 * s_w is the shift that keeps w the answer for every neighbour (theorem G1), |s_w| <= c for all w,
 * kappa = c / sigma. With u_w = s_w / |s_w| and X = max over w of <z, u_w>
 *
 *   delta(epsilon) <= E max(0, 1 - exp(epsilon - kappa X - kappa^2 / 2)).      (2)
 *
 * Three bounds on it hold, so the largest kappa that one of them allows may be used:
 *
 *   chi    X <= |z|, which has the chi law with k degrees of freedom
 *   union  the sum over w of the Gaussian mechanism's delta: |W| delta_G(epsilon; kappa)
 *   signs  X <= sum |z_i| / sqrt(k) if every s_w is a multiple of a vector of signs
 *
 * A search in doubles proposes kappa.  The returned kappa is proved with outward rounding or in
 * integers (profile.h, signs_law.h), so no claim rests on the search.  epsilon is in units of 1.0,
 * delta a probability.
 */
#ifndef DPOBJ_CORE_CALIBRATION_H
#define DPOBJ_CORE_CALIBRATION_H

#include <stdbool.h>

/*
 * A scale computed in doubles from proved numbers by a few operations (+, -, *, /, sqrt, log1p,
 * expm1, and a difference that loses four bits at most) is multiplied by this, so that it is not
 * below the exact value: ten errors of 2^-50, times 16, are far below 1e-10.
 */
#define CALIBRATION_SAFE (1 + 1e-10)

/* delta_G(epsilon; mu): the Gaussian mechanism's exact delta, mu = sensitivity / sigma. */
extern double calibration_gaussian_delta(double epsilon, double mu);

/* sigma_G: the sigma for sensitivity 1; delta > 0. */
extern double calibration_gaussian_sigma(double epsilon, double delta);

/* How fast Mills' ratio M(x) = Phi(-x) / phi(x) falls: 1 - x M(x), which is positive. */
extern double calibration_mills_fall(double x);

/* The largest kappa = c / sigma; delta > 0.  log_vectors must not be below ln |W|. */
extern double calibration_chi_kappa(double epsilon, double delta, int k);
extern double calibration_union_kappa(double epsilon, double delta, double log_vectors);
extern double calibration_signs_kappa(double epsilon, double delta, int k);

/*
 * A bound on delta that rises with kappa: delta_of() computes it in doubles for the search, holds()
 * proves it.
 */
typedef struct CalibrationTarget
{
	double epsilon;
	double delta;
	double log_vectors;
	int k;
	const void *context;
	double (*delta_of)(const struct CalibrationTarget *target, double kappa);
	bool (*holds)(const struct CalibrationTarget *target, double kappa);
} CalibrationTarget;

/* The largest kappa within the target; 0 if there is none above e^-60. */
extern double calibration_largest(const CalibrationTarget *target);

/* The properties of W and its shifts that the bounds use. */
typedef struct CalibrationShifts
{
	int dimension;      /* k */
	double log_vectors; /* ln |W|, or more */
	bool signs;         /* is every s_w a multiple of a vector of signs? */
} CalibrationShifts;

typedef enum CalibrationBound
{
	CALIBRATION_CHI,
	CALIBRATION_UNION,
	CALIBRATION_SIGNS
} CalibrationBound;

/* The largest kappa of the three, and which it is. */
extern double calibration_kappa(double epsilon, double delta, const CalibrationShifts *shifts,
								CalibrationBound *bound);

/*
 * The published scales of OPDisc, for phi(w) = (w, sqrt(D^2 - |w|^2)) / D and a 0/1 loss, and of
 * RSPM, for m separators.  Their theorems are false (counterexample R7); the authors' code has half
 * of the first.
 */
extern double calibration_published_opdisc(double epsilon, double delta, double squared_radius,
										   double separation);
extern double calibration_published_rspm(double epsilon, double delta, int separators);

#endif
