/*
 * looks.c - charge, noise and hash of a look.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "core/base/names.h"
#include "core/noise/threshold.h"

#include "server/base/digest.h"
#include "server/base/gate.h"
#include "server/base/json_value.h"
#include "server/rows/options.h"
#include "server/base/random_bits.h"
#include "server/base/near_name.h"
#include "server/release/looks.h"
#include "server/ledger/charge_end.h"

char *
looks_names(bool of_table)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; look_type(i) != NULL; i++)
		if (of_table || (look_type(i)->reads != READS_KNOWN && look_type(i)->reads != READS_LEVEL))
			appendStringInfo(&names, ", %s", look_type(i)->name);
	return names.data;
}

/* ---- the request ---- */

void
looks_begin(LookRequest *request, const LookType *type)
{
	memset(request, 0, sizeof(*request));
	request->look.type = type;
	request->look.cells = 1;
	request->look.rows_per_person = 1;
	request->confidence = LOOKS_CONFIDENCE;
	request->provenance = "";
}

/* The options of a call come first, then those of a price, then "clip" if it is allowed. */
static void
check_options(const LookRequest *request, Jsonb *options, bool has_clip)
{
	const LookType *type = request->look.type;
	bool has_steps = type->reads == READS_POINT;
	bool of_table = OidIsValid(request->table);
	const char *known[6]; /* the longest list is that of prices of quantiles without a table */
	int count = 0;
	ListCell *cell;

	known[count++] = type->reads == READS_KNOWN ? "columns" : "confidence";
	if (has_steps)
		known[count++] = "steps";
	if ((type->reads == READS_SCORES || type->reads == READS_BIN) && of_table)
		known[count++] = "bins";
	if (look_rates(type) && of_table)
		known[count++] = "holdout";
	if (type->reads == READS_COLUMNS && of_table)
		known[count++] = "label";
	if (request->is_price && of_table && look_has_groups(type))
		known[count++] = "by";
	if (type->reads == READS_ROWS && (of_table || request->is_price))
		known[count++] = "distinct";
	if (request->is_price && !of_table)
	{
		known[count++] = "adjacency";
		known[count++] = "max_rows_per_person";
	}
	if (request->is_price && has_steps)
		known[count++] = "quantiles";
	if (has_clip)
		known[count++] = "clip";
	if (!JB_ROOT_IS_OBJECT(options))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options must be a JSON object")));
	foreach (cell, json_keys(&options->root))
		if (names_find(known, count, lfirst(cell)) == count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("option \"%s\" is not for \"%s\"", (char *) lfirst(cell), type->name),
					 errhint("%sOptions are: %s.",
							 near_name(lfirst(cell), near_name_listed(json_known(known, count))),
							 json_known(known, count))));
}

/* value: NULL if it is not given */
static void
read_whole(const char *name, JsonbValue *value, int least, int most, int64 *number)
{
	if (value != NULL && !json_get_integer(value, least, most, number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be a whole number from %d to %d", name, least, most)));
}

static void
read_clip(JsonbValue *value, double *low, double *high)
{
	JsonbContainer *pair = json_get_array(value);

	if (pair == NULL || JsonContainerSize(pair) != 2 ||
		!json_get_number(getIthJsonbValueFromContainer(pair, 0), low) ||
		!json_get_number(getIthJsonbValueFromContainer(pair, 1), high))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"clip\" must be a pair [low, high] of numbers")));
}

void
looks_check_confidence(double confidence, const char *what)
{
	if (!(confidence >= 0.5) || !(confidence <= 0.999999))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be a number from 0.5 to 0.999999", what)));
}

void
looks_read_confidence(JsonbValue *value, double *confidence)
{
	if (!json_get_number(value, confidence))
		*confidence = NAN;
	looks_check_confidence(*confidence, "option \"confidence\"");
}

