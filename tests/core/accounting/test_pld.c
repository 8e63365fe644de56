/*
 * test_pld.c - privacy loss distributions against closed forms and the values of the theory.
 */
#include "core/accounting/pld.h"

#include <math.h>

#include "core/noise/calibration.h"
#include "core/convex/convex_scale.h"

#include "core/fixture.h"
#include "core/law.h"
#include "core/values.h"

static double
composed_epsilon(const Pld *pld, int64_t times, double delta)
{
	PldPart part = {pld, times};

	return pld_epsilon(&part, 1, delta, memory);
}

static double
composed_delta(const Pld *pld, int64_t times, double epsilon)
{
	PldPart part = {pld, times};

	return pld_delta(&part, 1, epsilon, memory);
}

static bool
is_near(double value, double printed, double tolerance)
{
	if (!(fabs(value - printed) < tolerance))
		printf("%.12g for %.12g\n", value, printed);
	return fabs(value - printed) < tolerance;
}

/* ---- the Gaussian mechanism ---- */

/*
 * delta of T Gaussian mechanisms is that of one with sqrt(T) mu, far into the tail too: never
 * below it, and not much above.
 */
static void
test_gaussian(void)
{
	static const double mus[] = {0.01, 0.2, 1, 3};
	static const int64_t times[] = {1, 4, 100};

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 3; j++)
		{
			double all = mus[i] * sqrt((double) times[j]);
			double coarse = sqrt((double) times[j]) * 1e-3 / fmin(all, 1);
			Pld pld;

			if (all > 5)
				continue;
			pld_gaussian(mus[i], 1e-3, memory, &pld);
			for (double t = -0.5; t < 8; t += check_share() < 100 ? 2 : 0.5)
			{
				double epsilon = fmax(all * all / 2 + t * all, 0);
				double exact = calibration_gaussian_delta(epsilon, all);
				double is = composed_delta(&pld, times[j], epsilon);

				CHECK(is >= exact * (1 - 1e-12));
				CHECK(is <= exact * (1 + coarse * coarse * (4 + t * t * t)));
			}
		}
}

/* Another program's: mu, T, epsilon at delta in closed form and by this grid. */
static void
test_gaussian_values(void)
{
	static const double value[][6] = {{1, 1, 1e-6, 4.88655412, 4.886554804384458, 1e-6},
									  {1, 100, 1e-6, 4.88655412, 4.886600664805236, 5e-5},
									  {0.5, 1, 1e-5, 1.9930914, 1.993091774635735, 1e-6},
									  {0.5, 100, 1e-5, 1.9930914, 1.9931654624897375, 1e-4}};

	for (int i = 0; i < 4; i++)
	{
		Pld pld;
		double is;

		pld_gaussian(value[i][0] / sqrt(value[i][1]), 1e-3, memory, &pld);
		is = composed_epsilon(&pld, (int64_t) value[i][1], value[i][2]);
		CHECK(is_near(is, value[i][4], 2e-9));
		CHECK(is > value[i][3] && is < value[i][3] + value[i][5]);
	}
}

/* ---- sampled Gaussians ---- */

/* Theorems D2 and A8, by another program: (remove, add) at steps of 1e-3 and 2e-4. */
static void
test_sampled_values(void)
{
	static const struct
	{
		double rate;
		double noise;
		int64_t times;
		double delta;
		double step;
		double remove;
		double add;
	} values[] = {
		{256.0 / 60000, 1.1, 14062, 1e-5, 1e-3, 2.3905303082558746, 2.253343905584635},
		{256.0 / 60000, 1.1, 14062, 1e-5, 2e-4, 2.381953251349943, 2.2439497680626492},
		{0.01, 1, 1000, 1e-6, 1e-3, 2.1252514626579995, 1.5902987508030453},
		{0.01, 1, 1000, 1e-6, 2e-4, 2.1245446147564095, 1.5891371375556294},
		{0.001, 0.8, 10000, 1e-6, 1e-3, 0.9597780393682215, 0.7639540766371815},
		{0.001, 0.8, 10000, 1e-6, 2e-4, 0.9477150548336465, 0.743596384416381},
	};

	for (int i = 0; i < 6; i++)
		for (int direction = 0; direction < 2; direction++)
		{
			Pld pld;

			if (check_share() < 100 && i != 2)
				continue;
			pld_sampled_gaussian(values[i].rate, values[i].noise, (PldDirection) direction,
								 values[i].step, memory, &pld);
			CHECK(is_near(composed_epsilon(&pld, values[i].times, values[i].delta),
						  direction == PLD_REMOVE ? values[i].remove : values[i].add, 2e-7));
		}
}

