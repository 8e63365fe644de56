/*
 * price.c - dpobj.price(): what a call would cost, and how good its model would be.
 *
 * It settles a call as dpobj.train or an aggregate does, from public parameters, and
 * stops before the charge.  No row is read and nothing is written, so it needs no
 * budget and works on a standby.  Arguments that the call would refuse raise the same
 * error here.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "core/base/names.h"
#include "core/looks/evaluation.h"
#include "core/mechanisms/utility.h"

#include "server/base/acting.h"
#include "server/base/argument.h"
#include "server/analyst/look.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_cost.h"
#include "server/base/dpobj.h"
#include "server/ledger/grant.h"
#include "server/base/json_value.h"
#include "server/release/encoding_choice.h"
#include "server/release/learning.h"
#include "server/release/looks.h"
#include "server/release/mechanism_choice.h"
#include "server/analyst/price.h"
#include "server/analyst/price_work.h"
#include "server/analyst/train_request.h"
#include "server/release/tally.h"
#include "server/release/training.h"
#include "server/rows/scan_tables.h"

/* The bound on the error may fail with this probability. */
#define PRICE_BETA 0.05

/* Methods that are no trainings, beside looks. */
#define EVALUATIONS ", accuracy, confusion, select"

/* ---- members of the answer ---- */

/* rows_per_person: 0 where rows are protected */
static void
append_unit(StringInfo json, int rows_per_person)
{
	if (rows_per_person > 0)
		appendStringInfo(json, ", \"unit\": \"person\", \"max_rows_per_person\": %d",
						 rows_per_person);
	else
		appendStringInfoString(json, ", \"unit\": \"row\"");
}

static void
append_cost(StringInfo json, const Training *training)
{
	decimal_warn_of_large_delta(training->cost.delta_charged); /* as at its charge */
	appendStringInfo(json, "\"epsilon\": %s, \"delta\": %s, \"adjacency\": \"%s\"",
					 decimal_text(training->cost.epsilon_charged, EPSILON_UNIT),
					 decimal_text(training->cost.delta_charged, DELTA_UNIT),
					 adjacency_name(training->request.adjacency));
	append_unit(json, training->rows_per_person);
}

/* What counts usable rows, and what the model gets. */
static void
append_parts(StringInfo json, const Training *training)
{
	if (training->coverage_epsilon > 0)
		appendStringInfo(json, ", \"coverage_epsilon\": %s, \"model_epsilon\": %s",
						 decimal_text(training->coverage_epsilon, EPSILON_UNIT),
						 decimal_text(training_model_epsilon(training), EPSILON_UNIT));
}

/* 0: all rows are read */
static void
append_holdout(StringInfo json, int64 thousandths)
{
	if (thousandths > 0)
		holdout_append_share(json, thousandths);
}

/* What prices of ratings and looks begin with. */
static void
append_noisy(StringInfo json, const char *method, const char *mechanism, const PrivacyCost *cost,
			 Adjacency adjacency, int rows_per_person, int64 holdout)
{
	appendStringInfo(json,
					 "\"method\": \"%s\", \"mechanism\": \"%s\", \"epsilon\": %s, \"delta\": 0, "
					 "\"adjacency\": \"%s\", \"guarantee\": \"exact\"",
					 method, mechanism, decimal_text(cost->epsilon_charged, EPSILON_UNIT),
					 adjacency_name(adjacency));
	append_unit(json, rows_per_person);
	append_holdout(json, holdout);
}

/*
 * The probability of weights w, or of accepting them, is proportional to exp(-exponent L(w)), or to
 * exp(exponent votes).
 */
static void
append_exponent(StringInfo json, const MechanismRequest *request)
{
	const Mechanism *mechanism = mechanism_get(request->kind);
	bool half = mechanism->parts || privacy_margin(request->adjacency) == 2;

	if (mechanism->exponent != NULL)
		appendStringInfo(json, ", \"%s\": %s", mechanism->exponent,
						 decimal_text(request->epsilon, half ? HALF_EPSILON_UNIT : EPSILON_UNIT));
}

