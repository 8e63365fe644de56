/*
 * encoders.c - chooses encoders, describes their features and encodes values.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "server/base/json_value.h"
#include "server/base/near_name.h"
#include "server/rows/encoders.h"

static bool
has_categories(const Encoder *encoder)
{
	return encoder->kind == ENCODER_BINS || encoder->kind == ENCODER_LEVELS;
}

/* ---- choosing ---- */

static List *
read_names(ArrayType *array, const char *argument, const char *hint)
{
	List *names = NIL;
	Datum *values;
	bool *nulls;
	int count;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, &count);
	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must not be an empty array", argument), errhint("%s", hint)));
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s must not contain nulls", argument)));
		names = lappend(names, TextDatumGetCString(values[i]));
	}
	return names;
}

List *
encoders_names(ArrayType *array)
{
	return read_names(array, "features", "Leave them out to use every declared column.");
}

List *
encoders_column_names(ArrayType *array)
{
	return read_names(array, "columns", "Leave them out to profile every declared column.");
}

List *
encoders_group_names(ArrayType *array)
{
	return read_names(array, "by", "Name a column, or call without by where there are no groups.");
}

const Encoder *
encoders_find(const Encoders *all, const char *name)
{
	for (int i = 0; i < all->count; i++)
		if (strcmp(all->encoder[i].column.name, name) == 0)
			return &all->encoder[i];
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("column \"%s\" is not among the declared encoders", name),
					near_name_errhint(name, all->declared)));
}

static void
check_new(const Encoders *chosen, const Encoder *encoder, const char *what)
{
	for (int i = 0; i < chosen->count; i++)
		if (chosen->encoder[i].column.number == encoder->column.number)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s \"%s\" is named twice", what, encoder->column.name)));
}

static void
choose(Encoders *chosen, const Encoder *encoder)
{
	check_new(chosen, encoder, "feature");
	chosen->encoder[chosen->count++] = *encoder;
	chosen->features += encoder->features;
}

static void
choose_named(const Encoders *all, List *names, const char *label, Encoders *chosen)
{
	ListCell *cell;

	foreach (cell, names)
	{
		const char *name = lfirst(cell);
		const Encoder *encoder = encoders_find(all, name);

		if (encoder->kind == ENCODER_LABEL || (label != NULL && strcmp(name, label) == 0))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" is a label and cannot be a feature", name)));
		choose(chosen, encoder);
	}
}

static void
choose_all(const Encoders *all, const char *label, Encoders *chosen)
{
	for (int i = 0; i < all->count; i++)
		if (all->encoder[i].kind != ENCODER_LABEL &&
			(label == NULL || strcmp(all->encoder[i].column.name, label) != 0))
			choose(chosen, &all->encoder[i]);
}

int
encoders_weights(const Encoders *encoders)
{
	int weights = 0;

	for (int i = 0; i < encoders->count; i++)
		weights += encoder_weights(&encoders->encoder[i]);
	return weights;
}

/* A missing value without a substitute is one more category; else its indicator is a feature. */
static void
pack(Encoders *chosen)
{
	for (int i = 0; i < chosen->count; i++)
	{
		Encoder *encoder = &chosen->encoder[i];
		int before = encoder->features;

		if (!has_categories(encoder))
			continue;
		encoder->packed = true;
		encoder->features = encoder->substitute && encoder->null_indicator ? 2 : 1;
		chosen->features += encoder->features - before;
	}
}

/* Packs the categories if that is needed and allowed. */
static void
fit(Encoders *chosen, bool may_pack)
{
	int features = chosen->features;

	if (features <= GRID_MAX_DIMENSION)
		return;
	if (may_pack && features < LEVELS_WEIGHTS_MAX)
		pack(chosen);
	if (chosen->features > COLUMNS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the columns have %d features, and a model takes %d", features,
							   may_pack && features >= LEVELS_WEIGHTS_MAX ? LEVELS_WEIGHTS_MAX - 1
																		  : COLUMNS_MAX - 1),
						errhint("Choose fewer columns, or declare fewer levels or bins.")));
}

