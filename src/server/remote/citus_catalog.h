/*
 * citus_catalog.h - what Citus's own catalogs, which only superusers can write, say of a table.
 */
#ifndef DPOBJ_CITUS_CATALOG_H
#define DPOBJ_CITUS_CATALOG_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"

/* How a table is distributed: by hash, or into one shard; by append and by range there are more. */
#define CITUS_HASH 'h'
#define CITUS_NONE 'n'

/* A table that Citus manages. */
typedef struct CitusTable
{
	char method;
	AttrNumber column; /* by which rows are distributed; InvalidAttrNumber: none */
} CitusTable;

/* A shard, and the node from which it is read. */
typedef struct CitusShard
{
	int64 id;
	int32 group; /* of nodes; -1: no active primary node has an active placement */
	int32 node;
	char *host;
	int32 port;
} CitusShard;

/* Is the relation in pg_dist_partition?  false without Citus. */
extern bool citus_manages(Oid relation);

/* Fills in the row of a relation that Citus manages. */
extern void citus_read_table(Oid relation, CitusTable *table);

/*
 * Lists the shards of the relation by their numbers, as they are at one moment that is later than
 * the call.  Of several placements of a shard the one of the lowest group is chosen.
 */
extern List *citus_read_shards(Oid relation);

/* Is this node a worker?  Workers know the tables, but charges belong to the coordinator. */
extern bool citus_is_worker(void);

/* Where the coordinator is: host, port and database, for hints; NULL if this node does not know. */
extern char *citus_coordinator(void);

/* The role that owns Citus's catalogs, as which its nodes connect to each other. */
extern char *citus_owner(void);

/* Options of libpq with which this role connects to the node; NULL: none. */
extern char *citus_authentication(const char *role, int32 node);

/* The name that a shard of a table with this name has. */
extern char *citus_shard_name(const char *table, int64 shard);

/*
 * The DETAIL of the error that refuses a shard; NULL if the relation is none.  Finds its table, for
 * the hint: InvalidOid if this node does not know it.  table may be NULL.
 */
extern const char *citus_shard_rule(Oid relation, Oid *table);

#endif