static void
append_price(StringInfo json, const Training *training)
{
	appendStringInfo(json, "\"method\": \"%s\", \"mechanism\": \"%s\", ",
					 method_name(training->method), mechanism_get(training->request.kind)->name);
	append_cost(json, training);
	appendStringInfo(json, ", \"guarantee\": \"%s\"", training->guarantee);
	append_holdout(json, training->options.holdout);
	append_parts(json, training);
	training_append_choice(json, training);
	price_append_work(json, training);
	mechanism_append_terms(json, &training->request);
	append_exponent(json, &training->request);
	mechanism_append_error(json, &training->request, PRICE_BETA);
}

/* Closes the object and returns it as jsonb. */
static Datum
finish_json(StringInfo json)
{
	appendStringInfoChar(json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json->data));
}

/* ---- remaining budgets ---- */

/*
 * Appends what dpobj.remaining shows to the session's role, and how many such calls fit; nulls if
 * no budget of the role applies.
 */
static void
append_remaining(StringInfo json, Oid table, Pair pair, Adjacency adjacency)
{
	static const char *const statement =
		"SELECT format('{\"epsilon\": %s, \"delta\": %s, \"releases\": %s}', r.epsilon, r.delta,"
		" coalesce(r.releases::text, 'null')),"
		" coalesce(dpobj_internal.calls_that_fit($9, " CHARGE_COST_ROW ")::text, 'null')"
		" FROM dpobj.remaining($9) r";
	Oid types[CHARGE_COST_PARAMETERS + 1];
	Datum values[lengthof(types)];
	bool granted = grant_is_held(table);
	ChargeCost cost;

	charge_cost_of(&pair, adjacency, &cost);
	charge_cost_parameters(&cost, types, values);
	types[CHARGE_COST_PARAMETERS] = OIDOID;
	values[CHARGE_COST_PARAMETERS] = ObjectIdGetDatum(table);
	SPI_connect();
	if (SPI_execute_with_args(statement, lengthof(types), types, values, NULL, true, 1) !=
		SPI_OK_SELECT)
		elog(ERROR, "could not read the privacy budgets");
	if (granted && SPI_processed > 0)
		appendStringInfo(json, ", \"remaining\": %s, \"calls\": %s",
						 SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1),
						 SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2));
	else
		appendStringInfoString(json, ", \"remaining\": null, \"calls\": null");
	SPI_finish();
}

/* ---- a protected table ---- */

/* The charge worker checks this again, whatever the session's settings are. */
static void
check_least_epsilon(const PrivacyCost *cost)
{
	if (cost->epsilon_charged < (int64) ceil(dpobj_min_epsilon * EPSILON_ONE))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon of a release must be at least %g", dpobj_min_epsilon),
						errdetail("The least is the setting dpobj.min_epsilon.")));
}

/* Opens the table and its declaration as analyst_open() does. */
static Relation
open_protected(Oid table, Protection *protection)
{
	Relation relation;

	analyst_check_relation(table);
	relation = acting_open(table, AccessShareLock);
	protection_require(relation, protection);
	scan_check_relation(relation, protection->ignore_rls, false);
	return relation;
}

/* Raises the error of a holdout whose columns have changed. */
static void
check_holdout(const Protection *protection, Relation relation, int64 thousandths)
{
	Holdout holdout;

	if (thousandths > 0)
		holdout_find(protection, RelationGetDescr(relation), thousandths, true, &holdout);
}

