/*
 * price.c - dpobj.price(): what a call would cost, and how good its model would be.
 *
 * release_price() settles the call as the call itself does, from public parameters, and stops
 * before the charge, of which the price is told.  No row is read and nothing is written, so it needs
 * no budget and works on a standby.  Arguments that the call would refuse raise the same error here.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "core/looks/evaluation.h"
#include "core/mechanisms/utility.h"

#include "server/base/argument.h"
#include "server/ledger/charge_cost.h"
#include "server/ledger/grant.h"
#include "server/base/json_value.h"
#include "server/release/looks.h"
#include "server/release/mechanism_choice.h"
#include "server/release/trained.h"
#include "server/release/usefulness.h"
#include "server/analyst/price.h"
#include "server/analyst/price_work.h"
#include "server/analyst/train_request.h"
#include "server/release/rating_choice.h"
#include "server/release/tally.h"
#include "server/release/training.h"

/* The bound on the error may fail with this probability. */
#define PRICE_BETA 0.05

/* Methods that are no trainings, beside looks. */
#define EVALUATIONS ", accuracy, confusion, select"

/* The method of a run of dp_ftrl, which is no training. */
#define LEARNING "ftrl"

/* ---- members of the answer ---- */

/* What prices begin with. */
static void
append_charge(StringInfo json, const PricedCall *call)
{
	const Charge *charge = &call->charge;

	decimal_warn_of_large_delta(charge->pair.delta); /* as at its charge */
	appendStringInfo(json,
					 "{\"method\": \"%s\", \"mechanism\": \"%s\", \"epsilon\": %s, "
					 "\"delta\": %s, \"adjacency\": \"%s\", \"guarantee\": \"%s\"",
					 call->method, charge->mechanism,
					 decimal_text(charge->pair.epsilon, EPSILON_UNIT),
					 decimal_text(charge->pair.delta, DELTA_UNIT),
					 adjacency_name(charge->adjacency), charge->guarantee);
	if (call->rows_per_person > 0)
		appendStringInfo(json, ", \"unit\": \"person\", \"max_rows_per_person\": %d",
						 call->rows_per_person);
	else
		appendStringInfoString(json, ", \"unit\": \"row\"");
	if (call->holdout > 0)
		holdout_append_share(json, call->holdout);
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
append_training(StringInfo json, const Training *training)
{
	if (training->coverage_epsilon > 0) /* counts usable rows */
		appendStringInfo(json, ", \"coverage_epsilon\": %s",
						 decimal_text(training->coverage_epsilon, EPSILON_UNIT));
	if (training_model_epsilon(training) < training->cost.epsilon)
		appendStringInfo(json, ", \"model_epsilon\": %s",
						 decimal_text(training_model_epsilon(training), EPSILON_UNIT));
	rating_append_charge(json, training);
	training_append_choice(json, training);
	price_append_work(json, training);
	mechanism_append_terms(json, &training->request);
	append_exponent(json, &training->request);
	mechanism_append_error(json, &training->request, PRICE_BETA);
}

/* The bound holds for the mean over the run's random bits, if the costs do not depend on choices.
 */
static void
append_learning(StringInfo json, const Learning *learning)
{
	double regret = learning->plan.regret * (learning->high - learning->low);

	appendStringInfo(json, ", \"dimension\": %d, \"n\": " INT64_FORMAT, learning->dimension,
					 learning->steps);
	learning_append_mechanism(json, learning);
	appendStringInfo(json, ", \"regret\": {\"mean\": %.6g, \"per_step\": %.6g}", regret,
					 regret / (double) learning->steps);
}

/*
 * The error of a count is in rows; that of a choice is how many more mistakes the chosen model
 * makes than the best one.
 */
static void
append_rating(StringInfo json, const TallyRequest *tally)
{
	bool selects = tally->kind == TALLY_SELECTION;
	int counts = tally->kind == TALLY_ACCURACY ? 2 : tally_cells(tally->classes);
	double beta = 1.0 - tally->confidence;
	double rows = selects ? utility_whole_rows(evaluation_choice_error(
								tally->epsilon, tally->adjacency, tally->models, beta))
						  : evaluation_error(tally->epsilon, tally->adjacency, counts, beta);

	appendStringInfo(json, ", \"%s\": %d", selects ? "models" : "counts",
					 selects ? tally->models : counts);
	appendStringInfo(json, ", \"error\": {\"rows\": %.0f, \"beta\": %g}", rows, beta);
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
append_suggest_error(StringInfo json, const LookRequest *request, const Encoders *columns)
{
	double beta = 1.0 - request->confidence;

	appendStringInfoString(json, ", \"error\": {");
	for (int i = 0; i < columns->count; i++)
	{
		appendStringInfoString(json, i == 0 ? "\"columns\": {" : ", ");
		escape_json(json, columns->encoder[i].column.name);
		appendStringInfo(json, ": {\"%s\": %.6g}",
						 request->look.block[i].part->type->reads == READS_POINT ? "ranks" : "rows",
						 look_suggest_error(&request->look, request->cost.epsilon, i, beta));
	}
	appendStringInfo(json, "}, \"beta\": %g}", beta);
}

static void
append_look(StringInfo json, const LookRequest *request, const Encoders *columns)
{
	const Look *look = &request->look;

	if (look->columns > 0)
		appendStringInfo(json, ", \"columns\": %d", look->columns);
	else if (look->type->reads != READS_LEVEL)
		appendStringInfo(json, ", \"cells\": %d", look->cells);
	if (look->type->reads == READS_POINT)
		looks_append_quantiles(json, look);
	if (look->type->reads == READS_KNOWN)
		append_suggest_error(json, request, columns);
	else
		append_look_error(json, request);
}

static void
append_call(StringInfo json, const PricedCall *call)
{
	append_charge(json, call);
	if (call->training != NULL)
		append_training(json, call->training);
	else if (call->learning != NULL)
		append_learning(json, call->learning);
	else if (call->tally != NULL)
		append_rating(json, call->tally);
	else
		append_look(json, call->look, call->columns);
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
append_remaining(StringInfo json, Oid table, const Charge *charge)
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

	charge_cost_of(&charge->pair, charge->adjacency, &cost);
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

/* Settles a call of a kind, whose struct begins with the release. */
static void
settle_release(Release *release, const ReleaseKind *kind, Oid table, PricedCall *call)
{
	release->kind = kind;
	release->table = table;
	release->by_analyst = true;
	analyst_check_relation(table);
	release_price(release);
	call->charge = release->charge;
}

/* A training; the label may be NULL. */
typedef struct PricedTraining
{
	Release release; /* the first member */
	TrainRequest request;
	AnalystTable opened;
} PricedTraining;

static void
settle_training(Release *release)
{
	PricedTraining *priced = (PricedTraining *) release;

	train_request_settle(&priced->request, &priced->opened, NULL);
	release->charge = trained_charge(priced->request.training);
	analyst_shape(release, &priced->opened);
	usefulness_check(priced->request.training);
}

static void
price_table_training(FunctionCallInfo fcinfo, Oid table, PricedCall *call)
{
	static const ReleaseKind kind = {.settle = settle_training};
	PricedTraining *priced = palloc0(sizeof(PricedTraining));
	const Training *training;

	train_request_read(fcinfo, false, psprintf(EVALUATIONS "%s", looks_names(true)),
					   &priced->request);
	settle_release(&priced->release, &kind, table, call);
	training = priced->request.training;
	call->training = training;
	call->method = method_name(training->method);
	call->holdout = training->rating.by_chance ? 0 : training->options.holdout;
	call->rows_per_person = training->rows_per_person;
}

/* A rating; columns and label are those of the models, so they are no arguments. */
typedef struct PricedRating
{
	Release release; /* the first member */
	TallyRequest tally;
	PrivacyCost cost;
	Jsonb *filter;
	AnalystTable opened;
} PricedRating;

static void
settle_rating(Release *release)
{
	PricedRating *priced = (PricedRating *) release;
	AnalystTable *opened = &priced->opened;
	double low;
	double high;

	analyst_open_look(release->table, NIL, NULL, false, NULL, priced->filter, opened, &low, &high);
	analyst_hold_out(opened, priced->tally.holdout, false);
	tally_set_protected(&priced->tally, &priced->cost, &opened->protection);
	release->charge = tally_charge(&priced->tally);
	analyst_shape(release, opened);
}

static void
price_table_rating(FunctionCallInfo fcinfo, Oid table, TallyKind rating, PricedCall *call)
{
	static const ReleaseKind kind = {.settle = settle_rating};
	PricedRating *priced = palloc0(sizeof(PricedRating));
	TallyRequest *tally = &priced->tally;

	*tally = (TallyRequest){.kind = rating, .is_price = true, .table = table};
	tally_read_options(tally, argument_json(fcinfo, TRAIN_OPTIONS, "options"));
	if (rating == TALLY_SELECTION)
		tally_check_models(tally->models);
	decimal_epsilon(PG_GETARG_DATUM(TRAIN_EPSILON), NUMERICOID, &priced->cost);
	priced->filter = argument_json(fcinfo, TRAIN_FILTER, "filter");
	settle_release(&priced->release, &kind, table, call);
	call->tally = tally;
	call->holdout = tally->holdout;
	call->rows_per_person = priced->opened.protection.max_rows_per_person;
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

/* The option of that name, for a suggestion whose columns are no argument of a price. */
static Jsonb *
columns_option(Jsonb *options)
{
	JsonbValue *columns = json_option(options, "columns");

	return columns == NULL ? NULL : JsonbValueToJsonb(columns);
}

static List *
by_option(Jsonb *options)
{
	JsonbValue *by = json_option(options, "by");
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
price_table_look(FunctionCallInfo fcinfo, Oid table, const LookType *type, PricedCall *call)
{
	AnalystLook *look = palloc0(sizeof(AnalystLook));

	looks_begin(&look->request, type);
	look->request.is_price = true;
	decimal_epsilon(PG_GETARG_DATUM(TRAIN_EPSILON), NUMERICOID, &look->request.cost);
	if (type->reads == READS_LEVEL)
		decimal_delta(PG_GETARG_DATUM(TRAIN_DELTA), NUMERICOID, &look->request.cost);
	if (look_has_column(type))
		look->column = TextDatumGetCString(argument_value(fcinfo, TRAIN_LABEL, "label"));
	look->options = argument_json(fcinfo, TRAIN_OPTIONS, "options");
	look->filter = argument_json(fcinfo, TRAIN_FILTER, "filter");
	if (type->reads == READS_KNOWN)
		look->known = columns_option(look->options);
	else if (type->reads != READS_COLUMNS)
		look->by = by_option(look->options);
	else if (!PG_ARGISNULL(TRAIN_FEATURES))
		look->by = encoders_names(PG_GETARG_ARRAYTYPE_P(TRAIN_FEATURES));
	settle_release(&look->release, &analyst_look_kind, table, call);
	require_quantiles(&look->request);
	call->look = &look->request;
	call->columns = &look->opened.features;
	call->holdout = look->request.holdout;
	call->rows_per_person = look->opened.protection.max_rows_per_person;
}

/* dpobj.price(relation, label, epsilon, features, delta, method, options, filter) -> jsonb */
PG_FUNCTION_INFO_V1(dpobj_price_training);
Datum
dpobj_price_training(PG_FUNCTION_ARGS)
{
	Oid table = DatumGetObjectId(argument_value(fcinfo, TRAIN_RELATION, "relation"));
	PricedCall call = {0};
	TallyKind rating;
	const LookType *look;
	StringInfoData json;

	(void) argument_value(fcinfo, TRAIN_EPSILON, "epsilon");
	(void) argument_value(fcinfo, TRAIN_DELTA, "delta");
	call.method = TextDatumGetCString(argument_value(fcinfo, TRAIN_METHOD, "method"));
	if (tally_find(call.method, &rating))
		price_table_rating(fcinfo, table, rating, &call);
	else if ((look = look_find(call.method)) != NULL)
		price_table_look(fcinfo, table, look, &call);
	else
		price_table_training(fcinfo, table, &call);
	initStringInfo(&json);
	append_call(&json, &call);
	append_remaining(&json, table, &call.charge);
	return finish_json(&json);
}

/* ---- an aggregate ---- */

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

static void
price_training(PricedCall *call, int features, const PrivacyCost *cost, Jsonb *options)
{
	Training *training = palloc0(sizeof(Training));

	training_set_method(training, call->method,
						psprintf(EVALUATIONS "%s, " LEARNING, looks_names(false)));
	training->cost = *cost;
	training_set_options(training, options);
	check_dimension(training, features);
	training_begin(training, features);
	call->training = training;
	call->method = method_name(training->method);
	call->charge = trained_charge(training);
}

static void
price_learning(PricedCall *call, int choices, Datum epsilon, Datum delta, Jsonb *options)
{
	Learning *learning = palloc(sizeof(Learning));

	learning_begin(learning, epsilon, NUMERICOID, delta, NUMERICOID, options);
	if (learning->dimension > 0 && learning->dimension != choices)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"dimension\" is %d for %d choices", learning->dimension,
							   choices)));
	learning_settle(learning, Max(choices, 1));
	call->learning = learning;
	call->charge = (Charge){
		.mechanism = learning->plan.kind == FTRL_EXPONENTIAL ? "exponential" : "tree",
		.adjacency = ADJACENCY_REPLACE,
		.pair = learning_pair(learning),
		.guarantee = "exact",
	};
}

static void
price_rating(PricedCall *call, TallyKind rating, int models, const PrivacyCost *cost,
			 Jsonb *options)
{
	TallyRequest *tally = palloc(sizeof(TallyRequest));

	*tally = (TallyRequest){.kind = rating, .is_price = true, .models = models};
	tally_read_options(tally, options);
	tally->epsilon = cost->epsilon;
	tally->epsilon_charged = cost->epsilon_charged;
	if (rating == TALLY_SELECTION)
		tally_check_models(models);
	else if (models != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("d must be 1 for method \"%s\"", call->method),
				 errdetail("It is the number of models, of which more are for a selection.")));
	call->tally = tally;
	call->charge = tally_charge(tally);
}

static void
set_cells(LookRequest *request, int cells)
{
	const LookType *type = request->look.type;

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
}

static void
price_look(PricedCall *call, const LookType *type, int cells, const PrivacyCost *cost,
		   Jsonb *options)
{
	LookRequest *request = palloc(sizeof(LookRequest));
	double low = NAN;
	double high = NAN;

	if (type->reads == READS_KNOWN || type->reads == READS_LEVEL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" has no price without a table", type->name),
				 type->reads == READS_LEVEL
					 ? errhint("Call dpobj.price with the table and the column as label.")
					 : errhint("Call dpobj.price with the table and the option \"columns\".")));
	looks_begin(request, type);
	request->is_price = true;
	request->cost = *cost;
	set_cells(request, cells);
	looks_read_options(request, options, look_has_values(type) ? &low : NULL, &high);
	require_quantiles(request);
	if (look_has_values(type))
	{
		require_option(type, !isnan(low), "clip", "[0, 100]");
		looks_set_bounds(request, low, high);
	}
	call->look = request;
	call->rows_per_person =
		request->look.rows_per_person > 1 ? (int) request->look.rows_per_person : 0;
	call->charge = looks_charge(request);
}

