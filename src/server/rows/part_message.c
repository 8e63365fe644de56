/*
 * part_message.c - writes and reads the messages between a coordinator and its parts.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "core/mechanisms/wire.h"
#include "core/rows/persons.h"

#include "server/base/server_memory.h"
#include "server/rows/part_message.h"

/* No name is longer, quotes and dots included. */
#define LONGEST_TEXT 1024

static void
invalid_message(void)
{
	ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
					errmsg("a message between parts of a table is not valid")));
}

static void
put_text(StringInfo message, const char *text)
{
	int length = (int) strlen(text);

	pq_sendint32(message, length);
	pq_sendbytes(message, text, length);
}

static char *
get_text(StringInfo message)
{
	uint32 length = pq_getmsgint(message, 4);
	char *text;

	if (length > LONGEST_TEXT)
		invalid_message();
	text = pnstrdup(pq_getmsgbytes(message, (int) length), length);
	if (strlen(text) != length)
		invalid_message();
	return text;
}

/* The ledger keeps it, so it must look like one. */
static char *
get_epoch(StringInfo message)
{
	char *epoch = get_text(message);

	if (epoch[0] == '\0' || strspn(epoch, "0123456789abcdef/") != strlen(epoch))
		invalid_message();
	return epoch;
}

static bool
get_bool(StringInfo message)
{
	int byte = pq_getmsgbyte(message);

	if (byte != 0 && byte != 1)
		invalid_message();
	return byte == 1;
}

/* ---- opening ---- */

/* Values whose bytes differ wherever a record of rows would be read wrongly. */
typedef struct Layout
{
	uint32 small;
	uint64 large;
	double real;
	uint32 record; /* bytes of the counts of a record */
} Layout;

static void
fill_layout(Layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	layout->small = 0x01020304;
	layout->large = UINT64CONST(0x0102030405060708);
	layout->real = 1.0 / 3.0;
	layout->record = sizeof(RowCount);
}

/* Of this machine, whose C library computes exp(); it takes a millisecond. */
static uint64
losses(void)
{
	static uint64 digest;
	static bool is_known = false;

	if (!is_known)
	{
		ServerMemory memory;

		server_memory_init(&memory, CurrentMemoryContext);
		digest = wire_losses_digest(&memory.memory);
		is_known = true;
	}
	return digest;
}

void
part_write_open(StringInfo message, const PartOpen *open)
{
	Layout layout;

	fill_layout(&layout);
	pq_sendbyte(message, PART_OPEN);
	pq_sendint32(message, PART_MAGIC);
	put_text(message, DPOBJ_VERSION);
	pq_sendint32(message, sizeof(layout));
	pq_sendbytes(message, (const char *) &layout, sizeof(layout));
	pq_sendint64(message, (int64) losses());
	put_text(message, GetDatabaseEncodingName());
	put_text(message, open->coordinator);
	put_text(message, open->schema);
	put_text(message, open->table);
	pq_sendbyte(message, open->ignore_rls);
	put_text(message, open->epoch);
}

PartStatus
part_read_open(StringInfo message, PartOpen *open)
{
	Layout layout;
	uint32 size;

	fill_layout(&layout);
	if (pq_getmsgint(message, 4) != PART_MAGIC || strcmp(get_text(message), DPOBJ_VERSION) != 0)
		return PART_OTHER_VERSION;
	size = pq_getmsgint(message, 4);
	if (size != sizeof(layout) ||
		memcmp(pq_getmsgbytes(message, (int) size), &layout, sizeof(layout)) != 0)
		return PART_OTHER_LAYOUT;
	if ((uint64) pq_getmsgint64(message) != losses())
		return PART_OTHER_LOSSES;
	if (strcmp(get_text(message), GetDatabaseEncodingName()) != 0)
		return PART_OTHER_ENCODING;
	open->coordinator = get_text(message);
	open->schema = get_text(message);
	open->table = get_text(message);
	open->ignore_rls = get_bool(message);
	open->epoch = get_epoch(message);
	return PART_READY;
}

void
part_write_status(StringInfo answer, PartStatus status)
{
	pq_sendint32(answer, PART_MAGIC);
	pq_sendbyte(answer, status);
}

PartStatus
part_read_status(StringInfo answer)
{
	int status;

	if (pq_getmsgint(answer, 4) != PART_MAGIC)
		invalid_message();
	status = pq_getmsgbyte(answer);
	if (status >= PART_STATUSES)
		invalid_message();
	return (PartStatus) status;
}

