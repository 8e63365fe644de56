/*
 * spill.c - a row as a record, and back.
 */
#include "core/rows/spill.h"

#include <stdbool.h>
#include <string.h>

#include "core/grid/grid.h"
#include "core/rows/limits.h"
#include "core/base/mutant.h"

static bool
is_binary(const SpillShape *shape, int j)
{
	return (shape->binary[j / 64] >> (j % 64) & 1) != 0;
}

/* No bit stands beyond the dimension. */
static int
count_binary(const SpillShape *shape)
{
	int count = 0;

	for (int k = 0; 64 * k < shape->dimension; k++)
		count += __builtin_popcountll(shape->binary[k]);
	return count;
}

/* Number of uint32 that so many bits take up. */
static int
bit_words(int bits)
{
	return (bits + 31) / 32;
}

size_t
spill_record_size(const SpillShape *shape)
{
	int bits = count_binary(shape);
	int words = shape->dimension - bits + bit_words(bits);

	return (size_t) words * sizeof(uint32_t) + sizeof(RowCount);
}

void
spill_pack(const SpillShape *shape, const int32_t *x, RowCount count, uint8_t *record)
{
	uint32_t word[COLUMNS_MAX];
	int words = bit_words(count_binary(shape));
	int bit = 0;

	memset(word, 0, (size_t) words * sizeof(word[0]));

	for (int j = 0; j < shape->dimension; j++)
	{
		if (!is_binary(shape, j))
			word[words++] = (uint32_t) x[j];
		else
		{
			word[bit / 32] |= (uint32_t) (x[j] != 0) << (bit % 32);
			bit++;
		}
	}
	memcpy(record, word, (size_t) words * sizeof(uint32_t));
	memcpy(record + (size_t) words * sizeof(uint32_t), &count, sizeof(count));
}

void
spill_unpack(const SpillShape *shape, const uint8_t *record, int32_t *x, RowCount *count)
{
	int bits = count_binary(shape);
	int at = bit_words(bits);
	size_t size = (size_t) (shape->dimension - bits + at) * sizeof(uint32_t);
	uint32_t word[COLUMNS_MAX];
	int bit = 0;

	memcpy(at == 0 ? (void *) x : word, record, size);
	for (int j = 0; at > 0 && j < shape->dimension; j++)
	{
		if (!is_binary(shape, j))
			x[j] = (int32_t) word[at++];
		else
		{
			x[j] = (word[bit / 32] >> (bit % 32) & 1) != 0 ? FIXED_POINT_ONE : 0;
			bit++;
		}
	}
	memcpy(count, record + size, sizeof(*count));
	if (MUTANT(111))
		count->negative = 0;
}
