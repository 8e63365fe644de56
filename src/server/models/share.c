/*
 * share.c - dpobj.share(), by which an owner lets other roles read a model, or no longer.
 *
 * Sharing costs no privacy: a released model may be public.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/near_name.h"

/* The model $1 of the current user, $2. */
#define OWN_MODEL                                                                                  \
	" FROM dpobj.model_rows m JOIN dpobj.identity_roles r ON r.id = m.owner"                       \
	" WHERE m.name = $1 AND r.role = $2 AND m.model IS NOT NULL"
#define OWN_NAMES                                                                                  \
	"SELECT ARRAY(SELECT DISTINCT m.name FROM dpobj.model_rows m"                                  \
	" JOIN dpobj.identity_roles r ON r.id = m.owner"                                               \
	" WHERE r.role = $1 AND m.name IS NOT NULL AND m.model IS NOT NULL LIMIT 1000)"

static uint64
run(FunctionCallInfo fcinfo, const char *statement, const char *role_name)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID, TEXTOID};
	Datum values[] = {PG_GETARG_DATUM(0), ObjectIdGetDatum(GetUserId()), PG_GETARG_DATUM(1),
					  CStringGetTextDatum(role_name)};

	return admin_execute(statement, lengthof(types), types, values, NULL);
}

static void
check_own_model(FunctionCallInfo fcinfo)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(GetUserId())};
	List *names;

	if (run(fcinfo, "SELECT" OWN_MODEL, "") > 0)
		return;
	names = admin_select_names(OWN_NAMES, 1, types, values);
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("there is no model \"%s\" of role \"%s\"", name,
						   GetUserNameFromId(GetUserId(), false)),
					errhint("%sA model is shared by its owner, under its whole name; see "
							"dpobj.models.",
							near_name(name, names))));
}

/* Checks the arguments, and returns the name of the role. */
static const char *
check_arguments(FunctionCallInfo fcinfo)
{
	const char *name;
	Oid role;

	(void) argument_value(fcinfo, 0, "name");
	role = DatumGetObjectId(argument_value(fcinfo, 1, "role"));
	name = GetUserNameFromId(role, true);
	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("role with OID %u does not exist", role)));
	check_own_model(fcinfo);
	return name;
}

static void
share(FunctionCallInfo fcinfo, const char *role_name)
{
	static const char *const statement =
		"INSERT INTO dpobj.model_shares (release, place, origin, role, role_name)"
		" SELECT m.release, m.place, dpobj_internal.origin(), $3, $4" OWN_MODEL
		" ON CONFLICT ON CONSTRAINT model_shares_pkey DO UPDATE SET role_name = EXCLUDED.role_name";

	(void) run(fcinfo, statement, role_name);
}

static void
unshare(FunctionCallInfo fcinfo, const char *role_name)
{
	static const char *const statement =
		"DELETE FROM dpobj.model_shares s USING (SELECT m.release, m.place" OWN_MODEL ") o"
		" WHERE s.release = o.release AND s.place = o.place"
		" AND CASE WHEN s.origin = dpobj_internal.origin() THEN s.role = $3 ELSE s.role_name = $4 "
		"END";

	if (run(fcinfo, statement, role_name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" is not shared with role \"%s\"",
						text_to_cstring(PG_GETARG_TEXT_PP(0)), role_name),
				 errhint("It may be shared with a group that the role is a member of; see column "
						 "shared_with of dpobj.models.")));
}

/* dpobj.share(name, role, shared) */
PG_FUNCTION_INFO_V1(dpobj_share_model);
Datum
dpobj_share_model(PG_FUNCTION_ARGS)
{
	const char *role_name = check_arguments(fcinfo);

	(DatumGetBool(argument_value(fcinfo, 2, "shared")) ? share : unshare)(fcinfo, role_name);
	PG_RETURN_VOID();
}