/* P(z > x), z ~ N(0, 1) */
static double
normal_above(double x)
{
	return 0.5 * erfc(x / M_SQRT2);
}

/* E_t of (1 - q) N + q N(mu) from N, t = e^epsilon, by its definition; infinite in x = -inf. */
static double
removed_delta(double q, double mu, double epsilon)
{
	double inside = (expm1(epsilon) + q) / q;
	double x = inside > 0 ? log(inside) / mu + mu / 2 : -INFINITY;

	return q * normal_above(x - mu) + (1 - q - exp(epsilon)) * normal_above(x);
}

/* delta(-epsilon) of the swap is 1 - e^-epsilon + e^-epsilon delta(epsilon). */
static double
added_delta(double q, double mu, double epsilon)
{
	return -expm1(epsilon) + exp(epsilon) * removed_delta(q, mu, -epsilon);
}

/* One release of each law is as its definition says, on the grid's points, and above it between. */
static void
test_sampled(void)
{
	for (int i = 0; i < check_repetitions(40); i++)
	{
		double q = exp(between(-5, -0.05));
		double z = exp(between(-0.5, 1.5));
		double step = 1.0 / 1024;
		Pld pld[3];

		for (int direction = 0; direction < 3; direction++)
			pld_sampled_gaussian(q, z, (PldDirection) direction, step, memory, &pld[direction]);
		for (int k = 0; k < 6; k++)
		{
			double epsilon = floor(between(0, 2 * q / z) / step) * step;
			double middle = epsilon + step / 2;
			double removed = composed_delta(&pld[PLD_REMOVE], 1, epsilon);
			double added = composed_delta(&pld[PLD_ADD], 1, epsilon);
			double replaced = composed_delta(&pld[PLD_REPLACE], 1, epsilon);

			CHECK(removed >= removed_delta(q, 1 / z, epsilon) - 1e-14);
			CHECK(removed <= removed_delta(q, 1 / z, epsilon) + 1e-9);
			CHECK(added >= added_delta(q, 1 / z, epsilon) - 1e-14);
			CHECK(added <= added_delta(q, 1 / z, epsilon) + 1e-9);
			CHECK(replaced >= removed_delta(q, 2 / z, epsilon) - 1e-14);
			CHECK(replaced <= removed_delta(q, 2 / z, epsilon) + 1e-9);
			CHECK(composed_delta(&pld[PLD_REMOVE], 1, middle) >=
				  removed_delta(q, 1 / z, middle) - 1e-14);
			CHECK(composed_delta(&pld[PLD_ADD], 1, middle) >=
				  added_delta(q, 1 / z, middle) - 1e-14);
		}
	}
}

/* delta at epsilon of P = (1 - q) N(c) + q N(a), Q = (1 - q) N(c) + q N(b), deviation z. */
static double
true_delta(double q, double z, double a, double b, double c, double epsilon)
{
	double step = z / 100;
	double sum = 0;

	for (double x = -(3 + 9 * z); x <= 3 + 9 * z; x += step)
	{
		double common = (1 - q) * exp(-(x - c) * (x - c) / (2 * z * z));
		double p = common + q * exp(-(x - a) * (x - a) / (2 * z * z));
		double other = common + q * exp(-(x - b) * (x - b) / (2 * z * z));

		sum += fmax(0, p - exp(epsilon) * other) * step;
	}
	return sum / (z * sqrt(2 * M_PI));
}

