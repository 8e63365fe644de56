/*
 * evaluate.c - dpobj.evaluate(), dpobj.confusion() and dpobj.select(): rates models of the session
 * user on a table that the session user may not read.
 *
 * tally.h has the counts that are released, and their noise.  Here the models' columns are read,
 * with the encoders that the models were trained with, and the filter.  A row that is filtered out
 * or cannot be encoded is in no count.  Where a person has at most k rows, each row has
 * epsilon / k, which is group privacy (theorem N4) for both laws.
 *
 * Models to choose from may use different columns of the table.  They are rated on the rows that
 * can be encoded in all of these, so that a row changes each model's number of mistakes by 1 at
 * most, as the law needs.
 *
 * A model that predicts a number is rated by its residuals, which are a look (look.c).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "server/base/argument.h"
#include "server/base/admin.h"
#include "server/analyst/analyst.h"
#include "server/analyst/evaluate.h"
#include "server/release/kept.h"
#include "server/analyst/look.h"
#include "server/base/decimal.h"
#include "server/base/dpobj.h"
#include "server/base/gate.h"
#include "server/base/identity.h"
#include "server/base/json_value.h"
#include "server/base/materialize.h"
#include "server/rows/options.h"
#include "server/rows/population.h"
#include "server/models/model_rating.h"
#include "server/models/named_model.h"
#include "server/rows/row_memory.h"
#include "server/release/tally.h"

enum
{
	ARGUMENT_MODEL, /* or models */
	ARGUMENT_RELATION,
	ARGUMENT_EPSILON,
	ARGUMENT_FILTER,
	ARGUMENT_OPTIONS
};

/* ---- a model ---- */

static void
read_details(RatedModel *rated)
{
	JsonbContainer *root;
	JsonbContainer *features;
	JsonbContainer *encoding;
	JsonbContainer *options;

	rated->details =
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(rated->model.details)));
	root = &rated->details->root;
	features = json_get_array(json_member(root, "features"));
	encoding = json_get_object(json_member(root, "encoding"));
	options = json_get_object(json_member(root, "options"));
	if (features == NULL || encoding == NULL)
		elog(ERROR, "model \"%s\" does not say what its features are", rated->name);
	rated->label.name = json_get_string(json_member(root, "label"));
	rated->label.is_target = method_kind_has_target(rated->model.kind);
	if (options != NULL)
	{
		rated->label.positive = json_member(options, "positive");
		rated->label.negative = json_member(options, "negative");
	}
	rated->columns = NIL;
	for (int i = 0; i < JsonContainerSize(features); i++)
		rated->columns =
			lappend(rated->columns, json_get_string(getIthJsonbValueFromContainer(features, i)));
	rated->rater.intercept = json_is_true(json_member(encoding, "intercept"));
	rated->fit_intercept = 0;
	rated->fit_slope = 1;
	rated->probable = model_rating_calibration(root, &rated->fit_intercept, &rated->fit_slope) ||
					  strcmp(rated->model.kind, method_name(METHOD_LOGISTIC)) == 0;
	if (method_kind_has_classes(rated->model.kind))
		rated->rater.classes = JsonContainerSize(json_get_array(json_member(root, "classes")));
}

void
rated_model_find(const char *name, RatedModel *rated)
{
	rated->name = name;
	named_model_find(name, &rated->model);
	read_details(rated);
}

void
rated_model_read(const Model *model, RatedModel *rated)
{
	rated->name = "";
	rated->model = *model;
	read_details(rated);
}

/* The key as JSON, NULL for a model that is about a whole table. */
static char *
group_key(const RatedModel *rated)
{
	JsonbContainer *group = json_get_object(json_member(&rated->details->root, "group"));
	JsonbValue *value = group == NULL ? NULL : json_member(group, "key");
	Jsonb *key = value == NULL ? NULL : JsonbValueToJsonb(value);

	return key == NULL ? NULL : JsonbToCString(NULL, &key->root, VARSIZE(key));
}

