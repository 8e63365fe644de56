/*
 * test_calibration.c - theorems A2 and R5 and counterexample R7 against values of another
 * program, to the digits that it printed.
 */
#include "core/noise/calibration.h"
#include "core/grid/grid.h"
#include "core/noise/profile.h"
#include "core/noise/signs_law.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <mpfr.h>

#include "core/base/privacy.h"

#include "core/check.h"

/* Half a unit of the last digit printed. */
#define CHECK_DIGITS(value, printed, digits)                                                       \
	do                                                                                             \
	{                                                                                              \
		double is = (value);                                                                       \
                                                                                                   \
		if (!(fabs(is - (printed)) <= 0.5001 * pow(10, -(digits))))                                \
			printf("%.*f for %.*f\n", (digits) + 2, is, (digits), (double) (printed));             \
		CHECK(fabs(is - (printed)) <= 0.5001 * pow(10, -(digits)));                                \
	} while (0)

/* ---- theorem A2 ---- */

static void
test_gaussian(void)
{
	static const double value[][3] = {
		{0.1, 1e-6, 36.304690}, {0.5, 1e-6, 8.057618}, {1, 1e-5, 3.730632}, {1, 1e-6, 4.224679},
		{1, 1e-9, 5.495266},    {4, 1e-6, 1.193519},   {8, 1e-6, 0.652935}};

	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
	{
		double sigma = calibration_gaussian_sigma(value[i][0], value[i][1]);

		CHECK_DIGITS(sigma, value[i][2], 6);
		CHECK(calibration_gaussian_delta(value[i][0], 1 / sigma) <= value[i][1]);
		CHECK(calibration_gaussian_delta(value[i][0], 1 / sigma) >= value[i][1] * (1 - 1e-7));
	}
	/* output perturbation: n = 1e4, CMS's lambda .01, L = R = 1 */
	CHECK_DIGITS(0.02 * calibration_gaussian_sigma(1, 1e-6), 0.08449358, 8);
	/* far out it neither overflows nor vanishes */
	CHECK(calibration_gaussian_sigma(1000, 1e-9) > 0 &&
		  calibration_gaussian_sigma(1000, 1e-9) < 0.1);
	CHECK(calibration_gaussian_sigma(1e-9, 1e-9) > 1e6 &&
		  calibration_gaussian_sigma(1e-9, 1e-9) < 1e10);
}

