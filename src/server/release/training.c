/*
 * training.c - from options to a mechanism request, without looking at a row.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "core/mechanisms/classifier.h"
#include "core/mechanisms/convex_usual.h"
#include "core/accounting/parallel.h"
#include "core/noise/perturbation.h"

#include "server/release/convex_choice.h"
#include "server/base/dpobj.h"
#include "server/release/grid_choice.h"
#include "server/rows/rows_state.h"
#include "server/release/simplex_choice.h"
#include "server/release/training.h"

/* Rule 2 of UTILITY.md: beyond these, convex models are the better choice. */
#define AUTO_OPDISC_MAX_DIMENSION 50
#define AUTO_OPDISC_MAX_N_EPSILON 1e4

/* ---- encoding ---- */

static int
grouped_features(const Options *options)
{
	int sum = 0;

	for (int g = 0; g < options->groups; g++)
		sum += options->group[g];
	return sum;
}

/*
 * A list with an entry for each feature gives the number of features.  Groups are the first
 * columns; numeric columns may lie beyond them.
 */
static int
declared_features(const Options *options)
{
	const FeatureNumbers *lists[] = {&options->center, &options->scale, &options->low};
	int features = grouped_features(options);

	if (options->dimension > 0)
		return options->dimension;
	for (int i = 0; i < lengthof(lists); i++)
		if (lists[i]->count > 1)
			return lists[i]->count;
	for (int i = 0; features > 0 && i < options->numeric_count; i++)
		features = Max(features, options->numeric[i]);
	return features;
}

/* One number for all goes to every feature that there may be; a list must fit. */
static void
spread(const FeatureNumbers *numbers, const char *name, int features, double *value)
{
	if (numbers->count > 1 && numbers->count != features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" has %d entries for %d features", name, numbers->count,
							   features)));
	for (int j = 0; j < numbers->count; j++)
		value[j] = numbers->value[j];
	for (int j = 1; numbers->count == 1 && j < GRID_MAX_DIMENSION; j++)
		value[j] = numbers->value[0];
}

/* With an open number of features (0) only numbers for all can be spread. */
static void
spread_all(const Options *options, int features, Encoding *encoding)
{
	spread(&options->center, "center", features, encoding->center);
	spread(&options->scale, "scale", features, encoding->scale);
	spread(&options->low, "clip", features, encoding->low);
	spread(&options->high, "clip", features, encoding->high);
}

/* A target is the first column of a row, so that it has its place before the others are known. */
static int
target_columns(const Training *training)
{
	return training->method == METHOD_SIMPLEX ? 1 : 0;
}

static void
put_target(const Options *options, Encoding *encoding)
{
	size_t bytes = (GRID_MAX_DIMENSION - 1) * sizeof(double);

	memmove(encoding->center + 1, encoding->center, bytes);
	memmove(encoding->scale + 1, encoding->scale, bytes);
	memmove(encoding->low + 1, encoding->low, bytes);
	memmove(encoding->high + 1, encoding->high, bytes);
	memmove(encoding->binary + 1, encoding->binary,
			(GRID_MAX_DIMENSION - 1) * sizeof(encoding->binary[0]));
	encoding->binary[0] = false;
	encoding->center[0] = 0;
	encoding->scale[0] = 1;
	encoding->low[0] = options->target_low;
	encoding->high[0] = options->target_high;
	if (encoding->groups == 0)
		return;
	memmove(encoding->group + 1, encoding->group,
			(GRID_MAX_DIMENSION - 1) * sizeof(encoding->group[0]));
	encoding->group[0] = 1;
	encoding->groups++;
}

/* At the analyst's door every feature of a declared column is 0 or 1, unless it is numeric. */
static void
put_binary(const Training *training, int features, Encoding *encoding)
{
	const Options *options = &training->options;

	for (int j = 0; training->by_analyst && j < features; j++)
		encoding->binary[j] = true;
	for (int i = 0; training->by_analyst && i < options->numeric_count; i++)
		encoding->binary[options->numeric[i] - 1] = false;
}

