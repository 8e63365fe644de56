/*
 * charge_event.c - the statements that write an event to the ledger.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "server/base/digest.h"
#include "server/ledger/charge_analyst.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_ended.h"
#include "server/ledger/charge_epoch.h"
#include "server/ledger/charge_event.h"
#include "server/ledger/charge_identity.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_protection.h"

/* ---- Rows ------------------------------------------------------------------- */

static int64
insert_event(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	bool isnull;

	if (charge_run(statement, count, types, values, nulls) != SPI_OK_INSERT_RETURNING)
		elog(ERROR, "could not insert into the privacy ledger");
	if (SPI_processed != 1)
		elog(ERROR, "the charge is not in the privacy ledger");
	return DatumGetInt64(charge_column(0, 1, &isnull));
}

#define EVENT_COLUMNS 32

/* A row of the ledger as an INSERT with a parameter for each column. */
typedef struct EventRow
{
	StringInfoData columns;
	StringInfoData expressions;
	int count;
	Oid types[EVENT_COLUMNS];
	Datum values[EVENT_COLUMNS];
} EventRow;

static void
begin_row(EventRow *row)
{
	initStringInfo(&row->columns);
	initStringInfo(&row->expressions);
	row->count = 0;
}

/* expression has %d for the number of the parameter. */
static void
add_column(EventRow *row, const char *column, const char *expression, Oid type, Datum value)
{
	const char *separator = row->count == 0 ? "" : ", ";

	if (row->count == EVENT_COLUMNS)
		elog(ERROR, "too many columns of an event");
	row->types[row->count] = type;
	row->values[row->count++] = value;
	appendStringInfo(&row->columns, "%s%s", separator, column);
	appendStringInfoString(&row->expressions, separator);
	appendStringInfo(&row->expressions, expression, row->count);
}

static void
add_text(EventRow *row, const char *column, const char *expression, const char *text)
{
	add_column(row, column, expression, TEXTOID, CStringGetTextDatum(text));
}

/* Adds the columns of all events except the end of a release. */
static void
add_parties(EventRow *row, const ChargeRequest *request, const ChargeParties *parties)
{
	const char *table = "";

	if (OidIsValid(request->relation))
	{
		int count;
		Datum *schemas = charge_elements(request, CHARGE_TEXT_SCHEMAS, TEXTOID, &count);
		Datum *names = charge_elements(request, CHARGE_TEXT_RELATIONS, TEXTOID, &count);

		table = quote_qualified_identifier(TextDatumGetCString(schemas[0]),
										   TextDatumGetCString(names[0]));
	}
	add_column(row, "relation", "nullif($%d, 0)", OIDOID, ObjectIdGetDatum(request->relation));
	add_text(row, "relation_name", "nullif($%d, '')", table);
	add_column(row, "relation_identity", "nullif($%d, 0)", INT8OID, parties->relation);
	add_column(row, "role", "$%d", OIDOID, ObjectIdGetDatum(request->role));
	add_text(row, "role_name", "$%d", charge_request_text(request, CHARGE_TEXT_ROLE));
	add_column(row, "role_identity", "$%d", INT8OID, parties->role);
	add_text(row, "parameters", "$%d::jsonb", charge_request_text(request, CHARGE_TEXT_PARAMETERS));
}

/* Makes the caller's statement at the first call: all rows of a caller have the same columns. */
static int64
insert_row(EventRow *row, const char **statement)
{
	if (*statement == NULL)
		*statement = MemoryContextStrdup(
			TopMemoryContext,
			psprintf("INSERT INTO dpobj.ledger_events (%s) VALUES (%s) RETURNING id",
					 row->columns.data, row->expressions.data));
	return insert_event(*statement, row->count, row->types, row->values, NULL);
}

static int64
insert_charged(const ChargeRequest *request, const ChargeParties *parties)
{
	static const char *statement = NULL;
	static const struct
	{
		ChargeText text;
		const char *column;
		const char *expression;
	} texts[] = {
		{CHARGE_TEXT_MECHANISM, "mechanism", "$%d"},
		{CHARGE_TEXT_MECHANISM_VERSION, "mechanism_version", "$%d"},
		{CHARGE_TEXT_GUARANTEE, "guarantee", "$%d"},
		{CHARGE_TEXT_PAIR, "pair", "$%d"},
		{CHARGE_TEXT_PAIR_TERMS, "pair_terms", "$%d::jsonb"},
		{CHARGE_TEXT_SNAPSHOT, "snapshot", "$%d"},
		{CHARGE_TEXT_PERSON, "person", "nullif($%d, '')"},
	};
	Oid cost_types[CHARGE_COST_PARAMETERS];
	Datum cost[CHARGE_COST_PARAMETERS];
	EventRow row;

	begin_row(&row);
	add_text(&row, "event", "$%d", "charged");
	add_text(&row, "door", "$%d", request->by_analyst ? "analyst" : "owner");
	add_parties(&row, request, parties);
	add_column(&row, "payers", "$%d", INT8ARRAYOID, parties->payers);
	charge_cost_parameters(&request->cost, cost_types, cost);
	for (int i = 0; i < CHARGE_COST_PARAMETERS; i++)
		add_column(&row, charge_cost_columns[i],
				   cost_types[i] == INT8ARRAYOID ? "nullif($%d, '{}')" : "$%d", cost_types[i],
				   cost[i]);
	for (int i = 0; i < lengthof(texts); i++)
		add_text(&row, texts[i].column, texts[i].expression,
				 charge_request_text(request, texts[i].text));
	return insert_row(&row, &statement);
}

