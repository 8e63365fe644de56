/*
 * look.c - dpobj.count(), dpobj.sum(), dpobj.avg(), dpobj.histogram(), dpobj.quantiles() and
 * dpobj.profile(): what a table holds, and dpobj.residuals(), dpobj.auc() and dpobj.calibration():
 * how well a model predicts there, with noise and the interval in which the truth is, for a role
 * that may not read the table.
 * dpobj.suggest() is in suggest.c.
 *
 * Rows are in cells by the declared values of the grouping columns and of a histogram's column,
 * which are public; each cell is answered, also one without rows.  A row without a value counts
 * nowhere, or in the bin "NULL" of a histogram.  A profile and a suggestion have no groups: their
 * rows are in one set, with the number of each column's value as a feature.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "server/release/kept.h"
#include "server/analyst/look.h"
#include "server/analyst/suggest.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/base/json_value.h"
#include "server/base/materialize.h"
#include "server/base/random_bits.h"
#include "server/base/server_memory.h"
#include "server/models/named_model.h"
#include "server/release/looks.h"
#include "server/rows/row_memory.h"

/* ---- the request ---- */

/* A look by a model has the arguments of dpobj.evaluate. */
static void
read_model_request(FunctionCallInfo fcinfo, AnalystLook *look)
{
	const char *name = TextDatumGetCString(argument_value(fcinfo, 0, "model"));

	look->request.table = DatumGetObjectId(argument_value(fcinfo, 1, "relation"));
	decimal_epsilon(argument_value(fcinfo, 2, "epsilon"), NUMERICOID, &look->request.cost);
	look->filter = argument_json(fcinfo, 3, "filter");
	look->options = argument_json(fcinfo, 4, "options");
	look->rated = palloc0(sizeof(RatedModel));
	look->rated->name = name;
}

/* Without a column the other arguments stand one place before. */
static void
read_request(FunctionCallInfo fcinfo, const LookType *type, AnalystLook *look)
{
	int at = 1;

	looks_begin(&look->request, type);
	if (look_rates(type))
	{
		read_model_request(fcinfo, look);
		return;
	}
	look->request.table = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	if (look_has_column(type))
		look->column = TextDatumGetCString(argument_value(fcinfo, at++, "column"));
	if (type->reads == READS_POINT)
		looks_read_quantiles(&look->request,
							 DatumGetArrayTypeP(argument_value(fcinfo, at++, "quantiles")));
	decimal_epsilon(argument_value(fcinfo, at, "epsilon"), NUMERICOID, &look->request.cost);
	if (type->reads == READS_LEVEL)
		decimal_delta(argument_value(fcinfo, at + 1, "delta"), NUMERICOID, &look->request.cost);
	else if (!PG_ARGISNULL(at + 1))
		look->by = (type->reads == READS_COLUMNS ? encoders_column_names : encoders_group_names)(
			PG_GETARG_ARRAYTYPE_P(at + 1));
	look->filter = argument_json(fcinfo, at + 2, "filter");
	look->options = argument_json(fcinfo, at + 3, "options");
}

/* The edges that a histogram's options name, or NULL. */
static JsonbValue *
given_bins(const AnalystLook *look)
{
	return look->request.look.type->reads == READS_BIN ? json_option(look->options, "bins") : NULL;
}

static char *
provenance(const AnalystLook *look)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	if (look->rated != NULL)
	{
		appendStringInfo(&text, ", \"model\": " INT64_FORMAT "%s%s", look->rated->model.release,
						 rated_models_keys(look->rated, 1),
						 analyst_provenance(&look->opened, look->filter));
		return text.data;
	}
	if (look->column != NULL)
	{
		appendStringInfoString(&text, ", \"column\": ");
		escape_json(&text, look->column);
	}
	if (given_bins(look) != NULL)
	{
		Jsonb *bins = JsonbValueToJsonb(given_bins(look));

		appendStringInfo(&text, ", \"bins\": %s", JsonbToCString(NULL, &bins->root, VARSIZE(bins)));
	}
	if (look->known != NULL)
		appendStringInfo(&text, ", \"columns\": %s",
						 JsonbToCString(NULL, &look->known->root, VARSIZE(look->known)));
	foreach (cell, look->by)
	{
		if (cell == list_head(look->by))
			appendStringInfo(&text, ", \"%s\": [",
							 look->request.look.type->reads == READS_COLUMNS ? "columns" : "by");
		else
			appendStringInfoString(&text, ", ");
		escape_json(&text, lfirst(cell));
	}
	appendStringInfoString(&text, look->by == NIL ? "" : "]");
	if (look->request.label != NULL)
	{
		appendStringInfoString(&text, ", \"label\": ");
		escape_json(&text, look->request.label);
	}
	appendStringInfoString(&text, analyst_look_provenance(&look->opened, look->filter));
	return text.data;
}

