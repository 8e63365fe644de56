/*
 * citus_parts.c - shards of a table that Citus manages, as parts.
 *
 * The coordinator's catalogs say which shards there are and where (citus_catalog.h).  Each is read
 * at one placement, whatever the table: one distributed by hash, by no column, by schema, a
 * reference table or a local one.  The connection is that of Citus itself: as the owner of Citus,
 * with citus.node_conninfo and pg_dist_authinfo.  This role is a superuser on each node, so a shard
 * needs no mark (part.c).
 *
 * Moves, splits and the removal of nodes go on: no lock of Citus is taken.  The caller asks for the
 * parts again once all of them are locked, and goes on only if they are the same.  At this moment
 * all writers of these placements wait, so what is read is the table as it was then, also if a
 * shard moves later: Citus drops the old one only after the reader's lock.
 *
 * A partition has shards that are partitions of its parent's shards, so the parts of the topmost
 * table hold them all.
 */
#include "postgres.h"

#include "catalog/partition.h"
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/remote/citus_catalog.h"
#include "server/remote/citus_parts.h"
#include "server/remote/link_options.h"

static void
refuse(Oid relation, const char *rule, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("table \"%s\" cannot be read", get_rel_name(relation)),
					errdetail("%s", rule), hint == NULL ? 0 : errhint("%s", hint)));
}

static bool
has_served_parent(Oid relation)
{
	return get_rel_relispartition(relation) && citus_manages(get_partition_parent(relation, false));
}

/* ---- parts ---- */

static void
set_connection(RemotePart *part, const CitusShard *shard)
{
	char *role = citus_owner();

	link_options_begin(part, link_options_known());
	link_options_parse(part, GetConfigOption("citus.node_conninfo", true, false));
	link_options_parse(part, citus_authentication(role, shard->node));
	link_options_set(part, "host", shard->host);
	link_options_set(part, "port", psprintf("%d", shard->port));
	link_options_set(part, "dbname", get_database_name(MyDatabaseId));
	link_options_set(part, "user", role);
}

static RemotePart *
make_part(Oid relation, const CitusShard *shard)
{
	RemotePart *part = palloc0(sizeof(RemotePart));

	part->provider = &citus_parts;
	part->id = shard->id;
	part->relation = relation;
	part->schema = get_namespace_name(get_rel_namespace(relation));
	part->table = citus_shard_name(get_rel_name(relation), shard->id);
	if (shard->group < 0)
		refuse(relation,
			   psprintf("No active primary node has an active placement of shard " INT64_FORMAT ".",
						shard->id),
			   "Activate the node, or move or repair its shards.");
	part->name = psprintf("%s.%s of %s.%s at %s:%d", part->schema, part->table, part->schema,
						  get_rel_name(relation), shard->host, shard->port);
	set_connection(part, shard);
	return part;
}

static List *
parts(Oid relation)
{
	List *shards;
	List *list = NIL;
	ListCell *cell;

	if (has_served_parent(relation))
		return NIL;
	shards = citus_read_shards(relation);
	if (shards == NIL)
		refuse(relation, "It has no shards.", NULL);
	foreach (cell, shards)
		list = lappend(list, make_part(relation, lfirst(cell)));
	return list;
}

static const char *
column_name(const RemotePart *part, const char *name)
{
	return name;
}

/* Rows with one value are in one shard, and those of the partitions in the shards of these. */
static AttrNumber
spread_column(Oid relation)
{
	CitusTable table;

	citus_read_table(relation, &table);
	return table.column;
}

const PartProvider citus_parts = {.name = "Citus",
								  .serves = citus_manages,
								  .parts = parts,
								  .column_name = column_name,
								  .spread_column = spread_column};
