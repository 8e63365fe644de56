/* objective.c - perturb, optimise, release: what OPDisc and RSPM share. */
#include "core/mechanisms/objective.h"

#include <math.h>
#include <gmp.h>

#include "core/base/integers.h"
#include "core/base/mutant.h"
#include "core/optimum/oracle.h"
#include "core/noise/perturbation.h"

/* The search usually ends after a few thousand nodes, but no public number bounds it (rule F4). */
void
objective_admit(const MechanismRequest *request, MechanismVerdict *verdict)
{
	(void) request;
	verdict->admitted = true;
	verdict->expected = verdict->most = INFINITY;
}

/* Passes the progress of the oracle on. */
typedef struct Listener
{
	const MechanismTools *tools;
	uint64_t scale;
} Listener;

static void
report(void *context, const OracleProgress *progress)
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
		.progress = tools->progress != NULL ? report : NULL,
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

/* ---- what is public about the noise ---- */

static void
describe_lattice(const MechanismRequest *request, const Perturbation *perturbation, Facts *facts)
{
	static const char *const names[] = {[GAUGE_CUBE] = "cube",
										[GAUGE_ONEHOT] = "one-hot",
										[GAUGE_SPARSE] = "sparse",
										[GAUGE_LAPLACE] = "laplace",
										[GAUGE_SEPARATORS] = "separators",
										[GAUGE_SEPARATORS_LAPLACE] = "separators laplace"};

	facts_text(facts, "gauge", names[perturbation->gauge.kind]);
	facts_integer(facts, "N", (int64_t) perturbation->gauge.scale);
	facts_number(facts, "rate", gauge_rate_double(&perturbation->gauge, &request->grid),
				 FACT_EXACT);
}

/* Lengths are in misclassified rows for a weight of 1. */
static void
describe_real(const Perturbation *perturbation, Facts *facts)
{
	static const char *const features[] = {[FEATURES_LATTICE] = "lattice",
										   [FEATURES_LINEAR] = "linear",
										   [FEATURES_SPHERE] = "sphere",
										   [FEATURES_PARABOLOID] = "paraboloid",
										   [FEATURES_SEPARATORS] = "separators"};
	static const char *const bounds[] = {
		[CALIBRATION_CHI] = "chi", [CALIBRATION_UNION] = "union", [CALIBRATION_SIGNS] = "signs"};
	double scale = (double) perturbation->scale;

	facts_text(facts, "features", features[perturbation->features]);
	facts_integer(facts, "N", (int64_t) perturbation->scale);
	facts_integer(facts, "numbers", perturbation->dimension);
	facts_number(facts, perturbation_needs_delta(perturbation->noise) ? "sigma" : "radius_scale",
				 perturbation->spread / scale, FACT_EXACT);
	if (perturbation->noise != PERTURBATION_GAUSSIAN)
		return;
	facts_number(facts, "shift", perturbation->length / scale, FACT_EXACT);
	facts_text(facts, "bound", bounds[perturbation->bound]);
}

void
objective_describe(const MechanismRequest *request, Facts *facts)
{
	PerturbationRequest asked = mechanism_perturbation(request);
	Perturbation perturbation;

	perturbation_choose(&perturbation, &asked);
	facts_text(facts, "noise", perturbation_noise_name(request->noise));
	if (perturbation.features == FEATURES_LATTICE)
		describe_lattice(request, &perturbation, facts);
	else
		describe_real(&perturbation, facts);
}
