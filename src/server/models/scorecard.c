/*
 * scorecard.c - dpobj.scorecard(), a model as a table of points.
 *
 * A halfspace with integer weights over categories is a scorecard: add up the points of the levels
 * that apply, and predict positive if the sum is greater than the threshold.  For weights that are
 * no integers the table has weights and no points, and the errors of the weights by the noise alone,
 * where the model has them.  A model of several classes is a scorecard for
 * each of them, and predicts the class of the largest sum.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "server/base/json_value.h"
#include "server/base/materialize.h"
#include "server/models/named_model.h"
#include "server/models/predictor.h"
#include "server/models/trained_columns.h"

typedef struct Scorecard
{
	bool integral; /* are the weights points? */
	text *class;   /* whose rows follow; NULL: the model has no classes */
	Tuplestorestate *rows;
	TupleDesc descriptor;
	int count;
} Scorecard;

/* predicts: false if data with this level has no prediction; error: NaN if it is not known. */
static void
put_row(Scorecard *card, const char *feature, const char *level, bool predicts, double weight,
		double error)
{
	/* the substitute of a missing number may make a fraction of a point */
	bool points = predicts && card->integral && weight == floor(weight);
	bool nulls[] = {false, false, false, !points, !predicts, isnan(error), card->class == NULL};
	Datum values[] = {
		Int32GetDatum(++card->count),
		CStringGetTextDatum(feature),
		CStringGetTextDatum(level),
		Int32GetDatum(points ? (int32) weight : 0),
		Float8GetDatum(weight == 0 ? 0 : weight), /* not -0 */
		Float8GetDatum(error),
		PointerGetDatum(card->class),
	};

	tuplestore_putvalues(card->rows, card->descriptor, values, nulls);
}

static void
add_row(Scorecard *card, const char *feature, const char *level, double weight, double error)
{
	put_row(card, feature, level, true, weight, error);
}

/* ---- a column ---- */

/* "each unit of (age - 40) / 10 from -2 to 2": the points are for each such unit. */
static char *
describe_map(const char *name, double center, double scale, double low, double high)
{
	char *value = pstrdup(name);

	if (center != 0)
		value = psprintf("(%s %c %s)", name, center > 0 ? '-' : '+', json_digits(fabs(center)));
	if (scale != 1)
		value = psprintf("%s / %s", value, json_digits(scale));
	return psprintf("each unit of %s from %s to %s", value, json_digits(low), json_digits(high));
}

static char *
number_name(const Encoder *encoder)
{
	const char *name = encoder->column.name;

	if (encoder->column.kind != COLUMN_TIME)
		return pstrdup(name);
	return psprintf("%s%s%s in %s", name,
					column_own_cast(encoder->column.stored) == CAST_NONE ? " since " : "",
					column_own_cast(encoder->column.stored) == CAST_NONE ? encoder->since : "",
					encoder->unit == 1 ? "seconds" : (encoder->unit == 3600 ? "hours" : "days"));
}

static char *
bin_text(const Encoder *encoder, int bin)
{
	if (bin == 0)
		return psprintf("below %s", encoder_edge_text(encoder, 0));
	if (bin == encoder->categories - 1)
		return psprintf("from %s", encoder_edge_text(encoder, bin - 1));
	return psprintf("from %s to below %s", encoder_edge_text(encoder, bin - 1),
					encoder_edge_text(encoder, bin));
}

static void
add_values(Scorecard *card, const Encoder *encoder, const double *weight, const double *error)
{
	const char *name = encoder->column.name;

	if (encoder->kind == ENCODER_NUMBER && encoder->column.kind == COLUMN_BOOLEAN)
	{
		add_row(card, name, "false", 0.0, 0 * error[0]);
		add_row(card, name, "true", weight[0], error[0]);
	}
	else if (encoder->kind == ENCODER_NUMBER)
		add_row(card, name,
				describe_map(number_name(encoder), encoder->center, encoder->scale, encoder->low,
							 encoder->high),
				weight[0], error[0]);
	else
		for (int i = 0; i < encoder->categories; i++)
			add_row(card,
					encoder->kind == ENCODER_BINS ? number_name(encoder) : encoder_subject(encoder),
					encoder->kind == ENCODER_BINS ? bin_text(encoder, i)
												  : encoder_value_name(encoder, i),
					trained_weight(encoder, weight, i), trained_weight(encoder, error, i));
}

