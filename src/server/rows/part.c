/*
 * part.c - a part's side: dpobj_internal.part(), which answers the messages of a coordinator.
 *
 * The function releases rows, as they enter a training, to one role alone: the one for which the
 * owner has marked the relation, if it may read it (part_mark.h), and shards of Citus to
 * superusers.  Every other role may call it, and is refused.
 *
 * A session of messages is one transaction, and serves one or more parts of a table.  PART_OPEN
 * locks the relation of one and its descendants in SHARE mode, in which no transaction can change
 * them; each message has a snapshot that is taken after that, so the one that reads rows sees all
 * that was committed before the locks.  The coordinator has the locks of all parts before it lets
 * any of them be read: a row that another transaction moves between parts is in exactly one of
 * them.  From then on the parts of a session are one: their rows are in the same sets, and passes
 * sum over them all.  What is kept between messages goes with the transaction.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/dpobj.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge.h"
#include "server/ledger/charge_tables.h"
#include "server/ledger/epoch.h"
#include "server/ledger/met_server.h"
#include "server/remote/citus_catalog.h"
#include "server/remote/part_provider.h"
#include "server/rows/part_mark.h"
#include "server/rows/part_message.h"
#include "server/rows/row_chunks.h"
#include "server/rows/row_passes.h"
#include "server/rows/shape_bytes.h"
#include "server/rows/scan.h"
#include "server/rows/scan_tables.h"

/* The bytes of all temporary files of a scan in groups (train_groups.c has the same limit). */
#define MOST_ROOM ((double) (INT64CONST(1) << 34))

/* One part that is open. */
typedef struct PartTable
{
	Oid relation;
	List *locked;            /* in SHARE mode */
	const char *coordinator; /* as of the mark; NULL: a shard of Citus */
	bool ignore_rls;
	ScanShape shape;
} PartTable;

typedef struct PartSession
{
	MemoryContext context;
	const char *epoch;  /* of the coordinator, once it has been checked */
	List *tables;       /* PartTable; they have passed all checks */
	bool is_read;       /* their rows have been */
	RowsState **states; /* the rows of all of them; NULL before, and when passes have them */
	PartScan scan;      /* that has read them */
	RowChunks chunks;
	RowPasses *passes; /* of the rows that were read, instead of states; NULL before */
	RowsState **rated; /* rows of the other side of a holdout; NULL if only one was read */
} PartSession;

/* Of the current transaction; NULL: none is open. */
static PartSession *session = NULL;

static void
forget_session(void *argument)
{
	if (session == argument)
		session = NULL;
}

static void
begin_session(void)
{
	MemoryContext context =
		AllocSetContextCreate(TopTransactionContext, "dpobj part", ALLOCSET_DEFAULT_SIZES);
	MemoryContextCallback *callback = MemoryContextAlloc(context, sizeof(MemoryContextCallback));

	session = MemoryContextAllocZero(context, sizeof(PartSession));
	session->context = context;
	callback->func = forget_session;
	callback->arg = session;
	MemoryContextRegisterResetCallback(context, callback);
}

static void
out_of_order(void)
{
	ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
					errmsg("a message between parts of a table comes out of order")));
}

/* ---- opening ---- */

static Oid
find_relation(const PartOpen *open)
{
	Oid space = get_namespace_oid(open->schema, true);

	return OidIsValid(space) ? get_relname_relid(open->table, space) : InvalidOid;
}

/* The relation first: then nobody gives it another child. */
static void
lock_in_share_mode(PartTable *table)
{
	ListCell *cell;

	LockRelationOid(table->relation, ShareLock);
	table->locked = find_all_inheritors(table->relation, AccessShareLock, NULL);
	foreach (cell, table->locked)
		if (lfirst_oid(cell) != table->relation)
			LockRelationOid(lfirst_oid(cell), ShareLock);
}

/*
 * A session that has the lock ends if no message comes for a minute (links.c).  Without it nobody
 * waits for the session, and other parts may be read for hours before the next message comes.
 */
static void
allow_long_pause(void)
{
	SetConfigOption("idle_in_transaction_session_timeout", "1d", PGC_USERSET, PGC_S_SESSION);
}

/* The locks of an earlier statement are the transaction's. */
static void
unlock(PartTable *table)
{
	ResourceOwner statement = CurrentResourceOwner;
	ListCell *cell;

	CurrentResourceOwner = TopTransactionResourceOwner;
	foreach (cell, table->locked)
		UnlockRelationOid(lfirst_oid(cell), ShareLock);
	CurrentResourceOwner = statement;
	table->locked = NIL;
}

/*
 * Are all rows tables of this server, and rows of this relation alone?  A child of two tables would
 * be read as a part of both.
 */
