/*
 * convex_opsamp.c - random objectives, certified minimisers, their mean and noise.
 */
#include "core/mechanisms/convex_opsamp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/convex/box_minimise.h"
#include "core/mechanisms/convex_data.h"
#include "core/mechanisms/convex_release.h"
#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/convex/net_loss.h"
#include "core/random/real_noise.h"

/* ---- calibration ---- */

int
convex_opsamp_calls(int64_t rows)
{
	int64_t calls = OPSAMP_DEFAULT_WORK / rows;

	if (calls > OPSAMP_DEFAULT_CALLS)
		return OPSAMP_DEFAULT_CALLS;
	return calls < OPSAMP_LEAST_CALLS ? OPSAMP_LEAST_CALLS : (int) calls;
}

static double
norm_of(const MechanismRequest *request)
{
	return ldexp((double) request->convex.norm, -CONVEX_OUTPUT_BITS);
}

static double
peak_of(const MechanismRequest *request)
{
	return ldexp((double) request->convex.peak, -ROW_BITS);
}

/* The largest |score|, rounded up. */
static double
longest_score(const MechanismRequest *request)
{
	double d = request->grid.dimension;

	return norm_of(request) * fmin(sqrt(d), d * peak_of(request)) * (1 + 1e-9);
}

/*
 * The ranges psi(-s) - psi(s) and psi(0) - psi(s), not below the true ones: the integral is rounded
 * to units of 2^-18, and beyond the tables psi falls at rate 1 at most.
 */
static void
loss_ranges(const MechanismRequest *request, double *whole, double *half)
{
	double s = longest_score(request);
	int64_t margin = (int64_t) ldexp(fmin(s, SLOPE_REACH), MARGIN_BITS);
	double beyond = fmax(0, s - SLOPE_REACH);
	LossTable slopes;
	NetLoss loss;

	loss_table_make(request->convex.loss, &slopes);
	net_loss_make(&slopes, &loss);
	*whole = ldexp((double) net_loss_range(&loss, margin) + 2, -NET_LOSS_BITS) + 2 * beyond;
	*half =
		ldexp((double) (net_loss(&loss, 0) - net_loss(&loss, margin)) + 2, -NET_LOSS_BITS) + beyond;
}

OpsampProblem
convex_opsamp_problem(const MechanismRequest *request)
{
	const ConvexTerms *terms = &request->convex;
	OpsampProblem problem = {
		.dimension = request->grid.dimension,
		.side = 2 * norm_of(request),
		.lipschitz = peak_of(request) * loss_steepness(terms->loss),
		.pull = ldexp((double) terms->lambda, -LAMBDA_BITS) * norm_of(request),
		.epsilon = privacy_epsilon(request->epsilon),
		.delta = fmin(privacy_delta(terms->delta), 0.5), /* ln(1 / delta) keeps its digits */
		.rows = (double) terms->rows,
		.calls = terms->calls,
		.adjacency = request->adjacency,
		.pause = request->pause,
	};
	double half;

	loss_ranges(request, &problem.range, &half);
	return problem;
}

double
convex_opsamp_trivial(const MechanismRequest *request)
{
	double whole;
	double half;

	loss_ranges(request, &whole, &half);
	return half;
}

static bool
is_complete(const MechanismRequest *request)
{
	const ConvexTerms *terms = &request->convex;

	return terms->noise == CONVEX_LAPLACE && terms->delta > 0 && terms->lambda >= LAMBDA_MIN &&
		   terms->norm > 0 && terms->rows > 0 && terms->peak > 0 && terms->calls > 0 &&
		   terms->calls <= OPSAMP_MAX_CALLS && terms->rows <= OPSAMP_MOST_WORK / terms->calls;
}

void
convex_opsamp_admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	/* every call ends (box_minimise.h) */
	convex_set_seconds(request, request->convex.calls, verdict);
	if (is_complete(request))
	{
		OpsampProblem problem = convex_opsamp_problem(request);
		OpsampPlan plan;

		opsamp_plan(&problem, &plan);
		verdict->admitted = plan.risk < convex_opsamp_trivial(request);
	}
}

/* ---- release ---- */

/*
 * Sets b = -sigma, in units of 2^-85.  sigma is geometric on the multiples of 2^-20, independently
 * in each coordinate: P(j) proportional to exp(-eta j 2^-20).  For the least eta a variable of 2^38
 * occurs once in e^1000 draws.
 */
