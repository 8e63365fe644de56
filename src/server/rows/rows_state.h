/*
 * rows_state.h - the SQL type dp_rows: a training set as an aggregate's state.
 *
 * An expanded object in a memory context of its own; flat, it is the byte form
 * of core/rows/rows.h and the path of a file of what was spilled, so that partial aggregates
 * can be shipped between processes.
 */
#ifndef DPOBJ_ROWS_STATE_H
#define DPOBJ_ROWS_STATE_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/expandeddatum.h"

#include "core/rows/rows.h"

#include "server/rows/spill.h"

/* palloc in one memory context, for the core. */
typedef struct ServerMemory
{
	Memory memory;
	MemoryContext context;
	MemoryContext bounded; /* at first the same; limit holds for it and its children: */
	Size limit;            /* bytes; 0, as at first: no limit */
} ServerMemory;

typedef struct RowsState
{
	ExpandedObjectHeader header;
	int magic;
	ServerMemory memory;
	Rows rows;
	Spill spill;
	bool shipped; /* another process has the path of the spill file */
} RowsState;

/* The Pause of core computations in this process: raises the error of a cancel. */
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
 * The same for an aggregate: the file is closed at the end of the query.  The file of a parallel
 * worker goes away with the worker, so the worker waits until the leader has taken the rows, or
 * ends the worker.
 */
extern void rows_state_spill_in_query(RowsState *state, FunctionCallInfo fcinfo, Size limit);

/* The state behind a datum; a flat one is expanded below parent. */
extern RowsState *rows_state_get(Datum datum, MemoryContext parent);

#define RowsStateGetDatum(state) EOHPGetRWDatum(&(state)->header)

#endif
