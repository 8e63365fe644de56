/*
 * accuracy_gauss.h - Gaussian differential privacy, for the rivals of bench/accuracy and bench/ranking.
 */
#ifndef DPOBJ_BENCH_ACCURACY_GAUSS_H
#define DPOBJ_BENCH_ACCURACY_GAUSS_H

#include <math.h>

static inline double
normal_below(double x)
{
	return 0.5 * erfc(-x / sqrt(2));
}

/* The mu of Gaussian differential privacy that is (epsilon, delta) (Dong, Roth and Su 2022). */
static inline double
gaussian_mu(double epsilon, double delta)
{
	double low = 1e-6;
	double high = 100;

	for (int i = 0; i < 100; i++)
	{
		double mu = sqrt(low * high);
		double now = normal_below(mu / 2 - epsilon / mu) -
					 exp(epsilon) * normal_below(-epsilon / mu - mu / 2);

		if (now > delta)
			high = mu;
		else
			low = mu;
	}
	return low;
}

#endif
