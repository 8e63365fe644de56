/*
 * same_call.h - one release for (dpobj.train(...)).*
 *
 * PostgreSQL writes f(...) once for each attribute where (f(...)).* is selected, so
 * that a model with nine attributes would be trained, and charged, nine times.  In
 * one run of one statement equal requests that are written several times are taken
 * to be one: each place gets the release that the first one made.  A place that is
 * called again, for another row or in a loop, makes a new release.
 */
#ifndef DPOBJ_SAME_CALL_H
#define DPOBJ_SAME_CALL_H

#include "postgres.h"

#include "fmgr.h"

#include "server/base/digest.h"

/* The id of the release that another place has made and this one has not had yet, or 0. */
extern int64 same_call_find(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH]);

/* This place has made a release. */
extern void same_call_remember(FunctionCallInfo fcinfo, const uint8 request[DIGEST_LENGTH],
							   int64 release);

#endif
