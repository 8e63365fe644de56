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

#include "server/base/server_memory.h"
#include "server/rows/spill.h"

typedef struct RowsState
{
	ExpandedObjectHeader header;
	int magic;
	ServerMemory memory;
	Rows rows;
	Spill spill;
	bool shipped; /* another process has the path of the spill file */
} RowsState;

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

/*
 * Adds the second partial state, a flat one, to the first, which lives in the aggregate's context
 * afterwards; NULL: there is none yet.
 */
extern RowsState *rows_state_combine(RowsState *state, struct varlena *flat,
									 FunctionCallInfo fcinfo, MemoryContext context);

#define RowsStateGetDatum(state) EOHPGetRWDatum(&(state)->header)

#endif
