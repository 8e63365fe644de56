/*
 * one_vs_rest.c - the same release once for each class, on other labels.
 */
#include "core/mechanisms/one_vs_rest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/rows/rows.h"

bool
one_vs_rest_is_valid(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	return request->one_vs_rest == 0 ||
		   (request->one_vs_rest >= 2 && request->one_vs_rest <= INSTANCE_MAX_CLASSES &&
			!mechanism->convex && !mechanism->targets &&
			request->one_vs_rest * request->grid.dimension <= WEIGHTS_MAX);
}

static void
release_one(const MechanismRequest *request, const Instance *classes, int class,
			const MechanismTools *tools, MechanismAnswer *answer)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	MechanismRequest one = *request;
	MechanismAnswer own = {0};
	Instance instance;

	one.one_vs_rest = 0;
	rows_relabel(classes, MUTANT(274) ? 0 : class, mechanism->every_row, tools->memory, &instance);
	mechanism->release(&one, &instance, tools, &own);
	memory_release(tools->memory, (void *) instance.x);
	memory_release(tools->memory, (void *) instance.net);
	memcpy(answer->index + class * one.grid.dimension, own.index,
		   (size_t) one.grid.dimension * sizeof(own.index[0]));
	answer->loss += own.loss;
	answer->nodes += own.nodes;
}

void
one_vs_rest_release(const MechanismRequest *request, const Instance *instance,
					const MechanismTools *tools, MechanismAnswer *answer)
{
	if (!one_vs_rest_is_valid(request) || instance->dimension != request->grid.dimension + 1)
		abort(); /* the server has admitted it */
	answer->loss = 0;
	answer->nodes = 0;
	for (int class = 0; class < request->one_vs_rest; class ++)
		release_one(request, instance, class, tools, answer);
}

/*
 * Source: theorems A1, A3 and A4.  K releases of bounded range epsilon are K epsilon^2 / 8-zCDP, K
 * that are epsilon-DP are K epsilon^2 / 2-zCDP; of others only the claim is known.
 */
void
one_vs_rest_pair(const MechanismRequest *request, Pair *pair)
{
	double epsilon = privacy_epsilon(request->epsilon);
	double one = epsilon * epsilon / (pair->kind == PAIR_RANGE ? 8 : 2);

	if (request->one_vs_rest == 0)
		return;
	if (pair->kind == PAIR_RANGE || pair->kind == PAIR_PURE)
	{
		pair->kind = PAIR_CONCENTRATED;
		pair->rho = PAIR_ROUNDED_UP * (MUTANT(275) ? 1 : request->one_vs_rest) * one;
	}
	else if (pair->kind != PAIR_NONE)
		pair->kind = PAIR_APPROXIMATE;
}