const char *
rated_models_keys(const RatedModel *rated, int models)
{
	StringInfoData text;
	bool any = false;

	initStringInfo(&text);
	for (int i = 0; i < models; i++)
	{
		char *key = group_key(&rated[i]);

		any = any || key != NULL;
		appendStringInfo(&text, "%s%s", i > 0 ? ", " : ", \"keys\": [", key == NULL ? "null" : key);
	}
	appendStringInfoChar(&text, ']');
	return any ? text.data : "";
}

static void
check_encoder(const RatedModel *rated, const AnalystTable *opened, const char *column)
{
	JsonbContainer *encoders = json_get_object(json_member(&rated->details->root, "encoders"));
	JsonbContainer *then = encoders == NULL ? NULL : json_get_object(json_member(encoders, column));
	JsonbContainer *now = json_get_object(json_member(&opened->protection.encoders->root, column));

	if (then != NULL && now != NULL && compareJsonbContainers(then, now) == 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("model \"%s\" does not fit table %s", rated->name, opened->name),
					errdetail("Column \"%s\" was declared with another encoder when the model was "
							  "trained.",
							  column)));
}

void
rated_model_check(const RatedModel *rated, const AnalystTable *opened)
{
	ListCell *cell;

	check_encoder(rated, opened, rated->label.name);
	foreach (cell, rated->columns)
		check_encoder(rated, opened, lfirst(cell));
}

/* The share that a training on this table left out, in thousandths; 0: none. */
static int64
left_out_by(const RatedModel *rated, Oid table)
{
	static const char *const statement =
		"SELECT true FROM dpobj.ledger_events e WHERE e.id = $1 AND e.relation_identity = $2";
	JsonbValue *holdout = json_member(&rated->details->root, "holdout");
	Oid types[] = {INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(rated->model.release), Int64GetDatum(identity_of_table(table))};
	Datum found;
	bool isnull;
	int64 thousandths;

	if (holdout == NULL ||
		!admin_select(statement, lengthof(types), types, values, &found, &isnull))
		return 0;
	options_read_holdout(holdout, false, &thousandths);
	return thousandths;
}

static void
check_dealing(const RatedModel *rated, const AnalystTable *opened)
{
	const Holdout *holdout = &opened->holdout;
	JsonbContainer *then = json_get_array(json_member(&rated->details->root, "holdout_by"));
	bool same = then != NULL && JsonContainerSize(then) == holdout->count;
	bool moved;

	for (int i = 0; same && i < holdout->count; i++)
		same = json_is_string(getIthJsonbValueFromContainer(then, i), holdout->column[i].name);
	moved = population_is_later(opened->table, rated->model.release);
	if (same && !moved)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the rows that model \"%s\" left out are not known any more", rated->name),
			 moved ? errdetail("Table %s was in no population when the model was trained; a "
							   "population deals its people alike in all its tables.",
							   opened->name)
				   : errdetail("Table %s dealt its rows by other columns when the model was "
							   "trained.",
							   opened->name),
			 errhint("Say which rows to rate it on: {\"holdout\": false} for all rows, or a share "
					 "for rows that are held out now.")));
}

void
rated_models_hold_out(const RatedModel *rated, int models, bool given, int64 thousandths,
					  AnalystTable *opened)
{
	bool *left_out = palloc0(Max(models, 1) * sizeof(bool));
	bool any = false;

	for (int m = 0; !given && m < models; m++)
	{
		int64 share = left_out_by(&rated[m], opened->table);

		if (share == 0)
			continue;
		thousandths = any ? Min(thousandths, share) : share;
		any = left_out[m] = true;
	}
	analyst_hold_out(opened, thousandths, false);
	for (int m = 0; m < models; m++)
		if (left_out[m])
			check_dealing(&rated[m], opened);
}

