/*
 * foreign_parts.c - partitions that are foreign tables of postgres_fdw, as parts.
 *
 * The connection is that of the foreign table's owner: options of the server, and of the owner's
 * own user mapping.  A mapping for PUBLIC is refused, because every role with the right to use the
 * server could connect with it, by dblink too, and ask the part for its rows.
 *
 * As in postgres_fdw, an owner who is no superuser must give a password that the other server asks
 * for; else the connection could use what the server process itself may use, such as its own
 * operating system user.  A superuser can set password_required to false in the mapping.
 */
#include "postgres.h"

#include <libpq-fe.h>

#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_class.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "server/base/dpobj.h"
#include "server/base/identity.h"
#include "server/remote/foreign_parts.h"
#include "server/remote/link_options.h"

static bool
serves(Oid relation)
{
	bool is_partition = false;
	char kind = '\0';
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));

	if (HeapTupleIsValid(tuple))
	{
		kind = ((Form_pg_class) GETSTRUCT(tuple))->relkind;
		is_partition = ((Form_pg_class) GETSTRUCT(tuple))->relispartition;
		ReleaseSysCache(tuple);
	}
	if (kind != RELKIND_FOREIGN_TABLE || !is_partition)
		return false;
	return strcmp(
			   GetForeignDataWrapper(GetForeignServer(GetForeignTable(relation)->serverid)->fdwid)
				   ->fdwname,
			   "postgres_fdw") == 0;
}

static void
refuse(const RemotePart *part, const char *rule, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NOT_ALLOWED), errmsg("part \"%s\" cannot be read", part->name),
			 errdetail("%s", rule), errhint("%s", hint)));
}

/* The text of an option; NULL if it is not given. */
static const char *
option(List *options, const char *name)
{
	ListCell *cell;

	foreach (cell, options)
		if (strcmp(((DefElem *) lfirst(cell))->defname, name) == 0)
			return defGetString(lfirst(cell));
	return NULL;
}

/* ---- the connection ---- */

static List *
mapping_options(const RemotePart *part, Oid owner, Oid server)
{
	HeapTuple tuple =
		SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(owner), ObjectIdGetDatum(server));
	List *options = NIL;
	Datum datum;
	bool isnull;

	if (!HeapTupleIsValid(tuple))
		refuse(part, "The owner of the foreign table has no user mapping for its server.",
			   "A mapping for PUBLIC does not count. Use CREATE USER MAPPING FOR the owner.");
	datum = SysCacheGetAttr(USERMAPPINGUSERSERVER, tuple, Anum_pg_user_mapping_umoptions, &isnull);
	if (!isnull)
		options = untransformRelOptions(datum);
	ReleaseSysCache(tuple);
	return options;
}

/* Is it an option of libpq, and not one of postgres_fdw? */
static bool
is_of_connection(const PQconninfoOption *known, const char *name)
{
	for (; known->keyword != NULL; known++)
		if (strcmp(known->keyword, name) == 0)
			return strchr(known->dispchar, 'D') == NULL;
	return false;
}

/* The encoding stays that of this database: postgres_fdw refuses the option. */
static void
set_connection(RemotePart *part, List *server, List *mapping)
{
	List *options = list_concat_copy(server, mapping);
	PQconninfoOption *known = PQconndefaults();
	ListCell *cell;

	if (known == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	link_options_begin(part, list_length(options));
	foreach (cell, options)
	{
		DefElem *element = lfirst(cell);

		if (is_of_connection(known, element->defname))
			link_options_set(part, element->defname, defGetString(element));
	}
	PQconninfoFree(known);
}

static bool
needs_password(Oid owner, List *mapping)
{
	const char *required = option(mapping, "password_required");
	bool wanted = true;

	return !superuser_arg(owner) && (required == NULL || !parse_bool(required, &wanted) || wanted);
}

/* ---- parts ---- */

static List *
parts(Oid relation)
{
	ForeignTable *table = GetForeignTable(relation);
	ForeignServer *server = GetForeignServer(table->serverid);
	RemotePart *part = palloc0(sizeof(RemotePart));
	const char *password;
	List *mapping;
	Oid owner = identity_owner(relation);

	part->provider = &foreign_parts;
	part->id = relation;
	part->relation = relation;
	part->name =
		psprintf("%s.%s", get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
	part->schema = option(table->options, "schema_name");
	part->table = option(table->options, "table_name");
	if (part->schema == NULL)
		part->schema = get_namespace_name(get_rel_namespace(relation));
	if (part->table == NULL)
		part->table = get_rel_name(relation);
	mapping = mapping_options(part, owner, server->serverid);
	part->needs_password = needs_password(owner, mapping);
	password = option(mapping, "password");
	if (part->needs_password && (password == NULL || password[0] == '\0'))
		refuse(part,
			   "The owner of the foreign table is no superuser, and the mapping has no password.",
			   "Give the user mapping a password, which the other server asks for.");
	set_connection(part, server->options, mapping);
	return list_make1(part);
}

static const char *
column_name(const RemotePart *part, const char *name)
{
	AttrNumber number = get_attnum(part->relation, name);
	const char *other = NULL;

	if (number != InvalidAttrNumber)
		other = option(GetForeignColumnOptions(part->relation, number), "column_name");
	return other == NULL ? name : other;
}

const PartProvider foreign_parts = {.name = "postgres_fdw",
									.needs_mark = true,
									.serves = serves,
									.parts = parts,
									.column_name = column_name};
