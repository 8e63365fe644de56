/*
 * test_knorm.c - K-norm noise: volumes of slices against counts of lattice points, laws of norms,
 * sums, signs and coordinates, roundings of a draw against further bits of it, and the subspace of
 * gradients.
 */
#include "core/random/knorm.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "core/convex/convex_minimise.h"

#include "core/law.h"
#include "core/problem.h"

#define CELLS 40
#define STEPS 1000 /* of integrals */
#define PLACES 60
#define COORDINATES_MAX 200
#define DRAWS (LAW_DRAWS / 10)

/* ---- a point and what is seen of it ---- */

static void
draw_point(const KNormBody *body, double scale, double *b)
{
	int count = knorm_coordinates(body);
	mpz_t *integer = integers_create((size_t) count, memory);
	RealDraw *draw = knorm_draw_create(body, scale, &bits, memory);

	real_draw_near(draw, &bits, PLACES, integer);
	for (int i = 0; i < count; i++)
		b[i] = ldexp(mpz_get_d(integer[i]), -PLACES);
	real_draw_destroy(draw, memory);
	integers_destroy(integer, (size_t) count, memory);
}

static double
length_of(const double *v, int size)
{
	double sum = 0;

	for (int i = 0; i < size; i++)
		sum += fabs(v[i]);
	return sum;
}

static double
sum_of(const double *v, int size)
{
	double sum = 0;

	for (int i = 0; i < size; i++)
		sum += v[i];
	return sum;
}

/* The number of coordinates whose sign is not that of the sum. */
static int
minor_of(const double *v, int size)
{
	double sum = sum_of(v, size);
	int count = 0;

	for (int i = 0; i < size; i++)
		count += v[i] * sum < 0;
	return count;
}

static double
norm_of(const KNormBody *body, const double *b)
{
	double norm = 0;

	for (int g = 0; g < body->groups; b += body->size[g++])
		norm = fmax(norm, length_of(b, body->size[g]));
	for (int i = 0; i < body->others; i++)
		norm = fmax(norm, fabs(b[i]));
	return norm;
}

/* ---- histograms of lengths ---- */

static void
count_cell(int64_t *count, double value, double high)
{
	int cell = (int) floor(value / high * CELLS);

	count[cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : cell]++;
}

/*
 * The weights of the cells from a distribution function, and of those for a scale that is off;
 * beyond 4 high there is next to nothing.
 */
static void
check_length(const int64_t *count, double high, double (*below)(double x, const void *law),
			 const void *law)
{
	double truth[CELLS];
	double other[CELLS];

	for (int i = 0; i < CELLS; i++)
	{
		double low = high * i / CELLS;
		double end = i == CELLS - 1 ? 4 * high : high * (i + 1) / CELLS;

		truth[i] = below(end, law) - below(low, law);
		other[i] = below(end * LAW_OFF, law) - below(low * LAW_OFF, law);
	}
	CHECK_LAW(count, truth, other, CELLS);
}

static double
below_gamma(double x, const void *shape)
{
	return gsl_cdf_gamma_P(x, *(const double *) shape, 1);
}

/* ---- volumes of slices (theorem K3) ---- */

/* A_k(t), by the formula of the theorem. */
static double
volume(int k, double t)
{
	double sum = 0;

	for (int j = 0; j < k; j++)
		sum +=
			choose(k - 1, j) * pow(t, k - 1 - j) * pow(1 - t, j) * ldexp(choose(k - 1 + j, j), -j);
	return sum / gsl_sf_fact((unsigned) k - 1);
}

/* The part of it where n coordinates are below 0, by an integral over their mass. */
static double
minor_volume(int k, int n, double t)
{
	double high = (1 - t) / 2;
	double sum = 0;

	if (n == 0)
		return pow(t, k - 1) / gsl_sf_fact((unsigned) k - 1);
	for (int i = 0; i < STEPS; i++)
	{
		double q = (i + 0.5) / STEPS * high;

		sum += pow(t + q, k - n - 1) * pow(q, n - 1) * high / STEPS;
	}
	return choose(k, n) * sum / gsl_sf_fact((unsigned) (k - n - 1)) / gsl_sf_fact((unsigned) n - 1);
}