/* Finds a column's encoder, and the place of its first feature in an encoded row. */
static const Encoder *
find_place(const Encoders *encoders, const char *column, int *first)
{
	*first = 0;
	for (int i = 0; i < encoders->count; i++)
	{
		if (strcmp(encoders->encoder[i].column.name, column) == 0)
			return &encoders->encoder[i];
		*first += encoders->encoder[i].features;
	}
	elog(ERROR, "column \"%s\" was not read", column);
}

void
rated_model_place(RatedModel *rated, const Encoders *encoders)
{
	Rater *rater = &rated->rater;
	int features = 0;
	ListCell *cell;

	memset(rater->levels, 0, sizeof(rater->levels));
	foreach (cell, rated->columns)
	{
		int first;
		const Encoder *encoder = find_place(encoders, lfirst(cell), &first);

		if (features < COLUMNS_MAX)
			rater->levels[features] = (int16) encoder_levels(encoder);
		for (int j = 0; j < encoder->features && features < COLUMNS_MAX; j++)
			rater->place[features++] = first + j;
	}
	rater->features = features;
	rater->weights = levels_weights(rater->levels, features) + (rater->intercept ? 1 : 0);
	rater->weight = rated->model.weight;
	if (rater->weights * Max(rater->classes, 1) != rated->model.weights)
		elog(ERROR, "model \"%s\" has another number of weights", rated->name);
}

/* Adds what a column's features add to a score at least and at most. */
static void
widen_range(const Encoder *encoder, const double *weight, double *lowest, double *highest)
{
	int weights = encoder_weights(encoder);
	int first = encoder->kind == ENCODER_NUMBER ? 1 : 0;
	/* of levels and bins one feature at most is 1, and of a declaration without gaps one is */
	bool gap = encoder->drop_first || encoder->null_indicator || encoder->packed;
	double least = gap || first > 0 ? 0.0 : weight[0];
	double most = least;

	for (int i = first; i < weights; i++)
	{
		least = Min(least, weight[i]);
		most = Max(most, weight[i]);
	}
	if (first > 0)
	{
		double ends[] = {weight[0] * encoder->low, weight[0] * encoder->high};

		least += Min(ends[0], ends[1]);
		most += Max(ends[0], ends[1]);
	}
	*lowest += least;
	*highest += most;
}

void
rated_model_range(const RatedModel *rated, const Encoders *encoders, double *lowest,
				  double *highest)
{
	const double *weight = rated->model.weight;
	ListCell *cell;

	*lowest = *highest = 0.0;
	foreach (cell, rated->columns)
	{
		int first;
		const Encoder *encoder = find_place(encoders, lfirst(cell), &first);

		widen_range(encoder, weight, lowest, highest);
		weight += encoder_weights(encoder);
	}
	if (rated->rater.intercept)
	{
		*lowest += *weight;
		*highest += *weight;
	}
	if (!(*lowest < *highest)) /* weights of 0: one bin holds all rows */
		*highest = *lowest + 1.0;
}

/* ---- the request ---- */

/* The columns of dpobj.confusion. */
#define CONFUSION_COLUMNS 5

typedef struct Evaluation
{
	AnalystLook look; /* the first member: its release; a look if the model predicts a number */
	TallyRequest tally;
	List *names; /* of the models */
	RatedModel *rated;
	PrivacyCost cost;
	Jsonb *filter; /* or NULL */
	AnalystTable opened;
	Encoding encoding;
	int64 *count; /* of all models */
	TallyResult result;
	TupleDesc descriptor; /* of the rows of the answer */
} Evaluation;

static void
check_same_label(const RatedModel *first, const RatedModel *other)
{
	if (strcmp(other->label.name, first->label.name) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("models \"%s\" and \"%s\" predict different columns", first->name,
							   other->name)));
	if (other->rater.classes != first->rater.classes ||
		!json_equal(other->label.positive, first->label.positive) ||
		!json_equal(other->label.negative, first->label.negative))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("models \"%s\" and \"%s\" predict different values of column \"%s\"",
							   first->name, other->name, first->label.name)));
}

