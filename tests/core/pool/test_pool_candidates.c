/*
 * test_pool_candidates.c - public coins and the candidates made of them: the same from the same
 * seed with any number of threads, spread as they should be, and rounded to integers that fit.
 */
#include "core/pool/pool_candidates.h"

#include "core/law.h"
#include "core/pool/pool_losses.h"
#include "core/pool/pool_problem.h"

static PoolSeed
random_seed(void)
{
	return pool_seed_draw(&bits);
}

/* The stream is SipHash of round, candidate and counter, as little-endian bytes. */
static void
test_stream(void)
{
	PoolSeed seed;
	PoolCoins coins;
	uint8_t message[16] = {0};

	for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
		seed.byte[i] = (uint8_t) i;
	message[0] = 0x34;
	message[1] = 0x12;
	message[6] = 3;
	coins = pool_coins(&seed, 3, 0x1234);
	for (int k = 0; k < 3; k++)
	{
		message[8] = (uint8_t) k;
		CHECK(pool_coins_word(&coins) == siphash(siphash_key(seed.byte), message, 16));
	}
	/* Known from SipHash's authors: the key 0 .. 15, and the bytes 0 .. 15. */
	coins = pool_coins(&seed, 0x0706, INT64_C(0x050403020100));
	coins.next = UINT64_C(0x0f0e0d0c0b0a0908);
	CHECK(pool_coins_word(&coins) == UINT64_C(0x3f2acc7f57c29bdb));
}

/* Streams of other rounds, candidates and seeds differ; seeds have all their bits. */
static void
test_separate_streams(void)
{
	PoolSeed first = random_seed();
	PoolSeed second = first;
	PoolCoins stream[4];
	uint8_t ones[SIPHASH_KEY_LENGTH] = {0};

	second.byte[15] ^= 0x80;
	stream[0] = pool_coins(&first, 0, 1);
	stream[1] = pool_coins(&first, 1, 1);
	stream[2] = pool_coins(&first, 0, 2);
	stream[3] = pool_coins(&second, 0, 1);
	for (int k = 1; k < 4; k++)
	{
		PoolCoins start = stream[0];

		CHECK(pool_coins_word(&start) != pool_coins_word(&stream[k]));
	}
	for (int k = 0; k < 200; k++)
	{
		PoolSeed seed = random_seed();

		for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
			ones[i] |= seed.byte[i];
	}
	for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
		CHECK(ones[i] == 0xff);
}

/* Moments: with so many draws a mean is off by 6 deviations once in 500 million tests. */
static void
test_numbers(void)
{
	enum
	{
		DRAWS = 100000
	};
	PoolSeed seed = random_seed();
	PoolCoins coins = pool_coins(&seed, 0, 0);
	double uniform = 0;
	double normal[2] = {0};
	int64_t die[6] = {0};
	int far = 0;

	for (int k = 0; k < DRAWS; k++)
	{
		double u = pool_coins_uniform(&coins);
		double z = pool_coins_normal(&coins);

		CHECK(u > 0 && u < 1 && fabs(z) < 4);
		uniform += u / DRAWS;
		normal[0] += z / DRAWS;
		normal[1] += z * z / DRAWS;
		die[pool_coins_below(&coins, 6)]++;
		far += fabs(pool_coins_student(&coins)) > 2;
	}
	CHECK(fabs(uniform - 0.5) < 6 * sqrt(1.0 / 12 / DRAWS));
	CHECK(fabs(normal[0]) < 6 * sqrt(1.0 / DRAWS));
	CHECK(fabs(normal[1] - 1) < 6 * sqrt(2.0 / DRAWS));
	CHECK(law_p_value(die, (double[]){1, 1, 1, 1, 1, 1}, 6) > 1e-9);
	/* |t| > 2 where (u - 1/2)^2 > 4 u (1 - u): u off 1/2 by more than 1 / sqrt(5). */
	CHECK(fabs((double) far / DRAWS - (1 - 2 / sqrt(5))) < 6 * sqrt(0.1 / DRAWS));
}

static void
test_powers(void)
{
	for (int k = -16 * 900; k <= 16 * 900; k += 7)
	{
		CHECK(fabs(pool_power(k / 16.0) / exp2(k / 16.0) - 1) < 1e-14);
		CHECK(pool_power(k / 16.0 + 0.05) == pool_power(k / 16.0));
	}
}

static PoolLaw
random_law(int64_t *centre)
{
	PoolLaw law = {.rows = 1 + below(100000)};
	int size[3] = {1 + below(9), 1 + below(4), below(30)};

	law.shape = (PoolShape){.dimension = size[0] + size[1] + size[2],
							.groups = 2,
							.group = {(int16_t) size[0], (int16_t) size[1]},
							.peak = FIXED_POINT_ONE};
	for (int j = 0; j < law.shape.dimension; j++)
	{
		law.noise[j] = between(0, 1000);
		centre[j] = (int64_t) (between(-1, 1) * ldexp(1, below(36)));
	}
	law.lambda = between(0, 1000);
	law.length = below(2) ? between(0, 4) : 0;
	return law;
}

