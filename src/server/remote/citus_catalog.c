/*
 * citus_catalog.c - reads Citus's catalogs without Citus, and without a query that it would change.
 *
 *   pg_dist_partition    a row for each table that is distributed, a reference table, or local but
 *                        managed; logicalrelid is the table
 *   pg_dist_shard        a row for each shard; its name is that of the table, an underscore and the
 *                        number shardid
 *   pg_dist_placement    a row for each copy of a shard; shardstate 1: it is active
 *   pg_dist_node         a row for each node; nodes of one group are a primary and its standbys
 *   pg_dist_local_group  the group of this node; 0: it is the coordinator
 *   pg_dist_authinfo     how a role connects to a node, to 0: to each
 *
 * Nodes without metadata have empty catalogs; there only the name shows that a table is a shard.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/base/compat.h"
#include "server/base/dpobj.h"
#include "server/remote/citus_catalog.h"

/* The first number that Citus gives to a shard. */
#define FIRST_SHARD 102008

#define ACTIVE_PLACEMENT 1
#define COORDINATOR_GROUP 0
#define ANY_NODE 0

static Oid
catalog(const char *name)
{
	return get_relname_relid(name, PG_CATALOG_NAMESPACE);
}

/* ---- rows ---- */

typedef struct CitusRow
{
	HeapTuple tuple;
	TupleDesc descriptor;
} CitusRow;

/* Returns true to see the next row. */
typedef bool (*TakeRow)(const CitusRow *row, void *context);

/* Another version of Citus may have other catalogs; then nobody knows what they hold. */
static void
refuse_version(void)
{
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("tables of this version of Citus cannot be read"),
					errdetail("Its catalogs are not those that are known.")));
}

static AttrNumber
column_number(Oid table, const char *name)
{
	AttrNumber number = OidIsValid(table) ? get_attnum(table, name) : InvalidAttrNumber;

	if (number == InvalidAttrNumber)
		refuse_version();
	return number;
}

/*
 * Shows the rows whose column has the value; column may be NULL, and index, which begins with it.
 * snapshot: NULL for the latest.
 */
static void
read_rows(const char *name, const char *index, Snapshot snapshot, const char *column,
		  RegProcedure equal, Datum value, TakeRow take, void *context)
{
	Oid oid = catalog(name);
	Oid index_oid = index == NULL ? InvalidOid : catalog(index);
	Relation relation;
	SysScanDesc scan;
	ScanKeyData key;
	CitusRow row;

	if (!OidIsValid(oid))
		refuse_version();
	if (column != NULL)
		ScanKeyInit(&key, column_number(oid, column), BTEqualStrategyNumber, equal, value);
	relation = table_open(oid, AccessShareLock);
	scan = systable_beginscan(relation, index_oid, OidIsValid(index_oid), snapshot,
							  column == NULL ? 0 : 1, &key);
	row.descriptor = RelationGetDescr(relation);
	while (HeapTupleIsValid(row.tuple = systable_getnext(scan)))
		if (!take(&row, context))
			break;
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
}

/* type: InvalidOid for one that Citus has made. */
static Datum
value_of(const CitusRow *row, const char *name, Oid type, bool *isnull, Oid *found)
{
	for (int i = 0; i < row->descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row->descriptor, i);

		if (attribute->attisdropped || strcmp(NameStr(attribute->attname), name) != 0 ||
			(OidIsValid(type) && attribute->atttypid != type))
			continue;
		*found = attribute->atttypid;
		return heap_getattr(row->tuple, i + 1, row->descriptor, isnull);
	}
	refuse_version();
	return 0;
}

static Datum
known_value(const CitusRow *row, const char *name, Oid type)
{
	bool isnull;
	Oid found;
	Datum value = value_of(row, name, type, &isnull, &found);

	if (isnull)
		refuse_version();
	return value;
}

/* NULL if there is none. */
static char *
text_of(const CitusRow *row, const char *name)
{
	bool isnull;
	bool is_varlena;
	Oid type;
	Oid output;
	Datum value = value_of(row, name, InvalidOid, &isnull, &type);

	if (isnull)
		return NULL;
	getTypeOutputInfo(type, &output, &is_varlena);
	return OidOutputFunctionCall(output, value);
}

/* ---- tables ---- */

typedef struct FoundTable
{
	bool found;
	CitusTable *table; /* NULL: only whether there is one */
} FoundTable;

static bool
take_table(const CitusRow *row, void *context)
{
	FoundTable *found = context;
	char *key;

	found->found = true;
	if (found->table == NULL)
		return false;
	found->table->method = DatumGetChar(known_value(row, "partmethod", CHAROID));
	key = text_of(row, "partkey");
	found->table->column = InvalidAttrNumber;
	if (key != NULL)
	{
		Node *node = stringToNode(key);

		if (!IsA(node, Var))
			refuse_version();
		found->table->column = ((Var *) node)->varattno;
	}
	return false;
}

