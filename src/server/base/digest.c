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

/* By the function of SQL: what lies below it has another name in each version. */
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