static bool
can_be_read(const PartTable *table)
{
	ListCell *cell;

	foreach (cell, table->locked)
	{
		Oid relation = lfirst_oid(cell);
		char kind = get_rel_relkind(relation);

		if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) ||
			part_provider_of(relation) != NULL || list_length(charge_tables_topmost(relation)) != 1)
			return false;
	}
	return true;
}

/* Is every relation one that a scan reads? */
static bool
passes_rules(const PartTable *table)
{
	ListCell *cell;

	foreach (cell, table->locked)
	{
		Relation relation = acting_open(lfirst_oid(cell), NoLock);
		const char *rule = scan_rule(relation, table->ignore_rls);

		relation_close(relation, NoLock);
		if (rule != NULL)
			return false;
	}
	return true;
}

/*
 * May the session user have the rows?  A shard of Citus needs no mark: Citus makes and drops
 * shards, and their coordinator connects as a superuser, who may read all rows anyway.
 */
static bool
is_allowed(Oid relation, const char *coordinator)
{
	if (citus_shard_rule(relation, NULL) != NULL)
		return superuser() && GetUserId() == GetSessionUserId();
	return part_is_marked(relation, coordinator);
}

/*
 * A role has one coordinator, of one epoch: a copy of the coordinator has a ledger of its own,
 * which would not count what the other one releases of the same rows.
 */
static bool
is_of_same_coordinator(Oid relation, const char *epoch)
{
	const char *role = GetUserNameFromId(GetSessionUserId(), false);
	MetServer coordinator = {.name = psprintf("coordinator of role %s", quote_identifier(role)),
							 .owner = role,
							 .epoch = epoch};

	if (citus_shard_rule(relation, NULL) == NULL)
		coordinator.table = relation;
	return epoch_of_server_is(&coordinator);
}

static PartStatus
read_shape(PartTable *table, StringInfo message)
{
	Relation relation = acting_open(table->relation, NoLock);
	const char *missing = shape_read(message, RelationGetDescr(relation), &table->shape);

	pq_getmsgend(message);
	if (missing != NULL)
		ereport(LOG_SERVER_ONLY,
				(errmsg("column \"%s\" of part \"%s\" is missing, or has another type than in the "
						"coordinator's table",
						missing, RelationGetRelationName(relation))));
	relation_close(relation, NoLock);
	return missing == NULL ? PART_READY : PART_OTHER_COLUMNS;
}

static PartStatus
open_part(PartTable *table, StringInfo message)
{
	PartOpen open;
	PartStatus status = part_read_open(message, &open);

	if (status != PART_READY)
		return status;
	table->relation = find_relation(&open);
	if (!OidIsValid(table->relation) || !is_allowed(table->relation, open.coordinator))
		return PART_NOT_MARKED;
	if (session->epoch == NULL && !epoch_is_confirmed())
		return PART_NOT_CONFIRMED;
	if ((session->epoch == NULL || strcmp(session->epoch, open.epoch) != 0) &&
		!is_of_same_coordinator(table->relation, open.epoch))
		return PART_OTHER_COORDINATOR;
	session->epoch = open.epoch;
	lock_in_share_mode(table);
	if (find_relation(&open) != table->relation || !is_allowed(table->relation, open.coordinator))
		return PART_NOT_MARKED;
	if (citus_shard_rule(table->relation, NULL) == NULL)
		table->coordinator = open.coordinator;
	if (table->coordinator != NULL && budget_is_limited(table->relation))
		return PART_LIMITED;
	table->ignore_rls = open.ignore_rls;
	if (!can_be_read(table) || !passes_rules(table))
		return PART_NOT_READ;
	return read_shape(table, message);
}

/* A statement closes the relations that it opens, so each opens the scan anew. */
static Scan *
open_scan(const PartTable *table)
{
	return scan_open_part(table->relation, table->ignore_rls, &table->shape);
}

static void
answer_open(StringInfo message, StringInfo answer)
{
	PartTable *table;
	PartStatus status;
	PartOpened opened;

	if ((session != NULL && session->is_read) || !IsTransactionBlock())
		out_of_order();
	if (session == NULL)
		begin_session();
	MemoryContextSwitchTo(session->context);
	table = palloc0(sizeof(PartTable));
	status = open_part(table, message);
	part_write_status(answer, status);
	if (status != PART_READY)
		return;
	opened.system = GetSystemIdentifier();
	opened.database = MyDatabaseId;
	opened.relation = table->relation;
	opened.epoch = epoch_current();
	scan_close(open_scan(table));
	session->tables = lappend(session->tables, table);
	part_write_opened(answer, &opened);
}

/* ---- reading ---- */

/*
 * The event is committed before any row is read, so that the owner of the table sees each time that
 * its rows have left, and for whom by what the coordinator says.  A shard of Citus belongs to a
 * table whose coordinator has the charge in its ledger, and who reads it is a superuser here.
 */
