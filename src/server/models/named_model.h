/*
 * named_model.h - a role's own models by their names, as dpobj.models shows them.
 */
#ifndef DPOBJ_NAMED_MODEL_H
#define DPOBJ_NAMED_MODEL_H

#include "postgres.h"

#include "server/models/model.h"

/*
 * The session user's model of that name; raises 42704 if there is none, whoever else
 * has one.  It is the latest that was committed, in a parallel plan as of its snapshot.
 */
extern void named_model_find(const char *name, Model *model);

/*
 * A model that the current user may read: his own or, if he has none of that name, one that was
 * shared with him; of another owner, if owner is valid, who a superuser need not have been
 * given it by.  Raises 42704 if there is none, whoever else has one, and 42P09 if several owners
 * share one of that name with him.
 */
extern void named_model_read(const char *name, Oid owner, Model *model);

/* Raises 22023 unless the model predicts a label; name: NULL if it has none. */
extern void model_require_label(const Model *model, const char *name);

#endif
