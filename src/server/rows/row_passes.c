/*
 * row_passes.c - lets the core sum over rows in this process, in memory or in their spill file.
 *
 * One thread: PostgreSQL knows of no other, and each pass looks for interrupts.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/mechanisms/convex_part.h"
#include "core/mechanisms/wire.h"

#include "server/rows/row_passes.h"

struct RowPasses
{
	ServerMemory memory;
	Spill spill;
	Instance instance;
	ConvexPart *part;
};

static void
take_rows(RowPasses *passes, RowsState *state)
{
	if (rows_state_ends_spilled(state))
		rows_spilled_instance(&state->rows, &passes->instance);
	else
		rows_labelled_instance(&state->rows, &passes->memory.memory, &passes->instance);
	passes->spill = state->spill;
	passes->instance.source = &passes->spill.source;
	MemoryContextDelete(state->header.eoh_context);
}

RowPasses *
row_passes_open(RowsState *state, const uint8 *problem, Size length, MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "dpobj passes", ALLOCSET_DEFAULT_SIZES);
	RowPasses *passes = MemoryContextAllocZero(context, sizeof(RowPasses));
	MechanismRequest *request = MemoryContextAllocZero(context, sizeof(MechanismRequest));
	Instance elsewhere;

	server_memory_init(&passes->memory, context);
	if (!wire_decode_problem(problem, length, &passes->memory.memory, request, &elsewhere) ||
		!elsewhere.elsewhere)
		ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
						errmsg("a problem for a part of a table is not valid")));
	take_rows(passes, state);
	passes->part = convex_part_create(request, &passes->instance, 1, &passes->memory.memory);
	if (passes->part == NULL)
		ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
						errmsg("a problem for a part of a table is not one of its rows")));
	return passes;
}

uint8 *
row_passes_sums(RowPasses *passes, const uint8 *pass, Size length, Size *sums_length)
{
	uint8 *sums = convex_part_answer(passes->part, pass, length, sums_length);

	if (sums == NULL)
		ereport(ERROR, (errcode(ERRCODE_PROTOCOL_VIOLATION),
						errmsg("a pass for a part of a table is not valid")));
	return sums;
}

void
row_passes_close(RowPasses *passes)
{
	MemoryContextDelete(passes->memory.context);
}
