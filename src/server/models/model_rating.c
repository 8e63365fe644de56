/*
 * model_rating.c - writes and reads the member "rating" of a model's details.
 */
#include "postgres.h"

#include <math.h>

#include "core/base/privacy.h"
#include "core/looks/rating_quality.h"

#include "server/base/decimal.h"
#include "server/base/json_value.h"
#include "server/models/model_rating.h"

static const char *const kind_names[RATING_KINDS] = {
	[RATING_SCORES] = "scores", [RATING_CLASSES] = "classes", [RATING_RESIDUALS] = "residuals"};

static const char *const main_names[RATING_KINDS] = {
	[RATING_SCORES] = "auc", [RATING_CLASSES] = "accuracy", [RATING_RESIDUALS] = "r_squared"};

static const char *const rows_held_out = "rows held out";

const char *
model_rating_rows(const RatingTable *table)
{
	return table->seen ? "rows it learned from" : rows_held_out;
}

/* ---- writing ---- */

/* JSON has no infinite number: the end is null. */
static void
append_end(StringInfo text, const char *name, double end)
{
	appendStringInfo(text, ", \"%s\": %s", name, isfinite(end) ? json_digits(end) : "null");
}

void
model_rating_append_estimate(StringInfo text, const RatingTable *table, const char *name,
							 const Estimate *number)
{
	appendStringInfo(text, ", \"%s\": {\"value\": %s", name,
					 number->known ? json_digits(number->value) : "null");
	append_end(text, "low", table->seen ? number->low : number->sample_low);
	append_end(text, "high", table->seen ? number->high : number->sample_high);
	appendStringInfoChar(text, '}');
}

static void
append_table(StringInfo text, const RatingTable *table)
{
	bool pairs = table->kind != RATING_RESIDUALS;

	for (int i = 0; table->kind == RATING_SCORES && i < table->cells - 1; i++)
		appendStringInfo(text, "%s%s", i == 0 ? ", \"edges\": [" : ", ",
						 json_digits(table->edge[i]));
	if (table->kind == RATING_SCORES)
		appendStringInfo(text, "], \"middle\": %s, \"spread\": %s", json_digits(table->middle),
						 json_digits(table->spread));
	appendStringInfoString(text, ", \"counts\": [");
	for (int i = 0; i < rating_numbers(table); i++)
		appendStringInfo(text, "%s%s" INT64_FORMAT "%s", i == 0 ? "" : ", ",
						 pairs && i % 2 == 0 ? "[" : "", table->number[i],
						 pairs && i % 2 == 1 ? "]" : "");
	appendStringInfoChar(text, ']');
}

/* What would do, if the model is as good as it looks. */
static void
append_needs(StringInfo text, const RatingTable *table, const Rating *rating)
{
	if (!(rating->times_rows > 0))
		return;
	appendStringInfo(text, ", \"needs\": {\"times_rows\": %.3g", rating->times_rows);
	if (rating->times_epsilon > 0)
		appendStringInfo(text, ", \"rate\": %.3g",
						 privacy_epsilon(rating_epsilon(table)) * rating->times_epsilon);
	appendStringInfoChar(text, '}');
}

/* Lift, and how far probabilities are off, with the numbers of the curves. */
static void
append_quality(StringInfo text, const RatingTable *table, const Rating *rating)
{
	RatingQuality quality;

	rating_quality(table, rating, &quality);
	if (quality.lift.known)
	{
		model_rating_append_estimate(text, table, "lift", &quality.lift);
		appendStringInfo(text, ", \"lift_share\": %.2g", quality.share);
	}
	if (!rating->calibrated)
		return;
	appendStringInfo(text, ", \"calibration_error\": {\"value\": %.2g, \"by_chance\": %.2g}",
					 quality.error, quality.by_chance);
	for (int i = 0; i < table->cells; i++)
		appendStringInfo(text, "%s%.3g", i == 0 ? ", \"predicted\": [" : ", ",
						 quality.predicted[i]);
	appendStringInfoChar(text, ']');
}

static const char *const verdicts[] = {
	[RATING_BETTER] = "better than chance",
	[RATING_WORSE] = "worse than chance",
	[RATING_UNKNOWN] = "not distinguishable from chance: do not use",
};