/* The number of integer vectors v with |v|_1 <= size and the sum given, by recursion. */
static int64_t
lattice_count(int k, int size, int sum)
{
	int64_t count = 0;

	if (k == 1)
		return abs(sum) <= size;
	for (int x = -size; x <= size; x++)
		if (abs(sum - x) <= size - abs(x))
			count += lattice_count(k - 1, size - abs(x), sum - x);
	return count;
}

/*
 * The volume as the limit of counts.  The vertices of a slice are integers if size and sum differ
 * by an even number, so counts are a polynomial of degree k - 1 in i (Ehrhart), and divided by (i
 * size)^(k - 1) one in 1 / i, of which k values give the one at 0.
 */
static double
limit_of_counts(int k, int sum, int size)
{
	double limit = 0;

	for (int i = 1; i <= k; i++)
	{
		double weight = (double) lattice_count(k, i * size, i * sum) / pow(i * size, k - 1);

		for (int j = 1; j <= k; j++)
			if (j != i)
				weight *= (double) i / (i - j);
		limit += weight;
	}
	return limit;
}

static void
test_volumes(void)
{
	for (int k = 1; k <= 5; k++)
		for (int sum = 0; sum <= 4; sum += 2)
		{
			double t = sum / 4.0;
			double parts = 0;

			for (int n = 0; n < k; n++)
				parts += minor_volume(k, n, t);
			CHECK(fabs(volume(k, t) / limit_of_counts(k, sum, 4) - 1) < 1e-9);
			CHECK(fabs(volume(k, t) / parts - 1) < 1e-5);
		}
}

/* ---- laws on R^d ---- */

static double
below_laplace_length(double x, const void *law)
{
	(void) law;
	return -expm1(-x);
}

/*
 * |sum| of k coordinates of Laplace's law, that is the difference of two Gamma(k) variables: a
 * mixture of Gamma laws.
 */
static double
below_laplace_sum(double x, const void *law)
{
	int k = *(const int *) law;
	double total = 0;

	for (int j = 0; j < k; j++)
		total += ldexp(choose(2 * k - 2 - j, k - 1), 2 - 2 * k + j) * gsl_cdf_gamma_P(x, j + 1, 1);
	return total;
}

/*
 * A group alone has the density exp(-|b|_1): independent coordinates of Laplace's law.  So their
 * sums, signs and lengths are known, though they are drawn by way of the sum.
 */
static void
test_group_alone(int k)
{
	KNormBody body = {.groups = 1, .size = &k, .subspace = k % 2 == 0};
	int64_t first[CELLS] = {0};
	int64_t last[CELLS] = {0};
	int64_t sum[CELLS] = {0};
	int64_t *signs = calloc((size_t) 1 << k, sizeof(int64_t));
	double *even = calloc((size_t) 1 << k, sizeof(double));
	double *skewed = calloc((size_t) 1 << k, sizeof(double));
	double b[COORDINATES_MAX];

	for (int i = 0; i < DRAWS; i++)
	{
		int pattern = 0;

		draw_point(&body, 1, b);
		for (int j = 0; j < k; j++)
			pattern |= (b[j] < 0) << j;
		signs[pattern]++;
		count_cell(first, fabs(b[0]), 6);
		count_cell(last, fabs(b[k - 1]), 6);
		count_cell(sum, fabs(sum_of(b, k)), 12);
	}
	for (int i = 0; i < 1 << k; i++)
	{
		even[i] = 1;
		skewed[i] = i == 0 || i == (1 << k) - 1 ? 3 : 1;
	}
	check_length(first, 6, below_laplace_length, NULL);
	check_length(last, 6, below_laplace_length, NULL);
	check_length(sum, 12, below_laplace_sum, &k);
	CHECK(law_p_value(signs, even, 1 << k) > LAW_THRESHOLD);
	CHECK_WHOLE(k < 2 || law_p_value(signs, skewed, 1 << k) < LAW_THRESHOLD);
	free(signs);
	free(even);
	free(skewed);
}

typedef struct PartLaw
{
	double dimension;
	double size;
} PartLaw;

/*
 * rho W^(1/k) with rho of law Gamma(d + 1) and W uniform is above x with probability P(rho > x) -
 * E (x / rho)^k [rho > x].
 */