static const char *const event_names[] = {
	[CHARGE_CHARGED] = "charged",
	[CHARGE_RELEASED] = "released",
	[CHARGE_FAILED] = "failed",
	[CHARGE_SET_BUDGET] = "set_budget",
	[CHARGE_RAISE_BUDGET] = "raise_budget",
	[CHARGE_DROP_BUDGET] = "drop_budget",
	[CHARGE_LIMIT_BUDGET] = "limit_budget",
	[CHARGE_PROTECT] = "protect",
	[CHARGE_UNPROTECT] = "unprotect",
	[CHARGE_MARK_PART] = "mark_part",
	[CHARGE_UNMARK_PART] = "unmark_part",
	[CHARGE_READ_PART] = "read_part",
	[CHARGE_CONFIRM_EPOCH] = "confirm_epoch",
	[CHARGE_REMEMBER_SERVER] = "remember_server",
	[CHARGE_MAINTENANCE] = "maintenance",
	[CHARGE_RESET_FAILURES] = "reset_failures",
	[CHARGE_POPULATION] = "population",
};

/* The roles whose failures are reset. */
static int64
insert_reset(const ChargeRequest *request, const ChargeParties *parties)
{
	static const char *statement = NULL;
	EventRow row;

	begin_row(&row);
	add_text(&row, "event", "$%d", event_names[request->event]);
	add_parties(&row, request, parties);
	add_column(&row, "payers", "nullif(ARRAY[$%d], ARRAY[0::bigint])", INT8OID, parties->grantee);
	return insert_row(&row, &statement);
}

static int64
insert_administration(const ChargeRequest *request, const ChargeParties *parties)
{
	static const char *statement = NULL;
	EventRow row;

	begin_row(&row);
	add_text(&row, "event", "$%d", event_names[request->event]);
	add_parties(&row, request, parties);
	return insert_row(&row, &statement);
}

/* ---- What is kept ----------------------------------------------------------- */

/*
 * Reserves the rows of what is kept.  A row of the same name that was never filled belongs to a
 * release that has failed, because a role makes one release under a name at a time (gate.h): that
 * row loses its name.
 */
static void
reserve(const ChargeRequest *request, int64 release, const ChargeParties *parties,
		const char *take_name, const char *insert)
{
	const char *name = charge_request_text(request, CHARGE_TEXT_NAME);
	Oid types[] = {INT8OID, TEXTOID, INT8OID, BYTEAOID, TEXTOID};
	Datum values[] = {parties->role, CStringGetTextDatum(name), Int64GetDatum(release),
					  digest_datum(request->hash),
					  CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_PARAMETERS))};
	char nulls[] = "     ";

	if (name[0] == '\0')
		nulls[1] = 'n';
	else
		(void) charge_run(take_name, lengthof(types), types, values, NULL);
	if (!request->by_analyst)
		nulls[3] = 'n';
	if (charge_run(insert, lengthof(types), types, values, nulls) != SPI_OK_INSERT ||
		SPI_processed == 0)
		elog(ERROR, "could not reserve a row for the release");
}

static void
reserve_one(const ChargeRequest *request, int64 release, const ChargeParties *parties)
{
	reserve(request, release, parties,
			"UPDATE dpobj.model_rows SET name = NULL"
			" WHERE owner = $1 AND name = $2 AND released IS NULL",
			"INSERT INTO dpobj.model_rows (owner, name, release, request_hash)"
			" VALUES ($1, $2, $3, $4)");
}

/* Reserves a row for each key; its model is called name{key}. */
static void
reserve_groups(const ChargeRequest *request, int64 release, const ChargeParties *parties)
{
	reserve(
		request, release, parties,
		"UPDATE dpobj.model_rows SET name = NULL WHERE owner = $1 AND released IS NULL AND name IN"
		" (SELECT $2 || k.key::text FROM dpobj_internal.listed_keys($5::jsonb) k)",
		"INSERT INTO dpobj.model_rows (owner, name, release, request_hash, place, key)"
		" SELECT $1, $2 || k.key::text, $3, $4, k.place, k.key"
		" FROM dpobj_internal.listed_keys($5::jsonb) k");
}

