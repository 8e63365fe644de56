/*
 * fixture.h - what most test programs share: a seeded stream, the bits drawn from it, and memory.
 * A program's main() begins with test_begin() and ends with test_end().
 */
#ifndef DPOBJ_TESTS_FIXTURE_H
#define DPOBJ_TESTS_FIXTURE_H

#include <math.h>
#include <mpfr.h>

#include "core/base/integers.h"
#include "core/base/memory.h"

#include "check.h"
#include "testbits.h"

static TestStream stream;
static Bits bits;
static Arena *arena;
static Memory *memory;

static inline void
memory_begin(void)
{
	arena = arena_create(check_out_of_memory);
	memory = arena_memory(arena);
}

/* Frees every block that is left, in tests that would need much memory. */
static inline void
memory_renew(void)
{
	arena_destroy(arena);
	memory_begin();
}

/* Makes a test independent of those before it. */
static inline void
reseed(uint64_t seed)
{
	teststream_seed(&stream, seed);
	bits_init(&bits, teststream_fill, &stream);
}

/* A number in units of 2^-places. */
static inline Wide
wide_of(double value, int places)
{
	return (Wide) ldexpl((long double) value, places);
}

static inline void
test_begin(uint64_t seed)
{
	memory_begin();
	reseed(seed);
}

/* Returns the program's exit status. */
static inline int
test_end(const char *name)
{
	arena_destroy(arena);
	mpfr_free_cache();
	return check_report(name);
}

/* Returns a uniform integer of 0 .. n - 1. */
static inline int
below(int n)
{
	return (int) teststream_below(&stream, (uint64_t) n);
}

/* Returns a number between low and high. */
static inline double
between(double low, double high)
{
	return teststream_between(&stream, low, high);
}

/* ln of the determinant of a positive matrix, by elimination. */
static inline double
log_determinant(double *matrix, int dimension)
{
	double sum = 0;

	for (int k = 0; k < dimension; k++)
	{
		sum += log(matrix[k * dimension + k]);
		for (int i = k + 1; i < dimension; i++)
		{
			double factor = matrix[i * dimension + k] / matrix[k * dimension + k];

			for (int j = k; j < dimension; j++)
				matrix[i * dimension + j] -= factor * matrix[k * dimension + j];
		}
	}
	return sum;
}

/* A draw of a law of the rational parameter p / q, as far as a word holds it. */
static inline int64_t
draw_word(void (*draw)(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q), uint64_t p,
		  uint64_t q)
{
	int64_t word;
	mpz_t numerator;
	mpz_t denominator;
	mpz_t result;

	mpz_inits(numerator, denominator, result, NULL);
	mpz_from_word(numerator, p);
	mpz_from_word(denominator, q);
	draw(&bits, result, numerator, denominator);
	word = mpz_clamped(result);
	mpz_clears(numerator, denominator, result, NULL);
	return word;
}

#endif
