/*
 * digest.h - SHA-256, whatever it is called in this version of PostgreSQL.
 */
#ifndef DPOBJ_DIGEST_H
#define DPOBJ_DIGEST_H

#include "postgres.h"

#include "lib/stringinfo.h"

#define DIGEST_LENGTH 32

/* Appends a string and its end as they are: pq_sendstring() would convert to the client's encoding.
 */
extern void digest_append(StringInfo bytes, const char *string);

extern void digest_bytes(const StringInfo bytes, uint8 digest[DIGEST_LENGTH]);

#endif
