/*
 * rows_state.h - the SQL type dp_rows: a training set as an aggregate's state.
 *
 * It is an expanded object in a memory context of its own.  The flat form, which is passed between
 * the processes of a parallel query, has the byte form of core/rows/rows.h and the path of the file
 * of spilled rows.
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

/* A new, empty state in a child of the context parent. */
extern RowsState *rows_state_create(const Encoding *encoding, MemoryContext parent);

/*
 * Lets a new state spill its rows beyond limit bytes.  If room is not 0, the state gets a file of
 * that size at once, and all rows go there.
 */
extern void rows_state_spill(RowsState *state, Size limit, off_t room);

/*
 * The same for an aggregate: the end of the query closes the file.  The file of a parallel worker
 * goes away with the worker, so the worker waits until the leader has taken the rows or ends it.
 */
extern void rows_state_spill_in_query(RowsState *state, FunctionCallInfo fcinfo, Size limit);

/* The state of a datum; a flat one is expanded in a child of the context parent. */
extern RowsState *rows_state_get(Datum datum, MemoryContext parent);

/*
 * When all rows have been added: are they in the file, even if there are none, so that timing does
 * not show whether there are any?  Rows that may still be in memory fit into it.  If a file of a
 * fixed size is too small for all rows, all of them are in memory, which nobody else can see.
 */
extern bool rows_state_ends_spilled(RowsState *state);

/* Gets equal rows, and how many have which label. */
typedef void (*RowsVisit)(void *context, const int32 *x, const RowCount *count);

/* Visits all rows of a state, in memory and in its file; interrupts are looked for. */
extern void rows_state_visit(RowsState *state, RowsVisit visit, void *context);

/* Adds a flat partial state to the state, which may be NULL: then it is made in the context. */
extern RowsState *rows_state_combine(RowsState *state, struct varlena *flat,
									 FunctionCallInfo fcinfo, MemoryContext context);

#define RowsStateGetDatum(state) EOHPGetRWDatum(&(state)->header)

#endif
