/*
 * rows_state.h - the SQL type dp_rows: a training set as an aggregate's state.
 *
 * An expanded object in a memory context of its own; flat, it is the byte form
 * of core/rows.h, so that partial aggregates can be shipped between processes.
 */
#ifndef DPOBJ_ROWS_STATE_H
#define DPOBJ_ROWS_STATE_H

#include "postgres.h"

#include "utils/expandeddatum.h"

#include "core/rows.h"

#include "spill.h"

/* palloc in one memory context, for the core. */
typedef struct ServerMemory
{
	Memory memory;
	MemoryContext context;
	Size limit; /* bytes that the context may have; 0, as at first: as many as there are */
} ServerMemory;

typedef struct RowsState
{
	ExpandedObjectHeader header;
	int magic;
	ServerMemory memory;
	Rows rows;
	Spill spill;
} RowsState;

/* Ends what is cancelled: for computations of the core in this process. */
extern void server_pause(void);

extern void server_memory_init(ServerMemory *memory, MemoryContext context);

/* A new, empty state below parent. */
extern RowsState *rows_state_create(const Encoding *encoding, MemoryContext parent);

/*
 * Lets a new state spill its rows beyond limit bytes; then it cannot be combined.  With a
 * room it has a file of that size at once, and all rows will go there.
 */
extern void rows_state_spill(RowsState *state, Size limit, off_t room);

/* The state behind a datum; a flat one is expanded below parent. */
extern RowsState *rows_state_get(Datum datum, MemoryContext parent);

#define RowsStateGetDatum(state) EOHPGetRWDatum(&(state)->header)

#endif
