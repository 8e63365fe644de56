/* siphash.c - SipHash: two rounds for each word of eight bytes, four at the end. */
#include "core/base/siphash.h"

#include <string.h>

typedef struct State
{
	uint64_t v0;
	uint64_t v1;
	uint64_t v2;
	uint64_t v3;
} State;

/* Words are little-endian by definition. */
static uint64_t
read_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

SipKey
siphash_key(const uint8_t bytes[SIPHASH_KEY_LENGTH])
{
	return (SipKey){{read_word(bytes), read_word(bytes + 8)}};
}

static inline uint64_t
rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void
sip_round(State *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32) + s->v3;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 = rotate(s->v2, 32);
}

static inline void
absorb(State *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	sip_round(s);
	s->v0 ^= word;
}

/* The last word: the remaining bytes, with the length in its top byte. */
static uint64_t
last_word(const uint8_t *bytes, size_t length)
{
	uint8_t rest[8] = {0};

	memcpy(rest, bytes + (length & ~(size_t) 7), length & 7);
	rest[7] = (uint8_t) length;
	return read_word(rest);
}

uint64_t
siphash(SipKey key, const void *bytes, size_t length)
{
	const uint8_t *message = bytes;
	State s = {
		key.word[0] ^ UINT64_C(0x736f6d6570736575),
		key.word[1] ^ UINT64_C(0x646f72616e646f6d),
		key.word[0] ^ UINT64_C(0x6c7967656e657261),
		key.word[1] ^ UINT64_C(0x7465646279746573),
	};

	for (size_t at = 0; at + 8 <= length; at += 8)
		absorb(&s, read_word(message + at));
	absorb(&s, last_word(message, length));
	s.v2 ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