/* Like analyst_open(), but the label may be NULL, and there is no filter. */
static void
settle_table(Training *training, Oid table, List *names, const char *label, Jsonb *options)
{
	LabelChoice choice = training_label_choice(training, label);
	Protection protection;
	Relation relation = open_protected(table, &protection);
	Encoders all;
	Encoders features;
	bool may_pack = true;

	protection_encoders(&protection, RelationGetDescr(relation), names, label, NIL, &all);
	if (training_target_columns(training) > 0 && label == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("label must not be null for method \"%s\"",
							   method_name(training->method))));
	if (label != NULL)
	{
		const Encoder *encoder = encoders_label(&all, &choice);

		training_set_label(training, encoder, options);
		may_pack = !encoder->is_class;
	}
	encoders_choose(&all, names, label, may_pack, &features);
	check_holdout(&protection, relation, training->options.holdout);
	relation_close(relation, AccessShareLock);
	training_set_protected(training, &features, &protection);
	training_set_table(training, table, 0);
	training_begin(training, training->options.dimension);
}

static void
price_table_training(FunctionCallInfo fcinfo, Oid table, const char *method, StringInfo json)
{
	Training *training = palloc0(sizeof(Training));
	Jsonb *options = argument_json(fcinfo, TRAIN_OPTIONS, "options");
	List *names = NIL;
	char *label = NULL;

	training->by_analyst = true;
	training_set_cost(training, PG_GETARG_DATUM(TRAIN_EPSILON), NUMERICOID,
					  PG_GETARG_DATUM(TRAIN_DELTA), NUMERICOID);
	training_set_method(training, method, psprintf(EVALUATIONS "%s", looks_names(true)));
	if (!PG_ARGISNULL(TRAIN_FEATURES))
		names = encoders_names(PG_GETARG_ARRAYTYPE_P(TRAIN_FEATURES));
	if (!PG_ARGISNULL(TRAIN_LABEL))
		label = text_to_cstring(PG_GETARG_TEXT_PP(TRAIN_LABEL));
	training_set_options(training, options);
	settle_table(training, table, names, label, options);
	analyst_check_filter(table, argument_json(fcinfo, TRAIN_FILTER, "filter"));
	check_least_epsilon(&training->cost);
	append_price(json, training);
	append_remaining(json, table, training_pair(training), training->request.adjacency);
}

/* ---- a number of features ---- */

/* Raises an error if option "dimension" differs from the argument d. */
static void
check_dimension(const Training *training, int features)
{
	int declared = training->options.dimension;

	if (features < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("d must be greater than zero")));
	if (declared > 0 && declared != features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"dimension\" is %d for %d features", declared, features)));
}

/* ---- a run of dp_ftrl ---- */

/* The bound holds for the mean over the run's random bits, if the costs do not depend on choices.
 */
static void
append_learning(StringInfo json, const Learning *learning)
{
	double regret = learning->plan.regret * (learning->high - learning->low);

	decimal_warn_of_large_delta(learning->cost.delta_charged); /* as at its charge */
	appendStringInfo(json,
					 "\"method\": \"ftrl\", \"epsilon\": %s, \"delta\": %s, \"adjacency\": "
					 "\"replace\", \"unit\": \"row\", \"guarantee\": \"exact\"",
					 decimal_text(learning->cost.epsilon_charged, EPSILON_UNIT),
					 decimal_text(learning->cost.delta_charged, DELTA_UNIT));
	appendStringInfo(json, ", \"dimension\": %d, \"n\": " INT64_FORMAT, learning->dimension,
					 learning->steps);
	learning_append_mechanism(json, learning);
	appendStringInfo(json, ", \"regret\": {\"mean\": %.6g, \"per_step\": %.6g}", regret,
					 regret / (double) learning->steps);
}

void
price_settle_learning(Learning *learning, int choices, Datum epsilon, Datum delta, Jsonb *options)
{
	learning_begin(learning, epsilon, NUMERICOID, delta, NUMERICOID, options);
	if (learning->dimension > 0 && learning->dimension != choices)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"dimension\" is %d for %d choices", learning->dimension,
							   choices)));
	learning_settle(learning, Max(choices, 1));
}