/* All but the number of features, which may be open (0). */
static void
lay_out(Training *training, int features)
{
	const Options *options = &training->options;
	Encoding *encoding = &training->encoding;

	encoding_init(encoding);
	encoding->intercept = options->intercept;
	encoding->groups = options->groups;
	memcpy(encoding->group, options->group, sizeof(encoding->group));
	put_binary(training, features, encoding);
	spread_all(options, features, encoding);
	if (target_columns(training) > 0)
		put_target(options, encoding);
}

static void
settle_encoding(Training *training, int features)
{
	const Options *options = &training->options;
	Encoding *encoding = &training->encoding;
	int given = features + (options->intercept ? 1 : 0);
	int limit = GRID_MAX_DIMENSION - target_columns(training);

	if (given > limit)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d features are too many", features),
				 options->intercept ? errdetail("The limit is %d, the intercept included.", limit)
									: errdetail("The limit is %d.", limit),
				 features <= limit ? errhint("Add \"intercept\": false to the options.") : 0));
	if (grouped_features(options) > features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("groups add up to %d for %d features", grouped_features(options),
							   features)));
	for (int i = 0; i < options->numeric_count; i++)
		if (options->numeric[i] > features)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("option \"numeric\" names feature %d of %d", options->numeric[i],
								   features)));
	lay_out(training, features);
	encoding->features = features + target_columns(training);
	if (!encoding_finish(encoding))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options %s are out of range",
							   target_columns(training) > 0
								   ? "\"center\", \"scale\", \"clip\" or \"target\""
								   : "\"center\", \"scale\" or \"clip\""),
						errdetail("Clip bounds must lie between %g and %g.", -ENCODING_MAX_CLIP,
								  ENCODING_MAX_CLIP)));
}

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
 * Rules 1 and 2 of UTILITY.md, from public parameters only.  The exponential
 * mechanism's sampler always ends, but only a grid of moderate size ends soon: with few
 * numeric columns in seconds (docs/method.md).
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

/* The share of a group is for all rows of a person already (groups.c). */
static int
rows_charged(const Training *training)
{
	return training->keys != NULL ? 1 : Max(training->rows_per_person, 1);
}

/*
 * Group privacy (PRIVACY.md 6): a person has at most k rows, so that k times the
 * epsilon of one row, in nano-units and rounded down, is at most what is charged.
 * Exact for the pure mechanisms, whose losses change k times as much.
 */
static int64
row_epsilon(const Training *training)
{
	int64 epsilon = training->cost.epsilon / rows_charged(training);

	if (epsilon == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d rows of a person",
							   training->rows_per_person)));
	return epsilon;
}

/*
 * Group privacy for delta (PRIVACY.md 6): k times row_epsilon() and delta' for one row
 * are at most delta' (e^(k epsilon') - 1) / (e^epsilon' - 1) for k.
 */
static int64
row_delta(const Training *training)
{
	double row = (double) training->request.epsilon / EPSILON_ONE;
	int rows = rows_charged(training);
	double person = row * rows;
	/* the same fraction without a power that overflows */
	double share = rows > 1 ? exp(row - person) * expm1(-row) / expm1(-person) * (1 - 1e-12) : 1;

	return share < 1 ? (int64) floor((double) training->cost.delta * share) : training->cost.delta;
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
	request->delta = row_delta(training);
	if (request->delta == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("noise \"%s\" needs a delta greater than zero", name),
			 training->cost.delta_charged > 0 ? errdetail("Delta counts in units of 1e-18.") : 0,
			 errhint("Noise \"gauge\" needs none.")));
}

static void
settle_convex(Training *training)
{
	MechanismRequest *request = &training->request;

	request->epsilon = row_epsilon(training);
	request->adjacency = training->options.adjacency;
	request->threads = dpobj_solver_threads;
	convex_choose(training->method, &training->options, &training->encoding, row_delta(training),
				  request);
	if (request->convex.noise == CONVEX_GAMMA)
		training->cost.delta_charged = 0;
}

