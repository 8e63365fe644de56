/*
 * test_discover.c - levels that nobody has declared: exact hockey-stick divergences over all ways in
 * which neighbours differ, the threshold's tail recomputed, which values of a person enter, and
 * which levels are named.
 */
#include "core/looks/discovered.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fixture.h"
#include "core/law.h"
#include "core/noise/threshold.h"
#include "core/rows/persons.h"

#define MOST_LEVELS 2   /* of a person */
#define ROUNDING 1e-14L /* of sums of numbers up to e^epsilon */

/* ---- the divergence ---- */

/* Outcomes of a level with one quotient of their chances in the first and the second table. */
typedef struct Atom
{
	long double first;
	long double second;
} Atom;

/* P(Z >= z) */
static long double
tail(long double rate, int64_t z)
{
	long double r = expl(-rate);

	return z > 0 ? powl(r, z) / (1 + r) : 1 - powl(r, 1 - z) / (1 + r);
}

/* That a level of so many persons is named with a number of at least v. */
static long double
named(long double rate, int64_t persons, int64_t v)
{
	return persons > 0 ? tail(rate, v - persons) : 0;
}

/*
 * The level is not named, or named with a number up to the smaller of both, or above it: within each
 * part the quotient is the same for all numbers.
 */
static void
find_atoms(long double rate, int64_t tau, int64_t first, int64_t second, Atom atom[3])
{
	int64_t middle = (first < second ? first : second) + 1;

	middle = middle > tau ? middle : tau;
	atom[0] = (Atom){1 - named(rate, first, tau), 1 - named(rate, second, tau)};
	atom[1] = (Atom){named(rate, first, tau) - named(rate, first, middle),
					 named(rate, second, tau) - named(rate, second, middle)};
	atom[2] = (Atom){named(rate, first, middle), named(rate, second, middle)};
}

/* The sum of (P - e^epsilon Q)+ over all outcomes of so many independent levels. */
static long double
divergence(long double epsilon, Atom atom[][3], int levels, Atom product)
{
	long double sum = 0;

	if (levels == 0)
		return fmaxl(product.first - expl(epsilon) * product.second, 0);
	for (int i = 0; i < 3; i++)
		sum += divergence(epsilon, atom, levels - 1,
						  (Atom){product.first * atom[levels - 1][i].first,
								 product.second * atom[levels - 1][i].second});
	return sum;
}

/*
 * The largest divergence over all tables in which a person's levels, at most k, become at most k
 * others, or (add_remove) come or go: each level has this person alone or up to three more.
 */
static long double
worst_divergence(long double epsilon, int k, Adjacency adjacency, int64_t tau)
{
	int moved = adjacency == ADJACENCY_REPLACE ? 2 * k : k;
	long double rate = epsilon / moved;
	long double worst = 0;
	int cases = 1;

	for (int i = 0; i < moved; i++)
		cases *= 4;
	for (int c = 0; c < cases; c++)
		for (int left = 0; left <= moved; left++)
		{
			Atom atom[2 * MOST_LEVELS][3];

			/* the first ones are left; under add_remove all are, or none */
			if (left > k || moved - left > k)
				continue;
			if (adjacency == ADJACENCY_ADD_REMOVE && left > 0 && left < moved)
				continue;
			for (int i = 0, rest = c; i < moved; i++, rest /= 4)
				find_atoms(rate, tau, rest % 4 + (i < left), rest % 4 + (i >= left), atom[i]);
			worst = fmaxl(worst, divergence(epsilon, atom, moved, (Atom){1, 1}));
		}
	return worst;
}

static uint64_t
reach_of(int64_t k, Adjacency adjacency)
{
	Look look = {.type = &look_discover, .adjacency = adjacency, .cells = 1, .rows_per_person = k};

	return look_reach(&look, 0);
}

static void
test_divergence(double epsilon, double delta, int k, Adjacency adjacency)
{
	int64_t units = (int64_t) (delta * (double) DELTA_ONE);
	int64_t nano = (int64_t) (epsilon * EPSILON_ONE);
	uint64_t reach = reach_of(k, adjacency);
	long double rate = (long double) epsilon / (long double) reach;
	int64_t tau = threshold_least(nano, reach, k, units);
	long double q = tail(rate, tau - 1);
	long double claimed = 1 - powl(1 - q, k);
	long double worst = worst_divergence(epsilon, k, adjacency, tau);

	CHECK(tau >= 1);
	CHECK(claimed <= (long double) delta + ROUNDING);
	CHECK(worst <= claimed + ROUNDING);
	/* tight: the table with a person's own levels alone has all of it */
	CHECK(worst >= claimed - ROUNDING);
	/* a smaller threshold loses more, unless it is the other condition that asks for this one */
	if (tau > 1 && tail(rate, tau - 2) <= 1 - expl(-rate))
		CHECK(worst_divergence(epsilon, k, adjacency, tau - 1) > (long double) delta + ROUNDING);
}

