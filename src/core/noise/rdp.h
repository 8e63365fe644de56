/*
 * rdp.h - Renyi differential privacy of Gaussian noise on samples (theorems D2, D3, A5).
 *
 * A step releases the sum of vectors |g_i| <= 1 over a random batch plus N(0, z^2) in each
 * coordinate.  The functions bound the step's Renyi divergence of order alpha between neighbours,
 * in both directions.  The divergences of steps add up, even if a step depends on the answers of
 * earlier ones (Mironov 2017).
 */
#ifndef DPOBJ_CORE_RDP_H
#define DPOBJ_CORE_RDP_H

#include "core/base/pause.h"

/* Orders are integers, 2 .. RDP_MAX_ORDER. */
#define RDP_MAX_ORDER 4096

/*
 * Poisson batches with probability 0 < q <= 1; one row is added or removed (Mironov, Talwar and
 * Zhang 2019).
 */
extern double rdp_poisson(double q, double z, int alpha);

/*
 * The same for all kinds of neighbours, and for Poisson batches as well as batches of a fixed share
 * q of the rows, drawn without replacement.  Computes many orders at once, because they share most
 * of the work.
 */
extern void rdp_replace(double q, double z, const int *alpha, int count, double *rdp);

/* The least epsilon at this delta (Canonne, Kamath and Steinke 2020, proposition 12). */
extern double rdp_epsilon(const int *alpha, const double *rdp, int count, double delta);

typedef enum RdpNeighbours
{
	RDP_ADD_REMOVE, /* rdp_poisson() */
	RDP_REPLACE     /* rdp_replace() */
} RdpNeighbours;

/*
 * The least z, to within twice RDP_MARGIN, for which all steps together are (epsilon, delta)-DP; 0
 * if no z below RDP_MAX_Z suffices, because epsilon is too small for the orders tried.
 */
#define RDP_MAX_Z 0x1p24
#define RDP_MARGIN 1e-8
extern double rdp_noise(RdpNeighbours neighbours, double q, int steps, double epsilon, double delta,
						Pause pause);

#endif
