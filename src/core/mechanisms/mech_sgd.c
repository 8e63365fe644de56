/*
 * mech_sgd.c - noisy gradient descent with averaged iterates (Bassily, Smith and Thakurta
 * 2014; Abadi and others 2016; theorems D1 to D3).
 */
#include <math.h>
#include <stdlib.h>

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

const Mechanism mechanism_sgd = {
	.name = "sgd",
	.bounded_range = false,
	.convex = true,
	.streams = true,
	.admit = admit,
	.release = release,
};
