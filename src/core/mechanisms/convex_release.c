/*
 * convex_release.c - noise in the objective, a certified minimiser, noise on the answer.
 *
 * Objective perturbation (theorems V4 and V8) minimises J(u) + <b, u> for an exactly drawn b.  The
 * gradient at the computed u is certified, so u is near the minimiser; Gamma noise with epsilon /
 * 256 hides how near.  Output perturbation (theorem V2) has no b, and all its noise is on u.
 *
 * The sum u + noise is a real vector, of which only the exact rounding to multiples of 2^-20 is
 * computed.
 *
 * With K classes gradients are in the space where the K vectors add up to 0, and so is the noise in
 * the objective (theorem V14).
 */
#include "core/mechanisms/convex_release.h"

#include <math.h>
#include <stdlib.h>

#include "core/convex/convex_columns.h"
#include "core/convex/convex_loss.h"
#include "core/convex/convex_minimise.h"
#include "core/mechanisms/convex_data.h"
#include "core/mechanisms/utility.h"
#include "core/noise/calibration.h"
#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/random/real_noise.h"

/*
 * The longest noise that the arithmetic holds.  Longer noise, once in e^1000 draws, ends the
 * process.
 */
#define NOISE_LENGTH_MAX 0x1p38
#define NOISE_LENGTH_LAMBDA 0x1p25

static bool
has_levels(const MechanismRequest *request)
{
	return mechanism_weights(request) > request->grid.dimension;
}

ConvexKind
convex_kind(const MechanismRequest *request)
{
	return mechanism_get(request->kind)->noise_on;
}

ConvexVerdict
convex_request_scale(const MechanismRequest *request, ConvexScale *scale)
{
	return convex_scale(convex_kind(request), &request->convex, privacy_epsilon(request->epsilon),
						request->adjacency, mechanism_weights(request), scale);
}

/*
 * K-norm noise is for gradients, not for answers (theorem K6).  Levels are for the noises whose law
 * is that of the longest row alone (theorem V19).
 */
static bool
fits(const MechanismRequest *request, ConvexScale *scale)
{
	int classes = request->convex.classes;

	return (request->convex.noise != CONVEX_KNORM || convex_kind(request) == CONVEX_OBJECTIVE) &&
		   (classes == 0 || request->grid.dimension % classes == 0) &&
		   (!has_levels(request) || (classes == 0 && request->convex.noise < CONVEX_LAPLACE)) &&
		   convex_request_scale(request, scale) == CONVEX_FITS;
}

void
convex_set_seconds(const MechanismRequest *request, double minimisers, MechanismVerdict *verdict)
{
	int classes = request->convex.classes > 0 ? request->convex.classes : 1;
	bool sparse = has_levels(request) || request->grid.dimension > GRID_MAX_DIMENSION;
	double pass = run_pass_seconds(&request->run, request->grid.dimension, classes) *
				  (sparse ? RUN_SPARSE_PASSES : 1);

	verdict->expected = RUN_USUAL_PASSES * minimisers * pass;
	verdict->most = (RUN_MOST_PASSES + 2 * RUN_USUAL_PASSES * (minimisers - 1)) * pass;
}

void
convex_admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	ConvexScale scale;

	verdict->admitted = fits(request, &scale);
	convex_set_seconds(request, 1, verdict);
}

/* ---- steps ---- */

/*
 * Row k of the columns (1, .., 1, -j, 0, ..) / sqrt(j (j + 1)) with j ones, j = 1 .. K - 1, times
 * the draw, whose row j - 1 is that column's coordinates.  The root is off by 2^-128 of its size.
 */
#define ROOT_BITS 128

static void
spread_classes(const mpz_t *draw, int classes, int dimension, mpz_t *integer)
{
	mpz_t root;
	mpz_t term;

	mpz_init(root);
	mpz_init(term);
	for (int j = 1; j < classes; j++)
	{
		mpz_set_ui(root, 1);
		mpz_mul_2exp(root, root, 2 * ROOT_BITS);
		mpz_fdiv_q_ui(root, root, (unsigned long) j * (unsigned long) (j + 1));
		mpz_sqrt(root, root);
		for (int i = 0; i < dimension; i++)
		{
			mpz_mul(term, root, draw[(j - 1) * dimension + i]);
			mpz_fdiv_q_2exp(term, term, ROOT_BITS);
			for (int k = 0; k < j; k++)
				mpz_add(integer[k * dimension + i], integer[k * dimension + i], term);
			mpz_submul_ui(integer[j * dimension + i], term, (unsigned long) j);
		}
	}
	mpz_clear(term);
	mpz_clear(root);
}

