/*
 * charge_setting.c - settings of the session that a charge is for.
 *
 * Until our library is loaded anybody can set a parameter of ours in his session or
 * when he connects, and that hides what an administrator has set.  So we ask again
 * here, where no client's settings are.  A superuser's session may do as it likes:
 * callers take its own value.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "charge_plan.h"
#include "charge_setting.h"

const char *
charge_setting(const ChargeRequest *request, const char *name)
{
	static const char *const statement =
		"SELECT substr(c, strpos(c, '=') + 1) FROM pg_db_role_setting s, unnest(s.setconfig) c "
		"WHERE s.setrole = $1 AND s.setdatabase IN (0, $2)"
		" AND lower(split_part(c, '=', 1)) = $3 ORDER BY s.setdatabase DESC LIMIT 1";
	Oid types[] = {OIDOID, OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(request->role), ObjectIdGetDatum(request->database),
					  CStringGetTextDatum(name)};

	if (charge_run(statement, lengthof(types), types, values, NULL) != SPI_OK_SELECT)
		elog(ERROR, "could not read the settings of a role");
	return SPI_processed == 0 ? NULL
							  : SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}
