/*
 * threshold.c - dpobj.threshold(): from which score on a row is taken, and what is then right and
 * wrong, by the table with which the model comes.  It reads no row and costs nothing.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/fmgrprotos.h"

#include "core/base/privacy.h"

#include "server/base/argument.h"
#include "server/base/json_value.h"
#include "server/models/model_rating.h"
#include "server/models/named_model.h"
#include "server/models/predictor.h"

enum
{
	ARGUMENT_MODEL,
	ARGUMENT_RECALL,
	ARGUMENT_PRECISION,
	ARGUMENT_SHARE,
	ARGUMENT_COST,
	ARGUMENT_OWNER
};

typedef struct Goal
{
	RatingGoal kind;
	double aim;
	double cost_fp;
	double cost_fn;
} Goal;

static const char *const goal_names[] = {[GOAL_RECALL] = "recall",
										 [GOAL_PRECISION] = "precision",
										 [GOAL_SHARE] = "share",
										 [GOAL_COST] = "cost"};

static void
read_costs(Jsonb *jsonb, Goal *goal)
{
	JsonbContainer *root = &jsonb->root;

	if (!JB_ROOT_IS_OBJECT(jsonb) || JsonContainerSize(root) != 2 ||
		!json_get_number(json_member(root, "fp"), &goal->cost_fp) ||
		!json_get_number(json_member(root, "fn"), &goal->cost_fn) || !(goal->cost_fp > 0) ||
		!(goal->cost_fn > 0))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cost must be an object with two numbers greater than zero, \"fp\" and \"fn\""),
			 errdetail(
				 "\"fp\" is the cost of a row that is wrongly predicted positive, \"fn\" of one "
				 "that is wrongly predicted negative."),
			 errhint("Write for example {\"fp\": 1, \"fn\": 20}.")));
}

static void
read_goal(FunctionCallInfo fcinfo, Goal *goal)
{
	int given = 0;

	for (int i = ARGUMENT_RECALL; i <= ARGUMENT_COST; i++)
		if (!PG_ARGISNULL(i))
		{
			goal->kind = (RatingGoal) (i - ARGUMENT_RECALL);
			given++;
		}
	if (given != 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("exactly one of recall, precision, share and cost must be given")));
	if (goal->kind == GOAL_COST)
	{
		read_costs(argument_json(fcinfo, ARGUMENT_COST, "cost"), goal);
		return;
	}
	goal->aim = PG_GETARG_FLOAT8(ARGUMENT_RECALL + (int) goal->kind);
	if (!(goal->aim > 0 && goal->aim <= 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be greater than 0 and at most 1", goal_names[goal->kind])));
}

static void
read_table(const Model *model, const char *name, RatingTable *table)
{
	Jsonb *details = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details)));
	JsonbContainer *root = JB_ROOT_IS_OBJECT(details) ? &details->root : NULL;
	Predictor predictor;
	char *reason;

	model_require_label(model, name);
	if (model_rating_read(root, adjacency_named(model->adjacency), table))
		return;
	predictor_init(&predictor, model);
	predictor_require_two(&predictor, "dpobj.confusion, which rates the prediction of each class");
	reason = root == NULL ? NULL : json_get_string(json_member(root, "unrated"));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the model has no table of scores, from which thresholds follow"),
			 errdetail_internal(
				 "%s", reason != NULL ? reason
									  : "dpobj.train makes one for a model that predicts whether a "
										"label is positive; models of 0.3.0 have none."),
			 errhint("Train with the option \"rate\", which is the epsilon of the table.")));
}

static Datum
expected(const RatingTable *table, const Goal *goal, const RatingThreshold *threshold)
{
	static const char *const outcomes[RATING_OUTCOMES] = {
		[RATING_TRUE_POSITIVE] = "true_positive",
		[RATING_FALSE_POSITIVE] = "false_positive",
		[RATING_FALSE_NEGATIVE] = "false_negative",
		[RATING_TRUE_NEGATIVE] = "true_negative"};
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"on\": \"%s\", \"confidence\": %g", model_rating_rows(table),
					 RATING_CONFIDENCE);
	model_rating_append_estimate(&text, table, "recall", &threshold->recall);
	model_rating_append_estimate(&text, table, "precision", &threshold->precision);
	model_rating_append_estimate(&text, table, "share", &threshold->share);
	for (int i = 0; i < RATING_OUTCOMES; i++)
		model_rating_append_estimate(&text, table, outcomes[i], &threshold->outcome[i]);
	if (goal->kind == GOAL_COST)
		appendStringInfo(&text, ", \"cost\": %.4g", threshold->cost);
	appendStringInfoChar(&text, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

/* dpobj.threshold(model, recall, precision, share, cost, owner) -> (score, probability, expected) */
PG_FUNCTION_INFO_V1(dpobj_threshold);
Datum
dpobj_threshold(PG_FUNCTION_ARGS)
{
	Goal goal = {0};
	Model model;
	char *name;
	RatingTable table;
	RatingThreshold threshold;
	TupleDesc descriptor;
	Datum values[3];
	bool nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type of dpobj.threshold must be a row");
	read_goal(fcinfo, &goal);
	if (!named_model_argument(fcinfo, ARGUMENT_OWNER, named_model_read, &model, &name))
		PG_RETURN_NULL();
	read_table(&model, name, &table);
	if (!rating_threshold(&table, goal.kind, goal.aim, goal.cost_fp, goal.cost_fn, &threshold))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no threshold of the model has a %s of %g or more",
							   goal_names[goal.kind], goal.aim),
						errdetail("This follows from the noisy table with which the model comes."),
						errhint("Ask for less.")));
	values[0] = Float8GetDatum(threshold.score);
	values[1] = Float8GetDatum(threshold.taken);
	nulls[1] = isnan(threshold.taken);
	values[2] = expected(&table, &goal, &threshold);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
