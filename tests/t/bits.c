/*
 * bits.c - random bits that are the same in every session, preloaded into the test's coordinator.
 *
 * A solver asks the server for them in batches of 4096 bytes, and noise that a backend draws itself
 * takes eight bytes at a time.  The first of a process are always the same, and so are those after
 * them; all other requests get the kernel's bits.  So two sessions that release the same model or
 * answer of the same rows draw the same noise.
 */
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#define BATCH 4096
#define WORD 8

static uint64_t counter;

/* SplitMix64, which is good enough where nobody guesses. */
static uint64_t
next_word(void)
{
	uint64_t word = counter += UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* OpenSSL's, which pg_strong_random() calls; 1 if it succeeds. */
int
RAND_bytes(unsigned char *bytes, int count)
{
	if (count != BATCH && count != WORD)
		return getrandom(bytes, (size_t) count, 0) == count;
	for (int i = 0; i < count; i += WORD)
	{
		uint64_t word = next_word();

		memcpy(bytes + i, &word, sizeof(word));
	}
	return 1;
}