/* Raises 22023 unless the model suits the look. */
static void
check_model(const RatedModel *rated, const LookType *type)
{
	if (type->reads == READS_TARGET && !method_kind_has_target(rated->model.kind))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("model \"%s\" does not predict a number", rated->name),
						errhint("Call dpobj.evaluate or dpobj.confusion.")));
	if (type->reads == READS_TARGET)
		return;
	model_require_label(&rated->model, rated->name);
	if (rated->rater.classes > 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("model \"%s\" predicts one of %d classes", rated->name,
							   rated->rater.classes),
						errhint("Call dpobj.evaluate or dpobj.confusion.")));
	if (type == &look_calibration && !rated->probable)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no probabilities", rated->name),
				 errdetail(
					 "A model has probabilities if its kind is \"logistic\", or if its rating has "
					 "enough rows to calibrate them."),
				 errhint("Call dpobj.auc.")));
}

/* The model's columns; a target comes first. */
static void
open_model(AnalystLook *look)
{
	RatedModel *rated = look->rated;

	rated_model_find(rated->name, rated);
	check_model(rated, look->request.look.type);
	analyst_open(look->request.table, NIL, rated->columns, &rated->label, look->filter,
				 &look->opened);
	rated_model_check(rated, &look->opened);
	rated_model_place(rated, look->opened.shape.features);
	if (look->request.look.type->reads == READS_TARGET)
		rated_model_number(rated, look->opened.label);
}

static void
find_bounds(const Encoder *target, double *low, double *high)
{
	*low = target->center + target->scale * target->low;
	*high = target->center + target->scale * target->high;
}

/* One cell, and the declared bounds of the target. */
static void
settle_residuals(AnalystLook *look, double *low, double *high)
{
	look->opened.shape.groups = &look->opened.groups;
	find_bounds(look->opened.label, low, high);
}

/* Of a price: there is no model, but its label, which is public like the number of bins. */
static void
open_label(AnalystLook *look)
{
	LabelChoice label = {.name = look->column};

	analyst_open(look->request.table, NIL, NIL, &label, look->filter, &look->opened);
}

/* Of a price, which knows no model, only the option counts. */
static void
hold_out(AnalystLook *look)
{
	const LookRequest *request = &look->request;

	rated_models_hold_out(look->rated, look->rated == NULL ? 0 : 1, request->holdout_given,
						  request->holdout, &look->opened);
}

/* The declared number of rows, of which a share may be read; 0: not known. */
static int64
rated_rows(const AnalystTable *opened)
{
	const Holdout *holdout = opened->shape.holdout;
	double share = holdout == NULL ? 1 : (double) holdout->thousandths / HOLDOUT_ONE;

	return (int64) (share * (double) opened->protection.n);
}

/*
 * The bins of a model's scores: of those that its weights and the declared bounds allow, or of all
 * probabilities.
 */
static void
settle_scores(AnalystLook *look)
{
	LookRequest *request = &look->request;

	if (look->rated != NULL)
		open_model(look);
	else
		open_label(look);
	request->look.adjacency = look->opened.protection.adjacency;
	request->look.rows_per_person = Max(look->opened.protection.max_rows_per_person, 1);
	looks_read_options(request, look->options, NULL, NULL);
	hold_out(look);
	looks_set_bins(request, rated_rows(&look->opened));
	request->look.lowest = 0.0;
	request->look.highest = 1.0;
	if (look->rated != NULL && request->look.type == &look_auc)
		rated_model_range(look->rated, &look->opened.features, &request->look.lowest,
						  &request->look.highest);
}

