/*
 * looks.c - charge, noise and hash of a look.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/float.h"

#include "core/base/names.h"

#include "server/base/digest.h"
#include "server/base/json_value.h"
#include "server/base/random_bits.h"
#include "server/release/looks.h"

static const char *const names[LOOK_KINDS] = {[LOOK_COUNT] = "count",
											  [LOOK_SUM] = "sum",
											  [LOOK_AVERAGE] = "avg",
											  [LOOK_HISTOGRAM] = "histogram"};

const char *
looks_name(LookKind kind)
{
	return names[kind];
}

bool
looks_find(const char *name, LookKind *kind)
{
	int position = names_find(names, LOOK_KINDS, name);

	*kind = (LookKind) position;
	return position < LOOK_KINDS;
}

/* ---- the request ---- */

void
looks_begin(LookRequest *request, LookKind kind)
{
	memset(request, 0, sizeof(*request));
	request->look.kind = kind;
	request->look.cells = 1;
	request->look.rows_per_person = 1;
	request->level = LOOKS_LEVEL;
	request->provenance = "";
}

static void
check_options(const LookRequest *request, Jsonb *options, const char *const *known, int count)
{
	ListCell *cell;

	if (!JB_ROOT_IS_OBJECT(options))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options must be a JSON object")));
	foreach (cell, json_keys(&options->root))
		if (names_find(known, count, lfirst(cell)) == count)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("option \"%s\" is not for \"%s\"", (char *) lfirst(cell),
								   looks_name(request->look.kind)),
							errhint("Options are: %s.", json_known(known, count))));
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

static void
read_level(LookRequest *request, JsonbValue *value)
{
	if (!json_get_number(value, &request->level) || !(request->level >= 0.5) ||
		!(request->level <= 0.999999))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"level\" must be a number from 0.5 to 0.999999")));
}

/* Those of a call come first, then "clip" where there are values, then those of a price. */
static void
read_options(LookRequest *request, Jsonb *options, double *low, double *high)
{
	JsonbValue *level = json_member(&options->root, "level");
	JsonbValue *clip = json_member(&options->root, "clip");

	if (level != NULL)
		read_level(request, level);
	if (clip != NULL)
		read_clip(clip, low, high);
}

void
looks_read_options(LookRequest *request, Jsonb *options, double *low, double *high)
{
	static const char *const known[] = {"level", "clip"};

	if (options == NULL)
		return;
	check_options(request, options, known, low == NULL ? 1 : 2);
	read_options(request, options, low, high);
}

static void
read_adjacency(LookRequest *request, JsonbValue *value)
{
	bool replace = json_is_string(value, "replace");

	if (!replace && !json_is_string(value, "add_remove"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"adjacency\" must be \"replace\" or \"add_remove\"")));
	request->look.adjacency = replace ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE;
}

void
looks_read_price_options(LookRequest *request, Jsonb *options, double *low, double *high)
{
	static const char *const known[] = {"level", "adjacency", "max_rows_per_person", "clip"};
	JsonbValue *adjacency;
	JsonbValue *rows;

	if (options == NULL)
		return;
	check_options(request, options, known, low == NULL ? 3 : 4);
	read_options(request, options, low, high);
	adjacency = json_member(&options->root, "adjacency");
	if (adjacency != NULL)
		read_adjacency(request, adjacency);
	rows = json_member(&options->root, "max_rows_per_person");
	if (rows != NULL && !json_get_integer(rows, 1, PG_INT32_MAX, &request->look.rows_per_person))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"max_rows_per_person\" must be a whole number from 1 to %d",
							   PG_INT32_MAX)));
}

void
looks_set_bounds(LookRequest *request, double low, double high)
{
	if (look_set_bounds(&request->look, low, high))
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

/* ---- the charge ---- */

static char *
parameters(const LookRequest *request)
{
	const Look *look = &request->look;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"look\": \"%s\", \"cells\": %d", looks_name(look->kind),
					 look->cells);
	if (look_has_values(look->kind))
		appendStringInfo(&text, ", \"clip\": [%s, %s]",
						 float8out_internal(look->middle + look->unit * look->low),
						 float8out_internal(look->middle + look->unit * look->high));
	appendStringInfo(&text, "%s}", request->provenance);
	return text.data;
}

/* Discrete Laplace noise is pure (theorem T1). */
Pair
looks_pair(const LookRequest *request)
{
	return (Pair){.kind = PAIR_PURE, .epsilon = request->cost.epsilon_charged, .count = 1};
}

int64
looks_charge(const LookRequest *request)
{
	Charge charge = {
		.relation = request->table,
		.mechanism = "laplace",
		.adjacency = request->look.adjacency,
		.pair = looks_pair(request),
		.guarantee = "exact",
		.parameters = parameters(request),
		.analyst = request->analyst,
		.person = request->person,
	};

	return charge_commit(&charge);
}

void
looks_draw(const LookRequest *request, int64 *number)
{
	Bits bits;

	random_bits_init(&bits);
	look_draw(&request->look, request->cost.epsilon, &bits, number);
}

/* ---- the answer ---- */

LookAnswer *
looks_answers(const LookRequest *request, const int64 *number)
{
	LookAnswer *answer = palloc(request->look.cells * sizeof(LookAnswer));

	for (int i = 0; i < request->look.cells; i++)
		look_answer(&request->look, request->cost.epsilon, request->level, number, i, &answer[i]);
	return answer;
}

/* Hashes the values as the user gets them, float8 each, nothing for null. */
LookAnswer *
looks_released(const LookRequest *request, int64 release, const int64 *number)
{
	LookAnswer *answer = looks_answers(request, number);
	uint8 hash[CHARGE_HASH_LENGTH];
	StringInfoData bytes;

	initStringInfo(&bytes);
	for (int i = 0; i < request->look.cells; i++)
		if (answer[i].known)
			pq_sendfloat8(&bytes, answer[i].value);
	digest_bytes(&bytes, hash);
	charge_released(NULL, release, hash, NULL);
	return answer;
}
