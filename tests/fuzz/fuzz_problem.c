/*
 * fuzz_problem.c - core/mechanisms/wire.c: a problem, as the solver process reads it.
 */
#include <string.h>

#include "core/mechanisms/wire.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	Arena *arena = arena_create(fuzz_out_of_memory);
	MechanismRequest request;
	Instance instance;

	if (wire_decode_problem(bytes, length, arena_memory(arena), &request, &instance))
	{
		size_t again;
		const uint8_t *written =
			wire_encode_problem(&request, &instance, arena_memory(arena), &again);

		MUST(again == length && memcmp(written, bytes, length) == 0);
		MUST(mechanism_get(request.kind) != NULL && grid_is_valid(&request.grid));
		MUST(instance.spilled || mechanism_get(request.kind)->convex ||
			 mechanism_get(request.kind)->targets || instance_span(&instance) >= 0);
	}
	arena_destroy(arena);
	return 0;
}
