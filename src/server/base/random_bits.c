/*
 * random_bits.c - the core's random bits, from pg_strong_random.
 */
#include "postgres.h"

#include "server/base/random_bits.h"

void
random_bytes(uint8 *bytes, size_t count)
{
	if (!pg_strong_random(bytes, count))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random bytes")));
}

static void
fill(void *context, uint8_t *bytes, size_t count)
{
	random_bytes(bytes, count);
}

void
random_bits_init(Bits *bits)
{
	bits_init(bits, fill, NULL);
}

static void
fill_from_pool(void *context, uint8_t *bytes, size_t count)
{
	RandomPool *pool = context;

	for (size_t i = 0; i < count; i++)
	{
		if (pool->left == 0)
		{
			random_bytes(pool->bytes, sizeof(pool->bytes));
			pool->left = sizeof(pool->bytes);
		}
		bytes[i] = pool->bytes[sizeof(pool->bytes) - pool->left];
		pool->left--;
	}
}

void
random_pool_init(RandomPool *pool, Bits *bits)
{
	pool->left = 0;
	bits_init(bits, fill_from_pool, pool);
}

void
random_pool_wipe(RandomPool *pool)
{
	explicit_bzero(pool, sizeof(*pool));
}