void
encoders_choose(const Encoders *all, List *names, const char *label, bool may_pack,
				Encoders *chosen)
{
	memset(chosen, 0, sizeof(*chosen));
	chosen->encoder = palloc((all->count + list_length(names)) * sizeof(Encoder));
	if (names == NIL)
		choose_all(all, label, chosen);
	else
		choose_named(all, names, label, chosen);
	if (chosen->features == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the declared encoders have no feature")));
	fit(chosen, may_pack);
}

/* ---- groups and profiles ---- */

/* The values of a number around its clip bounds. */
enum
{
	NUMBER_BELOW,
	NUMBER_WITHIN,
	NUMBER_ABOVE,
	NUMBER_VALUES
};

/* The values of a label. */
enum
{
	VALUE_POSITIVE,
	VALUE_NEGATIVE,
	LABEL_VALUES
};

static int
public_values(const Encoder *encoder)
{
	if (encoder->kind == ENCODER_LEVELS || encoder->kind == ENCODER_BINS)
		return encoder->categories;
	if (encoder->kind == ENCODER_NUMBER && encoder->column.kind == COLUMN_BOOLEAN)
		return 2;
	if (!encoder->others)
		return 0;
	return encoder->kind == ENCODER_NUMBER ? NUMBER_VALUES : LABEL_VALUES;
}

/* Only levels, and labels that name both values, leave values out; bins hold every number. */
static bool
leaves_values_out(const Encoder *encoder)
{
	return encoder->kind == ENCODER_LEVELS ||
		   (encoder->kind == ENCODER_LABEL && encoder->label.negative.count > 0);
}

int
encoder_values(const Encoder *encoder)
{
	int others = leaves_values_out(encoder) ? 2 : 1;

	return public_values(encoder) + (encoder->others ? others : 0);
}

int
encoder_usable_values(const Encoder *encoder)
{
	if (encoder->substitute || encoder->null_indicator)
		return encoder_values(encoder);
	return public_values(encoder);
}

static void
check_group(const Encoder *encoder, const Encoders *groups)
{
	check_new(groups, encoder, "column");
	if (encoder_values(encoder) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no public list of values", encoder->column.name),
						errhint("Rows are grouped by columns with \"levels\" or \"bins\", and by "
								"boolean columns.")));
}

void
encoders_split(const Encoders *all, List *names, Encoders *groups, Encoders *rest)
{
	ListCell *cell;

	memset(groups, 0, sizeof(*groups));
	memset(rest, 0, sizeof(*rest));
	groups->encoder = palloc(list_length(names) * sizeof(Encoder));
	rest->encoder = palloc(Max(all->count, 1) * sizeof(Encoder));
	foreach (cell, names)
	{
		const Encoder *encoder = encoders_find(all, lfirst(cell));

		check_group(encoder, groups);
		groups->encoder[groups->count++] = *encoder;
	}
	for (int i = 0; i < all->count; i++)
		if (!names_include(names, all->encoder[i].column.name))
		{
			rest->encoder[rest->count++] = all->encoder[i];
			rest->features += all->encoder[i].features;
		}
}

static void
choose_values(Encoders *chosen, const Encoder *encoder)
{
	Encoder *copy = &chosen->encoder[chosen->count];

	check_new(chosen, encoder, "column");
	*copy = *encoder;
	copy->others = true;
	copy->features = 1;
	chosen->count++;
	chosen->features++;
}

void
encoders_values(const Encoders *all, List *names, Encoders *chosen)
{
	ListCell *cell;

	memset(chosen, 0, sizeof(*chosen));
	chosen->declared = all->declared;
	chosen->encoder = palloc((all->count + list_length(names)) * sizeof(Encoder));
	foreach (cell, names)
		choose_values(chosen, encoders_find(all, lfirst(cell)));
	for (int i = 0; names == NIL && i < all->count; i++)
		choose_values(chosen, &all->encoder[i]);
}

void
encoders_set_label(Encoders *values, const char *name)
{
	Encoder *label = NULL;

	for (int i = 0; i < values->count; i++)
		if (strcmp(values->encoder[i].column.name, name) == 0)
			label = &values->encoder[i];
	if (label == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("label \"%s\" is not among the columns of the profile", name),
						near_name_errhint(name, values->declared)));
	if (encoder_is_number(label))
		return; /* a target, which has a substitute as a feature has */
	(void) encoders_label(values, &(LabelChoice){.name = name});
	label->substitute = label->null_indicator = false;
}

