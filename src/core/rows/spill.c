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

/* Where a coordinate is: a number in a word, or a bit of it that stands for FIXED_POINT_ONE. */
typedef struct Place
{
	int word;
	int right;
	uint32_t mask;
	int left;
} Place;

static size_t
find_places(const SpillShape *shape, Place *place)
{
	int at = bit_words(count_binary(shape));
	int bit = 0;

	for (int j = 0; j < shape->dimension; j++)
		if (!is_binary(shape, j))
			place[j] = (Place){at++, 0, UINT32_MAX, 0};
		else
		{
			place[j] = (Place){bit / 32, bit % 32, 1, FIXED_POINT_BITS};
			bit++;
		}
	return (size_t) at * sizeof(uint32_t);
}

void
spill_unpack_rows(const SpillShape *shape, const uint8_t *records, int64_t rows, int32_t *x,
				  int64_t *positive, int64_t *negative)
{
	Place place[COLUMNS_MAX];
	size_t size = find_places(shape, place);

	for (int64_t i = 0; i < rows; i++, records += size + sizeof(RowCount), x += shape->dimension)
	{
		RowCount count;

		for (int j = 0; j < shape->dimension; j++)
		{
			uint32_t word;

			memcpy(&word, records + (size_t) place[j].word * sizeof(word), sizeof(word));
			x[j] = (int32_t) ((word >> place[j].right & place[j].mask) << place[j].left);
		}
		memcpy(&count, records + size, sizeof(count));
		positive[i] = count.positive;
		negative[i] = MUTANT(111) ? 0 : count.negative;
	}
}

void
spill_unpack(const SpillShape *shape, const uint8_t *record, int32_t *x, RowCount *count)
{
	spill_unpack_rows(shape, record, 1, x, &count->positive, &count->negative);
}
