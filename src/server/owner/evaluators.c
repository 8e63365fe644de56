/*
 * evaluators.c - the aggregates dp_accuracy, dp_confusion and dp_select: how well models predict
 * the labels of a query's rows.
 *
 * The transition function counts rows by prediction and label, and keeps nothing else of them.  A
 * row counts nowhere if a model cannot predict it, or if its label is missing or none of the
 * classes. The charge comes after all that can be refused and before the noise.
 *
 * Neighbours are those of the table's protection.  Without one a row is replaced, as dpobj.evaluate
 * and the training aggregates assume by default.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "server/base/decimal.h"
#include "server/base/digest.h"
#include "server/base/dpobj.h"
#include "server/base/json_value.h"
#include "server/rows/label.h"
#include "server/models/named_model.h"
#include "server/owner/counts.h"
#include "server/owner/owner.h"
#include "server/plan/plan.h"
#include "server/models/predictor.h"
#include "server/release/same_call.h"
#include "server/release/looks.h"
#include "server/release/tally.h"

/* Positions of the arguments after the state. */
#define ARGUMENT_MODEL 0
#define ARGUMENT_FEATURES 1
#define ARGUMENT_LABEL 2
#define ARGUMENT_EPSILON 3

/* ---- the call ---- */

/* A call, settled from its public arguments. */
typedef struct Evaluation
{
	PrivacyCost cost;
	int models;
	int64 *release; /* of each model */
	Predictor *predictor;
	StringInfoData hashes; /* of the models */
	int features;          /* that all of them expect */
	int classes;           /* of the label (tally.h) */
	LabelRule label;
} Evaluation;

/*
 * Finds a model of the session user.  A SECURITY DEFINER function of another role must not look
 * there: it would learn the names of models that it cannot see.
 */
static void
find_own_model(const char *name, Model *model)
{
	if (GetUserId() != GetSessionUserId())
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED), errmsg("a model cannot be named here"),
						errdetail("Names are those of the session user \"%s\", and the current "
								  "user is \"%s\".",
								  GetUserNameFromId(GetSessionUserId(), false),
								  GetUserNameFromId(GetUserId(), false)),
						errhint("Pass the model itself, of type dp_model.")));
	named_model_find(name, model);
}

static void
add_model(Evaluation *evaluation, int i, const Model *model, const char *name)
{
	Predictor *predictor = &evaluation->predictor[i];
	uint8 hash[MODEL_HASH_LENGTH];

	model_require_label(model, name);
	model_hash(model, hash);
	appendBinaryStringInfo(&evaluation->hashes, (char *) hash, sizeof(hash));
	predictor_init(predictor, model);
	evaluation->release[i] = model->release;
	if (i > 0 && predictor_features(predictor) != evaluation->features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the models expect %d and %d features", evaluation->features,
							   predictor_features(predictor)),
						errdetail("Models to choose from are applied to the same features.")));
	evaluation->features = predictor_features(predictor);
}

static void
allocate_models(Evaluation *evaluation, int models)
{
	initStringInfo(&evaluation->hashes);
	evaluation->models = models;
	evaluation->release = palloc(models * sizeof(int64));
	evaluation->predictor = palloc0(models * sizeof(Predictor));
}

static void
read_models(Evaluation *evaluation, ArrayType *array)
{
	Datum *rows;
	bool *nulls;
	int count;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &rows, &nulls,
					  &count);
	tally_check_models(count);
	allocate_models(evaluation, count);
	for (int i = 0; i < count; i++)
	{
		Model model;

		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("models must not contain nulls")));
		model_read(DatumGetHeapTupleHeader(rows[i]), &model);
		add_model(evaluation, i, &model, NULL);
	}
}

/* The type of the first argument says whether it is a name, a model or an array of models. */
static void
read_model_argument(PlanCall *call, const PlanTable *table, Evaluation *evaluation)
{
	Oid type = owner_argument_type(call, ARGUMENT_MODEL);
	bool several = OidIsValid(get_element_type(type));
	Datum subject = plan_model_argument(call, ARGUMENT_MODEL, several ? "models" : "model", table);
	const char *name = NULL;
	Model model;

	if (several)
	{
		read_models(evaluation, DatumGetArrayTypeP(subject));
		return;
	}
	if (type == TEXTOID)
		find_own_model(name = TextDatumGetCString(subject), &model);
	else
		model_read(DatumGetHeapTupleHeader(subject), &model);
	allocate_models(evaluation, 1);
	add_model(evaluation, 0, &model, name);
}

