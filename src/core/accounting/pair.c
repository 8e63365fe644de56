/*
 * pair.c - the pair of laws of a request, from its public parameters.
 *
 * All numbers err on the side of a larger loss: ROUNDED_UP is more than the few operations in
 * doubles lose that they are made of.
 */
#include "core/accounting/pair.h"

#include <math.h>

#include "core/accounting/accounting.h"
#include "core/noise/calibration.h"
#include "core/convex/convex_loss.h"
#include "core/mechanisms/convex_release.h"
#include "core/convex/descent.h"
#include "core/base/names.h"
#include "core/simplex/simplex_scale.h"

#define ROUNDED_UP (1 + 1e-9)

static const char *const names[PAIR_KINDS] = {
	[PAIR_NONE] = "none",          [PAIR_PURE] = "pure",
	[PAIR_APPROXIMATE] = "approx", [PAIR_RANGE] = "br",
	[PAIR_GAUSSIAN] = "gauss",     [PAIR_SAMPLED] = "sgm",
	[PAIR_BATCHES] = "batches",    [PAIR_OBJECTIVE] = "glm-objpert",
	[PAIR_CONCENTRATED] = "zcdp",
};

const char *
pair_name(PairKind kind)
{
	return names[kind];
}

PairKind
pair_kind(const char *name)
{
	return (PairKind) names_find(names, PAIR_KINDS, name);
}

/* ---- convex mechanisms with Gaussian noise ---- */

/*
 * Calibrated noise has sigma >= sensitivity sigma_G(epsilon, delta), so that mu <= 1 / sigma_G;
 * full-batch descent likewise for all its steps together (theorems V2 and D1).
 */
static void
set_gaussian(const MechanismRequest *request, Pair *pair)
{
	pair->kind = PAIR_GAUSSIAN;
	pair->mu = ROUNDED_UP / calibration_gaussian_sigma(privacy_epsilon(request->epsilon),
													   privacy_delta(request->convex.delta));
}

/*
 * mu = g / sigma and ln(1 + beta / lambda) for the objective, epsilon / 256 for the noise that
 * hides how near to its minimum the answer is (theorems V4 and V8).
 */
static void
set_objective(const MechanismRequest *request, Pair *pair)
{
	ConvexScale scale;
	int64_t least;

	if (convex_request_scale(CONVEX_OBJECTIVE, request, &scale, &least) != CONVEX_FITS)
		return;
	pair->kind = PAIR_OBJECTIVE;
	pair->mu = ROUNDED_UP * privacy_margin(request->adjacency) / scale.inner;
	pair->ratio = ROUNDED_UP * loss_curvature(request->convex.loss) * (double) LAMBDA_ONE /
				  (double) request->convex.lambda;
	pair->outer = ROUNDED_UP * convex_outer_epsilon(privacy_epsilon(request->epsilon));
}

/* Poisson samples where a row comes or goes have a law of their own; else see rdp_replace(). */
static void
set_batches(const MechanismRequest *request, Pair *pair)
{
	const DescentTerms *terms = &request->descent;

	pair->kind = terms->sampling == DESCENT_POISSON && request->adjacency == ADJACENCY_ADD_REMOVE
					 ? PAIR_SAMPLED
					 : PAIR_BATCHES;
	pair->count = terms->iterations;
	pair->rate = fmin(1, ROUNDED_UP * (double) terms->batch / (double) terms->rows);
	pair->noise =
		descent_noise(terms, privacy_epsilon(request->epsilon),
					  privacy_delta(request->convex.delta), request->adjacency, request->pause) /
		ROUNDED_UP;
}

static void
set_convex(const MechanismRequest *request, Pair *pair)
{
	if (request->convex.noise != CONVEX_GAUSSIAN)
		return;
	if (request->kind == MECHANISM_OUTPUT ||
		(request->kind == MECHANISM_SGD && request->descent.sampling == DESCENT_FULL))
		set_gaussian(request, pair);
	else if (request->kind == MECHANISM_OBJECTIVE)
		set_objective(request, pair);
	else if (request->kind == MECHANISM_SGD)
		set_batches(request, pair);
}

/* ---- draws from a simplex ---- */

/*
 * m draws of a bounded range are m epsilon_0^2 / 8-zCDP given which rows are left out, and
 * a mixture is no worse: Renyi divergences are quasi-convex (theorems S4 and A3).
 */
static void
set_simplex(const MechanismRequest *request, Pair *pair)
{
	bool pure;
	int64_t draws = simplex_request_draws(request, &pure);
	double range = simplex_draw_epsilon(&request->simplex);

	pair->kind = PAIR_CONCENTRATED;
	pair->rho = ROUNDED_UP * (double) draws * range * range / 8;
}

/* ---- all ---- */

/* rows rows of one person: losses grow with them, concentrated ones with their square. */
static void
widen(Pair *pair, int64_t rows)
{
	if (rows <= 1)
		return;
	pair->mu *= (double) rows;
	pair->rho *= (double) rows * (double) rows;
	/* of the others nothing is said but what is claimed */
	if (pair->kind == PAIR_SAMPLED || pair->kind == PAIR_BATCHES || pair->kind == PAIR_OBJECTIVE)
		pair->kind = PAIR_APPROXIMATE;
}

Pair
pair_of_request(const MechanismRequest *request, int64_t epsilon, int64_t delta,
				int64_t rows_per_person)
{
	Pair pair = {.kind = delta > 0 ? PAIR_APPROXIMATE : PAIR_PURE,
				 .epsilon = epsilon,
				 .delta = delta,
				 .count = 1};

	if (mechanism_proof(request) == PROOF_UNPROVEN)
		pair.kind = PAIR_NONE;
	else if (request->kind == MECHANISM_SIMPLEX)
		set_simplex(request, &pair);
	else if (mechanism_get(request->kind)->bounded_range)
		pair.kind = PAIR_RANGE;
	else if (mechanism_get(request->kind)->convex && delta > 0)
		set_convex(request, &pair);
	widen(&pair, rows_per_person);
	return pair;
}

Pair
pair_of_group(const Pair *pair, int64_t rows)
{
	Pair group = *pair;

	group.epsilon = MUTANT(147) ? pair->epsilon : rows * pair->epsilon;
	group.delta = accounting_group_delta(pair->epsilon, pair->delta, rows);
	widen(&group, rows);
	return group;
}
