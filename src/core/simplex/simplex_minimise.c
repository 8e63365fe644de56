/*
 * simplex_minimise.c - Newton's method on the dual, with a gradient step to fall back on.
 */
#include "core/simplex/simplex_minimise.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <mpfr.h>

#include "core/base/mutant.h"

#define PRECISION 256

/* Coordinates of w and theta(w) are integers in units of 2^-160, A and b in units of 2^-34. */
#define POINT_BITS 160
#define MOMENT_BITS (2 * SIMPLEX_UNIT_BITS)

/* The most halvings of a Newton step. */
#define HALVINGS 12

/* Twice the proved number of rounds over kappa; the process ends if a search takes more. */
#define ROUNDS 400

/* More than SIMPLEX_MAX_SPREAD / ln 2 and the bits of a rounded mass. */
#define WEIGHT_BITS_MAX 200000

/* A point w, and the values that follow from it. */
typedef struct Point
{
	mpz_t *w;
	mpz_t *theta; /* softmax of (b - A w) / lambda */
	mpfr_t *mass; /* the same, the largest being 1 */
	mpfr_t value; /* Psi */
} Point;

typedef struct Search
{
	const SimplexMoments *moments;
	double lambda;
	int dimension;
	double step; /* 1 / kappa, rounded down */
	double *a;   /* A / lambda */
	double *jacobian;
	double *direction;
	gsl_permutation *permutation;
	Point current;
	Point descended; /* after the gradient step */
	Point trial;     /* along Newton's direction */
} Search;

/* ---- points ---- */

static void
point_create(Point *point, int dimension, Memory *memory)
{
	point->w = memory_allocate(memory, (size_t) dimension, sizeof(mpz_t));
	point->theta = memory_allocate(memory, (size_t) dimension, sizeof(mpz_t));
	point->mass = memory_allocate(memory, (size_t) dimension, sizeof(mpfr_t));
	for (int j = 0; j < dimension; j++)
	{
		mpz_inits(point->w[j], point->theta[j], NULL);
		mpfr_init2(point->mass[j], PRECISION);
	}
	mpfr_init2(point->value, PRECISION);
}

static void
point_destroy(Point *point, int dimension, Memory *memory)
{
	for (int j = 0; j < dimension; j++)
	{
		mpz_clears(point->w[j], point->theta[j], NULL);
		mpfr_clear(point->mass[j]);
	}
	mpfr_clear(point->value);
	memory_release(memory, point->w);
	memory_release(memory, point->theta);
	memory_release(memory, point->mass);
}

static void
point_swap(Point *a, Point *b)
{
	Point other = *a;

	*a = *b;
	*b = other;
}

/*
 * Replaces masses by the exponentials of their logarithms, relative to the largest; returns the
 * largest and the sum.
 */
static void
exponentiate(Point *point, int dimension, mpfr_t largest, mpfr_t sum)
{
	mpfr_set(largest, point->mass[0], MPFR_RNDN);
	for (int j = 1; j < dimension; j++)
		mpfr_max(largest, largest, point->mass[j], MPFR_RNDN);
	mpfr_set_zero(sum, 1);
	for (int j = 0; j < dimension; j++)
	{
		mpfr_sub(point->mass[j], point->mass[j], largest, MPFR_RNDN);
		mpfr_exp(point->mass[j], point->mass[j], MPFR_RNDN);
		mpfr_add(sum, sum, point->mass[j], MPFR_RNDN);
	}
}

static void
set_theta(Point *point, int dimension, const mpfr_t sum)
{
	mpfr_t share;

	mpfr_init2(share, PRECISION);
	for (int j = 0; j < dimension; j++)
	{
		mpfr_div(share, point->mass[j], sum, MPFR_RNDN);
		mpfr_mul_2si(share, share, POINT_BITS, MPFR_RNDN);
		mpfr_get_z(point->theta[j], share, MPFR_RNDN);
	}
	mpfr_clear(share);
}

