/*
 * replay.c - a driver for compilers without libFuzzer: each file of the command line, once.
 */
#include <string.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

int
main(int argc, char **argv)
{
	static uint8_t bytes[INPUT_MAX];

	for (int i = 1; i < argc; i++)
	{
		FILE *file = fopen(argv[i], "rb");
		uint8_t *exact;
		size_t length;

		MUST(file != NULL);
		length = fread(bytes, 1, sizeof(bytes), file);
		MUST(fclose(file) == 0);
		/* a block of just this size, so that a sanitizer sees one byte too many */
		exact = malloc(length > 0 ? length : 1);
		MUST(exact != NULL);
		memcpy(exact, bytes, length);
		(void) LLVMFuzzerTestOneInput(exact, length);
		free(exact);
	}
	return 0;
}
