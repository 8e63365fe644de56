/*
 * mech_exponential.c - the exponential mechanism, exactly.
 *
 * P(w) proportional to exp(-epsilon L(w) / M), M the margin of the 0/1 loss:
 * epsilon / 2 under replace; epsilon under add_remove, where all losses move the
 * same way (PRIVACY.md 1.5).  Pure epsilon-DP, and epsilon-bounded-range.
 */
#include "core/mechanism.h"

/*
 * Configurations that group elimination may enumerate: about ten seconds on two
 * cores at a few thousand distinct rows.  Fixed and public, so that a request
 * that is admitted always finishes (PRIVACY.md 3, T3).
 */
#define ENUMERATION_LIMIT UINT64_C(50000000)

static SelectProblem
problem_of(const MechanismRequest *request, const Instance *instance)
{
	return (SelectProblem){
		.instance = instance,
		.grid = &request->grid,
		.group = request->group,
		.epsilon = request->epsilon,
		.adjacency = request->adjacency,
		.threads = request->threads,
	};
}

static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	verdict->cost = select_cost(&request->grid, request->group);
	verdict->limit = ENUMERATION_LIMIT;
	verdict->admitted = verdict->cost <= verdict->limit;
}

static void
release(const MechanismRequest *request, const Instance *instance, Bits *bits, Memory *memory,
		MechanismAnswer *answer)
{
	SelectProblem problem = problem_of(request, instance);
	SelectAnswer selected;

	select_exponential(&problem, bits, memory, &selected);
	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = selected.index[j];
	answer->loss = selected.loss;
	answer->nodes = 0;
}

const Mechanism mechanism_exponential = {
	.name = "exponential",
	.bounded_range = true,
	.admit = admit,
	.release = release,
};