static double
below_part(double x, const void *law)
{
	const PartLaw *part = law;
	double shape = part->dimension + 1;
	double rest = shape - part->size;

	return gsl_cdf_gamma_P(x, shape, 1) +
		   exp(part->size * log(fmax(x, 1e-300)) + gsl_sf_lngamma(rest) - gsl_sf_lngamma(shape)) *
			   gsl_cdf_gamma_Q(x, rest, 1);
}

/* Two groups and two other coordinates, on all of R^d. */
static void
test_all(void)
{
	static const int size[] = {3, 2};
	KNormBody body = {.groups = 2, .size = size, .others = 2};
	double dimension = 7;
	int64_t norm[CELLS] = {0};
	int64_t part[3][CELLS] = {{0}};
	double b[COORDINATES_MAX];

	CHECK(knorm_coordinates(&body) == 7);
	CHECK(knorm_dimension(&body) == 7);
	for (int i = 0; i < DRAWS; i++)
	{
		draw_point(&body, 0.5, b);
		count_cell(norm, 2 * norm_of(&body, b), 20);
		count_cell(part[0], 2 * length_of(b, 3), 16);
		count_cell(part[1], 2 * length_of(b + 3, 2), 16);
		count_cell(part[2], 2 * fabs(b[6]), 16);
	}
	check_length(norm, 20, below_gamma, &dimension);
	check_length(part[0], 16, below_part, &(PartLaw){7, 3});
	check_length(part[1], 16, below_part, &(PartLaw){7, 2});
	check_length(part[2], 16, below_part, &(PartLaw){7, 1});
}

/* ---- laws on the subspace ---- */

typedef struct SumLaw
{
	const KNormBody *body;
	double shape; /* of the radius */
} SumLaw;

static double
volumes(const KNormBody *body, double t)
{
	double product = 1;

	for (int g = 0; g < body->groups; g++)
		product *= volume(body->size[g], t);
	return product;
}

/* A Gamma radius times t, of density proportional to the product of the groups' volumes. */
static double
below_sum(double x, const void *law)
{
	const SumLaw *sum = law;
	double below = 0;
	double total = 0;

	for (int i = 0; i < STEPS; i++)
	{
		double t = (i + 0.5) / STEPS;
		double weight = volumes(sum->body, t);

		total += weight;
		below += weight * gsl_cdf_gamma_P(x / t, sum->shape, 1);
	}
	return below / total;
}

/* The law of the numbers of minor coordinates in the groups of 4 and 3, together. */
static void
check_minor(const int64_t *count, const KNormBody *body)
{
	double truth[12] = {0};
	double other[12] = {0};

	for (int n = 0; n < 4; n++)
		for (int m = 0; m < 3; m++)
			for (int i = 0; i < STEPS / 10; i++)
			{
				double t = (i + 0.5) / (STEPS / 10);
				double pair = minor_volume(4, n, t) * minor_volume(3, m, t);

				truth[3 * n + m] += volumes(body, t) / volume(4, t) / volume(3, t) * pair;
				other[3 * n + m] += pair * t;
			}
	CHECK_LAW(count, truth, other, 12);
}

static void
test_subspace(void)
{
	static const int size[] = {4, 3, 1};
	KNormBody body = {.groups = 3, .size = size, .others = 1, .subspace = true};
	double dimension = 7;
	SumLaw law = {&body, 8};
	int64_t norm[CELLS] = {0};
	int64_t sum[CELLS] = {0};
	int64_t side[2] = {0};
	int64_t other[CELLS] = {0};
	int64_t minor[12] = {0};
	double b[COORDINATES_MAX];

	CHECK(knorm_coordinates(&body) == 9);
	CHECK(knorm_dimension(&body) == 7);
	for (int i = 0; i < DRAWS; i++)
	{
		draw_point(&body, 1, b);
		CHECK(fabs(sum_of(b, 4) - b[7]) < 1e-14 * norm_of(&body, b));
		CHECK(fabs(sum_of(b + 4, 3) - b[7]) < 1e-14 * norm_of(&body, b));
		count_cell(norm, norm_of(&body, b), 20);
		count_cell(sum, fabs(b[7]), 12);
		count_cell(other, fabs(b[8]), 16);
		side[b[7] < 0]++;
		minor[3 * minor_of(b, 4) + minor_of(b + 4, 3)]++;
	}
	check_length(norm, 20, below_gamma, &dimension);
	check_length(sum, 12, below_sum, &law);
	check_length(other, 16, below_part, &(PartLaw){7, 1});
	check_minor(minor, &body);
	CHECK_LAW(side, ((double[]){1, 1}), ((double[]){1.3, 1}), 2);
}