/* Finds the models, which must have the same label; returns the columns that any of them uses. */
static List *
find_models(Evaluation *evaluation)
{
	List *names = evaluation->names;
	List *columns = NIL;
	ListCell *cell;
	int64 *release = palloc(list_length(names) * sizeof(int64));
	int i = 0;

	evaluation->rated = palloc0(list_length(names) * sizeof(RatedModel));
	foreach (cell, names)
	{
		RatedModel *rated = &evaluation->rated[i];
		ListCell *column;

		rated_model_find(lfirst(cell), rated);
		model_require_label(&rated->model, rated->name);
		check_same_label(&evaluation->rated[0], rated);
		foreach (column, rated->columns)
			if (!names_include(columns, lfirst(column)))
				columns = lappend(columns, lfirst(column));
		release[i++] = rated->model.release;
	}
	evaluation->tally.classes = Max(evaluation->rated[0].rater.classes, 2);
	evaluation->tally.models = list_length(names);
	evaluation->tally.model_release = release;
	return columns;
}

/* ---- the counts ---- */

/* The class of a row is the first number of it; all its labels are positive. */
static void
count_row(Release *release, int cell, const int32 *x, const RowCount *row)
{
	const Evaluation *evaluation = (const Evaluation *) release;
	int classes = evaluation->tally.classes;
	int cells = tally_cells(classes);

	GATE_CHECK_FOR_INTERRUPTS();
	for (int m = 0; m < evaluation->tally.models; m++)
	{
		const RatedModel *rated = &evaluation->rated[m];
		int predicted = rater_predict(&rated->rater, x);
		int first = rated->rater.classes > 0 ? x[0] / FIXED_POINT_ONE : TALLY_POSITIVE;
		int64 *count = evaluation->count + m * cells;

		count[tally_cell(predicted, first, classes)] += row->positive;
		if (rated->rater.classes == 0)
			count[tally_cell(predicted, TALLY_NEGATIVE, classes)] += row->negative;
	}
}

/* Bytes that distinct rows may take before they are counted. */
#define RATED_TABLE_BYTES (1024 * 1024)

/* Reads the rows and draws the noise, after the charge. */
static bool
draw(Release *release)
{
	Evaluation *evaluation = (Evaluation *) release;
	const TallyRequest *tally = &evaluation->tally;

	evaluation->count = palloc0(tally->models * tally_cells(tally->classes) * sizeof(int64));
	analyst_read(release, &evaluation->encoding, 1, RATED_TABLE_BYTES, count_row);
	tally_draw(tally, evaluation->count, &evaluation->result);
	return true;
}

/* ---- the release ---- */

static void
settle_counts(Evaluation *evaluation)
{
	const AnalystTable *opened = &evaluation->opened;
	const Protection *protection = &opened->protection;
	TallyRequest *tally = &evaluation->tally;
	Options options;

	memset(&options, 0, sizeof(options));
	encoders_describe(opened->shape.features, &options);
	encoders_encoding(&options, &evaluation->encoding);
	for (int m = 0; m < tally->models; m++)
		rated_model_place(&evaluation->rated[m], opened->shape.features);
	tally_set_protected(tally, &evaluation->cost, protection);
	tally->provenance = psprintf("%s%s", rated_models_keys(evaluation->rated, tally->models),
								 analyst_provenance(opened, evaluation->filter));
	row_memory_check(protection->max_rows_per_person, &evaluation->encoding, protection->n,
					 dpobj_memory_limit);
}

static void
put_accuracy(const Evaluation *evaluation, StringInfo rows)
{
	const Estimate *accuracy = &evaluation->result.accuracy;
	Datum values[RATING_COUNT] = {
		Float8GetDatum(accuracy->value),       Float8GetDatum(accuracy->low),
		Float8GetDatum(accuracy->high),        Float8GetDatum(accuracy->sample_low),
		Float8GetDatum(accuracy->sample_high), Float8GetDatum(evaluation->tally.confidence),
	};
	bool nulls[RATING_COUNT] = {!accuracy->known};

	kept_add_row(rows, evaluation->descriptor, values, nulls);
}

