/*
 * bits.c - random bits that are the same in every session, preloaded into the test's coordinator.
 *
 * A solver asks the server for them in batches of 4096 bytes.  The first batch of a process is
 * always the same, and so is each one after it; all other requests get the kernel's bits.  So two
 * sessions that release the same model of the same rows draw the same noise.
 */
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#define BATCH 4096

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
	if (count != BATCH)
		return getrandom(bytes, (size_t) count, 0) == count;
	for (int i = 0; i < BATCH; i += 8)
	{
		uint64_t word = next_word();

		memcpy(bytes + i, &word, sizeof(word));
	}
	return 1;
}
