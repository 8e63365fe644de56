/*
 * test_rdp.c - Renyi divergences of sampled Gaussians: theorems D2 and D3, the definitions by
 * quadrature, and calibrations.
 */
#include "core/noise/rdp.h"

#include <math.h>
#include <string.h>

#include "core/noise/calibration.h"

#include "core/fixture.h"

/* ---- values of another program, theorem D2: orders 2 .. 256, 300, 400, 512 and 1024 ---- */

#define ORDERS 259

static void
fill_orders(int *alpha)
{
	static const int last[] = {300, 400, 512, 1024};

	for (int i = 0; i < ORDERS; i++)
		alpha[i] = i < ORDERS - 4 ? i + 2 : last[i - (ORDERS - 4)];
}

/* The conversion of Mironov 2017, by which others have published epsilons. */
static double
classic_epsilon(const int *alpha, const double *rdp, double delta)
{
	double least = INFINITY;

	for (int i = 0; i < ORDERS; i++)
		least = fmin(least, rdp[i] - log(delta) / (alpha[i] - 1));
	return least;
}

static void
test_values(void)
{
	static const struct
	{
		double q;
		double z;
		int steps;
		double delta;
		const char *classic;
		const char *epsilon;
	} values[] = {
		{256.0 / 60000, 1.3, 15 * 60000 / 256, 1e-5, "1.192", NULL},
		{256.0 / 60000, 1.1, 60 * 60000 / 256, 1e-5, "3.009", "2.596981"},
		{256.0 / 60000, 0.7, 45 * 60000 / 256, 1e-5, "7.123", NULL},
		{0.01, 1, 1000, 1e-6, NULL, "2.436694"},
		{0.001, 0.8, 10000, 1e-6, NULL, "1.720123"},
	};
	int alpha[ORDERS];
	double rdp[ORDERS];

	fill_orders(alpha);
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
	{
		for (int i = 0; i < ORDERS; i++)
			rdp[i] = values[k].steps * rdp_poisson(values[k].q, values[k].z, alpha[i]);
		if (values[k].classic != NULL)
			CHECK(prints_as(classic_epsilon(alpha, rdp, values[k].delta), 3, values[k].classic));
		if (values[k].epsilon != NULL)
			CHECK(
				prints_as(rdp_epsilon(alpha, rdp, ORDERS, values[k].delta), 6, values[k].epsilon));
	}
}

/* ---- the definition, by quadrature ---- */

static double
log_normal(double x, double mean, double z)
{
	return -(x - mean) * (x - mean) / (2 * z * z);
}

/* ln((1 - q) e^a + q e^b) */
static double
log_mix(double q, double a, double b)
{
	double high = fmax(a, b);

	return high + log((1 - q) * exp(a - high) + q * exp(b - high));
}

/* D_alpha of P = (1 - q) N(c) + q N(a) from Q = (1 - q) N(c) + q N(b), deviation z. */
static double
true_divergence(double q, double z, double a, double b, double c, int alpha)
{
	double step = z / 40;
	double sum = 0;

	for (double x = -(4.0 * alpha + 12 * z); x <= 4.0 * alpha + 12 * z; x += step)
	{
		double p = log_mix(q, log_normal(x, c, z), log_normal(x, a, z));
		double other = log_mix(q, log_normal(x, c, z), log_normal(x, b, z));

		sum += exp(alpha * p - (alpha - 1) * other) * step;
	}
	return log(sum / (z * sqrt(2 * M_PI))) / (alpha - 1);
}

static void
test_definition(void)
{
	for (int i = 0; i < check_repetitions(200); i++)
	{
		double q = exp(between(-5, 0));
		double z = exp(between(-0.3, 1.5));
		int alpha = 2 + below(8);
		double bound = rdp_poisson(q, z, alpha);

		CHECK(fabs(true_divergence(q, z, 1, 0, 0, alpha) / bound - 1) < 1e-7);
		CHECK(true_divergence(q, z, 0, 1, 0, alpha) <= bound * (1 + 1e-9));
		CHECK(true_divergence(q, z, between(-1, 1), 0, 0, alpha) <= bound * (1 + 1e-9));
	}
	for (int alpha = 2; alpha < 50; alpha++)
		CHECK(fabs(rdp_poisson(1, 3, alpha) / (alpha / 18.0) - 1) < 1e-9);
}

/* ---- one row replaced ---- */

