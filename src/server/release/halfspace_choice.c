/*
 * halfspace_choice.c - mechanism and noise of a halfspace over a grid, settled from public
 * parameters.
 */
#include "server/release/halfspace_choice.h"

#include "core/noise/perturbation.h"

#include "server/base/dpobj.h"

/* Rule U14: beyond these, convex models are the better choice. */
#define AUTO_OPDISC_MAX_DIMENSION 50
#define AUTO_OPDISC_MAX_N_EPSILON 1e4

/* ---- mechanism ---- */

static bool
admitted(Training *training, MechanismKind kind, MechanismVerdict *verdict)
{
	training->request.kind = kind;
	mechanism_get(kind)->admit(&training->request, verdict);
	return verdict->admitted && (verdict->finishes || !training->by_analyst);
}

static char *
count_text(uint64 count)
{
	return count == PG_UINT64_MAX ? pstrdup("more than 1.8e19") : psprintf(UINT64_FORMAT, count);
}

static void
refuse_unfinished(const Training *training, const MechanismVerdict *verdict)
{
	const char *bound = verdict->cost == 0
							? "its run has no bound"
							: psprintf("it would enumerate %s configurations, the limit is %s",
									   count_text(verdict->cost), count_text(verdict->limit));

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("mechanism \"%s\" is not sure to finish on this grid",
					mechanism_get(training->request.kind)->name),
			 errdetail("The grid has 2^%.0f vectors and %s; here the end of a run must follow from "
					   "public parameters.",
					   grid_log2_size(&training->request.grid), bound),
			 verdict->cost == 0
				 ? errhint("Use mechanism \"exponential\", \"permute_flip\" or "
						   "\"sample_aggregate\".")
				 : errhint("Choose fewer features, a smaller grid such as \"ternary\", \"sign\" "
						   "or {\"sparse\": 3}, or mechanism \"sample_aggregate\".")));
}

/* At either door: who asks for parts asks for a run that is sure to finish. */
static void
refuse_parts(const Training *training, const MechanismVerdict *verdict)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("mechanism \"sample_aggregate\" does not search so many nodes"),
					errdetail("%d parts would search " INT64_FORMAT
							  " nodes each; the limit for all of them is %s.",
							  training->request.parts, training->request.part_nodes,
							  count_text(verdict->limit)),
					errhint("Choose smaller \"parts\" or \"part_nodes\".")));
}

static void
refuse_mechanism(const Training *training, const MechanismVerdict *verdict)
{
	if (training->request.kind == MECHANISM_SAMPLE_AGGREGATE)
		refuse_parts(training, verdict);
	if (training->by_analyst)
		refuse_unfinished(training, verdict);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the grid is too large for mechanism \"%s\"",
					mechanism_get(training->request.kind)->name),
			 errdetail("It would enumerate %s configurations; the limit is %s.",
					   count_text(verdict->cost), count_text(verdict->limit)),
			 errhint("Use mechanism \"exponential\" or \"opdisc\", or a smaller grid such as "
					 "\"sign\" or {\"sparse\": 3}.")));
}

/*
 * Rule U14, from public parameters only.  The exponential
 * mechanism's sampler always ends, but only a grid of moderate size ends soon: with few
 * numeric columns in seconds.
 */
static void
choose_automatically(Training *training)
{
	const Grid *grid = &training->request.grid;
	MechanismVerdict verdict;
	double epsilon = (double) training->cost.epsilon / EPSILON_ONE;

	if (!admitted(training, MECHANISM_EXPONENTIAL, &verdict))
		refuse_mechanism(training, &verdict);
	if (verdict.finishes || grid_log2_size(grid) <= GRID_USUAL_LOG2)
		return;
	if (grid->dimension > AUTO_OPDISC_MAX_DIMENSION ||
		(double) training->options.n * epsilon > AUTO_OPDISC_MAX_N_EPSILON)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("no mechanism for halfspaces suits this request"),
			 errdetail("The grid has 2^%.0f vectors, and the exponential mechanism is chosen up "
					   "to 2^%d or when it enumerates at most %s configurations; beyond %d "
					   "features or n * epsilon = %g a convex model is more accurate than "
					   "opdisc.",
					   grid_log2_size(grid), GRID_USUAL_LOG2, count_text(verdict.limit),
					   AUTO_OPDISC_MAX_DIMENSION, AUTO_OPDISC_MAX_N_EPSILON),
			 errhint("Choose a smaller grid such as {\"sparse\": 4}, or name mechanism "
					 "\"exponential\" or \"opdisc\".")));
	(void) admitted(training, MECHANISM_OPDISC, &verdict);
}

