/*
 * export.c - dpobj.show() for programs: finds what each weight of a model is multiplied by, and
 * writes it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "server/base/argument.h"
#include "server/base/keyed_json.h"
#include "server/models/export.h"
#include "server/models/named_model.h"
#include "server/models/trained_columns.h"

/* ---- models of arrays ---- */

/* An element is a number, or an index of levels: then level 0 is none of those with a weight. */
static Encoder
element_encoder(const Encoding *encoding, int j)
{
	int levels = encoding->levels[j];
	Encoder encoder = {.column = {.name = psprintf("f%d", j + 1),
								  .type = levels > 0 ? INT4OID : FLOAT8OID,
								  .kind = levels > 0 ? COLUMN_INTEGER : COLUMN_REAL},
					   .kind = levels > 0 ? ENCODER_LEVELS : ENCODER_NUMBER,
					   .features = Max(levels, 1),
					   .center = encoding->center[j],
					   .scale = encoding->scale[j],
					   .low = encoding->low[j],
					   .high = encoding->high[j],
					   .drop_first = levels > 0,
					   .categories = levels + 1};

	encoder.set.count = levels + 1;
	encoder.set.value = palloc0((levels + 1) * sizeof(ColumnValue));
	for (int i = 0; i <= levels; i++)
		encoder.set.value[i].integer = i;
	return encoder;
}

static void
element_encoders(const Encoding *encoding, Encoders *encoders)
{
	encoders->count = encoding->features;
	encoders->encoder = palloc(encoders->count * sizeof(Encoder));
	for (int j = 0; j < encoders->count; j++)
		encoders->encoder[j] = element_encoder(encoding, j);
}

/* ---- features ---- */

static ExportedFeature
describe(const Encoder *encoder, int position)
{
	ExportedFeature feature = {.name = encoder_feature_name(encoder, position),
							   .substituted = encoder->substitute || encoder->null_indicator};

	if (encoder->null_indicator && position == encoder_weights(encoder) - 1)
	{
		feature.kind = FEATURE_INDICATOR;
		feature.missing = 1;
		return feature;
	}
	if (encoder->kind == ENCODER_NUMBER)
	{
		feature.kind = encoder->column.kind == COLUMN_BOOLEAN ? FEATURE_LEVEL : FEATURE_NUMBER;
		feature.category = 1; /* true, see encoder_value_name() */
		feature.missing = trained_feature(encoder->null_value);
		return feature;
	}
	feature.kind = encoder->kind == ENCODER_BINS ? FEATURE_BIN : FEATURE_LEVEL;
	feature.category = position + (encoder->drop_first ? 1 : 0);
	feature.missing = encoder->substitute && feature.category == encoder->null_category ? 1 : 0;
	return feature;
}

static void
describe_all(ExportedModel *model)
{
	model->feature = palloc(encoders_weights(&model->encoders) * sizeof(ExportedFeature));
	for (int i = 0; i < model->encoders.count; i++)
		for (int j = 0; j < encoder_weights(&model->encoders.encoder[i]); j++)
		{
			ExportedFeature *feature = &model->feature[model->features++];

			*feature = describe(&model->encoders.encoder[i], j);
			feature->column = i;
		}
}

/* ---- models ---- */

static void
check_weights(const Model *model)
{
	for (int j = 0; j < model->weights; j++)
		if (!isfinite(model->weight[j]))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
							errdetail("Its weights must be finite numbers.")));
}

/*
 * The first argument; false if that is null.  Raises 22023 for a model that does not say what its
 * weights belong to.
 */
static bool
model_argument(FunctionCallInfo fcinfo, ExportedModel *exported)
{
	Model model;
	TrainedColumns columns;
	char *name;

	if (!named_model_argument(fcinfo, 2, named_model_apply, &model, &name))
		return false;
	memset(exported, 0, sizeof(*exported));
	exported->kind = model.kind;
	exported->release = model.release;
	predictor_init(&exported->predictor, &model);
	predictor_require_encoding(&exported->predictor);
	check_weights(&model);
	if (trained_columns_read(&model, exported->predictor.weights, &columns))
	{
		trained_columns_check(&columns, &exported->predictor.encoding);
		exported->label = columns.label;
		exported->encoders = columns.encoders;
	}
	else
		element_encoders(&exported->predictor.encoding, &exported->encoders);
	describe_all(exported);
	return true;
}

const double *
export_weights(const ExportedModel *model, int class)
{
	return model->predictor.weight + class * model->predictor.weights;
}

double
export_intercept(const ExportedModel *model, int class)
{
	return model->predictor.encoding.intercept ? export_weights(model, class)[model->features] : 0;
}

/* dpobj_internal.export(model, format, owner) -> text: null in a format that is for people */
PG_FUNCTION_INFO_V1(dpobj_export);
Datum
dpobj_export(PG_FUNCTION_ARGS)
{
	static const char *const formats[] = {"text", "markdown", "json", "pmml"};
	static text *(*const write[])(const ExportedModel *model) = {NULL, NULL, export_json,
																 export_pmml};
	const char *format = TextDatumGetCString(argument_value(fcinfo, 1, "format"));
	int position = keyed_json_find("format", "", formats, lengthof(formats), format);
	ExportedModel model;

	if (write[position] == NULL || !model_argument(fcinfo, &model))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(write[position](&model));
}