/* ---- grid and method ---- */

static void
settle_grid(Training *training)
{
	MechanismRequest *request = &training->request;
	const Options *options = &training->options;
	bool chosen = training->reason != NULL; /* then the grid is never anybody's own */
	GridTerms terms;

	if (!chosen && !grid_is_open(options))
	{
		grid_choose(options, &training->encoding, &request->grid);
		return;
	}
	grid_terms(options, &training->encoding, row_epsilon(training), training->by_analyst, &terms);
	if (options->n > 0)
		grid_usual(&terms, &training->usual, &request->grid);
	else
		(void) grid_plain(&terms, &training->usual, &request->grid);
	grid_check_scores(&request->grid, &training->encoding);
}

/* Rule 3 of UTILITY.md, as far as it holds (docs/method.md). */
static void
choose_method(Training *training)
{
	const Options *options = &training->options;
	MechanismRequest logistic = {.kind = MECHANISM_OBJECTIVE,
								 .epsilon = row_epsilon(training),
								 .adjacency = options->adjacency,
								 .convex.loss = LOSS_LOGISTIC};
	GridTerms terms;
	ClassifierReason reason;

	training->request.epsilon = logistic.epsilon; /* row_delta() asks for it */
	logistic.grid.dimension = encoding_dimension(&training->encoding);
	logistic.convex.radius =
		fmax(convex_choose_radius(options, &training->encoding) * CLASSIFIER_RADIUS_SHARE,
			 CONVEX_RADIUS_MIN);
	convex_usual(CONVEX_OBJECTIVE, &logistic, row_delta(training));
	grid_terms(options, &training->encoding, logistic.epsilon, training->by_analyst, &terms);
	reason = classifier_choose(&terms, &logistic);
	training->method = classifier_is_logistic(reason) ? METHOD_LOGISTIC : METHOD_HALFSPACE;
	training->reason = classifier_reason(reason);
	if (training->method == METHOD_LOGISTIC)
		training->options.radius = logistic.convex.radius;
}

/*
 * How many rows there are is not public, even where a replaced row leaves it alone: a query
 * may filter, and read a part of the table that is charged.  So n is declared, and enforced.
 */
static void
settle_simplex(Training *training)
{
	MechanismRequest *request = &training->request;

	if (training->options.n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"simplex\" needs a declared number of rows"),
						errdetail("How many indices may be drawn depends on it."),
						training->by_analyst
							? errhint("An administrator declares it as \"n\" of dpobj.protect.")
							: errhint("Set \"n\" in the options. Rows beyond it are left out at "
									  "random.")));
	request->epsilon = row_epsilon(training);
	request->adjacency = training->options.adjacency;
	request->threads = dpobj_solver_threads;
	if (simplex_choose(&training->options, &training->encoding, row_delta(training), request))
		training->cost.delta_charged = 0;
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

