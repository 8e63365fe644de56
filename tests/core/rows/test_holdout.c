/*
 * test_holdout.c - each row is on one side, by its values and the key alone; shares are as they are
 * asked for, and nested.
 */
#include "core/rows/holdout.h"

#include <string.h>

#include "core/fixture.h"
#include "core/law.h"

#define VALUES 3

static SipKey
make_key(uint8_t first)
{
	uint8_t bytes[SIPHASH_KEY_LENGTH];

	for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
		bytes[i] = (uint8_t) (first + i);
	return siphash_key(bytes);
}

/* A row of numbers; a negative one stands for a null. */
static bool
holds(SipKey key, const int64_t *value, int values, int thousandths)
{
	uint8_t row[VALUES * HOLDOUT_VALUE_BYTES + 1] = {0};

	for (int i = 0; i < values; i++)
	{
		uint8_t bytes[sizeof(int64_t)]; /* the lowest first, as the server has them everywhere */

		for (int j = 0; j < (int) sizeof(bytes); j++)
			bytes[j] = (uint8_t) ((uint64_t) value[i] >> 8 * j);
		holdout_put(key, row, (size_t) values, (size_t) i, value[i] < 0 ? NULL : bytes,
					sizeof(bytes));
	}
	return holdout_has(key, row, (size_t) values, thousandths);
}

/* The least share, in thousandths, at which a row is held out; 1000: none. */
static int
least_share(SipKey key, const int64_t *value, int values)
{
	int share = 1;

	while (share < HOLDOUT_ONE && !holds(key, value, values, share))
		share++;
	return share;
}

/*
 * The hash of an empty text is the first vector of SipHash's authors.  The shares were computed by
 * another program, from the rule in holdout.h: no machine may deal rows differently.
 */
static void
check_known(void)
{
	static const uint8_t empty[] = {0x31, 0x0e, 0x0e, 0xdd, 0x47, 0xdb, 0x6f, 0x72, 0};
	static const uint8_t null[] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
	uint8_t row[HOLDOUT_VALUE_BYTES + 1] = {0};

	CHECK(holdout_row_bytes(1) == sizeof(row));
	CHECK(holdout_row_bytes(8) == 8 * HOLDOUT_VALUE_BYTES + 1);
	CHECK(holdout_row_bytes(9) == 9 * HOLDOUT_VALUE_BYTES + 2);
	holdout_put(make_key(0), row, 1, 0, NULL, 0);
	CHECK(memcmp(row, null, sizeof(row)) == 0);
	holdout_put(make_key(0), row, 1, 0, "", 0);
	CHECK(memcmp(row, empty, sizeof(row)) == 0);
	CHECK(least_share(make_key(0), (int64_t[]){1}, 1) == 759);
	CHECK(least_share(make_key(0), (int64_t[]){1, 2}, 2) == 571);
	CHECK(least_share(make_key(0), (int64_t[]){1, -1, 3}, 3) == 637);
}

static void
check_nested(void)
{
	for (int64_t i = 0; i < 200; i++)
	{
		int64_t value[] = {i, 7, -1};
		int least = least_share(make_key(1), value, VALUES);

		for (int share = 1; share < HOLDOUT_ONE; share++)
			CHECK(holds(make_key(1), value, VALUES, share) == (share >= least));
	}
}

#define TENTHS 10

/* Places are uniform. */
static void
check_shares(void)
{
	double law[TENTHS];
	double other[TENTHS];
	int64_t count[TENTHS] = {0};

	for (int t = 0; t < TENTHS; t++)
	{
		law[t] = 1;
		other[t] = t == 0 ? LAW_OFF : 1;
	}
	for (int64_t i = 0; i < LAW_DRAWS; i++)
	{
		int tenth = 0;

		while (tenth < TENTHS - 1 && !holds(make_key(2), &i, 1, (tenth + 1) * HOLDOUT_ONE / TENTHS))
			tenth++;
		count[tenth]++;
	}
	CHECK_LAW(count, law, other, TENTHS);
}

/*
 * Under another key, or where one of the values is another one, a row has a place of its own: of
 * the rows held out at a half, a half stay so.
 */
static void
check_independent(void)
{
	static const double law[] = {1, 1, 1, 1};
	static const double same[] = {1, 0.1, 0.1, 1};

	for (int change = 0; change <= VALUES; change++)
	{
		int64_t count[4] = {0};

		for (int64_t i = 0; i < LAW_DRAWS; i++)
		{
			int64_t value[VALUES] = {i, i % 3, i % 7};
			bool before = holds(make_key(3), value, VALUES, HOLDOUT_ONE / 2);
			SipKey key = make_key(change == VALUES ? 4 : 3);

			if (change < VALUES)
				value[change] = i + 1000000;
			count[2 * before + holds(key, value, VALUES, HOLDOUT_ONE / 2)]++;
		}
		CHECK_LAW(count, law, same, 4);
	}
}

int
main(void)
{
	test_begin(2026);
	check_known();
	check_nested();
	check_shares();
	check_independent();
	return test_end("holdout");
}
