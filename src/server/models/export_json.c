/*
 * export_json.c - a model as JSON from which a few lines of any language predict.
 *
 *   {"kind": ..., "label": ...,
 *    "columns": {column: {"type": ..., "levels": [...], "bins": [...], "origin": ...,
 *                         "unit": ..., "part": ..., "time_zone": ...}, ...},
 *    "features": [{"name": ..., "column": ..., "kind": ..., "missing": ..., ...}, ...],
 *    "weights": [[...], ...], "intercept": [...], "classes": [...], "threshold": 0}
 *
 * The level of a bin is its number, from 0; the bins of times are in seconds since 1970.  The cast
 * to jsonb keeps a model, so that it comes back the same; this explains one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "server/base/json_value.h"
#include "server/models/export.h"

static void
append_text_member(StringInfo text, const char *key, const char *value)
{
	appendStringInfo(text, ", \"%s\": ", key);
	escape_json(text, value);
}

static void
append_number_member(StringInfo text, const char *key, double number)
{
	appendStringInfo(text, ", \"%s\": %s", key, json_digits(number));
}

/* Numbers and true as they are, other values as strings. */
static void
append_level(StringInfo text, const Encoder *encoder, int category)
{
	char *value = encoder_value_name(encoder, category);

	if (encoder->column.kind == COLUMN_TEXT)
		escape_json(text, value);
	else
		appendStringInfoString(text, value);
}

/* Seconds since 1970 with all digits; as microseconds, the last ones would exceed an int64. */
static char *
seconds_of(const Column *column, int64 time)
{
	const int64 since_1970 = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY;
	int64 seconds;
	int64 fraction;

	if (column->type == DATEOID)
		return psprintf(INT64_FORMAT, time * SECS_PER_DAY + since_1970);
	seconds = time / USECS_PER_SEC + since_1970;
	fraction = time % USECS_PER_SEC;
	if (seconds > 0 && fraction < 0)
	{
		seconds--;
		fraction += USECS_PER_SEC;
	}
	else if (seconds < 0 && fraction > 0)
	{
		seconds++;
		fraction -= USECS_PER_SEC;
	}
	return psprintf("%s" INT64_FORMAT ".%06d", seconds < 0 || fraction < 0 ? "-" : "",
					seconds < 0 ? -seconds : seconds, abs((int) fraction));
}

/*
 * A fraction is a string if a program that reads it as a double would get another number.  Whole
 * numbers are not: many programs read all their digits.
 */
static void
append_edge(StringInfo text, const Encoder *encoder, int i)
{
	const Column *column = &encoder->column;
	const Edge *edge = &encoder->edge[i];
	char *digits = encoder_edge_text(encoder, i);

	if (column->kind == COLUMN_TIME)
		digits = seconds_of(column, edge_time(column, edge));
	else if (column->kind == COLUMN_REAL)
		digits = json_digits(edge_shown(column, edge));
	else if (strchr(digits, '.') != NULL && !edge_is_double(edge))
		digits = psprintf("\"%s\"", digits);
	appendStringInfoString(text, digits);
}

static void
append_list(StringInfo text, const char *key, const Encoder *encoder, int count,
			void (*append)(StringInfo, const Encoder *, int))
{
	appendStringInfo(text, ", \"%s\": [", key);
	for (int i = 0; i < count; i++)
	{
		appendStringInfoString(text, i > 0 ? ", " : "");
		append(text, encoder, i);
	}
	appendStringInfoChar(text, ']');
}

static void
append_time(StringInfo text, const Encoder *encoder)
{
	if (encoder->part != PART_NONE)
		append_text_member(text, "part", time_part_name(encoder->part));
	else
	{
		/* bins are in seconds since 1970, which no division rounds */
		append_number_member(text, "origin", encoder->kind == ENCODER_BINS ? 0 : encoder->origin);
		append_number_member(text, "unit", encoder->kind == ENCODER_BINS ? 1 : encoder->unit);
	}
	if (encoder->zone != NULL)
		append_text_member(text, "time_zone", encoder->zone_name);
}

static void
append_column(StringInfo text, const Encoder *encoder)
{
	escape_json(text, encoder->column.name);
	appendStringInfoString(text, ": {\"type\": ");
	escape_json(text, column_own_cast(encoder->column.stored) != CAST_NONE
						  ? column_type_name(&encoder->column)
						  : column_name_of_type(encoder->column.type));
	if (encoder->column.kind == COLUMN_TIME)
		append_time(text, encoder);
	if (encoder->kind == ENCODER_LEVELS)
		append_list(text, "levels", encoder, encoder->categories, append_level);
	if (encoder->kind == ENCODER_BINS)
		append_list(text, "bins", encoder, encoder->categories - 1, append_edge);
	appendStringInfoChar(text, '}');
}

