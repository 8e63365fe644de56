/*
 * guarantee.c - composed guarantees of lists of releases.
 *
 * The sums are of integers that were rounded up, so the order of the releases does not matter.
 */
#include "core/accounting/guarantee.h"

#include <string.h>

#include "core/accounting/accounting.h"
#include "core/accounting/composition.h"
#include "core/accounting/guarantee_laws.h"
#include "core/base/names.h"

static const char *const names[GUARANTEE_KINDS] = {
	[GUARANTEE_BASIC] = "basic", [GUARANTEE_ZCDP] = "zcdp",        [GUARANTEE_RDP] = "rdp",
	[GUARANTEE_OPTIMAL] = "kov", [GUARANTEE_DISTRIBUTION] = "pld",
};

static const char *const assumptions[GUARANTEE_KINDS] = {
	[GUARANTEE_BASIC] = "sums of epsilon and delta; below the caps of a budget also where each "
						"release was chosen after the last answer",
	[GUARANTEE_ZCDP] = "sum of rho, converted at delta; below the cap of a zcdp budget also where "
					   "each release was chosen after the last answer",
	[GUARANTEE_RDP] = "Renyi divergences at the order that suits these releases best; only if that "
					  "order, or all releases, were fixed beforehand",
	[GUARANTEE_OPTIMAL] = "optimal composition of equal claims; only if all were fixed beforehand",
	[GUARANTEE_DISTRIBUTION] = "privacy loss distributions; only if all were fixed beforehand",
};

const char *
guarantee_name(GuaranteeKind kind)
{
	return names[kind];
}

GuaranteeKind
guarantee_named(const char *name)
{
	return (GuaranteeKind) names_find(names, GUARANTEE_KINDS, name);
}

const char *
guarantee_assumes(GuaranteeKind kind)
{
	return assumptions[kind];
}

/* ---- sums ---- */

static LossUnit
unit_of(const CountedPair *counted, Adjacency neighbours)
{
	return counted->adjacency == neighbours || MUTANT(140) ? LOSS_AS_CLAIMED
														   : LOSS_OF_A_REPLACEMENT;
}

/* The claim for these neighbours; a replaced row is one removed and one added. */
static Pair
claim_for(const CountedPair *counted, Adjacency neighbours)
{
	return unit_of(counted, neighbours) == LOSS_AS_CLAIMED ? counted->pair
														   : pair_of_group(&counted->pair, 2);
}

/* The sums over all releases. */
typedef struct Sums
{
	int64_t releases;
	int64_t epsilon;
	int64_t delta;
	LossCost cost;
} Sums;

static void
add_up(const CountedPair *pair, int pairs, Adjacency neighbours, Pause pause, Sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	for (int k = 0; k < pairs; k++)
	{
		LossCost cost;
		int64_t times = pair[k].times;
		Pair claim = claim_for(&pair[k], neighbours);

		take_pause(pause);
		accounting_cost(&pair[k].pair, unit_of(&pair[k], neighbours), &cost);
		sums->releases = accounting_add(sums->releases, times, 1, INT64_MAX);
		sums->epsilon = accounting_add(sums->epsilon, times, claim.epsilon, INT64_MAX);
		sums->delta = accounting_add(sums->delta, times, claim.delta, DELTA_ONE);
		sums->cost.rho = accounting_add(sums->cost.rho, times, cost.rho, COST_MAX);
		sums->cost.rho_delta =
			accounting_add(sums->cost.rho_delta, times, cost.rho_delta, DELTA_ONE);
		sums->cost.rdp_delta =
			accounting_add(sums->cost.rdp_delta, times, cost.rdp_delta, DELTA_ONE);
		for (int i = 0; i < ACCOUNTING_ORDERS; i++)
			sums->cost.rdp[i] = accounting_add(sums->cost.rdp[i], times, cost.rdp[i], COST_MAX);
	}
}

/* ---- accountants ---- */

static Guarantee
basic(const Sums *sums)
{
	return (Guarantee){
		.known = sums->epsilon < INT64_MAX, .epsilon = sums->epsilon, .delta = sums->delta};
}

/* The part of delta left for the conversion; if the cost is 0, no conversion is needed. */
static bool
is_convertible(int64_t cost, int64_t rest)
{
	return cost == 0 ? rest >= 0 : cost < COST_MAX && rest > 0;
}

