/*
 * mechanism.c - the table of mechanisms.
 */
#include "core/mechanisms/mechanism.h"

#include <stddef.h>

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

MechanismProof
mechanism_proof(const MechanismRequest *request)
{
	if (mechanism_perturbs(request->kind) && request->noise == PERTURBATION_PUBLISHED)
		return PROOF_UNPROVEN;
	return PROOF_EXACT;
}