static void
settle_mechanism(Training *training)
{
	static const MechanismKind kinds[] = {[CHOOSE_EXPONENTIAL] = MECHANISM_EXPONENTIAL,
										  [CHOOSE_PERMUTE_FLIP] = MECHANISM_PERMUTE_FLIP,
										  [CHOOSE_OPDISC] = MECHANISM_OPDISC,
										  [CHOOSE_RSPM] = MECHANISM_RSPM,

										  [CHOOSE_SAMPLE_AGGREGATE] = MECHANISM_SAMPLE_AGGREGATE};
	MechanismRequest *request = &training->request;
	MechanismVerdict verdict;

	check_halfspace_choice(&training->options);
	request->epsilon = row_epsilon(training);
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

/* The stricter of two limits, 0 standing for none: an option cannot lift an administrator's. */
static int
stricter(int option, int setting)
{
	if (option <= 0 || setting <= 0)
		return Max(Max(option, setting), 0);
	return Min(option, setting);
}

/*
 * A limit that may be reached stops a run at a moment that the data has a say
 * in (PRIVACY.md 3, T1): the guarantee holds on the condition that none is, and that
 * the row from which the dimension was taken is none of those that change.
 */
static bool
is_conditional(const Training *training)
{
	return training->limits.seconds > 0 || training->limits.megabytes > 0 ||
		   training->length_of_row;
}

static const char *
guarantee_name(const Training *training)
{
	MechanismProof proof = mechanism_proof(&training->request);

	if (proof == PROOF_UNPROVEN)
		return "unproven";
	if (is_conditional(training))
		return "conditional";
	return proof == PROOF_FLOAT ? "float" : "exact";
}

int
training_megabytes(const Training *training)
{
	return stricter(training->options.memory_limit, dpobj_memory_limit);
}

static void
settle_limits(Training *training)
{
	const Options *options = &training->options;

	training->limits.seconds = stricter(options->time_limit, dpobj_time_limit);
	training->limits.megabytes = training_megabytes(training);
	training->guarantee = guarantee_name(training);
}

void
training_set_features(Training *training, int features)
{
	settle_encoding(training, features);
	if (training->method == METHOD_AUTO)
		choose_method(training);
	if (training->method == METHOD_HALFSPACE)
	{
		settle_grid(training);
		settle_mechanism(training);
	}
	else if (training->method == METHOD_SIMPLEX)
		settle_simplex(training);
	else
		settle_convex(training);
	settle_limits(training);
	training->settled = true;
}

/* ---- beginning ---- */

void
training_set_cost(Training *training, Datum epsilon, Oid epsilon_type, Datum delta, Oid delta_type)
{
	decimal_epsilon(epsilon, epsilon_type, &training->cost);
	decimal_delta(delta, delta_type, &training->cost);
}

void
training_set_options(Training *training, Jsonb *options)
{
	options_parse(options, training->method, training->by_analyst, &training->options);
	if (training->method == METHOD_AUTO && (training->options.methods & FOR_HALFSPACE) == 0)
		training->method = METHOD_LOGISTIC;
	else if (training->method == METHOD_AUTO && (training->options.methods & FOR_CONVEX) == 0)
		training->method = METHOD_HALFSPACE;
	training->options_text =
		options == NULL ? pstrdup("{}") : JsonbToCString(NULL, &options->root, VARSIZE(options));
}

/* "classifier" is the older name of METHOD_AUTO. */
void
training_set_method(Training *training, const char *method, const char *others)
{
	if (strcmp(method, "classifier") == 0)
		method = method_name(METHOD_AUTO);
	for (int i = 0; i < TRAINING_METHODS; i++)
		if (strcmp(method, method_name((TrainingMethod) i)) == 0)
		{
			training->method = (TrainingMethod) i;
			return;
		}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("method \"%s\" is not known", method),
			 errhint("Methods are: auto, halfspace, logistic, svm, simplex%s.", others)));
}

void
training_set_protected(Training *training, const Encoders *features, const Protection *protection)
{
	encoders_describe(features, &training->options);
	training->options.adjacency = protection->adjacency;
	training->options.n = protection->n;
	training->person = protection->person;
	training->rows_per_person = protection->max_rows_per_person;
}

void
training_set_target(Training *training, const Encoder *encoder)
{
	training->options.target_low = encoder->low;
	training->options.target_high = encoder->high;
}

Adjacency
training_adjacency(const Training *training)
{
	return training->keys == NULL ? training->request.adjacency : training->adjacency;
}

int
training_declared_features(const Training *training)
{
	return declared_features(&training->options);
}

void
training_begin(Training *training, int features)
{
	training->request.pause = server_pause;
	if (features > 0)
		training_set_features(training, features);
	else
		lay_out(training, 0);
}

/* ---- for the ledger and the model ---- */