static bool
find_table(Oid relation, CitusTable *table)
{
	FoundTable found = {.table = table};

	if (OidIsValid(catalog("pg_dist_partition")))
		read_rows("pg_dist_partition", "pg_dist_partition_logical_relid_index", NULL,
				  "logicalrelid", F_OIDEQ, ObjectIdGetDatum(relation), take_table, &found);
	return found.found;
}

bool
citus_manages(Oid relation)
{
	return find_table(relation, NULL);
}

void
citus_read_table(Oid relation, CitusTable *table)
{
	if (!find_table(relation, table))
		elog(ERROR, "Citus does not manage relation %u", relation);
}

/* ---- shards ---- */

typedef struct ReadShards
{
	Snapshot snapshot;
	CitusShard *shard; /* whose placements or node are being read */
	List *shards;
} ReadShards;

static bool
take_node(const CitusRow *row, void *context)
{
	CitusShard *shard = ((ReadShards *) context)->shard;

	if (!DatumGetBool(known_value(row, "isactive", BOOLOID)) ||
		strcmp(text_of(row, "noderole"), "primary") != 0)
		return true;
	shard->group = DatumGetInt32(known_value(row, "groupid", INT4OID));
	shard->node = DatumGetInt32(known_value(row, "nodeid", INT4OID));
	shard->host = text_of(row, "nodename");
	shard->port = DatumGetInt32(known_value(row, "nodeport", INT4OID));
	return false;
}

static bool
take_placement(const CitusRow *row, void *context)
{
	ReadShards *read = context;
	int32 group = DatumGetInt32(known_value(row, "groupid", INT4OID));

	if (DatumGetInt32(known_value(row, "shardstate", INT4OID)) == ACTIVE_PLACEMENT &&
		(read->shard->group == -1 || group < read->shard->group))
		read_rows("pg_dist_node", NULL, read->snapshot, "groupid", F_INT4EQ, Int32GetDatum(group),
				  take_node, read);
	return true;
}

static bool
take_shard(const CitusRow *row, void *context)
{
	ReadShards *read = context;
	CitusShard *shard = palloc0(sizeof(CitusShard));

	shard->id = DatumGetInt64(known_value(row, "shardid", INT8OID));
	shard->group = -1;
	read->shards = lappend(read->shards, shard);
	return true;
}

static int
compare_shards(const ListCell *a, const ListCell *b)
{
	int64 left = ((CitusShard *) lfirst(a))->id;
	int64 right = ((CitusShard *) lfirst(b))->id;

	return left < right ? -1 : left > right;
}

List *
citus_read_shards(Oid relation)
{
	ReadShards read = {.snapshot = RegisterSnapshot(GetLatestSnapshot())};
	ListCell *cell;

	read_rows("pg_dist_shard", "pg_dist_shard_logical_relid_index", read.snapshot, "logicalrelid",
			  F_OIDEQ, ObjectIdGetDatum(relation), take_shard, &read);
	list_sort(read.shards, compare_shards);
	foreach (cell, read.shards)
	{
		read.shard = lfirst(cell);
		read_rows("pg_dist_placement", "pg_dist_placement_shardid_index", read.snapshot, "shardid",
				  F_INT8EQ, Int64GetDatum(read.shard->id), take_placement, &read);
	}
	UnregisterSnapshot(read.snapshot);
	return read.shards;
}

/* ---- nodes ---- */

static bool
take_group(const CitusRow *row, void *context)
{
	*(int32 *) context = DatumGetInt32(known_value(row, "groupid", INT4OID));
	return false;
}

bool
citus_is_worker(void)
{
	int32 group = -1;

	read_rows("pg_dist_local_group", NULL, NULL, NULL, InvalidOid, 0, take_group, &group);
	return group != COORDINATOR_GROUP;
}

char *
citus_coordinator(void)
{
	CitusShard place = {.host = NULL};
	ReadShards read = {.shard = &place};

	if (OidIsValid(catalog("pg_dist_node")))
		read_rows("pg_dist_node", NULL, NULL, "groupid", F_INT4EQ, Int32GetDatum(COORDINATOR_GROUP),
				  take_node, &read);
	return place.host == NULL ? NULL
							  : psprintf("host %s, port %d, database %s", place.host, place.port,
										 get_database_name(MyDatabaseId));
}

char *
citus_owner(void)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(catalog("pg_dist_partition")));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		refuse_version();
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return GetUserNameFromId(owner, false);
}

typedef struct ReadAuthentication
{
	const char *role;
	int32 node;
	bool is_for_node; /* it is not for any node */
	char *options;
} ReadAuthentication;

