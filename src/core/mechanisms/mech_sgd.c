/*
 * mech_sgd.c - noisy gradient descent with averaged iterates (Bassily, Smith and Thakurta
 * 2014; Abadi and others 2016; theorems D1 to D3 and D6).
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/mutant.h"
#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/descent_run.h"
#include "core/mechanisms/mechanism.h"

/* Of one number of the noise. */
#define NOISE_SECONDS 18e-6

/* z / c. */
static double
noise_of(const MechanismRequest *request)
{
	if (!descent_terms_valid(&request->descent, &request->convex))
		return 0;
	return descent_noise(&request->descent, privacy_epsilon(request->epsilon),
						 privacy_delta(request->convex.delta), request->adjacency, request->pause);
}

static double
gradient_noise(const MechanismRequest *request)
{
	return noise_of(request) * (MUTANT(304) ? 0.1 : descent_longest(&request->convex));
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	int classes = request->convex.classes > 0 ? request->convex.classes : 1;
	double pass = run_pass_seconds(&request->run, request->grid.dimension, classes);

	verdict->admitted = noise_of(request) > 0;
	verdict->expected =
		request->descent.iterations * (pass + NOISE_SECONDS * (double) request->grid.dimension);
	verdict->most = 2.5 * verdict->expected;
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	double noise = gradient_noise(request);

	if (!(noise > 0))
		abort(); /* the server has admitted it */
	descent_run(request, noise, instance, tools, answer);
}

/*
 * Poisson batches under add_remove have a law of their own; other batches have rdp_replace()'s.
 */
static void
set_pair(const MechanismRequest *request, Pair *pair)
{
	const DescentTerms *terms = &request->descent;

	if (terms->sampling == DESCENT_FULL)
	{
		convex_gaussian_pair(request, pair);
		return;
	}
	if (request->convex.noise != CONVEX_GAUSSIAN || pair->delta == 0)
		return;
	pair->kind = terms->sampling == DESCENT_POISSON && request->adjacency == ADJACENCY_ADD_REMOVE
					 ? PAIR_SAMPLED
					 : PAIR_BATCHES;
	pair->count = terms->iterations;
	pair->rate = fmin(1, PAIR_ROUNDED_UP * (double) terms->batch / (double) terms->rows);
	pair->noise =
		descent_noise(terms, privacy_epsilon(request->epsilon),
					  privacy_delta(request->convex.delta), request->adjacency, request->pause) /
		PAIR_ROUNDED_UP;
}

static bool
searches(const MechanismRequest *request)
{
	return request->descent.sampling != DESCENT_FULL;
}

/*
 * Source: rule U19.  All steps pull a weight by at most so much of each row's share, and their
 * noise adds up in squares.
 */
static double
useless_rows(const MechanismRequest *request, const Encoding *encoding)
{
	const DescentTerms *terms = &request->descent;
	double share =
		terms->sampling == DESCENT_FULL ? 1 : (double) terms->batch / (double) terms->rows;

	(void) encoding;
	return gradient_noise(request) * request->convex.radius /
		   (convex_pull(&request->convex) * share * sqrt(terms->iterations));
}

/* The mechanism has no error(): the distance of the answer from the minimum is not bounded. */
static void
describe(const MechanismRequest *request, Facts *facts)
{
	const DescentTerms *terms = &request->descent;
	double radius = request->convex.radius;

	convex_describe(request, facts);
	convex_describe_noise(request, facts);
	facts_text(facts, "sampling", descent_sampling_names[terms->sampling]);
	facts_integer(facts, "iterations", terms->iterations);
	if (terms->sampling != DESCENT_FULL)
	{
		facts_integer(facts, "batch", terms->batch);
		facts_integer(facts, "n", terms->rows);
	}
	if (request->convex.classes > 0)
		facts_number(facts, "gradient_length", descent_longest(&request->convex) * radius,
					 FACT_EXACT);
	facts_number(facts, "step", terms->step / radius, FACT_EXACT);
	facts_number(facts, "norm", terms->norm / radius, FACT_EXACT);
	facts_number(facts, "gradient_noise", gradient_noise(request) * radius, FACT_EXACT);
}

const Mechanism mechanism_sgd = {
	.name = "sgd",
	.options = {"norm", "sampling", "batch", "iterations", "step"},
	.default_lambda = LAMBDA_MIN, /* the least that there is: its noise needs none */
	/*
	 * the noise shrinks with the radius, and clipping the longest rows loses little
	 * (bench/accuracy)
	 */
	.clip_share = 0.75,
	.convex = true,
	.terms = TERMS_DESCENT,
	.streams = true,
	.passes = true,
	.admit = admit,
	.release = release,
	.pair = set_pair,
	.searches = searches,
	.describe = describe,
	.useless_rows = useless_rows,
};
