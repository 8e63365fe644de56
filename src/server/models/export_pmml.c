/*
 * export_pmml.c - a model in the Predictive Model Markup Language, version 4.4.
 *
 *   DataDictionary            the columns and the prediction
 *   TransformationDictionary  a derived field for each feature, which does what the encoder does
 *   RegressionModel           the weights; classes by the highest score, of equal ones the first
 *
 * A field that has no value has no prediction: a NumericPredictor without a value leaves its table
 * without a score.  So a value that is none of the levels counts as missing, and so does NaN, of
 * which PMML says nothing else.  A model of one score has a table for "false", too, whose score is
 * 0 and which comes first.
 *
 * The functions of PMML are those of float8, so features are equal to the last bit.  A reader may
 * add up the products in another order.
 *
 * Characters beyond ASCII are written as references, so that the text is the same in any encoding.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "server/base/json_value.h"
#include "server/models/export.h"
#include "server/models/trained_columns.h"

/* Integers below are doubles. */
#define EXACT_MAX 9007199254740992.0

static void
refuse(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the model cannot be written as PMML"), errdetail("%s", detail),
					errhint("Call dpobj.predict_sql, or export it as json.")));
}

/* ---- text ---- */

/* Does XML 1.0 have this character? */
static bool
is_character(pg_wchar c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c != 0xFFFE && c != 0xFFFF);
}

/* A text as the value of an attribute. */
static char *
escaped(const char *text)
{
	const char *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);
	StringInfoData result;

	initStringInfo(&result);
	for (const unsigned char *c = (const unsigned char *) utf8; *c != '\0'; c += pg_utf_mblen(c))
	{
		pg_wchar character = utf8_to_unicode(c);

		if (!is_character(character))
			refuse(psprintf("XML has no character U+%04X, which is in a name or a level.",
							(unsigned int) character));
		if (character < ' ' || character > '~' || strchr("<>&\"'", (int) character) != NULL)
			appendStringInfo(&result, "&#%u;", (unsigned int) character);
		else
			appendStringInfoChar(&result, (char) character);
	}
	return result.data;
}

/* ---- expressions ---- */

static char *
field(const char *name)
{
	return psprintf("<FieldRef field=\"%s\"/>", escaped(name));
}

static char *
constant(double number)
{
	return psprintf("<Constant dataType=\"double\">%s</Constant>", json_digits(number));
}

/* The arguments are XML. */
static char *
apply(const char *function, const char *first, const char *second, const char *third)
{
	return psprintf("<Apply function=\"%s\">%s%s%s</Apply>", function, first, second, third);
}

static char *
apply_number(const char *function, const char *expression, double number)
{
	return apply(function, expression, constant(number), "");
}

/* The time since 1970 in the unit of one of PMML's functions. */
static char *
since_1970(const char *function, const Encoder *encoder)
{
	return apply(function, field(encoder->column.name),
				 "<Constant dataType=\"integer\">1970</Constant>", "");
}

/* PMML's times have no fractions of a second. */
static char *
seconds(const Encoder *encoder)
{
	if (encoder->column.type == DATEOID)
		return apply_number("*", since_1970("dateDaysSinceYear", encoder), SECS_PER_DAY);
	return since_1970("dateSecondsSinceYear", encoder);
}

static char *
days(const Encoder *encoder)
{
	if (encoder->column.type == DATEOID)
		return since_1970("dateDaysSinceYear", encoder);
	return apply("floor", apply_number("/", seconds(encoder), SECS_PER_DAY), "", "");
}

/* The number that encoders.c scales, in the order of its operations. */
static char *
number(const Encoder *encoder)
{
	char *result;

	if (encoder->column.kind != COLUMN_TIME)
		return field(encoder->column.name);
	result = seconds(encoder);
	if (encoder->origin != 0)
		result = apply_number("-", result, encoder->origin);
	return encoder->unit == 1 ? result : apply_number("/", result, encoder->unit);
}

static char *
scaled(const Encoder *encoder)
{
	char *result = number(encoder);

	if (encoder->center != 0)
		result = apply_number("-", result, encoder->center);
	return encoder->scale == 1 ? result : apply_number("/", result, encoder->scale);
}