/* What the envelope must dominate: three Gaussians in the unit ball.  It is reached at times. */
static void
test_replaced(void)
{
	double closest = 0;

	for (int i = 0; i < check_repetitions(200); i++)
	{
		double q = exp(between(-4, 0));
		double z = exp(between(0, 1.5));
		bool ends = i % 2 == 0;
		double a = ends ? 1 : between(-1, 1);
		double b = ends ? -1 : between(-1, 1);
		double c = ends ? teststream_below(&stream, 3) - 1.0 : between(-1, 1);
		double epsilon = between(0, 1.5 * q / z);
		double truth = true_delta(q, z, a, b, c, epsilon);
		double bound;
		Pld pld;

		pld_sampled_gaussian(q, z, PLD_REPLACE, 1e-3, memory, &pld);
		bound = composed_delta(&pld, 1, epsilon);
		CHECK(truth <= bound + 1e-5); /* the quadrature's error */
		closest = fmax(closest, truth / bound);
	}
	CHECK_WHOLE(closest > 0.98);
}

/* ---- randomised response ---- */

/* delta of k pure releases, theorem A7 (Kairouz, Oh, Viswanath). */
static double
optimal_delta(int k, double epsilon, double claimed)
{
	double sum = 0;

	for (int l = 0; l <= k; l++)
	{
		double loss = (k - 2 * l) * epsilon;
		double log_mass = log_choose(k, l) + (k - l) * epsilon - k * log1p(exp(epsilon));

		if (loss > claimed)
			sum += exp(log_mass) * -expm1(claimed - loss);
	}
	return sum;
}

static void
test_pure(void)
{
	for (int i = 0; i < 4; i++)
	{
		Pld pld;

		pld_approximate(optimal_values[i].epsilon, 0, 1e-3, memory, &pld);
		CHECK(is_near(composed_epsilon(&pld, optimal_values[i].k, 1e-6), optimal_values[i].composed,
					  0.51e-6));
		for (double epsilon = 0.05; epsilon < optimal_values[i].k * optimal_values[i].epsilon;
			 epsilon *= check_share() < 100 ? 8 : 1.5)
		{
			double exact = optimal_delta(optimal_values[i].k, optimal_values[i].epsilon, epsilon);
			double is = composed_delta(&pld, optimal_values[i].k, epsilon);

			CHECK(is >= exact * (1 - 1e-10) && is <= exact * (1 + 1e-7) + 1e-30);
		}
		CHECK(composed_delta(&pld, optimal_values[i].k,
							 optimal_values[i].k * optimal_values[i].epsilon + 1e-9) < 1e-12);
	}
}

/* Off the grid's points it costs little, and never less than on them. */
static void
test_off_grid(void)
{
	for (int k = 0; k < 10; k++)
	{
		double epsilon = 0.1 + k * 1e-4 + 3.3e-5;
		double exact = optimal_delta(30, epsilon, 2);
		double is;
		Pld pld;

		pld_approximate(epsilon, 0, 1e-3, memory, &pld);
		is = composed_delta(&pld, 30, 2);
		CHECK(is >= exact * (1 - 1e-10) && is <= exact * 1.01);
	}
}

/* An atom that gives all away stays: 1 - (1 - delta)^k, and no epsilon for less. */
static void
test_infinite(void)
{
	Pld pld;

	pld_approximate(0.1, 1e-7, 1e-3, memory, &pld);
	CHECK(is_near(composed_delta(&pld, 20, 10) / 2e-6, 1, 1e-5));
	CHECK(composed_delta(&pld, 20, 10) >= -expm1(20 * log1p(-1e-7)));
	CHECK(isinf(composed_epsilon(&pld, 20, 1.9e-6)));
	CHECK(composed_epsilon(&pld, 20, 2.1e-6) < 2.001);
	CHECK(composed_epsilon(&pld, 20, 1) == 0);
	CHECK(isinf(composed_epsilon(&pld, 20, 0)));
	pld_approximate(1, 1, 1e-3, memory, &pld);
	CHECK(composed_delta(&pld, 1, 100) == 1);
}

