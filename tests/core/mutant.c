/*
 * mutant.c - chooses the fault of a test program (src/core/base/mutant.h), before main().
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mutant.h"

int mutant_number;

__attribute__((constructor)) static void
choose_mutant(void)
{
	const char *number = getenv("DPOBJ_MUTANT");

	mutant_number = number != NULL ? atoi(number) : 0;
}

/* Says once that the fault's place was reached: a test that fails for another reason shows nothing.
 */
bool
mutant_reached(void)
{
	static const char text[] = "mutant reached\n";
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told) &&
		write(STDERR_FILENO, text, strlen(text)) != (ssize_t) strlen(text))
		abort();
	return true;
}
