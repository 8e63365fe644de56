/*
 * rest.c - the same release once for each class, on other labels.
 */
#include "core/mechanisms/rest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/rows/rows.h"

bool
rest_is_valid(const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);

	return request->rest == 0 ||
		   (request->rest >= 2 && request->rest <= INSTANCE_MAX_CLASSES && !mechanism->convex &&
			!mechanism->targets && request->rest * request->grid.dimension <= COLUMNS_MAX);
}

static void
release_one(const MechanismRequest *request, const Instance *classes, int class,
			const MechanismTools *tools, MechanismAnswer *answer)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	MechanismRequest one = *request;
	MechanismAnswer own = {0};
	Instance instance;

	one.rest = 0;
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
rest_release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
			 MechanismAnswer *answer)
{
	if (!rest_is_valid(request) || instance->dimension != request->grid.dimension + 1)
		abort(); /* the server has admitted it */
	answer->loss = 0;
	answer->nodes = 0;
	for (int class = 0; class < request->rest; class ++)
		release_one(request, instance, class, tools, answer);
}

/*
 * Source: theorems A1, A3 and A4.  K releases of bounded range epsilon are K epsilon^2 / 8-zCDP, K
 * that are epsilon-DP are K epsilon^2 / 2-zCDP; of others only the claim is known.
 */
void
rest_pair(const MechanismRequest *request, Pair *pair)
{
	double epsilon = privacy_epsilon(request->epsilon);
	double one = epsilon * epsilon / (pair->kind == PAIR_RANGE ? 8 : 2);

	if (request->rest == 0)
		return;
	if (pair->kind == PAIR_RANGE || pair->kind == PAIR_PURE)
	{
		pair->kind = PAIR_CONCENTRATED;
		pair->rho = PAIR_ROUNDED_UP * (MUTANT(275) ? 1 : request->rest) * one;
	}
	else if (pair->kind != PAIR_NONE)
		pair->kind = PAIR_APPROXIMATE;
}