/* Does the model scale features, or clip them to another range than [-1, 1]? */
static bool
is_scaled(const Predictor *predictor)
{
	const Encoding *encoding = &predictor->encoding;

	if (!predictor->encoded)
		return true;
	for (int j = 0; j < encoding->features; j++)
		if (encoding->scale[j] != 1.0 || encoding->low[j] != -1.0 || encoding->high[j] != 1.0)
			return true;
	return false;
}

/* Refuses features that the models would clip to [-1, 1] silently, such as an age of 37. */
static void
refuse_unscaled(PlanCall *call, const Evaluation *evaluation)
{
	for (int i = 0; i < evaluation->models; i++)
		if (is_scaled(&evaluation->predictor[i]))
			return;
	plan_refuse_unscaled(plan_argument_expression(call, ARGUMENT_FEATURES), NULL, 0, false,
						 "a feature array", "feature", "a declared scale",
						 "The model was trained on features that were clipped to [-1, 1].",
						 "Write the features as they were written in training, or cast an "
						 "indicator from boolean.");
}

/* Checks the length of arrays if it is public; else rows of another length are not counted. */
static void
check_features(PlanCall *call, const PlanTable *table, const Evaluation *evaluation)
{
	int given = plan_feature_count(call, ARGUMENT_FEATURES, table);

	if (given > 0 && given != evaluation->features)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the model expects %d features, not %d", evaluation->features, given)));
	refuse_unscaled(call, evaluation);
}

/* A label that is one of several classes. */
static void
open_classes(Oid type, Evaluation *evaluation)
{
	const Predictor *first = &evaluation->predictor[0];

	for (int i = 0; i < evaluation->models; i++)
		if (!json_equal(evaluation->predictor[i].class_values, first->class_values))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the models were trained with different classes")));
	if (first->class_values != NULL)
		label_open_classes(type, first->class_values, &evaluation->label);
	if (first->class_values == NULL || evaluation->label.classes.count != first->classes)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("Its details do not say which values the label has.")));
	evaluation->classes = first->classes;
}

/* Of a label with levels those are negative that are not positive. */
static bool
has_levels(const Predictor *predictor)
{
	return predictor->positive != NULL && predictor->negative == NULL &&
		   predictor->class_values != NULL;
}

static bool
same_values(const Predictor *one, const Predictor *other)
{
	return json_equal(one->positive, other->positive) &&
		   json_equal(one->negative, other->negative) && has_levels(one) == has_levels(other) &&
		   (!has_levels(one) || json_equal(one->class_values, other->class_values));
}

/*
 * A label is read as the models were trained to predict it.  A boolean says itself what it is, also
 * where it is a condition on such a label.
 */
static void
open_label(PlanCall *call, Evaluation *evaluation)
{
	Oid type = owner_argument_type(call, ARGUMENT_LABEL);
	const Predictor *first = &evaluation->predictor[0];
	bool itself = getBaseType(type) == BOOLOID;

	evaluation->classes = 2;
	for (int i = 1; i < evaluation->models; i++)
		if (evaluation->predictor[i].classes != first->classes)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the models were trained with different classes")));
	if (first->classes > 0)
	{
		open_classes(type, evaluation);
		return;
	}
	for (int i = 1; i < evaluation->models && !itself; i++)
		if (!same_values(&evaluation->predictor[i], first))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the models were trained with different values of the label"),
							errhint("Write the label as a condition, such as outcome = 'yes'.")));
	label_open(type, itself ? NULL : first->positive, itself ? NULL : first->negative,
			   "Write a condition, such as outcome = 'yes'.", &evaluation->label);
	if (!itself && has_levels(first))
		label_declare_rest(&evaluation->label, first->class_values);
}

/* Settles a call, or raises the error that refuses it; table is NULL in a parallel worker. */
static void
open_evaluation(PlanCall *call, const PlanTable *table, Evaluation *evaluation)
{
	memset(evaluation, 0, sizeof(*evaluation));
	decimal_epsilon(owner_argument(call, ARGUMENT_EPSILON, "epsilon"),
					owner_argument_type(call, ARGUMENT_EPSILON), &evaluation->cost);
	read_model_argument(call, table, evaluation);
	open_label(call, evaluation);
	owner_check_label(call, ARGUMENT_LABEL, table, &evaluation->label, "the model's label");
	check_features(call, table, evaluation);
}

