/*
 * digest.h - SHA-256.
 */
#ifndef DPOBJ_DIGEST_H
#define DPOBJ_DIGEST_H

#include "postgres.h"

#include "lib/stringinfo.h"

#define DIGEST_LENGTH 32

/* Appends a string with its final zero byte, in the server's encoding. */
extern void digest_append(StringInfo bytes, const char *string);

extern void digest_bytes(const StringInfo bytes, uint8 digest[DIGEST_LENGTH]);

/* Copies a digest into a bytea. */
extern Datum digest_datum(const uint8 digest[DIGEST_LENGTH]);

#endif