static void
price_learning(FunctionCallInfo fcinfo, StringInfo json)
{
	int choices = DatumGetInt32(argument_value(fcinfo, 1, "d"));
	Learning learning;

	price_settle_learning(&learning, choices, argument_value(fcinfo, 2, "epsilon"),
						  argument_value(fcinfo, 3, "delta"), argument_json(fcinfo, 4, "options"));
	append_learning(json, &learning);
}

/* ---- an evaluation ---- */

/* NULL if it is not given. */
static JsonbValue *
option_of(Jsonb *options, const char *name)
{
	bool is_object = options != NULL && JB_ROOT_IS_OBJECT(options);

	return is_object ? json_member(&options->root, name) : NULL;
}

static int64
read_classes(JsonbValue *given)
{
	int64 classes = 2;

	if (given != NULL && !json_get_integer(given, 2, INSTANCE_MAX_CLASSES, &classes))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"classes\" must be an integer from 2 to %d",
							   INSTANCE_MAX_CLASSES)));
	return classes;
}

static int64
read_models(JsonbValue *given)
{
	int64 models = 0;

	if (given == NULL || !json_get_integer(given, 0, PG_INT32_MAX, &models))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of models is missing"),
						errhint("Set \"models\" in the options.")));
	return models;
}

/* of_table: the number of models is an option, and the neighbours are those of the table. */
static void
read_options(Jsonb *options, bool of_table, PricedEvaluation *evaluation)
{
	JsonbValue *holdout = of_table ? option_of(options, "holdout") : NULL;
	const char *known[3];
	int count = 0;

	known[count++] = of_table ? "holdout" : "adjacency";
	if (evaluation->kind == TALLY_CONFUSION)
		known[count++] = "classes";
	if (of_table && evaluation->kind == TALLY_SELECTION)
		known[count++] = "models";
	if (options != NULL)
		tally_check_options(options, evaluation->kind, known, count);
	if (holdout != NULL)
		options_read_holdout(holdout, true, &evaluation->holdout);
	evaluation->adjacency = looks_read_adjacency(option_of(options, "adjacency"));
	evaluation->classes = read_classes(option_of(options, "classes"));
	if (of_table && evaluation->kind == TALLY_SELECTION)
		evaluation->models = read_models(option_of(options, "models"));
}

/*
 * The error of a count is in rows; that of a choice is how many more mistakes the chosen model
 * makes than the best one.  A person's rows share epsilon (evaluate.c).
 */
static void
append_evaluation(StringInfo json, const PricedEvaluation *evaluation)
{
	TallyKind kind = evaluation->kind;
	int counts = kind == TALLY_ACCURACY ? 2 : tally_cells((int) evaluation->classes);
	int64 epsilon = evaluation->cost.epsilon / Max(evaluation->rows_per_person, 1);
	double rows;

	if (epsilon == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d rows of a person",
							   evaluation->rows_per_person)));
	rows = kind == TALLY_SELECTION
			   ? utility_whole_rows(evaluation_choice_error(epsilon, evaluation->adjacency,
															(int) evaluation->models, PRICE_BETA))
			   : evaluation_error(epsilon, evaluation->adjacency, counts, PRICE_BETA);
	append_noisy(json, tally_name(kind), tally_mechanism(kind), &evaluation->cost,
				 evaluation->adjacency, evaluation->rows_per_person, evaluation->holdout);
	if (kind == TALLY_SELECTION)
		appendStringInfo(json, ", \"models\": %d", (int) evaluation->models);
	else
		appendStringInfo(json, ", \"counts\": %d", counts);
	appendStringInfo(json, ", \"error\": {\"rows\": %.0f, \"beta\": %g}", rows, PRICE_BETA);
}

void
price_settle_evaluation(TallyKind kind, int models, Datum epsilon, Datum delta, Jsonb *options,
						PricedEvaluation *evaluation)
{
	*evaluation = (PricedEvaluation){.kind = kind, .models = models};
	read_options(options, false, evaluation);
	decimal_epsilon(epsilon, NUMERICOID, &evaluation->cost);
	decimal_delta(delta, NUMERICOID, &evaluation->cost);
	if (kind == TALLY_SELECTION)
		tally_check_models(models);
	else if (models != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("d must be 1 for method \"%s\"", tally_name(kind)),
				 errdetail("It is the number of models, of which more are for a selection.")));
}

