/*
 * training.c - from options to a mechanism request, without looking at a row.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/rls.h"

#include "core/mechanisms/classifier.h"
#include "core/accounting/parallel.h"

#include "server/release/convex_choice.h"
#include "server/release/coverage.h"
#include "server/base/dpobj.h"
#include "server/ledger/grant.h"
#include "server/release/encoding_choice.h"
#include "server/release/grid_choice.h"
#include "server/release/halfspace_choice.h"
#include "server/release/mechanism_choice.h"
#include "server/rows/row_memory.h"
#include "server/rows/rows_state.h"
#include "server/release/run_choice.h"
#include "server/release/simplex_choice.h"
#include "server/rows/scan.h"
#include "server/release/training.h"

/* Returns 1 for a group, whose share counts all rows of a person already (groups.c). */
static int
rows_charged(const Training *training)
{
	return training->keys != NULL ? 1 : Max(training->rows_per_person, 1);
}

int64
training_model_epsilon(const Training *training)
{
	return training->cost.epsilon - training->coverage_epsilon;
}

/* Releases from the same rows: a halfspace for each class, or one. */
static int
releases_of(const Training *training)
{
	return training->method == METHOD_ONE_VS_REST ? training->options.classes : 1;
}

/*
 * Group privacy (theorem N4): a person has at most k rows, so that k times the
 * epsilon of one row, in nano-units and rounded down, is at most what is charged.
 * Exact for the pure mechanisms, whose losses change k times as much.  Each of several releases has
 * an equal part of it (theorem A1).
 */
int64
training_row_epsilon(const Training *training)
{
	int64 epsilon =
		training_model_epsilon(training) / rows_charged(training) / releases_of(training);

	if (epsilon == 0 && releases_of(training) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d classes", releases_of(training))));
	if (epsilon == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d rows of a person",
							   training->rows_per_person)));
	return epsilon;
}

/*
 * Group privacy for delta (theorem N4): if one row costs epsilon' = training_row_epsilon() and
 * delta', then k rows cost at most k epsilon' and delta' (e^(k epsilon') - 1) / (e^epsilon' - 1).
 */
int64
training_row_delta(const Training *training)
{
	double row = (double) training->request.epsilon / EPSILON_ONE;
	int rows = rows_charged(training);
	double person = row * rows;
	/* the same fraction without a power that overflows */
	double share = rows > 1 ? exp(row - person) * expm1(-row) / expm1(-person) * (1 - 1e-12) : 1;

	int64 delta = training->cost.delta / releases_of(training);

	return share < 1 ? (int64) floor((double) delta * share) : delta;
}

/* ---- grid and method ---- */

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
	if (model == CLASSIFIER_POOL)
	{
		options->mechanism = mechanism_get(MECHANISM_POOL)->name;
		options->noise = NOISE_AUTO;
	}
	if (model != CLASSIFIER_CENTRE)
		return;
	options->loss = request->convex.loss;
	options->radius = request->convex.radius;
	options->noise = request->convex.noise == CONVEX_KNORM ? NOISE_KNORM : NOISE_GAUSSIAN;
}

/* Chooses by rule U13. */
static void
choose_method(Training *training)
{
	const Options *options = &training->options;
	MechanismRequest request = {.epsilon = training_row_epsilon(training),
								.adjacency = options->adjacency,
								.run = training->request.run,
								.threads = dpobj_solver_threads};
	GridTerms terms;
	ClassifierReason reason;

	training->request.epsilon = request.epsilon; /* training_row_delta() asks for it */
	request.grid.dimension = encoding_dimension(&training->encoding);
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
		   !options->prior_given && grid_is_open(options);
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

/* Returns the stricter limit, so no option lifts an administrator's; 0 is no limit. */
static int
stricter(int option, int setting)
{
	if (option <= 0 || setting <= 0)
		return Max(Max(option, setting), 0);
	return Min(option, setting);
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

int
training_seconds(const Training *training)
{
	return stricter(training->options.time_limit, dpobj_time_limit);
}

int
training_megabytes(const Training *training)
{
	return stricter(training->options.memory_limit, dpobj_memory_limit);
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
		   encoding_target_columns(training) + (encoding->intercept ? 1 : 0);
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
 * columns descent and both perturbations take COLUMNS_MAX.
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
		request->rest = training->options.classes;
		(void) mechanism_choose_weights(&training->options,
										encoding_dimension(&training->encoding) -
											encoding_target_columns(training));
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
	if (training->options.memory_limit > 0 && training->options.memory_limit < DPOBJ_LEAST_MEMORY)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"memory_limit\" must be at least %d MiB, or 0 for no limit",
							   DPOBJ_LEAST_MEMORY)));
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
			training->automatic = training->method == METHOD_AUTO;
			return;
		}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("method \"%s\" is not known", method),
			 errhint("Methods are: auto, halfspace, logistic, svm, softmax, one_vs_rest, simplex, "
					 "linear%s.",
					 others)));
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

