/*
 * digest.c - SHA-256.
 */
#include "postgres.h"

#if PG_VERSION_NUM >= 140000
#include "common/cryptohash.h"
#endif
#include "common/sha2.h"

#include "digest.h"

void
digest_append(StringInfo bytes, const char *string)
{
	appendBinaryStringInfo(bytes, string, strlen(string) + 1);
}

void
digest_bytes(const StringInfo bytes, uint8 digest[DIGEST_LENGTH])
{
#if PG_VERSION_NUM >= 140000
	pg_cryptohash_ctx *context = pg_cryptohash_create(PG_SHA256);

	if (context == NULL || pg_cryptohash_init(context) < 0 ||
		pg_cryptohash_update(context, (uint8 *) bytes->data, bytes->len) < 0 ||
		pg_cryptohash_final(context, digest, DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute SHA-256");
	pg_cryptohash_free(context);
#else
	pg_sha256_ctx context;

	pg_sha256_init(&context);
	pg_sha256_update(&context, (uint8 *) bytes->data, bytes->len);
	pg_sha256_final(&context, digest);
#endif
}