/* d is the number of models. */
static void
price_evaluation(FunctionCallInfo fcinfo, TallyKind kind, StringInfo json)
{
	int models = DatumGetInt32(argument_value(fcinfo, 1, "d"));
	PricedEvaluation evaluation;

	price_settle_evaluation(kind, models, argument_value(fcinfo, 2, "epsilon"),
							argument_value(fcinfo, 3, "delta"), argument_json(fcinfo, 4, "options"),
							&evaluation);
	append_evaluation(json, &evaluation);
}

/* Columns and label are those of the models, so they are no arguments. */
static void
price_table_evaluation(FunctionCallInfo fcinfo, Oid table, TallyKind kind, StringInfo json)
{
	PricedEvaluation evaluation = {.kind = kind, .models = 1};
	Protection protection;
	Relation relation;

	read_options(argument_json(fcinfo, TRAIN_OPTIONS, "options"), true, &evaluation);
	if (kind == TALLY_SELECTION)
		tally_check_models((int) evaluation.models);
	decimal_epsilon(PG_GETARG_DATUM(TRAIN_EPSILON), NUMERICOID, &evaluation.cost);
	relation = open_protected(table, &protection);
	check_holdout(&protection, relation, evaluation.holdout);
	relation_close(relation, AccessShareLock);
	analyst_check_filter(table, argument_json(fcinfo, TRAIN_FILTER, "filter"));
	check_least_epsilon(&evaluation.cost);
	evaluation.adjacency = protection.adjacency;
	evaluation.rows_per_person = protection.max_rows_per_person;
	append_evaluation(json, &evaluation);
	append_remaining(json, table, pair_pure(evaluation.cost.epsilon_charged), protection.adjacency);
}

/* ---- a look ---- */

static void
require_option(const LookType *type, bool given, const char *name, const char *example)
{
	if (!given)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" is required for method \"%s\"", name, type->name),
						errhint("Write for example {\"%s\": %s}.", name, example)));
}

static void
require_quantiles(const LookRequest *request)
{
	const Look *look = &request->look;

	if (look->type->reads == READS_POINT)
		require_option(look->type, look->quantiles > 0, "quantiles", "[0.25, 0.5, 0.75]");
}

void
price_settle_look(const LookType *type, int cells, Datum epsilon, Datum delta, Jsonb *options,
				  LookRequest *request)
{
	double low = NAN;
	double high = NAN;

	if (type->reads == READS_KNOWN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"suggest\" has no price without a table"),
						errhint("Call dpobj.price with the table and the option \"columns\".")));
	looks_begin(request, type);
	request->is_price = true;
	decimal_epsilon(epsilon, NUMERICOID, &request->cost);
	decimal_delta(delta, NUMERICOID, &request->cost);
	if (type->reads == READS_COLUMNS)
		looks_set_columns(request, cells);
	else if (type->reads == READS_SCORES)
	{
		if (cells < 2 || cells > ESTIMATE_MAX_BINS)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("d must be from 2 to %d for method \"%s\"", ESTIMATE_MAX_BINS,
								   type->name),
							errdetail("It is the number of bins.")));
		request->bins = cells;
		looks_set_bins(request, 0);
	}
	else
		looks_set_cells(request, cells);
	looks_read_options(request, options, look_has_values(type) ? &low : NULL, &high);
	require_quantiles(request);
	if (look_has_values(type))
	{
		require_option(type, !isnan(low), "clip", "[0, 100]");
		looks_set_bounds(request, low, high);
	}
}

