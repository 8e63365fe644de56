/*
 * admin.c - the check of administrators, and statements on the tables of dpobj.
 *
 * In PostgreSQL 15 every role with CREATEROLE can grant dpobj_admin to itself.  So a membership
 * counts only if a superuser made each grant that leads to it.  Such a role can also SET ROLE to a
 * member, so the session user is checked too.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/compat.h"
#include "server/base/extension.h"

/* With the caller's search_path, functions of the caller would run as the owner. */
static void
become_owner(Acting *caller)
{
	extension_require();
	acting_begin(BOOTSTRAP_SUPERUSERID, caller);
}

static void
become_caller(const Acting *caller)
{
	acting_end(caller);
	extension_release();
}

uint64
admin_execute(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	Acting caller;
	uint64 rows;

	become_owner(&caller);
	SPI_connect();
	if (SPI_execute_with_args(extension_statement(statement), count, types, values, nulls, false,
							  0) < 0)
		elog(ERROR, "could not read or write the privacy budgets");
	rows = SPI_processed;
	SPI_finish();
	become_caller(&caller);
	return rows;
}

uint64
admin_execute_latest(const char *statement, int count, Oid *types, Datum *values)
{
	Acting caller;
	SPIPlanPtr plan;
	uint64 rows;

	become_owner(&caller);
	SPI_connect();
	plan = SPI_prepare(extension_statement(statement), count, types);
	if (plan == NULL || SPI_execute_snapshot(plan, values, NULL, GetLatestSnapshot(),
											 InvalidSnapshot, false, true, 0) < 0)
		elog(ERROR, "could not write a table of dpobj");
	rows = SPI_processed;
	SPI_finish();
	become_caller(&caller);
	return rows;
}

static uint64
read_rows(const char *statement, int count, Oid *types, Datum *values, long limit,
		  void (*take)(HeapTuple row, TupleDesc descriptor, void *context), void *context)
{
	SPITupleTable *rows;
	uint64 found;
	Acting caller;

	become_owner(&caller);
	PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	SPI_connect();
	if (SPI_execute_with_args(extension_statement(statement), count, types, values, NULL, true,
							  limit) != SPI_OK_SELECT)
		elog(ERROR, "could not read the privacy budgets");
	become_caller(&caller);
	rows = SPI_tuptable;
	found = SPI_processed;
	for (uint64 i = 0; i < found; i++)
		take(rows->vals[i], rows->tupdesc, context);
	SPI_finish();
	PopActiveSnapshot();
	return found;
}

void
admin_read(const char *statement, int count, Oid *types, Datum *values,
		   void (*take)(HeapTuple row, TupleDesc descriptor, void *context), void *context)
{
	(void) read_rows(statement, count, types, values, 0, take, context);
}

typedef struct KeptRow
{
	Datum *values;
	bool *isnull;
} KeptRow;

/* Copies a row for a caller outside of SPI. */
static void
keep_row(HeapTuple row, TupleDesc descriptor, void *context)
{
	KeptRow *kept = context;

	heap_deform_tuple(row, descriptor, kept->values, kept->isnull);
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (!kept->isnull[i])
			kept->values[i] =
				SPI_datumTransfer(kept->values[i], attribute->attbyval, attribute->attlen);
	}
}

bool
admin_select(const char *statement, int count, Oid *types, Datum *values, Datum *row, bool *isnull)
{
	return read_rows(statement, count, types, values, 1, keep_row, &(KeptRow){row, isnull}) > 0;
}

static bool
role_administers(Oid role)
{
	static const char *const statement =
		"WITH RECURSIVE members(oid) AS ("
		" SELECT oid FROM pg_authid WHERE rolname = 'dpobj_admin' UNION"
		" SELECT m.member FROM members a JOIN pg_auth_members m ON m.roleid = a.oid"
		" JOIN pg_authid g ON g.oid = m.grantor WHERE g.rolsuper AND " MEMBERSHIP_IS_CHOSEN ") "
		"SELECT FROM members m JOIN pg_authid r ON r.oid = m.oid "
		"WHERE m.oid = $1 AND r.rolname <> 'dpobj_admin'";
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(role)};

	return superuser_arg(role) ||
		   admin_execute(statement, lengthof(types), types, values, NULL) > 0;
}

/* The current user may be dpobj_admin itself: SET ROLE gives a session user no more rights. */
bool
admin_allowed(void)
{
	Oid current = GetUserId();

	return role_administers(GetSessionUserId()) &&
		   (current == get_role_oid("dpobj_admin", true) || role_administers(current));
}

void
admin_require(const char *function)
{
	PreventCommandIfReadOnly(function);
	PreventCommandIfParallelMode(function);
	PreventCommandDuringRecovery(function);
	acting_refuse_maintenance(function);
	if (admin_allowed())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for function %s", function),
			 errdetail("Session user and current user must be superusers or members of "
					   "dpobj_admin, and a superuser must have granted the membership."),
			 errhint("A superuser can run GRANT dpobj_admin TO ..., after REVOKE if somebody "
					 "else has granted it.")));
}

/* dpobj_internal.administers() -> boolean */
PG_FUNCTION_INFO_V1(dpobj_administers);
Datum
dpobj_administers(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(admin_allowed());
}
