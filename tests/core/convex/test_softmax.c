/*
 * test_softmax.c - the softmax loss of K classes: shares, gradients, minimisers, and the density of
 * objective perturbation on neighbours, all against their definitions.
 */
#include <math.h>
#include <string.h>
#include <mpfr.h>

#include "core/convex/convex_minimise.h"
#include "core/convex/convex_scale.h"
#include "core/convex/softmax.h"
#include "core/convex/softmax_pass.h"
#include "core/mechanisms/convex_release.h"
#include "core/noise/calibration.h"

#include "core/fixture.h"

#define MOST_CLASSES 6
#define MOST_DIMENSION 5
#define MOST_WIDTH (MOST_CLASSES * MOST_DIMENSION)
#define MOST_ROWS 60
#define TEST_RADIUS 1.5

typedef struct Data
{
	Instance instance;
	int classes;
	int dimension;
	int32_t x[MOST_ROWS * (MOST_DIMENSION + 1)];
	int64_t positive[MOST_ROWS];
	int64_t negative[MOST_ROWS];
} Data;

static SoftmaxTable table;
static Data data;
static Data neighbour;

/* ---- shares ---- */

/* part[own] becomes the sum of the others if it is less, and sum with it; returns whether. */
static bool
raise_own(mpfr_t *part, int own, mpfr_t sum)
{
	mpfr_t others;
	bool raised;

	mpfr_init2(others, 256);
	mpfr_sub(others, sum, part[own], MPFR_RNDN);
	raised = mpfr_less_p(part[own], others) != 0;
	if (raised)
	{
		mpfr_set(part[own], others, MPFR_RNDN);
		mpfr_mul_2ui(sum, others, 1, MPFR_RNDN);
	}
	mpfr_clear(others);
	return raised;
}

/*
 * The largest error of a share, in units of the bound in softmax.h for given scores; INFINITY if
 * raised is wrong by more than rounding.
 */
static double
shares_error(const Wide *score, const Wide *share, int scores, int own, bool raised)
{
	mpfr_t part[INSTANCE_MAX_CLASSES];
	mpfr_t sum;
	mpfr_t off;
	mpz_t integer;
	double worst = 0;

	mpz_init(integer);
	mpfr_inits2(256, sum, off, (mpfr_ptr) 0);
	mpfr_set_ui(sum, 0, MPFR_RNDN);
	for (int k = 0; k < scores; k++)
	{
		mpfr_init2(part[k], 256);
		mpz_from_wide(integer, score[k] - score[0]);
		mpfr_set_z_2exp(part[k], integer, -SCORE_BITS, MPFR_RNDN);
		mpfr_exp(part[k], part[k], MPFR_RNDN);
		mpfr_add(sum, sum, part[k], MPFR_RNDN);
	}
	if (raise_own(part, own, sum) != raised)
		worst = fabs(ldexp((double) share[own], -SLOPE_FINE_BITS) - 0.5) < 1e-15
					? 0
					: (double) INFINITY;
	for (int k = 0; k < scores; k++)
	{
		mpz_from_wide(integer, share[k]);
		mpfr_set_z_2exp(off, integer, -SLOPE_FINE_BITS, MPFR_RNDN);
		mpfr_div(part[k], part[k], sum, MPFR_RNDN);
		mpfr_sub(off, off, part[k], MPFR_RNDN);
		worst = fmax(worst, fabs(mpfr_get_d(off, MPFR_RNDN)));
		mpfr_clear(part[k]);
	}
	mpfr_clears(sum, off, (mpfr_ptr) 0);
	mpz_clear(integer);
	return ldexp(worst, 94);
}

static void
test_shares(void)
{
	double worst = 0;

	for (int c = 0; c < check_repetitions(20000); c++)
	{
		int scores = 2 + below(INSTANCE_MAX_CLASSES - 1);
		double reach = exp(between(-60, 21));
		Wide score[INSTANCE_MAX_CLASSES];
		Wide share[INSTANCE_MAX_CLASSES];
		int own = below(scores);
		bool raised;

		for (int k = 0; k < scores; k++)
		{
			score[k] = (Wide) ldexp(between(-reach, reach), SCORE_BITS);
			if (below(4) > 0)
				score[k] += (Wide) (teststream_next(&stream) >> 1);
			if (k > 0 && below(5) == 0)
				score[k] = score[k - 1] + below(2);
		}
		raised = softmax_shares(&table, score, scores, own, share);
		worst = fmax(worst, shares_error(score, share, scores, own, raised));
	}
	CHECK(worst < 1);
}