/* Adds the points of a missing value: those of its substitute and of the indicator. */
static void
add_missing(Scorecard *card, const Encoder *encoder, const double *weight, const double *error)
{
	const char *name = encoder_subject(encoder);
	const char *level = encoder->kind == ENCODER_LEVELS && encoder->part == PART_NONE
							? "missing or another"
							: "missing";
	double sum = 0.0;
	double error_of_sum = 0.0;

	if (!encoder->substitute && !encoder->null_indicator)
	{
		put_row(card, name, psprintf("%s: no prediction", level), false, 0, NAN);
		return;
	}
	if (encoder->kind == ENCODER_NUMBER)
	{
		sum = weight[0] * trained_feature(encoder->null_value);
		error_of_sum = error[0] * trained_feature(encoder->null_value);
	}
	else if (encoder->substitute)
	{
		sum = trained_weight(encoder, weight, encoder->null_category);
		error_of_sum = trained_weight(encoder, error, encoder->null_category);
	}
	if (encoder->null_indicator)
	{
		sum += weight[encoder_weights(encoder) - 1];
		error_of_sum = hypot(error_of_sum, error[encoder_weights(encoder) - 1]);
	}
	add_row(card, name, level, sum, fabs(error_of_sum));
}

/* ---- a model ---- */

static bool
is_integral(const Model *model)
{
	if (strcmp(model->kind, method_name(METHOD_HALFSPACE)) != 0 &&
		strcmp(model->kind, method_name(METHOD_ONE_VS_REST)) != 0)
		return false;
	for (int j = 0; j < model->weights; j++)
		if (model->weight[j] != floor(model->weight[j]) || fabs(model->weight[j]) > PG_INT16_MAX)
			return false;
	return true;
}

static void
add_columns(Scorecard *card, const Encoders *encoders, const double *weight, const double *error)
{
	for (int i = 0; i < encoders->count; i++)
	{
		add_values(card, &encoders->encoder[i], weight, error);
		add_missing(card, &encoders->encoder[i], weight, error);
		weight += encoder_weights(&encoders->encoder[i]);
		error += encoder_weights(&encoders->encoder[i]);
	}
}

static void
add_elements(Scorecard *card, const Predictor *predictor, const double *weight, const double *error)
{
	const Encoding *encoding = &predictor->encoding;

	for (int j = 0; j < predictor_features(predictor); j++)
	{
		char *name = psprintf("features[%d]", j + 1);
		int place = predictor_place(predictor, j);

		for (int i = 0; i < encoding->levels[j]; i++)
			add_row(card, name, psprintf("%d", i + 1), weight[place + i], error[place + i]);
		if (encoding->levels[j] > 0)
			continue;
		add_row(card, name,
				predictor->encoded ? describe_map(name, encoding->center[j], encoding->scale[j],
												  encoding->low[j], encoding->high[j])
								   : psprintf("each unit of %s", name),
				weight[place], error[place]);
	}
}

/* encoders: NULL for a model that was trained on arrays. */
static void
add_weights(Scorecard *card, const Predictor *predictor, const Encoders *encoders,
			const double *weight, const double *error)
{
	if (encoders != NULL)
		add_columns(card, encoders, weight, error);
	else
		add_elements(card, predictor, weight, error);
	if (predictor->encoding.intercept)
		add_row(card, "(intercept)", "always", weight[predictor->weights - 1],
				error[predictor->weights - 1]);
}

/* The errors of all weights by "weight_errors" of the details; NaN where there are none. */
static double *
read_errors(const Model *model)
{
	double *error = palloc(model->weights * sizeof(double));
	Jsonb *details = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details)));
	JsonbContainer *array = json_get_array(json_option(details, "weight_errors"));
	bool fits = array != NULL && (int) JsonContainerSize(array) == model->weights;

	for (int j = 0; j < model->weights; j++)
		if (!fits || !json_get_number(getIthJsonbValueFromContainer(array, j), &error[j]))
			error[j] = NAN;
	return error;
}

static void
fill_card(Scorecard *card, const Model *model)
{
	Predictor predictor;
	TrainedColumns columns;
	const Encoders *encoders = NULL;
	const double *error = read_errors(model);

	card->integral = is_integral(model);
	predictor_init(&predictor, model);
	if (trained_columns_read(model, predictor.weights, &columns))
		encoders = &columns.encoders;
	for (int k = 0; k < predictor.classes; k++)
	{
		card->class = predictor.class_name[k];
		add_weights(card, &predictor, encoders, predictor.weight + k * predictor.weights,
					error + k * predictor.weights);
	}
	if (predictor.classes > 0)
		return;
	add_weights(card, &predictor, encoders, predictor.weight, error);
	if (!predictor.number)
		add_row(card, "(threshold)", "positive if the sum is greater", 0.0, NAN);
}

/* ---- the function ---- */

/* dpobj.scorecard(model dpobj.model_argument, owner regrole) */
PG_FUNCTION_INFO_V1(dpobj_scorecard);
Datum
dpobj_scorecard(PG_FUNCTION_ARGS)
{
	Scorecard card = {0};
	Model model;
	char *name;

	card.rows = materialize_begin(fcinfo, &card.descriptor);
	if (named_model_argument(fcinfo, 1, named_model_read, &model, &name))
		fill_card(&card, &model);
	return (Datum) 0;
}
