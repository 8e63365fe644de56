/*
 * random_bits.c - fair bits for the core.
 */
#include "postgres.h"

#include "random_bits.h"

static void
fill(void *context, uint8_t *bytes, size_t count)
{
	if (!pg_strong_random(bytes, count))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random bytes")));
}

void
random_bits_init(Bits *bits)
{
	bits_init(bits, fill, NULL);
}
