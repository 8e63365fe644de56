/*
 * fuzz_answer.c - core/mechanisms/wire.c: an answer, as the server reads it, to the problem before
 * it.
 *
 * The input is the length of the problem (2 bytes), the problem, then the answer.
 */
#include <string.h>

#include "core/mechanisms/wire.h"

#include "fuzz.h"

static void
try_answer(const MechanismRequest *request, const uint8_t *bytes, size_t length, Memory *memory)
{
	static uint8_t written[WIRE_ANSWER_MAX];
	MechanismAnswer answer;

	if (!wire_decode_answer(bytes, length, request, memory, &answer))
		return;
	MUST(length <= WIRE_ANSWER_MAX);
	MUST(wire_encode_answer(request, &answer, written) == length);
	MUST(memcmp(written, bytes, length) == 0);
	MUST(grid_contains(&request->grid, answer.index));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	size_t problem = length < 2 ? 0 : (size_t) bytes[0] | (size_t) bytes[1] << 8;
	Arena *arena = arena_create(fuzz_out_of_memory);
	MechanismRequest request;
	Instance instance;

	if (length >= 2 && problem <= length - 2 &&
		wire_decode_problem(bytes + 2, problem, arena_memory(arena), &request, &instance))
		try_answer(&request, bytes + 2 + problem, length - 2 - problem, arena_memory(arena));
	arena_destroy(arena);
	return 0;
}