bool
training_rows_are_public(const Training *training)
{
	Adjacency adjacency =
		training->keys == NULL ? training->options.adjacency : training->adjacency;

	return adjacency == ADJACENCY_REPLACE && training->rows_per_person == 0;
}

/* Not everybody who may ask for a price may know how many rows a table has. */
static bool
may_know_rows(Oid table)
{
	Oid user = GetUserId();

	return ((pg_class_aclcheck(table, user, ACL_SELECT) == ACLCHECK_OK ||
			 pg_attribute_aclcheck_all(table, user, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK) &&
			check_enable_rls(table, user, true) != RLS_ENABLED) ||
		   grant_is_held(table);
}

void
training_set_table(Training *training, Oid table, int64 rows)
{
	int64 counted = 0;

	training->elsewhere = scan_is_elsewhere(table);
	if (training_rows_are_public(training) && !training->elsewhere && may_know_rows(table))
		counted = rows > 0 ? rows : scan_count_rows(table);
	if (training->table_rows == 0)
		training->table_rows = training->options.n;
	training->most_rows = row_memory_rows(training->table_rows);
	training->leaves_out = training->table_rows > 0 && counted > training->most_rows;
	if (counted == 0 || training->leaves_out)
		return;
	training->most_rows = counted;
	if (training->table_rows == 0 || counted < training->table_rows)
		training->table_rows = counted;
}

Adjacency
training_adjacency(const Training *training)
{
	return training->keys == NULL ? training->request.adjacency : training->adjacency;
}

void
training_begin(Training *training, int features)
{
	training->request.pause = server_pause;
	coverage_settle(training);
	if (features > 0)
		training_set_features(training, features);
	else
		encoding_lay_out(training, 0);
}

/* ---- what is declared about the label ---- */

LabelChoice
training_label_choice(const Training *training, const char *name)
{
	return (LabelChoice){.name = name,
						 .is_target = method_has_target(training->method),
						 .may_be_target = training->automatic,
						 .positive = training->options.positive,
						 .negative = training->options.negative};
}

static void
set_target(Options *options, const Encoder *label)
{
	options->target_low = label->low;
	options->target_high = label->high;
	options->target_center = label->center;
	options->target_scale = label->scale;
}

static void
set_classes(Training *training, const Encoder *label)
{
	if (label->categories < 2 || label->categories > INSTANCE_MAX_CLASSES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a label takes 2 to %d levels, and column \"%s\" has %d",
							   INSTANCE_MAX_CLASSES, label->column.name, label->categories)));
	training->label.column = label->column;
	training->label.classes = label->set;
	training->options.classes = label->categories;
}

static void
refuse_label(const Training *training, const Encoder *label)
{
	const char *method = method_name(training->method);

	if (label->is_class)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("method \"%s\" is not for label \"%s\", which has levels", method,
					label->column.name),
			 errdetail("It predicts whether a label is positive."),
			 errhint(
				 "Use method \"softmax\" or \"one_vs_rest\", or name the positive levels in the "
				 "options: {\"positive\": [...]}.")));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("method \"%s\" is not for label \"%s\", which has no levels", method,
						   label->column.name),
					errdetail("It predicts one of several classes, which are the label's levels."),
					errhint("Use method \"auto\", or declare the label as {\"levels\": [...]}.")));
}

void
training_set_label(Training *training, const Encoder *label, Jsonb *options)
{
	if (training->automatic && (label->is_class || encoder_is_number(label)))
	{
		training->method = label->is_class ? METHOD_SOFTMAX : METHOD_LINEAR;
		training->reason =
			label->is_class ? "the label is one of several classes" : "the label is a number";
		training_set_options(training, options);
	}
	if (label->is_class != method_has_classes(training->method))
		refuse_label(training, label);
	if (label->is_class)
		set_classes(training, label);
	else if (method_has_target(training->method))
		set_target(&training->options, label);
}

/* ---- for the ledger and the model ---- */

/* Appends an array unless all its values are the default. */
static void
append_numbers(StringInfo text, const char *name, const double *value, int count, double standard)
{
	bool given = false;

	for (int j = 0; j < count; j++)
		given = given || value[j] != standard;
	if (!given)
		return;
	appendStringInfo(text, ", \"%s\": [", name);
	for (int j = 0; j < count; j++)
		appendStringInfo(text, "%s%.17g", j > 0 ? ", " : "", value[j]);
	appendStringInfoChar(text, ']');
}

