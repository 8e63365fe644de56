/*
 * charge_setting.c - stored settings (ALTER ROLE or ALTER DATABASE ... SET), read by the worker.
 *
 * A session has the values from when it connected; what an administrator has stored since counts
 * for its next release.  Callers trust the session of a superuser and take its value.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_setting.h"

const char *
charge_setting(Oid role, const char *name)
{
	static const char *const statement =
		"SELECT substr(c, strpos(c, '=') + 1) FROM pg_db_role_setting s, unnest(s.setconfig) c "
		"WHERE s.setrole IN (0, $1) AND s.setdatabase IN (0, $2)"
		" AND lower(split_part(c, '=', 1)) = $3 ORDER BY s.setrole = 0, s.setdatabase DESC LIMIT 1";
	Oid types[] = {OIDOID, OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(role), ObjectIdGetDatum(MyDatabaseId),
					  CStringGetTextDatum(name)};

	return charge_query(statement, lengthof(types), types, values) ? charge_column_text(0, 1)
																   : NULL;
}

/* ---- Changes of stored settings --------------------------------------------- */

/* Returns all stored settings for a process that connects like this one. */
static char *
stored_settings(MemoryContext context)
{
	static const char *const statement =
		"SELECT coalesce(string_agg(format('%s %s %s', setdatabase, setrole, setconfig), ' '"
		" ORDER BY setdatabase, setrole), '') "
		"FROM pg_db_role_setting WHERE setdatabase IN (0, $1) AND setrole IN (0, $2)";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(MyDatabaseId), ObjectIdGetDatum(BOOTSTRAP_SUPERUSERID)};
	char *settings;

	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	(void) charge_query(statement, lengthof(types), types, values);
	settings = MemoryContextStrdup(context, charge_column_text(0, 1));
	PopActiveSnapshot();
	SPI_finish();
	return settings;
}

/* Stored when this process connected. */
static char *first_settings;

void
charge_note_settings(void)
{
	first_settings = stored_settings(TopMemoryContext);
}

bool
charge_settings_changed(void)
{
	return strcmp(stored_settings(TopTransactionContext), first_settings) != 0;
}
