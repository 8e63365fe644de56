/*
 * pair_terms.h - the dominating pair of a release in the ledger (core/accounting/pair.h).
 */
#ifndef DPOBJ_PAIR_TERMS_H
#define DPOBJ_PAIR_TERMS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "core/accounting/pair.h"

/* Writes the parameters of a pair as jsonb text; every number reads back as the same double. */
extern char *pair_terms(const Pair *pair);

/* Reads a pair from the ledger's tag and terms, without epsilon and delta, or raises an error. */
extern void pair_read(const char *tag, Jsonb *json, Pair *pair);

#endif