static void
record_reading(const PartTable *table, const PartReader *reader)
{
	TableChange change = {table->relation};
	StringInfoData parameters;

	if (table->coordinator == NULL)
		return;
	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "{\"coordinator\": ");
	escape_json(&parameters, table->coordinator);
	appendStringInfoString(&parameters, ", \"role\": ");
	escape_json(&parameters, reader->role);
	appendStringInfo(&parameters, ", \"release\": " INT64_FORMAT "}", reader->release);
	change.parameters = parameters.data;
	charge_table_change(CHARGE_READ_PART, &change);
}

/* The combinations of values by which rows are grouped. */
static double
groups_of(const ScanShape *shape)
{
	double groups = 1;

	for (int i = 0; i < shape->groups->count; i++)
		groups *= encoder_values(&shape->groups->encoder[i]);
	return groups;
}

static void
check_sets(const ScanShape *shape, const PartScan *scan)
{
	const Holdout *holdout = shape->holdout;
	bool by_chance = holdout != NULL && holdout->by_chance;
	int features = Max(shape->features->features, 1);

	if ((shape->person != NULL) != (scan->person_key != NULL) ||
		by_chance != (scan->coins != NULL) ||
		(scan->sides && (holdout == NULL || !holdout->trains)) ||
		(scan->grouped && (shape->groups == NULL || groups_of(shape) != scan->sets)) ||
		scan->encoding.features != features)
		out_of_order();
}

/*
 * As at the table's own server, whether rows are spilled and the sizes of the files follow from
 * public numbers and settings.
 */
static void
make_sets(const Encoding *encoding, int sets, double rows)
{
	MemoryContext parent =
		AllocSetContextCreate(session->context, "dpobj part rows", ALLOCSET_DEFAULT_SIZES);
	Size limit = spill_limit(dpobj_memory_limit);
	double room = spill_room(encoding, rows, sets, limit);
	bool spills = room > 0 && room * sets <= MOST_ROOM;
	ResourceOwner statement = CurrentResourceOwner;

	session->states = palloc(sets * sizeof(RowsState *));
	CurrentResourceOwner = TopTransactionResourceOwner; /* of the files */
	for (int i = 0; i < sets; i++)
	{
		RowsState *state = rows_state_create(encoding, parent);

		session->states[i] = state;
		state->memory.bounded = parent;
		state->memory.limit = (Size) dpobj_memory_limit * (1024 * 1024 / 2);
		if (spills)
			rows_state_spill(state, limit / sets, (off_t) room);
	}
	CurrentResourceOwner = statement;
}

/* Reads the rows of one part, with room for those of persons, and gives its locks back. */
static int64
read_table(PartTable *table, const ScanSets *sets)
{
	const PartScan *asked = &session->scan;
	Scan *scan;
	int64 left_out;

	if (asked->coins != NULL)
		unconstify(Holdout *, table->shape.holdout)->key = *asked->coins;
	scan = open_scan(table);
	scan_set_rows(scan, asked->room, false);
	scan_make_room(scan, &asked->encoding, 0, dpobj_memory_limit);
	scan_run_sets(scan, sets, asked->person_key);
	left_out = scan_left_out(scan);
	scan_end_room(scan);
	scan_close(scan);
	unlock(table);
	return left_out;
}

/* All parts of the session, one after the other, into the same sets. */
static void
answer_scan(StringInfo message, StringInfo answer)
{
	PartScan *scan;
	ScanSets sets;
	ServerMemory memory;
	Rows **rows;
	ListCell *cell;
	int64 left_out = 0;
	int count;

	if (session == NULL || session->tables == NIL || session->is_read)
		out_of_order();
	MemoryContextSwitchTo(session->context);
	server_memory_init(&memory, session->context);
	scan = &session->scan;
	part_read_scan(message, &memory.memory, scan);
	foreach (cell, session->tables)
		check_sets(&((PartTable *) lfirst(cell))->shape, scan);
	foreach (cell, session->tables)
		record_reading(lfirst(cell), &scan->reader);
	sets = (ScanSets){.count = scan->sets, .grouped = scan->grouped, .sides = scan->sides};
	count = scan_sets(&sets);
	make_sets(&scan->encoding, count, (double) scan->room * list_length(session->tables));
	rows = palloc(count * sizeof(Rows *));
	for (int i = 0; i < count; i++)
		rows[i] = &session->states[i]->rows;
	sets.rows = rows;
	foreach (cell, session->tables)
		left_out += read_table(lfirst(cell), &sets);
	allow_long_pause();
	session->is_read = true;
	if (scan->sides)
		session->rated = session->states + scan->sets;
	row_chunks_begin(&session->chunks, session->states, scan->sets);
	part_write_status(answer, PART_READY);
	pq_sendint64(answer, left_out);
}

