/*
 * maintenance.c - notes of administrators in the ledger.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/ledger/charge.h"

/* Bytes of a note. */
#define NOTE_MAX_LENGTH 4096

/* dpobj.note_maintenance(what) */
PG_FUNCTION_INFO_V1(dpobj_note_maintenance);
Datum
dpobj_note_maintenance(PG_FUNCTION_ARGS)
{
	char *what = TextDatumGetCString(argument_value(fcinfo, 0, "what"));
	StringInfoData parameters;

	admin_require("dpobj.note_maintenance()");
	if (what[0] == '\0' || strlen(what) > NOTE_MAX_LENGTH)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a note must have 1 to %d bytes", NOTE_MAX_LENGTH)));
	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "{\"what\": ");
	escape_json(&parameters, what);
	appendStringInfoChar(&parameters, '}');
	charge_without_table(CHARGE_MAINTENANCE, parameters.data);
	PG_RETURN_VOID();
}