/* Half of the length of an interval, of numbers by name; of quantiles, the bounds in ranks. */
static void
append_look_error(StringInfo json, const LookRequest *request)
{
	const Look *look = &request->look;
	double beta = 1.0 - request->confidence;
	Facts facts = {0};

	appendStringInfoString(json, ", \"error\": {");
	for (int i = 0; i < look->quantiles; i++)
		appendStringInfo(json, "%s%.15g", i == 0 ? "\"ranks\": [" : ", ",
						 look_rank_error(look, request->cost.epsilon, i, beta));
	if (look->quantiles > 0)
		appendStringInfoString(json, "], ");
	else
		look->type->error(look, request->cost.epsilon, beta, &facts);
	for (int i = 0; i < facts.count; i++)
		appendStringInfo(json, "\"%s\": %.*g, ", facts.fact[i].name, facts.fact[i].digits,
						 facts.fact[i].number);
	appendStringInfo(json, "\"beta\": %g}", beta);
}

/* Of each column the most that a number of rows or a rank is off by. */
static void
append_look_suggest_error(StringInfo json, const AnalystLook *look)
{
	const LookRequest *request = &look->request;
	double beta = 1.0 - request->confidence;

	appendStringInfoString(json, ", \"error\": {");
	for (int i = 0; i < request->look.columns; i++)
	{
		appendStringInfoString(json, i == 0 ? "\"columns\": {" : ", ");
		escape_json(json, look->opened.features.encoder[i].column.name);
		appendStringInfo(json, ": {\"%s\": %.6g}",
						 request->look.block[i].part->type->reads == READS_POINT ? "ranks" : "rows",
						 look_suggest_error(&request->look, request->cost.epsilon, i, beta));
	}
	appendStringInfo(json, "}, \"beta\": %g}", beta);
}

static void
append_look(StringInfo json, const LookRequest *request)
{
	const Look *look = &request->look;

	append_noisy(json, look->type->name, look->type->law, &request->cost, look->adjacency,
				 look->rows_per_person > 1 ? (int) look->rows_per_person : 0, request->holdout);
	if (look->columns > 0)
		appendStringInfo(json, ", \"columns\": %d", look->columns);
	else
		appendStringInfo(json, ", \"cells\": %d", look->cells);
	if (look->type->reads == READS_POINT)
		looks_append_quantiles(json, look);
}

/* The option of that name, for a suggestion whose columns are no argument of a price. */
static Jsonb *
columns_option(Jsonb *options)
{
	JsonbValue *columns = option_of(options, "columns");

	require_option(&look_suggest, columns != NULL, "columns", "{\"age\": [0, 120]}");
	return JsonbValueToJsonb(columns);
}