/* From 1 for Monday; 1970-01-01 was a Thursday, the fourth. */
static char *
weekday(const Encoder *encoder)
{
	char *monday = apply_number("+", days(encoder), 3); /* days since a Monday */
	char *weeks = apply("floor", apply_number("/", monday, 7), "", "");

	return apply_number("+", apply("-", monday, apply_number("*", weeks, 7), ""), 1);
}

/* Rounds half away from zero to a multiple of 2^-16. */
static char *
rounded(const char *x, int sign)
{
	char *units = apply_number(sign < 0 ? "-" : "+", apply_number("*", x, FIXED_POINT_ONE), 0.5);

	return apply_number("/", apply(sign < 0 ? "ceil" : "floor", units, "", ""), FIXED_POINT_ONE);
}

/* What apply_number() of encoders.c and encoding.c do; x: the field with the scaled number. */
static char *
clipped(const Encoder *encoder, const char *x)
{
	char *inside = rounded(x, 1);

	if (encoder->low < 0)
		inside = apply("if", apply_number("lessThan", x, 0), rounded(x, -1), inside);
	inside = apply("if", apply_number("greaterThan", x, encoder->high),
				   constant(trained_feature(encoder->high)), inside);
	return apply("if", apply_number("lessThan", x, encoder->low),
				 constant(trained_feature(encoder->low)), inside);
}

/*
 * The expression, or else the other one, "" for none, if the field has no value: some readers raise
 * an error where a function gets a missing value.
 */
static char *
of_present(const char *name, const char *expression, const char *other)
{
	return apply("if", apply("isNotMissing", field(name), "", ""), expression, other);
}

/* ---- fields ---- */

typedef struct Document
{
	StringInfoData text;
	const ExportedModel *model;
	const char *prefix; /* of the names of fields that are no columns */
} Document;

/* No column's name begins with it. */
static const char *
find_prefix(const Encoders *encoders)
{
	char *prefix = "dp_";

	for (int i = 0; i < encoders->count;)
		if (strncmp(encoders->encoder[i].column.name, prefix, strlen(prefix)) == 0)
		{
			prefix = psprintf("%s_", prefix);
			i = 0;
		}
		else
			i++;
	return prefix;
}

static char *
feature_field(const Document *document, int feature)
{
	return psprintf("%s%d", document->prefix, feature + 1);
}

/* The field from which the features of a column are derived. */
static char *
source_field(const Document *document, int column)
{
	const Encoder *encoder = &document->model->encoders.encoder[column];

	if (encoder->column.kind == COLUMN_TIME ||
		(encoder->kind == ENCODER_NUMBER && encoder->column.kind != COLUMN_BOOLEAN))
		return psprintf("%ssource_%d", document->prefix, column + 1);
	return pstrdup(encoder->column.name);
}

static char *
prediction_field(const Document *document)
{
	return psprintf("%sprediction", document->prefix);
}

static void
append_derived(Document *document, const char *name, const char *display, const char *type,
			   const char *expression)
{
	appendStringInfo(&document->text,
					 "  <DerivedField name=\"%s\" displayName=\"%s\" %s>%s</DerivedField>\n", name,
					 escaped(display), type, expression);
}

#define CONTINUOUS "optype=\"continuous\" dataType=\"double\""

static char *
level_text(const Encoder *encoder, int category)
{
	if (encoder->part == PART_MONTH)
		return psprintf("%02d", category + 1); /* as formatDatetime writes it */
	return escaped(encoder_value_name(encoder, category));
}

static char *
missing_attribute(const ExportedFeature *feature)
{
	return feature->substituted ? psprintf(" mapMissingTo=\"%s\"", json_digits(feature->missing))
								: "";
}

/* The number of a bound between bins, in the unit of source_expression(). */
static char *
margin(const Encoder *encoder, int i)
{
	const Column *column = &encoder->column;
	const Edge *edge = &encoder->edge[i];
	const int64 days = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE;

	switch (column->kind)
	{
		case COLUMN_REAL:
			return json_digits(edge_between(column, edge));
		case COLUMN_TIME:
			if (column->type == DATEOID)
				return psprintf(INT64_FORMAT, edge_time(column, edge) + days);
			return psprintf(INT64_FORMAT,
							edge_time(column, edge) / USECS_PER_SEC + days * SECS_PER_DAY);
		default:
			return edge_text(column, edge);
	}
}