void
part_write_opened(StringInfo answer, const PartOpened *opened)
{
	pq_sendint64(answer, (int64) opened->system);
	pq_sendint32(answer, opened->database);
	pq_sendint32(answer, opened->relation);
	put_text(answer, opened->epoch);
}

void
part_read_opened(StringInfo answer, PartOpened *opened)
{
	opened->system = (uint64) pq_getmsgint64(answer);
	opened->database = pq_getmsgint(answer, 4);
	opened->relation = pq_getmsgint(answer, 4);
	opened->epoch = get_epoch(answer);
	pq_getmsgend(answer);
}

/* ---- scanning ---- */

static int64
get_count(StringInfo answer)
{
	int64 count = pq_getmsgint64(answer);

	if (count < 0 || count > PART_MAX_ROWS)
		invalid_message();
	return count;
}

/* The byte form of an empty set has the encoding, but for the features that are 0 or 1. */
static void
put_encoding(StringInfo message, const Encoding *encoding, Memory *memory)
{
	Rows empty;
	size_t size;

	for (int j = 0; j < COLUMNS_MAX; j++)
		pq_sendbyte(message, encoding->binary[j]);
	rows_init(&empty, encoding, memory);
	size = rows_byte_size(&empty);
	enlargeStringInfo(message, (int) size);
	rows_write_bytes(&empty, (uint8_t *) message->data + message->len);
	message->len += (int) size;
}

static void
get_encoding(StringInfo message, Encoding *encoding, Memory *memory)
{
	Rows empty;
	bool binary[COLUMNS_MAX];
	int rest;

	for (int j = 0; j < COLUMNS_MAX; j++)
		binary[j] = get_bool(message);
	rest = message->len - message->cursor;
	if (!rows_init_like_bytes(&empty, (const uint8_t *) pq_getmsgbytes(message, rest), rest,
							  memory) ||
		empty.encoding.features < 1)
		invalid_message();
	*encoding = empty.encoding;
	memcpy(encoding->binary, binary, sizeof(binary));
}

static void
put_key(StringInfo message, const void *key)
{
	pq_sendbyte(message, key != NULL);
	if (key != NULL)
		pq_sendbytes(message, key, SIPHASH_KEY_LENGTH);
}

static void *
get_key(StringInfo message)
{
	uint8 *copy;

	if (!get_bool(message))
		return NULL;
	copy = palloc(SIPHASH_KEY_LENGTH);
	pq_copymsgbytes(message, (char *) copy, SIPHASH_KEY_LENGTH);
	return copy;
}

void
part_write_scan(StringInfo message, const PartScan *scan, Memory *memory)
{
	pq_sendbyte(message, PART_SCAN);
	put_text(message, scan->reader.role);
	pq_sendint64(message, scan->reader.release);
	pq_sendint32(message, scan->sets);
	pq_sendbyte(message, scan->grouped);
	pq_sendbyte(message, scan->sides);
	put_key(message, scan->person_key);
	put_key(message, scan->coins);
	pq_sendint64(message, Min(scan->room, PART_MAX_ROWS));
	put_encoding(message, &scan->encoding, memory);
}

/* The ledger keeps it. */
static const char *
get_name(StringInfo message)
{
	char *name = get_text(message);

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN ||
		!pg_verifymbstr(name, (int) strlen(name), true))
		invalid_message();
	return name;
}

void
part_read_scan(StringInfo message, Memory *memory, PartScan *scan)
{
	uint32 count;

	scan->reader.role = get_name(message);
	scan->reader.release = pq_getmsgint64(message);
	count = pq_getmsgint(message, 4);
	scan->grouped = get_bool(message);
	scan->sides = get_bool(message);
	if (count < 1 || count > PERSONS_MAX_GROUPS / 2 || (!scan->grouped && count > 1))
		invalid_message();
	scan->sets = (int) count;
	scan->person_key = get_key(message);
	scan->coins = get_key(message);
	scan->room = get_count(message);
	get_encoding(message, &scan->encoding, memory);
}

/* ---- passes ---- */

void
part_write_counts(StringInfo answer, const PartCounts *counts)
{
	pq_sendint64(answer, counts->usable);
	pq_sendint64(answer, counts->neutral);
}

void
part_read_counts(StringInfo answer, PartCounts *counts)
{
	counts->usable = get_count(answer);
	counts->neutral = get_count(answer);
}

/* ---- ratings ---- */

static double
get_real(StringInfo message)
{
	double real = pq_getmsgfloat8(message);

	if (!isfinite(real))
		invalid_message();
	return real;
}

static void
put_line(StringInfo message, const RaterLine *line)
{
	pq_sendfloat8(message, line->base);
	pq_sendfloat8(message, line->scale);
}

