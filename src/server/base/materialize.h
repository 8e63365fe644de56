/*
 * materialize.h - functions that return a whole set at once.
 */
#ifndef DPOBJ_MATERIALIZE_H
#define DPOBJ_MATERIALIZE_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

/* Makes the empty set that the call returns; *descriptor is the declared row type. */
extern Tuplestorestate *materialize_begin(FunctionCallInfo fcinfo, TupleDesc *descriptor);

#endif