/* {"numeric": [1, 4]}: weights of numeric columns are 0, or plus or minus 1 or 4. */
static void
append_sizes(StringInfo text, const char *name, const GridSizes *sizes)
{
	appendStringInfo(text, "\"%s\": [", name);
	for (int i = 0; i < sizes->count; i++)
		appendStringInfo(text, "%s%d", i > 0 ? ", " : "", sizes->size[i]);
	appendStringInfoChar(text, ']');
}

/* The target's bounds, in its units. */
static void
append_target(StringInfo text, const Options *options)
{
	appendStringInfo(text, ", \"target\": [%.17g, %.17g]",
					 options->target_center + options->target_scale * options->target_low,
					 options->target_center + options->target_scale * options->target_high);
}

void
training_append_choice(StringInfo text, const Training *training)
{
	const GridWidths *widths = &training->widths;

	if (training->method == METHOD_LINEAR)
		append_target(text, &training->options);
	if (training->reason != NULL)
		appendStringInfo(text, ", \"classifier\": {\"chosen\": \"%s\", \"because\": \"%s\"}",
						 method_name(training->method), training->reason);
	if (widths->sparse > 0)
		appendStringInfo(text, ", \"grid\": {\"sparse\": %d}", widths->sparse);
	else if (widths->indicator.count > 0)
	{
		appendStringInfoString(text, ", \"grid\": {");
		append_sizes(text, "group", &widths->whole);
		appendStringInfoString(text, ", ");
		append_sizes(text, "indicator", &widths->indicator);
		appendStringInfoString(text, ", ");
		append_sizes(text, "numeric", &widths->number);
		appendStringInfoChar(text, '}');
	}
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

/* The names of the classes, in the order of their weights. */
static void
append_classes(StringInfo text, const LabelRule *label)
{
	for (int k = 0; k < label->classes.count; k++)
	{
		appendStringInfoString(text, k == 0 ? ", \"classes\": [" : ", ");
		escape_json(text, column_text(&label->column, &label->classes.value[k]));
	}
	if (label->classes.count > 0)
		appendStringInfoChar(text, ']');
}

/* Appends the levels of the features unless all are numbers. */
static void
append_levels(StringInfo text, const int16 *levels, int features)
{
	double number[COLUMNS_MAX];

	for (int j = 0; j < features; j++)
		number[j] = levels[j];
	append_numbers(text, "levels", number, features, 0);
}

char *
training_parameters(const Training *training)
{
	const Encoding *encoding = &training->encoding;
	int first = encoding_target_columns(training);
	int features = encoding->features - first;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"options\": %s, \"dimension\": %d", training->options_text,
					 mechanism_weights(&training->request));
	if (method_has_grid(training->method))
		appendStringInfo(&text, ", \"log2_grid\": %.2f", grid_log2_size(&training->request.grid));
	append_classes(&text, &training->label);
	if (training->coverage_epsilon > 0)
		appendStringInfo(&text, ", \"coverage_epsilon\": %s",
						 decimal_text(training->coverage_epsilon, EPSILON_UNIT));
	append_conditions(&text, training);
	training_append_choice(&text, training);
	if (training->provenance != NULL)
		appendStringInfoString(&text, training->provenance);
	mechanism_append_terms(&text, &training->request);
	appendStringInfo(&text, ", \"encoding\": {\"features\": %d, \"intercept\": %s", features,
					 encoding->intercept ? "true" : "false");
	append_numbers(&text, "center", encoding->center + first, features, 0.0);
	append_numbers(&text, "scale", encoding->scale + first, features, 1.0);
	append_numbers(&text, "low", encoding->low + first, features, -1.0);
	append_numbers(&text, "high", encoding->high + first, features, 1.0);
	append_levels(&text, encoding->levels + first, features);
	appendStringInfoString(&text, "}}");
	return text.data;
}

/*
 * Groups are trained under add_remove.  One changed row, or a person's rows, affects all groups as
 * that many added and removed rows affect one group (core/accounting/parallel.h).  Objective
 * perturbation is different: a row that leaves one group and enters another changes a determinant
 * of each, whereas a replaced row changes the same determinant twice.
 */
Pair
training_pair(const Training *training)
{
	int64 rows = Max(training->rows_per_person, 1);
	Pair pair;

	if (training->keys != NULL)
		rows = parallel_rows(training_adjacency(training), rows);
	pair = pair_of_request(&training->request,
						   training->cost.epsilon_charged - training->coverage_epsilon,
						   training->cost.delta_charged, rows);
	pair = pair_with_pure(&pair, training->coverage_epsilon);
	if (training->keys != NULL && pair.kind == PAIR_OBJECTIVE)
		pair.kind = PAIR_APPROXIMATE;
	return pair;
}
