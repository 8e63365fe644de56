/*
 * pair.c - the pair of laws of a request, from its public parameters.
 */
#include "core/accounting/pair.h"

#include "core/accounting/accounting.h"
#include "core/base/mutant.h"
#include "core/base/names.h"
#include "core/mechanisms/one_vs_rest.h"

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

/* For so many rows that change at once: losses grow with their number, rho with its square. */
static void
widen(Pair *pair, int64_t rows)
{
	if (rows <= 1)
		return;
	pair->mu *= (double) rows;
	pair->rho *= (double) rows * (double) rows;
	/* for these kinds only the claim is known */
	if (pair->kind == PAIR_SAMPLED || pair->kind == PAIR_BATCHES || pair->kind == PAIR_OBJECTIVE)
		pair->kind = PAIR_APPROXIMATE;
}

Pair
pair_of_request(const MechanismRequest *request, int64_t epsilon, int64_t delta,
				int64_t rows_per_person)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	Pair pair = {.kind = delta > 0 ? PAIR_APPROXIMATE : PAIR_PURE,
				 .epsilon = epsilon,
				 .delta = delta,
				 .count = 1};

	if (mechanism_proof(request) == PROOF_UNPROVEN)
		pair.kind = PAIR_NONE;
	else if (mechanism->bounded_range)
		pair.kind = PAIR_RANGE;
	else if (mechanism->pair != NULL)
		mechanism->pair(request, &pair);
	one_vs_rest_pair(request, &pair);
	widen(&pair, rows_per_person);
	return pair;
}

Pair
pair_of_group(const Pair *pair, int64_t rows)
{
	Pair group = *pair;

	group.epsilon = MUTANT(147) ? pair->epsilon : rows * pair->epsilon;
	group.pure = rows * pair->pure;
	group.delta = accounting_group_delta(pair->epsilon, pair->delta, rows);
	widen(&group, rows);
	return group;
}

Pair
pair_with_pure(const Pair *pair, int64_t epsilon)
{
	Pair both = *pair;

	both.epsilon += MUTANT(255) ? 0 : epsilon;
	both.pure += epsilon;
	return both;
}