bool
encoders_plain_number(const Encoders *all, const char *name, Encoder *number, double *low,
					  double *high)
{
	const Encoder *declared = encoders_find(all, name);
	ColumnKind kind = declared->column.kind;

	if (kind == COLUMN_TEXT || kind == COLUMN_ENUM ||
		(kind == COLUMN_TIME && declared->unit == 0)) /* a part, or a label */
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no numbers", name)));
	*number = (Encoder){.column = declared->column,
						.kind = ENCODER_NUMBER,
						.features = 1,
						.unit = declared->unit,
						.origin = declared->origin,
						.zone = declared->zone,
						.scale = 1.0,
						.low = -INFINITY,
						.high = INFINITY};
	if (declared->kind != ENCODER_NUMBER)
		return false;
	*low = kind == COLUMN_BOOLEAN ? 0.0 : edge_number(&declared->bound[0]);
	*high = kind == COLUMN_BOOLEAN ? 1.0 : edge_number(&declared->bound[1]);
	return true;
}

bool
encoder_is_whole(const Encoder *number)
{
	return number->column.kind == COLUMN_INTEGER || number->column.kind == COLUMN_BOOLEAN;
}

/* ---- describing ---- */

/*
 * The number of features of which exactly one is 1: the categories and, if a missing value has no
 * substitute, its indicator.  If the first category is dropped, all may be 0.
 */
static int
one_hot_size(const Encoder *encoder)
{
	if (!has_categories(encoder) || encoder->drop_first || encoder->packed)
		return 1;
	return encoder->substitute && encoder->null_indicator ? encoder->features - 1
														  : encoder->features;
}

/* Are categories that follow each other alike? */
static bool
is_ordered(const Encoder *encoder)
{
	return encoder->kind == ENCODER_BINS || encoder->part != PART_NONE;
}

static void
describe_encoder(const Encoder *encoder, Options *options)
{
	int first = options->dimension;
	int group = one_hot_size(encoder);
	bool indicators = has_categories(encoder) || encoder->column.kind == COLUMN_BOOLEAN;

	if (!indicators)
		options->numeric[options->numeric_count++] = first + 1;
	for (int j = 0; j < encoder->features; j++)
	{
		options->low.value[first + j] = j == 0 ? encoder->low : 0.0;
		options->high.value[first + j] = j == 0 ? encoder->high : 1.0;
	}
	if (encoder->packed)
	{
		options->levels[first] = (int16) encoder_levels(encoder);
		options->low.value[first] = 0.0;
		options->high.value[first] = options->levels[first];
		options->levels_count = 1;
	}
	if (is_ordered(encoder) && (encoder->packed || !encoder->drop_first))
		options->ordered[first] = (int16) encoder_kept(encoder);
	options->group[options->groups++] = group;
	for (int j = group; j < encoder->features; j++)
		options->group[options->groups++] = 1;
	options->dimension += encoder->features;
}

void
encoders_describe(const Encoders *encoders, Options *options)
{
	options->dimension = 0;
	options->numeric_count = 0;
	options->groups = 0;
	options->levels_count = 0;
	memset(options->levels, 0, sizeof(options->levels));
	memset(options->ordered, 0, sizeof(options->ordered));
	for (int i = 0; i < encoders->count; i++)
		describe_encoder(&encoders->encoder[i], options);
	if (options->levels_count > 0)
		options->levels_count = options->dimension;
	options->low.count = options->dimension;
	options->high.count = options->dimension;
}

void
encoders_encoding(const Options *options, Encoding *encoding)
{
	encoding_init(encoding);
	encoding->features = options->dimension;
	encoding->intercept = options->intercept;
	encoding->groups = options->groups;
	memcpy(encoding->group, options->group, sizeof(encoding->group));
	for (int j = 0; j < options->dimension; j++)
	{
		encoding->low[j] = options->low.value[j];
		encoding->high[j] = options->high.value[j];
		if (options->levels[j] > 0)
			encoding_set_levels(encoding, j, options->levels[j]);
	}
	if (!encoding_finish(encoding))
		elog(ERROR, "declared encoders make no encoding");
}

