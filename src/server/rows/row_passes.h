/*
 * row_passes.h - the rows of a state, on the server that has them, as they answer the passes of a
 * convex model (core/mechanisms/convex_part.h).
 */
#ifndef DPOBJ_ROW_PASSES_H
#define DPOBJ_ROW_PASSES_H

#include "postgres.h"

#include "server/rows/rows_state.h"

typedef struct RowPasses RowPasses;

/*
 * Takes the rows of the state, which is freed; its spill file must outlive the passes.  problem has
 * the bytes of a problem whose rows are elsewhere (wire.h).  Raises an error if they are none, or
 * not one of such rows.  What is made lives in a child of the context parent.
 */
extern RowPasses *row_passes_open(RowsState *state, const uint8 *problem, Size length,
								  MemoryContext parent);

/*
 * The bytes of the sums of a pass, which are palloc'd in that child: the caller may free them.
 * Raises an error unless it is the next pass of the problem.
 */
extern uint8 *row_passes_sums(RowPasses *passes, const uint8 *pass, Size length, Size *sums_length);

/* Frees all of it, but for the spill file. */
extern void row_passes_close(RowPasses *passes);

#endif
