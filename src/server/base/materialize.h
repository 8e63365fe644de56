/*
 * materialize.h - functions that return a set, all of it at once.
 */
#ifndef DPOBJ_MATERIALIZE_H
#define DPOBJ_MATERIALIZE_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

/* The set that the call returns, still empty; its rows are as the function is declared. */
extern Tuplestorestate *materialize_begin(FunctionCallInfo fcinfo, TupleDesc *descriptor);

#endif