/* The state: the cells of each model. */
static Counts *
get_counts(FunctionCallInfo fcinfo, const Evaluation *evaluation)
{
	return counts_get(fcinfo, evaluation->models * tally_cells(evaluation->classes));
}

/* ---- one row ---- */

/* A parallel worker leaves the checks to the leader, which makes them before its own first row. */
static void *
evaluation_create(FunctionCallInfo fcinfo)
{
	Evaluation *evaluation = palloc(sizeof(Evaluation));
	PlanCall call;
	PlanTable table;

	if (IsParallelWorker())
		plan_read_call(fcinfo, &call);
	else
		owner_open_call(fcinfo, &call, &table);
	open_evaluation(&call, IsParallelWorker() ? NULL : &table, evaluation);
	return evaluation;
}

/* The class of a label, -1 for none. */
static int
read_class(const Evaluation *evaluation, Datum datum)
{
	Label label;

	if (evaluation->predictor[0].classes > 0)
		return label_read_class(&evaluation->label, datum);
	label = label_read(&evaluation->label, datum);
	if (label == LABEL_NEITHER)
		return -1;
	return label == LABEL_POSITIVE ? TALLY_POSITIVE : TALLY_NEGATIVE;
}

static void
count_row(const Evaluation *evaluation, Counts *counts, ArrayType *features, int label)
{
	int classes = evaluation->classes;

	if (label < 0 || ARR_NDIM(features) != 1 || ARR_DIMS(features)[0] != evaluation->features ||
		(ARR_HASNULL(features) && array_contains_nulls(features)))
		return;
	for (int i = 0; i < evaluation->models; i++)
	{
		int predicted =
			predictor_answer(&evaluation->predictor[i], (double *) ARR_DATA_PTR(features));

		if (predicted >= 0)
			counts->count[i * tally_cells(classes) + tally_cell(predicted, label, classes)]++;
	}
}

/* dpobj_internal.evaluation_accumulate(bytea, model(s), features float8[], label, epsilon) */
PG_FUNCTION_INFO_V1(dpobj_evaluation_accumulate);
Datum
dpobj_evaluation_accumulate(PG_FUNCTION_ARGS)
{
	Evaluation *evaluation = owner_accumulation(fcinfo, NULL, evaluation_create);
	Counts *counts = get_counts(fcinfo, evaluation);

	if (!PG_ARGISNULL(1 + ARGUMENT_FEATURES) && !PG_ARGISNULL(1 + ARGUMENT_LABEL))
		count_row(evaluation, counts, PG_GETARG_ARRAYTYPE_P(1 + ARGUMENT_FEATURES),
				  read_class(evaluation, PG_GETARG_DATUM(1 + ARGUMENT_LABEL)));
	PG_RETURN_POINTER(counts);
}

/* ---- other places of a call ---- */

/*
 * PostgreSQL computes equal calls of one SELECT once, but not if they contain a sub-select: then it
 * computes (dp_confusion(...)).* four times.  Such calls share one release if their models are
 * equal too, and one run of one node makes them.
 */
static const Aggref *latest_call = NULL;

static void
hash_call(const PlanCall *call, const Evaluation *evaluation, uint8 hash[DIGEST_LENGTH])
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, (const char *) &call->aggregate, sizeof(call->aggregate));
	pq_sendint32(&bytes, call->aggref->aggfnoid);
	pq_sendint64(&bytes, evaluation->cost.epsilon);
	pq_sendint64(&bytes, evaluation->cost.epsilon_charged);
	appendBinaryStringInfo(&bytes, evaluation->hashes.data, evaluation->hashes.len);
	digest_bytes(&bytes, hash);
}

/* Do two calls count the same rows?  The hash covers models and epsilon. */
static bool
same_rows(const Aggref *call, const Aggref *other)
{
	return equal(call->aggfilter, other->aggfilter) &&
		   equal(list_nth(call->args, ARGUMENT_FEATURES),
				 list_nth(other->args, ARGUMENT_FEATURES)) &&
		   equal(list_nth(call->args, ARGUMENT_LABEL), list_nth(other->args, ARGUMENT_LABEL));
}

static bool
find_same_call(FunctionCallInfo fcinfo, const PlanCall *call, const uint8 hash[DIGEST_LENGTH],
			   TallyResult *result)
{
	int64 release = same_call_find(fcinfo, hash);

	return release != 0 && same_rows(call->aggref, latest_call) && tally_recall(release, result);
}

