/*
 * row_chunks.c - writes sets of rows in pieces, and adds the pieces to other sets.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/memutils.h"

#include "core/rows/encoding.h"

#include "server/base/gate.h"
#include "server/rows/part_message.h"
#include "server/rows/row_chunks.h"

/* ---- writing ---- */

void
row_chunks_begin(RowChunks *chunks, RowsState **states, int sets)
{
	*chunks = (RowChunks){.states = states, .sets = sets};
	for (int i = 0; i < sets; i++)
		rows_flush(&states[i]->rows);
}

static void
write_from_memory(const Rows *rows, int64 first, int64 count, size_t size, uint8 *records)
{
	for (int64 i = 0; i < count; i++)
		spill_pack(&rows->shape, rows->x + (Size) (first + i) * rows->stride,
				   rows->count[first + i], records + i * size);
}

/* Rows of one set that are next to each other and in one place. */
static int64
next_records(const Rows *rows, int64 written, int64 most)
{
	int64 in_memory = rows->distinct;

	if (written < in_memory)
		return Min(in_memory - written, most);
	return Min(in_memory + rows->spilled - written, most);
}

void
row_chunks_write(RowChunks *chunks, StringInfo bytes)
{
	const RowsState *state = chunks->states[chunks->set];
	const Rows *rows = &state->rows;
	size_t size = spill_record_size(&rows->shape);
	int64 count = next_records(rows, chunks->written, PART_CHUNK / size);
	int64 neutral = chunks->written == 0 ? rows->neutral : 0;
	uint8 *records;
	bool ends_set = chunks->written + count == rows->distinct + rows->spilled;

	if (chunks->finished)
		elog(ERROR, "all rows of the part have been written");
	chunks->finished = ends_set && chunks->set + 1 == chunks->sets;
	pq_sendint32(bytes, chunks->set);
	pq_sendbyte(bytes, chunks->finished);
	pq_sendint64(bytes, neutral);
	pq_sendint32(bytes, (uint32) count);
	enlargeStringInfo(bytes, (int) (count * size));
	records = (uint8 *) bytes->data + bytes->len;
	if (chunks->written < rows->distinct)
		write_from_memory(rows, chunks->written, count, size, records);
	else
		spill_read(&state->spill, (off_t) ((chunks->written - rows->distinct) * size), records,
				   count * size);
	bytes->len += (int) (count * size);
	chunks->written += count;
	if (ends_set && !chunks->finished)
	{
		chunks->set++;
		chunks->written = 0;
	}
}

/* ---- reading ---- */

static void
invalid_rows(void)
{
	ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION), errmsg("rows of a part are not valid")));
}

/* Counts rows; raises an error at more than any table has. */
static void
add_total(RowChunksRead *read, int64 rows)
{
	if (rows < 0 || rows > PART_MAX_ROWS - read->total)
		invalid_rows();
	read->total += rows;
}

static void
read_record(RowChunksRead *read, Rows *rows, const uint8 *record)
{
	int32 x[COLUMNS_MAX + 1] = {0};
	RowCount count;

	spill_unpack(&rows->shape, record, x, &count);
	add_total(read, count.positive);
	add_total(read, count.negative);
	if (count.positive + count.negative == 0 || !encoding_admits(&rows->encoding, x))
		invalid_rows();
	rows_merge(rows, x, count);
}

/* Each set has a piece, and each further one has rows, so that no part goes on for ever. */
static bool
is_next(const RowChunksRead *read, uint32 set, uint32 records)
{
	if (set == (uint32) read->set)
		return !read->begun || records > 0;
	return set == (uint32) read->set + 1 && read->begun;
}

void
row_chunks_read(RowChunksRead *read, StringInfo bytes, Rows *const *sets, int count)
{
	uint32 set = pq_getmsgint(bytes, 4);
	bool last = pq_getmsgbyte(bytes) != 0;
	int64 neutral = pq_getmsgint64(bytes);
	uint32 records = pq_getmsgint(bytes, 4);
	size_t size;
	const uint8 *record;

	if (read->finished || set >= (uint32) count || !is_next(read, set, records) ||
		(last && (int) set + 1 != count))
		invalid_rows();
	read->set = (int) set;
	read->begun = true;
	read->finished = last;
	size = spill_record_size(&sets[set]->shape);
	if (records > MaxAllocSize / size || bytes->len - bytes->cursor != (int) (records * size))
		invalid_rows();
	record = (const uint8 *) pq_getmsgbytes(bytes, (int) (records * size));
	add_total(read, neutral);
	rows_add_neutral(sets[set], neutral);
	for (uint32 i = 0; i < records; i++)
	{
		if (i % 1024 == 0)
			GATE_CHECK_FOR_INTERRUPTS();
		read_record(read, sets[set], record + i * size);
	}
}