const char *
encoder_subject(const Encoder *encoder)
{
	if (encoder->part == PART_NONE)
		return encoder->column.name;
	return psprintf("%s of %s", time_part_name(encoder->part), encoder->column.name);
}

char *
encoder_edge_text(const Encoder *encoder, int bin)
{
	return edge_text(&encoder->column, &encoder->edge[bin]);
}

static char *
bin_name(const Encoder *encoder, int bin)
{
	const char *column = encoder->column.name;

	if (bin == 0)
		return psprintf("%s < %s", column, encoder_edge_text(encoder, 0));
	if (bin == encoder->categories - 1)
		return psprintf("%s >= %s", column, encoder_edge_text(encoder, bin - 1));
	return psprintf("%s <= %s < %s", encoder_edge_text(encoder, bin - 1), column,
					encoder_edge_text(encoder, bin));
}

static char *
level_name(const Encoder *encoder, int level)
{
	const ColumnValue *value = &encoder->set.value[level];

	return psprintf("%s = %s", encoder_subject(encoder), column_text(&encoder->column, value));
}

char *
encoder_feature_name(const Encoder *encoder, int position)
{
	if (encoder->null_indicator && position == encoder_weights(encoder) - 1)
		return psprintf("%s is missing", encoder->column.name);
	if (!has_categories(encoder))
		return pstrdup(encoder->column.name);
	if (encoder->drop_first)
		position++;
	return encoder->kind == ENCODER_BINS ? bin_name(encoder, position)
										 : level_name(encoder, position);
}

/* In the column's own unit. */
static char *
number_name(const Encoder *encoder, int position)
{
	char *low = edge_text(&encoder->column, &encoder->bound[0]);
	char *high = edge_text(&encoder->column, &encoder->bound[1]);

	if (position == NUMBER_WITHIN)
		return psprintf("%s to %s", low, high);
	return position == NUMBER_BELOW ? psprintf("below %s", low) : psprintf("above %s", high);
}

char *
encoder_value_name(const Encoder *encoder, int position)
{
	int others = position - public_values(encoder);

	if (others >= 0)
		return pstrdup(others == 0 ? "NULL" : "other");
	if (encoder->kind == ENCODER_BINS)
		return bin_name(encoder, position);
	if (encoder->kind == ENCODER_LEVELS)
		return column_text(&encoder->column, &encoder->set.value[position]);
	if (encoder->kind == ENCODER_LABEL)
		return pstrdup(position == VALUE_POSITIVE ? "positive" : "negative");
	if (encoder->column.kind != COLUMN_BOOLEAN)
		return number_name(encoder, position);
	return pstrdup(position == 0 ? "false" : "true");
}

/* ---- encoding one value ---- */

/* The value of a time by the clock of the declared zone. */
static Datum
local(const Encoder *encoder, Datum datum)
{
	return time_local(&encoder->column, encoder->zone, datum);
}

/* The number of a value before it is scaled. */
static double
read_number(const Encoder *encoder, Datum datum)
{
	const Column *column = &encoder->column;

	if (column->kind != COLUMN_TIME)
		return column_number(column, datum);
	return (column_number(column, local(encoder, datum)) - encoder->origin) / encoder->unit;
}

/* The feature of a value; NaN if the value is NaN. */
static double
apply_number(const Encoder *encoder, Datum datum)
{
	double number = read_number(encoder, datum);

	number = (number - encoder->center) / encoder->scale;
	if (number < encoder->low)
		return encoder->low;
	return number > encoder->high ? encoder->high : number;
}

/* The category of a value; -1 if it is missing. */
static int
find_category(const Encoder *encoder, Datum datum)
{
	if (encoder->part != PART_NONE)
		return time_part_of(&encoder->column, encoder->part, local(encoder, datum)) - 1;
	if (encoder->kind == ENCODER_LEVELS)
		return column_set_find(&encoder->column, &encoder->set, datum);
	return edges_passed(&encoder->column, encoder->edge, encoder->categories - 1,
						local(encoder, datum));
}

/* Writes the features except the indicator; false if the value is missing. */
static bool
encode_number(const Encoder *encoder, Datum datum, bool isnull, double *features)
{
	double number = isnull ? NAN : apply_number(encoder, datum);

	features[0] = isnan(number) ? encoder->null_value : number;
	return !isnan(number);
}