/* E_t of (1 - q) N + q N(mu) from N at t = 1 + q (e^epsilon - 1), by its definition. */
static double
profile(double q, double mu, double t)
{
	double x = log((t - (1 - q)) / q) / mu + mu / 2; /* beyond it the mixture is t times more */

	return q * 0.5 * erfc((x - mu) / M_SQRT2) + (1 - q - t) * 0.5 * erfc(x / M_SQRT2);
}

/* The envelope's divergence: 1 + alpha (alpha - 1) integral (t^(alpha - 2) + t^(-alpha - 1)) E_t */
static double
envelope(double q, double mu, int alpha)
{
	double sum = 0;
	double step = fmin(mu, 1) / 2000;

	for (double e = step / 2; e < (alpha + 2) * mu * mu + 14 * mu; e += step)
	{
		double t = 1 + q * expm1(e);
		double weight = pow(t, alpha - 2) + pow(t, -alpha - 1);

		sum += weight * fmax(0, profile(q, mu, t)) * q * exp(e) * step;
	}
	return log1p(alpha * (alpha - 1.0) * sum) / (alpha - 1);
}

static double
replace_at(double q, double z, int alpha)
{
	double rdp;

	rdp_replace(q, z, &alpha, 1, &rdp);
	return rdp;
}

/* The bound is the envelope's divergence, and never below it. */
static void
test_envelope(void)
{
	double loosest = 0;

	for (int i = 0; i < check_repetitions(200); i++)
	{
		double q = exp(between(-4, 0));
		double z = exp(between(0.3, 2.5));
		int alpha = 2 + below(6);
		double ratio = replace_at(q, z, alpha) / envelope(q, 2 / z, alpha);

		CHECK(ratio > 1 - 1e-5);
		CHECK(ratio < 1.01);
		loosest = fmax(loosest, ratio);
	}
	CHECK(loosest < 1.002);
	/* with all rows in every batch it is the Gaussian mechanism */
	for (int alpha = 2; alpha < 20; alpha++)
		CHECK(fabs(replace_at(1, 5, alpha) / (alpha * 2 / 25.0) - 1) < 1e-3);
}

/*
 * What the proof leaves: three Gaussians, anywhere in the unit ball, in both directions.
 * They get near the bound.
 */
static void
test_replace_bound(void)
{
	double closest = 0;

	for (int i = 0; i < check_repetitions(1000); i++)
	{
		double q = exp(between(-4, 0));
		double z = exp(between(0.3, 2.5));
		int alpha = 2 + below(6);
		bool ends = i % 2 == 0; /* of the ball's diameter, where it is the worst */
		double a = ends ? 1 : between(-1, 1);
		double b = ends ? -1 : between(-1, 1);
		double c = ends ? teststream_below(&stream, 3) - 1.0 : between(-1, 1);
		double bound = replace_at(q, z, alpha);
		double truth = true_divergence(q, z, a, b, c, alpha);

		CHECK(truth <= bound);
		CHECK(true_divergence(q, z, b, a, c, alpha) <= bound);
		closest = fmax(closest, truth / bound);
	}
	CHECK_WHOLE(closest > 0.95);
}

/* More noise and smaller batches never cost more; what is added never costs more either. */
static void
test_order(void)
{
	for (int i = 0; i < check_repetitions(1000); i++)
	{
		double q = exp(between(-12, -0.1));
		double z = exp(between(-2, 8));
		int alpha = 2 + below(300);

		CHECK(rdp_poisson(q, z, alpha) > 0 && isfinite(rdp_poisson(q, z, alpha)));
		CHECK(rdp_poisson(q, z, alpha) > rdp_poisson(q * 0.9, z, alpha));
		CHECK(rdp_poisson(q, z, alpha) > rdp_poisson(q, z * 1.1, alpha));
		CHECK(rdp_poisson(q, z, alpha) <= rdp_poisson(q, z, alpha + 1));
		CHECK(replace_at(q, z, alpha) >= rdp_poisson(q, z / 2, alpha) * (1 - 1e-12));
		CHECK(isfinite(replace_at(q, z, alpha)));
		CHECK(replace_at(q, z, alpha) > replace_at(q * 0.9, z, alpha));
	}
	CHECK(isfinite(rdp_poisson(0.5, 0x1p-10, RDP_MAX_ORDER)));
	CHECK(isfinite(replace_at(0.5, 0x1p-10, RDP_MAX_ORDER)));
	CHECK(isfinite(replace_at(1e-15, 0x1p30, RDP_MAX_ORDER)));
}

