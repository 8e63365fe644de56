/*
 * mech_opdisc.c - OPDisc of Neel, Roth, Vietri and Wu with gauge noise.
 *
 * Objective perturbation over a finite grid: release the argmin of
 * N * L(w) - <r, phi(w)>, with r from the lattice gauge of the grid and ties
 * broken by the public order.  Exactly epsilon-DP (PRIVACY.md 1.2, 1.4, 1.6)
 * because the oracle certifies its answer.  The Gaussian noise of the paper is
 * not proved private (PRIVACY.md 1.1) and is not this.
 */
#include "core/mechanism.h"

#include <gmp.h>

#include "core/gauge.h"
#include "core/mutant.h"
#include "core/oracle.h"

/* The search has no bound from public parameters; unlimited mode (PRIVACY.md 3, T4). */
static void
admit(const MechanismRequest *request, MechanismVerdict *verdict)
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

static void
release(const MechanismRequest *request, const Instance *instance, const MechanismTools *tools,
		MechanismAnswer *answer)
{
	Memory *memory = tools->memory;
	int rewards = request->grid.dimension * GRID_MAX_LEVELS;
	mpz_t *reward = memory_allocate(memory, (size_t) rewards, sizeof(mpz_t));
	Gauge gauge;
	OracleProblem problem;
	OracleAnswer optimum;
	Listener listener;

	for (int i = 0; i < rewards; i++)
		mpz_init(reward[i]);
	gauge_choose(&gauge, &request->grid, request->epsilon, request->adjacency);
	if (MUTANT(9))
		gauge.scale <<= instance->rows % 2;
	gauge_draw(&gauge, &request->grid, tools->bits, memory, reward);

	listener = (Listener){tools, gauge.scale};
	problem = (OracleProblem){
		.instance = instance,
		.grid = &request->grid,
		.scale = gauge.scale,
		.reward = (const mpz_t *) reward,
		.threads = request->threads,
		.progress = tools->progress != NULL ? tell : NULL,
		.progress_context = &listener,
	};
	tools->oracle(&problem, memory, &optimum);

	for (int j = 0; j < request->grid.dimension; j++)
		answer->index[j] = optimum.index[j];
	answer->loss = optimum.loss;
	answer->nodes = optimum.nodes;
	for (int i = 0; i < rewards; i++)
		mpz_clear(reward[i]);
	memory_release(memory, reward);
}

const Mechanism mechanism_opdisc = {
	.name = "opdisc",
	.bounded_range = false,
	.admit = admit,
	.release = release,
};
