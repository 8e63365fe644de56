/*
 * extension.c - whose the names in schema dpobj are.
 */
#include "postgres.h"

#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "storage/lmgr.h"

#include "extension.h"

#define EXTENSION_NAME "dpobj"

bool
extension_hold(void)
{
	Oid extension = get_extension_oid(EXTENSION_NAME, true);

	while (OidIsValid(extension))
	{
		Oid found = extension;

		/* What drops an extension, with whatever it is in, locks it first. */
		LockDatabaseObject(ExtensionRelationId, found, 0, AccessShareLock);
		extension = get_extension_oid(EXTENSION_NAME, true);
		if (extension == found)
			return true;
		UnlockDatabaseObject(ExtensionRelationId, found, 0, AccessShareLock);
	}
	return false;
}

void
extension_require(void)
{
	if (!extension_hold())
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"%s\" does not exist in this database", EXTENSION_NAME)));
}
