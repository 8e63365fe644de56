/*
 * part_provider.h - which relations have their rows on other servers, and how these are reached.
 *
 * A provider knows one way of spreading a table over servers.  It answers from the catalogs of this
 * server alone.  A relation of a table and its descendants has rows here, or is a provider's, which
 * then lists the parts that hold its rows: one for the foreign table of a partition
 * (foreign_parts.c), and one for each shard of a table of Citus (citus_parts.c).
 */
#ifndef DPOBJ_PART_PROVIDER_H
#define DPOBJ_PART_PROVIDER_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"

typedef struct PartProvider PartProvider;

/* One part of a table.  All that it points to is allocated with it. */
typedef struct RemotePart
{
	const PartProvider *provider;
	uint64 id;            /* unique among the parts of the provider in this database */
	Oid relation;         /* of this server, whose rows the part holds */
	const char *name;     /* for messages: public names of this server's catalogs */
	const char *schema;   /* of the relation on the part */
	const char *table;    /* its name there */
	const char **keyword; /* of the connection, as PQconnectStartParams() takes them */
	const char **value;
	bool needs_password; /* the server must ask for the password that is among the values */
} RemotePart;

struct PartProvider
{
	const char *name;
	bool needs_mark; /* do its parts answer if they are marked only (part_mark.h)? */

	/* Is the relation the provider's?  Raises no error. */
	bool (*serves)(Oid relation);

	/*
	 * The parts of a relation that it serves, a list of RemotePart in the order of their ids; NIL
	 * if those of its parent hold its rows.  The caller has locked the relation, and asks again
	 * when all parts are locked.  Raises UB003 if a part cannot be read.
	 */
	List *(*parts)(Oid relation);

	/* The name on the part of a column of the relation. */
	const char *(*column_name)(const RemotePart *part, const char *name);

	/*
	 * The column that alone decides in which part of the relation a row is; InvalidAttrNumber if
	 * none does.  NULL: the relation is one part.
	 */
	AttrNumber (*spread_column)(Oid relation);
};

/* The provider that serves the relation; NULL: its rows are here. */
extern const PartProvider *part_provider_of(Oid relation);

/* An option of its connection; otherwise: where it is not given. */
extern const char *part_option(const RemotePart *part, const char *keyword, const char *otherwise);

/* Where the part is, by the options of its connection: host, port and database. */
extern char *part_place(const RemotePart *part);

/* Would the same options connect to both? */
extern bool parts_share_server(const RemotePart *one, const RemotePart *other);

/* Are these the same parts, at the same places?  Both are lists of RemotePart. */
extern bool parts_are_same(const List *one, const List *other);

#endif