static bool
take_authentication(const CitusRow *row, void *context)
{
	ReadAuthentication *read = context;
	int32 node = DatumGetInt32(known_value(row, "nodeid", INT4OID));

	if (strcmp(text_of(row, "rolename"), read->role) != 0 || read->is_for_node ||
		(node != read->node && node != ANY_NODE))
		return true;
	read->is_for_node = node == read->node;
	read->options = text_of(row, "authinfo");
	return true;
}

char *
citus_authentication(const char *role, int32 node)
{
	ReadAuthentication read = {.role = role, .node = node};

	read_rows("pg_dist_authinfo", NULL, NULL, NULL, InvalidOid, 0, take_authentication, &read);
	return read.options;
}

/* ---- names ---- */

/* A long name is cut, and has its hash before the number. */
char *
citus_shard_name(const char *table, int64 shard)
{
	char *number = psprintf("_" INT64_FORMAT, shard);
	int length = strlen(table);
	int room = NAMEDATALEN - strlen(number);

	if (length < room)
		return psprintf("%s%s", table, number);
	return psprintf("%.*s_%.8x%s", pg_mbcliplen(table, length, room - 10), table,
					DatumGetUInt32(hash_any((const unsigned char *) table, length)), number);
}

/* The number at the end of a name, after an underscore; 0 if there is none. */
static int64
number_of(const char *name)
{
	const char *digits = name == NULL ? NULL : strrchr(name, '_');
	char *end;
	int64 number;

	if (digits == NULL || digits[1] < '0' || digits[1] > '9')
		return 0;
	number = strtoi64(digits + 1, &end, 10);
	return *end == '\0' ? number : 0;
}

/* A relation that is called like a shard. */
typedef struct NamedShard
{
	Oid relation;
	int64 number;
	Oid table; /* of which it is a shard, or was one */
	bool found;
} NamedShard;

static bool
take_numbered(const CitusRow *row, void *context)
{
	NamedShard *shard = context;

	shard->table = DatumGetObjectId(known_value(row, "logicalrelid", REGCLASSOID));
	shard->found = true;
	return false;
}

/* Is the number that of a shard? */
static bool
is_known(NamedShard *shard)
{
	read_rows("pg_dist_shard", "pg_dist_shard_shardid_index", NULL, "shardid", F_INT8EQ,
			  Int64GetDatum(shard->number), take_numbered, shard);
	return shard->found;
}

static bool
take_namesake(const CitusRow *row, void *context)
{
	NamedShard *shard = context;
	Oid table = DatumGetObjectId(known_value(row, "logicalrelid", REGCLASSOID));
	char *name = get_rel_name(table);

	shard->table = table;
	shard->found =
		name != NULL && get_rel_namespace(table) == get_rel_namespace(shard->relation) &&
		strcmp(citus_shard_name(name, shard->number), get_rel_name(shard->relation)) == 0;
	return !shard->found;
}

static bool
take_later(const CitusRow *row, void *context)
{
	NamedShard *shard = context;

	shard->found = DatumGetInt64(known_value(row, "shardid", INT8OID)) > shard->number;
	return !shard->found;
}

/*
 * Is the relation called like an earlier shard of a table in its schema?  A shard that was split is
 * in no catalog, and is dropped later; those that it was split into have higher numbers.
 */
static bool
is_left_over(NamedShard *shard)
{
	if (shard->number < FIRST_SHARD)
		return false;
	read_rows("pg_dist_partition", NULL, NULL, NULL, InvalidOid, 0, take_namesake, shard);
	if (shard->found)
		read_rows("pg_dist_shard", NULL, NULL, NULL, InvalidOid, 0, take_later, shard);
	return shard->found;
}

static bool
take_any(const CitusRow *row, void *context)
{
	*(bool *) context = true;
	return false;
}

/* For topmost tables on a node without metadata: a partition may be named after its month. */
static bool
may_be_shard(const NamedShard *shard)
{
	bool any = false;

	if (shard->number < FIRST_SHARD || has_superclass(shard->relation))
		return false;
	read_rows("pg_dist_shard", NULL, NULL, NULL, InvalidOid, 0, take_any, &any);
	return !any;
}

const char *
citus_shard_rule(Oid relation, Oid *table)
{
	NamedShard shard = {.relation = relation, .number = number_of(get_rel_name(relation))};
	bool is_shard;

	if (table != NULL)
		*table = InvalidOid;
	if (shard.number <= 0 || !OidIsValid(catalog("pg_dist_partition")) || citus_manages(relation))
		return NULL;
	is_shard = is_known(&shard) || is_left_over(&shard);
	if (table != NULL && is_shard)
		*table = shard.table;
	if (is_shard)
		return "It is a shard of a table that Citus manages, and budgets of that table would not "
			   "count it.";
	if (may_be_shard(&shard))
		return "It is called like a shard of Citus, and this node has no metadata that could "
			   "tell.";
	return NULL;
}