/*
 * The solver is who finds an optimum: a mechanism that samples has none to find, and the
 * parts of sample_aggregate stop after a number of nodes that others do not count.
 */
static void
check_solver(const Training *training)
{
	if (training->options.solver == SOLVER_AUTO || mechanism_perturbs(training->request.kind))
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"solver\" is not for mechanism \"%s\"",
						   mechanism_get(training->request.kind)->name),
					training->request.kind == MECHANISM_SAMPLE_AGGREGATE
						? errdetail("Its parts are searched by the native solver.")
						: errdetail("That mechanism draws from the grid and solves no programme."),
					errhint("Add \"mechanism\": \"opdisc\", or leave \"solver\" out.")));
}

/* ---- noise ---- */

/* The laws that perturb an objective, as they are called in options. */
static const NoiseChoice noise_choices[] = {
	[PERTURBATION_GAUGE] = NOISE_GAUGE,           [PERTURBATION_LAPLACE] = NOISE_LAPLACE,
	[PERTURBATION_SPHERICAL] = NOISE_SPHERICAL,   [PERTURBATION_GAUSSIAN] = NOISE_GAUSSIAN,
	[PERTURBATION_PARABOLOID] = NOISE_PARABOLOID, [PERTURBATION_PUBLISHED] = NOISE_PUBLISHED};

static PerturbationNoise
perturbation_noise(NoiseChoice choice)
{
	for (int i = 0; i < PERTURBATION_NOISES; i++)
		if (noise_choices[i] == choice)
			return (PerturbationNoise) i;
	return PERTURBATION_GAUGE; /* automatically */
}

/* The papers' scales are for comparison: an administrator must know what he allows. */
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

/*
 * The parts of sample_aggregate: as asked, or from grid, epsilon and the declared
 * number of rows.  Other mechanisms have none.
 */
static void
settle_parts(Training *training)
{
	const Options *options = &training->options;
	MechanismRequest *request = &training->request;

	if (options->mechanism == CHOOSE_SAMPLE_AGGREGATE)
	{
		request->parts = options->parts > 0
							 ? options->parts
							 : sample_aggregate_parts(&request->grid, request->epsilon, options->n);
		request->part_nodes =
			options->part_nodes > 0 ? options->part_nodes : SAMPLE_USUAL_PART_NODES;
	}
	else if (options->parts > 0 || options->part_nodes > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" is for mechanism \"sample_aggregate\" only",
							   options->parts > 0 ? "parts" : "part_nodes"),
						errhint("Add \"mechanism\": \"sample_aggregate\", or leave it out.")));
}

static void
settle_noise(Training *training)
{
	MechanismRequest *request = &training->request;
	const char *name;
	PerturbationRequest asked;
	const char *reason;

	request->noise = perturbation_noise(training->options.noise);
	name = noise_choice_name(noise_choices[request->noise]);
	check_unproven(training);
	if (!mechanism_perturbs(request->kind) && request->noise != PERTURBATION_GAUGE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"%s\" is not for mechanism \"%s\"", name,
							   mechanism_get(request->kind)->name),
						training->by_analyst
							? errhint("Leave \"noise\" out.")
							: errhint("Add \"mechanism\": \"opdisc\" or \"rspm\", or leave "
									  "\"noise\" out.")));
	asked = mechanism_perturbation(request);
	reason = mechanism_perturbs(request->kind) ? perturbation_refusal(&asked) : NULL;
	if (reason != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("noise \"%s\" does not go with this request", name),
						errdetail("%s", reason)));
	if (!perturbation_needs_delta(request->noise))
	{
		training->cost.delta_charged = 0; /* whatever was offered, none is spent */
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

static void
check_halfspace_choice(const Options *options)
{
	if (options->mechanism > CHOOSE_SAMPLE_AGGREGATE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mechanism \"%s\" is not for method \"halfspace\"",
							   mechanism_choice_name(options->mechanism)),
						errhint("Mechanisms are: auto, exponential, permute_flip, opdisc, rspm, "
								"sample_aggregate.")));
	if (options->noise == NOISE_GAMMA)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("noise \"%s\" is not for method \"halfspace\"",
					noise_choice_name(options->noise)),
			 errhint("Noises are: gauge, laplace, spherical, gaussian, paraboloid, published.")));
}