/* The name of a class; of a label that is positive or negative these words. */
static Datum
class_name(const RatedModel *rated, int class)
{
	JsonbContainer *names;

	if (rated->rater.classes == 0)
		return CStringGetTextDatum(class == TALLY_POSITIVE ? "positive" : "negative");
	names = json_get_array(json_member(&rated->details->root, "classes"));
	return CStringGetTextDatum(json_get_string(getIthJsonbValueFromContainer(names, class)));
}

/* The confusion table, a row for each prediction and label. */
static void
put_counts(const Evaluation *evaluation, StringInfo rows)
{
	const TallyResult *result = &evaluation->result;
	int cells = tally_cells(result->classes);
	bool nulls[CONFUSION_COLUMNS] = {false};

	for (int i = 0; i < cells; i++)
	{
		Datum values[CONFUSION_COLUMNS] = {
			class_name(&evaluation->rated[0], i / result->classes),
			class_name(&evaluation->rated[0], i % result->classes),
			Int64GetDatum(result->count[i]),
			Float8GetDatum(result->error),
			Float8GetDatum(evaluation->tally.confidence),
		};

		kept_add_row(rows, evaluation->descriptor, values, nulls);
	}
}

static void
put_chosen(const Evaluation *evaluation, StringInfo rows)
{
	Datum name = CStringGetTextDatum(evaluation->rated[evaluation->result.chosen].name);
	bool isnull = false;

	kept_add_row(rows, evaluation->descriptor, &name, &isnull);
}

static void (*const put[])(const Evaluation *evaluation,
						   StringInfo rows) = {[TALLY_ACCURACY] = put_accuracy,
											   [TALLY_CONFUSION] = put_counts,
											   [TALLY_SELECTION] = put_chosen};

static void
settle_tally(Release *release)
{
	Evaluation *evaluation = (Evaluation *) release;
	TallyRequest *tally = &evaluation->tally;
	AnalystTable *opened = &evaluation->opened;
	List *columns = find_models(evaluation);

	analyst_open(release->table, NIL, columns, &evaluation->rated[0].label, evaluation->filter,
				 opened);
	rated_models_hold_out(evaluation->rated, tally->models, tally->holdout_given, tally->holdout,
						  opened);
	for (int m = 0; m < tally->models; m++)
		rated_model_check(&evaluation->rated[m], opened);
	settle_counts(evaluation);
	release->charge = tally_charge(tally);
	release->charge.is_kept = release->terms.keeps_answer;
	analyst_shape(release, opened);
}

static void
make_room(Release *release)
{
	Evaluation *evaluation = (Evaluation *) release;

	scan_make_room(release->scan, &evaluation->encoding, evaluation->opened.protection.n,
				   dpobj_memory_limit);
}

static Datum
keep(Release *release)
{
	Evaluation *evaluation = (Evaluation *) release;
	StringInfoData rows;
	const char *text;
	Jsonb *kept;

	initStringInfo(&rows);
	put[evaluation->tally.kind](evaluation, &rows);
	kept = kept_finish(&rows, &release->terms, &text);
	tally_released(release->id, evaluation->tally.kind, &evaluation->result, text);
	return JsonbPGetDatum(kept);
}

static bool
predicts_number(const char *name)
{
	Model model;

	named_model_find(name, &model);
	return method_kind_has_target(model.kind);
}

/* The accuracy of a model that predicts a number is R-squared: a look at its residuals. */
static void
settle(Release *release)
{
	Evaluation *evaluation = (Evaluation *) release;

	if (evaluation->tally.kind == TALLY_ACCURACY && predicts_number(linitial(evaluation->names)))
	{
		analyst_look_r_squared(&evaluation->look);
		release->kind->settle(release);
	}
	else
		settle_tally(release);
}