/* ---- random problems ---- */

static void
begin(Data *made, int classes, int dimension, int rows)
{
	made->classes = classes;
	made->dimension = dimension;
	made->instance = (Instance){.dimension = dimension + 1,
								.rows = rows,
								.x = made->x,
								.positive = made->positive,
								.negative = made->negative};
}

/* Any rows, separable ones, rows of one class, or many equal labels. */
static void
random_data(Data *made, int shape, int classes, int dimension, int rows)
{
	begin(made, classes, dimension, rows);
	for (int i = 0; i < rows; i++)
	{
		int32_t *x = made->x + i * (dimension + 1);
		int class = shape == 1 ? 0 : below(classes);

		for (int j = 1; j <= dimension; j++)
			x[j] = (int32_t) (between(-1, 1) * FIXED_POINT_ONE);
		if (shape == 2)
			class = x[1] > 0 ? 1 : 0;
		x[0] = class * FIXED_POINT_ONE;
		made->positive[i] = 1 + (shape == 3 ? (int64_t) exp2(between(0, 28)) : below(3));
		made->negative[i] = 0;
	}
}

/* Returns whether the own share was raised to 1 / 2. */
static bool
plain_shares(const double *score, int classes, int own, double *share)
{
	double highest = score[0];
	double sum = 0;
	double others = 0;
	bool raised;

	for (int k = 1; k < classes; k++)
		highest = fmax(highest, score[k]);
	for (int k = 0; k < classes; k++)
	{
		share[k] = exp(score[k] - highest);
		others += k == own ? 0 : share[k];
	}
	raised = share[own] < others * (1 - 1e-15);
	if (raised)
		share[own] = others;
	for (int k = 0; k < classes; k++)
		sum += share[k];
	for (int k = 0; k < classes; k++)
		share[k] /= sum;
	return raised;
}

/* The derivative of share k by score l; where the own one was raised it is constant. */
static double
plain_bend(const double *share, int own, bool raised, int k, int l)
{
	if (!raised)
		return share[k] * ((k == l) - share[l]);
	if (k == own || l == own)
		return 0;
	return share[k] * ((k == l) - 2 * share[l]);
}

/* Gradient of J(u) + <b, u> and Hessian from the definition; either may be NULL. */
static void
plain_pass(const Data *made, double radius, double lambda, const double *b, const double *u,
		   double *gradient, double *hessian)
{
	int dimension = made->dimension;
	int width = made->classes * dimension;

	for (int j = 0; j < width; j++)
		gradient[j] = lambda * u[j] + b[j];
	for (int j = 0; j < width * width; j++)
		hessian[j] = j % (width + 1) == 0 ? lambda : 0;
	for (int64_t i = 0; i < made->instance.rows; i++)
	{
		const int32_t *x = made->x + i * (dimension + 1);
		int32_t v[MOST_DIMENSION];
		double score[MOST_CLASSES] = {0};
		double share[MOST_CLASSES] = {0};
		double labels = (double) made->positive[i];
		int own = x[0] >> FIXED_POINT_BITS;
		bool raised;

		convex_clip_row(x + 1, dimension, radius, v);
		for (int k = 0; k < made->classes; k++)
			for (int j = 0; j < dimension; j++)
				score[k] += ldexp(v[j], -ROW_BITS) * u[k * dimension + j];
		raised = plain_shares(score, made->classes, own, share);
		for (int p = 0; p < width; p++)
		{
			int k = p / dimension;
			double at = ldexp(v[p % dimension], -ROW_BITS);

			gradient[p] += labels * (share[k] - (own == k)) * at;
			for (int q = 0; q < width; q++)
				hessian[p * width + q] += labels *
										  plain_bend(share, own, raised, k, q / dimension) * at *
										  ldexp(v[q % dimension], -ROW_BITS);
		}
	}
}

