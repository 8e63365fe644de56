/*
 * fuzz_passes.c - core/mechanisms/wire.c: a pass, as a part of the rows reads it, and sums, as the
 * server and its solver process read them, for the problem before them.
 *
 * The input is the length of the problem (2 bytes), the problem, the length of the pass (2 bytes),
 * the pass, then the sums.
 */
#include <string.h>

#include "core/mechanisms/convex_part.h"
#include "core/mechanisms/wire.h"

#include "fuzz.h"

typedef struct Input
{
	const uint8_t *bytes;
	size_t length;
} Input;

/* Takes a length and as many bytes off the input; false if it is too short. */
static bool
take(Input *input, Input *piece)
{
	if (input->length < 2)
		return false;
	piece->bytes = input->bytes + 2;
	piece->length = (size_t) input->bytes[0] | (size_t) input->bytes[1] << 8;
	if (piece->length > input->length - 2)
		return false;
	input->bytes += 2 + piece->length;
	input->length -= 2 + piece->length;
	return true;
}

/* Whatever the sums are, adding them twice as another part's must not overflow. */
static void
try_sums(const Pass *pass, const Input *input, Memory *memory)
{
	PassSums sums;
	size_t written;

	pass_sums_create(&sums, pass, 2, memory);
	if (!wire_add_sums(input->bytes, input->length, 1, &sums))
		return;
	MUST(!wire_add_sums(input->bytes, input->length, 1, &sums));
	MUST(wire_encode_sums(&sums, memory, &written) == NULL);
	sums.missing = 0;
	MUST(memcmp(wire_encode_sums(&sums, memory, &written), input->bytes, input->length) == 0);
	MUST(written == input->length && written <= WIRE_SUMS_MAX);
	sums.missing = 1;
	(void) wire_add_sums(input->bytes, input->length, 0, &sums);
}

/* A part answers any pass that it reads, and its answer is taken. */
static void
try_part(const MechanismRequest *request, const Input *input, Memory *memory)
{
	static const int64_t labels[2] = {3, 1};
	int32_t x[2 * (COLUMNS_MAX + 1)] = {0};
	Instance instance = {.rows = 2, .x = x, .positive = labels, .negative = labels};
	ConvexPart *part;
	Pass pass;
	size_t length;
	uint8_t *answer;
	PassSums sums;

	instance.dimension = mechanism_features(request);
	if (mechanism_get(request->kind)->targets || request->convex.classes > 0)
		instance.dimension++;
	for (int j = 0; j < instance.dimension; j++)
		x[instance.dimension + j] = FIXED_POINT_ONE;
	part = convex_part_create(request, &instance, 1, memory);
	if (part == NULL || !wire_decode_pass(input->bytes, input->length, request, memory, &pass))
		return;
	answer = convex_part_answer(part, input->bytes, input->length, &length);
	MUST((answer != NULL) == (pass.number == 1));
	pass_sums_create(&sums, &pass, 1, memory);
	MUST(answer == NULL || wire_add_sums(answer, length, 0, &sums));
}

static void
try_pass(const MechanismRequest *request, const Input *input, const Input *sums, Memory *memory)
{
	Pass pass;
	size_t written;

	if (!wire_decode_pass(input->bytes, input->length, request, memory, &pass))
		return;
	MUST(pass.sums >= 1 && pass.sums <= PASS_SUMS_MAX);
	MUST(memcmp(wire_encode_pass(&pass, memory, &written), input->bytes, input->length) == 0);
	MUST(written == input->length && written <= WIRE_PASS_MAX);
	try_sums(&pass, sums, memory);
	try_part(request, input, memory);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	Arena *arena = arena_create(fuzz_out_of_memory);
	Input input = {bytes, length};
	Input problem;
	Input pass;
	MechanismRequest request;
	Instance instance;

	if (take(&input, &problem) && take(&input, &pass) &&
		wire_decode_problem(problem.bytes, problem.length, arena_memory(arena), &request,
							&instance) &&
		instance.elsewhere)
		try_pass(&request, &pass, &input, arena_memory(arena));
	arena_destroy(arena);
	return 0;
}