/* Reads the request and makes its answer, or finds it. */
static Jsonb *
evaluate(FunctionCallInfo fcinfo, Evaluation *evaluation)
{
	static const ReleaseKind kind = {
		.settle = settle, .find = kept_find_answer, .room = make_room, .draw = draw, .keep = keep};
	Release *release = &evaluation->look.release;
	Oid table = DatumGetObjectId(argument_value(fcinfo, ARGUMENT_RELATION, "relation"));

	evaluation->filter = argument_json(fcinfo, ARGUMENT_FILTER, "filter");
	evaluation->tally.table = table;
	tally_read_options(&evaluation->tally, argument_json(fcinfo, ARGUMENT_OPTIONS, "options"));
	decimal_epsilon(argument_value(fcinfo, ARGUMENT_EPSILON, "epsilon"), NUMERICOID,
					&evaluation->cost);
	analyst_begin_answer(release, &kind, fcinfo, table);
	return DatumGetJsonbP(release_make(release));
}

/* ---- accuracy, or R-squared ---- */

static char *
model_argument(FunctionCallInfo fcinfo)
{
	return TextDatumGetCString(argument_value(fcinfo, ARGUMENT_MODEL, "model"));
}

/* dpobj.evaluate(model, relation, epsilon, filter, options, name) -> float8 */
PG_FUNCTION_INFO_V1(dpobj_evaluate);
Datum
dpobj_evaluate(PG_FUNCTION_ARGS)
{
	Evaluation evaluation = {.tally.kind = TALLY_ACCURACY};
	Datum values[RATING_COUNT];
	bool nulls[RATING_COUNT];

	evaluation.names = list_make1(model_argument(fcinfo));
	evaluation.descriptor = kept_columns(RATING_COUNT, RATING_COLUMNS, FLOAT8OID);
	kept_read_row(evaluate(fcinfo, &evaluation), 0, evaluation.descriptor, values, nulls);
	if (nulls[0])
		PG_RETURN_NULL();
	PG_RETURN_DATUM(values[0]);
}

/* ---- the confusion table ---- */

/* dpobj.confusion(model, relation, epsilon, filter, options, name) */
PG_FUNCTION_INFO_V1(dpobj_confusion_rows);
Datum
dpobj_confusion_rows(PG_FUNCTION_ARGS)
{
	Evaluation evaluation = {.tally.kind = TALLY_CONFUSION};
	Tuplestorestate *set = materialize_begin(fcinfo, &evaluation.descriptor);

	evaluation.names = list_make1(model_argument(fcinfo));
	kept_put_rows(evaluate(fcinfo, &evaluation), set, evaluation.descriptor);
	return (Datum) 0;
}

/* ---- the choice ---- */

/* Refuses a name that is given twice: it is a mistake, and the model would win ties twice as often.
 */
static List *
models_argument(FunctionCallInfo fcinfo)
{
	Datum array = argument_value(fcinfo, ARGUMENT_MODEL, "models");
	List *names = NIL;
	Datum *values;
	bool *nulls;
	int count;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls,
					  &count);
	tally_check_models(count);
	for (int i = 0; i < count; i++)
	{
		char *name;

		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("models must not contain nulls")));
		name = TextDatumGetCString(values[i]);
		if (names_include(names, name))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("model \"%s\" is named twice", name)));
		names = lappend(names, name);
	}
	return names;
}

/* dpobj.select(models, relation, epsilon, filter, options, name) -> text */
PG_FUNCTION_INFO_V1(dpobj_select);
Datum
dpobj_select(PG_FUNCTION_ARGS)
{
	Evaluation evaluation = {.tally.kind = TALLY_SELECTION};
	Datum chosen;
	bool isnull;

	evaluation.names = models_argument(fcinfo);
	evaluation.descriptor = kept_columns(1, (const char *const[]){"model"}, TEXTOID);
	kept_read_row(evaluate(fcinfo, &evaluation), 0, evaluation.descriptor, &chosen, &isnull);
	PG_RETURN_DATUM(chosen);
}
