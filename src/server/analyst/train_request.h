/*
 * train_request.h - what dpobj.train or dpobj.train_groups is asked for.
 */
#ifndef DPOBJ_TRAIN_REQUEST_H
#define DPOBJ_TRAIN_REQUEST_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "server/ledger/charge.h"
#include "server/release/training.h"

typedef struct TrainRequest
{
	Oid relation;
	List *by; /* grouping columns, NIL: no groups */
	char *label;
	List *features; /* NIL: all */
	Jsonb *options; /* may be NULL, like the rest */
	Jsonb *filter;
	char *name;
	Training *training;
} TrainRequest;

/* Raises 22023 for what is null, out of range or too long; grouped: is there an argument "by"? */
extern void train_request_read(FunctionCallInfo fcinfo, bool grouped, TrainRequest *request);

/* Of all that was asked, and the list of keys once it is known, so that no two requests collide. */
extern void train_request_hash(FunctionCallInfo fcinfo, const TrainRequest *request,
							   uint8 hash[CHARGE_HASH_LENGTH]);

#endif
