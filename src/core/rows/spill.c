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

/* Which coordinates the words of a record hold, in its order. */
typedef struct Places
{
	int bits;
	int numbers;
	bool in_one_piece; /* are all numbers next to each other? */
	int16_t bit[COLUMNS_MAX];
	int16_t number[COLUMNS_MAX];
} Places;

static void
find_places(const SpillShape *shape, Places *places)
{
	places->bits = places->numbers = 0;
	for (int j = 0; j < shape->dimension; j++)
		if (is_binary(shape, j))
			places->bit[places->bits++] = (int16_t) j;
		else
			places->number[places->numbers++] = (int16_t) j;
	places->in_one_piece =
		places->numbers > 0 &&
		places->number[places->numbers - 1] - places->number[0] == places->numbers - 1;
}

/* Sets x from the words, and returns their end. */
static const uint8_t *
unpack_words(const Places *places, const uint8_t *at, int32_t *x)
{
	uint32_t word = 0;

	for (int k = 0; k < places->bits; k++, word >>= 1)
	{
		if (k % 32 == 0)
		{
			memcpy(&word, at, sizeof(word));
			at += sizeof(word);
		}
		x[places->bit[k]] = (int32_t) (word & 1) * FIXED_POINT_ONE;
	}
	if (places->in_one_piece)
		memcpy(x + places->number[0], at, (size_t) places->numbers * sizeof(word));
	else
		for (int k = 0; k < places->numbers; k++)
			memcpy(&x[places->number[k]], at + (size_t) k * sizeof(word), sizeof(word));
	return at + (size_t) places->numbers * sizeof(word);
}

void
spill_unpack_rows(const SpillShape *shape, const uint8_t *records, int64_t rows, int32_t *x,
				  int64_t *positive, int64_t *negative)
{
	Places places;
	RowCount count;

	find_places(shape, &places);
	for (int64_t i = 0; i < rows; i++, records += sizeof(count), x += shape->dimension)
	{
		records = unpack_words(&places, records, x);
		memcpy(&count, records, sizeof(count));
		positive[i] = count.positive;
		negative[i] = MUTANT(111) ? 0 : count.negative;
	}
}

void
spill_unpack(const SpillShape *shape, const uint8_t *record, int32_t *x, RowCount *count)
{
	spill_unpack_rows(shape, record, 1, x, &count->positive, &count->negative);
}