static void
draw_objective(const OpsampPlan *plan, int dimension, Bits *bits, Wide *b)
{
	mpz_t p;
	mpz_t q;
	mpz_t sigma;

	mpz_init_set_si(p, MUTANT(96) ? 2 * plan->rate : plan->rate);
	mpz_init(q);
	mpz_init(sigma);
	mpz_setbit(q, OPSAMP_RATE_BITS + OPSAMP_LATTICE_BITS);
	for (int j = 0; j < dimension; j++)
	{
		bits_geometric(bits, sigma, p, q);
		if (mpz_sizeinbase(sigma, 2) > 38 + OPSAMP_LATTICE_BITS)
			abort();
		b[j] = -(Wide) mpz_get_si(sigma) * ((Wide) 1 << (GRADIENT_BITS - OPSAMP_LATTICE_BITS));
	}
	mpz_clears(p, q, sigma, NULL);
}

int64_t
convex_opsamp_sum(const MechanismRequest *request, const OpsampPlan *plan, const Instance *instance,
				  const MechanismTools *tools, Wide *sum)
{
	const ConvexTerms *terms = &request->convex;
	size_t size = (size_t) request->grid.dimension * sizeof(Wide);
	Wide norm = (Wide) terms->norm * ((Wide) 1 << (WEIGHT_BITS - CONVEX_OUTPUT_BITS));
	LossTable *table = memory_allocate(tools->memory, 1, sizeof(LossTable));
	Wide b[GRID_MAX_DIMENSION] = {0};
	Wide start[GRID_MAX_DIMENSION] = {0};
	Wide u[GRID_MAX_DIMENSION];
	ConvexRows rows;
	ConvexObjective objective = {.rows = &rows,
								 .table = table,
								 .curvature = loss_curvature(terms->loss),
								 .lambda = terms->lambda,
								 .b = b};
	int64_t rounds = 0;

	loss_table_make(terms->loss, table);
	convex_data_make(request, instance, tools->memory, &rows);
	rounds += box_minimise(&objective, norm, plan->gap, tools->memory, start);
	memset(sum, 0, size);
	for (int call = 0; call < terms->calls; call++)
	{
		draw_objective(plan, request->grid.dimension, tools->bits, b);
		memcpy(u, start, size);
		rounds += box_minimise(&objective, norm, plan->gap, tools->memory, u);
		for (int j = 0; j < request->grid.dimension; j++)
			sum[j] += u[j];
	}
	convex_rows_release(&rows, tools->memory);
	memory_release(tools->memory, table);
	return rounds;
}

/*
 * Bits of the mean beyond those of a weight; SAFE (opsamp.c) covers rounding the mean down to them.
 */
#define MEAN_BITS 20

static int64_t
within(const mpz_t value, int64_t norm)
{
	if (mpz_cmp_si(value, norm) > 0)
		return norm;
	return mpz_cmp_si(value, -norm) < 0 ? -norm : mpz_get_si(value);
}

/*
 * round(2^20 (mean + noise)) in each coordinate, clipped to the cube.  The Gamma law in one
 * dimension is the Laplace law.
 */
void
convex_opsamp_noise(const MechanismRequest *request, const OpsampPlan *plan,
					const MechanismTools *tools, const Wide *sum, int64_t *weight)
{
	double epsilon = privacy_epsilon(request->epsilon);
	double scale = plan->shift / epsilon * (MUTANT(95) ? 0.8 : 1);
	mpz_t offset[1];
	mpz_t rounded[1];

	mpz_init(offset[0]);
	mpz_init(rounded[0]);
	for (int j = 0; j < request->grid.dimension; j++)
	{
		RealDraw *draw = real_draw_create(REAL_GAMMA, 1, scale, tools->bits, tools->memory);

		mpz_from_wide(offset[0], sum[j]);
		mpz_mul_2exp(offset[0], offset[0], MEAN_BITS);
		mpz_fdiv_q_ui(offset[0], offset[0], (unsigned long) request->convex.calls);
		real_draw_round(draw, tools->bits, (const mpz_t *) offset,
						WEIGHT_BITS + MEAN_BITS - CONVEX_OUTPUT_BITS, CONVEX_OUTPUT_BITS, rounded);
		weight[j] = within(rounded[0], request->convex.norm);
		real_draw_destroy(draw, tools->memory);
	}
	mpz_clear(offset[0]);
	mpz_clear(rounded[0]);
}

void
convex_opsamp_release(const MechanismRequest *request, const Instance *instance,
					  const MechanismTools *tools, MechanismAnswer *answer)
{
	Wide sum[GRID_MAX_DIMENSION];
	OpsampProblem problem;
	OpsampPlan plan;

	if (!is_complete(request))
		abort(); /* the server has admitted it */
	problem = convex_opsamp_problem(request);
	opsamp_plan(&problem, &plan);
	answer->nodes = convex_opsamp_sum(request, &plan, instance, tools, sum);
	mechanism_make_weights(request, tools->memory, answer);
	convex_opsamp_noise(request, &plan, tools, sum, answer->weight);
}