void
model_rating_append(StringInfo text, const RatingTable *table)
{
	Noise noise = rating_noise(table);
	Rating rating;

	rating_find(table, &rating);
	appendStringInfo(text, ", \"rating\": {\"of\": \"%s\", \"on\": \"%s\", \"epsilon\": %s",
					 kind_names[table->kind], model_rating_rows(table),
					 decimal_text(table->epsilon, EPSILON_UNIT));
	if (table->mu > 0)
		appendStringInfo(text, ", \"mu\": %s", json_digits(table->mu));
	if (table->kind != RATING_RESIDUALS)
		appendStringInfo(text, ", \"deviation\": %.3g", sqrt(noise_variance(&noise)));
	appendStringInfo(text, ", \"rows_per_person\": " INT64_FORMAT ", \"rows\": " INT64_FORMAT,
					 table->rows_per_person, rating.rows);
	if (rating.verdict != RATING_NONE)
		appendStringInfo(text, ", \"verdict\": \"%s\"", verdicts[rating.verdict]);
	append_needs(text, table, &rating);
	model_rating_append_estimate(text, table, main_names[table->kind], &rating.main);
	if (table->kind != RATING_RESIDUALS)
		model_rating_append_estimate(
			text, table, table->kind == RATING_SCORES ? "base_rate" : "most_frequent_class",
			&rating.base);
	if (table->kind == RATING_SCORES)
		model_rating_append_estimate(text, table, "accuracy", &rating.accuracy);
	if (rating_counts_unusable(table))
	{
		appendStringInfo(text, ", \"unusable\": " INT64_FORMAT, table->unusable);
		model_rating_append_estimate(text, table, "usable", &rating.usable);
	}
	if (rating.calibrated)
		appendStringInfo(text, ", \"calibration\": {\"intercept\": %s, \"slope\": %s}",
						 json_digits(rating.intercept), json_digits(rating.slope));
	if (table->moved != 0)
		appendStringInfo(text, ", \"moved\": {\"intercept\": %s, \"so_that\": \"%s\"}",
						 json_digits(table->moved),
						 "bins above score 0 are those where a positive label is more likely");
	if (table->kind == RATING_SCORES)
		append_quality(text, table, &rating);
	append_table(text, table);
	appendStringInfo(text, ", \"confidence\": %g}", RATING_CONFIDENCE);
}

/* ---- reading ---- */

static JsonbContainer *
rating_of(JsonbContainer *details)
{
	return details == NULL ? NULL : json_get_object(json_member(details, "rating"));
}

/* Without it the noise is of another law. */
static bool
read_mu(JsonbValue *member, double *mu)
{
	return member == NULL || (json_get_number(member, mu) && *mu > 1e-9 && *mu < 1e9);
}

static bool
read_edges(JsonbContainer *edges, RatingTable *table)
{
	int count = edges == NULL ? 0 : JsonContainerSize(edges);

	if (count < 1 || count > RATING_BINS - 1)
		return false;
	for (int i = 0; i < count; i++)
		if (!json_get_number(getIthJsonbValueFromContainer(edges, i), &table->edge[i]) ||
			(i > 0 && !(table->edge[i - 1] < table->edge[i])))
			return false;
	table->cells = count + 1;
	return true;
}

static bool
read_counts(JsonbContainer *counts, RatingTable *table)
{
	if (counts == NULL || JsonContainerSize(counts) != table->cells)
		return false;
	for (int i = 0; i < table->cells; i++)
	{
		JsonbContainer *pair = json_get_array(getIthJsonbValueFromContainer(counts, i));

		if (pair == NULL || JsonContainerSize(pair) != 2)
			return false;
		for (int j = 0; j < 2; j++)
			if (!json_get_bigint(getIthJsonbValueFromContainer(pair, j), &table->number[2 * i + j]))
				return false;
	}
	return true;
}

bool
model_rating_read(JsonbContainer *details, Adjacency adjacency, RatingTable *table)
{
	JsonbContainer *rating = rating_of(details);
	double epsilon;

	memset(table, 0, sizeof(*table));
	if (rating == NULL || !json_is_string(json_member(rating, "of"), kind_names[RATING_SCORES]))
		return false;
	table->kind = RATING_SCORES;
	/* groups are trained under add_remove */
	table->adjacency = json_member(details, "group") != NULL ? ADJACENCY_ADD_REMOVE : adjacency;
	table->usable_only = json_member(rating, "unusable") == NULL;
	table->seen = !json_is_string(json_member(rating, "on"), rows_held_out);
	if (!json_get_number(json_member(rating, "epsilon"), &epsilon) ||
		!(epsilon * EPSILON_ONE >= 1) || epsilon > EPSILON_MAX ||
		!json_get_integer(json_member(rating, "rows_per_person"), 1, PG_INT32_MAX,
						  &table->rows_per_person) ||
		!read_mu(json_member(rating, "mu"), &table->mu) ||
		!json_get_number(json_member(rating, "middle"), &table->middle) ||
		!json_get_number(json_member(rating, "spread"), &table->spread) || !(table->spread > 0) ||
		!read_edges(json_get_array(json_member(rating, "edges")), table) ||
		!read_counts(json_get_array(json_member(rating, "counts")), table))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid dp_model"),
						errdetail("Its rating is none that a training has made.")));
	table->epsilon = (int64) rint(epsilon * EPSILON_ONE);
	return true;
}

const char *
model_rating_verdict(JsonbContainer *details)
{
	JsonbContainer *rating = rating_of(details);

	return rating == NULL ? NULL : json_get_string(json_member(rating, "verdict"));
}

bool
model_rating_calibration(JsonbContainer *details, double *intercept, double *slope)
{
	JsonbContainer *rating = rating_of(details);
	JsonbContainer *fit =
		rating == NULL ? NULL : json_get_object(json_member(rating, "calibration"));

	return fit != NULL && json_get_number(json_member(fit, "intercept"), intercept) &&
		   json_get_number(json_member(fit, "slope"), slope);
}