static void
check_length(const mpz_t *b, int dimension, int64_t lambda)
{
	double limit = fmin(NOISE_LENGTH_MAX, NOISE_LENGTH_LAMBDA * (double) lambda / LAMBDA_ONE);
	double sum = 0;

	for (int j = 0; j < dimension; j++)
	{
		double value = ldexp(mpz_get_d(b[j]), -GRADIENT_BITS);

		sum += value * value;
	}
	if (!(sqrt(sum) < limit))
		abort();
}

static RealLaw
noise_law(ConvexNoise noise)
{
	return noise == CONVEX_GAUSSIAN ? REAL_GAUSSIAN : REAL_GAMMA;
}

static void
draw_euclidean(const MechanismRequest *request, int dimension, double scale,
			   const MechanismTools *tools, mpz_t *integer)
{
	RealDraw *draw = real_draw_create(noise_law(request->convex.noise), dimension, scale,
									  tools->bits, tools->memory);

	real_draw_near(draw, tools->bits, GRADIENT_BITS, integer);
	real_draw_destroy(draw, tools->memory);
}

/*
 * The same law in the space where the vectors of all classes add up to 0: a draw of (K - 1) d
 * coordinates along an orthonormal basis (spread_classes()).
 */
static void
draw_classes(const MechanismRequest *request, double scale, const MechanismTools *tools,
			 mpz_t *integer)
{
	int classes = request->convex.classes;
	int dimension = request->grid.dimension / classes;
	size_t count = (size_t) (classes - 1) * (size_t) dimension;
	mpz_t *draw = integers_create(count, tools->memory);

	draw_euclidean(request, (int) count, scale, tools, draw);
	spread_classes((const mpz_t *) draw, classes, dimension, integer);
	integers_destroy(draw, count, tools->memory);
}

static void
draw_knorm(const MechanismRequest *request, double scale, const MechanismTools *tools,
		   mpz_t *integer)
{
	const ConvexTerms *terms = &request->convex;
	ColumnsBody body;

	columns_body_make(&terms->columns, terms->radius, request->grid.dimension, &body);
	columns_body_draw(&body, scale, tools->bits, tools->memory, integer);
}

/* Draws b to within 2^-80 in each coordinate, far below any tolerance. */
static void
draw_inner(const MechanismRequest *request, double scale, const MechanismTools *tools, Wide *b)
{
	int dimension = mechanism_weights(request);
	mpz_t *integer = integers_create((size_t) dimension, tools->memory);

	if (request->convex.noise == CONVEX_KNORM)
		draw_knorm(request, scale, tools, integer);
	else if (request->convex.classes > 0)
		draw_classes(request, scale, tools, integer);
	else
		draw_euclidean(request, MUTANT(269) ? request->grid.dimension : dimension, scale, tools,
					   integer);
	check_length(integer, dimension, request->convex.lambda);
	for (int j = 0; j < dimension; j++)
		b[j] = wide_from_mpz(integer[j]);
	integers_destroy(integer, (size_t) dimension, tools->memory);
}

/*
 * Half of the tolerance is for the gradient; the other half more than covers the rounding of b.
 */
static int64_t
minimise(const MechanismRequest *request, const Instance *instance, double tolerance,
		 const MechanismTools *tools, const Wide *b, Wide *u)
{
	const ConvexTerms *terms = &request->convex;
	LossTable *table = memory_allocate(tools->memory, 1, sizeof(LossTable));
	SoftmaxTable *softmax = memory_allocate(tools->memory, 1, sizeof(SoftmaxTable));
	ConvexRows rows;
	ConvexObjective objective = {.rows = &rows,
								 .table = table,
								 .softmax = softmax,
								 .classes = terms->classes,
								 .curvature = convex_curvature(terms),
								 .lambda = terms->lambda,
								 .b = b};
	int64_t steps;

	loss_table_make(terms->loss, table);
	if (terms->classes > 0)
		softmax_table_make(softmax);
	convex_data_make(request, instance, tools->memory, &rows);
	steps = convex_minimise(&objective, tolerance / 2, tools->memory, u);
	convex_rows_release(&rows, tools->memory);
	memory_release(tools->memory, softmax);
	memory_release(tools->memory, table);
	return steps;
}