static void
read_call_options(LookRequest *request, Jsonb *options, double *low, double *high)
{
	JsonbValue *confidence = json_member(&options->root, "confidence");
	JsonbValue *steps = json_member(&options->root, "steps");
	JsonbValue *bins = json_member(&options->root, "bins");
	JsonbValue *clip = json_member(&options->root, "clip");
	JsonbValue *label = json_member(&options->root, "label");
	JsonbValue *holdout = json_member(&options->root, "holdout");
	JsonbValue *distinct = json_member(&options->root, "distinct");

	if (confidence != NULL)
		looks_read_confidence(confidence, &request->confidence);
	read_whole("steps", steps, 2, QUANTILES_MOST_CELLS - 1, &request->steps);
	if (request->look.type->reads != READS_BIN) /* whose edges the caller reads */
		read_whole("bins", bins, 2, ESTIMATE_MAX_BINS, &request->bins);
	if (clip != NULL)
		read_clip(clip, low, high);
	request->holdout_given = holdout != NULL;
	if (holdout != NULL)
		options_read_holdout(holdout, true, &request->holdout);
	request->look.distinct = distinct != NULL && json_is_string(distinct, "person");
	if (distinct != NULL && !request->look.distinct)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"distinct\" must be \"person\"")));
	request->label = json_get_string(label);
	if (label != NULL && request->label == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"label\" must be the name of a column")));
}

/* value: NaN where one is missing */
static void
set_quantiles(LookRequest *request, const double *value, int count)
{
	Look *look = &request->look;

	if (count < 1 || count > QUANTILES_MOST)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a call must have 1 to %d quantiles, not %d", QUANTILES_MOST, count)));
	look->quantiles = count;
	for (int i = 0; i < count; i++)
	{
		double millionths = rint(value[i] * QUANTILE_ONE);
		int32 previous = i > 0 ? look->quantile[i - 1] : 0;

		if (!(millionths > previous) || !(millionths < QUANTILE_ONE))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("quantiles must be strictly increasing numbers between 0 and 1"),
							errdetail("They are rounded to millionths.")));
		look->quantile[i] = (int32) millionths;
	}
}

void
looks_read_quantiles(LookRequest *request, ArrayType *array)
{
	Datum *values;
	bool *nulls;
	double *value;
	int count;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &count);
	value = palloc(count * sizeof(double));
	for (int i = 0; i < count; i++)
		value[i] = nulls[i] ? NAN : DatumGetFloat8(values[i]);
	set_quantiles(request, value, count);
}

/* The same for an option. */
static void
read_quantiles(LookRequest *request, JsonbValue *option)
{
	JsonbContainer *array = json_get_array(option);
	int count = array == NULL ? 0 : JsonContainerSize(array);
	double *value = palloc(count * sizeof(double));
	bool numbers = array != NULL;

	for (int i = 0; i < count; i++)
		numbers &= json_get_number(getIthJsonbValueFromContainer(array, i), &value[i]);
	if (!numbers)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"quantiles\" must be an array of numbers")));
	set_quantiles(request, value, count);
}

Adjacency
looks_read_adjacency(JsonbValue *value)
{
	if (value == NULL || json_is_string(value, "replace"))
		return ADJACENCY_REPLACE;
	if (!json_is_string(value, "add_remove"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"adjacency\" must be \"replace\" or \"add_remove\"")));
	return ADJACENCY_ADD_REMOVE;
}

void
looks_read_options(LookRequest *request, Jsonb *options, double *low, double *high)
{
	JsonbValue *rows;
	JsonbValue *quantiles;

	if (options == NULL)
		return;
	check_options(request, options, low != NULL);
	read_call_options(request, options, low, high);
	if (!request->is_price)
		return;
	if (!OidIsValid(request->table))
		request->look.adjacency = looks_read_adjacency(json_member(&options->root, "adjacency"));
	rows = json_member(&options->root, "max_rows_per_person");
	read_whole("max_rows_per_person", rows, 1, PG_INT32_MAX, &request->look.rows_per_person);
	quantiles = json_member(&options->root, "quantiles");
	if (quantiles != NULL)
		read_quantiles(request, quantiles);
}

