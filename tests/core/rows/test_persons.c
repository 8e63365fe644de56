/*
 * test_persons.c - at most k rows of each person enter, uniformly chosen, and the choice depends on
 * nothing but that person's rows.
 */
#include "core/rows/persons.h"

#include <math.h>
#include <string.h>

#include "core/fixture.h"
#include "core/meter.h"
#include "core/store.h"

#define VALUES 40 /* distinct rows of a test are numbers below this, for each person */

/* A row of a person; the training set tells both apart. */
typedef struct Offer
{
	int person;
	int value;
} Offer;

/* Two features of 0 .. 1000. */
static Encoding
make_encoding(void)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = 2;
	encoding.low[0] = encoding.low[1] = 0;
	encoding.high[0] = encoding.high[1] = 1000;
	CHECK(encoding_finish(&encoding));
	return encoding;
}

static void
make_key(uint64_t number, uint8_t key[PERSONS_KEY_LENGTH])
{
	memset(key, 0, PERSONS_KEY_LENGTH);
	memcpy(key, &number, sizeof(number));
}

#define PEOPLE 64
#define GROUPS 3

/* What entered of each group. */
typedef struct Entered
{
	int count[GROUPS][PEOPLE][VALUES];
	int64_t neutral;
	int total;
} Entered;

/* Memory for the sort: enough for all rows of a test, in memory. */
static const PersonsRoom ample = {.run = 1 << 16};

/* Does one of equal rows compete? */
static bool distinct;

/* The group of a row follows from its value; one group has functions of its own. */
static Entered
offer_to(const PersonsRoom *room, const Offer *offer, int offers, int groups, int limit,
		 uint64_t key_number)
{
	uint8_t key[PERSONS_KEY_LENGTH];
	Encoding encoding = make_encoding();
	Entered entered = {.total = 0};
	Persons *persons;
	Rows rows[GROUPS];
	Rows *group[GROUPS];

	for (int g = 0; g < groups; g++)
	{
		rows_init(&rows[g], &encoding, memory);
		group[g] = &rows[g];
	}
	make_key(key_number, key);
	persons = groups == 1 ? persons_create(limit, key, rows, room, memory)
						  : persons_create_groups(limit, key, group, groups, room, memory);
	if (distinct)
		persons_set_distinct(persons);
	for (int i = 0; i < offers; i++)
	{
		int64_t person = offer[i].person;
		double features[] = {offer[i].person, offer[i].value / 2};
		bool positive = offer[i].value % 2 == 0;

		persons_offer(persons, offer[i].value % groups, (uint8_t *) &person, sizeof(person),
					  features, positive);
	}
	persons_finish(persons);
	for (int g = 0; g < groups; g++)
	{
		entered.neutral += rows[g].neutral;
		for (uint32_t i = 0; i < rows[g].distinct; i++)
		{
			const int32_t *x = rows[g].x + i * (uint32_t) rows[g].stride;
			int *count = &entered.count[g][x[0] >> 16][2 * (x[1] >> 16)];
			int positive = (int) rows[g].count[i].positive;
			int negative = (int) rows[g].count[i].negative;

			CHECK(positive + negative > 0);
			count[0] += positive;
			count[1] += negative;
			entered.total += positive + negative;
		}
	}
	return entered;
}

static Entered
offer_all(const Offer *offer, int offers, int groups, int limit, uint64_t key_number)
{
	return offer_to(&ample, offer, offers, groups, limit, key_number);
}

static void
shuffle(Offer *offer, int offers)
{
	for (int i = offers - 1; i > 0; i--)
	{
		int j = below(i + 1);
		Offer swapped = offer[i];

		offer[i] = offer[j];
		offer[j] = swapped;
	}
}

static int
entered_of(const Entered *entered, int person)
{
	int sum = 0;

	for (int v = 0; v < VALUES; v++)
		sum += entered->count[0][person][v];
	return sum;
}

