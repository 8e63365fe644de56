/*
 * mechanism.c - the table of mechanisms.
 */
#include "core/mechanisms/mechanism.h"

#include <stddef.h>

const Mechanism *
mechanism_get(MechanismKind kind)
{
	static const Mechanism *const table[MECHANISM_KINDS] = {
		[MECHANISM_EXPONENTIAL] = &mechanism_exponential,
		[MECHANISM_PERMUTE_FLIP] = &mechanism_permute_flip,
		[MECHANISM_OPDISC] = &mechanism_opdisc,
		[MECHANISM_RSPM] = &mechanism_rspm,
		[MECHANISM_SAMPLE_AGGREGATE] = &mechanism_sample_aggregate,
		[MECHANISM_OUTPUT] = &mechanism_output,
		[MECHANISM_OBJECTIVE] = &mechanism_objective,
		[MECHANISM_SGD] = &mechanism_sgd,
		[MECHANISM_CONVEX_EXPONENTIAL] = &mechanism_convex_exponential,
		[MECHANISM_LOCALIZED] = &mechanism_localized,
		[MECHANISM_OPSAMP] = &mechanism_opsamp,
		[MECHANISM_SIMPLEX] = &mechanism_simplex,
	};

	return (unsigned) kind < MECHANISM_KINDS ? table[kind] : NULL;
}

bool
mechanism_perturbs(MechanismKind kind)
{
	return kind == MECHANISM_OPDISC || kind == MECHANISM_RSPM;
}

PerturbationRequest
mechanism_perturbation(const MechanismRequest *request)
{
	return (PerturbationRequest){
		.grid = &request->grid,
		.separators = request->kind == MECHANISM_RSPM,
		.noise = request->noise,
		.epsilon = request->epsilon,
		.delta = request->delta,
		.adjacency = request->adjacency,
	};
}

MechanismProof
mechanism_proof(const MechanismRequest *request)
{
	if (mechanism_perturbs(request->kind) && request->noise == PERTURBATION_PUBLISHED)
		return PROOF_UNPROVEN;
	return PROOF_EXACT;
}