/* The target gets the units of the look. */
static void
encode_target(const Encoder *target, const Look *look, Encoding *encoding)
{
	Encoding values;

	look_encoding(look, &values);
	encoding->center[0] = (values.center[0] - target->center) / target->scale;
	encoding->scale[0] = values.scale[0] / target->scale;
	encoding->low[0] = values.low[0];
	encoding->high[0] = values.high[0];
	if (!encoding_finish(encoding))
		elog(ERROR, "the bounds of a target make no encoding");
}

/* The columns are encoded as in training, but for a target of residuals. */
static void
encode_model_columns(AnalystLook *look)
{
	Options options;

	memset(&options, 0, sizeof(options));
	encoders_describe(look->opened.shape.features, &options);
	encoders_encoding(&options, &look->encoding);
	if (look->request.look.type->reads == READS_TARGET)
		encode_target(look->opened.label, &look->request.look, &look->encoding);
}

void
rated_model_residuals(const AnalystTable *opened, Look *look, Encoding *encoding)
{
	const Encoder *target = opened->label;
	double low;
	double high;

	*look = (Look){.type = &look_residuals,
				   .adjacency = opened->protection.adjacency,
				   .cells = 1,
				   .rows_per_person = 1};
	find_bounds(target, &low, &high);
	if (!look_set_bounds(look, low, high))
		elog(ERROR, "the bounds of a target are no bounds of a look");
	encode_target(target, look, encoding);
}

static void
set_bounds(AnalystLook *look, double low, double high)
{
	const LookType *type = look->request.look.type;
	bool has_values = look_has_values(type);
	bool is_clipped = has_values && !look_rates(type);

	looks_read_options(&look->request, look->options, is_clipped ? &low : NULL, &high);
	if (!has_values)
		return;
	if (isnan(low))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" has no declared bounds", look->column),
			 is_clipped ? errhint("Name them in the options, such as {\"clip\": [0, 100]}.") : 0));
	looks_set_bounds(&look->request, low, high);
}

/* The columns with their values. */
static void
settle_profile(AnalystLook *look)
{
	LookRequest *request = &look->request;
	const Encoders *columns = &look->opened.features;
	LookBlock *block;

	analyst_open_profile(look->request.table, NULL, look->by, look->filter, &look->opened);
	looks_read_options(request, look->options, NULL, NULL);
	looks_set_columns(request, columns->count);
	if (request->label != NULL)
		encoders_set_label(&look->opened.features, request->label);
	block = palloc(columns->count * sizeof(LookBlock));
	for (int i = 0; i < columns->count; i++)
		block[i] = (LookBlock){.cells = encoder_values(&columns->encoder[i]),
							   .usable = encoder_usable_values(&columns->encoder[i])};
	look_set_blocks(&request->look, columns->count, block);
}

/* Groups, bins and the bounds of values. */
static void
settle_cells(AnalystLook *look)
{
	LookRequest *request = &look->request;
	const LookType *type = request->look.type;
	double cells = 1;
	double low;
	double high;

	if (look->rated != NULL)
	{
		open_model(look);
		settle_residuals(look, &low, &high);
	}
	else
		analyst_open_look(request->table, look->by, look->column, type->reads == READS_BIN,
						  given_bins(look), look->filter, &look->opened, &low, &high);
	for (int i = 0; i < look->opened.groups.count; i++)
		cells *= encoder_values(&look->opened.groups.encoder[i]);
	looks_set_cells(request, cells);
	request->whole = type->reads == READS_POINT && encoder_is_whole(look->opened.features.encoder);
	set_bounds(look, low, high);
	if (type->reads == READS_TARGET)
		hold_out(look);
}

/* As many cells as levels are named at most; the column need not be declared. */
static void
settle_level(AnalystLook *look)
{
	LookRequest *request = &look->request;

	analyst_open_level(request->table, look->column, look->filter, &look->opened);
	looks_read_options(request, look->options, NULL, NULL);
	looks_set_cells(request, LOOKS_MAX_CELLS);
	row_memory_check_levels(look->opened.protection.max_rows_per_person, look->opened.protection.n,
							dpobj_memory_limit);
}

