/*
 * bit_strings.h - runs a sampler on every string of bits, up to a length, and adds up the
 * probabilities of what it answers.
 *
 * The strings that a sampler reads are the leaves of a binary tree, because it asks for a bit only
 * after it has read those before.  The walk visits the leaves from left to right.  A leaf of n bits
 * has the probability 2^-n, exactly.  A run that reads more bits than the limit has an unknown
 * answer: its first bits count as open.  So the probability of an answer is at least its mass, and
 * at most its mass and what is open.
 */
#ifndef DPOBJ_TESTS_BIT_STRINGS_H
#define DPOBJ_TESTS_BIT_STRINGS_H

#include <string.h>

#include "fixture.h"

#define STRINGS_MOST_BITS 60

typedef struct Strings
{
	int limit;
	uint64_t path;  /* the bits of this run, the first one lowest */
	int given;      /* the number of words filled in */
	uint64_t *mass; /* of answers 0 .. answers - 1, in units of 2^-limit */
	int answers;
	uint64_t elsewhere; /* the mass of all other answers */
	uint64_t open;
	int64_t runs;
	Bits bits;
} Strings;

/* Bits beyond the limit end a run sooner or later: they are random. */
static inline void
strings_fill(void *context, uint8_t *bytes, size_t count)
{
	Strings *strings = context;
	uint64_t word = teststream_next(&stream);

	if (strings->given++ == 0)
		word = (word << strings->limit) | strings->path;
	memcpy(bytes, &word, count);
}

/* Goes to the leaf right of one of so many bits; false if there is none. */
static inline bool
strings_advance(Strings *strings, int bits_read)
{
	while (bits_read > 0 && (strings->path >> (bits_read - 1) & 1) != 0)
		strings->path &= ~(UINT64_C(1) << --bits_read);
	if (bits_read == 0)
		return false;
	strings->path |= UINT64_C(1) << (bits_read - 1);
	return true;
}

/* An answer outside of 0 .. answers - 1 counts as elsewhere. */
static inline void
strings_walk(Strings *strings, int limit, int answers,
			 int64_t (*sampler)(Bits *bits, const void *terms), const void *terms)
{
	int bits_read;

	*strings = (Strings){.limit = limit, .answers = answers};
	strings->mass = memory_allocate_zero(memory, (size_t) answers, sizeof(uint64_t));
	CHECK(limit <= STRINGS_MOST_BITS);
	do
	{
		int64_t answer;

		bits_init(&strings->bits, strings_fill, strings);
		strings->given = 0;
		answer = sampler(&strings->bits, terms);
		bits_read = 64 * strings->given - strings->bits.left;
		strings->runs++;
		if (bits_read > limit)
		{
			bits_read = limit;
			strings->open++;
		}
		else if (answer >= 0 && answer < answers)
			strings->mass[answer] += UINT64_C(1) << (limit - bits_read);
		else
			strings->elsewhere += UINT64_C(1) << (limit - bits_read);
	} while (strings_advance(strings, bits_read));
}

/* Has all of the probability been found, so that the walk has met every string once? */
static inline bool
strings_are_all(const Strings *strings)
{
	uint64_t sum = strings->elsewhere + strings->open;

	for (int k = 0; k < strings->answers; k++)
		sum += strings->mass[k];
	return sum == UINT64_C(1) << strings->limit;
}

static inline double
strings_open(const Strings *strings)
{
	return ldexp((double) strings->open, -strings->limit);
}

/* Can an answer have this probability?  The slack covers the rounding of long doubles. */
static inline bool
strings_allow(const Strings *strings, int answer, long double probability)
{
	const long double slack = 1e-15L;
	long double low = ldexpl((long double) strings->mass[answer], -strings->limit);

	return low <= probability + slack &&
		   probability <= low + ldexpl((long double) strings->open, -strings->limit) + slack;
}

#endif
