/*
 * rows_state.h - the SQL type dp_rows: a training set as an aggregate's state.
 *
 * An expanded object in a memory context of its own; flat, it is the byte form
 * of core/rows.h and the path of a file of what was spilled, so that partial aggregates
 * can be shipped between processes.
 */
#ifndef DPOBJ_ROWS_STATE_H
#define DPOBJ_ROWS_STATE_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/expandeddatum.h"

#include "core/rows.h"

#include "spill.h"

/* palloc in one memory context, for the core. */
typedef struct ServerMemory
{
	Memory memory;
	MemoryContext context;
	MemoryContext bounded; /* at first the same; with its children it may have so many bytes: */
	Size limit;            /* 0, as at first: as many as there are */
} ServerMemory;

typedef struct RowsState
{
	ExpandedObjectHeader header;
	int magic;
	ServerMemory memory;
	Rows rows;
	Spill spill;
	bool shipped; /* somebody else has been told of the spill */
} RowsState;

/* Ends what is cancelled: for computations of the core in this process. */
extern void server_pause(void);

extern void server_memory_init(ServerMemory *memory, MemoryContext context);

/* A new, empty state below parent. */
extern RowsState *rows_state_create(const Encoding *encoding, MemoryContext parent);

/*
 * Lets a new state spill its rows beyond limit bytes.  With a room it has a file of that size at
 * once, and all rows will go there.
 */
extern void rows_state_spill(RowsState *state, Size limit, off_t room);

/*
 * The same for the end of an aggregate's query: closes the file.  That of a parallel worker goes
 * away with the worker, so that it waits until the leader has taken the rows out of it, or ends it.
 */
extern void rows_state_spill_in_query(RowsState *state, FunctionCallInfo fcinfo, Size limit);

/* The state behind a datum; a flat one is expanded below parent. */
extern RowsState *rows_state_get(Datum datum, MemoryContext parent);

#define RowsStateGetDatum(state) EOHPGetRWDatum(&(state)->header)

#endif
