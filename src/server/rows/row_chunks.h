/*
 * row_chunks.h - sets of rows in pieces that fit into a message, and back.
 *
 * A piece has rows of one set, as records (core/rows/spill.h), and is complete by itself: whoever
 * reads it adds its rows at once, so neither side holds all rows a second time.
 */
#ifndef DPOBJ_ROW_CHUNKS_H
#define DPOBJ_ROW_CHUNKS_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "server/rows/rows_state.h"

/* Where the writer is. */
typedef struct RowChunks
{
	RowsState **states;
	int sets;
	int set;       /* the set that is being written */
	int64 written; /* its rows that have been: first those in memory, then those in its file */
	bool finished; /* the last piece has been written */
} RowChunks;

extern void row_chunks_begin(RowChunks *chunks, RowsState **states, int sets);

/* Writes the next piece, of about PART_CHUNK bytes at most.  No call may follow the last one. */
extern void row_chunks_write(RowChunks *chunks, StringInfo bytes);

/* What a reader has got from one part. */
typedef struct RowChunksRead
{
	int set;     /* of the last piece */
	bool begun;  /* has the set a piece? */
	int64 total; /* rows that the pieces stand for */
	bool finished;
} RowChunksRead;

/*
 * Adds a piece to its set.  Raises an error unless it is the next piece of a part, with rows that
 * the encoding can make, so that a part cannot move a sum by more than its rows may.
 */
extern void row_chunks_read(RowChunksRead *read, StringInfo bytes, Rows *const *sets, int count);

#endif