/* Has a bound more digits than a double?  Then the integers are compared as such. */
static bool
has_long_edges(const Encoder *encoder)
{
	if (encoder->kind != ENCODER_BINS || encoder->column.kind != COLUMN_INTEGER)
		return false;
	for (int i = 0; i < encoder->categories - 1; i++)
		if (!(fabs(edge_number(&encoder->edge[i])) < EXACT_MAX))
			return true;
	return false;
}

/* An integer is below a number exactly if it is below the next whole one. */
static char *
below(const Encoder *encoder, int i)
{
	Datum whole = DirectFunctionCall1(numeric_ceil, NumericGetDatum(encoder->edge[i].declared));

	return apply("lessThan", field(encoder->column.name),
				 psprintf("<Constant dataType=\"integer\">%s</Constant>",
						  numeric_normalize(DatumGetNumeric(whole))),
				 "");
}

/* The bin of an integer by comparisons. */
static char *
integer_bin(const Encoder *encoder, const ExportedFeature *feature)
{
	char *expression = constant(1);

	if (feature->category < encoder->categories - 1)
		expression = apply("if", below(encoder, feature->category), expression, constant(0));
	if (feature->category > 0)
		expression = apply("if", below(encoder, feature->category - 1), constant(0), expression);
	return of_present(encoder->column.name, expression,
					  feature->substituted ? constant(feature->missing) : "");
}

static char *
bin(const Encoder *encoder, const ExportedFeature *feature, const char *source)
{
	char *left = "";
	char *right = "";

	if (has_long_edges(encoder))
		return integer_bin(encoder, feature);
	if (feature->category > 0)
		left = psprintf(" leftMargin=\"%s\"", margin(encoder, feature->category - 1));
	if (feature->category < encoder->categories - 1)
		right = psprintf(" rightMargin=\"%s\"", margin(encoder, feature->category));
	return psprintf("<Discretize field=\"%s\" defaultValue=\"0\"%s><DiscretizeBin binValue=\"1\">"
					"<Interval closure=\"closedOpen\"%s%s/></DiscretizeBin></Discretize>",
					escaped(source), missing_attribute(feature), left, right);
}

static char *
feature_expression(const Encoder *encoder, const ExportedFeature *feature, const char *source)
{
	switch (feature->kind)
	{
		case FEATURE_NUMBER:
			return of_present(source, clipped(encoder, field(source)),
							  feature->substituted ? constant(feature->missing) : "");
		case FEATURE_BIN:
			return bin(encoder, feature, source);
		case FEATURE_LEVEL:
			return psprintf("<NormDiscrete field=\"%s\" value=\"%s\"%s/>", escaped(source),
							level_text(encoder, feature->category), missing_attribute(feature));
		case FEATURE_INDICATOR:
			break;
	}
	return of_present(source, constant(0), constant(1));
}

/* A time that is sorted into bins: days of a date, else seconds. */
static char *
whole_time(const Encoder *encoder)
{
	return encoder->column.type == DATEOID ? days(encoder) : seconds(encoder);
}

static char *
source_expression(const Encoder *encoder)
{
	char *expression;

	if (encoder->part == PART_WEEKDAY)
		expression = weekday(encoder);
	else if (encoder->part == PART_MONTH)
		expression = apply("formatDatetime", field(encoder->column.name),
						   "<Constant dataType=\"string\">%m</Constant>", "");
	else
		expression = encoder->kind == ENCODER_BINS ? whole_time(encoder) : scaled(encoder);
	return of_present(encoder->column.name, expression, "");
}

static void
append_source(Document *document, int column)
{
	const Encoder *encoder = &document->model->encoders.encoder[column];
	const char *name = source_field(document, column);
	const char *type = encoder->part == PART_NONE ? CONTINUOUS
					   : encoder->part == PART_MONTH
						   ? "optype=\"categorical\" dataType=\"string\""
						   : "optype=\"categorical\" dataType=\"integer\"";

	if (strcmp(name, encoder->column.name) != 0)
		append_derived(document, name, encoder_subject(encoder), type, source_expression(encoder));
}

