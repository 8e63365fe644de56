/*
 * training.c - from options to a mechanism request, without looking at a row.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/rls.h"

#include "core/accounting/parallel.h"
#include "core/rows/holdout.h"

#include "server/base/dpobj.h"
#include "server/base/near_name.h"
#include "server/ledger/grant.h"
#include "server/release/mechanism_choice.h"
#include "server/release/rating_choice.h"
#include "server/rows/row_memory.h"
#include "server/rows/scan.h"
#include "server/rows/scan_tables.h"
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
	return training->cost.epsilon - training->coverage_epsilon - training->rating.charged;
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

/* ---- beginning ---- */

/* Returns the stricter limit, so no option lifts an administrator's; 0 is no limit. */
static int
stricter(int option, int setting)
{
	if (option <= 0 || setting <= 0)
		return Max(Max(option, setting), 0);
	return Min(option, setting);
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
	others =
		psprintf("auto, halfspace, logistic, svm, softmax, one_vs_rest, simplex, linear%s", others);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("method \"%s\" is not known", method),
			 errhint("%sMethods are: %s.", near_name(method, near_name_listed(others)), others)));
}

void
training_set_protected(Training *training, const Encoders *features, const Protection *protection)
{
	encoders_describe(features, &training->options);
	training->options.adjacency = protection->adjacency;
	training->options.n = protection->n;
	training->person = protection->person;
	training->rows_per_person = protection->max_rows_per_person;
	training->dealt_by_column = protection->holdout_by != NULL;
}

/* A target is the first column of a row, so its position does not depend on the features. */
int
training_target_columns(const Training *training)
{
	return method_has_target(training->method) || method_has_classes(training->method) ? 1 : 0;
}

int64
training_rows_read(const Training *training, int64 rows)
{
	return rows - rows * training->options.holdout / HOLDOUT_ONE;
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
	const char *end = "";

	for (int i = 0; i < (int) lengthof(conditions); i++)
		if (conditions[i].holds)
		{
			appendStringInfo(text, "%s\"%s\"", separator, conditions[i].name);
			separator = ", ";
			end = "]";
		}
	appendStringInfoString(text, end);
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
	int first = training_target_columns(training);
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
	rating_append_charge(&text, training);
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
						   training->cost.epsilon_charged - training->coverage_epsilon -
							   rating_charged(training),
						   training->cost.delta_charged, rows);
	pair = pair_with_pure(&pair, training->coverage_epsilon);
	pair = rating_pair(training, &pair);
	if (training->keys != NULL && pair.kind == PAIR_OBJECTIVE)
		pair.kind = PAIR_APPROXIMATE;
	return pair;
}
