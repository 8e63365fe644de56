/*
 * predictor.c - reads a model's encoding from its details, and computes scores.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "server/base/json_value.h"
#include "server/rows/options.h"
#include "server/models/model_rating.h"
#include "server/models/predictor.h"

/* ---- reading ---- */

static void
read_numbers(JsonbContainer *object, const char *key, int count, double *number)
{
	JsonbContainer *array = json_get_array(json_member(object, key));

	for (int j = 0; array != NULL && j < count; j++)
		(void) json_get_number(getIthJsonbValueFromContainer(array, j), &number[j]);
}

/* Sets what features have levels, and the number of features; false if there cannot be so many. */
static bool
read_levels(JsonbContainer *object, int *features, double *levels)
{
	JsonbContainer *array = json_get_array(json_member(object, "levels"));

	memset(levels, 0, COLUMNS_MAX * sizeof(double));
	if (array != NULL)
		*features = JsonContainerSize(array);
	if (*features < 1 || *features > COLUMNS_MAX)
		return false;
	read_numbers(object, "levels", *features, levels);
	for (int j = 0; j < *features; j++)
		if (!(levels[j] >= 0 && levels[j] <= LEVELS_MAX))
			return false;
	return true;
}

/* The encoding that training_parameters() wrote into the model's details. */
static bool
read_encoding(JsonbContainer *details, int weights, Encoding *encoding)
{
	double levels[COLUMNS_MAX];
	JsonbContainer *object = json_get_object(json_member(details, "encoding"));

	if (object == NULL)
		return false;
	encoding_init(encoding);
	encoding->intercept = json_is_true(json_member(object, "intercept"));
	encoding->features = weights - (encoding->intercept ? 1 : 0);
	if (!read_levels(object, &encoding->features, levels))
		return false;
	read_numbers(object, "center", encoding->features, encoding->center);
	read_numbers(object, "scale", encoding->features, encoding->scale);
	read_numbers(object, "low", encoding->features, encoding->low);
	read_numbers(object, "high", encoding->features, encoding->high);
	for (int j = 0; j < encoding->features; j++)
		if (levels[j] > 0)
			encoding_set_levels(encoding, j, (int) levels[j]);
	return encoding_finish(encoding) &&
		   levels_weights(encoding->levels, encoding_dimension(encoding)) == weights;
}

/* How the label was declared for analysts; NULL at the owner's door. */
static JsonbContainer *
label_encoder(JsonbContainer *details)
{
	JsonbContainer *encoders = json_get_object(json_member(details, "encoders"));
	char *label = json_get_string(json_member(details, "label"));

	if (encoders == NULL || label == NULL)
		return NULL;
	return json_get_object(json_member(encoders, label));
}

/* The value of the first object that has one. */
static JsonbValue *
first_member(JsonbContainer *options, const char *option, JsonbContainer *encoder, const char *key)
{
	JsonbValue *value = options == NULL ? NULL : json_member(options, option);

	return value == NULL && encoder != NULL ? json_member(encoder, key) : value;
}

static void
read_label_values(Predictor *predictor, JsonbContainer *details)
{
	JsonbContainer *options = json_get_object(json_member(details, "options"));
	JsonbContainer *encoder = label_encoder(details);

	predictor->positive = first_member(options, "positive", encoder, "positive");
	predictor->negative = first_member(options, "negative", encoder, "negative");
	predictor->class_values = first_member(options, "classes", encoder, "levels");
}

/* The names of the classes, likewise, each of which has the same number of weights. */
static void
read_classes(JsonbContainer *details, Predictor *predictor)
{
	JsonbContainer *array =
		details == NULL ? NULL : json_get_array(json_member(details, "classes"));
	int count = array == NULL ? 0 : JsonContainerSize(array);
	bool valid = count >= 2 && count <= INSTANCE_MAX_CLASSES && predictor->weights % count == 0;

	for (int k = 0; valid && k < count; k++)
	{
		char *name = json_get_string(getIthJsonbValueFromContainer(array, k));

		valid = name != NULL;
		if (valid)
			predictor->class_name[k] = cstring_to_text(name);
	}
	if (!valid)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("Its details do not name the classes of its weights.")));
	predictor->classes = count;
	predictor->weights /= count;
}

void
predictor_init(Predictor *predictor, const Model *model)
{
	Jsonb *details = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details)));

	memset(predictor, 0, sizeof(*predictor));
	predictor->fit_slope = 1;
	predictor->probable = strcmp(model->kind, "logistic") == 0;
	predictor->number = method_kind_has_target(model->kind);
	predictor->weights = model->weights;
	predictor->weight = model->weight;
	predictor->shares = strcmp(model->kind, method_name(METHOD_SOFTMAX)) == 0;
	if (method_kind_has_classes(model->kind))
		read_classes(JB_ROOT_IS_OBJECT(details) ? &details->root : NULL, predictor);
	predictor->encoded = JB_ROOT_IS_OBJECT(details) &&
						 read_encoding(&details->root, predictor->weights, &predictor->encoding);
	if (!predictor->encoded && predictor->weights > GRID_MAX_DIMENSION)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("Its details do not say what its weights belong to.")));
	if (JB_ROOT_IS_OBJECT(details))
	{
		read_label_values(predictor, &details->root);
		predictor->verdict = model_rating_verdict(&details->root);
		predictor->unrated = json_get_string(json_member(&details->root, "unrated"));
		if (predictor->classes == 0 && !predictor->number &&
			model_rating_calibration(&details->root, &predictor->fit_intercept,
									 &predictor->fit_slope))
			predictor->probable = true;
	}
}

