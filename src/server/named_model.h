/*
 * named_model.h - a role's own models by their names, as dpobj.models shows them.
 */
#ifndef DPOBJ_NAMED_MODEL_H
#define DPOBJ_NAMED_MODEL_H

#include "postgres.h"

#include "model.h"

/*
 * The session user's model of that name; raises 42704 if there is none, whoever else
 * has one.  It is the latest that was committed, in a parallel plan as of its snapshot.
 */
extern void named_model_find(const char *name, Model *model);

/* Raises 22023 unless the model predicts a label; name: NULL if it has none. */
extern void model_require_label(const Model *model, const char *name);

#endif