/* ---- typical lengths, and draws of many coordinates ---- */

/*
 * Root mean squares against closed forms: |t| and a group of one have the same, and with groups of
 * sizes 2 and 1 the volumes do not depend on t.
 */
static void
test_spread(void)
{
	static const int size[] = {2, 1, 1};
	KNormBody plain = {.groups = 1, .size = size, .others = 3};
	KNormBody tied = {.groups = 3, .size = size, .others = 3, .subspace = true};
	KNormBody none = {.others = 3, .subspace = true};
	double spread[4];

	knorm_spread(&plain, spread);
	CHECK(fabs(spread[0] / sqrt(42 * 2 / 12.0) - 1) < 1e-12);
	CHECK(fabs(spread[1] / sqrt(42 / 3.0) - 1) < 1e-12);
	knorm_spread(&none, spread);
	CHECK(fabs(spread[0] / sqrt(20 / 3.0) - 1) < 1e-12);
	knorm_spread(&tied, spread); /* the first coordinate is t / 2 plus a uniform number in +-1/2 */
	CHECK(fabs(spread[0] / sqrt(42 * (1 / 12.0 + 1 / 12.0)) - 1) < 1e-6);
	CHECK(fabs(spread[1] / sqrt(42 / 3.0) - 1) < 1e-6);
	CHECK(spread[1] == spread[2]);
	CHECK(fabs(spread[3] / sqrt(42 / 3.0) - 1) < 1e-12);
}

/* A group of 60 columns, and more columns than a table has: moments, and equal sums. */
static void
test_many(bool subspace, int draws)
{
	static const int size[] = {60, 20, 5, 1, 40, 2};
	KNormBody body = {.groups = 6, .size = size, .others = 20, .subspace = subspace};
	int columns = knorm_coordinates(&body);
	double square[7] = {0};
	double spread[7];
	double norm = 0;
	double b[COORDINATES_MAX];

	draws = check_repetitions(draws);
	for (int i = 0; i < draws; i++)
	{
		const double *part = b;
		double sum;

		draw_point(&body, 1, b);
		norm += norm_of(&body, b) / draws;
		sum = sum_of(b, size[0]);
		for (int g = 0; g <= body.groups; g++)
		{
			int count = g < body.groups ? size[g] : body.others;

			CHECK(!subspace || g == body.groups || fabs(sum_of(part, count) - sum) < 1e-10);
			for (int j = 0; j < count; j++, part++)
				square[g] += *part * *part / count / draws;
		}
	}
	knorm_spread(&body, spread);
	CHECK(columns == 148 && knorm_dimension(&body) == columns - (subspace ? 5 : 0));
	CHECK_WHOLE(fabs(norm / knorm_dimension(&body) - 1) < 0.03);
	for (int g = 0; g <= body.groups; g++)
		CHECK_WHOLE(fabs(square[g] / spread[g] / spread[g] - 1) < 0.25);
}

/* ---- roundings ---- */

/* More bits narrow a draw down; they do not change it. */
static void
test_narrowing(void)
{
	static const int size[] = {3, 1, 2};
	mpz_t *coarse = integers_create(7, memory);
	mpz_t *fine = integers_create(7, memory);
	mpz_t *none = integers_create(7, memory);

	for (int i = 0; i < check_repetitions(200); i++)
	{
		KNormBody body = {.groups = 3, .size = size, .others = 1, .subspace = i % 2 == 0};
		RealDraw *draw = knorm_draw_create(&body, 3.7, &bits, memory);

		real_draw_round(draw, &bits, (const mpz_t *) none, 0, 30, coarse);
		real_draw_near(draw, &bits, 1000, fine);
		for (int j = 0; j < 7; j++)
		{
			mpz_fdiv_q_2exp(fine[j], fine[j], 969);
			mpz_add_ui(fine[j], fine[j], 1);
			mpz_fdiv_q_2exp(fine[j], fine[j], 1);
			CHECK(mpz_cmp(fine[j], coarse[j]) == 0);
		}
		real_draw_destroy(draw, memory);
	}
	integers_destroy(coarse, 7, memory);
	integers_destroy(fine, 7, memory);
	integers_destroy(none, 7, memory);
}