/* What is read decides how a look is settled. */
static void (*const openers[])(AnalystLook *look) = {
	[READS_ROWS] = settle_cells,      [READS_NUMBER] = settle_cells,
	[READS_POINT] = settle_cells,     [READS_BIN] = settle_cells,
	[READS_COLUMNS] = settle_profile, [READS_KNOWN] = suggest_settle,
	[READS_SCORES] = settle_scores,   [READS_TARGET] = settle_cells,
	[READS_LEVEL] = settle_level,
};

/* Persons can be counted where they are protected. */
static void
check_distinct(const AnalystTable *opened)
{
	if (opened->protection.person == NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("table %s has no declared person, so that persons cannot be counted",
					opened->name),
			 errhint("An administrator can name the column of the person as \"person\", with "
					 "\"max_rows_per_person\", in dpobj.protect. Without the option \"distinct\" "
					 "rows are counted.")));
}

static void
settle(Release *release)
{
	AnalystLook *look = (AnalystLook *) release;
	LookRequest *request = &look->request;
	const Protection *protection = &look->opened.protection;

	request->table = release->table;
	openers[request->look.type->reads](look);
	request->look.adjacency = protection->adjacency;
	request->look.rows_per_person = Max(protection->max_rows_per_person, 1);
	request->person = protection->person;
	if (request->look.distinct)
		check_distinct(&look->opened);
	look->opened.shape.distinct = request->look.distinct;
	if (request->look.type->reads == READS_LEVEL)
		looks_set_threshold(request);
	request->provenance = provenance(look);
	if (look->rated != NULL)
		encode_model_columns(look);
	else
		look_encoding(&request->look, &look->encoding);
	row_memory_check(protection->max_rows_per_person, &look->encoding, protection->n,
					 dpobj_memory_limit);
	look->number = palloc0(look_numbers(&request->look) * sizeof(int64));
	release->charge = looks_charge(request);
	release->charge.is_kept = release->terms.keeps_answer;
	analyst_shape(release, &look->opened);
}

/* ---- the rows ---- */

/* Bytes that the distinct values of a cell may take before they are added up. */
#define LOOK_TABLE_BYTES (64 * 1024)

/* Scores of method "simplex" are in declared units, those of "linear" in the target's own. */
void
rated_model_number(RatedModel *rated, const Encoder *target)
{
	bool own = strcmp(rated->model.kind, "linear") == 0;

	rated->rater.prediction = own ? (RaterLine){0, 1} : (RaterLine){target->center, target->scale};
}

/* Rows without a label count as positive. */
static void
add_row(Release *release, int cell, const int32 *x, const RowCount *count)
{
	AnalystLook *look = (AnalystLook *) release;
	const Look *core = &look->request.look;
	LookRow row = {.cell = cell, .x = x, .rows = count->positive};

	if (core->type->reads == READS_TARGET)
		row.score = rater_number(&look->rated->rater, x);
	else if (core->type->reads == READS_SCORES)
		row.score = rater_score(&look->rated->rater, 0, x);
	if (core->type == &look_calibration)
		row.score = look->rated->fit_intercept + look->rated->fit_slope * row.score;
	look_add(core, &row, look->number);
	if (core->type->reads != READS_SCORES)
		return;
	row.negative = true;
	row.rows = count->negative;
	look_add(core, &row, look->number);
}

/* Half of the memory limit is for rows of persons (scan_run_levels()). */
static void
draw_levels(AnalystLook *look)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpobj levels", ALLOCSET_DEFAULT_SIZES);
	Look *core = &look->request.look;
	uint8 key[SIPHASH_KEY_LENGTH];
	ServerMemory memory;
	Levels *levels;
	Bits bits;

	server_memory_init(&memory, context);
	memory.limit = (Size) dpobj_memory_limit * (1024 * 1024 / 2);
	random_bytes(key, sizeof(key));
	levels = levels_create(key, &memory.memory);
	scan_run_levels(look->release.scan, levels);
	scan_close(look->release.scan);
	random_bits_init(&bits);
	look->level = palloc(core->cells * sizeof(look->level[0]));
	core->named =
		levels_name(levels, core, look->request.cost.epsilon, &bits, core->cells, look->level);
	for (int i = 0; i < core->named; i++)
		look->number[i] = look->level[i]->persons;
}