static bool
set_grid(LookRequest *request, double low, double high)
{
	Look *look = &request->look;
	int64 room = QUANTILES_MOST_CELLS / look->cells - 1;

	if (request->steps > room)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"steps\" must be at most %d for %d groups", (int) room,
							   look->cells)));
	return look_set_grid(look, low, high, request->whole,
						 request->steps > 0 ? request->steps : Min(LOOKS_STEPS, room));
}

void
looks_set_bounds(LookRequest *request, double low, double high)
{
	Look *look = &request->look;

	if (look->type->reads == READS_POINT ? set_grid(request, low, high)
										 : look_set_bounds(look, low, high))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("values cannot be clipped to [%.15g, %.15g]", low, high),
			 errdetail("The bounds are finite, the lower one is below the other, and they do not "
					   "lie much nearer to each other than to 0.")));
}

void
looks_set_cells(LookRequest *request, double cells)
{
	if (!(cells >= 1) || cells > LOOKS_MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a call must have 1 to %d groups and bins, not %.0f",
							   LOOKS_MAX_CELLS, cells),
						errdetail("Where rows are grouped, each group has all bins.")));
	request->look.cells = (int) cells;
}

/* Of probabilities, without the option. */
#define USUAL_PROBABILITIES 10

void
looks_set_bins(LookRequest *request, int64 rows)
{
	Look *look = &request->look;

	look->cells = 2; /* more than one, which the reach needs */
	if (request->bins == 0)
		request->bins = look->type == &look_calibration
							? USUAL_PROBABILITIES
							: look_usual_bins(look, request->cost.epsilon, rows);
	looks_set_cells(request, 2.0 * request->bins);
}

void
looks_set_columns(LookRequest *request, int columns)
{
	if (columns < 1 || columns > LOOK_MOST_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a call must have 1 to %d columns, not %d", LOOK_MOST_COLUMNS, columns),
				 errhint("Name fewer columns.")));
	request->look.columns = columns;
}

void
looks_set_threshold(LookRequest *request)
{
	Look *look = &request->look;

	if (request->cost.delta == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("delta must be greater than zero for \"%s\"", look->type->name),
						errdetail("It is the chance that a level is named that only one person "
								  "has."),
						errhint("Choose one far below 1 / (number of persons), such as 1e-8.")));
	look->threshold = threshold_least(request->cost.epsilon, look_reach(look, 0),
									  look->rows_per_person, request->cost.delta);
	if (look->threshold == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon is too small for %d rows of a person",
							   (int) look->rows_per_person)));
}

/* ---- the charge ---- */

void
looks_append_quantiles(StringInfo text, const Look *look)
{
	for (int i = 0; i < look->quantiles; i++)
		appendStringInfo(text, "%s%s", i == 0 ? ", \"quantiles\": [" : ", ",
						 float8out_internal((double) look->quantile[i] / QUANTILE_ONE));
	appendStringInfo(text, "], \"steps\": %d, \"step\": %s", look->high,
					 float8out_internal(look->unit));
}

static void
append_clip(StringInfo text, double low, double high)
{
	appendStringInfo(text, ", \"clip\": [%s, %s]", float8out_internal(low),
					 float8out_internal(high));
}

static char *
parameters(const LookRequest *request)
{
	const Look *look = &request->look;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"look\": \"%s\"", look->type->name);
	if (look->threshold > 0)
		appendStringInfo(&text, ", \"threshold\": " INT64_FORMAT, look->threshold);
	else
		appendStringInfo(&text, ", \"cells\": %d", look->cells);
	if (look->type->reads == READS_SCORES)
		appendStringInfo(&text, ", \"scores\": [%s, %s]", float8out_internal(look->lowest),
						 float8out_internal(look->highest));
	if (look->type->reads == READS_POINT)
	{
		append_clip(&text, look->grid.low, look->grid.high);
		looks_append_quantiles(&text, look);
	}
	else if (look_has_values(look->type))
		append_clip(&text, look->middle + look->unit * look->low,
					look->middle + look->unit * look->high);
	if (look->distinct)
		appendStringInfoString(&text, ", \"distinct\": \"person\"");
	appendStringInfo(&text, "%s}", request->provenance);
	return text.data;
}

