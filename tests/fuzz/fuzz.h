/*
 * fuzz.h - the common parts of the core's fuzzers.
 *
 * A fuzzer is a function of untrusted bytes.  The bytes may be refused.  Accepted bytes must come
 * out the same when they are written again, and no sanitizer may report an error.  MUST() checks
 * this and ends the process as a sanitizer does.
 *
 * With clang the driver is libFuzzer.  Elsewhere replay.c gives each file to the fuzzer once.
 */
#ifndef DPOBJ_TESTS_FUZZ_H
#define DPOBJ_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition)                                                                            \
	do                                                                                             \
	{                                                                                              \
		if (!(condition))                                                                          \
		{                                                                                          \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
			abort();                                                                               \
		}                                                                                          \
	} while (0)

extern int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A fuzzer that gets here has found memory allocated by a count that was not checked. */
static inline void
fuzz_out_of_memory(void)
{
	MUST(!"out of memory");
}

#endif
