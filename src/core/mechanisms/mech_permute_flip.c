/*
 * mech_permute_flip.c - permute-and-flip (McKenna and Sheldon 2020), exactly.
 *
 * Visit W in random order and accept w with probability
 * exp(-epsilon (L(w) - L_min) / M), M the margin of the 0/1 loss (theorem
 * E2).  Pure epsilon-DP; its expected loss never exceeds the exponential
 * mechanism's at the same epsilon, but it is not bounded-range (theorem A3).
 */
#include "core/mechanisms/mechanism.h"

/*
 * Vectors of W.  No group is summed out, because the law needs the number of
 * vectors at every loss, and the visits may be as many as the vectors.
 */
#define ENUMERATION_LIMIT UINT64_C(20000000)

static const SelectGroup no_group = {0, 0};

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	verdict->cost = select_cost(&request->grid, no_group);
	verdict->limit = ENUMERATION_LIMIT;
	verdict->admitted = verdict->finishes = verdict->cost <= verdict->limit;
}

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	SelectProblem problem = {
		.instance = instance,
		.grid = &request->grid,
		.group = no_group,
		.epsilon = request->epsilon,
		.adjacency = request->adjacency,
		.threads = request->threads,
	};
	SelectAnswer selected;

	select_permute_and_flip(&problem, tools->bits, tools->memory, &selected);
	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = selected.index[j];
	answer->loss = selected.loss;
	answer->nodes = 0;
}

const Mechanism mechanism_permute_flip = {
	.name = "permute_flip",
	.bounded_range = false,
	.admit = admit,
	.release = release,
};
