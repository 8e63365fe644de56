/*
 * halfspace_choice.c - mechanism and noise of a halfspace over a grid, from public parameters.
 */
#include "server/release/halfspace_choice.h"

#include <math.h>

#include "core/grid/prior.h"
#include "core/noise/perturbation.h"

#include "server/base/dpobj.h"
#include "server/release/mechanism_choice.h"
#include "server/release/run_choice.h"

/* ---- mechanism ---- */

/* Sets the mechanism, and refuses a run that is not allowed. */
static void
take_mechanism(Training *training, MechanismKind kind)
{
	training->request.kind = kind;
	if (!run_may_last(training) && !run_verdict(training).is_allowed)
		run_refuse(training);
}

/*
 * Chooses by rule U14, from public parameters only: the exponential mechanism where it is sure to
 * end in time.  At the owner's door its sampler still ends in seconds on a grid of moderate size,
 * with few numeric columns.
 */
static void
choose_automatically(Training *training)
{
	const Grid *grid = &training->request.grid;

	take_mechanism(training, MECHANISM_EXPONENTIAL);
	if (!isinf(run_verdict(training).most) || grid_log2_size(grid) <= GRID_DEFAULT_LOG2)
		return;
	mechanism_check_options(&training->options, mechanism_get(MECHANISM_OPDISC));
	take_mechanism(training, MECHANISM_OPDISC);
}

/*
 * The prior of the options; by default uniform over the user's own grid, and over a dense grid that
 * was chosen automatically the default power, unless epsilon is so tiny that no sampler has it.
 */
static void
settle_prior(Training *training)
{
	MechanismRequest *request = &training->request;
	const Options *options = &training->options;
	int64 power = options_given(options, "prior")        ? options->prior_power
				  : training->widths.indicator.count > 0 ? GRID_DEFAULT_PRIOR
														 : 0;
	const char *reason = prior_refusal(&request->grid, power, request->epsilon, request->adjacency);

	if (reason != NULL && options_given(options, "prior"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"prior\" does not go with this request"),
						errdetail("%s", reason)));
	request->prior_power = reason == NULL ? power : 0;
}

/*
 * A solver finds an optimum.  A mechanism that samples has none to find, and the parts of
 * sample_aggregate stop after a number of nodes, which only the native solver counts.
 */
static void
check_solver(const Training *training)
{
	if (training->options.solver == SOLVER_AUTO || mechanism_perturbs(training->request.kind))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"solver\" is not for mechanism \"%s\"",
						   mechanism_get(training->request.kind)->name),
					mechanism_get(training->request.kind)->parts
						? errdetail("Its parts are searched by the native solver.")
						: errdetail("That mechanism draws from the grid and solves no programme."),
					errhint("Add \"mechanism\": \"opdisc\", or leave \"solver\" out.")));
}

/* ---- noise ---- */

static PerturbationNoise
perturbation_noise(NoiseChoice choice)
{
	for (int i = 0; i < PERTURBATION_NOISES; i++)
		if (strcmp(perturbation_noise_name((PerturbationNoise) i), noise_choice_name(choice)) == 0)
			return (PerturbationNoise) i;
	return PERTURBATION_GAUGE; /* NOISE_AUTO */
}

/* The papers' scales are not proved, so they are for comparisons that a superuser has allowed. */
static void
check_unproven(const Training *training)
{
	if (training->options.noise != NOISE_PUBLISHED)
		return;
	if (training->by_analyst)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"published\" cannot be used here"),
						errdetail("It is not proved to be private.")));
	if (!dpobj_allow_unproven)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("noise \"published\" is not proved to be private"),
				 errdetail("The theorem that it was published with is false; dpobj.allow_unproven "
						   "is off."),
				 errhint("Use noise \"gauge\", or let a superuser set dpobj.allow_unproven for a "
						 "comparison.")));
}

/* Sets parts by the options, or from grid, epsilon and the declared number of rows. */
static void
settle_parts(Training *training, const Mechanism *mechanism)
{
	const Options *options = &training->options;
	MechanismRequest *request = &training->request;
	MechanismRequest declared;

	if (!mechanism->parts)
		return;
	request->parts = options->parts > 0
						 ? options->parts
						 : sample_aggregate_parts(&request->grid, request->epsilon, options->n);
	declared = *request;
	declared.run = run_declared(training);
	request->part_nodes =
		options->part_nodes > 0 ? options->part_nodes : sample_aggregate_nodes(&declared);
}

static void
settle_noise(Training *training)
{
	MechanismRequest *request = &training->request;
	const char *name;
	PerturbationRequest asked;
	const char *reason;

	request->noise = perturbation_noise(training->options.noise);
	name = perturbation_noise_name(request->noise);
	check_unproven(training);
	if (!mechanism_perturbs(request->kind) && request->noise != PERTURBATION_GAUGE)
		mechanism_refuse_noise(&training->options, "mechanism", mechanism_get(request->kind)->name,
							   training->by_analyst ? "Leave \"noise\" out."
													: "Add \"mechanism\": \"opdisc\" or \"rspm\", "
													  "or leave \"noise\" out.");
	asked = mechanism_perturbation(request);
	reason = mechanism_perturbs(request->kind) ? perturbation_refusal(&asked) : NULL;
	if (reason != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"%s\" does not go with this request", name),
						errdetail("%s", reason)));
	if (!perturbation_needs_delta(request->noise))
	{
		training->cost.delta_charged = 0;
		return;
	}
	request->delta = training_row_delta(training);
	if (request->delta == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("noise \"%s\" needs a delta greater than zero", name),
			 training->cost.delta_charged > 0 ? errdetail("Delta counts in units of 1e-18.") : 0,
			 errhint("Noise \"gauge\" needs none.")));
}

void
halfspace_choose(Training *training)
{
	MechanismRequest *request = &training->request;
	const Options *options = &training->options;
	const Mechanism *mechanism = mechanism_choose(training->method, options);

	if (options->noise == NOISE_GAMMA || options->noise == NOISE_KNORM)
		mechanism_refuse_noise(
			options, "method", method_name(training->method),
			"Noises are: gauge, laplace, spherical, gaussian, paraboloid, published.");
	request->solver = options->solver;
	request->group = select_cheapest_group(&request->grid, options->group, options->groups);
	mechanism_check_options(options, mechanism);
	settle_prior(training);
	settle_parts(training, mechanism);
	if (options->mechanism == NULL)
		choose_automatically(training);
	else
		take_mechanism(training, mechanism_kind(mechanism));
	request->effort = run_of_grid(&request->run, &request->grid, request->group).effort;
	check_solver(training);
	settle_noise(training);
}