static void
test_gradients(void)
{
	double worst = 0;
	double worst_hessian = 0;

	for (int c = 0; c < check_repetitions(300); c++)
	{
		int classes = 2 + below(MOST_CLASSES - 1);
		int dimension = 1 + below(MOST_DIMENSION);
		int width = classes * dimension;
		int64_t lambda = (int64_t) ldexp(exp(between(-6, 6)), LAMBDA_BITS);
		double length = c % 5 == 0 ? 0 : exp(between(-4, 5)); /* a search begins at 0 */
		double b[MOST_WIDTH];
		double u[MOST_WIDTH];
		Wide wide_b[MOST_WIDTH];
		Wide wide_u[MOST_WIDTH];
		Wide exact[MOST_WIDTH];
		double plain[MOST_WIDTH];
		double hessian[MOST_WIDTH * MOST_WIDTH];
		double plain_matrix[MOST_WIDTH * MOST_WIDTH];
		ConvexRows rows;

		random_data(&data, c % 4, classes, dimension, below(MOST_ROWS));
		convex_rows_make(&data.instance, TEST_RADIUS, 1 + c % 3, memory, &rows);
		convex_rows_set_classes(&rows);
		for (int j = 0; j < width; j++)
		{
			b[j] = between(-100, 100);
			u[j] = between(-length, length);
			wide_b[j] = wide_of(b[j], GRADIENT_BITS);
			wide_u[j] = wide_of(u[j], WEIGHT_BITS);
		}
		softmax_pass(&rows, &table, classes, INFINITY, lambda, wide_b, wide_u, memory, exact,
					 hessian);
		plain_pass(&data, TEST_RADIUS, ldexp((double) lambda, -LAMBDA_BITS), b, u, plain,
				   plain_matrix);
		for (int j = 0; j < width; j++)
			worst = fmax(worst, fabs(ldexp((double) exact[j], -GRADIENT_BITS) - plain[j]) /
									(1 + rows.count * (1 + length) +
									 ldexp((double) lambda, -LAMBDA_BITS) * length));
		for (int j = 0; j < width * width; j++)
			worst_hessian =
				fmax(worst_hessian, fabs(hessian[j] - plain_matrix[j]) / (1 + rows.count));
		convex_rows_release(&rows, memory);
	}
	CHECK(worst <= 1e-13);
	CHECK(worst_hessian <= ldexp(1, -16));
}

/* The gradient at the minimiser, computed independently, is small for every shape of data. */
static void
test_minimisers(void)
{
	int64_t most_rounds = 0;

	for (int c = 0; c < check_repetitions(200); c++)
	{
		int classes = 2 + below(MOST_CLASSES - 1);
		int dimension = 1 + below(MOST_DIMENSION);
		int width = classes * dimension;
		int64_t lambda = (int64_t) ldexp(exp(between(-6, 8)), LAMBDA_BITS);
		double value = ldexp((double) lambda, -LAMBDA_BITS);
		double strength = exp(between(-3, 6));
		double b[MOST_WIDTH];
		double u[MOST_WIDTH];
		Wide wide_b[MOST_WIDTH];
		Wide wide_u[MOST_WIDTH];
		double plain[MOST_WIDTH];
		double hessian[MOST_WIDTH * MOST_WIDTH];
		double norm = 0;
		ConvexRows rows;
		ConvexObjective objective = {.rows = &rows,
									 .softmax = &table,
									 .classes = classes,
									 .curvature = 0.5,
									 .lambda = lambda,
									 .b = wide_b};
		int64_t rounds;

		random_data(&data, c % 4, classes, dimension, below(MOST_ROWS));
		convex_rows_make(&data.instance, TEST_RADIUS, 1 + c % 3, memory, &rows);
		convex_rows_set_classes(&rows);
		for (int j = 0; j < width; j++)
		{
			b[j] = c % 3 == 0 ? 0 : between(-strength, strength);
			wide_b[j] = wide_of(b[j], GRADIENT_BITS);
		}
		rounds = convex_minimise(&objective, ldexp(fmin(value, 1), -27), memory, wide_u);
		most_rounds = rounds > most_rounds ? rounds : most_rounds;
		for (int j = 0; j < width; j++)
			u[j] = ldexp((double) wide_u[j], -WEIGHT_BITS);
		plain_pass(&data, TEST_RADIUS, value, b, u, plain, hessian);
		for (int j = 0; j < width; j++)
			norm += plain[j] * plain[j];
		/* the second term allows for u and the shares as doubles */
		CHECK(sqrt(norm) <=
			  ldexp(fmin(value, 1), -27) + 1e-14 * (rows.count + value) * (1 + strength / value));
		convex_rows_release(&rows, memory);
	}
	CHECK(most_rounds < 200);
}

/* ---- privacy ---- */

static ConvexTerms
make_terms(int classes, ConvexNoise noise, double lambda)
{
	return (ConvexTerms){.loss = LOSS_CLIPPED,
						 .classes = classes,
						 .noise = noise,
						 .radius = 1,
						 .lambda = (int64_t) ldexp(lambda, LAMBDA_BITS),
						 .delta = noise == CONVEX_GAMMA ? 0 : DELTA_ONE / 100000};
}

