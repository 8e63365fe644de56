/* holdout.c - the place of a row. */
#include "core/rows/holdout.h"

#include <string.h>

#include "core/base/mutant.h"

/* One more than the largest place, divided by the number of buckets and rounded up. */
#define BUCKET (UINT64_MAX / HOLDOUT_ONE + 1)

static void
put_word(uint64_t word, uint8_t *bytes)
{
	for (int i = 0; i < HOLDOUT_VALUE_BYTES; i++)
		bytes[i] = (uint8_t) (word >> 8 * i);
}

void
holdout_put(SipKey key, uint8_t *row, size_t values, size_t place, const void *bytes, size_t length)
{
	uint8_t *value = row + place * HOLDOUT_VALUE_BYTES;
	uint8_t *nulls = row + values * HOLDOUT_VALUE_BYTES + place / 8;
	uint8_t bit = (uint8_t) (1 << place % 8);

	*nulls = (uint8_t) (bytes == NULL ? *nulls | bit : *nulls & ~bit);
	if (bytes == NULL)
		memset(value, 0, HOLDOUT_VALUE_BYTES);
	else if (length == HOLDOUT_VALUE_BYTES)
		memcpy(value, bytes, HOLDOUT_VALUE_BYTES);
	else
		put_word(siphash(key, bytes, length), value);
}

bool
holdout_has(SipKey key, const uint8_t *row, size_t values, int thousandths)
{
	size_t length = holdout_row_bytes(values);
	uint64_t place;

	if (MUTANT(310))
		key = (SipKey){{0, 0}};
	if (MUTANT(311))
		length = HOLDOUT_VALUE_BYTES;
	place = siphash(key, row, length);
	if (MUTANT(312))
		place += (uint64_t) thousandths * BUCKET;
	return place / BUCKET < (uint64_t) thousandths;
}
