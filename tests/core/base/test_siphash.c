/*
 * test_siphash.c - the published vectors of SipHash-2-4: key 00 01 ... 0f, messages
 * of 0 to 63 bytes 00 01 02 ...
 */
#include "core/check.h"

#include "core/base/siphash.h"

/* From the reference implementation by the authors (vectors.h), as numbers. */
static const uint64_t expected[] = {
	UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd), UINT64_C(0x0d6c8009d9a94f5a),
	UINT64_C(0x85676696d7fb7e2d), UINT64_C(0xcf2794e0277187b7), UINT64_C(0x18765564cd99a68d),
	UINT64_C(0xcbc9466e58fee3ce), UINT64_C(0xab0200f58b01d137), UINT64_C(0x93f5f5799a932462),
	UINT64_C(0x9e0082df0ba9e4b0), UINT64_C(0x7a5dbbc594ddb9f3), UINT64_C(0xf4b32f46226bada7),
	UINT64_C(0x751e8fbc860ee5fb), UINT64_C(0x14ea5627c0843d90), UINT64_C(0xf723ca908e7af2ee),
	UINT64_C(0xa129ca6149be45e5),
};

int
main(void)
{
	uint8_t key[SIPHASH_KEY_LENGTH];
	uint8_t message[64];

	for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
		key[i] = (uint8_t) i;
	for (int i = 0; i < 64; i++)
		message[i] = (uint8_t) i;
	for (size_t length = 0; length < sizeof(expected) / sizeof(expected[0]); length++)
		CHECK(siphash(siphash_key(key), message, length) == expected[length]);
	CHECK(siphash(siphash_key(key), message, 63) == UINT64_C(0x958a324ceb064572));

	/* a message need not be aligned */
	for (int i = 63; i > 0; i--)
		message[i] = message[i - 1];
	CHECK(siphash(siphash_key(key), message + 1, 15) == expected[15]);
	return check_report("siphash");
}