/* A replaced row, or one that is missing in b. */
static Adjacency
make_pair(Data *a, Data *b)
{
	Adjacency adjacency = (Adjacency) below(2);
	int last = below(2);
	int32_t *x;

	random_data(a, 0, 2 + below(MOST_CLASSES - 1), 1 + below(2), last + 1);
	for (int i = 0; i <= last; i++)
	{
		a->positive[i] = 1;
		/* long rows, which clipping must hold back */
		for (int j = 1; j <= a->dimension; j++)
			a->x[i * (a->dimension + 1) + j] *= 1 + below(8);
	}
	*b = *a;
	b->instance.x = b->x;
	b->instance.positive = b->positive;
	b->instance.negative = b->negative;
	if (adjacency == ADJACENCY_ADD_REMOVE)
	{
		b->instance.rows--;
		return adjacency;
	}
	x = b->x + last * (b->dimension + 1);
	x[0] = below(b->classes) * FIXED_POINT_ONE;
	for (int j = 1; j <= b->dimension && below(2) == 0; j++)
		x[j] = -x[j];
	return adjacency;
}

/*
 * ln of the density of the minimiser at u, whose vectors add up to 0, with Gamma noise.  The
 * Hessian over the whole space has lambda in the d other directions, the same on neighbours.
 */
static double
log_density(const Data *made, const ConvexTerms *terms, double scale, const double *u)
{
	int width = made->classes * made->dimension;
	double none[MOST_WIDTH] = {0};
	double gradient[MOST_WIDTH];
	double hessian[MOST_WIDTH * MOST_WIDTH];
	double square = 0;

	plain_pass(made, terms->radius, ldexp((double) terms->lambda, -LAMBDA_BITS), none, u, gradient,
			   hessian);
	for (int j = 0; j < width; j++)
		square += gradient[j] * gradient[j];
	return -sqrt(square) / scale + log_determinant(hessian, width);
}

/* Weights from near 0 to far out, where gradients differ most. */
static void
random_weights(const Data *made, double reach, double *u)
{
	int dimension = made->dimension;
	int classes = made->classes;
	double length = reach * exp(-below(10));

	for (int j = 0; j < dimension; j++)
	{
		double sum = 0;

		for (int k = 0; k < classes; k++)
			sum += u[k * dimension + j] = between(-length, length);
		for (int k = 0; k < classes; k++)
			u[k * dimension + j] -= sum / classes;
	}
}

/*
 * The last row's own class has a share of 1 / 2 and the others have equal ones: of all weights
 * these let a row count most in the determinant.
 */
static void
even_weights(const Data *made, const ConvexTerms *terms, double *u)
{
	const int32_t *x = made->x + (made->instance.rows - 1) * (made->dimension + 1);
	int own = x[0] >> FIXED_POINT_BITS;
	int32_t v[MOST_DIMENSION];
	double square = 0;

	convex_clip_row(x + 1, made->dimension, terms->radius, v);
	for (int j = 0; j < made->dimension; j++)
		square += pow(ldexp(v[j], -ROW_BITS), 2);
	for (int k = 0; k < made->classes; k++)
		for (int j = 0; j < made->dimension; j++)
			u[k * made->dimension + j] = ((k == own) - 1.0 / made->classes) *
										 log(made->classes - 1) * ldexp(v[j], -ROW_BITS) /
										 fmax(square, 1e-9);
}

/* Gamma noise in the objective is pure: no ratio of densities exceeds e^epsilon. */
static void
test_density_ratio(void)
{
	static const double epsilons[] = {0.2, 1, 3};
	double closest = 0;

	for (int c = 0; c < check_repetitions(3000); c++)
	{
		double epsilon = epsilons[c % 3];
		Adjacency adjacency = make_pair(&data, &neighbour);
		ConvexTerms terms = make_terms(data.classes, CONVEX_GAMMA, 1e-3);
		ConvexScale scale;
		double most = 0;

		(void) convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, 3, &scale);
		terms.lambda = scale.least * (int64_t) (1 + teststream_below(&stream, 20));
		CHECK(convex_scale(CONVEX_OBJECTIVE, &terms, epsilon, adjacency, 3, &scale) == CONVEX_FITS);
		for (int i = 0; i < 30; i++)
		{
			double u[MOST_WIDTH];

			if (i == 0)
				even_weights(&data, &terms, u);
			else
				random_weights(&data, 10 / epsilon, u);
			most = fmax(most, fabs(log_density(&data, &terms, scale.inner, u) -
								   log_density(&neighbour, &terms, scale.inner, u)));
		}
		CHECK(most <= epsilon * 255 / 256 + 1e-9);
		closest = fmax(closest, most / epsilon);
	}
	CHECK_WHOLE(closest > 0.9); /* otherwise the pairs are too easy */
}