int
predictor_features(const Predictor *predictor)
{
	return predictor->encoded ? predictor->encoding.features : predictor->weights;
}

int
predictor_place(const Predictor *predictor, int feature)
{
	return levels_weights(predictor->encoding.levels, feature);
}

void
predictor_require_label(const Predictor *predictor, const char *other)
{
	if (predictor->number)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model predicts a number"), errhint("Call %s.", other)));
	predictor_require_score(predictor);
}

void
predictor_require_score(const Predictor *predictor)
{
	if (predictor->classes > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the model predicts one of %d classes", predictor->classes),
				 errdetail("Each has a score of its own."),
				 errhint("Call dp_predict_class or dp_predict_class_proba, or on the columns "
						 "of a row dpobj.predict_class or dpobj.predict_class_proba.")));
}

void
predictor_require_two(const Predictor *predictor, const char *other)
{
	if (predictor->classes > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model predicts one of %d classes", predictor->classes),
						errhint("Call %s.", other)));
}

void
predictor_require_class(const Predictor *predictor, const char *other)
{
	if (predictor->classes == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model does not predict a class"),
						errdetail("Only a model of kind \"softmax\" or \"one_vs_rest\" does."),
						errhint("Call %s.", other)));
}

void
predictor_require_probability(const Predictor *predictor, const char *other)
{
	predictor_require_score(predictor);
	if (!predictor->probable)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model has no probabilities"),
			 errdetail("A model has probabilities if its kind is \"logistic\", or if its rating "
					   "has enough rows to calibrate them.%s%s",
					   predictor->unrated == NULL ? "" : " It has no rating: ",
					   predictor->unrated == NULL ? "" : predictor->unrated),
			 errhint("Call %s.", other)));
}

void
predictor_require_encoding(const Predictor *predictor)
{
	if (!predictor->encoded)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("It does not say how its features are encoded.")));
}

double
predictor_probability(const Predictor *predictor, double score)
{
	return 1 / (1 + exp(-(predictor->fit_intercept + predictor->fit_slope * score)));
}

/* ---- scores ---- */

static double
encoded_score(const double *weight, const Encoding *encoding, const int32_t *x)
{
	double sum = 0.0;

	for (int j = 0; j < encoding_dimension(encoding); j++)
	{
		int levels = encoding->levels[j];

		sum += levels_product(weight, levels, x[j]);
		weight += levels > 0 ? levels : 1;
	}
	return sum / FIXED_POINT_ONE;
}

static double
plain_score(const double *weight, int weights, const double *features)
{
	double sum = 0.0;

	for (int j = 0; j < weights; j++)
		sum += weight[j] * features[j];
	return sum;
}

bool
predictor_scores(const Predictor *predictor, const double *features, double *score)
{
	int32_t x[COLUMNS_MAX];
	int weights = predictor->weights;

	/* false only for a NaN or no index: the encoding of a model declares no groups */
	if (predictor->encoded && !encoding_apply(&predictor->encoding, features, x))
		return false;
	for (int k = 0; k < Max(predictor->classes, 1); k++)
	{
		const double *weight = predictor->weight + k * weights;

		score[k] = predictor->encoded ? encoded_score(weight, &predictor->encoding, x)
									  : plain_score(weight, weights, features);
		if (isnan(score[k]))
			return false;
	}
	return true;
}

double
predictor_score(const Predictor *predictor, const double *features)
{
	double score;

	predictor_require_score(predictor);
	return predictor_scores(predictor, features, &score) ? score : NAN;
}

static int
predictor_class(const Predictor *predictor, const double *score)
{
	int best = 0;

	for (int k = 1; k < predictor->classes; k++)
		if (score[k] > score[best])
			best = k;
	return best;
}

int
predictor_answer(const Predictor *predictor, const double *features)
{
	double score[INSTANCE_MAX_CLASSES];

	if (!predictor_scores(predictor, features, score))
		return -1;
	return predictor->classes > 0 ? predictor_class(predictor, score) : score[0] > 0 ? 0 : 1;
}

Datum
predictor_class_name(const Predictor *predictor, const double *score)
{
	return PointerGetDatum(predictor->class_name[predictor_class(predictor, score)]);
}

/* In the order of the operations of predict_sql.c. */
Datum
predictor_class_probabilities(const Predictor *predictor, const double *score)
{
	Datum probability[INSTANCE_MAX_CLASSES];
	double part[INSTANCE_MAX_CLASSES];
	double highest = score[predictor_class(predictor, score)];
	int classes = predictor->classes;
	double sum = 0;
	double parts = 0;

	if (!predictor->shares)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model has no probabilities"),
				 errdetail("Of the models of several classes only one of kind \"softmax\" "
						   "has."),
				 errhint("Call dp_predict_class, or on the columns of a row "
						 "dpobj.predict_class.")));
	for (int k = 0; k < classes; k++)
		sum += exp(score[k] - highest);
	for (int k = 0; k < classes; k++)
	{
		part[k] = exp(score[k] - highest) / sum;
		part[k] *= Max(1.0, (1.0 - part[k]) * 2.0);
		parts += part[k];
	}
	for (int k = 0; k < classes; k++)
		probability[k] = Float8GetDatum(part[k] / parts);
	return PointerGetDatum(construct_array(probability, classes, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