static RaterLine
get_line(StringInfo message)
{
	double base = get_real(message);

	return (RaterLine){base, get_real(message)};
}

void
part_write_rate(StringInfo message, int set, const Rater *rater, const RatingTable *table)
{
	int weights = rater->weights * Max(rater->classes, 1);

	pq_sendbyte(message, PART_RATE);
	pq_sendint32(message, set);
	pq_sendbyte(message, table->kind);
	pq_sendint32(message, table->cells);
	pq_sendint32(message, weights);
	for (int i = 0; i < weights; i++)
		pq_sendfloat8(message, rater->weight[i]);
	for (int i = 0; table->kind == RATING_SCORES && i < table->cells - 1; i++)
		pq_sendfloat8(message, table->edge[i]);
	if (table->kind != RATING_RESIDUALS)
		return;
	pq_sendfloat8(message, table->look.middle + table->look.unit * table->look.low);
	pq_sendfloat8(message, table->look.middle + table->look.unit * table->look.high);
	put_line(message, &rater->prediction);
	put_line(message, &rater->target);
}

static void
get_cells(StringInfo message, Rater *rater, RatingTable *table)
{
	static const int most[RATING_KINDS] = {RATING_BINS, INSTANCE_MAX_CLASSES, 1};
	int kind = pq_getmsgbyte(message);
	uint32 cells = pq_getmsgint(message, 4);

	if (kind < 0 || kind >= RATING_KINDS || cells < 1 || cells > (uint32) most[kind])
		invalid_message();
	table->kind = (RatingKind) kind;
	table->cells = (int) cells;
	rater->classes = kind == RATING_CLASSES ? (int) cells : 0;
}

static void
get_weights(StringInfo message, const Encoding *encoding, Rater *rater, const RatingTable *table)
{
	uint32 count = pq_getmsgint(message, 4);
	double *weight;

	if (count > MaxAllocSize / sizeof(double) ||
		!rater_place(rater, encoding, table->kind != RATING_SCORES, (int) count))
		invalid_message();
	weight = palloc(count * sizeof(double));
	for (uint32 i = 0; i < count; i++)
		weight[i] = get_real(message);
	rater->weight = weight;
}

void
part_read_rate(StringInfo message, const Encoding *encoding, int *set, Rater *rater,
			   RatingTable *table)
{
	memset(rater, 0, sizeof(*rater));
	memset(table, 0, sizeof(*table));
	*set = (int) pq_getmsgint(message, 4);
	get_cells(message, rater, table);
	get_weights(message, encoding, rater, table);
	for (int i = 0; table->kind == RATING_SCORES && i < table->cells - 1; i++)
		table->edge[i] = get_real(message);
	if (table->kind == RATING_RESIDUALS)
	{
		double low = get_real(message);
		double high = get_real(message);

		table->look = (Look){.type = &look_residuals, .cells = 1};
		if (!look_set_bounds(&table->look, low, high))
			invalid_message();
		rater->prediction = get_line(message);
		rater->target = get_line(message);
	}
	pq_getmsgend(message);
}

void
part_write_rated(StringInfo answer, const RatingTable *table)
{
	pq_sendint64(answer, table->unusable);
	for (int i = 0; i < rating_numbers(table); i++)
		pq_sendint64(answer, table->number[i]);
}

/* A row adds less than this to a sum of residuals (look_residuals.c), and 1 to a count. */
#define MOST_OF_ROW ((Wide) 1 << 26)

/* Is it a number that so many rows have? */
static bool
is_possible(const RatingTable *table, int position, int64 number, int64 rows)
{
	Wide most = table->kind == RATING_RESIDUALS ? rows * MOST_OF_ROW : rows;

	if (table->kind != RATING_RESIDUALS || position == RESIDUAL_ROWS)
		return number >= 0 && number <= rows;
	return number >= -most && number <= most;
}

void
part_read_rated(StringInfo answer, RatingTable *table)
{
	int64 number[RATING_NUMBERS];
	int64 unusable = get_count(answer);
	int64 rows = 0;
	int count = rating_numbers(table);

	for (int i = 0; i < count; i++)
	{
		number[i] = pq_getmsgint64(answer);
		if (table->kind != RATING_RESIDUALS || i == RESIDUAL_ROWS)
			rows += Min(Max(number[i], 0), PART_MAX_ROWS);
	}
	if (rows > PART_MAX_ROWS)
		invalid_message();
	table->unusable += unusable;
	for (int i = 0; i < count; i++)
		if (!is_possible(table, i, number[i], rows) ||
			__builtin_add_overflow(table->number[i], number[i], &table->number[i]))
			invalid_message();
}
