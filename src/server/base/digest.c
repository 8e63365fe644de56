/*
 * digest.c - SHA-256.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "server/base/compat.h"
#include "server/base/digest.h"

void
digest_append(StringInfo bytes, const char *string)
{
	appendBinaryStringInfo(bytes, string, strlen(string) + 1);
}

/* Calls the SQL function, because the C functions below it differ between versions. */
void
digest_bytes(const StringInfo bytes, uint8 digest[DIGEST_LENGTH])
{
	bytea *value = palloc(VARHDRSZ + bytes->len);
	bytea *result;

	SET_VARSIZE(value, VARHDRSZ + bytes->len);
	memcpy(VARDATA(value), bytes->data, bytes->len);
	result = DatumGetByteaPP(DirectFunctionCall1(sha256_bytea, PointerGetDatum(value)));
	memcpy(digest, VARDATA_ANY(result), DIGEST_LENGTH);
	pfree(result);
	pfree(value);
}

Datum
digest_datum(const uint8 digest[DIGEST_LENGTH])
{
	bytea *result = palloc(VARHDRSZ + DIGEST_LENGTH);

	SET_VARSIZE(result, VARHDRSZ + DIGEST_LENGTH);
	memcpy(VARDATA(result), digest, DIGEST_LENGTH);
	return PointerGetDatum(result);
}