/* Both conditions are needed: at a large delta the second one decides. */
static void
test_divergences(void)
{
	static const double epsilons[] = {0.05, 0.3, 1, 2.5, 8};
	static const double deltas[] = {1e-10, 1e-6, 0.001, 0.2, 0.9};

	for (int e = 0; e < 5; e++)
		for (int d = 0; d < 5; d++)
			for (int k = 1; k <= MOST_LEVELS; k++)
			{
				test_divergence(epsilons[e], deltas[d], k, ADJACENCY_ADD_REMOVE);
				test_divergence(epsilons[e], deltas[d], k, ADJACENCY_REPLACE);
			}
}

/* ---- the tail ---- */

#define PRECISION 2000

/* Are both conditions met by tau?  By other formulas than the threshold's, in other digits. */
static bool
is_enough(int64_t epsilon, uint64_t reach, int64_t k, int64_t delta, int64_t tau)
{
	mpfr_t r;
	mpfr_t q;
	mpfr_t other;
	bool enough;

	mpfr_inits2(PRECISION, r, q, other, (mpfr_ptr) NULL);
	mpfr_set_uj(other, reach, MPFR_RNDN);
	mpfr_mul_ui(other, other, EPSILON_ONE, MPFR_RNDN);
	mpfr_set_sj(r, -epsilon, MPFR_RNDN);
	mpfr_div(r, r, other, MPFR_RNDN);
	mpfr_mul_si(q, r, tau - 1, MPFR_RNDN);
	mpfr_exp(q, q, MPFR_RNDN);
	mpfr_exp(r, r, MPFR_RNDN);
	mpfr_add_ui(other, r, 1, MPFR_RNDN);
	mpfr_div(q, q, other, MPFR_RNDN);
	mpfr_ui_sub(other, 1, r, MPFR_RNDN);
	enough = mpfr_lessequal_p(q, other);
	mpfr_ui_sub(q, 1, q, MPFR_RNDN);
	mpfr_pow_si(q, q, k, MPFR_RNDN);
	mpfr_ui_sub(q, 1, q, MPFR_RNDN);
	mpfr_mul_ui(q, q, DELTA_ONE, MPFR_RNDN);
	enough = enough && mpfr_cmp_si(q, delta) <= 0;
	mpfr_clears(r, q, other, (mpfr_ptr) NULL);
	return enough;
}

static void
test_tails(void)
{
	static const int64_t epsilons[] = {
		1, 1000, EPSILON_ONE / 7, EPSILON_ONE, 20 * EPSILON_ONE, 10000 * EPSILON_ONE};
	static const int64_t most[] = {1, 2, 3, 100, INT32_MAX};
	static const int64_t deltas[] = {1, 12345, DELTA_ONE / 1000000, DELTA_ONE / 3, DELTA_ONE - 1};

	for (int e = 0; e < 6; e++)
		for (int k = 0; k < 5; k++)
			for (int d = 0; d < 5; d++)
				for (Adjacency a = ADJACENCY_REPLACE; a <= ADJACENCY_ADD_REMOVE; a++)
				{
					uint64_t reach = reach_of(most[k], a);
					int64_t tau = threshold_least(epsilons[e], reach, most[k], deltas[d]);

					if (tau == 0)
					{
						CHECK(!is_enough(epsilons[e], reach, most[k], deltas[d], INT64_C(1) << 61));
						continue;
					}
					CHECK(is_enough(epsilons[e], reach, most[k], deltas[d], tau));
					CHECK(tau == 1 || !is_enough(epsilons[e], reach, most[k], deltas[d], tau - 1));
				}
	CHECK(threshold_least(1, UINT64_C(2) * INT32_MAX, INT32_MAX, 1) == 0);
}

/* ---- the values of a person ---- */

#define PEOPLE 30
#define VALUES 12

/* Which person has which value. */
typedef struct Has
{
	bool value[PEOPLE][VALUES];
	int64_t persons[VALUES];
} Has;

/* Values of several lengths, one of them empty and one a beginning of another one. */
static size_t
write_value(int value, char *text)
{
	return (size_t) sprintf(text, "%.*s", value, "aaaaaaaaaaaaaaaaaa");
}

static void
take(void *context, const uint8_t *value, size_t bytes)
{
	Has *has = context;
	size_t length = bytes < VALUES ? bytes : VALUES - 1;

	CHECK(length == bytes && strspn((const char *) value, "a") >= bytes);
	has->persons[length]++;
}

static Has
offer(const Has *table, int k, uint64_t key_number, const PersonsRoom *room, bool backwards)
{
	uint8_t key[PERSONS_KEY_LENGTH] = {0};
	Persons *persons;
	Has entered = {0};

	memcpy(key, &key_number, sizeof(key_number));
	persons = persons_create_values(k, key, VALUES, take, &entered, room, memory);
	for (int i = 0; i < 2 * PEOPLE * VALUES; i++)
	{
		int at = (backwards ? 2 * PEOPLE * VALUES - 1 - i : i) % (PEOPLE * VALUES);
		char text[VALUES + 1];
		size_t bytes = write_value(at % VALUES, text);

		if (table->value[at / VALUES][at % VALUES])
			persons_offer_value(persons, (uint8_t *) &(int){at / VALUES}, sizeof(int),
								(uint8_t *) text, (uint16_t) bytes);
	}
	persons_finish(persons);
	return entered;
}