/* Theorem A8, by another program: ten pure releases, a Gaussian one and a (0.3, 1e-7) one. */
static void
test_mixture(void)
{
	Pld pure;
	Pld gaussian;
	Pld approximate;
	PldPart part[] = {{&pure, 10}, {&gaussian, 1}, {&approximate, 1}};
	double mixed;

	pld_approximate(0.1, 0, 1e-4, memory, &pure);
	pld_gaussian(0.2, 1e-4, memory, &gaussian);
	pld_approximate(0.3, 1e-7, 1e-4, memory, &approximate);
	CHECK(is_near(pld_epsilon(part, 1, 1e-6, memory), 0.9993709057286745, 1e-9));
	mixed = pld_epsilon(part, 3, 1e-6, memory);
	CHECK(is_near(mixed, 1.7757146677829685, 1e-9));

	/* in another order, and one release more */
	part[0] = (PldPart){&approximate, 1};
	part[2] = (PldPart){&pure, 10};
	CHECK(is_near(pld_epsilon(part, 3, 1e-6, memory), mixed, 1e-9));
	part[2].times = 11;
	CHECK(pld_epsilon(part, 3, 1e-6, memory) > mixed);
	CHECK(isinf(pld_epsilon(part, 3, 9e-8, memory)));
}

/* ---- bounded range ---- */

/* The supremum over t of the delta of the losses t and t - range. */
static double
range_delta(double range, double epsilon)
{
	double most = 0;

	for (int i = 0; i <= 2048; i++)
	{
		double t = range * i / 2048;
		double p = (exp(range) - exp(t)) / expm1(range);
		double other = p * exp(-t);

		most = fmax(most, fmax(0, p - exp(epsilon) * other) +
							  fmax(0, 1 - p - exp(epsilon) * (1 - other)));
	}
	return most;
}

static void
test_range(void)
{
	static const double ranges[] = {0.1, 1, 5};

	for (int i = 0; i < 3; i++)
	{
		Pld pld;
		Pld pure;
		double step = ranges[i] / 512;

		pld_bounded_range(ranges[i], step, memory, &pld);
		pld_approximate(ranges[i], 0, step, memory, &pure);
		for (int k = 0; k < 512; k += check_share() < 100 ? 200 : 37)
		{
			double is = composed_delta(&pld, 1, k * step);

			CHECK(is >= range_delta(ranges[i], k * step) - 1e-14);
			CHECK(is <= range_delta(ranges[i], k * step) + 1e-6);
			CHECK(composed_delta(&pld, 20, 4 * k * step) < composed_delta(&pure, 20, 4 * k * step));
		}
	}
}

/* The sum of 20 losses t or t - range, each t as probable as it must be: below, for all t. */
static void
test_range_composed(void)
{
	double range = 0.5;
	Pld pld;

	pld_bounded_range(range, range / 512, memory, &pld);
	for (double epsilon = 0; epsilon < 6; epsilon += 0.7)
	{
		double bound = composed_delta(&pld, 20, epsilon);

		for (double t = 0.02; t < range; t += 0.04)
		{
			double p = (exp(range) - exp(t)) / expm1(range);
			double delta = 0;

			for (int l = 0; l <= 20; l++)
			{
				double loss = 20 * t - l * range;
				double mass = exp(log_choose(20, l) + l * log1p(-p) + (20 - l) * log(p));

				if (loss > epsilon)
					delta += mass * -expm1(epsilon - loss);
			}
			CHECK(delta <= bound);
		}
	}
}

/* Of n runs with three outcomes each: how probable each is, and its privacy loss. */
static double
three_composed(const double probability[3], const double loss[3], int n, double epsilon)
{
	double delta = 0;

	for (int a = 0; a <= n; a++)
		for (int b = 0; a + b <= n; b++)
		{
			int c = n - a - b;
			double sum = a * loss[0] + b * loss[1] + c * loss[2];
			double mass =
				exp(lgamma(n + 1) - lgamma(a + 1) - lgamma(b + 1) - lgamma(c + 1) +
					a * log(probability[0]) + b * log(probability[1]) + c * log(probability[2]));

			if (sum > epsilon)
				delta += mass * -expm1(epsilon - sum);
		}
	return delta;
}

