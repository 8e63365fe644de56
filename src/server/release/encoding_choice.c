/*
 * encoding_choice.c - how features and a target become integers, by the options.
 */
#include "server/release/encoding_choice.h"

#include <math.h>

#include "core/mechanisms/convex_default.h"

static int
grouped_features(const Options *options)
{
	int sum = 0;

	for (int g = 0; g < options->groups; g++)
		sum += options->group[g];
	return sum;
}

/*
 * The number of features follows from a list with an entry for each, or from groups, which are the
 * first columns, and numeric columns.
 */
int
encoding_declared_features(const Options *options)
{
	const FeatureNumbers *lists[] = {&options->center, &options->scale, &options->low};
	int features = grouped_features(options);

	if (options->dimension > 0)
		return options->dimension;
	if (options->levels_count > 0)
		return options->levels_count;
	for (int i = 0; i < lengthof(lists); i++)
		if (lists[i]->count > 1)
			return lists[i]->count;
	for (int i = 0; features > 0 && i < options->numeric_count; i++)
		features = Max(features, options->numeric[i]);
	return features;
}

/* Copies one number to all features that a row may have, or a list that has one for each. */
static void
spread(const FeatureNumbers *numbers, const char *name, int features, double *value)
{
	if (numbers->count > 1 && numbers->count != features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"%s\" has %d entries for %d features", name, numbers->count,
							   features)));
	for (int j = 0; j < numbers->count; j++)
		value[j] = numbers->value[j];
	for (int j = 1; numbers->count == 1 && j < COLUMNS_MAX; j++)
		value[j] = numbers->value[0];
}

/* While the number of features is not known (0), each must be one number for all. */
static void
spread_all(const Options *options, int features, Encoding *encoding)
{
	spread(&options->center, "center", features, encoding->center);
	spread(&options->scale, "scale", features, encoding->scale);
	spread(&options->low, "clip", features, encoding->low);
	spread(&options->high, "clip", features, encoding->high);
}

/* An index is not scaled or clipped, whatever one number the options have for all features. */
static void
put_levels(const Options *options, int first, int features, Encoding *encoding)
{
	if (options->levels_count == 0)
		return;
	if (options->levels_count != features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"levels\" has %d entries for %d features",
							   options->levels_count, features)));
	for (int g = 0, j = 0; g < options->groups; j += options->group[g++])
		for (int k = j; options->group[g] > 1 && k < j + options->group[g]; k++)
			if (options->levels[k] > 0)
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("option \"levels\" has an entry for feature %d, which is in "
									   "a group of \"groups\"",
									   k + 1),
								errhint("The features of groups come first: give each of them 0 "
										"levels.")));
	for (int j = 0; j < options->levels_count; j++)
		if (options->levels[j] > 0)
			encoding_set_levels(encoding, first + j, options->levels[j]);
}

/* The largest target, so that predictions and the statements of predict_sql do not overflow. */
#define TARGET_MOST 1e15

/*
 * Measures targets in thresholds from the middle of their bounds, where the intercept is 0; without
 * an intercept, from a value of 0.
 */
static void
scale_target(const Training *training, Encoding *encoding)
{
	const Options *options = &training->options;
	double middle = options->intercept ? (options->target_low + options->target_high) / 2
									   : -options->target_center / options->target_scale;
	double reach = fmax(fabs(options->target_low - middle), fabs(options->target_high - middle));

	if (!(options->target_low < options->target_high) || !(reach <= TARGET_MOST))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the target's lower bound must be below its upper bound"),
						errdetail("Both must lie between %g and %g.", -TARGET_MOST, TARGET_MOST)));
	encoding->center[0] = middle;
	encoding->scale[0] = reach * convex_default_threshold(training_row_epsilon(training));
	encoding->low[0] = (options->target_low - middle) / encoding->scale[0];
	encoding->high[0] = (options->target_high - middle) / encoding->scale[0];
}

double
encoding_target_unit(const Training *training)
{
	return training->options.target_scale * training->encoding.scale[0];
}

double
encoding_target_middle(const Training *training)
{
	return training->options.target_center +
		   training->options.target_scale * training->encoding.center[0];
}

