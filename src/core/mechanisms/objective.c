/*
 * objective.c - perturb, optimise, release: what OPDisc and RSPM have in common.
 */
#include "core/mechanisms/objective.h"

#include <gmp.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/optimum/oracle.h"
#include "core/noise/perturbation.h"

/* The search has no bound from public parameters; unlimited mode (rule F4). */
void
objective_admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	(void) request;
	verdict->cost = 0;
	verdict->limit = 0;
	verdict->admitted = true;
	verdict->finishes = false;
}

/* The oracle's progress in the words of a mechanism's. */
typedef struct Listener
{
	const MechanismTools *tools;
	uint64_t scale;
} Listener;

static void
tell(void *context, const OracleProgress *progress)
{
	const Listener *listener = context;

	listener->tools->progress(listener->tools->progress_context,
							  &(MechanismProgress){
								  .nodes = progress->nodes,
								  .bound = progress->bound,
								  .incumbent = progress->incumbent,
								  .scale = listener->scale,
							  });
}

void
objective_release(const MechanismRequest *request, const Instance *instance,
				  const MechanismTools *tools, MechanismAnswer *answer)
{
	Memory *memory = tools->memory;
	size_t rewards = (size_t) request->grid.dimension * GRID_MAX_LEVELS;
	mpz_t *reward = integers_create(rewards, memory);
	mpz_t *level_reward = integers_create(GRID_MAX_STATES, memory);
	PerturbationRequest asked = mechanism_perturbation(request);
	Perturbation perturbation;
	Grid grid;
	OracleProblem problem;
	OracleAnswer optimum;
	Listener listener;

	perturbation_choose(&perturbation, &asked);
	if (MUTANT(9))
		perturbation.scale = perturbation.gauge.scale <<= instance->rows % 2;
	perturbation_grid(&perturbation, &request->grid, &grid);
	perturbation_draw(&perturbation, &request->grid, tools->bits, memory, reward, level_reward);

	listener = (Listener){tools, perturbation.scale};
	problem = (OracleProblem){
		.instance = instance,
		.grid = &grid,
		.scale = perturbation.scale,
		.reward = (const mpz_t *) reward,
		.level_reward =
			perturbation.features == FEATURES_SPHERE ? (const mpz_t *) level_reward : NULL,
		.threads = request->threads,
		.progress = tools->progress != NULL ? tell : NULL,
		.progress_context = &listener,
	};
	tools->oracle(&problem, memory, &optimum);

	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = optimum.index[j];
	answer->loss = optimum.loss;
	answer->nodes = optimum.nodes;
	integers_destroy(level_reward, GRID_MAX_STATES, memory);
	integers_destroy(reward, rewards, memory);
}
