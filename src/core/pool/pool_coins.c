/* pool_coins.c - SipHash of a counter, and numbers made of its words. */
#include "core/pool/pool_coins.h"

#include <math.h>

#define CANDIDATE_BITS 48

PoolSeed
pool_seed_draw(Bits *bits)
{
	PoolSeed seed;

	for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
		seed.byte[i] = (uint8_t) bits_take(bits, 8);
	return seed;
}

PoolCoins
pool_coins(const PoolSeed *seed, int round, int64_t candidate)
{
	return (PoolCoins){.key = siphash_key(seed->byte),
					   .stream = (uint64_t) round << CANDIDATE_BITS | (uint64_t) candidate};
}

/* The same bytes on all machines. */
static void
write_word(uint8_t *bytes, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t) (word >> 8 * i);
}

uint64_t
pool_coins_word(PoolCoins *coins)
{
	uint8_t message[16];

	write_word(message, coins->stream);
	write_word(message + 8, coins->next++);
	return siphash(coins->key, message, sizeof(message));
}

double
pool_coins_uniform(PoolCoins *coins)
{
	return ((double) (pool_coins_word(coins) >> 12) + 0.5) * 0x1p-52;
}

int
pool_coins_below(PoolCoins *coins, int n)
{
	return (int) ((pool_coins_word(coins) >> 32) * (uint64_t) n >> 32);
}

double
pool_coins_normal(PoolCoins *coins)
{
	uint64_t word = pool_coins_word(coins);
	int64_t sum = 0;

	for (int k = 0; k < 4; k++)
		sum += (int64_t) (word >> 16 * k & 0xffff);
	return ((double) sum + 2 - 2 * 0x1p16) * 0x1p-16 * sqrt(3);
}

double
pool_coins_student(PoolCoins *coins)
{
	double u = pool_coins_uniform(coins);

	return (u - 0.5) / sqrt(u * (1 - u));
}

double
pool_power(double x)
{
	double steps = floor(x * 16);
	double whole = floor(steps / 16);
	double root = 2;
	double power = ldexp(1, (int) whole);

	/* The fraction's four bits, from the highest on, are powers of roots of 2. */
	for (int bit = 8; bit > 0; bit /= 2)
	{
		root = sqrt(root);
		if (((int) (steps - 16 * whole) & bit) != 0)
			power *= root;
	}
	return power;
}
