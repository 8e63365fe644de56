/*
 * mech_sgd.c - noisy gradient descent with averaged iterates (Bassily, Smith and Thakurta
 * 2014; Abadi and others 2016; theorems D1 to D3).
 */
#include <math.h>
#include <stdlib.h>

#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/descent_run.h"
#include "core/mechanisms/mechanism.h"

static double
noise_of(const MechanismRequest *request)
{
	if (!descent_terms_valid(&request->descent, &request->convex))
		return 0;
	return descent_noise(&request->descent, privacy_epsilon(request->epsilon),
						 privacy_delta(request->convex.delta), request->adjacency, request->pause);
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	verdict->cost = 0;
	verdict->limit = 0;
	verdict->admitted = noise_of(request) > 0;
	verdict->finishes = true; /* the number of iterations is given */
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	double noise = noise_of(request);

	if (!(noise > 0))
		abort(); /* the server has admitted it */
	descent_run(request, noise, instance, tools, answer);
}

/* Poisson samples where a row comes or goes have a law of their own; else see rdp_replace(). */
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

const Mechanism mechanism_sgd = {
	.name = "sgd",
	.bounded_range = false,
	.convex = true,
	.descends = true,
	.streams = true,
	.admit = admit,
	.release = release,
	.pair = set_pair,
};
