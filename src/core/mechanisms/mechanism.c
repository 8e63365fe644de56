/*
 * mechanism.c - the table of mechanisms.
 */
#include "core/mechanisms/mechanism.h"

#include <stddef.h>

#include "core/base/mutant.h"
#include "core/grid/prior.h"
#include "core/mechanisms/one_vs_rest.h"

const Mechanism *
mechanism_get(MechanismKind kind)
{
	static const Mechanism *const table[MECHANISM_KINDS] = {
#define ENTRY(upper, lower) [MECHANISM_##upper] = &mechanism_##lower,
		MECHANISMS(ENTRY)
#undef ENTRY
	};

	return (unsigned) kind < MECHANISM_KINDS ? table[kind] : NULL;
}

MechanismVerdict
mechanism_verdict(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	MechanismVerdict verdict = {.admitted = false};
	int dimension = request->grid.dimension;
	int copies; /* of the distinct rows in memory: of all, and of a class against the others */

	mechanism->admit(request, &verdict);
	copies = mechanism->streams ? 0 : request->one_vs_rest > 0 ? 2 : 1;
	verdict.usual_bytes += run_usual_bytes(&request->run, dimension, copies);
	verdict.bytes += run_bytes(&request->run, dimension, copies);
	if (copies > 0)
		verdict.holds = run_holds(&request->run, dimension, copies);
	verdict.admitted = verdict.admitted && one_vs_rest_is_valid(request) &&
					   dimension <= mechanism_most_dimension(mechanism);
	verdict.finishes = verdict.admitted && verdict.most <= request->run.longest &&
					   verdict.usual_bytes <= request->run.memory;
	if (request->one_vs_rest > 0)
	{
		verdict.expected *= request->one_vs_rest;
		verdict.most *= request->one_vs_rest;
	}
	return verdict;
}

void
mechanism_release(const MechanismRequest *request, const Instance *instance,
				  const MechanismTools *tools, MechanismAnswer *answer)
{
	if (request->one_vs_rest > 0)
		one_vs_rest_release(request, instance, tools, answer);
	else
		mechanism_get(request->kind)->release(request, instance, tools, answer);
}

bool
mechanism_passes(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	return mechanism != NULL && mechanism->passes &&
		   (mechanism->terms != TERMS_DESCENT || request->descent.sampling == DESCENT_FULL ||
			MUTANT(335));
}

bool
mechanism_perturbs(MechanismKind kind)
{
	const Mechanism *mechanism = mechanism_get(kind);

	return mechanism != NULL && mechanism->perturbs;
}

PerturbationRequest
mechanism_perturbation(const MechanismRequest *request)
{
	return (PerturbationRequest){
		.grid = &request->grid,
		.separators = mechanism_get(request->kind)->separators,
		.noise = request->noise,
		.epsilon = request->epsilon,
		.delta = request->delta,
		.adjacency = request->adjacency,
	};
}

void
mechanism_describe_prior(const MechanismRequest *request, Facts *facts)
{
	if (request->prior_power == 0)
	{
		facts_text(facts, "prior", "uniform");
		return;
	}
	facts_open(facts, "prior");
	facts_number(facts, "power", (double) request->prior_power / PRIOR_ONE, 6);
	facts_close(facts);
}

MechanismProof
mechanism_proof(const MechanismRequest *request)
{
	if (mechanism_perturbs(request->kind) && request->noise == PERTURBATION_PUBLISHED)
		return PROOF_UNPROVEN;
	return PROOF_EXACT;
}
