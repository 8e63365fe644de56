/*
 * admin.c - the check of administrators, and statements on the tables of dpobj.
 *
 * In PostgreSQL 15 every role with CREATEROLE can grant dpobj_admin and dpobj_auditor to itself. So
 * a membership counts only if a superuser made each grant that leads to it.  Such a role can also
 * SET ROLE to a member, so the session user is checked too.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_db_role_setting.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/compat.h"
#include "server/base/extension.h"

/* With the caller's search_path, functions of the caller would run as the owner. */
void
admin_become_owner(Acting *caller)
{
	extension_require();
	acting_begin(BOOTSTRAP_SUPERUSERID, caller);
}

void
admin_become_caller(const Acting *caller)
{
	acting_end(caller);
	extension_release();
}

uint64
admin_execute(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	Acting caller;
	uint64 rows;

	admin_become_owner(&caller);
	SPI_connect();
	if (SPI_execute_with_args(statement, count, types, values, nulls, false, 0) < 0)
		elog(ERROR, "could not read or write the privacy budgets");
	rows = SPI_processed;
	SPI_finish();
	admin_become_caller(&caller);
	return rows;
}

uint64
admin_execute_latest(const char *statement, int count, Oid *types, Datum *values)
{
	Acting caller;
	SPIPlanPtr plan;
	uint64 rows;

	admin_become_owner(&caller);
	SPI_connect();
	plan = SPI_prepare(statement, count, types);
	if (plan == NULL || SPI_execute_snapshot(plan, values, NULL, GetLatestSnapshot(),
											 InvalidSnapshot, false, true, 0) < 0)
		elog(ERROR, "could not write a table of dpobj");
	rows = SPI_processed;
	SPI_finish();
	admin_become_caller(&caller);
	return rows;
}

/*
 * Runs a SELECT and gives back its locks at once.  The session may soon wait for another process to
 * write into the same tables (charge.c), and the deadlock detector does not see that wait: a
 * REINDEX would wait for this transaction, the other process for the REINDEX, and nobody would end
 * it.
 */
static void
read_and_unlock(const char *statement, int count, Oid *types, Datum *values, long limit)
{
	ResourceOwner outer = CurrentResourceOwner;
	ResourceOwner locks = ResourceOwnerCreate(outer, "dpobj read");
	Acting caller;

	CurrentResourceOwner = locks;
	admin_become_owner(&caller);
	if (SPI_execute_with_args(statement, count, types, values, NULL, true, limit) != SPI_OK_SELECT)
		elog(ERROR, "could not read the privacy budgets");
	admin_become_caller(&caller);
	CurrentResourceOwner = outer;
	ResourceOwnerRelease(locks, RESOURCE_RELEASE_BEFORE_LOCKS, true, false);
	ResourceOwnerRelease(locks, RESOURCE_RELEASE_LOCKS, false, false); /* as an abort does */
	ResourceOwnerRelease(locks, RESOURCE_RELEASE_AFTER_LOCKS, true, false);
	ResourceOwnerDelete(locks);
}

static uint64
read_rows(const char *statement, int count, Oid *types, Datum *values, long limit,
		  void (*take)(HeapTuple row, TupleDesc descriptor, void *context), void *context)
{
	SPITupleTable *rows;
	uint64 found;

	PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	SPI_connect();
	read_and_unlock(statement, count, types, values, limit);
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

List *
admin_select_names(const char *statement, int count, Oid *types, Datum *values)
{
	List *names = NIL;
	Datum *elements;
	Datum array;
	bool isnull;
	int length;

	if (GetUserId() != GetSessionUserId() ||
		!admin_select(statement, count, types, values, &array, &isnull) || isnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL,
					  &length);
	for (int i = 0; i < length; i++)
		names = lappend(names, TextDatumGetCString(elements[i]));
	return names;
}

/* ---- whose membership counts ------------------------------------------------ */

static bool
has_setting(HeapTuple tuple, TupleDesc descriptor, const char *setting)
{
	bool isnull;
	Datum settings = heap_getattr(tuple, Anum_pg_db_role_setting_setconfig, descriptor, &isnull);
	Datum *elements;
	int count = 0;

	if (!isnull)
		deconstruct_array(DatumGetArrayTypeP(settings), TEXTOID, -1, false, TYPALIGN_INT, &elements,
						  NULL, &count);
	for (int i = 0; i < count; i++)
	{
		if (strcmp(TextDatumGetCString(elements[i]), setting) == 0)
			return true;
	}
	return false;
}

/*
 * Every role with CREATEROLE can rename roles, but only a superuser can give one this setting or
 * take it away.
 */
Oid
admin_role(const char *kind)
{
	Relation settings = table_open(DbRoleSettingRelationId, AccessShareLock);
	const char *setting = psprintf("dpobj.role=%s", kind);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Oid role = InvalidOid;

	ScanKeyInit(&key, Anum_pg_db_role_setting_setdatabase, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(InvalidOid));
	scan = systable_beginscan(settings, DbRoleSettingDatidRolidIndexId, true, NULL, 1, &key);
	while (!OidIsValid(role) && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (has_setting(tuple, RelationGetDescr(settings), setting))
			role = ((Form_pg_db_role_setting) GETSTRUCT(tuple))->setrole;
	}
	systable_endscan(scan);
	table_close(settings, AccessShareLock);
	return role;
}

/* Is role a member of group, directly or not, by grants of superusers only? */
static bool
is_chosen(Oid role, Oid group)
{
	List *roles = list_make1_oid(role);

	for (int i = 0; i < list_length(roles); i++) /* the list grows */
	{
		CatCList *memberships =
			SearchSysCacheList1(AUTHMEMMEMROLE, ObjectIdGetDatum(list_nth_oid(roles, i)));

		for (int j = 0; j < memberships->n_members; j++)
		{
			Form_pg_auth_members membership =
				(Form_pg_auth_members) GETSTRUCT(&memberships->members[j]->tuple);

			if (membership_is_chosen(membership) && superuser_arg(membership->grantor))
				roles = list_append_unique_oid(roles, membership->roleid);
		}
		ReleaseSysCacheList(memberships);
	}
	return role != group && list_member_oid(roles, group);
}

/* The current role may be the group itself: SET ROLE gives a role no more rights. */
static bool
are_chosen(Oid role, Oid current, const char *kind)
{
	Oid group;

	if (superuser_arg(role) && superuser_arg(current))
		return true;
	group = admin_role(kind);
	return (superuser_arg(role) || is_chosen(role, group)) &&
		   (current == group || superuser_arg(current) || is_chosen(current, group));
}

bool
admin_allowed(void)
{
	return are_chosen(GetSessionUserId(), acting_reader().current, "admin");
}

/* A function of an auditor may show others a part, so its owner alone decides there. */
bool
admin_sees_all(void)
{
	Reader reader = acting_reader();

	return are_chosen(reader.owner, reader.current, "auditor");
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

/* dpobj_internal.sees_all() -> boolean */
PG_FUNCTION_INFO_V1(dpobj_sees_all);
Datum
dpobj_sees_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(admin_sees_all());
}
