/*
 * training_settle.c - chooses grid and mechanism of a training, without looking at a row.
 */
#include "server/release/training.h"

#include "core/mechanisms/classifier.h"

#include "server/base/dpobj.h"
#include "server/base/server_memory.h"
#include "server/release/convex_choice.h"
#include "server/release/coverage.h"
#include "server/release/encoding_choice.h"
#include "server/release/grid_choice.h"
#include "server/release/halfspace_choice.h"
#include "server/release/mechanism_choice.h"
#include "server/release/rating_choice.h"
#include "server/release/run_choice.h"
#include "server/release/simplex_choice.h"

static void
settle_grid(Training *training)
{
	MechanismRequest *request = &training->request;
	const Options *options = &training->options;
	Encoding encoding;
	bool chosen = training->reason != NULL; /* by METHOD_AUTO, which allows no option "grid" */
	GridTerms terms;

	encoding_of_features(training, &encoding);
	if (!chosen && !grid_is_open(options))
	{
		grid_choose(options, &encoding, &request->grid);
		return;
	}
	grid_terms(options, &encoding, request->epsilon, run_declared(training), &terms);
	grid_default(&terms, &training->widths, &request->grid);
	terms.run = request->run;
	request->run = grid_default_run(&terms, &request->grid);
	grid_check_scores(&request->grid, &encoding);
}

/* Has convex_choose() settle the same model again. */
static void
take_model(Training *training, ClassifierModel model, const MechanismRequest *request)
{
	Options *options = &training->options;

	training->method = model == CLASSIFIER_GRID ? METHOD_HALFSPACE : METHOD_LOGISTIC;
	if (model == CLASSIFIER_POOL || model == CLASSIFIER_DESCENT)
	{
		options->mechanism = mechanism_get(request->kind)->name;
		options->noise = NOISE_AUTO;
	}
	if (model != CLASSIFIER_CENTRE)
		return;
	options->loss = request->convex.loss;
	options->radius = request->convex.radius;
	options->noise = request->convex.noise == CONVEX_KNORM ? NOISE_KNORM : NOISE_GAUSSIAN;
}

static MechanismRequest
request_of_auto(Training *training)
{
	MechanismRequest request = {.epsilon = training_row_epsilon(training),
								.adjacency = training->options.adjacency,
								.run = training->request.run,
								.threads = dpobj_solver_threads};

	training->request.epsilon = request.epsilon; /* training_row_delta() asks for it */
	request.grid.dimension = encoding_dimension(&training->encoding);
	return request;
}

/* Does METHOD_AUTO choose by scores instead of mistakes?  At the analyst's door it does. */
static bool
wants_scores(const Training *training)
{
	const Options *options = &training->options;

	if (training->method != METHOD_AUTO || options->noise != NOISE_AUTO)
		return false;
	return options->objective == OBJECTIVE_AUTO ? training->by_analyst
												: options->objective != OBJECTIVE_ACCURACY;
}

/* Chooses by rule D12.  K-norm noise, which needs no delta, is not for levels. */
static void
choose_scores(Training *training)
{
	MechanismRequest request = request_of_auto(training);
	int64 delta = training_row_delta(training);
	ClassifierReason reason;

	if (delta == 0 && training->encoding.indices)
		return;
	reason = classifier_choose_scores(&training->encoding, training->options.n, delta, &request);
	training->reason = classifier_reason(reason);
	take_model(training, classifier_model(reason), &request);
}

/* Chooses by rule U13. */
static void
choose_method(Training *training)
{
	const Options *options = &training->options;
	MechanismRequest request = request_of_auto(training);
	GridTerms terms;
	ClassifierReason reason;

	grid_terms(options, &training->encoding, request.epsilon, run_declared(training), &terms);
	reason = classifier_choose(&terms, training_row_delta(training), &request);
	training->reason = classifier_reason(reason);
	take_model(training, classifier_model(reason), &request);
}

/* Is the method all that was said of a grid's weights and of how they are released? */
static bool
is_open(const Training *training)
{
	const Options *options = &training->options;

	return method_has_grid(training->method) && options->mechanism == NULL &&
		   options->noise == NOISE_AUTO && options->solver == SOLVER_AUTO &&
		   !options_given(options, "prior") && grid_is_open(options);
}

/*
 * Has an owner left all choices to dp_halfspace, for a table whose rows a grid may not hold in
 * memory?  Then real weights are taken, for which rows are read in passes.
 */
static bool
needs_passes(const Training *training)
{
	return training->method == METHOD_HALFSPACE && !training->by_analyst && is_open(training) &&
		   !run_fits_memory(&training->request.run, encoding_dimension(&training->encoding),
							dpobj_solver_threads);
}

