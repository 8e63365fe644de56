/*
 * fuzz_rows.c - core/rows/rows.c: the byte form of a training set (dp_rows), read and merged.
 *
 * After one reading, writing merges equal rows, so reading the result again must give the same
 * bytes.  A set whose features are known must accept or refuse it.
 */
#include <string.h>

#include "core/rows/rows.h"

#include "fuzz.h"

static void
try_again(Rows *rows, Memory *memory)
{
	size_t length = rows_byte_size(rows);
	uint8_t *first = memory_allocate(memory, length, 1);
	uint8_t *second = memory_allocate(memory, length, 1);
	Rows copy;

	rows_write_bytes(rows, first);
	MUST(rows_init_from_bytes(&copy, first, length, memory));
	MUST(rows_byte_size(&copy) == length);
	rows_write_bytes(&copy, second);
	MUST(memcmp(first, second, length) == 0);
}

static void
try_instance(Rows *rows, Memory *memory)
{
	Instance instance;

	if (rows->encoding.features == 0)
		return;
	rows_instance(rows, false, memory, &instance);
	MUST(instance.constant >= 0 && instance_span(&instance) >= 0);
	MUST(instance.rows <= rows->distinct);
}

static void
try_merge(const uint8_t *bytes, size_t length, Memory *memory)
{
	Encoding encoding;
	Rows rows;

	encoding_init(&encoding);
	encoding.features = 2;
	MUST(encoding_finish(&encoding));
	rows_init(&rows, &encoding, memory);
	rows_add(&rows, (double[]){0.5, -0.5}, true);
	rows_add_neutral(&rows, 1);
	if (rows_merge_bytes(&rows, bytes, length) && rows_merge_bytes(&rows, bytes, length))
		try_instance(&rows, memory);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	Arena *arena = arena_create(fuzz_out_of_memory);
	Memory *memory = arena_memory(arena);
	Rows rows;

	if (rows_init_from_bytes(&rows, bytes, length, memory))
	{
		try_again(&rows, memory);
		try_instance(&rows, memory);
	}
	try_merge(bytes, length, memory);
	arena_destroy(arena);
	return 0;
}