/* The centre first, each candidate as large as fits, and the same with any number of threads. */
static void
test_pools(void)
{
	for (int round = 0; round < check_repetitions(100); round++)
	{
		int64_t centre[GRID_MAX_DIMENSION];
		PoolLaw law = random_law(centre);
		int32_t most = pool_units(&law.shape).weight;
		int count = 1 + below(700);
		PoolSeed seed = random_seed();
		PoolCandidates pool[2];
		int64_t weight[GRID_MAX_DIMENSION];
		int64_t words;

		for (int k = 0; k < 2; k++)
			pool_candidates_create(&pool[k], &law, centre, &seed, round % 4, count, 1 + 2 * k,
								   memory);
		words = pool_room(count) * pool[0].stride;
		CHECK(memcmp(pool[0].weight, pool[1].weight, (size_t) words * sizeof(int16_t)) == 0);
		CHECK(memcmp(pool[0].shift, pool[1].shift, (size_t) count) == 0);
		CHECK(pool[0].count == count && pool[0].stay == 1 + (count - 1) * 2 / 3);
		for (int m = 0; m < count; m++)
		{
			int32_t largest = 0;

			for (int j = 0; j < law.shape.dimension; j++)
			{
				int32_t w = abs(pool[0].weight[m * pool[0].stride + j]);

				largest = w > largest ? w : largest;
			}
			CHECK(largest <= most && (pool[0].shift[m] == 0 || largest >= most / 2));
			pool_candidate(&pool[0], law.shape.dimension, m, weight);
			for (int j = 0; j < law.shape.dimension; j++)
			{
				CHECK(llabs(weight[j]) <= POOL_CENTRE_MAX);
				if (m == 0)
					CHECK(2 * llabs(weight[j] - centre[j]) <= INT64_C(1) << pool[0].shift[0]);
			}
		}
		for (int k = 0; k < 2; k++)
			pool_candidates_destroy(&pool[k], memory);
	}
}

/* By how much a candidate's weight differs from the centre's, or 0 if rounding may be the cause. */
static int64_t
change_of(const PoolCandidates *pool, int64_t m, int64_t weight, int64_t centre)
{
	int64_t change = weight - centre;

	return 2 * llabs(change) > INT64_C(1) << pool->shift[m] ? change : 0;
}

/* Candidates with one weight changed, with all, and with those of the first group alike. */
static void
test_kinds(void)
{
	enum
	{
		COLUMNS = 12,
		GROUP = 5,
		CANDIDATES = 2000
	};
	PoolLaw law = {
		.shape = {.dimension = COLUMNS, .groups = 1, .group = {GROUP}, .peak = FIXED_POINT_ONE},
		.rows = 1000};
	PoolSeed seed = random_seed();
	int64_t centre[COLUMNS];
	int changed[COLUMNS + 1] = {0};
	int alike = 0;
	PoolCandidates pool;

	for (int j = 0; j < COLUMNS; j++)
	{
		law.noise[j] = 50;
		centre[j] = (j % 2 ? -1 : 1) * (INT64_C(1) << POOL_CENTRE_BITS);
	}
	pool_candidates_create(&pool, &law, centre, &seed, 0, CANDIDATES, 2, memory);
	for (int m = 0; m < CANDIDATES; m++)
	{
		int64_t weight[COLUMNS];
		int weights = 0;
		int group = 0;

		pool_candidate(&pool, COLUMNS, m, weight);
		for (int j = 0; j < COLUMNS; j++)
		{
			int64_t change = change_of(&pool, m, weight[j], centre[j]);

			weights += change != 0;
			group += j < GROUP && change != 0 &&
					 llabs(change - (weight[0] - centre[0])) <= INT64_C(1) << pool.shift[m];
		}
		changed[weights]++;
		alike += weights == GROUP && group == GROUP;
	}
	/* About 230, 280, 1200 and 60 are expected: the bounds are many deviations away. */
	CHECK(changed[1] > CANDIDATES / 20 && changed[1] < CANDIDATES / 4);
	CHECK(changed[2] + changed[3] + changed[4] > CANDIDATES / 12);
	CHECK(changed[COLUMNS] > CANDIDATES / 2 && changed[COLUMNS] < CANDIDATES);
	CHECK(alike > CANDIDATES / 100 && alike < CANDIDATES / 10);
	pool_candidates_destroy(&pool, memory);
}

/* How many candidates of 2,000 have each weight changed by more than 1/64 of the centre's 1.0. */
static int
count_moved(const PoolLaw *law)
{
	enum
	{
		CANDIDATES = 2000
	};
	PoolSeed seed = {{1}};
	int64_t centre[GRID_MAX_DIMENSION];
	PoolCandidates pool;
	int count = 0;

	for (int j = 0; j < law->shape.dimension; j++)
		centre[j] = INT64_C(1) << POOL_CENTRE_BITS;
	pool_candidates_create(&pool, law, centre, &seed, 0, CANDIDATES, 1, memory);
	for (int m = 0; m < CANDIDATES; m++)
	{
		int64_t weight[GRID_MAX_DIMENSION];
		bool moved = true;

		pool_candidate(&pool, law->shape.dimension, m, weight);
		for (int j = 0; j < law->shape.dimension; j++)
			moved = moved && 64 * llabs(weight[j] - centre[j]) > centre[j];
		count += moved;
	}
	pool_candidates_destroy(&pool, memory);
	return count;
}

/* Half of the candidates move as far as noise moves the minimiser of clipped, regularised rows. */
static void
test_spread(void)
{
	PoolLaw law = {.shape = {.dimension = 3, .peak = FIXED_POINT_ONE}, .rows = 1e6};
	int close;

	for (int j = 0; j < 3; j++)
		law.noise[j] = 50;
	close = count_moved(&law);
	law.length = 0.01;
	CHECK(count_moved(&law) > close + 500);
	law.lambda = 1e6;
	CHECK(abs(count_moved(&law) - close) < 50);
}

int
main(void)
{
	test_begin(210);
	test_stream();
	test_separate_streams();
	test_numbers();
	test_powers();
	test_pools();
	test_kinds();
	test_spread();
	return test_end("pool_candidates");
}
