/*
 * digest.c - SHA-256.
 */
#include "postgres.h"

#include "compat.h"
#include "digest.h"

void
digest_append(StringInfo bytes, const char *string)
{
	appendBinaryStringInfo(bytes, string, strlen(string) + 1);
}

void
digest_bytes(const StringInfo bytes, uint8 digest[DIGEST_LENGTH])
{
	if (!sha256((const uint8 *) bytes->data, bytes->len, digest))
		elog(ERROR, "could not compute SHA-256");
}