static void
append_transformations(Document *document)
{
	const ExportedModel *model = document->model;

	appendStringInfoString(&document->text, " <TransformationDictionary>\n");
	for (int i = 0; i < model->encoders.count; i++)
		append_source(document, i);
	for (int j = 0; j < model->features; j++)
	{
		const ExportedFeature *feature = &model->feature[j];

		append_derived(document, feature_field(document, j), feature->name, CONTINUOUS,
					   feature_expression(&model->encoders.encoder[feature->column], feature,
										  source_field(document, feature->column)));
	}
	appendStringInfoString(&document->text, " </TransformationDictionary>\n");
}

/* ---- columns ---- */

/* Are all edges of bins whole seconds?  Then fractions of seconds do not matter. */
static bool
has_whole_edges(const Encoder *encoder)
{
	for (int i = 0; i < encoder->categories - 1; i++)
		if (edge_time(&encoder->column, &encoder->edge[i]) % USECS_PER_SEC != 0)
			return false;
	return true;
}

static void
check_column(const Encoder *encoder)
{
	if (column_own_cast(encoder->column.stored) != CAST_NONE)
		refuse(psprintf("PMML cannot read times of day or intervals, and column \"%s\" is one.",
						encoder->column.name));
	if (encoder->column.type == TIMESTAMPTZOID)
		refuse(psprintf("PMML has no time zones, and column \"%s\" is a timestamp with time zone.",
						encoder->column.name));
	if (encoder->column.type == TIMESTAMPOID && encoder->part == PART_NONE &&
		(encoder->kind != ENCODER_BINS || !has_whole_edges(encoder)))
		refuse(psprintf("PMML has no fractions of seconds, and column \"%s\" is a timestamp.",
						encoder->column.name));
}

static const char *
column_type(const Encoder *encoder)
{
	switch (encoder->column.kind)
	{
		case COLUMN_BOOLEAN:
			return "optype=\"categorical\" dataType=\"boolean\"";
		case COLUMN_TIME:
			return encoder->column.type == DATEOID ? "optype=\"ordinal\" dataType=\"date\""
												   : "optype=\"ordinal\" dataType=\"dateTime\"";
		default:
			break;
	}
	if (has_long_edges(encoder))
		return "optype=\"continuous\" dataType=\"integer\"";
	if (encoder->kind != ENCODER_LEVELS)
		return CONTINUOUS;
	/* the integers of some readers have 32 bits */
	return encoder->column.kind == COLUMN_INTEGER && encoder->column.type != INT8OID
			   ? "optype=\"categorical\" dataType=\"integer\""
			   : "optype=\"categorical\" dataType=\"string\"";
}

/* Has the column a list of its levels? */
static bool
lists_levels(const Encoder *encoder)
{
	return encoder->kind == ENCODER_LEVELS && encoder->part == PART_NONE;
}

static void
append_value(Document *document, const char *value, const char *property)
{
	appendStringInfo(&document->text, "   <Value value=\"%s\"%s/>\n", value, property);
}

static void
append_column(Document *document, const Encoder *encoder)
{
	check_column(encoder);
	appendStringInfo(&document->text, "  <DataField name=\"%s\" %s>\n",
					 escaped(encoder->column.name), column_type(encoder));
	if (lists_levels(encoder))
		for (int i = 0; i < encoder->categories; i++)
			append_value(document, level_text(encoder, i), "");
	else if (encoder->column.kind == COLUMN_REAL || encoder->column.kind == COLUMN_NUMERIC)
		append_value(document, "NaN", " property=\"missing\"");
	appendStringInfoString(&document->text, "  </DataField>\n");
}

/* The classes of the regression tables; one without a name if the model predicts a number. */
static int
classes(const Predictor *predictor)
{
	return predictor->number ? 1 : Max(predictor->classes, 2);
}

