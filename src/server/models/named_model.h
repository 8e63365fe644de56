/*
 * named_model.h - models by their names, which dpobj.models shows.
 */
#ifndef DPOBJ_NAMED_MODEL_H
#define DPOBJ_NAMED_MODEL_H

#include "postgres.h"

#include "fmgr.h"

#include "server/models/model.h"

/*
 * The session user's own model of that name, to be rated; raises 42704 if there is none, whoever
 * else has one, and 55000 if it is retired.  It is the latest that was committed; in a parallel
 * plan the latest that its snapshot sees.
 */
extern void named_model_find(const char *name, Model *model);

/*
 * A model that the current user may read.  If owner is InvalidOid, it is the user's own or, without
 * one of that name, one that was shared with the user; else the owner's, if it is the user's own or
 * was shared, or the user is a superuser.  Raises 42704 if there is none, whoever else has one, and
 * 42P09 if several owners share one of that name.
 */
extern void named_model_read(const char *name, Oid owner, Model *model);

/* The same, to be applied: raises 55000 if it is retired. */
extern void named_model_apply(const char *name, Oid owner, Model *model);

/* The owner that this argument is; InvalidOid if it is null, or if a function of 0.3.0 has none. */
extern Oid named_model_owner(FunctionCallInfo fcinfo, int place);

/*
 * The model of a function whose first argument is a dpobj.model_argument, and the one at place the
 * owner; of a name read() finds it, one of the two functions above.  Sets the name, NULL if a row
 * is given.  False if the argument is null; raises 22023 for a row with an owner.
 */
extern bool named_model_argument(FunctionCallInfo fcinfo, int place,
								 void (*read)(const char *name, Oid owner, Model *model),
								 Model *model, char **name);

/* Raises 22023 unless the model predicts a label; name is NULL if the model has none. */
extern void model_require_label(const Model *model, const char *name);

#endif
