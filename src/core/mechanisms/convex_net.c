/*
 * convex_net.c - the exponential mechanism over a net, of the body or of a ball in it.
 */
#include "core/mechanisms/convex_net.h"

#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_cdf.h>

#include "core/mechanisms/convex_release.h"
#include "core/convex/convex_row.h"
#include "core/base/mutant.h"

/* Nanoseconds for a coordinate of a row at a point. */
#define POINT_TIME 1.0

/* ---- plan ---- */

static bool
is_local(const MechanismRequest *request)
{
	return mechanism_get(request->kind)->centred;
}

MechanismRequest
convex_net_centre(const MechanismRequest *request)
{
	MechanismRequest centre = *request;

	centre.kind = MECHANISM_OUTPUT;
	centre.epsilon = request->epsilon / 2;
	return centre;
}

/*
 * osc.  Two points of a ball's net are at most width = 2 steps step apart, and so are the margins
 * of a row with |v| <= 1 (Cauchy and Schwarz).
 */
static int64_t
loss_range(const MechanismRequest *request, int64_t step)
{
	int64_t norm = request->convex.steps * step * (INT64_C(1) << ROW_BITS);
	int64_t width = (MUTANT(93) ? 1 : 2) * norm;
	LossTable slopes;
	NetLoss loss;
	int64_t range;
	int64_t change;

	loss_table_make(request->convex.loss, &slopes);
	net_loss_make(&slopes, &loss);
	range = net_loss_range(&loss, is_local(request) ? MARGIN_REACH : norm);
	change = net_loss_change(&loss, width);
	if (is_local(request) && change < range)
		range = change;
	return range > 0 ? range : 1;
}

/*
 * The ball's radius in units of 2^-20: the quantile of |b|, and one unit in each coordinate for
 * rounding.
 */
static int64_t
ball_radius(const MechanismRequest *request, double noise)
{
	int dimension = request->grid.dimension;
	double radius = gsl_cdf_gamma_Qinv(CENTRE_MISSES, dimension, noise);
	double most = 2.0 * (double) request->convex.norm; /* such a ball holds the body */

	return (int64_t) ceil(fmin(ldexp(radius, CONVEX_OUTPUT_BITS) + dimension, most));
}

/* epsilon, or half of it, over the largest change by one row. */
static NetRate
settle_rate(const MechanismRequest *request, int64_t range)
{
	int64_t epsilon = request->epsilon;

	if (is_local(request) && !MUTANT(92))
		epsilon /= 2;
	if (MUTANT(90))
		range = (range + 1) / 2;
	return (NetRate){epsilon, EPSILON_ONE * privacy_margin(request->adjacency) * range};
}

/* The step of the body's net is rounded down, so that it stays in the body. */
static void
settle_body(const MechanismRequest *request, ConvexNetPlan *plan)
{
	plan->noise = 0;
	plan->limit = request->convex.norm;
	plan->step = request->convex.norm / request->convex.steps;
}

/* Points up to a step beyond the body count, so that rounding to the net stays within the limit. */
static void
settle_ball(const MechanismRequest *request, double noise, ConvexNetPlan *plan)
{
	int64_t steps = request->convex.steps;

	plan->noise = noise;
	plan->step = (ball_radius(request, noise) + steps - 1) / steps;
	plan->limit =
		request->convex.norm + (int64_t) ceil(sqrt(request->grid.dimension) * (double) plan->step);
}

ConvexVerdict
convex_net_plan(const MechanismRequest *request, ConvexNetPlan *plan)
{
	MechanismRequest centre = convex_net_centre(request);
	ConvexVerdict verdict = CONVEX_FITS;
	ConvexScale scale = {0};

	if (is_local(request))
		verdict = convex_request_scale(&centre, &scale);
	if (verdict != CONVEX_FITS)
		return verdict;
	if (is_local(request))
		settle_ball(request, scale.outer, plan);
	else
		settle_body(request, plan);
	if (plan->step < 1)
		plan->step = 1;
	plan->points = net_points(request->grid.dimension, request->convex.steps);
	plan->range = loss_range(request, plan->step);
	plan->rate = settle_rate(request, plan->range);
	return CONVEX_FITS;
}