/* Reads the rows and draws the noise, after the charge. */
static bool
draw(Release *release)
{
	AnalystLook *look = (AnalystLook *) release;
	int sets = look_has_groups(look->request.look.type) ? look->request.look.cells : 1;

	if (look->request.look.type->reads == READS_LEVEL)
	{
		draw_levels(look);
		return true;
	}
	analyst_read(release, &look->encoding, sets, LOOK_TABLE_BYTES, add_row);
	looks_draw(&look->request, look->number);
	return true;
}

/* ---- the release ---- */

static void
make_room(Release *release)
{
	AnalystLook *look = (AnalystLook *) release;

	if (look->opened.shape.level != NULL && scan_parts_of(release->scan) != NULL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("levels cannot be found in a table with rows on other servers"),
						errhint("Declare the levels that are public.")));
	scan_make_room(release->scan, &look->encoding, look->opened.protection.n, dpobj_memory_limit);
}

static Datum
keep(Release *release)
{
	AnalystLook *look = (AnalystLook *) release;
	LookAnswer *answer = looks_answers(&look->request, look->number);
	StringInfoData rows;
	const char *text;
	Jsonb *kept;

	initStringInfo(&rows);
	look->write(&rows, look->descriptor, look, answer);
	kept = kept_finish(&rows, &release->terms, &text);
	looks_released(&look->request, release->id, answer, text);
	return JsonbPGetDatum(kept);
}

const ReleaseKind analyst_look_kind = {
	.find = kept_find_answer,
	.settle = settle,
	.room = make_room,
	.draw = draw,
	.keep = keep,
};

/* ---- the rows of an answer ---- */

/* The bar of that bin of a profile's column that has the most rows. */
#define LONGEST_BAR "##########"

/* Writes the names of a cell's values, one for each column; the last column changes first. */
static void
name_cell(const Encoders *columns, int cell, Datum *names)
{
	for (int i = columns->count - 1; i >= 0; i--)
	{
		int values = encoder_values(&columns->encoder[i]);

		names[i] = CStringGetTextDatum(encoder_value_name(&columns->encoder[i], cell % values));
		cell /= values;
	}
}

