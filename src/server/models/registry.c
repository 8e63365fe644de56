/*
 * registry.c - dpobj.rename(), dpobj.comment(), dpobj.retire() and dpobj.delete(), by which an
 * owner keeps models and answers in order.
 *
 * They change dpobj.model_rows only, in the caller's transaction, so ROLLBACK takes them back.  The
 * ledger does not have what they change.  They see what was released only: the row of a release
 * that still runs belongs to the charge worker.
 *
 * The row of a deleted model stays without name and model.  It keeps the hash, because dpobj.verify
 * needs that of each model of groups, and the name that was charged, by which a schedule finds its
 * runs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/gate.h"
#include "server/base/near_name.h"

/* Bytes of a comment. */
#define COMMENT_MAX_LENGTH 4096

/* What was released under the name $1, by the current user, $2. */
#define OWN                                                                                        \
	" FROM dpobj.identity_roles r WHERE r.id = m.owner AND r.role = $2"                            \
	" AND m.name = $1 AND m.released IS NOT NULL"
#define OWN_NAMES                                                                                  \
	"SELECT ARRAY(SELECT DISTINCT m.name FROM dpobj.model_rows m"                                  \
	" JOIN dpobj.identity_roles r ON r.id = m.owner"                                               \
	" WHERE r.role = $1 AND m.name IS NOT NULL AND m.released IS NOT NULL LIMIT 1000)"

/* The row keeps the name that was charged. */
#define LEAVE_NAME "charged_as = coalesce(m.charged_as, m.name)"

/* Runs a statement on the name $1 of the current user, $2, perhaps with a value, $3. */
static uint64
run(FunctionCallInfo fcinfo, const char *statement, Oid type, Datum value)
{
	Oid types[] = {TEXTOID, OIDOID, type};
	Datum values[] = {PG_GETARG_DATUM(0), ObjectIdGetDatum(GetUserId()), value};

	return admin_execute_latest(statement, lengthof(types), types, values);
}

/* Runs a statement that changes what has the name; raises 42704 if there is no such thing. */
static void
change(FunctionCallInfo fcinfo, const char *what, const char *statement, Oid type, Datum value)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(GetUserId())};
	List *names;

	if (run(fcinfo, statement, type, value) > 0)
		return;
	names = admin_select_names(OWN_NAMES, 1, types, values);
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("there is no %s \"%s\" of role \"%s\"", what, name,
						   GetUserNameFromId(GetUserId(), false)),
					errhint("%sOnly the owner can change it, under its whole name; see "
							"dpobj.models and dpobj.answers.",
							near_name(name, names))));
}

static char *
required_name(FunctionCallInfo fcinfo, int position, const char *name)
{
	(void) argument_value(fcinfo, position, name);
	return argument_name(fcinfo, position, "a model or an answer");
}

/*
 * Keeps releases under the name out until the end of the transaction: a charge that reserves it
 * would make the charge worker, which serves all roles, wait for this transaction.
 */
static void
hold_name(const char *name)
{
	gate_enter_name(GetUserId(), name);
}

/* ---- dpobj.rename ---- */

/* Nothing under the name runs now, so a row that was never filled is of a release that has failed.
 */
static void
take_name(FunctionCallInfo fcinfo, const char *name)
{
	static const char *const failed =
		"UPDATE dpobj.model_rows m SET name = NULL, " LEAVE_NAME
		" FROM dpobj.identity_roles r WHERE r.id = m.owner AND r.role = $2 AND m.name = $3"
		" AND m.released IS NULL";
	static const char *const taken =
		"SELECT FROM dpobj.model_rows m JOIN dpobj.identity_roles r ON r.id = m.owner"
		" WHERE r.role = $2 AND m.name = $3";

	(void) run(fcinfo, failed, TEXTOID, PG_GETARG_DATUM(1));
	if (run(fcinfo, taken, TEXTOID, PG_GETARG_DATUM(1)) > 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("there is a model or answer \"%s\" of role \"%s\" already", name,
							   GetUserNameFromId(GetUserId(), false))));
}

/* dpobj.rename(name text, new_name text) */
PG_FUNCTION_INFO_V1(dpobj_rename);
Datum
dpobj_rename(PG_FUNCTION_ARGS)
{
	const char *new_name = required_name(fcinfo, 1, "new_name");
	const char *name = required_name(fcinfo, 0, "name");

	PreventCommandIfReadOnly("dpobj.rename()");
	hold_name(name);
	hold_name(new_name);
	take_name(fcinfo, new_name);
	change(fcinfo, "model or answer", "UPDATE dpobj.model_rows m SET name = $3, " LEAVE_NAME OWN,
		   TEXTOID, PG_GETARG_DATUM(1));
	PG_RETURN_VOID();
}

/* ---- dpobj.comment ---- */

/* dpobj.comment(name text, comment text) */
PG_FUNCTION_INFO_V1(dpobj_comment);
Datum
dpobj_comment(PG_FUNCTION_ARGS)
{
	text *comment = PG_ARGISNULL(1) ? cstring_to_text("") : PG_GETARG_TEXT_PP(1);

	(void) required_name(fcinfo, 0, "name");
	if (VARSIZE_ANY_EXHDR(comment) > COMMENT_MAX_LENGTH)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a comment must not have more than %d bytes", COMMENT_MAX_LENGTH)));
	change(fcinfo, "model or answer", "UPDATE dpobj.model_rows m SET comment = nullif($3, '')" OWN,
		   TEXTOID, PointerGetDatum(comment));
	PG_RETURN_VOID();
}

/* ---- dpobj.retire ---- */

/* dpobj.retire(name text, retired boolean) */
PG_FUNCTION_INFO_V1(dpobj_retire);
Datum
dpobj_retire(PG_FUNCTION_ARGS)
{
	(void) required_name(fcinfo, 0, "name");
	change(fcinfo, "model",
		   "UPDATE dpobj.model_rows m SET retired ="
		   " CASE WHEN $3 THEN coalesce(m.retired, pg_catalog.clock_timestamp()) END" OWN
		   " AND m.model IS NOT NULL",
		   BOOLOID, argument_value(fcinfo, 1, "retired"));
	PG_RETURN_VOID();
}

/* ---- dpobj.delete ---- */

/* dpobj.delete(name text) */
PG_FUNCTION_INFO_V1(dpobj_delete);
Datum
dpobj_delete(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"WITH gone AS (UPDATE dpobj.model_rows m SET deleted = pg_catalog.clock_timestamp(),"
		" hash = dpobj_internal.model_hash(m.model), model = NULL, answer = NULL, comment = NULL,"
		" name = NULL, " LEAVE_NAME OWN " RETURNING m.release, m.place),"
		" unshared AS (DELETE FROM dpobj.model_shares s USING gone g"
		" WHERE s.release = g.release AND s.place = g.place)"
		" SELECT FROM gone";

	const char *name = required_name(fcinfo, 0, "name");

	PreventCommandIfReadOnly("dpobj.delete()");
	hold_name(name);
	change(fcinfo, "model or answer", statement, TEXTOID, PG_GETARG_DATUM(0));
	PG_RETURN_VOID();
}
