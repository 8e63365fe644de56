/*
 * mech_descent.c - noisy descent on clipped residuals, for labels (lemmas D8, D9, theorem D10): it
 * starts at the noisy base rate, and noisy counts of the columns scale its steps.
 */
#include <math.h>
#include <stdlib.h>

#include "core/mechanisms/convex_release.h"
#include "core/mechanisms/mechanism.h"
#include "core/mechanisms/residual_run.h"

/* Of one number of the noise. */
#define NOISE_SECONDS 18e-6

/* Of a product in the roots of the bins' covariances. */
#define ROOT_SECONDS 2e-9

/* The largest deviation whose rounded sums fit the intervals of a draw, in units of features. */
#define NOISE_MAX 0x1p50

/* False if a term is out of range. */
static bool
scale_of(const MechanismRequest *request, ResidualLayout *layout, ResidualScale *scale)
{
	const ConvexTerms *convex = &request->convex;

	if (!residual_terms_valid(convex, &request->residual, request->grid.dimension))
		return false;
	residual_layout_make(convex, &request->residual, request->grid.dimension, layout);
	*scale = residual_scale(layout, privacy_epsilon(request->epsilon), privacy_delta(convex->delta),
							request->adjacency);
	return scale->step <= NOISE_MAX && scale->labels <= NOISE_MAX && scale->counts <= NOISE_MAX;
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	double pass = run_pass_seconds(&request->run, request->grid.dimension, 1);
	ResidualLayout layout;
	ResidualScale scale;
	double products = 0;
	double entries = 0;

	verdict->admitted = scale_of(request, &layout, &scale);
	if (!verdict->admitted)
		return;
	for (int g = 0; g < layout.groups; g++)
	{
		products += pow(layout.group[g].ordered, 3);
		entries += pow(layout.group[g].ordered, 2);
	}
	verdict->expected =
		(RESIDUAL_STEPS + 1) * (pass + NOISE_SECONDS * layout.weights) + ROOT_SECONDS * products;
	verdict->most = 2.5 * verdict->expected;
	verdict->usual_bytes = 300.0 * layout.weights + sizeof(double) * entries;
	verdict->bytes = 2 * verdict->usual_bytes;
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	ResidualLayout layout;
	ResidualScale scale;

	if (!scale_of(request, &layout, &scale))
		abort(); /* the server has admitted it */
	residual_run(request, &scale, instance, tools, answer);
}

/* Source: rule U19.  A residual pulls by at most 1/2. */
static double
useless_rows(const MechanismRequest *request, const Encoding *encoding)
{
	ResidualLayout layout;
	ResidualScale scale;

	(void) encoding;
	return scale_of(request, &layout, &scale)
			   ? 2 * scale.slope * residual_reach(&layout, CLIP_EVEN, request->adjacency)
			   : 0;
}

/* The mechanism has no error(): how far a run ends from the minimum is not bounded. */
static void
describe(const MechanismRequest *request, Facts *facts)
{
	ResidualLayout layout;
	ResidualScale scale;
	int ordered = 0;

	convex_describe_noise(request, facts);
	if (!scale_of(request, &layout, &scale))
		return;
	facts_text(facts, "loss", "clipped_residuals");
	facts_integer(facts, "iterations", RESIDUAL_STEPS);
	for (int g = 0; g < layout.groups; g++)
		ordered += layout.group[g].ordered > 0;
	facts_integer(facts, "groups", layout.groups);
	facts_integer(facts, "ordered_groups", ordered);
	facts_number(facts, "number_length", sqrt(layout.square), FACT_EXACT);
	facts_number(facts, "gradient_noise",
				 scale.step * residual_reach(&layout, CLIP_EVEN, request->adjacency), FACT_EXACT);
	facts_number(facts, "label_noise", scale.labels, FACT_EXACT);
	facts_number(facts, "count_noise", scale.counts, FACT_EXACT);
}

const Mechanism mechanism_descent = {
	.name = "descent",
	.convex = true,
	.terms = TERMS_RESIDUAL,
	.default_lambda = LAMBDA_MIN, /* it has none */
	.streams = true,
	.passes = true,
	.admit = admit,
	.release = release,
	.pair = convex_gaussian_pair,
	.describe = describe,
	.useless_rows = useless_rows,
};
