/*
 * pair_terms.h - the dominating pair of a release as the ledger keeps it (core/accounting/pair.h).
 */
#ifndef DPOBJ_PAIR_TERMS_H
#define DPOBJ_PAIR_TERMS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "core/accounting/pair.h"

/* Its parameters as jsonb text; every number reads back as the same double. */
extern char *pair_terms(const Pair *pair);

/*
 * Back from the ledger's tag and terms, epsilon and delta being left as they are; an error if
 * it is none that pair_terms() wrote.
 */
extern void pair_read(const char *tag, Jsonb *terms, Pair *pair);

#endif
