/*
 * testbits.h - a seeded stream of bits for tests (xoshiro256**, Blackman and Vigna).
 * It exists only below tests/ and bench/: no normal build has a seed.
 */
#ifndef DPOBJ_TESTS_TESTBITS_H
#define DPOBJ_TESTS_TESTBITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/random/bits.h"

typedef struct TestStream
{
	uint64_t s[4];
} TestStream;

static inline uint64_t
teststream_next(TestStream *stream)
{
	uint64_t *s = stream->s;
	uint64_t times5 = s[1] * 5;
	uint64_t result = ((times5 << 7) | (times5 >> 57)) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

/* splitmix64 spreads the seed over the state. */
static inline void
teststream_seed(TestStream *stream, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
	{
		uint64_t z = (seed += UINT64_C(0x9E3779B97F4A7C15));

		z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
		stream->s[i] = z ^ (z >> 31);
	}
}

static inline void
teststream_fill(void *context, uint8_t *bytes, size_t count)
{
	while (count > 0)
	{
		uint64_t word = teststream_next(context);
		size_t take = count < sizeof(word) ? count : sizeof(word);

		memcpy(bytes, &word, take);
		bytes += take;
		count -= take;
	}
}

static inline uint64_t
teststream_below(TestStream *stream, uint64_t n)
{
	return teststream_next(stream) % n;
}

static inline double
teststream_between(TestStream *stream, double low, double high)
{
	return low + (high - low) * ldexp((double) (teststream_next(stream) >> 11), -53);
}

#endif
