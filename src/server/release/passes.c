/*
 * passes.c - sends the solver's passes to all parts of the rows, and adds up their sums.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "core/mechanisms/wire.h"

#include "server/release/encoding_choice.h"
#include "server/release/passes.h"
#include "server/rows/row_passes.h"
#include "server/rows/scan_parts.h"

struct Passes
{
	MemoryContext context;
	const MechanismRequest *request;
	uint8 *problem;
	Size length;
	ScanParts *elsewhere;
	RowPasses *here;
	SolverParts solver;
};

bool
passes_are_made(const Training *training, const Scan *scan)
{
	return scan_parts_of(scan) != NULL && mechanism_passes(&training->request);
}

Passes *
passes_plan(const Training *training, Scan *scan)
{
	const Instance elsewhere = {.dimension = encoding_dimension(&training->encoding),
								.elsewhere = true};
	ServerMemory memory;
	Passes *passes;

	if (!passes_are_made(training, scan))
		return NULL;
	passes = palloc0(sizeof(Passes));
	passes->context = CurrentMemoryContext;
	passes->request = &training->request;
	server_memory_init(&memory, CurrentMemoryContext);
	passes->problem =
		wire_encode_problem(&training->request, &elsewhere, &memory.memory, &passes->length);
	passes->elsewhere = scan_parts_of(scan);
	scan_parts_keep(passes->elsewhere, passes->problem, passes->length);
	return passes;
}

int64
passes_rows_elsewhere(const Passes *passes)
{
	return passes == NULL ? 0 : scan_parts_kept(passes->elsewhere);
}

/* The time that is left of so many milliseconds since then; -1: any. */
static long
time_left(long milliseconds, TimestampTz since)
{
	if (milliseconds < 0)
		return -1;
	return Max(milliseconds - TimestampDifferenceMilliseconds(since, GetCurrentTimestamp()), 0);
}

/* Adds this server's sums while the other parts sum; false if the time is up. */
static bool
add_all(Passes *passes, const uint8 *bytes, Size length, long milliseconds, PassSums *sums)
{
	TimestampTz start = GetCurrentTimestamp();
	Size own_length;
	uint8 *own;

	scan_parts_pass(passes->elsewhere, bytes, length);
	own = row_passes_sums(passes->here, bytes, length, &own_length);
	if (!wire_add_sums(own, own_length, sums->parts - 1, sums))
		elog(ERROR, "sums of a pass are not valid");
	pfree(own);
	return scan_parts_sums(passes->elsewhere, sums, time_left(milliseconds, start));
}

/* SolverParts.sums */
static uint8 *
sum_everywhere(void *context, const uint8 *bytes, Size length, long milliseconds, Size *sums_length)
{
	Passes *passes = context;
	MemoryContext old = MemoryContextSwitchTo(passes->context);
	ServerMemory memory;
	PassSums sums;
	Pass pass;
	uint8 *answer = NULL;

	server_memory_init(&memory, passes->context);
	if (!wire_decode_pass(bytes, length, passes->request, &memory.memory, &pass))
		elog(ERROR, "the solver process asked for a pass that is not valid");
	pass_sums_create(&sums, &pass, scan_parts_sums_count(passes->elsewhere) + 1, &memory.memory);
	if (add_all(passes, bytes, length, milliseconds, &sums))
	{
		answer = wire_encode_sums(&sums, &memory.memory, sums_length);
		if (answer == NULL)
			elog(ERROR, "a part has not answered a pass");
	}
	pass_sums_destroy(&sums, &memory.memory);
	pfree((void *) pass.place);
	MemoryContextSwitchTo(old);
	return answer;
}

void
passes_begin(Passes *passes, ScanParts *parts, RowsState *here)
{
	passes->elsewhere = parts;
	passes->here = row_passes_open(here, passes->problem, passes->length, passes->context);
	passes->solver = (SolverParts){sum_everywhere, passes};
}

const uint8 *
passes_problem(const Passes *passes, Size *length)
{
	*length = passes->length;
	return passes->problem;
}

const SolverParts *
passes_parts(const Passes *passes)
{
	return &passes->solver;
}

void
passes_end(Passes *passes)
{
	if (passes == NULL)
		return;
	scan_parts_close(passes->elsewhere);
	row_passes_close(passes->here);
	pfree(passes->problem);
	pfree(passes);
}