static void
append_numbers(StringInfo text, const char *name, const double *value, int count, double usual)
{
	bool given = false;

	for (int j = 0; j < count; j++)
		given = given || value[j] != usual;
	if (!given)
		return;
	appendStringInfo(text, ", \"%s\": [", name);
	for (int j = 0; j < count; j++)
		appendStringInfo(text, "%s%.17g", j > 0 ? ", " : "", value[j]);
	appendStringInfoChar(text, ']');
}

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
training_append_choice(StringInfo text, const Training *training)
{
	const GridUsual *usual = &training->usual;

	if (training->reason != NULL)
		appendStringInfo(text, ", \"classifier\": {\"chosen\": \"%s\", \"because\": \"%s\"}",
						 method_name(training->method), training->reason);
	if (usual->sparse > 0)
		appendStringInfo(text, ", \"grid\": {\"sparse\": %d}", usual->sparse);
	else if (usual->indicator > 0)
		appendStringInfo(text, ", \"grid\": {\"grouped\": %d, \"indicator\": %d, \"numeric\": %d}",
						 usual->grouped, usual->indicator, usual->number);
}

void
training_append_noise(StringInfo text, const Training *training)
{
	PerturbationRequest asked = mechanism_perturbation(&training->request);
	Perturbation perturbation;

	if (training->method == METHOD_SIMPLEX)
		simplex_append_terms(text, &training->request);
	else if (training->method != METHOD_HALFSPACE)
		convex_append_terms(text, &training->request);
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

static void
append_conditions(StringInfo text, const Training *training)
{
	const struct
	{
		bool holds;
		const char *name;
	} conditions[] = {{training->length_of_row, "dimension of a row"},
					  {training->limits.seconds > 0, "time_limit"},
					  {training->limits.megabytes > 0, "memory_limit"}};
	const char *separator = ", \"conditional\": [";

	if (!is_conditional(training))
		return;
	for (int i = 0; i < (int) lengthof(conditions); i++)
		if (conditions[i].holds)
		{
			appendStringInfo(text, "%s\"%s\"", separator, conditions[i].name);
			separator = ", ";
		}
	appendStringInfoChar(text, ']');
}

char *
training_parameters(const Training *training)
{
	const Encoding *encoding = &training->encoding;
	int first = target_columns(training);
	int features = encoding->features - first;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"options\": %s, \"dimension\": %d", training->options_text,
					 training->request.grid.dimension);
	if (training->method == METHOD_HALFSPACE)
		appendStringInfo(&text, ", \"log2_grid\": %.2f", grid_log2_size(&training->request.grid));
	append_conditions(&text, training);
	training_append_choice(&text, training);
	if (training->provenance != NULL)
		appendStringInfoString(&text, training->provenance);
	training_append_noise(&text, training);
	appendStringInfo(&text, ", \"encoding\": {\"features\": %d, \"intercept\": %s", features,
					 encoding->intercept ? "true" : "false");
	append_numbers(&text, "center", encoding->center + first, features, 0.0);
	append_numbers(&text, "scale", encoding->scale + first, features, 1.0);
	append_numbers(&text, "low", encoding->low + first, features, -1.0);
	append_numbers(&text, "high", encoding->high + first, features, 1.0);
	appendStringInfoString(&text, "}}");
	return text.data;
}

/*
 * Groups are trained under add_remove: what one changed row, or a person's rows, does to all
 * of them is what so many rows that come and go do to one (core/accounting/parallel.h).  Not so
 * with objective perturbation: of a row that goes in one group and one that comes in another each
 * changes a determinant, of a row that is replaced both change the same one.
 */
Pair
training_pair(const Training *training)
{
	int64 rows = Max(training->rows_per_person, 1);
	Pair pair;

	if (training->keys != NULL)
		rows = parallel_rows(training_adjacency(training), rows);
	pair = pair_of_request(&training->request, training->cost.epsilon_charged,
						   training->cost.delta_charged, rows);
	if (training->keys != NULL && pair.kind == PAIR_OBJECTIVE)
		pair.kind = PAIR_APPROXIMATE;
	return pair;
}