/* Random tables with few values, so that rows repeat; the limits use both ways to count equals. */
static void
check_choice(void)
{
	static const int limits[] = {1, 2, 3, 16, 17, 40};
	Offer offer[600];
	Offer fewer[600];

	for (int round = 0; round < check_repetitions(200); round++)
	{
		int limit = limits[round % 6];
		int people = 1 + below(20);
		int values = 1 + below(VALUES);
		int offers = below(600);
		int all[PEOPLE] = {0};
		int kept = 0;
		int rest = 0;
		Entered first;
		Entered second;

		for (int i = 0; i < offers; i++)
		{
			offer[i].person = below(people);
			offer[i].value = below(values);
			all[offer[i].person]++;
		}
		first = offer_all(offer, offers, 1, limit, (uint64_t) round);
		for (int p = 0; p < PEOPLE; p++)
		{
			CHECK(entered_of(&first, p) == (all[p] < limit ? all[p] : limit));
			kept += all[p] < limit ? all[p] : limit;
		}
		CHECK(first.total == kept && first.neutral == offers - kept);

		/* in any order the same rows */
		shuffle(offer, offers);
		second = offer_all(offer, offers, 1, limit, (uint64_t) round);
		CHECK(memcmp(first.count, second.count, sizeof(first.count)) == 0);

		/* without the rows of one person, the same rows of all others */
		for (int i = 0; i < offers; i++)
			if (offer[i].person != 0)
				fewer[rest++] = offer[i];
		second = offer_all(fewer, rest, 1, limit, (uint64_t) round);
		memset(first.count[0][0], 0, sizeof(first.count[0][0]));
		CHECK(memcmp(first.count, second.count, sizeof(first.count)) == 0);
	}
}

/* Of ten rows that all differ, each is among the three as often as every other. */
static void
check_fairness(void)
{
	enum
	{
		ROWS = 10,
		KEYS = 30000
	};
	Offer offer[ROWS];
	int keys = check_repetitions(KEYS);
	int chosen[ROWS] = {0};

	for (int i = 0; i < ROWS; i++)
		offer[i] = (Offer){7, 3 * i};
	for (int key = 0; key < keys; key++)
	{
		Entered entered = offer_all(offer, ROWS, 1, 3, (uint64_t) key);

		for (int i = 0; i < ROWS; i++)
			chosen[i] += entered.count[0][7][3 * i];
	}
	for (int i = 0; i < ROWS; i++)
	{
		double z = (chosen[i] - 0.3 * keys) / sqrt(keys * 0.3 * 0.7);

		CHECK_WHOLE(fabs(z) < 5.3); /* 1e-7 each, 1e-6 for the ten */
	}
}

/* One row beside nine equal ones is chosen with probability 1/10. */
static void
check_equal_rows(int limit)
{
	Offer offer[100];
	int keys = check_repetitions(30000);
	int chosen = 0;
	double z;

	for (int i = 0; i < 10 * limit; i++)
		offer[i] = (Offer){1, i < limit ? 5 : 6};
	for (int key = 0; key < keys; key++)
	{
		shuffle(offer, 10 * limit);
		chosen += offer_all(offer, 10 * limit, 1, limit, (uint64_t) key).count[0][1][5];
	}
	/* hypergeometric: its variance is at most the binomial one */
	z = (chosen - 0.1 * limit * keys) / sqrt(limit * keys * 0.1 * 0.9);
	CHECK_WHOLE(fabs(z) < 5.0);
}

/* Persons are the same if their bytes are, whatever their number. */
static void
check_identities(void)
{
	static const char *const name[] = {"",          "a",          "aaaaaaa",   "aaaaaaaa",
									   "aaaaaaaaa", "aaaaaaaaab", "baaaaaaaa", "aaaaaaaaaa"};
	uint8_t key[PERSONS_KEY_LENGTH];
	Encoding encoding;
	Persons *persons;
	Rows rows;
	int people = 8 + 8; /* the same ones with a zero byte at the end */

	encoding_init(&encoding);
	encoding.features = 1;
	CHECK(encoding_finish(&encoding));
	rows_init(&rows, &encoding, memory);
	make_key(0, key);
	persons = persons_create(1, key, &rows, &ample, memory);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < people; i++)
		{
			size_t length = strlen(name[i % 8]) + (i < 8 ? 0 : 1);

			persons_offer(persons, 0, (const uint8_t *) name[i % 8], (uint32_t) length,
						  (double[]){0.5}, true);
		}
	persons_offer(persons, 0, key, sizeof(key), (double[]){NAN}, true);
	persons_finish(persons);
	CHECK(rows.distinct == 1 && rows.count[0].positive == people);
	CHECK(rows.neutral == 2 * people + 1);
}

/* ---- files ---- */

/*
 * The rows that enter are the same, whether the sort has them in memory, in the file or, because
 * there are more than the file has room for, in both.
 */
