/*
 * rows_state.c - expands, flattens and combines values of type dp_rows.
 *
 * The type has no readable text form, because that would show the rows.
 */
#include "postgres.h"

#include <unistd.h>

#include "access/parallel.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"

#include "server/base/gate.h"
#include "server/rows/rows_state.h"

#define ROWS_STATE_MAGIC 0x64706f62

/* ---- expanded object ---- */

/* The header of a flat state; the byte form of the rows in memory follows it. */
typedef struct FlatHeader
{
	uint64 limit; /* of the memory of the state that takes these rows; 0: none */
	int64 spilled;
	int32 features;
	SpillShape shape;
	char path[MAXPGPATH]; /* the file of the spilled rows, or "" */
} FlatHeader;

static Size
state_flat_size(ExpandedObjectHeader *header)
{
	RowsState *state = (RowsState *) header;
	Size size = VARHDRSZ + sizeof(FlatHeader) + rows_byte_size(&state->rows);

	if (!AllocSizeIsValid(size))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the training set is too large to be passed between processes"),
						errhint("Set max_parallel_workers_per_gather to 0.")));
	return size;
}

static void
state_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	RowsState *state = (RowsState *) header;
	Rows *rows = &state->rows;
	FlatHeader flat;

	memset(&flat, 0, sizeof(flat));
	flat.limit = rows->sink == NULL ? 0 : rows->limit;
	flat.spilled = rows->spilled;
	flat.features = rows->encoding.features;
	flat.shape = rows->shape;
	if (rows->spilled > 0)
		strlcpy(flat.path, spill_path(&state->spill), sizeof(flat.path));
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), &flat, sizeof(flat));
	rows_write_bytes(rows, (uint8_t *) VARDATA(result) + sizeof(flat));
	state->shipped = true;
}

static const ExpandedObjectMethods state_methods = {state_flat_size, state_flatten};

static RowsState *
state_allocate(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "dpobj rows", ALLOCSET_DEFAULT_SIZES);
	RowsState *state = MemoryContextAllocZero(context, sizeof(RowsState));

	EOH_init_header(&state->header, &state_methods, context);
	state->magic = ROWS_STATE_MAGIC;
	server_memory_init(&state->memory, context);
	spill_init(&state->spill);
	return state;
}

RowsState *
rows_state_create(const Encoding *encoding, MemoryContext parent)
{
	RowsState *state = state_allocate(parent);

	rows_init(&state->rows, encoding, &state->memory.memory);
	return state;
}

void
rows_state_spill(RowsState *state, Size limit, off_t room)
{
	if (room > 0)
		spill_reserve(&state->spill, room);
	rows_set_spill(&state->rows, &state->spill.sink, limit);
}

/* Waits until the leader has taken the rows, which truncates the file. */
static void
wait_until_taken(const Spill *spill)
{
	while (FileSize(spill->file) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 10,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/* Called at the end of the query, unless an error ends it. */
static void
end_spill(Datum datum)
{
	RowsState *state = (RowsState *) DatumGetPointer(datum);

	if (IsParallelWorker() && state->shipped && state->spill.file != 0)
		wait_until_taken(&state->spill);
	spill_close(&state->spill);
}

void
rows_state_spill_in_query(RowsState *state, FunctionCallInfo fcinfo, Size limit)
{
	rows_state_spill(state, limit, 0);
	AggRegisterCallback(fcinfo, end_spill, PointerGetDatum(state));
}

static void
invalid_state(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("invalid value of type dp_rows")));
}

/* Copies the header and returns the byte form that follows it. */
static const uint8 *
open_flat(const struct varlena *flat, FlatHeader *header, Size *length)
{
	Size size = VARSIZE(flat) - VARHDRSZ;

	if (size < sizeof(*header))
		invalid_state();
	memcpy(header, VARDATA(flat), sizeof(*header));
	*length = size - sizeof(*header);
	return (const uint8 *) VARDATA(flat) + sizeof(*header);
}

RowsState *
rows_state_get(Datum datum, MemoryContext parent)
{
	struct varlena *flat;
	FlatHeader header;
	RowsState *state;
	const uint8 *bytes;
	Size length;

	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)))
	{
		state = (RowsState *) DatumGetEOHP(datum);
		if (state->magic != ROWS_STATE_MAGIC)
			invalid_state();
		return state;
	}
	flat = PG_DETOAST_DATUM(datum);
	bytes = open_flat(flat, &header, &length);
	state = state_allocate(parent);
	if (header.spilled > 0 ||
		!rows_init_from_bytes(&state->rows, bytes, length, &state->memory.memory))
		invalid_state();
	return state;
}

/* ---- combining ---- */

#define TAKEN_AT_A_TIME 512

/* Is it the path of a temporary file of PostgreSQL?  A check only, as dpobj makes all values. */
static bool
is_temporary(const char *path)
{
	return (strncmp(path, "base/", 5) == 0 || strncmp(path, "pg_tblspc/", 10) == 0) &&
		   strstr(path, "/pgsql_tmp/pgsql_tmp") != NULL && strstr(path, "..") == NULL;
}

