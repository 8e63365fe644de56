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

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

#include "server/base/extension.h"

#define EXTENSION_NAME "dpobj"

/* Every version has this table, every charge reads it, and no statement of users locks it. */
#define TABLE_NAME "identities"

static Oid
find_table(void)
{
	Oid space = get_namespace_oid(EXTENSION_NAME, true);

	return OidIsValid(space) ? get_relname_relid(TABLE_NAME, space) : InvalidOid;
}

/* The installed version; NULL without the extension. */
static char *
installed_version(void)
{
	Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	char *version = NULL;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum(EXTENSION_NAME));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull; /* never */
		Datum value = heap_getattr(tuple, Anum_pg_extension_extversion,
								   RelationGetDescr(extensions), &isnull);

		version = TextDatumGetCString(value);
	}
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return version;
}

static bool
is_version(const char *version)
{
	return version != NULL && strcmp(version, DPOBJ_VERSION) == 0;
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
		if (is_ours(table) && is_version(installed_version()))
			return true;
		UnlockRelationOid(table, AccessShareLock);
		if (is_ours(table))
			return false; /* of another version */
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
	const char *version;

	if (extension_hold())
		return;
	version = installed_version();
	if (version != NULL && !is_version(version))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("extension \"%s\" is of version %s in this database, and the "
							   "library of version %s",
							   EXTENSION_NAME, version, DPOBJ_VERSION),
						errhint("Run ALTER EXTENSION dpobj UPDATE.")));
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("extension \"%s\" does not exist in this database", EXTENSION_NAME)));
}

Oid
extension_table(const char *name)
{
	return get_relname_relid(name, get_namespace_oid(EXTENSION_NAME, false));
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