void
halfspace_choose(Training *training)
{
	static const MechanismKind kinds[] = {[CHOOSE_EXPONENTIAL] = MECHANISM_EXPONENTIAL,
										  [CHOOSE_PERMUTE_FLIP] = MECHANISM_PERMUTE_FLIP,
										  [CHOOSE_OPDISC] = MECHANISM_OPDISC,
										  [CHOOSE_RSPM] = MECHANISM_RSPM,

										  [CHOOSE_SAMPLE_AGGREGATE] = MECHANISM_SAMPLE_AGGREGATE};
	MechanismRequest *request = &training->request;
	MechanismVerdict verdict;

	check_halfspace_choice(&training->options);
	request->epsilon = training_row_epsilon(training);
	request->adjacency = training->options.adjacency;
	request->threads = dpobj_solver_threads;
	request->solver = training->options.solver;
	request->group =
		select_cheapest_group(&request->grid, training->options.group, training->options.groups);
	settle_parts(training);
	if (training->options.mechanism == CHOOSE_AUTO)
		choose_automatically(training);
	else if (!admitted(training, kinds[training->options.mechanism], &verdict))
		refuse_mechanism(training, &verdict);
	check_solver(training);
	settle_noise(training);
}

/* ---- for the ledger and the model ---- */

static void
append_lattice(StringInfo text, const Training *training, const Perturbation *perturbation)
{
	static const char *const names[] = {[GAUGE_CUBE] = "cube",
										[GAUGE_ONEHOT] = "one-hot",
										[GAUGE_SPARSE] = "sparse",
										[GAUGE_LAPLACE] = "laplace",
										[GAUGE_SEPARATORS] = "separators",
										[GAUGE_SEPARATORS_LAPLACE] = "separators laplace"};
	mpz_t p;
	mpz_t q;

	mpz_inits(p, q, NULL);
	gauge_rate(&perturbation->gauge, &training->request.grid, p, q);
	appendStringInfo(text, ", \"gauge\": \"%s\", \"N\": " UINT64_FORMAT ", \"rate\": %.17g",
					 names[perturbation->gauge.kind], perturbation->gauge.scale,
					 mpz_get_d(p) / mpz_get_d(q));
	mpz_clears(p, q, NULL);
}

/* Lengths are in misclassified rows for a weight of 1. */
static void
append_real(StringInfo text, const Perturbation *perturbation)
{
	static const char *const features[] = {[FEATURES_LATTICE] = "lattice",
										   [FEATURES_LINEAR] = "linear",
										   [FEATURES_SPHERE] = "sphere",
										   [FEATURES_PARABOLOID] = "paraboloid",
										   [FEATURES_SEPARATORS] = "separators"};
	static const char *const bounds[] = {
		[CALIBRATION_CHI] = "chi", [CALIBRATION_UNION] = "union", [CALIBRATION_SIGNS] = "signs"};
	double scale = (double) perturbation->scale;

	appendStringInfo(text, ", \"features\": \"%s\", \"N\": " UINT64_FORMAT ", \"numbers\": %d",
					 features[perturbation->features], perturbation->scale,
					 perturbation->dimension);
	appendStringInfo(text, ", \"%s\": %.17g",
					 perturbation_needs_delta(perturbation->noise) ? "sigma" : "radius_scale",
					 perturbation->spread / scale);
	if (perturbation->noise == PERTURBATION_GAUSSIAN)
		appendStringInfo(text, ", \"shift\": %.17g, \"bound\": \"%s\"",
						 perturbation->length / scale, bounds[perturbation->bound]);
}

void
halfspace_append_terms(StringInfo text, const Training *training)
{
	PerturbationRequest asked = mechanism_perturbation(&training->request);
	Perturbation perturbation;

	if (training->request.kind == MECHANISM_SAMPLE_AGGREGATE)
		appendStringInfo(text, ", \"parts\": %d, \"part_nodes\": " INT64_FORMAT,
						 training->request.parts, training->request.part_nodes);
	if (!mechanism_perturbs(training->request.kind))
		return;
	perturbation_choose(&perturbation, &asked);
	appendStringInfo(text, ", \"noise\": \"%s\"",
					 noise_choice_name(noise_choices[training->request.noise]));
	if (perturbation.features == FEATURES_LATTICE)
		append_lattice(text, training, &perturbation);
	else
		append_real(text, &perturbation);
}