static List *
by_option(Jsonb *options)
{
	JsonbValue *by = option_of(options, "by");
	JsonbContainer *array = json_get_array(by);
	int count = array == NULL ? 0 : JsonContainerSize(array);
	Datum *names = palloc(count * sizeof(Datum));
	bool valid = array != NULL;

	if (by == NULL)
		return NIL;
	for (int i = 0; valid && i < count; i++)
	{
		char *name = json_get_string(getIthJsonbValueFromContainer(array, i));

		valid = name != NULL;
		if (valid)
			names[i] = CStringGetTextDatum(name);
	}
	if (!valid)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"by\" must be an array of names of columns")));
	return encoders_group_names(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/*
 * The argument label is the column, features are the columns of a profile; those that rows are
 * grouped by, and what is public about the columns of a suggestion, are options.
 */
static void
price_table_look(FunctionCallInfo fcinfo, Oid table, const LookType *type, StringInfo json)
{
	AnalystLook look = {0};
	Protection protection;

	looks_begin(&look.request, type);
	look.request.is_price = true;
	look.request.table = table;
	decimal_epsilon(PG_GETARG_DATUM(TRAIN_EPSILON), NUMERICOID, &look.request.cost);
	if (look_has_column(type))
		look.column = TextDatumGetCString(argument_value(fcinfo, TRAIN_LABEL, "label"));
	look.options = argument_json(fcinfo, TRAIN_OPTIONS, "options");
	look.filter = argument_json(fcinfo, TRAIN_FILTER, "filter");
	if (type->reads == READS_KNOWN)
		look.known = columns_option(look.options);
	else if (type->reads != READS_COLUMNS)
		look.by = by_option(look.options);
	else if (!PG_ARGISNULL(TRAIN_FEATURES))
		look.by = encoders_names(PG_GETARG_ARRAYTYPE_P(TRAIN_FEATURES));
	relation_close(open_protected(table, &protection), AccessShareLock);
	analyst_look_settle(&look);
	require_quantiles(&look.request);
	check_least_epsilon(&look.request.cost);
	append_look(json, &look.request);
	if (type->reads == READS_KNOWN)
		append_look_suggest_error(json, &look);
	else
		append_look_error(json, &look.request);
	append_remaining(json, table, pair_pure(look.request.cost.epsilon_charged),
					 protection.adjacency);
}

/* d is the number of cells, for a profile that of columns. */
static void
price_look(FunctionCallInfo fcinfo, const LookType *type, StringInfo json)
{
	LookRequest request;

	price_settle_look(type, DatumGetInt32(argument_value(fcinfo, 1, "d")),
					  argument_value(fcinfo, 2, "epsilon"), argument_value(fcinfo, 3, "delta"),
					  argument_json(fcinfo, 4, "options"), &request);
	append_look(json, &request);
	append_look_error(json, &request);
}

/* dpobj.price(relation, label, epsilon, features, delta, method, options, filter) -> jsonb */
PG_FUNCTION_INFO_V1(dpobj_price_training);
Datum
dpobj_price_training(PG_FUNCTION_ARGS)
{
	Oid table = DatumGetObjectId(argument_value(fcinfo, TRAIN_RELATION, "relation"));
	const char *method;
	TallyKind kind;
	const LookType *look;
	StringInfoData json;

	(void) argument_value(fcinfo, TRAIN_EPSILON, "epsilon");
	(void) argument_value(fcinfo, TRAIN_DELTA, "delta");
	method = TextDatumGetCString(argument_value(fcinfo, TRAIN_METHOD, "method"));
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	if (tally_find(method, &kind))
		price_table_evaluation(fcinfo, table, kind, &json);
	else if ((look = look_find(method)) != NULL)
		price_table_look(fcinfo, table, look, &json);
	else
		price_table_training(fcinfo, table, method, &json);
	return finish_json(&json);
}

/* ---- both ---- */

Training *
price_settle_training(const char *method, int features, Datum epsilon, Datum delta, Jsonb *options)
{
	Training *training = palloc0(sizeof(Training));

	training_set_method(training, method,
						psprintf(EVALUATIONS "%s, " PRICE_LEARNING, looks_names(false)));
	training_set_cost(training, epsilon, NUMERICOID, delta, NUMERICOID);
	training_set_options(training, options);
	check_dimension(training, features);
	training_begin(training, features);
	return training;
}

/* dpobj.price_aggregate(method, d, epsilon, delta, options) -> jsonb; with the aggregate's options
 */
PG_FUNCTION_INFO_V1(dpobj_price_dimension);
Datum
dpobj_price_dimension(PG_FUNCTION_ARGS)
{
	const char *method = TextDatumGetCString(argument_value(fcinfo, 0, "method"));
	TallyKind kind;
	const LookType *look;
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	if (strcmp(method, PRICE_LEARNING) == 0)
		price_learning(fcinfo, &json);
	else if (tally_find(method, &kind))
		price_evaluation(fcinfo, kind, &json);
	else if ((look = look_find(method)) != NULL)
		price_look(fcinfo, look, &json);
	else
	{
		int features = DatumGetInt32(argument_value(fcinfo, 1, "d"));

		append_price(&json,
					 price_settle_training(method, features, argument_value(fcinfo, 2, "epsilon"),
										   argument_value(fcinfo, 3, "delta"),
										   argument_json(fcinfo, 4, "options")));
	}
	return finish_json(&json);
}