/* What a row says in this column about an answer; no other column is null. */
static Datum
answer_column(const char *column, const AnalystLook *look, int position, const LookAnswer *answer,
			  bool *isnull)
{
	int answers = look_answers(&look->request.look);
	int each = Max(answers / look->request.look.cells, 1);
	int keys = list_length(look->by);
	Datum *names = palloc((look->opened.groups.count + 1) * sizeof(Datum));

	*isnull = false;
	if (strcmp(column, "bin_low") == 0)
		return Float8GetDatum((double) position / answers);
	if (strcmp(column, "bin_high") == 0)
		return Float8GetDatum((double) (position + 1) / answers);
	if (strcmp(column, "level") == 0)
		return PointerGetDatum(cstring_to_text_with_len((const char *) look->level[position]->bytes,
														(int) look->level[position]->length));
	if (strcmp(column, "bin") != 0 && strcmp(column, "key") != 0)
		return looks_column(&look->request, column, position, answer, isnull);
	name_cell(&look->opened.groups, position / each, names);
	if (strcmp(column, "bin") == 0)
		return names[keys];
	*isnull = keys == 0;
	return PointerGetDatum(construct_array(names, keys, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
put_answer(StringInfo rows, TupleDesc descriptor, const AnalystLook *look, int position,
		   const LookAnswer *answer)
{
	Datum *values = palloc(descriptor->natts * sizeof(Datum));
	bool *nulls = palloc(descriptor->natts * sizeof(bool));

	for (int i = 0; i < descriptor->natts; i++)
		values[i] = answer_column(NameStr(TupleDescAttr(descriptor, i)->attname), look, position,
								  answer, &nulls[i]);
	kept_add_row(rows, descriptor, values, nulls);
}

/* A row: column, which is null where all rows are meant, bin, rows, low, high, share, bar. */
static void
put_bin(StringInfo rows, TupleDesc descriptor, const char *column, const char *bin,
		const LookAnswer *answer, double all, double most)
{
	double share = Min(Max(answer->value / Max(all, 1), 0), 1);
	double length = most > 0 ? rint(strlen(LONGEST_BAR) * Max(answer->value, 0) / most) : 0;
	Datum values[] = {
		column == NULL ? (Datum) 0 : CStringGetTextDatum(column),
		CStringGetTextDatum(bin),
		Float8GetDatum(answer->value),
		Float8GetDatum(answer->low),
		Float8GetDatum(answer->high),
		Float8GetDatum(rint(1000 * share) / 1000),
		PointerGetDatum(cstring_to_text_with_len(LONGEST_BAR, (int) length)),
	};
	bool nulls[lengthof(values)] = {column == NULL};

	kept_add_row(rows, descriptor, values, nulls);
}

/* The bins of a column, or of all rows, whose names these are. */
static void
put_column(StringInfo rows, TupleDesc descriptor, const char *column, char *const *bin, int bins,
		   const LookAnswer *answer, double all)
{
	double most = 0;

	for (int i = 0; i < bins; i++)
		most = Max(most, answer[i].value);
	for (int i = 0; i < bins; i++)
		put_bin(rows, descriptor, column, bin[i], &answer[i], all, most);
}

static void
put_profile(StringInfo rows, TupleDesc descriptor, const AnalystLook *look,
			const LookAnswer *answer)
{
	char *const whole[PROFILE_COLUMNS] = {
		[PROFILE_USABLE] = "usable", [PROFILE_OTHERS] = "not usable"};
	const Encoders *columns = &look->opened.features;
	double all = answer[PROFILE_USABLE].value + answer[PROFILE_OTHERS].value;

	put_column(rows, descriptor, NULL, whole, PROFILE_COLUMNS, answer, all);
	answer += PROFILE_COLUMNS;
	for (int i = 0; i < columns->count; i++)
	{
		const Encoder *encoder = &columns->encoder[i];
		int bins = encoder_values(encoder);
		char **bin = palloc(bins * sizeof(char *));

		for (int j = 0; j < bins; j++)
			bin[j] = encoder_value_name(encoder, j);
		put_column(rows, descriptor, encoder->column.name, bin, bins, answer, all);
		answer += bins;
	}
}

static void
put_rows(StringInfo rows, TupleDesc descriptor, const AnalystLook *look, const LookAnswer *answer)
{
	/* the two answers about an AUC are one row */
	int count = look->request.look.type == &look_auc ? 1 : look_answers(&look->request.look);

	if (look->request.look.type->reads == READS_COLUMNS)
	{
		put_profile(rows, descriptor, look, answer);
		return;
	}
	for (int i = 0; i < count; i++)
		put_answer(rows, descriptor, look, i, &answer[i]);
}

/* A row with the columns of RATING_COLUMNS. */
static void
put_r_squared(StringInfo rows, TupleDesc descriptor, const AnalystLook *look,
			  const LookAnswer *answer)
{
	put_answer(rows, descriptor, look, RESIDUAL_R_SQUARED, &answer[RESIDUAL_R_SQUARED]);
}

/* ---- the functions ---- */

void
analyst_look_r_squared(AnalystLook *look)
{
	read_request(look->release.fcinfo, &look_residuals, look);
	look->release.kind = &analyst_look_kind;
	look->descriptor = kept_columns(RATING_COUNT, RATING_COLUMNS, FLOAT8OID);
	look->write = put_r_squared;
}

/* dpobj.count() and all others of the table: the function is named after the look. */
PG_FUNCTION_INFO_V1(dpobj_look);
Datum
dpobj_look(PG_FUNCTION_ARGS)
{
	const LookType *type = look_find(get_func_name(fcinfo->flinfo->fn_oid));
	AnalystLook look;
	Tuplestorestate *set;

	memset(&look, 0, sizeof(look));
	set = materialize_begin(fcinfo, &look.descriptor);
	look.write = put_rows;
	if (type == NULL || type->reads == READS_KNOWN)
		elog(ERROR, "a function is not named after its look");
	read_request(fcinfo, type, &look);
	analyst_begin_answer(&look.release, &analyst_look_kind, fcinfo, look.request.table);
	kept_put_rows(DatumGetJsonbP(release_make(&look.release)), set, look.descriptor);
	return (Datum) 0;
}