void
price_settle(PricedCall *call, const char *method, int d, Datum epsilon, Datum delta,
			 Jsonb *options)
{
	PrivacyCost cost;
	TallyKind rating;
	const LookType *look;

	*call = (PricedCall){.method = method};
	decimal_epsilon(epsilon, NUMERICOID, &cost);
	decimal_delta(delta, NUMERICOID, &cost);
	if (strcmp(method, LEARNING) == 0)
		price_learning(call, d, epsilon, delta, options);
	else if (tally_find(method, &rating))
		price_rating(call, rating, d, &cost, options);
	else if ((look = look_find(method)) != NULL)
		price_look(call, look, d, &cost, options);
	else
		price_training(call, d, &cost, options);
}

/* dpobj.price_aggregate(method, d, epsilon, delta, options) -> jsonb; with the aggregate's options
 */
PG_FUNCTION_INFO_V1(dpobj_price_dimension);
Datum
dpobj_price_dimension(PG_FUNCTION_ARGS)
{
	PricedCall call;
	StringInfoData json;
	const char *method = TextDatumGetCString(argument_value(fcinfo, 0, "method"));
	int d = DatumGetInt32(argument_value(fcinfo, 1, "d"));

	price_settle(&call, method, d, argument_value(fcinfo, 2, "epsilon"),
				 argument_value(fcinfo, 3, "delta"), argument_json(fcinfo, 4, "options"));
	initStringInfo(&json);
	append_call(&json, &call);
	return finish_json(&json);
}