static void
store_groups(const ChargeRequest *request)
{
	static const char *const statement =
		"UPDATE dpobj.model_rows m SET model = g.model, released = pg_catalog.clock_timestamp()"
		" FROM unnest($1) WITH ORDINALITY g(key, model, place)"
		" WHERE m.release = $2 AND m.place = g.place AND m.key = g.key";
	ArrayType *groups = (ArrayType *) (request->characters + request->model_offset);
	Oid types[] = {get_array_type(ARR_ELEMTYPE(groups)), INT8OID};
	Datum values[] = {PointerGetDatum(groups), Int64GetDatum(request->release)};

	if (charge_run(statement, lengthof(types), types, values, NULL) != SPI_OK_UPDATE ||
		SPI_processed != ArrayGetNItems(ARR_NDIM(groups), ARR_DIMS(groups)))
		elog(ERROR, "could not store the models");
}

static void
store_model(const ChargeRequest *request)
{
	static const char *const statement =
		"UPDATE dpobj.model_rows SET model = $1, released = pg_catalog.clock_timestamp()"
		" WHERE release = $2";
	Datum model = PointerGetDatum(request->characters + request->model_offset);
	Oid types[] = {HeapTupleHeaderGetTypeId(DatumGetHeapTupleHeader(model)), INT8OID};
	Datum values[] = {model, Int64GetDatum(request->release)};

	if (charge_run(statement, lengthof(types), types, values, NULL) != SPI_OK_UPDATE ||
		SPI_processed != 1)
		elog(ERROR, "could not store the model");
}

static void
store_answer(const ChargeRequest *request)
{
	static const char *const statement =
		"UPDATE dpobj.model_rows SET answer = $1::jsonb, released = pg_catalog.clock_timestamp()"
		" WHERE release = $2";
	Oid types[] = {TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(charge_request_text(request, CHARGE_TEXT_ANSWER)),
					  Int64GetDatum(request->release)};

	if (charge_run(statement, lengthof(types), types, values, NULL) != SPI_OK_UPDATE ||
		SPI_processed != 1)
		elog(ERROR, "could not store the answer");
}

/* ---- Events ----------------------------------------------------------------- */

/* All refusals come before the row of the charge. */
static int64
commit_charged(ChargeRequest *request)
{
	ChargeParties parties;
	int64 release;

	if (request->by_analyst)
		charge_end_lost();
	charge_bind(request, &parties);
	charge_check_budgets(request, &parties);
	charge_check_protection(request, &parties);
	charge_check_part(request, &parties);
	if (request->by_analyst)
		charge_check_analyst(request, &parties);
	release = insert_charged(request, &parties);
	charge_count_release(request, &parties);
	if (request->is_kept && request->grouped)
		reserve_groups(request, release, &parties);
	else if (request->is_kept)
		reserve_one(request, release, &parties);
	return release;
}

static int64
commit_released(ChargeRequest *request)
{
	int64 id = charge_insert_end(request);

	if (id == 0)
		return 0;
	if (request->grouped)
		store_groups(request);
	else if (request->model_length > 0)
		store_model(request);
	else if (charge_request_text(request, CHARGE_TEXT_ANSWER)[0] != '\0')
		store_answer(request);
	return id;
}

/* Does it say what releases of the table may cost?  An owner's limit also keeps rows here. */
static bool
is_declaration(ChargeEvent event)
{
	return event == CHARGE_PROTECT || event == CHARGE_SET_BUDGET || event == CHARGE_RAISE_BUDGET;
}

static int64
commit_administration(ChargeRequest *request)
{
	ChargeParties parties;

	charge_bind(request, &parties);
	if (is_declaration(request->event))
	{
		(void) charge_find_family(&parties);
		charge_check_part(request, &parties);
	}
	if (request->event == CHARGE_PROTECT)
		charge_check_charges(request, &parties);
	if (request->event == CHARGE_CONFIRM_EPOCH)
		charge_begin_epoch();
	if (request->event == CHARGE_REMEMBER_SERVER)
	{
		int64 met;

		charge_lock_epochs();
		met = charge_met_server(request);
		if (met != 0)
			return met;
	}
	return request->event == CHARGE_RESET_FAILURES ? insert_reset(request, &parties)
												   : insert_administration(request, &parties);
}

int64
charge_insert(ChargeRequest *request)
{
	switch (request->event)
	{
		case CHARGE_CHARGED:
			return commit_charged(request);
		case CHARGE_RELEASED:
			return commit_released(request);
		case CHARGE_FAILED:
			return charge_insert_end(request);
		default:
			break;
	}
	if (request->event >= lengthof(event_names))
		elog(ERROR, "unrecognized ledger event: %d", (int) request->event);
	return commit_administration(request);
}