/* The limits of objective_classes_sigma() over the deltas of all corners of two rows' hulls. */
static void
test_corners(void)
{
	for (int c = 0; c < check_repetitions(2000); c++)
	{
		int classes = 2 + below(9);
		double epsilon = exp(between(-2, 2));
		double delta = exp(between(-25, -2));
		double cosine = c % 3 == 0 ? -1 : between(-1, 1); /* opposite rows are the worst case */
		Adjacency adjacency = (Adjacency) below(2);
		double sigma = sqrt(2) * objective_classes_sigma(epsilon, delta, 1e-3, classes, adjacency);
		double rest = epsilon - log1p(1e-3);
		int own = below(2); /* the class of the other row; that of the first is 0 */
		double sum = 0;

		/* (e_k - e_0) (x) v - (e_l - e_own) (x) v', with <v, v'> = cosine */
		for (int k = 0; k < classes; k++)
			for (int l = 0; l < (adjacency == ADJACENCY_REPLACE ? classes : 1); l++)
			{
				double first = k == 0 ? 0 : 2;
				double second = adjacency == ADJACENCY_ADD_REMOVE || l == own ? 0 : 2;
				double inner = (k == l) - (k == own) - (l == 0) + (own == 0);
				double square = first + second - (second > 0 && first > 0 ? 2 * cosine * inner : 0);

				if (square > 1e-9)
					sum += calibration_gaussian_delta(rest, sqrt(square) / sigma);
			}
		CHECK(sum <= delta * (1 + 1e-9));
	}
}

/* Without rows the minimiser is -b / lambda: the noise has its law in the right space. */
static void
test_noise(ConvexNoise noise)
{
	enum
	{
		CLASSES = 4,
		FEATURES = 2
	};
	MechanismRequest request = {.kind = MECHANISM_OBJECTIVE,
								.epsilon = EPSILON_ONE,
								.threads = 1,
								.convex = make_terms(CLASSES, noise, 2)};
	Instance none = {.dimension = FEATURES + 1};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	double square[CLASSES] = {0};
	double sum = 0;
	double length = 0;
	double wanted;
	int runs = 1500;
	ConvexScale scale;

	if (check_share() < 100)
		return;
	grid_set_plain(&request.grid, CLASSES * FEATURES);
	CHECK(convex_request_scale(&request, &scale) == CONVEX_FITS);
	for (int i = 0; i < runs; i++)
	{
		MechanismAnswer answer;

		mechanism_get(MECHANISM_OBJECTIVE)->release(&request, &none, &tools, &answer);
		for (int j = 0; j < FEATURES; j++)
		{
			double total = 0;

			for (int k = 0; k < CLASSES; k++)
			{
				double b = 2 * ldexp((double) answer.weight[k * FEATURES + j], -CONVEX_OUTPUT_BITS);

				total += b;
				square[k] += b * b / runs;
			}
			sum = fmax(sum, fabs(total));
		}
	}
	/* E |b|^2 = m (m + 1) scale^2 for Gamma noise, m sigma^2 for normal, m = (K - 1) d */
	wanted = (CLASSES - 1) * FEATURES * scale.inner * scale.inner;
	if (noise == CONVEX_GAMMA)
		wanted *= (CLASSES - 1) * FEATURES + 1;
	for (int k = 0; k < CLASSES; k++)
	{
		CHECK(fabs(square[k] * CLASSES / wanted - 1) < 0.2);
		length += square[k];
	}
	CHECK(fabs(length / wanted - 1) < 0.12);
	CHECK(sum < 0.01 * sqrt(wanted)); /* noise on the answer alone */
}

int
main(void)
{
	test_begin(31);
	softmax_table_make(&table);
	test_shares();
	test_gradients();
	test_minimisers();
	test_density_ratio();
	test_corners();
	test_noise(CONVEX_GAMMA);
	test_noise(CONVEX_GAUSSIAN);
	return test_end("softmax");
}
