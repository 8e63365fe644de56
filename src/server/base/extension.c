/*
 * extension.c - checks that schema dpobj belongs to the extension, and holds the extension.
 *
 * It is held by a lock on one of its tables.  DROP EXTENSION locks all objects of the extension
 * before it drops the first, and on a standby only locks on tables conflict with drops of the
 * primary.  The lock is held during one statement.  DROP EXTENSION waits for locks before it checks
 * privileges, so if dpobj held the lock for a transaction, any role could wait for it, and all
 * others would queue behind that role.
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

/* Every version has this table, every charge reads it, and no statement of users locks it. */
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
	/* A table that is not the extension's is not locked. */
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
extension_release(void)
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

Oid
extension_table(const char *name)
{
	return get_relname_relid(name, get_namespace_oid(EXTENSION_NAME, false));
}

bool
extension_has_column(const char *table, const char *column)
{
	bool has;

	extension_require();
	has = get_attnum(extension_table(table), column) != InvalidAttrNumber;
	extension_release();
	return has;
}

Relation
extension_open_table(const char *name)
{
	Relation table;

	extension_require();
	table = table_open(extension_table(name), AccessShareLock);
	extension_release(); /* DROP EXTENSION needs a lock on this table, too */
	return table;
}

/* Before the update to 0.3.0 a schema of that name may belong to any role. */
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