static Guarantee
zcdp(const LossCost *sum, int64_t delta)
{
	int64_t rest = MUTANT(141) ? delta : delta - sum->rho_delta;
	Guarantee guarantee = {.delta = delta};

	if (!is_convertible(sum->rho, rest))
		return guarantee;
	guarantee.epsilon = sum->rho == 0 ? 0 : accounting_zcdp_epsilon(sum->rho, rest);
	guarantee.known = guarantee.epsilon < INT64_MAX;
	return guarantee;
}

static Guarantee
rdp(const LossCost *sum, int64_t delta)
{
	int64_t rest = MUTANT(142) ? delta : delta - sum->rdp_delta;
	Guarantee guarantee = {.delta = delta, .epsilon = INT64_MAX};

	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
	{
		int64_t epsilon;

		if (!is_convertible(sum->rdp[i], rest))
			continue;
		epsilon =
			sum->rdp[i] == 0 ? 0 : accounting_rdp_epsilon(accounting_order[i], sum->rdp[i], rest);
		if (epsilon >= guarantee.epsilon)
			continue;
		guarantee.known = true;
		guarantee.epsilon = epsilon;
		guarantee.order = accounting_order[i];
	}
	return guarantee;
}

static bool
are_alike(const CountedPair *pair, int pairs, Adjacency neighbours)
{
	Pair first = claim_for(&pair[0], neighbours);

	for (int k = 1; k < pairs && !MUTANT(143); k++)
	{
		Pair claim = claim_for(&pair[k], neighbours);

		if (claim.epsilon != first.epsilon || claim.delta != first.delta)
			return false;
	}
	return true;
}

static Guarantee
optimal(const CountedPair *pair, int pairs, Adjacency neighbours, int64_t releases, int64_t delta,
		Pause pause)
{
	Guarantee guarantee = {.delta = delta, .known = pairs == 0};
	Pair claim;

	if (pairs == 0 || !are_alike(pair, pairs, neighbours))
		return guarantee;
	claim = claim_for(&pair[0], neighbours);
	guarantee.known = composition_optimal_epsilon(releases, claim.epsilon, claim.delta, delta,
												  pause, &guarantee.epsilon);
	return guarantee;
}

static Guarantee
distribution(const CountedPair *pair, int pairs, Adjacency neighbours, int64_t delta,
			 Memory *memory)
{
	Guarantee guarantee = {.delta = delta};
	CompositionPair *law =
		memory_allocate(memory, (size_t) GUARANTEE_LAWS * (size_t) pairs + 1, sizeof(*law));
	int laws = 0;
	int64_t left = delta;

	for (int k = 0; k < pairs; k++)
		laws += guarantee_laws_of(&pair[k], neighbours, &law[laws]);
	laws = guarantee_few_laws(law, laws, &left, memory);
	if (laws >= 0 && left >= 0)
		guarantee.known =
			composition_epsilon(law, laws, neighbours, left, memory, &guarantee.epsilon);
	memory_release(memory, law);
	return guarantee;
}

/* A pair about replacements gives no guarantee for a row that comes or goes. */
static bool
are_convertible(const CountedPair *pair, int pairs, Adjacency neighbours)
{
	for (int k = 0; k < pairs; k++)
		if (pair[k].adjacency == ADJACENCY_REPLACE && neighbours == ADJACENCY_ADD_REMOVE)
			return false;
	return true;
}

Guarantee
guarantee_composed(const CountedPair *pair, int pairs, Adjacency neighbours, GuaranteeKind kind,
				   int64_t delta, Memory *memory)
{
	Sums sums;

	if (!are_convertible(pair, pairs, neighbours))
		return (Guarantee){.delta = delta};
	if (kind == GUARANTEE_DISTRIBUTION)
		return distribution(pair, pairs, neighbours, delta, memory);
	add_up(pair, pairs, neighbours, memory->pause, &sums);
	switch (kind)
	{
		case GUARANTEE_BASIC:
			return basic(&sums);
		case GUARANTEE_ZCDP:
			return zcdp(&sums.cost, delta);
		case GUARANTEE_RDP:
			return rdp(&sums.cost, delta);
		default:
			return optimal(pair, pairs, neighbours, sums.releases, delta, memory->pause);
	}
}