/* delta where it is a small difference of two numbers; by mpmath with 60 digits. */
static void
test_gaussian_tails(void)
{
	static const struct
	{
		double epsilon;
		double mu;
		double delta;
	} values[] = {{1e-9, 1e-7, 3.9396222754621e-8},
				  {1e-7, 3e-8, 3.3623367371663e-12},
				  {1e-5, 2e-6, 1.069238452945e-13},
				  {1e-3, 2e-4, 1.0697678519879e-11}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CHECK(fabs(calibration_gaussian_delta(values[i].epsilon, values[i].mu) / values[i].delta -
				   1) < 1e-11);
	/* the two forms agree where the code changes from one to the other */
	for (double t = 0.1; t < 9; t *= 1.5)
	{
		double below = calibration_gaussian_delta(t * 0x0.ffffffffp-7, 0x0.ffffffffp-7);
		double above = calibration_gaussian_delta(t * 0x1.00000001p-7, 0x1.00000001p-7);

		CHECK(fabs(below / above - 1) < 1e-8);
	}
}

/* ---- theorem R5 ---- */

typedef struct OpdiscRow
{
	int d;
	double epsilon;
	double delta;
	/* the integer ball, tau = 1, c = 4 d, k = d + 1 */
	double published;
	double chi;
	double classical; /* c (sqrt(k) + sqrt(2 ln 1/delta)) / epsilon: without kappa^2 / 2 */
	double all;       /* union over 3^d */
	/* the cube, tau = 2, c = k = d */
	double cube_published;
	double cube_chi;
	double cube_signs;
	double cube_all;
} OpdiscRow;

static const OpdiscRow opdisc_rows[] = {
	{2, 1, 1e-6, 52.0369, 39.9590, 55.9086, 37.2692, 13.0092, 9.4423, 9.0072, 9.0045},
	{2, 1, 1e-9, 63.7319, 49.5356, 65.3596, 46.8094, 15.9330, 11.8719, 11.4467, 11.4440},
	{2, 0.1, 1e-6, 520.3691, 355.6867, 559.0858, 328.8749, 130.0923, 83.2227, 78.7972, 78.7706},
	{10, 1, 1e-6, 260.1846, 256.4274, 342.9259, 245.6728, 65.0461, 62.6943, 54.4926, 54.9921},
	{10, 1, 1e-9, 318.6597, 302.0745, 390.1809, 284.7819, 79.6649, 74.1449, 65.4594, 65.6121},
	{10, 0.1, 1e-6, 2601.8455, 2359.3988, 3429.2586, 2285.1375, 650.4614, 575.4616, 495.0174,
	 502.5230},
	{23, 1, 1e-6, 598.4245, 725.5013, 934.3061, 740.1678, 149.6061, 179.1360, 151.0286, 157.6849},
	{23, 1, 1e-9, 732.9173, 827.8082, 1042.9927, 812.5111, 183.2293, 204.7460, 174.7313, 178.3152},
	{23, 0.1, 1e-6, 5984.2447, 6802.3990, 9343.0612, 7094.8678, 1496.0612, 1677.9708, 1403.3513,
	 1487.6979},
	{50, 1, 1e-6, 1300.9228, 2005.6651, 2479.5900, 2210.7728, 325.2307, 498.0260, 411.9468,
	 454.9354},
	{50, 1, 1e-9, 1593.2985, 2223.6330, 2715.8653, 2329.7531, 398.3246, 552.5428, 461.1283,
	 490.3123},
	{50, 0.1, 1e-6, 13009.2277, 19105.1715, 24795.9004, 21616.4235, 3252.3069, 4742.2033, 3900.2072,
	 4401.0923},
};

/* The smallest valid sigma of the three. */
static void
check_best(const OpdiscRow *row)
{
	CalibrationShifts ball = {row->d + 1, row->d * log(3), false};
	CalibrationShifts cube = {row->d, row->d * log(2), true};
	CalibrationBound bound;

	CHECK_DIGITS(4 * row->d / calibration_kappa(row->epsilon, row->delta, &ball, &bound),
				 fmin(row->chi, row->all), 4);
	CHECK(bound == (row->chi < row->all ? CALIBRATION_CHI : CALIBRATION_UNION));
	CHECK_DIGITS(row->d / calibration_kappa(row->epsilon, row->delta, &cube, &bound),
				 fmin(row->cube_signs, row->cube_all), 4);
	CHECK(bound == (row->cube_signs < row->cube_all ? CALIBRATION_SIGNS : CALIBRATION_UNION));
}

static void
test_opdisc(void)
{
	for (size_t i = 0; i < sizeof(opdisc_rows) / sizeof(opdisc_rows[0]); i++)
	{
		const OpdiscRow *row = &opdisc_rows[i];
		double e = row->epsilon;
		double delta = row->delta;
		int d = row->d;

		if (check_share() < 100 && d > 10)
			continue;
		CHECK_DIGITS(calibration_published_opdisc(e, delta, d, 1), row->published, 4);
		CHECK_DIGITS(calibration_published_opdisc(e, delta, d, 2), row->cube_published, 4);
		CHECK_DIGITS(4 * d / calibration_chi_kappa(e, delta, d + 1), row->chi, 4);
		CHECK_DIGITS(4 * d / calibration_union_kappa(e, delta, d * log(3)), row->all, 4);
		CHECK_DIGITS(4 * d * (sqrt(d + 1) + sqrt(2 * log(1 / delta))) / e, row->classical, 4);
		CHECK_DIGITS(d / calibration_chi_kappa(e, delta, d), row->cube_chi, 4);
		CHECK_DIGITS(d / calibration_union_kappa(e, delta, d * log(2)), row->cube_all, 4);
		CHECK_DIGITS(d / calibration_signs_kappa(e, delta, d), row->cube_signs, 4);
		check_best(row);
	}
}

/* The authors' experiment: delta = 1 / n^2, n = 15,682, d = 23. */
static void
test_experiment(void)
{
	static const double value[][4] = {{0.1, 7076.78, 3538.39, 7711.67},
									  {0.5, 1415.36, 707.68, 1593.11},
									  {1, 707.68, 353.84, 808.73},
									  {2, 353.84, 176.92, 411.53},
									  {4, 176.92, 88.46, 210.43}};
	double delta = 1 / (15682.0 * 15682.0);

	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
	{
		double published = calibration_published_opdisc(value[i][0], delta, 23, 1);

		CHECK_DIGITS(published, value[i][1], 2);
		CHECK_DIGITS(published / 2, value[i][2], 2);
		CHECK_DIGITS(92 / calibration_chi_kappa(value[i][0], delta, 24), value[i][3], 2);
	}
}

/*
 * Where the published sigma is above a valid one after all, on the integer ball with its exact
 * number of vectors (counterexample R7): at d = 5 and 10, not at 23 and 50.
 */
static void
test_ball(void)
{
	static const struct
	{
		int d;
		int max;
		double all;
		double chi;
		double published;
	} rows[] = {{5, 2, 106.2, 112.5, 130.1},
				{10, 3, 255.9, 256.4, 260.2},
				{23, 4, 797.8, 725.5, 598.4},
				{50, 7, 2441.7, 2005.7, 1300.9}};

	for (int i = 0; i < 4; i++)
	{
		Grid grid = {.dimension = rows[i].d, .constraint = GRID_BALL, .bound = rows[i].d};
		double c = 4 * rows[i].d;
		double log_vectors;

		for (int j = 0; j < rows[i].d; j++)
			grid_set_range(&grid, j, rows[i].max);
		log_vectors = grid_log2_size(&grid) * log(2);
		CHECK_DIGITS(c / calibration_union_kappa(1, 1e-6, log_vectors), rows[i].all, 1);
		CHECK_DIGITS(c / calibration_chi_kappa(1, 1e-6, rows[i].d + 1), rows[i].chi, 1);
		CHECK_DIGITS(calibration_published_opdisc(1, 1e-6, rows[i].d, 1), rows[i].published, 1);
		CHECK((rows[i].published > fmin(rows[i].chi, rows[i].all)) == (rows[i].d < 23));
	}
}

/* Theorem R5, signs: kappa = 2 sqrt(m) / sigma and the cube's column. */
static void
test_rspm(void)
{
	CHECK_DIGITS(2 * sqrt(23) / calibration_signs_kappa(1, 1e-6, 23), 62.98, 2);
	CHECK_DIGITS(calibration_published_rspm(1, 1e-6, 23), 124.8, 1);
}

/* The density of |z_1| + |z_2|. */
static double
two_signs_density(double s)
{
	return 2 / sqrt(acos(-1.0)) * exp(-s * s / 4) * erf(s / 2);
}

/* Bound (2) for two signs by Simpson's rule: what the law on a lattice must be a little above. */
static double
two_signs_delta(double epsilon, double kappa)
{
	double sum = 0;

	for (int i = 0; i <= 60000; i++)
	{
		double s = i * 5e-4;
		double loss = kappa * s / sqrt(2) + kappa * kappa / 2;
		double value = loss > epsilon ? -expm1(epsilon - loss) * two_signs_density(s) : 0;

		sum += value * (i % 2 ? 4 : 2) * 5e-4 / 3;
	}
	return sum;
}

static void
test_signs(void)
{
	double least = 1.0 / DELTA_ONE;
	SignsLaw law;

	CHECK(signs_law_create(&law, 2));
	for (double kappa = 0.1; kappa < 3; kappa *= 1.5)
	{
		double delta = two_signs_delta(1, kappa);

		CHECK(signs_law_delta(&law, 1, kappa) >= delta * (1 - 1e-6));
		CHECK(signs_law_delta(&law, 1, kappa) <= delta * 1.05);
	}
	signs_law_destroy(&law);
	/* a delta that is far below a double's precision */
	CHECK(calibration_signs_kappa(1, least, 64) > calibration_chi_kappa(1, least, 64));
	CHECK(calibration_signs_kappa(1, least, 64) > calibration_union_kappa(1, least, 64 * log(2)));
}

/* ---- what is proved ---- */

/* Each kappa passes its proof, and one a little larger does not. */
static void
check_proved(double epsilon, double delta, int k)
{
	const double more = 1 + 1e-8;
	double chi = calibration_chi_kappa(epsilon, delta, k);
	double all = calibration_union_kappa(epsilon, delta, k * log(3));
	double signs = calibration_signs_kappa(epsilon, delta, k);
	SignsLaw law;

	CHECK(profile_chi(epsilon, delta, k, chi));
	CHECK(!profile_chi(epsilon, delta, k, chi * more));
	CHECK(profile_gaussian(epsilon, delta, k * log(3), all));
	CHECK(!profile_gaussian(epsilon, delta, k * log(3), all * more));
	CHECK(signs_law_create(&law, k));
	CHECK(signs_law_holds(&law, epsilon, delta, signs));
	CHECK(!signs_law_holds(&law, epsilon, delta, signs * more));
	signs_law_destroy(&law);
}

/* Where doubles have lost all digits the proof itself is searched. */
static void
test_proved(void)
{
	static const double epsilon[] = {1e-9, 0.01, 1, 30};
	static const double delta[] = {0x1p-60, 1e-6, 0.3, 0.99};
	static const int k[] = {1, 2, 3, 7};

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			check_proved(epsilon[i], delta[j], k[(i + j) % 4]);
	check_proved(1, 1e-6, 23);
	check_proved(1, 1e-6, SIGNS_MOST);
	CHECK(profile_chi(1, 1e-6, 4096, calibration_chi_kappa(1, 1e-6, 4096)));
	CHECK(calibration_signs_kappa(1, 1e-6, SIGNS_MOST + 1) == 0);
	/* the same by another way: k = 1 is the folded law, and its union with one vector above it */
	CHECK(profile_folded(1, 1e-6, calibration_chi_kappa(1, 1e-6, 1)));
	CHECK(!profile_folded(1, 1e-6, calibration_chi_kappa(1, 1e-6, 1) * (1 + 1e-8)));
	/* where every loss is above epsilon */
	CHECK(profile_folded(0.1, 0.999, 3) == profile_chi(0.1, 0.999, 1, 3));
	CHECK(profile_folded(0.1, 0.997, 3) == profile_chi(0.1, 0.997, 1, 3));
}

/* All probabilities of a law, with what rounding adds, are 1; and its mean is k sqrt(2 / pi). */
static void
test_signs_law(void)
{
	static const int k[] = {1, 2, 3, 23};

	for (int i = 0; i < 4; i++)
	{
		double sum = 0;
		double mean = 0;
		SignsLaw law;

		CHECK(signs_law_create(&law, k[i]));
		for (int j = 0; j < law.points; j++)
		{
			double mass = ldexp((double) law.mass[j], -SIGNS_BITS);

			sum += mass;
			mean += mass * (k[i] + j) / 500;
		}
		CHECK(sum >= 1 && sum < 1 + 1e-6);
		CHECK(mean >= k[i] * sqrt(2 / acos(-1.0)));
		CHECK(mean < k[i] * (sqrt(2 / acos(-1.0)) + 1.1e-3));
		signs_law_destroy(&law);
	}
}

/* ---- Counterexample R7: how private the published scales are ---- */

/* P(|N(0, sigma^2)| > t)^count */
static double
all_beyond(double t, double sigma, int count)
{
	return pow(erfc(t / (sigma * sqrt(2))), count);
}

/* Counterexample A: the least delta at epsilon of OPDisc on {-1,1}^d with this sigma. */
static double
opdisc_delta(double epsilon, double sigma, int d)
{
	return 0.5 * (1 - exp(epsilon) * all_beyond(sqrt(d), sigma, d));
}

static double
rspm_delta(double epsilon, double sigma, int m)
{
	return 0.5 * (1 - exp(epsilon) * all_beyond(2, sigma, m));
}

static int
first_violated(double epsilon, double delta, double tau, double share)
{
	int d = 1;

	while (opdisc_delta(epsilon, share * calibration_published_opdisc(epsilon, delta, d, tau), d) <=
		   delta)
		d++;
	return d;
}

static void
test_counterexamples(void)
{
	static const double setting[][2] = {{1, 0.1},    {1, 1e-3}, {1, 1e-6},  {1, 1e-9},
										{0.5, 1e-6}, {2, 1e-6}, {0.1, 1e-6}};
	static const int paper[] = {16, 33, 66, 99, 66, 65, 67};
	static const int code[] = {3, 8, 16, 24, 17, 15, 17};
	static const int lower_separation[] = {264, 533, 1063, 1595};
	static const double value[][2] = {{66, 0.00203076}, {67, 0.00576193}, {68, 0.00943770},
									  {100, 0.104390},  {200, 0.261984},  {400, 0.383977}};
	static const int separators[] = {66, 133, 265};

	for (int i = 0; i < 7; i++)
	{
		CHECK(first_violated(setting[i][0], setting[i][1], 2, 1) == paper[i]);
		CHECK(first_violated(setting[i][0], setting[i][1], 2, 0.5) == code[i]);
	}
	for (int i = 0; i < 4; i++)
		CHECK(first_violated(1, setting[i][1], 1, 1) == lower_separation[i]);
	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
	{
		int d = (int) value[i][0];
		double sigma = calibration_published_opdisc(1, 1e-6, d, 2);

		CHECK_DIGITS(opdisc_delta(1, sigma, d), value[i][1], i < 3 ? 8 : 6);
	}
	CHECK_DIGITS(opdisc_delta(1, calibration_published_opdisc(1, 1e-6, 65, 2), 65), -0.0018, 4);
	CHECK_DIGITS(opdisc_delta(1, calibration_published_opdisc(1, 1e-6, 23, 2) / 2, 23), 0.0934, 4);
	for (int i = 0; i < 3; i++)
	{
		int m = 1;

		while (rspm_delta(1, calibration_published_rspm(1, setting[i][1], m), m) <= setting[i][1])
			m++;
		CHECK(m == separators[i]);
	}
	CHECK_DIGITS(rspm_delta(1, calibration_published_rspm(1, 1e-6, 1060), 1060), 0.316, 3);
}

/* d > 1.75^2 pi / 2 ln(1 / delta), for separators 3.5^2 (counterexample R7): whatever epsilon is.
 */
static void
test_asymptotics(void)
{
	const double half_pi = acos(0.0);

	CHECK_DIGITS(1.75 * 1.75 * half_pi, 4.81, 2);
	CHECK_DIGITS(3.5 * 3.5 * half_pi, 19.2, 1);
	for (double epsilon = 0.01; epsilon < 2; epsilon *= 3)
		CHECK(fabs(first_violated(epsilon, 1e-9, 2, 1) / (4.81 * log(1e9)) - 1) < 0.02);
}

/* ---- counterexample B: W = {e_1, ..., e_N}, report noisy max with normal noise ---- */

typedef struct Race
{
	double mine;   /* so many normals */
	double theirs; /* against so many */
	double behind; /* by this, in units of sigma */
} Race;

static double
race_integrand(double u, void *context)
{
	const Race *race = context;

	return race->mine * gsl_ran_ugaussian_pdf(u) * pow(gsl_cdf_ugaussian_P(u), race->mine - 1) *
		   pow(gsl_cdf_ugaussian_P(u - race->behind), race->theirs);
}

/* P(the best of mine is above the best of theirs by more than that). */
static double
race_won(double mine, double theirs, double behind)
{
	gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(20);
	Race race = {mine, theirs, behind};
	gsl_function function = {race_integrand, &race};
	double sum = 0;

	for (double u = -12; u < 16; u += 0.25)
		sum += gsl_integration_glfixed(&function, u, u + 0.25, rule);
	gsl_integration_glfixed_table_free(rule);
	return sum;
}

/* The printed delta is that of a share of W that loses by t, and by t + 2 on the neighbour. */
static void
test_linear_losses(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		double vectors;
		double mine;
		int t;
		double value;
		int digits;
	} rows[] = {{4, 0.1, 100, 70, 1, 0.105308, 6},  {4, 0.1, 200, 140, 1, 0.147427, 6},
				{2, 0.1, 1e4, 7e3, 1, 0.183984, 6}, {1, 0.1, 1e5, 7e4, 2, 0.108859, 6},
				{1, 1e-3, 1e6, 2e5, 2, 0.0045, 4},  {4, 1e-3, 1e4, 5e3, 2, 0.0051, 4}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
	{
		/* D = 1, tau = sqrt(2), and the features are the vectors */
		double sigma = calibration_published_opdisc(rows[i].epsilon, rows[i].delta, 1, sqrt(2));
		double theirs = rows[i].vectors - rows[i].mine;
		double here = race_won(rows[i].mine, theirs, rows[i].t / sigma);
		double there = race_won(rows[i].mine, theirs, (rows[i].t + 2) / sigma);
		double delta = here - exp(rows[i].epsilon) * there;

		CHECK_DIGITS(sigma, 3.5 * sqrt(log(1 / rows[i].delta)) / rows[i].epsilon, 9);
		CHECK_DIGITS(delta, rows[i].value, rows[i].digits);
		CHECK(delta > rows[i].delta);
	}
}

/* ---- counterexample G9: noise on the weights of {-1, 0, 1}^2 themselves is no RSPM ---- */

static double
corner_integrand(double b, void *context)
{
	double sigma = *(const double *) context;

	return gsl_ran_gaussian_pdf(b, sigma) * gsl_cdf_gaussian_P((1 - fabs(b)) / 2, sigma);
}

/*
 * With the rows ((1, 2), +) and ((1, -2), +) the vector (1, 0) alone makes no mistake, and is the
 * answer where |r_2| <= 1 and 2 r_1 >= |r_2| - 1. With ((0, 2), +) for the first row it
 * makes one, as do (1, 1) and (1, -1), of which one always has the better noise: probability 0.
 */
static void
test_figure_three(void)
{
	gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(20);
	double sigma = calibration_published_rspm(1, 1e-6, 2);
	gsl_function function = {corner_integrand, &sigma};

	/* simulated there: 4e6 draws */
	CHECK(fabs(2 * gsl_integration_glfixed(&function, 0, 1, rule) - 0.010904) < 1.6e-4);
	gsl_integration_glfixed_table_free(rule);
}

/* Counterexample C: on two points it is the Gaussian mechanism, violated above these epsilons. */
static void
test_two_points(void)
{
	static const double value[][2] = {{0.1, 8.6529}, {1e-3, 15.7826}, {1e-6, 24.9783}};

	for (int i = 0; i < 3; i++)
		for (int side = -1; side <= 1; side += 2)
		{
			double epsilon = value[i][1] + side * 0.5001e-4;
			double mu = 1 / calibration_published_opdisc(epsilon, value[i][0], 1, 2);

			CHECK((calibration_gaussian_delta(epsilon, mu) > value[i][0]) == (side > 0));
		}
}

/* A valid sigma survives counterexample R7 at every d, and not by much (theorem R5). */
static void
test_valid(void)
{
	for (int d = 2; d <= 128; d += d < 20 ? 3 : 36)
	{
		double sigma = d / calibration_signs_kappa(1, 1e-6, d);

		CHECK(opdisc_delta(1, sigma, d) <= 1e-6);
	}
	CHECK(opdisc_delta(1, 0.8 * 128 / calibration_signs_kappa(1, 0.01, 128), 128) > 0.01);
}

/* ---- theorem R4, the spherical law: |r| ~ Gamma(d + 1, c / epsilon) ---- */

static void
test_spherical(void)
{
	static const double value[][5] = {{2, 8, 24, 21.392483, 67.247575},
									  {10, 40, 440, 426.740896, 805.787209},
									  {23, 92, 2208, 2177.410209, 3389.401372}};

	for (int i = 0; i < 3; i++)
	{
		double shape = value[i][0] + 1;

		/* the valid law is shorter than the published one for d + 1 < 3.06 ln(1 / delta) */
		CHECK((shape * value[i][1] < calibration_published_opdisc(1, 1e-6, value[i][0], 1) *
										 sqrt(shape)) == (shape < 3.0625 * log(1e6)));
		CHECK_DIGITS(shape * value[i][1], value[i][2], 4);
		CHECK_DIGITS(gsl_cdf_gamma_Pinv(0.5, shape, value[i][1]), value[i][3], 6);
		CHECK_DIGITS(gsl_cdf_gamma_Pinv(0.99, shape, value[i][1]), value[i][4], 6);
	}
}

int
main(void)
{
	test_gaussian();
	test_gaussian_tails();
	test_opdisc();
	test_experiment();
	test_ball();
	test_rspm();
	test_signs();
	test_proved();
	test_signs_law();
	test_counterexamples();
	test_asymptotics();
	test_linear_losses();
	test_figure_three();
	test_two_points();
	test_valid();
	test_spherical();
	mpfr_free_cache();
	return check_report("calibration");
}