static void
put_target(const Training *training, Encoding *encoding)
{
	const Options *options = &training->options;
	size_t bytes = (COLUMNS_MAX - 1) * sizeof(double);

	memmove(encoding->center + 1, encoding->center, bytes);
	memmove(encoding->scale + 1, encoding->scale, bytes);
	memmove(encoding->low + 1, encoding->low, bytes);
	memmove(encoding->high + 1, encoding->high, bytes);
	memmove(encoding->binary + 1, encoding->binary,
			(COLUMNS_MAX - 1) * sizeof(encoding->binary[0]));
	memmove(encoding->ordered + 1, encoding->ordered,
			(COLUMNS_MAX - 1) * sizeof(encoding->ordered[0]));
	encoding->ordered[0] = 0;
	encoding->binary[0] = false;
	encoding->center[0] = 0;
	encoding->scale[0] = 1;
	encoding->low[0] = options->target_low;
	encoding->high[0] = options->target_high;
	if (method_has_classes(training->method)) /* the number of the class */
	{
		encoding->low[0] = 0;
		encoding->high[0] = options->classes - 1;
	}
	if (training->method == METHOD_LINEAR)
		scale_target(training, encoding);
	if (encoding->groups == 0)
		return;
	memmove(encoding->group + 1, encoding->group, (COLUMNS_MAX - 1) * sizeof(encoding->group[0]));
	encoding->group[0] = 1;
	encoding->groups++;
}

void
encoding_of_features(const Training *training, Encoding *features)
{
	size_t count = COLUMNS_MAX - 1;

	*features = training->encoding;
	if (training_target_columns(training) == 0)
		return;
	features->features--;
	memmove(features->center, features->center + 1, count * sizeof(double));
	memmove(features->scale, features->scale + 1, count * sizeof(double));
	memmove(features->low, features->low + 1, count * sizeof(double));
	memmove(features->high, features->high + 1, count * sizeof(double));
	memmove(features->binary, features->binary + 1, count * sizeof(features->binary[0]));
	memmove(features->ordered, features->ordered + 1, count * sizeof(features->ordered[0]));
	memmove(features->levels, features->levels + 1, count * sizeof(features->levels[0]));
	if (features->groups == 0)
		return;
	features->groups--;
	memmove(features->group, features->group + 1, count * sizeof(features->group[0]));
}

/* At the analyst's door each feature of a declared column is 0 or 1, unless it is numeric. */
static void
put_binary(const Training *training, int features, Encoding *encoding)
{
	const Options *options = &training->options;

	for (int j = 0; training->by_analyst && j < features; j++)
		encoding->binary[j] = true;
	for (int i = 0; training->by_analyst && i < options->numeric_count; i++)
		encoding->binary[options->numeric[i] - 1] = false;
}

void
encoding_lay_out(Training *training, int features)
{
	const Options *options = &training->options;
	Encoding *encoding = &training->encoding;

	encoding_init(encoding);
	encoding->intercept = options->intercept;
	encoding->groups = options->groups;
	memcpy(encoding->group, options->group, sizeof(encoding->group));
	memcpy(encoding->ordered, options->ordered, sizeof(encoding->ordered));
	put_binary(training, features, encoding);
	spread_all(options, features, encoding);
	if (training_target_columns(training) > 0)
		put_target(training, encoding);
	put_levels(options, training_target_columns(training), features, encoding);
}

void
encoding_choose(Training *training, int features)
{
	const Options *options = &training->options;
	Encoding *encoding = &training->encoding;
	int limit = COLUMNS_MAX - training_target_columns(training) - (options->intercept ? 1 : 0);

	if (features > limit)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d features are too many", features),
						errdetail("The limit is %d.", limit), errhint("Choose fewer columns.")));
	if (grouped_features(options) > features)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("groups add up to %d for %d features", grouped_features(options),
							   features)));
	for (int i = 0; i < options->numeric_count; i++)
		if (options->numeric[i] > features)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("option \"numeric\" names feature %d of %d", options->numeric[i],
								   features)));
	encoding_lay_out(training, features);
	encoding->features = features + training_target_columns(training);
	if (!encoding_finish(encoding))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options %s are out of range",
							   training_target_columns(training) > 0
								   ? "\"center\", \"scale\", \"clip\" or \"target\""
								   : "\"center\", \"scale\" or \"clip\""),
						errdetail("Clip bounds must lie between %g and %g.", -ENCODING_MAX_CLIP,
								  ENCODING_MAX_CLIP)));
}