static void
check_spilled(void)
{
	static const int limits[] = {1, 2, 5, 20};
	Offer offer[600];
	Store store;

	for (int round = 0; round < check_repetitions(100); round++)
	{
		int groups = round % 2 == 0 ? 1 : GROUPS;
		int limit = limits[round % 4];
		int people = 1 + below(round % 3 == 0 ? 2 : 40);
		int offers = below(600);
		PersonsRoom room = {(size_t) 1 + (size_t) below(2000), &store.sink, &store.source};
		Entered entered;
		Entered again;

		store = store_make();
		store.room = round % 5 == 0 ? 1 + (size_t) below(10000) : 0;
		for (int i = 0; i < offers; i++)
			offer[i] = (Offer){below(people), below(VALUES)};
		entered = offer_all(offer, offers, groups, limit, (uint64_t) round);
		again = offer_to(&room, offer, offers, groups, limit, (uint64_t) round);
		CHECK(memcmp(&entered, &again, sizeof(entered)) == 0);
		CHECK(store.room > 0 || offers == 0 || store.size > 0);
		memory_release(memory, store.bytes);
	}
}

/* What a sort with room for so many rows of k persons takes, while it writes and while it reads. */
static size_t
peak_memory(double number, size_t limit, int k)
{
	uint8_t key[PERSONS_KEY_LENGTH];
	Encoding encoding = make_encoding();
	size_t row = persons_row_bytes(&encoding, sizeof(int));
	Store store = store_make();
	PersonsRoom room = {persons_run_bytes(number, row, limit), &store.sink, &store.source};
	Persons *persons;
	Meter meter = meter_make();
	Rows rows;

	rows_init(&rows, &encoding, memory);
	make_key(1, key);
	persons = persons_create(k, key, &rows, &room, &meter.memory);
	for (int i = 0; i < number; i++)
		persons_offer(persons, 0, (uint8_t *) &(int){i % 100 == 0 ? i : 7}, sizeof(int),
					  (double[]){i % 1000, i / 1000}, true);
	persons_finish(persons);
	memory_release(memory, store.bytes);
	CHECK(store.size == number * row);
	return meter.most;
}

/* What a sort takes beside the runs: it writes 64 KiB at a time. */
#define FIXED (size_t)(80 * 1024)

/* Most rows are of one person, and all of them differ: neither takes more memory. */
static void
check_memory(void)
{
	int number = check_repetitions(200000);
	Encoding encoding = make_encoding();
	size_t row = persons_row_bytes(&encoding, sizeof(int));

	for (int i = 0; i < 3; i++)
	{
		size_t limit = (size_t) 64 * 1024 << 3 * i;
		int k = i == 2 ? 1000 : 5;

		CHECK(peak_memory(number, limit, k) <=
			  persons_memory_at_most(number, row, k, limit) + FIXED);
	}
}

/* Many persons with names that do not fit a word, and one with many rows. */
static void
check_growth(const PersonsRoom *room)
{
	int people = check_repetitions(20000);
	uint8_t key[PERSONS_KEY_LENGTH];
	Encoding encoding = make_encoding();
	Persons *persons;
	Rows rows;

	rows_init(&rows, &encoding, memory);
	make_key(3, key);
	persons = persons_create(5, key, &rows, room, memory);
	for (int i = 0; i < 7 * people; i++)
	{
		int person[4] = {i % people, 0, i % people, 7};

		persons_offer(persons, 0, (uint8_t *) person, sizeof(person),
					  (double[]){person[0] / 65536.0, i / 65536.0}, true);
	}
	for (int i = 0; i < people; i++)
		persons_offer(persons, 0, (const uint8_t *) "one", 3, (double[]){999, (i / 2) / 65536.0},
					  false);
	persons_finish(persons);
	CHECK(rows.distinct == 5 * (uint32_t) people + 5 || rows.distinct == 5 * (uint32_t) people + 4);
	CHECK(rows.neutral == 2 * people + people - 5);
}

/* Names that are longer than what is read at a time, one as long as a run. */
static void
check_long_names(void)
{
	static uint8_t name[100000];
	Store store = store_make();
	PersonsRoom room = {60000, &store.sink, &store.source};
	uint8_t key[PERSONS_KEY_LENGTH];
	Encoding encoding = make_encoding();
	Persons *persons;
	Rows rows;

	rows_init(&rows, &encoding, memory);
	make_key(3, key);
	persons = persons_create(2, key, &rows, &room, memory);
	for (int i = 0; i < 300; i++)
	{
		name[i % 20] = 1;
		persons_offer(persons, 0, name, (uint32_t) (i % 20 * 5000 + 20), (double[]){i, 0}, true);
		name[i % 20] = 0;
	}
	persons_finish(persons);
	CHECK(rows.distinct == 2 * 20);
}

