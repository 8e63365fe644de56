/*
 * extension.c - whose the names in schema dpobj are.
 *
 * The lock is on one of our tables: what drops the extension, with whatever it is in, locks all
 * that belongs to it before anything is gone, and of locks only those on tables hold on a standby
 * against what the primary drops.  It is held for the length of a statement.  PostgreSQL takes the
 * lock of DROP EXTENSION before it asks who may: were ours held as long as a transaction, anybody
 * could wait for it and have everybody else wait behind him.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

#include "server/base/extension.h"

#define EXTENSION_NAME "dpobj"
#define INTERNAL_SCHEMA "dpobj_internal"

/* In every version; and of all tables the one that every charge reads, and nobody has to lock. */
#define TABLE_NAME "identities"

static Oid
find_table(void)
{
	Oid space = get_namespace_oid(EXTENSION_NAME, true);

	return OidIsValid(space) ? get_relname_relid(TABLE_NAME, space) : InvalidOid;
}

static bool
is_ours(Oid table)
{
	Oid extension = get_extension_oid(EXTENSION_NAME, true);

	return OidIsValid(extension) && find_table() == table &&
		   getExtensionOfObject(RelationRelationId, table) == extension;
}

bool
extension_hold(void)
{
	Oid table;

	AcceptInvalidationMessages();
	/* Somebody else's is not waited for. */
	while (OidIsValid(table = find_table()) && is_ours(table))
	{
		LockRelationOid(table, AccessShareLock);
		if (is_ours(table))
			return true;
		UnlockRelationOid(table, AccessShareLock);
	}
	return false;
}

void
extension_give_up(void)
{
	UnlockRelationOid(find_table(), AccessShareLock);
}

void
extension_require(void)
{
	if (!extension_hold())
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"%s\" does not exist in this database", EXTENSION_NAME)));
}

Relation
extension_open_table(const char *name)
{
	Relation table;

	extension_require();
	table = table_open(get_relname_relid(name, get_namespace_oid(EXTENSION_NAME, false)),
					   AccessShareLock);
	extension_give_up(); /* what drops it needs a lock on this one, too */
	return table;
}

/* Before version 0.3.0 is installed by an update, it may be anybody's schema. */
bool
extension_has_internal(void)
{
	Oid space = get_namespace_oid(INTERNAL_SCHEMA, true);
	Oid extension = get_extension_oid(EXTENSION_NAME, true);

	return OidIsValid(space) && OidIsValid(extension) &&
		   getExtensionOfObject(NamespaceRelationId, space) == extension;
}

const char *
extension_statement(const char *statement)
{
	static const char *const internal = INTERNAL_SCHEMA ".";
	StringInfoData text;
	const char *found = strstr(statement, internal);

	if (found == NULL || extension_has_internal())
		return statement;
	initStringInfo(&text);
	for (; found != NULL; found = strstr(statement, internal))
	{
		appendBinaryStringInfo(&text, statement, (int) (found - statement));
		appendStringInfoString(&text, EXTENSION_NAME ".");
		statement = found + strlen(internal);
	}
	appendStringInfoString(&text, statement);
	return text.data;
}
