/*
 * seen_query.h - queries on what a role may see of dpobj's tables.
 *
 * A view of the extension that ends in _seen shows what the role dpobj_internal.reader() may see.
 * Only the owner of dpobj's tables may read it.  For others a query on it runs here, as the owner,
 * and what they get of it is rows: EXPLAIN does not show how many entries of others it has met.
 */
#ifndef DPOBJ_SEEN_QUERY_H
#define DPOBJ_SEEN_QUERY_H

#include "postgres.h"

#include "nodes/params.h"
#include "utils/snapshot.h"
#include "utils/tuplestore.h"

#include "server/base/acting.h"

typedef struct SeenQuery SeenQuery;

/*
 * Plans and starts a SELECT on a _seen view for a role; the statement names the schemas of its
 * tables, and finds all else in pg_catalog.  some: not all rows may be needed.
 */
extern SeenQuery *seen_open(const char *statement, ParamListInfo parameters, Reader reader,
							Snapshot snapshot, bool some);

/* Appends at most so many more rows to the set; false if there are no more. */
extern bool seen_fetch(SeenQuery *query, uint64 rows, Tuplestorestate *set);

extern void seen_close(SeenQuery *query);

/* The _seen view whose rows a function returns, if the function is dpobj_see(); else InvalidOid. */
extern Oid seen_view(Oid function);

/* Returns the qualified and quoted name of a view. */
extern char *seen_view_name(Oid view);

#endif