/* Takes NET_LEAST_STEPS where the default work allows fewer steps but NET_MOST_WORK allows these.
 */
int
convex_net_steps(int dimension, int64_t rows, int64_t points)
{
	int64_t assumed = rows > 0 ? rows : NET_DEFAULT_ROWS;
	int64_t most = NET_MOST_WORK / assumed;
	int steps = net_steps(dimension, points > 0 ? points : NET_DEFAULT_WORK / assumed);

	if (steps < NET_LEAST_STEPS && points == 0)
		steps = NET_LEAST_STEPS;
	return steps > 0 && net_points(dimension, steps) <= most &&
				   net_points(dimension, steps) <= NET_MAX_POINTS
			   ? steps
			   : 0;
}

/* Makes the plan; false if the terms are out of range or the net is too large. */
static bool
plan_within_limits(const MechanismRequest *request, ConvexNetPlan *plan)
{
	const ConvexTerms *terms = &request->convex;

	return request->grid.dimension <= NET_MAX_DIMENSION && terms->steps >= 1 &&
		   terms->steps <= NET_MOST_STEPS && terms->norm >= terms->steps &&
		   terms->noise == CONVEX_GAMMA &&
		   net_points(request->grid.dimension, terms->steps) <= NET_MAX_POINTS &&
		   convex_net_plan(request, plan) == CONVEX_FITS;
}

/*
 * The mechanism always ends: points are enumerated, and the draw is by rejection (net_law.c).
 */
void
convex_net_admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	ConvexNetPlan plan;

	verdict->admitted = plan_within_limits(request, &plan);
	verdict->cost = verdict->admitted ? (uint64_t) plan.points : UINT64_MAX;
	verdict->most = 1e-9 * POINT_TIME * (double) verdict->cost * request->run.rows *
					(request->grid.dimension + 1);
	verdict->expected = verdict->most / 2;
	if (is_local(request))
		verdict->most +=
			RUN_MOST_PASSES * run_pass_seconds(&request->run, request->grid.dimension, 1);
}

/* ---- release ---- */

/*
 * Moves the centre into the body.  Errors of doubles are harmless here, because the centre has been
 * released.
 */
static void
draw_into_body(int64_t norm, int dimension, int64_t *u)
{
	long double square = 0;
	long double factor;

	for (int j = 0; j < dimension; j++)
		square += (long double) u[j] * (long double) u[j];
	factor = square > (long double) norm * norm ? norm / sqrtl(square) : 1;
	for (int j = 0; j < dimension; j++)
		u[j] = (int64_t) ((long double) u[j] * factor);
}

static void
draw_centre(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
			int64_t *u)
{
	MechanismRequest centre = convex_net_centre(request);
	MechanismAnswer answer;

	convex_release(&centre, instance, tools, &answer);
	for (int j = 0; j < request->grid.dimension; j++)
		u[j] = answer.weight[j];
	memory_release(tools->memory, answer.weight);
	draw_into_body(request->convex.norm, request->grid.dimension, u);
}

ConvexNetLaw *
convex_net_law_create(const MechanismRequest *request, const Instance *instance,
					  const ConvexNetPlan *plan, const int64_t *centre, Memory *memory)
{
	const ConvexTerms *terms = &request->convex;
	ConvexNetLaw *law = memory_allocate_zero(memory, 1, sizeof(ConvexNetLaw));

	loss_table_make(terms->loss, &law->slopes);
	net_loss_make(&law->slopes, &law->table);
	net_create(&law->net, request->grid.dimension, terms->steps, memory);
	for (int j = 0; j < request->grid.dimension; j++)
		law->centre[j] = centre[j];
	law->problem = (NetProblem){
		.instance = instance,
		.radius = terms->radius,
		.loss = &law->table,
		.net = &law->net,
		.centre = law->centre,
		.step = plan->step,
		.limit = plan->limit,
		.lambda = terms->lambda,
		.threads = request->threads,
	};
	law->loss = memory_allocate(memory, (size_t) law->net.points, sizeof(int64_t));
	net_losses(&law->problem, memory, law->loss);
	return law;
}