/* All laws are pure (theorems T1, J3 and T9), but where names of levels are released (T14). */
Charge
looks_charge(const LookRequest *request)
{
	Pair pair = pair_pure(request->cost.epsilon_charged);

	if (request->look.type->reads == READS_LEVEL)
	{
		pair.kind = PAIR_APPROXIMATE;
		pair.delta = request->cost.delta_charged;
	}
	return (Charge){
		.mechanism = request->look.type->law,
		.adjacency = request->look.adjacency,
		.pair = pair,
		.guarantee = "exact",
		.parameters = parameters(request),
		.person = request->person,
	};
}

void
looks_draw(const LookRequest *request, int64 *number)
{
	Bits bits;

	random_bits_init(&bits);
	for (int cell = 0; cell < request->look.cells; cell++)
	{
		GATE_CHECK_FOR_INTERRUPTS();
		look_draw(&request->look, request->cost.epsilon, &bits, cell, number);
	}
}

/* ---- the answer ---- */

LookAnswer *
looks_answers(const LookRequest *request, const int64 *number)
{
	int count = look_answers(&request->look);
	LookAnswer *answer = palloc(count * sizeof(LookAnswer));

	for (int i = 0; i < count; i++)
		look_answer(&request->look, request->cost.epsilon, request->confidence, number, i,
					&answer[i]);
	return answer;
}

/* The numbers of an answer by the names of their columns; the first can be unknown. */
static const struct
{
	const char *column;
	size_t field;
	bool may_be_null;
} numbers[] = {
	{"value", offsetof(LookAnswer, value), true},
	{"share", offsetof(LookAnswer, value), true},
	/* of an AUC, the answer after it */
	{"ties", sizeof(LookAnswer) + offsetof(LookAnswer, value), true},
	{"low", offsetof(LookAnswer, low)},
	{"high", offsetof(LookAnswer, high)},
	{"sample_low", offsetof(LookAnswer, sample_low)},
	{"sample_high", offsetof(LookAnswer, sample_high)},
};

Datum
looks_column(const LookRequest *request, const char *column, int position, const LookAnswer *answer,
			 bool *isnull)
{
	const Look *look = &request->look;
	int place = position % Max(look_answers(look) / look->cells, 1);

	*isnull = false;
	for (int i = 0; i < lengthof(numbers); i++)
		if (strcmp(column, numbers[i].column) == 0)
		{
			double number;

			*isnull = numbers[i].may_be_null && !answer->known;
			memcpy(&number, (const char *) answer + numbers[i].field, sizeof(number));
			return Float8GetDatum(number);
		}
	if (strcmp(column, "confidence") == 0)
		return Float8GetDatum(request->confidence);
	if (strcmp(column, "rows") == 0 || strcmp(column, "rank_error") == 0)
		return Int64GetDatum(answer->rows);
	if (strcmp(column, "measure") == 0)
		return CStringGetTextDatum(look->type->measures[place]);
	if (strcmp(column, "quantile") == 0)
		return Float8GetDatum((double) look->quantile[place] / QUANTILE_ONE);
	elog(ERROR, "no look has a column \"%s\"", column);
}

/* Hashes the values as the user gets them, float8 each, nothing for null. */
void
looks_released(const LookRequest *request, int64 release, const LookAnswer *answer,
			   const char *kept)
{
	uint8 hash[CHARGE_HASH_LENGTH];
	StringInfoData bytes;

	initStringInfo(&bytes);
	for (int i = 0; i < look_answers(&request->look); i++)
		if (answer[i].known)
			pq_sendfloat8(&bytes, answer[i].value);
	digest_bytes(&bytes, hash);
	charge_released_answer(release, hash, kept);
}