/* Computes the values that follow from w. */
static void
evaluate(const Search *search, Point *point)
{
	const SimplexMoments *moments = search->moments;
	int dimension = search->dimension;
	mpz_t image;
	mpz_t square;
	mpfr_t largest;
	mpfr_t sum;

	mpz_inits(image, square, NULL);
	mpfr_inits2(PRECISION, largest, sum, (mpfr_ptr) NULL);
	for (int j = 0; j < dimension; j++)
	{
		mpz_set_ui(image, 0); /* (A w)_j */
		for (int k = 0; k < dimension; k++)
			mpz_addmul(image, moments->a[j * dimension + k], point->w[k]);
		mpz_addmul(square, image, point->w[j]);
		mpz_neg(image, image);
		mpz_set(point->theta[j], moments->b[j]);
		mpz_mul_2exp(point->theta[j], point->theta[j], POINT_BITS);
		mpz_add(image, image, point->theta[j]);
		mpfr_set_z_2exp(point->mass[j], image, -POINT_BITS - MOMENT_BITS, MPFR_RNDN);
		mpfr_div_d(point->mass[j], point->mass[j], search->lambda, MPFR_RNDN);
	}
	exponentiate(point, dimension, largest, sum);
	set_theta(point, dimension, sum);

	/* Psi = w' A w / 2 + lambda (largest + ln sum) */
	mpfr_log(sum, sum, MPFR_RNDN);
	mpfr_add(sum, sum, largest, MPFR_RNDN);
	mpfr_mul_d(sum, sum, search->lambda, MPFR_RNDN);
	mpfr_set_z_2exp(point->value, square, -2 * POINT_BITS - MOMENT_BITS - 1, MPFR_RNDN);
	mpfr_add(point->value, point->value, sum, MPFR_RNDN);
	mpfr_clears(largest, sum, (mpfr_ptr) NULL);
	mpz_clears(image, square, NULL);
}

/* ---- steps ---- */

/* descended = current + (theta - current) step */
static void
step_down(Search *search)
{
	mpz_t step;
	mpz_t change;

	mpz_inits(step, change, NULL);
	mpz_set_d(step, ldexp(search->step, 60));
	for (int j = 0; j < search->dimension; j++)
	{
		mpz_sub(change, search->current.theta[j], search->current.w[j]);
		mpz_mul(change, change, step);
		mpz_fdiv_q_2exp(change, change, 60);
		mpz_add(search->descended.w[j], search->current.w[j], change);
	}
	mpz_clears(step, change, NULL);
	evaluate(search, &search->descended);
}

/* I + J A / lambda with J = diag(theta) - theta theta'. */
static void
fill_jacobian(Search *search, const double *theta)
{
	int dimension = search->dimension;

	for (int k = 0; k < dimension; k++)
	{
		double mean = 0;

		for (int i = 0; i < dimension; i++)
			mean += theta[i] * search->a[i * dimension + k];
		for (int j = 0; j < dimension; j++)
			search->jacobian[j * dimension + k] =
				theta[j] * (search->a[j * dimension + k] - mean) + (j == k ? 1 : 0);
	}
}

/* Solves (I + J A / lambda) direction = theta - w; false if the doubles do not allow it. */
static bool
newton_direction(Search *search)
{
	size_t dimension = (size_t) search->dimension;
	gsl_matrix_view matrix = gsl_matrix_view_array(search->jacobian, dimension, dimension);
	gsl_vector_view vector = gsl_vector_view_array(search->direction, dimension);
	gsl_error_handler_t *handler;
	double theta[COLUMNS_MAX];
	mpz_t difference;
	int sign;
	bool solved;

	mpz_init(difference);
	for (int j = 0; j < search->dimension; j++)
	{
		theta[j] = ldexp(mpz_get_d(search->current.theta[j]), -POINT_BITS);
		mpz_sub(difference, search->current.theta[j], search->current.w[j]);
		search->direction[j] = ldexp(mpz_get_d(difference), -POINT_BITS);
	}
	mpz_clear(difference);
	fill_jacobian(search, theta);
	handler = gsl_set_error_handler_off();
	solved = gsl_linalg_LU_decomp(&matrix.matrix, search->permutation, &sign) == GSL_SUCCESS &&
			 gsl_linalg_LU_svx(&matrix.matrix, search->permutation, &vector.vector) == GSL_SUCCESS;
	gsl_set_error_handler(handler);
	for (int j = 0; j < search->dimension; j++)
		solved = solved && fabs(search->direction[j]) < 0x1p60;
	return solved;
}