/* ---- calibration ---- */

/* What the noise costs, by all orders up to 1024. */
static double
cost(RdpNeighbours neighbours, double q, double z, int steps, double delta)
{
	int alpha[1023];
	double rdp[1023];

	for (int i = 0; i < 1023; i++)
		alpha[i] = i + 2;
	if (neighbours == RDP_REPLACE)
		rdp_replace(q, z, alpha, 1023, rdp);
	for (int i = 0; i < 1023; i++)
		rdp[i] = steps * (neighbours == RDP_REPLACE ? rdp[i] : rdp_poisson(q, z, alpha[i]));
	return rdp_epsilon(alpha, rdp, 1023, delta);
}

/* The moment's sum in longer words: doubles lose far less than the margin of rdp_noise(). */
static void
test_digits(void)
{
	static const double shares[] = {1e-6, 0.01, 0.3, 0.9};
	static const double deviations[] = {1, 20, 300, 1e6};
	static const int alphas[] = {2, 64, 1024, RDP_MAX_ORDER};

	for (int i = 0; i < 64; i++)
	{
		long double q = shares[i % 4];
		long double z = deviations[i / 4 % 4];
		int alpha = alphas[i / 16];
		double doubles = rdp_poisson(shares[i % 4], deviations[i / 4 % 4], alpha);
		long double log_choose = logl(alpha);
		long double most = -INFINITY;
		long double sum = 0; /* in units of e^most: the largest term is 1 */

		for (int k = 2; k <= alpha; k++)
		{
			long double gain = (long double) k * (k - 1) / (2 * z * z);
			long double term;

			log_choose += logl((long double) (alpha - k + 1) / k);
			term =
				log_choose + (alpha - k) * log1pl(-q) + k * logl(q) + gain + logl(-expm1l(-gain));
			sum = term > most ? sum * expl(most - term) + 1 : sum + expl(term - most);
			most = fmaxl(most, term);
		}
		most += logl(fmaxl(sum, 1));
		sum = (most > 100 ? most : log1pl(expl(most))) / (alpha - 1);
		CHECK(fabsl(doubles - sum) <= RDP_MARGIN / 100 * sum);
	}
}

static void
test_noise(void)
{
	static const double epsilons[] = {0.05, 0.3, 1, 4, 20};

	for (int i = 0; i < 5; i += check_share() < 100 ? 4 : 1)
		for (int neighbours = 0; neighbours < 2; neighbours++)
			for (int steps = 1; steps <= 10000; steps *= 100)
			{
				double q = 0.02;
				double z = rdp_noise((RdpNeighbours) neighbours, q, steps, epsilons[i], 1e-7, NULL);
				double spent = cost((RdpNeighbours) neighbours, q, z, steps, 1e-7);

				CHECK(z > 0 && spent <= epsilons[i]);
				CHECK(spent > epsilons[i] * 0.9);
			}
	/* with all rows it is the Gaussian mechanism, of which the exact law is known */
	for (int i = 0; i < 5; i++)
	{
		double exact = 10 * calibration_gaussian_sigma(epsilons[i], 1e-7);

		CHECK(rdp_noise(RDP_ADD_REMOVE, 1, 100, epsilons[i], 1e-7, NULL) > exact);
		CHECK(rdp_noise(RDP_ADD_REMOVE, 1, 100, epsilons[i], 1e-7, NULL) < exact * 1.1);
		CHECK(rdp_noise(RDP_REPLACE, 1, 100, epsilons[i], 1e-7, NULL) > 2 * exact);
		CHECK(rdp_noise(RDP_REPLACE, 1, 100, epsilons[i], 1e-7, NULL) < 2 * exact * 1.1);
	}
	CHECK(rdp_noise(RDP_ADD_REMOVE, 0.1, 10, 1e-3, 1e-9, NULL) == 0); /* beyond the orders */
	CHECK(rdp_noise(RDP_REPLACE, 0.1, 10, 1e-9, 1e-9, NULL) == 0);
}

int
main(void)
{
	test_begin(17);
	test_values();
	test_definition();
	test_envelope();
	test_replace_bound();
	test_order();
	test_digits();
	test_noise();
	return test_end("rdp");
}