/* So many bytes of one value, and then those of the stream. */
typedef struct DullStream
{
	int64_t left;
	uint8_t value;
} DullStream;

static void
dull_fill(void *context, uint8_t *bytes, size_t count)
{
	DullStream *dull = context;

	for (size_t i = 0; i < count; i++)
		if (dull->left-- > 0)
			bytes[i] = dull->value;
		else
			teststream_fill(&stream, &bytes[i], 1);
}

/*
 * Uniform numbers whose first bits are all 0 or all 1, and comparisons that tie on all known bits,
 * take further bits: sums are equal all the same, and the norm is finite.
 */
static void
test_dull_bits(void)
{
	static const int size[] = {3, 2};
	KNormBody body = {.groups = 2, .size = size, .others = 1, .subspace = true};

	for (int i = 0; i < check_repetitions(200); i++)
	{
		DullStream dull = {.left = 8 * i, .value = (uint8_t) (i % 2 == 0 ? 0 : 255)};
		double b[6];

		bits_init(&bits, dull_fill, &dull);
		draw_point(&body, 1, b);
		CHECK(fabs(sum_of(b, 3) - sum_of(b + 3, 2)) < 1e-12);
		CHECK(norm_of(&body, b) < 1e4);
	}
	reseed(13);
}

/* ---- the subspace of gradients (theorem K4) ---- */

#define TIED 10 /* coordinates: groups of 4 and 3, an intercept, two others */

static void
random_one_hot(Problem *problem, const KNormBody *body, int rows)
{
	problem_begin(problem, TIED, rows);
	for (int i = 0; i < rows; i++)
	{
		int32_t *x = problem->x + i * TIED;

		memset(x, 0, TIED * sizeof(*x));
		for (int g = 0; g < body->groups; x += body->size[g++])
			x[below(body->size[g])] = FIXED_POINT_ONE;
		for (int j = 0; j < body->others; j++)
			x[j] = random_feature(1);
		problem->positive[i] = below(3);
		problem->negative[i] = below(3);
	}
}

/* Noise in S leads to a minimiser in S. */
static void
test_minimisers(void)
{
	static const int size[] = {4, 3, 1};
	KNormBody body = {.groups = 3, .size = size, .others = 2, .subspace = true};
	Problem *problem = memory_allocate(memory, 1, sizeof(Problem));
	LossTable *table = memory_allocate(memory, 1, sizeof(LossTable));
	mpz_t *integer = integers_create(TIED, memory);

	loss_table_make(LOSS_LOGISTIC, table);
	for (int c = 0; c < check_repetitions(60); c++)
	{
		Wide b[TIED];
		Wide u[TIED];
		double v[TIED];
		double most = ldexp(1, c % 8 - 6);
		RealDraw *draw = knorm_draw_create(&body, 1 + c % 3, &bits, memory);
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .table = table,
									 .curvature = loss_curvature(LOSS_LOGISTIC),
									 .lambda = (int64_t) (most * LAMBDA_ONE),
									 .b = b};

		real_draw_near(draw, &bits, GRADIENT_BITS, integer);
		real_draw_destroy(draw, memory);
		for (int j = 0; j < TIED; j++)
			b[j] = wide_from_mpz(integer[j]);
		random_one_hot(problem, &body, 1 + below(PROBLEM_MOST_ROWS));
		convex_rows_make(&problem->instance, 3, 1, memory, &rows);
		(void) convex_minimise(&objective, most * 1e-9, memory, u);
		convex_rows_release(&rows, memory);
		for (int j = 0; j < TIED; j++)
			v[j] = ldexp((double) u[j], -WEIGHT_BITS);
		CHECK(length_of(v, TIED) > 0);
		CHECK(fabs(sum_of(v, 4) - v[7]) < 1e-8);
		CHECK(fabs(sum_of(v + 4, 3) - v[7]) < 1e-8);
	}
	integers_destroy(integer, TIED, memory);
}

int
main(void)
{
	test_begin(12);
	test_volumes();
	test_narrowing();
	test_dull_bits();
	test_spread();
	for (int k = 1; k <= 5; k++)
		test_group_alone(k);
	test_all();
	test_subspace();
	test_minimisers();
	test_many(true, 400);
	test_many(false, 400);
	return test_end("knorm");
}
