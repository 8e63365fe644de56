/*
 * rows_state.c - dp_rows: expand, flatten, combine.
 *
 * The type has no readable text form: showing it would show the rows.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "dpobj.h"
#include "plan.h"
#include "rows_state.h"

#define ROWS_STATE_MAGIC 0x64706f62

/* ---- memory ---- */

static void
check_size(const ServerMemory *memory, size_t bytes, Size given_back)
{
	Size used = memory->limit > 0 ? MemoryContextMemAllocated(memory->context, true) : 0;

	if (!AllocHugeSizeIsValid(bytes) ||
		(memory->limit > 0 && bytes > memory->limit - Min(memory->limit, used - given_back)))
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
						errdetail("The training set does not fit into memory.")));
}

static void *
server_allocate(Memory *self, size_t bytes)
{
	ServerMemory *memory = (ServerMemory *) self;

	check_size(memory, bytes, 0);
	return MemoryContextAllocHuge(memory->context, bytes);
}

static void *
server_reallocate(Memory *self, void *block, size_t bytes)
{
	ServerMemory *memory = (ServerMemory *) self;

	check_size(memory, bytes, memory->limit > 0 ? GetMemoryChunkSpace(block) : 0);
	return repalloc_huge(block, bytes);
}

static void
server_release(Memory *self, void *block)
{
	pfree(block);
}

void
server_pause(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
server_memory_init(ServerMemory *memory, MemoryContext context)
{
	memory->memory = (Memory){server_allocate, server_reallocate, server_release, server_pause};
	memory->context = context;
	memory->limit = 0;
}

/* ---- expanded object ---- */

static Size
state_flat_size(ExpandedObjectHeader *header)
{
	RowsState *state = (RowsState *) header;
	Size size = VARHDRSZ + rows_byte_size(&state->rows);

	if (state->rows.spilled > 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a training set on disk cannot be copied")));
	if (!AllocSizeIsValid(size))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the training set is too large to be passed between processes"),
						errhint("Set max_parallel_workers_per_gather to 0.")));
	return size;
}

static void
state_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	SET_VARSIZE(result, size);
	rows_write_bytes(&((RowsState *) header)->rows, (uint8_t *) VARDATA(result));
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

static void
invalid_state(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("invalid value of type dp_rows")));
}

RowsState *
rows_state_get(Datum datum, MemoryContext parent)
{
	struct varlena *flat;
	RowsState *state;

	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)))
	{
		state = (RowsState *) DatumGetEOHP(datum);
		if (state->magic != ROWS_STATE_MAGIC)
			invalid_state();
		return state;
	}
	flat = PG_DETOAST_DATUM(datum);
	state = state_allocate(parent);
	if (!rows_init_from_bytes(&state->rows, (uint8_t *) VARDATA(flat), VARSIZE(flat) - VARHDRSZ,
							  &state->memory.memory))
		invalid_state();
	return state;
}

/* ---- SQL functions ---- */

PG_FUNCTION_INFO_V1(dpobj_rows_in);
Datum
dpobj_rows_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("cannot accept a value of type dp_rows")));
}

PG_FUNCTION_INFO_V1(dpobj_rows_out);
Datum
dpobj_rows_out(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("cannot display a value of type dp_rows")));
}

/*
 * dpobj.rows_combine(dp_rows, dp_rows) - adds the second partial state to the
 * first; both live in the aggregate's context afterwards.
 */
PG_FUNCTION_INFO_V1(dpobj_rows_combine);
Datum
dpobj_rows_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	RowsState *state;
	struct varlena *flat;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
						errmsg("dpobj.rows_combine cannot be called outside an aggregate query")));
	plan_check_aggregate(fcinfo);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	flat = PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(RowsStateGetDatum(rows_state_get(PointerGetDatum(flat), context)));
	state = rows_state_get(PG_GETARG_DATUM(0), context);
	if (!rows_merge_bytes(&state->rows, (uint8_t *) VARDATA(flat), VARSIZE(flat) - VARHDRSZ))
		invalid_state();
	PG_RETURN_DATUM(RowsStateGetDatum(state));
}
