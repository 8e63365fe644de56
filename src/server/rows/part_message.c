/*
 * part_message.c - writes and reads the messages between a coordinator and its parts.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"

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

void
part_write_scan(StringInfo message, const PartReader *reader, const Rows *like, int sets,
				bool grouped, const uint8 *key, int64 room)
{
	pq_sendbyte(message, PART_SCAN);
	put_text(message, reader->role);
	pq_sendint64(message, reader->release);
	pq_sendint32(message, sets);
	pq_sendbyte(message, grouped);
	pq_sendbyte(message, key != NULL);
	if (key != NULL)
		pq_sendbytes(message, (const char *) key, PERSONS_KEY_LENGTH);
	pq_sendint64(message, Min(room, PART_MAX_ROWS));
	put_encoding(message, &like->encoding, like->memory);
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
part_read_scan(StringInfo message, Memory *memory, PartReader *reader, Encoding *encoding,
			   int *sets, bool *grouped, const uint8 **key, int64 *room)
{
	uint32 count;

	reader->role = get_name(message);
	reader->release = pq_getmsgint64(message);
	count = pq_getmsgint(message, 4);
	*grouped = get_bool(message);
	if (count < 1 || count > PERSONS_MAX_GROUPS || (!*grouped && count > 1))
		invalid_message();
	*sets = (int) count;
	*key = NULL;
	if (get_bool(message))
	{
		uint8 *copy = palloc(PERSONS_KEY_LENGTH);

		memcpy(copy, pq_getmsgbytes(message, PERSONS_KEY_LENGTH), PERSONS_KEY_LENGTH);
		*key = copy;
	}
	*room = get_count(message);
	get_encoding(message, encoding, memory);
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