void
convex_net_law_destroy(ConvexNetLaw *law, Memory *memory)
{
	net_destroy(&law->net, memory);
	memory_release(memory, law->loss);
	memory_release(memory, law);
}

void
convex_net_release(const MechanismRequest *request, const Instance *instance,
				   const MechanismTools *tools, MechanismAnswer *answer)
{
	int64_t centre[NET_MAX_DIMENSION] = {0};
	ConvexNetPlan plan;
	ConvexNetLaw *law;

	if (!plan_within_limits(request, &plan))
		abort(); /* the server has admitted it */
	if (is_local(request))
		draw_centre(request, instance, tools, centre);
	law = convex_net_law_create(request, instance, &plan, centre, tools->memory);
	mechanism_make_weights(request, tools->memory, answer);
	net_weights(&law->problem, net_draw(law->loss, law->net.points, plan.rate, tools->bits),
				answer->weight);
	answer->nodes = 0;
	convex_net_law_destroy(law, tools->memory);
}

/* ---- what is known of it ---- */

static double
exponent_per_loss(const ConvexNetPlan *plan)
{
	return ldexp((double) plan->rate.numerator / (double) plan->rate.denominator, NET_LOSS_BITS);
}

/*
 * Source: theorem U8: the exponential mechanism's bound (theorem U1) with the points of the net for
 * W.  The ball misses the minimiser with probability CENTRE_MISSES, the rest of beta is the draw's.
 * Coordinates rounded towards the centre move by less than a step each; the body extends beyond its
 * net by what rounding the step down took away.
 */
void
convex_net_bound(const MechanismRequest *request, double beta, NetBound *bound)
{
	const ConvexTerms *terms = &request->convex;
	bool local = is_local(request);
	double chance = local ? beta - CENTRE_MISSES : beta;
	ConvexNetPlan plan = {0};
	double rate;
	double beyond;

	(void) convex_net_plan(request, &plan);
	rate = exponent_per_loss(&plan);
	beyond = local ? 0 : (double) (terms->norm - terms->steps * plan.step);
	bound->loss = fmax(0, (log((double) (plan.points - 1)) + log((1 - chance) / chance)) / rate);
	bound->mesh =
		ldexp(sqrt(request->grid.dimension) * (double) plan.step + beyond, -CONVEX_OUTPUT_BITS) /
		terms->radius;
}

void
convex_net_error(const MechanismRequest *request, double beta, Facts *facts)
{
	NetBound bound;

	convex_net_bound(request, beta, &bound);
	facts_open(facts, "error");
	facts_number(facts, "loss", bound.loss * (1 + 1e-5), 6);
	facts_number(facts, "beta", beta, 6);
	facts_number(facts, "mesh", bound.mesh * (1 + 1e-5), 6);
	facts_close(facts);
}

void
convex_net_describe(const MechanismRequest *request, Facts *facts)
{
	double unit = ldexp(1, -CONVEX_OUTPUT_BITS) / request->convex.radius;
	ConvexNetPlan plan;

	convex_describe(request, facts);
	(void) convex_net_plan(request, &plan);
	facts_number(facts, "norm", (double) request->convex.norm * unit, FACT_EXACT);
	facts_integer(facts, "net", plan.points);
	facts_number(facts, "net_step", (double) plan.step * unit, FACT_EXACT);
	facts_number(facts, "loss_range", ldexp((double) plan.range, -NET_LOSS_BITS), FACT_EXACT);
	facts_number(facts, "exponent_per_loss", exponent_per_loss(&plan), FACT_EXACT);
	if (is_local(request))
		facts_number(facts, "centre_noise", plan.noise / request->convex.radius, FACT_EXACT);
}