/* trial = current + share direction */
static void
move(Search *search, double share)
{
	mpz_t change;

	mpz_init(change);
	for (int j = 0; j < search->dimension; j++)
	{
		mpz_set_d(change, ldexp(share * search->direction[j], POINT_BITS));
		mpz_add(search->trial.w[j], search->current.w[j], change);
	}
	mpz_clear(change);
	evaluate(search, &search->trial);
}

/* Moves to a point where Psi is no larger than after the gradient step. */
static void
advance(Search *search)
{
	step_down(search);
	if (newton_direction(search))
		for (int i = 0; i < HALVINGS; i++)
		{
			move(search, ldexp(1, -i));
			if (mpfr_lessequal_p(search->trial.value, search->descended.value))
			{
				point_swap(&search->current, &search->trial);
				return;
			}
		}
	point_swap(&search->current, &search->descended);
}

/* ---- weights ---- */

/*
 * The bits of a weight: rounding it moves the residual by lambda 2^(1 - bits) at most, here 2^-31
 * of L R.
 */
static mpfr_prec_t
weight_bits(const SimplexTerms *terms)
{
	double square = ldexp((double) simplex_slope(terms) * (double) simplex_radius(terms),
						  -2 * SIMPLEX_UNIT_BITS);

	if (MUTANT(106))
		return 4;
	if (square == 0 || terms->lambda <= square)
		return 32;
	return 32 + (mpfr_prec_t) ceil(log2(terms->lambda / square));
}

/*
 * Sets integers in the proportions of the masses, each a rounded mass times one power of two. False
 * if they would be longer than those of any solution, which can happen before the search is near
 * it.
 */
static bool
set_weights(const Point *point, int dimension, mpfr_prec_t bits, mpz_t *weight)
{
	mpfr_exp_t exponent[COLUMNS_MAX];
	mpfr_exp_t least = 0;
	mp_bitcnt_t zeros;
	mpfr_t rounded;

	mpfr_init2(rounded, bits);
	for (int j = 0; j < dimension; j++)
	{
		mpfr_set(rounded, point->mass[j], MPFR_RNDN);
		exponent[j] = mpfr_get_z_2exp(weight[j], rounded);
		zeros = mpz_scan1(weight[j], 0);
		mpz_fdiv_q_2exp(weight[j], weight[j], zeros);
		exponent[j] += (mpfr_exp_t) zeros;
		if (j == 0 || exponent[j] < least)
			least = exponent[j];
	}
	mpfr_clear(rounded);
	if (least < -WEIGHT_BITS_MAX)
		return false;
	for (int j = 0; j < dimension; j++)
		mpz_mul_2exp(weight[j], weight[j], (mp_bitcnt_t) (exponent[j] - least));
	return true;
}

/* (A W)_j 2^64 / S - b_j 2^64, the gradient in units of 2^-98, rounded down or up. */
static void
bound_gradient(const SimplexMoments *moments, int j, const mpz_t *weight, const mpz_t total,
			   bool up, mpz_t gradient)
{
	mpz_t share;

	mpz_init(share);
	mpz_set_ui(gradient, 0);
	for (int k = 0; k < moments->dimension; k++)
		mpz_addmul(gradient, moments->a[j * moments->dimension + k], weight[k]);
	mpz_submul(gradient, moments->b[j], total);
	mpz_mul_2exp(share, gradient, 64);
	if (up)
		mpz_cdiv_q(gradient, share, total);
	else
		mpz_fdiv_q(gradient, share, total);
	mpz_clear(share);
}

/* bound = gradient 2^-98 + lambda ln weight, rounded; a weight's logarithm is not negative. */
static void
bound_entry(const mpz_t gradient, const mpz_t weight, double lambda, mpfr_rnd_t rounding,
			mpfr_t bound, mpfr_t term)
{
	mpfr_set_z(term, weight, rounding);
	mpfr_log(term, term, rounding);
	mpfr_mul_d(term, term, lambda, rounding);
	mpfr_set_z_2exp(bound, gradient, -64 - MOMENT_BITS, rounding);
	mpfr_add(bound, bound, term, rounding);
}