/*
 * Means of two laws of bounded range, as over the throws of sample_aggregate: one has losses t and
 * t - range on the outcomes 0 and 1, the other u and u - range on 1 and 2.  Their losses leave
 * every interval of that length, and still what is concluded from bounded range holds.
 */
static void
test_range_of_means(void)
{
	double range = 0.5;
	double widest = 0;
	Pld pld;

	pld_bounded_range(range, range / 512, memory, &pld);
	for (double t = 0.05; t < range; t += 0.13)
		for (double u = 0.05; u < range; u += 0.13)
		{
			double p = (exp(range) - exp(t)) / expm1(range);
			double r = (exp(range) - exp(u)) / expm1(range);
			double left[3] = {p / 2, (1 - p + r) / 2, (1 - r) / 2};
			double right[3] = {p * exp(-t) / 2, ((1 - p) * exp(range - t) + r * exp(-u)) / 2,
							   (1 - r) * exp(range - u) / 2};
			double loss[3];

			for (int i = 0; i < 3; i++)
				loss[i] = log(left[i] / right[i]);
			widest = fmax(widest, loss[0] - loss[2]);
			for (double epsilon = 0; epsilon < 3; epsilon += 0.3)
			{
				CHECK(three_composed(left, loss, 1, epsilon) <= composed_delta(&pld, 1, epsilon));
				CHECK(three_composed(left, loss, 20, epsilon) <= composed_delta(&pld, 20, epsilon));
			}
			for (double alpha = 1.5; alpha < 64; alpha *= 2)
			{
				double moment = 0;

				for (int i = 0; i < 3; i++)
					moment += left[i] * exp((alpha - 1) * loss[i]);
				CHECK(log(moment) / (alpha - 1) <= alpha * range * range / 8);
			}
		}
	CHECK(widest > 1.5 * range);
}

/* ---- objective perturbation ---- */

/* The profile of theorem V4 under add_remove, and under replace the one that is proved. */
static void
test_objective(void)
{
	static const double mus[] = {0.1, 0.5, 1.5};

	for (int i = 0; i < 3; i++)
		for (double determinant = 0.01; determinant < 1; determinant *= 5)
		{
			double step = 1.0 / 1024;
			Pld folded;
			Pld chi;

			pld_objective(determinant, mus[i], ADJACENCY_ADD_REMOVE, step, memory, &folded);
			pld_objective(determinant, mus[i], ADJACENCY_REPLACE, step, memory, &chi);
			for (double epsilon = determinant + mus[i] * mus[i] / 2;
				 epsilon < determinant + 6 * mus[i];
				 epsilon += mus[i] * (check_share() < 100 ? 2 : 0.3))
			{
				double point = ceil(epsilon / step) * step;
				double rest = point - determinant;
				double exact = objective_delta(rest, mus[i], ADJACENCY_ADD_REMOVE);
				double is = composed_delta(&folded, 1, point);

				CHECK(is >= exact * (1 - 1e-9));
				CHECK(is <= exact * (1 + 1e-8) + 1e-17);
				exact = objective_delta_chi2(rest, mus[i]);
				is = composed_delta(&chi, 1, point);
				CHECK(is >= exact * (1 - 1e-9));
				CHECK(is <= exact * (1 + 1e-8) + 1e-17);
			}
			CHECK(composed_epsilon(&folded, 10, 1e-6) > 10 * determinant);
			CHECK(composed_epsilon(&chi, 10, 1e-6) > composed_epsilon(&folded, 10, 1e-6));
		}
}

int
main(void)
{
	test_begin(31);
	test_gaussian();
	test_gaussian_values();
	test_sampled_values();
	test_sampled();
	test_replaced();
	test_pure();
	test_off_grid();
	test_infinite();
	test_mixture();
	test_range();
	test_range_composed();
	test_range_of_means();
	test_objective();
	return test_end("pld");
}