static void
answer_rows(StringInfo message, StringInfo answer)
{
	if (session == NULL || session->states == NULL || session->chunks.finished)
		out_of_order();
	pq_getmsgend(message);
	part_write_status(answer, PART_READY);
	row_chunks_write(&session->chunks, answer);
}

/* ---- answering passes ---- */

/* The rows are those of one set, and none of them has been sent. */
static void
answer_passes(StringInfo message, StringInfo answer)
{
	RowsState *state;
	PartCounts counts;
	int length = message->len - message->cursor;

	if (session == NULL || session->states == NULL || session->scan.grouped ||
		session->chunks.finished || session->chunks.written > 0)
		out_of_order();
	MemoryContextSwitchTo(session->context);
	state = session->states[0];
	session->states = NULL;
	counts.usable = rows_usable(&state->rows);
	counts.neutral = state->rows.neutral;
	session->passes = row_passes_open(state, (const uint8 *) pq_getmsgbytes(message, length),
									  length, session->context);
	part_write_status(answer, PART_READY);
	part_write_counts(answer, &counts);
}

static void
answer_pass(StringInfo message, StringInfo answer)
{
	int length = message->len - message->cursor;
	Size sums_length;
	uint8 *sums;

	if (session == NULL || session->passes == NULL)
		out_of_order();
	sums = row_passes_sums(session->passes, (const uint8 *) pq_getmsgbytes(message, length), length,
						   &sums_length);
	part_write_status(answer, PART_READY);
	pq_sendbytes(answer, (const char *) sums, (int) sums_length);
	pfree(sums);
}

/* ---- rating ---- */

/* The model and the table by which rows are rated. */
typedef struct Rated
{
	Rater rater;
	RatingTable table;
} Rated;

static void
rate_rows(void *context, const int32 *x, const RowCount *count)
{
	Rated *rated = context;

	if (!rater_add(&rated->rater, x, count, &rated->table))
		out_of_order();
}

/* The answer is exact: it is for the coordinator, which adds noise to the sums of all parts. */
static void
answer_rate(StringInfo message, StringInfo answer)
{
	Rated rated;
	int set;

	if (session == NULL || session->rated == NULL)
		out_of_order();
	part_read_rate(message, &session->scan.encoding, &set, &rated.rater, &rated.table);
	if (set < 0 || set >= session->scan.sets)
		out_of_order();
	rows_state_visit(session->rated[set], rate_rows, &rated);
	rated.table.unusable = session->rated[set]->rows.neutral;
	part_write_status(answer, PART_READY);
	part_write_rated(answer, &rated.table);
}

/* ---- checking ---- */

/* Any role may ask: it can read the catalogs and settings itself. */
static void
answer_check(StringInfo message, StringInfo answer)
{
	static const char *const statement =
		"SELECT pg_catalog.jsonb_agg(to_jsonb(e))::text FROM dpobj_internal.exposures($1) e";
	bool is_shard = pq_getmsgbyte(message) == 1;
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(is_shard ? "shard" : "part")};
	Datum exposures;
	bool isnull;

	pq_getmsgend(message);
	if (!admin_select(statement, lengthof(types), types, values, &exposures, &isnull) || isnull)
		elog(ERROR, "dpobj_internal.exposures() has no rows");
	part_write_status(answer, PART_READY);
	pq_sendstring(answer, TextDatumGetCString(exposures));
}

/* ---- the function ---- */

/* dpobj_internal.part(message) -> answer */
PG_FUNCTION_INFO_V1(dpobj_part);
Datum
dpobj_part(PG_FUNCTION_ARGS)
{
	bytea *bytes = DatumGetByteaPP(argument_value(fcinfo, 0, "message"));
	MemoryContext caller = CurrentMemoryContext;
	StringInfoData message;
	StringInfoData answer;

	/* A subtransaction that fails would give the locks back and leave the session. */
	if (GetCurrentTransactionNestLevel() > 1)
		out_of_order();
	initStringInfo(&message);
	appendBinaryStringInfo(&message, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	pq_begintypsend(&answer);
	switch (pq_getmsgbyte(&message))
	{
		case PART_OPEN:
			answer_open(&message, &answer);
			break;
		case PART_SCAN:
			answer_scan(&message, &answer);
			break;
		case PART_ROWS:
			answer_rows(&message, &answer);
			break;
		case PART_PASSES:
			answer_passes(&message, &answer);
			break;
		case PART_PASS:
			answer_pass(&message, &answer);
			break;
		case PART_RATE:
			answer_rate(&message, &answer);
			break;
		case PART_CHECK:
			answer_check(&message, &answer);
			break;
		default:
			out_of_order();
	}
	MemoryContextSwitchTo(caller);
	PG_RETURN_BYTEA_P(pq_endtypsend(&answer));
}
