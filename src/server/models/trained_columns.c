/*
 * trained_columns.c - reads the columns that analyst_provenance() wrote into a model's details.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "server/base/json_value.h"
#include "server/models/trained_columns.h"

static void
refuse_details(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
					errdetail("%s", detail)));
}

static JsonbContainer *
object_member(JsonbContainer *root, const char *key)
{
	JsonbContainer *object = json_get_object(json_member(root, key));

	if (object == NULL)
		refuse_details(psprintf("\"%s\" in its details must be an object.", key));
	return object;
}

static char *
text_member(JsonbContainer *root, const char *key)
{
	char *text = json_get_string(json_member(root, key));

	if (text == NULL)
		refuse_details(psprintf("\"%s\" in its details must be a string.", key));
	return text;
}

/* A descriptor with the columns that an object names, of the types that it gives. */
static TupleDesc
describe(JsonbContainer *types)
{
	int count = JsonContainerSize(types);
	TupleDesc descriptor;
	ListCell *cell;
	AttrNumber number = 0;

	if (count > MaxHeapAttributeNumber)
		refuse_details("Its details name too many columns.");
	descriptor = CreateTemplateTupleDesc(count);
	foreach (cell, json_keys(types))
	{
		char *column = lfirst(cell);
		Oid type;

		if (strlen(column) >= NAMEDATALEN) /* cut off, two names could become the same */
			refuse_details("The name of a column in its details is too long.");
		type = column_type_named(text_member(types, column));
		if (!OidIsValid(type))
			refuse_details(psprintf("The type of column \"%s\" is not known.", column));
		TupleDescInitEntry(descriptor, ++number, column, type, -1, 0);
	}
	return descriptor;
}

static List *
feature_names(JsonbContainer *array)
{
	List *names = NIL;

	for (int i = 0; i < JsonContainerSize(array); i++)
	{
		char *name = json_get_string(getIthJsonbValueFromContainer(array, i));

		if (name == NULL)
			refuse_details("\"features\" in its details must be an array of strings.");
		names = lappend(names, name);
	}
	return names;
}

/*
 * The encoders of the features.  The label's is left out: if its constants are dates, the session's
 * DateStyle decides how they are read.
 */
static Jsonb *
declared_features(JsonbContainer *root, const char *label)
{
	Jsonb *declared;

	(void) object_member(root, "encoders");
	declared = JsonbValueToJsonb(json_member(root, "encoders"));
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(declared), CStringGetTextDatum(label)));
}

bool
trained_columns_read(const Model *model, int weights, TrainedColumns *columns)
{
	Jsonb *details = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(model->details)));
	JsonbContainer *root = &details->root;
	JsonbContainer *features;
	Encoders all;

	if (!JB_ROOT_IS_OBJECT(details))
		return false;
	features = json_get_array(json_member(root, "features"));
	if (features == NULL || json_member(root, "types") == NULL)
		return false;
	columns->relation = text_member(root, "relation");
	columns->label = text_member(root, "label");
	columns->intercept = json_is_true(json_member(object_member(root, "encoding"), "intercept"));
	encoders_parse(declared_features(root, columns->label), describe(object_member(root, "types")),
				   &all);
	encoders_choose(&all, feature_names(features), columns->label,
					json_member(object_member(root, "encoding"), "levels") != NULL,
					&columns->encoders);
	if (encoders_weights(&columns->encoders) + (columns->intercept ? 1 : 0) != weights)
		refuse_details("It has another number of weights than its columns have features.");
	return true;
}

void
trained_columns_check(const TrainedColumns *columns, const Encoding *encoding)
{
	int first = 0;

	for (int i = 0; i < columns->encoders.count; i++)
	{
		const Encoder *encoder = &columns->encoders.encoder[i];

		for (int j = 0; j < encoder->features; j++)
			if (encoding->levels[first + j] != (j == 0 ? encoder_levels(encoder) : 0) ||
				encoding->center[first + j] != 0 || encoding->scale[first + j] != 1 ||
				encoding->low[first + j] > (j == 0 ? encoder->low : 0) ||
				encoding->high[first + j] < (j == 0 ? encoder->high : 1))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						 errdetail("Its encoding is not that of its columns.")));
		first += encoder->features;
	}
}

double
trained_feature(double feature)
{
	return trunc(feature * FIXED_POINT_ONE + copysign(0.5, feature)) / FIXED_POINT_ONE;
}

double
trained_weight(const Encoder *encoder, const double *weight, int category)
{
	if (!encoder->drop_first)
		return weight[category];
	return category == 0 ? 0.0 : weight[category - 1];
}
