/*
 * acting.c - code of the server that runs as another role than the caller.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "server/base/acting.h"
#include "server/base/dpobj.h"

void
acting_set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

void
acting_note(Acting *before)
{
	GetUserIdAndSecContext(&before->role, &before->security);
	before->settings = NewGUCNestLevel();
	before->pages = pgBufferUsage;
}

/*
 * Since PostgreSQL 18 debug messages tell of each page that is read, and how many pages rows fill,
 * also in TOAST, depends on their values.
 */
void
acting_set_quiet(void)
{
	if (client_min_messages < NOTICE)
		acting_set("client_min_messages", "notice");
}

/*
 * Plans are not printed, because they have what the planner estimates from others' rows.  jit is
 * off because the planner overestimates dpobj's small tables and would compile queries.
 */
void
acting_begin(Oid role, Acting *before)
{
	static const char *const off[] = {"debug_print_parse", "debug_print_rewritten",
									  "debug_print_plan", "jit"};

	acting_note(before);
	SetUserIdAndSecContext(role, before->security | SECURITY_LOCAL_USERID_CHANGE |
									 SECURITY_RESTRICTED_OPERATION);
	acting_set("search_path", "pg_catalog, pg_temp");
	for (int i = 0; i < (int) lengthof(off); i++)
		acting_set(off[i], "off");
	acting_set_quiet();
}

/*
 * EXPLAIN and pg_stat_statements do not count the pages that were read meanwhile: how many these are
 * depends on the size of a table's file, or on what others have in dpobj's tables.
 */
void
acting_end(const Acting *before)
{
	pgBufferUsage = before->pages;
	AtEOXact_GUC(true, before->settings);
	SetUserIdAndSecContext(before->role, before->security);
}

void
acting_begin_owner(Relation relation, Acting *before)
{
	acting_begin(relation->rd_rel->relowner, before);
}

static Reader running_for = {InvalidOid, InvalidOid};

/* Code that is lent the rights of another role, or runs for one, reads what that role may see. */
Reader
acting_reader(void)
{
	Reader reader = {GetUserId(), GetUserId()};

	if (OidIsValid(running_for.current))
		return running_for;
	if (reader.current == GetOuterUserId() && !InLocalUserIdChange())
		reader.owner = GetSessionUserId();
	return reader;
}

Reader
acting_set_reader(Reader reader)
{
	Reader before = running_for;

	running_for = reader;
	return before;
}

Relation
acting_try_open(Oid relation, LOCKMODE lock)
{
	HeapTuple tuple;
	Acting before;
	Relation opened;

	if (lock != NoLock)
		LockRelationOid(relation, lock);
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	if (!HeapTupleIsValid(tuple))
	{
		if (lock != NoLock)
			UnlockRelationOid(relation, lock);
		return NULL;
	}
	acting_begin(((Form_pg_class) GETSTRUCT(tuple))->relowner, &before);
	ReleaseSysCache(tuple);
	opened = relation_open(relation, NoLock);
	acting_end(&before);
	return opened;
}

Relation
acting_open(Oid relation, LOCKMODE lock)
{
	Relation opened = acting_try_open(relation, lock);

	if (opened == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", relation)));
	return opened;
}

void
acting_refuse_maintenance(const char *function)
{
	if (!InSecurityRestrictedOperation())
		return;
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_NOT_ALLOWED),
					errmsg("%s is refused in a security-restricted operation", function),
					errdetail("A maintenance command calls it as role \"%s\", and the session "
							  "user is \"%s\".",
							  GetUserNameFromId(GetUserId(), false),
							  GetUserNameFromId(GetSessionUserId(), false))));
}
