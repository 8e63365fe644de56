/*
 * train_request.h - the arguments of dpobj.train and of the functions that take the same ones.
 */
#ifndef DPOBJ_TRAIN_REQUEST_H
#define DPOBJ_TRAIN_REQUEST_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "server/analyst/analyst.h"
#include "server/ledger/charge.h"
#include "server/release/key_list.h"
#include "server/release/training.h"

/*
 * The arguments of dpobj.train.  dpobj.submit, dpobj.price and dpobj.schedule begin with the same
 * ones, and dpobj.train_groups has one more.
 */
enum
{
	TRAIN_RELATION,
	TRAIN_LABEL,
	TRAIN_EPSILON,
	TRAIN_FEATURES,
	TRAIN_DELTA,
	TRAIN_METHOD,
	TRAIN_OPTIONS,
	TRAIN_FILTER,
	TRAIN_NAME,
	TRAIN_ARGUMENTS,
	TRAIN_GROUPS_BY = TRAIN_ARGUMENTS
};

typedef struct TrainRequest
{
	Oid relation;
	List *by;       /* grouping columns, NIL: no groups */
	char *label;    /* NULL: a price for any label */
	List *features; /* NIL: all */
	Jsonb *options; /* or NULL */
	Jsonb *filter;  /* or NULL */
	char *name;     /* or NULL */
	Training *training;
} TrainRequest;

/*
 * Raises 22023 for a null, out of range or too long argument; grouped: there is an argument "by".
 * others: of a price, which has no name and may have no label, the other methods that it takes
 * (training_set_method()); else NULL.
 */
extern void train_request_read(FunctionCallInfo fcinfo, bool grouped, const char *others,
							   TrainRequest *request);

/*
 * Opens the table and settles the training; grid and mechanism follow from the declaration and the
 * options alone.  keys: filled in if there are groups.
 */
extern void train_request_settle(const TrainRequest *request, AnalystTable *opened, KeyList *keys);

/* Says once per statement, before the charge, how to keep a model that has no name. */
extern void train_request_note_name(const TrainRequest *request);

/* Hashes all arguments that decide the answer, and the list of keys if there are groups. */
extern void train_request_hash(FunctionCallInfo fcinfo, const TrainRequest *request,
							   uint8 hash[CHARGE_HASH_LENGTH]);

#endif