double
simplex_residual(const SimplexMoments *moments, double lambda, const mpz_t *weight)
{
	mpfr_t least;
	mpfr_t largest;
	mpfr_t bound;
	mpfr_t logarithm;
	mpz_t total;
	mpz_t gradient;
	double result;

	mpz_inits(total, gradient, NULL);
	mpfr_inits2(PRECISION, least, largest, bound, logarithm, (mpfr_ptr) NULL);
	for (int j = 0; j < moments->dimension; j++)
		mpz_add(total, total, weight[j]);
	mpfr_set_inf(least, 1);
	mpfr_set_inf(largest, -1);
	for (int j = 0; j < moments->dimension; j++)
	{
		bound_gradient(moments, j, weight, total, false, gradient);
		bound_entry(gradient, weight[j], lambda, MPFR_RNDD, bound, logarithm);
		mpfr_min(least, least, bound, MPFR_RNDD);
		bound_gradient(moments, j, weight, total, true, gradient);
		bound_entry(gradient, weight[j], lambda, MPFR_RNDU, bound, logarithm);
		mpfr_max(largest, largest, bound, MPFR_RNDU);
	}
	mpfr_sub(largest, largest, least, MPFR_RNDU);
	result = mpfr_get_d(largest, MPFR_RNDU);
	mpfr_clears(least, largest, bound, logarithm, (mpfr_ptr) NULL);
	mpz_clears(total, gradient, NULL);
	return result;
}

/* ---- the search ---- */

static void
search_create(const SimplexMoments *moments, const SimplexTerms *terms, Memory *memory,
			  Search *search)
{
	int dimension = moments->dimension;
	size_t cells = (size_t) dimension * (size_t) dimension;
	double radius = ldexp((double) simplex_radius(terms), -SIMPLEX_UNIT_BITS);
	double curvature = (double) moments->rows * radius * radius;

	*search = (Search){.moments = moments, .lambda = terms->lambda, .dimension = dimension};
	search->step = terms->lambda / (terms->lambda + curvature) * (1 - 1e-12);
	search->a = memory_allocate(memory, cells, sizeof(double));
	search->jacobian = memory_allocate(memory, cells, sizeof(double));
	search->direction = memory_allocate(memory, (size_t) dimension, sizeof(double));
	search->permutation = gsl_permutation_alloc((size_t) dimension);
	for (size_t i = 0; i < cells; i++)
		search->a[i] = ldexp(mpz_get_d(moments->a[i]), -MOMENT_BITS) / terms->lambda;
	point_create(&search->current, dimension, memory);
	point_create(&search->descended, dimension, memory);
	point_create(&search->trial, dimension, memory);
	for (int j = 0; j < dimension; j++)
	{
		mpz_set_ui(search->current.w[j], 1);
		mpz_mul_2exp(search->current.w[j], search->current.w[j], POINT_BITS);
		mpz_fdiv_q_ui(search->current.w[j], search->current.w[j], (unsigned long) dimension);
	}
	evaluate(search, &search->current);
}

static void
search_destroy(Search *search, Memory *memory)
{
	point_destroy(&search->current, search->dimension, memory);
	point_destroy(&search->descended, search->dimension, memory);
	point_destroy(&search->trial, search->dimension, memory);
	gsl_permutation_free(search->permutation);
	memory_release(memory, search->a);
	memory_release(memory, search->jacobian);
	memory_release(memory, search->direction);
}

int64_t
simplex_minimise(const SimplexMoments *moments, const SimplexTerms *terms, double tolerance,
				 Memory *memory, mpz_t *weight)
{
	mpfr_prec_t bits = weight_bits(terms);
	Search search;
	int64_t rounds = 0;

	search_create(moments, terms, memory, &search);
	for (;;)
	{
		if (set_weights(&search.current, search.dimension, bits, weight) &&
			(simplex_residual(moments, terms->lambda, (const mpz_t *) weight) <= tolerance ||
			 (MUTANT(107) && rounds == 1)))
			break;
		/* impossible, as the header proves */
		if ((double) rounds++ > ROUNDS / search.step)
			abort();
		advance(&search);
	}
	search_destroy(&search, memory);
	return rounds;
}