/* Each has at most k values, each once; without a person at most k numbers are smaller, by 1. */
static void
test_values(void)
{
	static const PersonsRoom rooms[] = {{.run = 1 << 16}, {.run = 512}};

	for (int round = 0; round < check_repetitions(300); round++)
	{
		int k = 1 + below(4);
		int64_t all = 0;
		int64_t gone = 0;
		Has table = {0};
		Has first;
		Has second;

		for (int p = 0; p < PEOPLE; p++)
		{
			int values = 0;

			for (int v = 0; v < VALUES; v++)
				values += table.value[p][v] = below(3) == 0;
			all += values < k ? values : k;
		}
		first = offer(&table, k, (uint64_t) round, &rooms[0], false);
		second = offer(&table, k, (uint64_t) round, &rooms[1], true);
		CHECK(memcmp(first.persons, second.persons, sizeof(first.persons)) == 0);
		memset(table.value[7], 0, sizeof(table.value[7]));
		second = offer(&table, k, (uint64_t) round, &rooms[0], true);
		for (int v = 0; v < VALUES; v++)
		{
			int64_t fewer = first.persons[v] - second.persons[v];

			CHECK(fewer == 0 || fewer == 1);
			gone += fewer;
			all -= first.persons[v];
		}
		CHECK(all == 0 && gone <= k);
		memory_renew();
	}
}

/* ---- the named levels ---- */

enum
{
	PERSONS = 5,
	TAU = 4,
	NUMBERS = 12 /* of the law: not named, TAU, TAU + 1, ... */
};

/* Of a level of five persons: how often it is named, and with which number. */
static void
test_law(void)
{
	Look look = {.type = &look_discover,
				 .adjacency = ADJACENCY_REPLACE,
				 .cells = 1000,
				 .rows_per_person = 2,
				 .threshold = TAU};
	uint8_t key[SIPHASH_KEY_LENGTH] = {1};
	int64_t count[NUMBERS] = {0};
	double truth[NUMBERS];
	double other[NUMBERS];

	for (int i = 0; i < LAW_DRAWS; i++)
	{
		const Level *level[2];
		Levels *levels = levels_create(key, memory);
		int found;

		for (int p = 0; p < PERSONS; p++)
			levels_add(levels, (const uint8_t *) "x", 1);
		found = levels_name(levels, &look, 2 * EPSILON_ONE, &bits, 2, level);
		count[found == 0 ? 0 : (int) fmin((double) (level[0]->persons - TAU + 1), NUMBERS - 1)]++;
		if (i % 1000 == 0)
			memory_renew();
	}
	for (int i = 0; i < NUMBERS; i++)
	{
		double rate = 0.5; /* epsilon / 2 k */

		truth[i] = i == 0 ? 1 - (double) tail(rate, TAU - PERSONS)
						  : (double) (tail(rate, TAU - PERSONS + i - 1) -
									  (i == NUMBERS - 1 ? 0 : tail(rate, TAU - PERSONS + i)));
		rate *= LAW_OFF;
		other[i] = i == 0 ? 1 - (double) tail(rate, TAU - PERSONS)
						  : (double) (tail(rate, TAU - PERSONS + i - 1) -
									  (i == NUMBERS - 1 ? 0 : tail(rate, TAU - PERSONS + i)));
	}
	CHECK_LAW(count, truth, other, NUMBERS);
}

/* Many levels, of which the most frequent are named in their order. */
static void
test_order(void)
{
	Look look = {.type = &look_discover,
				 .adjacency = ADJACENCY_ADD_REMOVE,
				 .cells = 1000,
				 .rows_per_person = 1,
				 .threshold = 3};
	uint8_t key[SIPHASH_KEY_LENGTH] = {2};
	Levels *levels = levels_create(key, memory);
	const Level *level[100];
	char text[300];

	memset(text, 'z', sizeof(text));
	for (int i = 0; i < 5000; i++)
	{
		/* i / 10 + 1 persons, at an epsilon without noise; two have one number */
		int length = sprintf(text, "%04d", i);

		for (int p = 0; p <= i / 2 / 10; p++)
			levels_add(levels, (const uint8_t *) text, (size_t) length);
	}
	levels_add(levels, (const uint8_t *) text, LEVEL_MOST_BYTES);
	CHECK(levels_name(levels, &look, 10000 * EPSILON_ONE, &bits, 100, level) == 100);
	for (int i = 0; i < 100; i++)
	{
		int number = 4999 - i / 20 * 20 - (19 - i % 20);

		sprintf(text, "%04d", number);
		CHECK(level[i]->length == 4 && memcmp(level[i]->bytes, text, 4) == 0);
		CHECK(level[i]->persons == number / 20 + 1);
	}
}

int
main(void)
{
	test_begin(402);
	test_divergences();
	test_tails();
	test_values();
	test_law();
	test_order();
	return test_end("discover");
}
