/*
 * same_call.h - one release for (dpobj.train(...)).*
 *
 * PostgreSQL writes f(...) once for each attribute where (f(...)).* is selected, so a model with
 * nine attributes would be trained and charged nine times.  Equal requests that stand several times
 * in one statement are taken for one: in one run of the statement the first copy makes a release,
 * and each other copy gets it.  A copy that is called again, for another row or in a loop, makes a
 * new release.
 */
#ifndef DPOBJ_SAME_CALL_H
#define DPOBJ_SAME_CALL_H

#include "postgres.h"

#include "fmgr.h"

#include "server/base/digest.h"

/* The id of the release that another copy has made and this one has not had yet, or 0. */
extern int64 same_call_find(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH]);

/* Keeps the id of the release that this copy has made. */
extern void same_call_remember(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH],
							   int64 release);

#endif