static char *
class_name(const Predictor *predictor, int class)
{
	if (predictor->classes == 0)
		return class == 0 ? "false" : "true";
	return escaped(text_to_cstring(predictor->class_name[class]));
}

static void
append_dictionary(Document *document)
{
	const ExportedModel *model = document->model;
	const Predictor *predictor = &model->predictor;

	appendStringInfo(&document->text, " <DataDictionary numberOfFields=\"%d\">\n",
					 model->encoders.count + 1);
	for (int i = 0; i < model->encoders.count; i++)
		append_column(document, &model->encoders.encoder[i]);
	appendStringInfo(
		&document->text, "  <DataField name=\"%s\"%s %s>\n", prediction_field(document),
		model->label == NULL ? "" : psprintf(" displayName=\"%s\"", escaped(model->label)),
		predictor->number        ? CONTINUOUS
		: predictor->classes > 0 ? "optype=\"categorical\" dataType=\"string\""
								 : "optype=\"categorical\" dataType=\"boolean\"");
	for (int k = 0; !predictor->number && k < classes(predictor); k++)
		append_value(document, class_name(predictor, k), "");
	appendStringInfoString(&document->text, "  </DataField>\n </DataDictionary>\n");
}

/* ---- the model ---- */

/* vector: the number of the weights; -1 for the class whose score is 0. */
static void
append_table(Document *document, const char *category, int vector)
{
	const ExportedModel *model = document->model;

	appendStringInfo(&document->text, "  <RegressionTable intercept=\"%s\"%s>\n",
					 json_digits(vector < 0 ? 0 : export_intercept(model, vector)), category);
	for (int j = 0; vector >= 0 && j < model->features; j++)
		appendStringInfo(&document->text, "   <NumericPredictor name=\"%s\" coefficient=\"%s\"/>\n",
						 feature_field(document, j), json_digits(export_weights(model, vector)[j]));
	appendStringInfoString(&document->text, "  </RegressionTable>\n");
}

static void
append_mining_schema(Document *document)
{
	const Encoders *encoders = &document->model->encoders;

	appendStringInfoString(&document->text, "  <MiningSchema>\n");
	for (int i = 0; i < encoders->count; i++)
		appendStringInfo(
			&document->text, "   <MiningField name=\"%s\"%s/>\n",
			escaped(encoders->encoder[i].column.name),
			lists_levels(&encoders->encoder[i]) ? " invalidValueTreatment=\"asMissing\"" : "");
	appendStringInfo(&document->text,
					 "   <MiningField name=\"%s\" usageType=\"target\"/>\n  </MiningSchema>\n",
					 prediction_field(document));
}

static void
append_model(Document *document)
{
	const Predictor *predictor = &document->model->predictor;

	appendStringInfo(
		&document->text, " <RegressionModel algorithmName=\"%s\" functionName=\"%s\"%s>\n",
		escaped(document->model->kind), predictor->number ? "regression" : "classification",
		predictor->number ? "" : " normalizationMethod=\"softmax\"");
	append_mining_schema(document);
	for (int k = 0; k < classes(predictor); k++)
		append_table(
			document,
			predictor->number ? "" : psprintf(" targetCategory=\"%s\"", class_name(predictor, k)),
			predictor->number || predictor->classes > 0 ? k : k - 1);
	appendStringInfoString(&document->text, " </RegressionModel>\n");
}

text *
export_pmml(const ExportedModel *model)
{
	Document document = {.model = model, .prefix = find_prefix(&model->encoders)};

	initStringInfo(&document.text);
	appendStringInfo(&document.text,
					 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
					 "<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n"
					 " <Header description=\"release " INT64_FORMAT " of dpobj%s%s\">"
					 "<Application name=\"dpobj\" version=\"" DPOBJ_VERSION "\"/></Header>\n",
					 model->release, model->predictor.verdict == NULL ? "" : "; ",
					 model->predictor.verdict == NULL ? "" : escaped(model->predictor.verdict));
	append_dictionary(&document);
	append_transformations(&document);
	append_model(&document);
	appendStringInfoString(&document.text, "</PMML>\n");
	return cstring_to_text_with_len(document.text.data, document.text.len);
}
