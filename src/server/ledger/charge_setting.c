/*
 * charge_setting.c - settings of the session that a charge is for.
 *
 * Until our library is loaded anybody can set a parameter of ours in his session or
 * when he connects, and that hides what an administrator has set.  So we ask again
 * here, where no client's settings are.  A superuser's session may do as it likes:
 * callers take its own value.
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

	if (charge_run(statement, lengthof(types), types, values, NULL) != SPI_OK_SELECT)
		elog(ERROR, "could not read the settings of a role");
	return SPI_processed == 0 ? NULL
							  : SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/* ---- Of a process that stays --------------------------------------------- */

/* What ALTER DATABASE and ALTER ROLE ... SET say about a process like this one. */
static char *
stored_settings(MemoryContext context)
{
	static const char *const statement =
		"SELECT coalesce(string_agg(format('%s %s %s', setdatabase, setrole, setconfig), ' '"
		" ORDER BY setdatabase, setrole), '') "
		"FROM pg_db_role_setting WHERE setdatabase IN (0, $1) AND setrole IN (0, $2)";
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(MyDatabaseId), ObjectIdGetDatum(BOOTSTRAP_SUPERUSERID)};
	bool isnull;
	char *settings;

	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	if (charge_run(statement, lengthof(types), types, values, NULL) != SPI_OK_SELECT)
		elog(ERROR, "could not read the settings of the database");
	settings = TextDatumGetCString(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	settings = MemoryContextStrdup(context, settings);
	PopActiveSnapshot();
	SPI_finish();
	return settings;
}

/* As they were when we connected. */
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