/*
 * Some laws depend on the number of rows.  It is not public, even under replace, because a query
 * may read a part of the charged table; so it is declared, and simplex enforces it.
 */
static void
require_rows(const Training *training)
{
	const Mechanism *mechanism = mechanism_choose(training->method, &training->options);

	if (!mechanism->counts_rows || training->options.n > 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("mechanism \"%s\" needs a declared number of rows", mechanism->name),
					errdetail("What it draws depends on that number, which is not taken from the "
							  "rows."),
					training->by_analyst
						? errhint("An administrator declares it as \"n\" of dpobj.protect.")
						: errhint("Set \"n\" in the options.")));
}

static void
settle_simplex(Training *training)
{
	MechanismRequest *request = &training->request;

	if (simplex_choose(&training->options, &training->encoding, training_row_delta(training),
					   request))
		training->cost.delta_charged = 0;
}

/*
 * When a run reaches a limit depends on the data (rule F1).  So the guarantee holds only if no
 * limit is reached, and if the row that gave the dimension is not the one that changes.
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

static void
settle_limits(Training *training)
{
	training->limits.seconds = training_seconds(training);
	training->limits.megabytes = training_megabytes(training);
	training->guarantee = guarantee_name(training);
}

/* The weights of a model, or of each class. */
static int
count_weights(const Training *training)
{
	const Encoding *encoding = &training->encoding;

	return levels_weights(encoding->levels, encoding->features) -
		   training_target_columns(training) + (encoding->intercept ? 1 : 0);
}

static void
refuse_width(const Training *training, int most)
{
	int intercept = training->encoding.intercept ? 1 : 0;
	int features = count_weights(training) - intercept;
	const char *others = method_has_classes(training->method) ? "\"softmax\" takes"
															  : "\"logistic\" and \"svm\" take";

	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the columns have %d features, and method \"%s\" takes %d%s", features,
						   method_name(training->method), most - intercept,
						   intercept > 0 ? " beside an intercept" : ""),
					training->method == METHOD_SOFTMAX || training->method == METHOD_SIMPLEX
						? errhint("Choose fewer columns.")
					: features == most
						? errhint("Add \"intercept\": false to the options; %s more.", others)
						: errhint("Method%s %s more.",
								  method_has_classes(training->method) ? "" : "s", others)));
}

/*
 * More weights than a grid takes are real ones.  Levels are for models without classes; of other
 * columns descent and both perturbations take WEIGHTS_MAX.
 */
static void
settle_width(Training *training)
{
	bool levels = training->encoding.indices;
	int reals = FOR_CONVEX | FOR_LINEAR | (levels ? 0 : 1 << METHOD_SOFTMAX | FOR_SIMPLEX);

	if (!levels && count_weights(training) <= GRID_MAX_DIMENSION)
		return;
	if (training->method == METHOD_AUTO || is_open(training))
	{
		training->method =
			training->method == METHOD_ONE_VS_REST ? METHOD_SOFTMAX : METHOD_LOGISTIC;
		training->reason = "there are more weights than a halfspace takes";
	}
	if ((reals & 1 << training->method) == 0)
		refuse_width(training, GRID_MAX_DIMENSION);
}

void
training_set_features(Training *training, int features)
{
	MechanismRequest *request = &training->request;

	encoding_choose(training, features);
	if (wants_scores(training))
		choose_scores(training);
	settle_width(training);
	run_settle(training);
	if (training->method == METHOD_AUTO || needs_passes(training))
		choose_method(training);
	request->epsilon = training_row_epsilon(training);
	request->adjacency = training->options.adjacency;
	request->threads = dpobj_solver_threads;
	require_rows(training);
	if (method_has_grid(training->method))
	{
		request->one_vs_rest = training->options.classes;
		(void) mechanism_choose_weights(&training->options,
										encoding_dimension(&training->encoding) -
											training_target_columns(training));
		settle_grid(training);
		halfspace_choose(training);
	}
	else if (training->method == METHOD_SIMPLEX)
		settle_simplex(training);
	else
	{
		Encoding features;

		encoding_of_features(training, &features);
		convex_choose(training->method, &training->options, &features, training_row_delta(training),
					  request);
		if (training->method == METHOD_LINEAR)
			request->convex.unit = encoding_target_unit(training);
		if (convex_noise_is_pure(request->convex.noise))
			training->cost.delta_charged = 0;
	}
	run_check(training);
	settle_limits(training);
	training->settled = true;
}

void
training_begin(Training *training, int features)
{
	training->request.pause = server_pause;
	if (features > 0)
		rating_settle(training, features, training_set_features);
	else
	{
		coverage_settle(training);
		encoding_lay_out(training, 0);
	}
}