static void
read_all(int descriptor, const char *path, void *bytes, size_t count, off_t offset)
{
	while (count > 0)
	{
		ssize_t got = pread(descriptor, bytes, count, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			ereport(ERROR, (errcode_for_file_access(),
							errmsg("could not read from temporary file \"%s\": %m", path)));
		bytes = (char *) bytes + got;
		count -= got;
		offset += got;
	}
}

/*
 * Adds records, in this state's file if they can be; rows of another length are neutral, as in
 * rows_merge_bytes().
 */
static void
take_records(Rows *rows, const FlatHeader *header, const uint8 *records, int64 number)
{
	bool alike = rows->encoding.features == header->features;
	size_t size = spill_record_size(&header->shape);

	if (alike && memcmp(&rows->shape, &header->shape, sizeof(rows->shape)) == 0 &&
		rows_append_records(rows, records, number))
		return;
	for (int64 i = 0; i < number; i++)
	{
		int32 x[COLUMNS_MAX + 1] = {0};
		RowCount count;

		spill_unpack(&header->shape, records + i * size, x, &count);
		if (alike)
			rows_merge(rows, x, count);
		else
			rows_add_neutral(rows, count.positive + count.negative);
	}
}

/* Adds the rows of the file, then truncates it: its owner waits for that. */
static void
take_spilled(Rows *rows, const FlatHeader *header)
{
	size_t size;
	uint8 *records;
	int descriptor;

	if (!is_temporary(header->path) || header->shape.dimension < 1 ||
		header->shape.dimension > COLUMNS_MAX)
		invalid_state();
	size = spill_record_size(&header->shape);
	records = palloc(TAKEN_AT_A_TIME * size);
	descriptor = OpenTransientFile(header->path, O_RDWR | PG_BINARY);
	if (descriptor < 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not open temporary file \"%s\": %m", header->path)));
	for (int64 first = 0; first < header->spilled; first += TAKEN_AT_A_TIME)
	{
		int64 count = Min(header->spilled - first, TAKEN_AT_A_TIME);

		CHECK_FOR_INTERRUPTS();
		read_all(descriptor, header->path, records, count * size, (off_t) (first * size));
		take_records(rows, header, records, count);
	}
	if (ftruncate(descriptor, 0) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not truncate temporary file \"%s\": %m", header->path)));
	CloseTransientFile(descriptor);
	pfree(records);
}

/* Visits so many records of the file. */
static void
visit_spilled(const RowsState *state, int64 records, RowsVisit visit, void *context)
{
	const SpillShape *shape = &state->rows.shape;
	size_t size = spill_record_size(shape);
	uint8 *batch = palloc(TAKEN_AT_A_TIME * size);

	for (int64 first = 0; first < records; first += TAKEN_AT_A_TIME)
	{
		int64 count = Min(records - first, TAKEN_AT_A_TIME);

		GATE_CHECK_FOR_INTERRUPTS();
		spill_read(&state->spill, (off_t) (first * size), batch, count * size);
		for (int64 i = 0; i < count; i++)
		{
			int32 x[COLUMNS_MAX + 1] = {0};
			RowCount labels;

			spill_unpack(shape, batch + i * size, x, &labels);
			visit(context, x, &labels);
		}
	}
	pfree(batch);
}

void
rows_state_visit(RowsState *state, RowsVisit visit, void *context)
{
	const Rows *rows = &state->rows;

	rows_flush(&state->rows);
	for (uint32 i = 0; i < rows->distinct; i++)
	{
		if (i % 1024 == 0)
			GATE_CHECK_FOR_INTERRUPTS();
		visit(context, rows->x + (Size) i * rows->stride, &rows->count[i]);
	}
	visit_spilled(state, rows->spilled, visit, context);
}

static void
merge_row(void *context, const int32 *x, const RowCount *count)
{
	rows_merge(context, x, *count);
}

static void
take_back(RowsState *state)
{
	int64 records = state->rows.spilled;

	rows_leave_sink(&state->rows);
	visit_spilled(state, records, merge_row, &state->rows);
}

bool
rows_state_ends_spilled(RowsState *state)
{
	if (state->rows.spilled == 0 && state->spill.room == 0)
		return false;
	if (rows_fit_sink(&state->rows))
		return true;
	take_back(state);
	return false;
}

/* An empty state with the encoding of a flat one. */
static RowsState *
create_like(const struct varlena *flat, MemoryContext parent)
{
	FlatHeader header;
	Size length;
	const uint8 *bytes = open_flat(flat, &header, &length);
	RowsState *state = state_allocate(parent);

	if (!rows_init_like_bytes(&state->rows, bytes, length, &state->memory.memory))
		invalid_state();
	return state;
}

RowsState *
rows_state_combine(RowsState *state, struct varlena *flat, FunctionCallInfo fcinfo,
				   MemoryContext context)
{
	FlatHeader header;
	Size length;
	const uint8 *bytes = open_flat(flat, &header, &length);

	if (state == NULL)
		state = create_like(flat, context);
	if (header.limit > 0 && state->rows.sink == NULL)
		rows_state_spill_in_query(state, fcinfo, header.limit);
	if (!rows_merge_bytes(&state->rows, bytes, length))
		invalid_state();
	if (header.spilled > 0)
		take_spilled(&state->rows, &header);
	return state;
}