/* ---- groups ---- */

/* Of each person so many rows in all groups together, each in its own, whatever the order. */
static void
check_entered_groups(const Entered *entered, const Offer *offer, int offers, int limit)
{
	for (int p = 0; p < 8; p++)
	{
		int of_person = 0;
		int offered = 0;

		for (int i = 0; i < offers; i++)
			offered += offer[i].person == p;
		for (int g = 0; g < GROUPS; g++)
			for (int v = 0; v < VALUES; v++)
			{
				CHECK(entered->count[g][p][v] == 0 || v % GROUPS == g);
				of_person += entered->count[g][p][v];
			}
		CHECK(of_person == (offered < limit ? offered : limit));
	}
}

static void
check_groups(void)
{
	static const int limits[] = {1, 2, 5, 20};
	Offer offer[200];

	for (int round = 0; round < 40; round++)
	{
		int limit = limits[round % 4];
		Entered entered;
		Entered again;
		int differences = 0;

		for (int i = 0; i < 200; i++)
			offer[i] = (Offer){below(8), below(round % 2 ? VALUES : 6)};
		entered = offer_all(offer, 200, GROUPS, limit, (uint64_t) round);
		CHECK(entered.neutral == 0);
		check_entered_groups(&entered, offer, 200, limit);
		shuffle(offer, 200);
		again = offer_all(offer, 200, GROUPS, limit, (uint64_t) round);
		CHECK(memcmp(&entered, &again, sizeof(entered)) == 0);

		/* another person 0: nobody else's rows are other ones, and at most k go */
		for (int i = 0; i < 200; i++)
			if (offer[i].person == 0)
				offer[i].value = below(VALUES);
		again = offer_all(offer, 200, GROUPS, limit, (uint64_t) round);
		for (int g = 0; g < GROUPS; g++)
			for (int v = 0; v < VALUES; v++)
			{
				int gone = entered.count[g][0][v] - again.count[g][0][v];

				differences += gone > 0 ? gone : 0;
				entered.count[g][0][v] = again.count[g][0][v] = 0;
			}
		CHECK(differences <= limit);
		CHECK(memcmp(entered.count, again.count, sizeof(entered.count)) == 0);
	}
}

/* Of equal rows one enters, and which of the others do depends on that person alone. */
static void
check_distinct(void)
{
	static Offer offer[600];

	distinct = true;
	for (int round = 0; round < check_repetitions(200); round++)
	{
		int limit = 1 + below(5);
		int groups = 1 + below(GROUPS);
		int offers = below(600);
		int few = 1 + below(8);
		Entered all;
		Entered again;

		for (int i = 0; i < offers; i++)
			offer[i] = (Offer){below(20), below(few)};
		all = offer_all(offer, offers, groups, limit, (uint64_t) round);
		for (int p = 0; p < 20; p++)
		{
			bool has[VALUES] = {false};
			int values = 0;
			int entered = 0;

			for (int i = 0; i < offers; i++)
				if (offer[i].person == p && !has[offer[i].value])
					has[offer[i].value] = ++values > 0;
			for (int v = 0; v < few; v++)
			{
				int count = all.count[v % groups][p][v];

				CHECK(count <= (has[v] ? 1 : 0));
				entered += count;
			}
			CHECK(entered == (values < limit ? values : limit));
		}
		/* with one person fewer, and a row of another one twice, the same enter of all others */
		shuffle(offer, offers);
		for (int i = 0; i < offers; i++)
			if (offer[i].person == 0)
				offer[i] = (Offer){1, offer[i].value};
		again = offer_all(offer, offers, groups, limit, (uint64_t) round);
		for (int g = 0; g < groups; g++)
			for (int p = 2; p < PEOPLE; p++)
				CHECK(memcmp(all.count[g][p], again.count[g][p], sizeof(all.count[g][p])) == 0);
	}
	distinct = false;
}

int
main(void)
{
	test_begin(2026);
	check_choice();
	check_distinct();
	memory_renew();
	check_fairness();
	memory_renew();
	check_equal_rows(1);
	memory_renew();
	check_equal_rows(3);
	memory_renew();
	check_identities();
	check_groups();
	check_growth(&ample);
	memory_renew();
	check_growth(&(PersonsRoom){.run = 4096});
	memory_renew();
	check_spilled();
	check_memory();
	check_long_names();
	return test_end("persons");
}