/* A weight beyond int64 is clamped: that is post-processing. */
static int64_t
clamp(const mpz_t value)
{
	if (mpz_fits_slong_p(value))
		return mpz_get_si(value);
	return mpz_sgn(value) < 0 ? INT64_MIN : INT64_MAX;
}

/* round(2^20 (u + noise)) */
static void
draw_outer(RealLaw law, int dimension, double scale, const MechanismTools *tools, const Wide *u,
		   int64_t *weight)
{
	mpz_t *offset = integers_create((size_t) dimension, tools->memory);
	mpz_t *integer = integers_create((size_t) dimension, tools->memory);
	RealDraw *draw = real_draw_create(law, dimension, scale, tools->bits, tools->memory);

	for (int j = 0; j < dimension; j++)
		mpz_from_wide(offset[j], u[j]);
	real_draw_round(draw, tools->bits, (const mpz_t *) offset, WEIGHT_BITS - CONVEX_OUTPUT_BITS,
					CONVEX_OUTPUT_BITS, integer);
	for (int j = 0; j < dimension; j++)
		weight[j] = clamp(integer[j]);
	real_draw_destroy(draw, tools->memory);
	integers_destroy(integer, (size_t) dimension, tools->memory);
	integers_destroy(offset, (size_t) dimension, tools->memory);
}

void
convex_release(const MechanismRequest *request, const Instance *instance,
			   const MechanismTools *tools, MechanismAnswer *answer)
{
	ConvexKind kind = convex_kind(request);
	int weights = mechanism_weights(request);
	Wide *b = memory_allocate_zero(tools->memory, (size_t) weights, sizeof(Wide));
	Wide *u = memory_allocate(tools->memory, (size_t) weights, sizeof(Wide));
	ConvexScale scale;
	RealLaw outer = kind == CONVEX_OUTPUT ? noise_law(request->convex.noise) : REAL_GAMMA;

	if (!fits(request, &scale) || !(scale.outer > 0) ||
		(kind == CONVEX_OBJECTIVE && !(scale.inner > 0)))
		abort(); /* the server has admitted it */
	if (kind == CONVEX_OBJECTIVE)
		draw_inner(request, scale.inner, tools, b);
	answer->nodes = minimise(request, instance, scale.tolerance, tools, b, u);
	if (kind == CONVEX_OBJECTIVE && MUTANT(236))
		scale.outer *= 0x1p-10;
	mechanism_make_weights(request, tools->memory, answer);
	draw_outer(outer, weights, scale.outer, tools, u, answer->weight);
	memory_release(tools->memory, u);
	memory_release(tools->memory, b);
}

/* ---- what is known of it ---- */

/*
 * The calibration has sigma >= sensitivity sigma_G(epsilon, delta), so mu <= 1 / sigma_G; likewise
 * all steps of full-batch descent together (theorems V2 and D1).
 */
void
convex_gaussian_pair(const MechanismRequest *request, Pair *pair)
{
	if (request->convex.noise != CONVEX_GAUSSIAN || pair->delta == 0)
		return;
	pair->kind = PAIR_GAUSSIAN;
	pair->mu = PAIR_ROUNDED_UP / calibration_gaussian_sigma(privacy_epsilon(request->epsilon),
															privacy_delta(request->convex.delta));
}

/*
 * The objective has mu = g / sigma and ln(1 + beta / lambda); the noise that hides how near the
 * answer is to its minimum has epsilon / 256 (theorems V4 and V8).  With classes the difference of
 * gradients has no fixed direction, and only the claim is known.
 */
void
convex_objective_pair(const MechanismRequest *request, Pair *pair)
{
	ConvexScale scale;

	if (request->convex.noise != CONVEX_GAUSSIAN || pair->delta == 0 ||
		request->convex.classes > 0 || convex_request_scale(request, &scale) != CONVEX_FITS)
		return;
	pair->kind = PAIR_OBJECTIVE;
	pair->mu = PAIR_ROUNDED_UP * convex_gradient_change(&request->convex, request->adjacency) /
			   scale.inner;
	pair->ratio = PAIR_ROUNDED_UP * convex_determinant(&request->convex);
	pair->outer = PAIR_ROUNDED_UP * convex_outer_epsilon(privacy_epsilon(request->epsilon));
}