static void
remember_call(FunctionCallInfo fcinfo, const PlanCall *call, const uint8 hash[DIGEST_LENGTH],
			  int64 release, const TallyResult *result)
{
	same_call_remember(fcinfo, hash, release);
	tally_keep(release, result);
	latest_call = call->aggref;
}

/* ---- the release ---- */

typedef struct EvaluatorRun
{
	Release release; /* the first member */
	TallyRequest request;
	const int64 *count;
	TallyResult *result;
} EvaluatorRun;

static void
settle(Release *release)
{
	release->charge = tally_charge(&((EvaluatorRun *) release)->request);
}

static bool
draw(Release *release)
{
	EvaluatorRun *run = (EvaluatorRun *) release;

	tally_draw(&run->request, run->count, run->result);
	return true;
}

static Datum
keep(Release *release)
{
	EvaluatorRun *run = (EvaluatorRun *) release;

	tally_released(release->id, run->request.kind, run->result, NULL);
	return (Datum) 0;
}

/*
 * Charges, draws and releases.  Without a row the counts are 0, and the noise is the same.  check:
 * raises an error unless the function suits the first model; NULL if it suits all; other: as in
 * predictor.h.
 */
static void
finish(FunctionCallInfo fcinfo, TallyKind kind,
	   void (*check)(const Predictor *predictor, const char *other), const char *other,
	   TallyResult *result)
{
	static const ReleaseKind steps = {.settle = settle, .draw = draw, .keep = keep};
	EvaluatorRun run = {.request = {.kind = kind, .provenance = "", .confidence = LOOKS_CONFIDENCE},
						.result = result};
	TallyRequest *request = &run.request;
	Evaluation evaluation;
	PlanCall call;
	PlanTable table;
	uint8 hash[DIGEST_LENGTH];

	owner_open_call(fcinfo, &call, &table);
	open_evaluation(&call, &table, &evaluation);
	if (check != NULL)
		check(&evaluation.predictor[0], other);
	hash_call(&call, &evaluation, hash);
	if (find_same_call(fcinfo, &call, hash, result))
		return;

	run.count = get_counts(fcinfo, &evaluation)->count;
	request->classes = evaluation.classes;
	request->models = evaluation.models;
	request->model_release = evaluation.release;
	request->table = table.oid;
	request->adjacency = table.is_protected ? table.adjacency : ADJACENCY_REPLACE;
	request->epsilon = evaluation.cost.epsilon;
	request->epsilon_charged = evaluation.cost.epsilon_charged;
	owner_begin(&run.release, &steps, fcinfo, &table);
	(void) release_make(&run.release);
	remember_call(fcinfo, &call, hash, run.release.id, result);
}

/* dpobj_internal.accuracy_final(bytea) -> float8 */
PG_FUNCTION_INFO_V1(dpobj_accuracy_final);
Datum
dpobj_accuracy_final(PG_FUNCTION_ARGS)
{
	TallyResult result;

	finish(fcinfo, TALLY_ACCURACY, NULL, NULL, &result);
	if (!result.accuracy.known)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result.accuracy.value);
}

/* dpobj_internal.confusion_final(bytea) -> dp_confusion_table */
PG_FUNCTION_INFO_V1(dpobj_confusion_final);
Datum
dpobj_confusion_final(PG_FUNCTION_ARGS)
{
	TallyResult result;

	finish(fcinfo, TALLY_CONFUSION, predictor_require_two, "dp_class_confusion", &result);
	PG_RETURN_DATUM(tally_confusion(fcinfo, &result));
}

/* dpobj_internal.class_confusion_final(bytea) -> bigint[] */
PG_FUNCTION_INFO_V1(dpobj_class_confusion_final);
Datum
dpobj_class_confusion_final(PG_FUNCTION_ARGS)
{
	TallyResult result;

	finish(fcinfo, TALLY_CONFUSION, predictor_require_class, "dp_confusion", &result);
	PG_RETURN_DATUM(tally_class_confusion(&result));
}

/* dpobj_internal.select_final(bytea) -> integer from 1 */
PG_FUNCTION_INFO_V1(dpobj_select_final);
Datum
dpobj_select_final(PG_FUNCTION_ARGS)
{
	TallyResult result;

	finish(fcinfo, TALLY_SELECTION, NULL, NULL, &result);
	PG_RETURN_INT32(result.chosen + 1);
}
