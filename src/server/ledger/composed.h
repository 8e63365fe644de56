/*
 * composed.h - the joint guarantee of a list of releases, for prices and reports
 * (core/accounting/guarantee.h).
 */
#ifndef DPOBJ_COMPOSED_H
#define DPOBJ_COMPOSED_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/accounting/guarantee.h"

typedef struct ReleaseList
{
	CountedPair *pair;
	int count;
	int room;
} ReleaseList;

extern void release_list_add(ReleaseList *list, const CountedPair *pair);

extern Guarantee composed_guarantee(const ReleaseList *list, Adjacency neighbours,
									GuaranteeKind kind, int64 delta);

/* Says why there is no total. */
extern const char *composed_reason(GuaranteeKind kind);

/* Appends {"epsilon": ..., "delta": ..., "rdp_order": ..., "assumes": ...}; epsilon null: no total.
 */
extern void composed_append(StringInfo json, GuaranteeKind kind, const Guarantee *guarantee);

#endif