static void
append_kind(StringInfo text, const ExportedFeature *feature, const Encoder *encoder)
{
	static const char *const kinds[] = {[FEATURE_NUMBER] = "number",
										[FEATURE_BIN] = "level",
										[FEATURE_LEVEL] = "level",
										[FEATURE_INDICATOR] = "indicator"};

	append_text_member(text, "kind", kinds[feature->kind]);
	if (feature->kind == FEATURE_NUMBER)
	{
		append_number_member(text, "center", encoder->center);
		append_number_member(text, "scale", encoder->scale);
		append_number_member(text, "low", encoder->low);
		append_number_member(text, "high", encoder->high);
		append_number_member(text, "step", 1.0 / FIXED_POINT_ONE);
	}
	if (feature->kind == FEATURE_BIN)
		appendStringInfo(text, ", \"level\": %d", feature->category);
	if (feature->kind == FEATURE_LEVEL)
	{
		appendStringInfoString(text, ", \"level\": ");
		append_level(text, encoder, feature->category);
	}
}

static void
append_feature(StringInfo text, const ExportedFeature *feature, const Encoder *encoder)
{
	appendStringInfoString(text, "{\"name\": ");
	escape_json(text, feature->name);
	append_text_member(text, "column", encoder->column.name);
	append_kind(text, feature, encoder);
	appendStringInfo(text, ", \"missing\": %s}",
					 feature->substituted ? json_digits(feature->missing) : "null");
}

static void
append_weights(StringInfo text, const ExportedModel *model)
{
	int vectors = Max(model->predictor.classes, 1);

	appendStringInfoString(text, ", \"weights\": [");
	for (int k = 0; k < vectors; k++)
	{
		appendStringInfoString(text, k > 0 ? ", [" : "[");
		for (int j = 0; j < model->features; j++)
			appendStringInfo(text, "%s%s", j > 0 ? ", " : "",
							 json_digits(export_weights(model, k)[j]));
		appendStringInfoChar(text, ']');
	}
	appendStringInfoString(text, "], \"intercept\": [");
	for (int k = 0; k < vectors; k++)
		appendStringInfo(text, "%s%s", k > 0 ? ", " : "", json_digits(export_intercept(model, k)));
	appendStringInfoChar(text, ']');
}

static void
append_classes(StringInfo text, const Predictor *predictor)
{
	if (predictor->number)
		return;
	if (predictor->classes == 0)
	{
		appendStringInfoString(text, ", \"classes\": [false, true], \"threshold\": 0");
		if (predictor->probable)
			appendStringInfo(text, ", \"probability\": {\"intercept\": %s, \"slope\": %s}",
							 json_digits(predictor->fit_intercept),
							 json_digits(predictor->fit_slope));
		return;
	}
	appendStringInfoString(text, ", \"classes\": [");
	for (int k = 0; k < predictor->classes; k++)
	{
		appendStringInfoString(text, k > 0 ? ", " : "");
		escape_json(text, text_to_cstring(predictor->class_name[k]));
	}
	appendStringInfoChar(text, ']');
}

text *
export_json(const ExportedModel *model)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, "{\"kind\": ");
	escape_json(&text, model->kind);
	if (model->label != NULL)
		append_text_member(&text, "label", model->label);
	appendStringInfoString(&text, ", \"columns\": {");
	for (int i = 0; i < model->encoders.count; i++)
	{
		appendStringInfoString(&text, i > 0 ? ", " : "");
		append_column(&text, &model->encoders.encoder[i]);
	}
	appendStringInfoString(&text, "}, \"features\": [");
	for (int j = 0; j < model->features; j++)
	{
		appendStringInfoString(&text, j > 0 ? ", " : "");
		append_feature(&text, &model->feature[j],
					   &model->encoders.encoder[model->feature[j].column]);
	}
	appendStringInfoChar(&text, ']');
	append_weights(&text, model);
	append_classes(&text, &model->predictor);
	if (model->predictor.verdict != NULL)
		append_text_member(&text, "verdict", model->predictor.verdict);
	appendStringInfoChar(&text, '}');
	return cstring_to_text_with_len(text.data, text.len);
}