/*
 * The length that noise exceeds with probability beta at most: a Gamma(d) variable by Chernoff's
 * bound, a normal vector by concentration about sqrt(d).  For K-norm noise it is |b|_K that has a
 * Gamma law, of d degrees of freedom at most.
 */
static double
noise_quantile(ConvexNoise noise, int dimension, double scale, double beta)
{
	if (noise == CONVEX_GAUSSIAN)
		return scale * (sqrt(dimension) + sqrt(2 * log(1 / beta)));
	return scale * utility_gamma_tail(dimension, log(1 / beta));
}

/*
 * Source: theorem U8.  The distance that noise moves the minimiser, plus the tolerance, the noise
 * on the answer and its rounding.  The two noises share beta.
 */
double
convex_distance(const MechanismRequest *request, double beta)
{
	const ConvexTerms *terms = &request->convex;
	bool output = convex_kind(request) == CONVEX_OUTPUT;
	int dimension = mechanism_weights(request);
	double lambda = (double) terms->lambda / (double) LAMBDA_ONE;
	double distance = ldexp(sqrt(dimension), -CONVEX_OUTPUT_BITS - 1);
	ConvexScale scale;

	(void) convex_request_scale(request, &scale);
	distance += scale.tolerance / lambda;
	if (!output)
		distance += noise_quantile(terms->noise, dimension, scale.inner, beta / 2) *
					convex_unit_length(terms, dimension) / lambda;
	distance += noise_quantile(output ? terms->noise : CONVEX_GAMMA, dimension, scale.outer,
							   output ? beta : beta / 2);
	return distance * convex_weight_unit(terms);
}

void
convex_error(const MechanismRequest *request, double beta, Facts *facts)
{
	facts_open(facts, "error");
	facts_number(facts, "distance", convex_distance(request, beta), 6);
	facts_number(facts, "beta", beta, 6);
	facts_close(facts);
}

void
convex_describe(const MechanismRequest *request, Facts *facts)
{
	const ConvexTerms *terms = &request->convex;

	facts_text(facts, "loss", terms->classes > 0 ? "clipped_softmax" : loss_names[terms->loss]);
	facts_number(facts, "regularization", convex_regularization(terms), FACT_EXACT);
	facts_number(facts, "radius", terms->radius, FACT_EXACT);
}

void
convex_describe_noise(const MechanismRequest *request, Facts *facts)
{
	static const char *const names[CONVEX_NOISES] = {[CONVEX_GAMMA] = "gamma",
													 [CONVEX_GAUSSIAN] = "gaussian",
													 [CONVEX_LAPLACE] = "laplace",
													 [CONVEX_KNORM] = "knorm"};
	const ConvexTerms *terms = &request->convex;

	facts_text(facts, "noise", names[terms->noise]);
	facts_number(facts, "weight_step", ldexp(1, -CONVEX_OUTPUT_BITS) * convex_weight_unit(terms),
				 FACT_EXACT);
}

/* The body of the noise, and what the Hessian takes of epsilon. */
static void
describe_knorm(const MechanismRequest *request, Facts *facts)
{
	const ConvexTerms *terms = &request->convex;
	double lambda = (double) terms->lambda / (double) LAMBDA_ONE;
	ColumnsBody body;

	columns_body_make(&terms->columns, terms->radius, request->grid.dimension, &body);
	facts_integer(facts, "noise_groups", body.shape.groups);
	facts_integer(facts, "noise_dimension", knorm_dimension(&body.shape));
	facts_number(facts, "hessian_epsilon", log1p(loss_curvature(terms->loss) / lambda), 6);
}

void
convex_describe_scale(const MechanismRequest *request, Facts *facts)
{
	ConvexKind kind = convex_kind(request);
	bool knorm = request->convex.noise == CONVEX_KNORM;
	double radius = request->convex.radius;
	ConvexScale scale;

	convex_describe(request, facts);
	convex_describe_noise(request, facts);
	(void) convex_request_scale(request, &scale);
	if (kind == CONVEX_OBJECTIVE)
		facts_number(facts, "objective_noise", scale.inner * (knorm ? 1 : radius), FACT_EXACT);
	if (knorm)
		describe_knorm(request, facts);
	facts_number(facts, "weight_noise", scale.outer * convex_weight_unit(&request->convex),
				 FACT_EXACT);
}