/*
 * The index of the category among those kept, 0 of the one dropped; one above the last for a
 * missing value without a substitute.
 */
static bool
encode_index(const Encoder *encoder, int category, double *features)
{
	bool missing = category < 0;

	if (missing)
		category = encoder->substitute ? encoder->null_category : encoder->categories;
	features[0] = category + (encoder->drop_first ? 0 : 1);
	if (encoder->features > 1)
		features[1] = missing ? 1.0 : 0.0;
	return !missing || encoder->substitute || encoder->null_indicator;
}

static bool
encode_category(const Encoder *encoder, Datum datum, bool isnull, double *features)
{
	int category = isnull ? -1 : find_category(encoder, datum);
	bool missing = category < 0;

	if (missing && encoder->substitute)
		category = encoder->null_category;
	if (encoder->drop_first)
		category--;
	for (int j = 0; j < encoder->features; j++)
		features[j] = j == category ? 1.0 : 0.0;
	if (encoder->is_class)
		features[0] = category;
	return !missing;
}

bool
encoder_apply(const Encoder *encoder, Datum datum, bool isnull, double *features)
{
	bool present;

	if (encoder->others)
	{
		features[0] = encoder_value(encoder, datum, isnull);
		return true;
	}
	column_cast_value(&encoder->column, &datum, &isnull);
	if (encoder->packed)
		return encode_index(encoder, isnull ? -1 : find_category(encoder, datum), features);
	present = encoder->kind == ENCODER_NUMBER ? encode_number(encoder, datum, isnull, features)
											  : encode_category(encoder, datum, isnull, features);
	if (encoder->null_indicator)
		features[encoder->features - 1] = present ? 0.0 : 1.0;
	return present || encoder->null_indicator || encoder->substitute;
}

uint64
encoders_row_type(HeapTupleHeader row)
{
	return assign_record_type_identifier(HeapTupleHeaderGetTypeId(row),
										 HeapTupleHeaderGetTypMod(row));
}

bool
encoders_apply(const Encoders *encoders, HeapTupleHeader row, double *features)
{
	TupleDesc descriptor =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	Datum *values = palloc(descriptor->natts * sizeof(Datum));
	bool *isnull = palloc(descriptor->natts * sizeof(bool));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};

	heap_deform_tuple(&tuple, descriptor, values, isnull);
	ReleaseTupleDesc(descriptor);
	for (int i = 0; i < encoders->count; i++)
	{
		const Encoder *encoder = &encoders->encoder[i];
		int at = encoder->column.number - 1;

		if (!encoder_apply(encoder, values[at], isnull[at], features))
			return false;
		features += encoder->features;
	}
	return true;
}

static int
number_value(const Encoder *encoder, Datum datum)
{
	if (encoder->column.kind == COLUMN_BOOLEAN)
		return DatumGetBool(datum) ? 1 : 0;
	return NUMBER_WITHIN + edges_side(&encoder->column, &encoder->bound[0], &encoder->bound[1],
									  local(encoder, datum));
}

static int
label_value(const Encoder *encoder, Datum datum)
{
	switch (label_read(&encoder->label, datum))
	{
		case LABEL_POSITIVE:
			return VALUE_POSITIVE;
		case LABEL_NEGATIVE:
			return VALUE_NEGATIVE;
		default:
			return -1;
	}
}

int
encoder_value(const Encoder *encoder, Datum datum, bool isnull)
{
	int value;

	column_cast_value(&encoder->column, &datum, &isnull);
	isnull = column_is_missing(&encoder->column, datum, isnull);
	if (isnull)
		value = -1;
	else if (encoder->kind == ENCODER_NUMBER)
		value = number_value(encoder, datum);
	else if (encoder->kind == ENCODER_LABEL)
		value = label_value(encoder, datum);
	else
		value = find_category(encoder, datum);
	if (value >= 0 || !encoder->others)
		return value;
	return public_values(encoder) + (!isnull && leaves_values_out(encoder) ? 1 : 0);
}

Label
encoder_apply_label(const Encoder *encoder, Datum datum, bool isnull)
{
	column_cast_value(&encoder->column, &datum, &isnull);
	if (column_is_missing(&encoder->column, datum, isnull))
		return LABEL_NEITHER;
	return label_read(&encoder->label, datum);
}
