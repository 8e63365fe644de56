/*
 * part_check.c - dpobj.check_parts(): can each part of a table be read, and what does its server
 * show of the rows to others?
 *
 * A part is opened as for a release, but nothing is charged and no row is read.  Each attempt is a
 * subtransaction: what a release would be refused for is a row of the answer, and the next part is
 * asked all the same.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/resowner.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/argument.h"
#include "server/base/materialize.h"
#include "server/ledger/budget.h"
#include "server/ledger/charge_tables.h"
#include "server/rows/protection.h"
#include "server/rows/scan_parts.h"
#include "server/rows/scan_tables.h"

/* Milliseconds that a part may wait for its lock. */
#define LOCK_TIME 5000

typedef struct PartCheck
{
	Tuplestorestate *set;
	TupleDesc descriptor;
	Oid relation;
	bool ignore_rls;
	ScanShape shape; /* all declared columns; none if the table is not protected */
	Encoders features;
	Filter filter;
	Column person;
	List *parts;
	RemotePart *part;   /* that is asked */
	const char *server; /* of the rows that come */
} PartCheck;

/* problem: NULL if there is none; then there is nothing to do. */
static void
put_row(const PartCheck *check, const char *what, const char *problem, const char *to_do)
{
	const char *text[] = {check->server, what, problem, problem == NULL ? NULL : to_do};
	Datum values[lengthof(text)];
	bool nulls[lengthof(text)];

	for (int i = 0; i < lengthof(text); i++)
	{
		nulls[i] = text[i] == NULL;
		values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(text[i]);
	}
	tuplestore_putvalues(check->set, check->descriptor, values, nulls);
}

/* ---- attempts ---- */

static bool
is_end(int sqlstate)
{
	return ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_OPERATOR_INTERVENTION;
}

/* Calls the function in a subtransaction; returns its error, or NULL. */
static ErrorData *
attempt(void (*function)(PartCheck *), PartCheck *check)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		/* what it allocates lasts until the transaction ends, or the error, which closes links */
		function(check);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (is_end(error->sqlerrcode))
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

/* A row for what was attempted. */
static void
put_attempt(const PartCheck *check, const char *what, const ErrorData *error)
{
	if (error == NULL)
		put_row(check, what, NULL, NULL);
	else
		put_row(check, what,
				error->detail == NULL ? error->message
									  : psprintf("%s: %s", error->message, error->detail),
				error->hint);
}

/* ---- what is asked ---- */

static void
list_parts(PartCheck *check)
{
	check->parts = scan_list_parts(find_all_inheritors(check->relation, AccessShareLock, NULL));
}

static void
check_person(PartCheck *check)
{
	scan_check_person(check->relation, check->person.name);
}

static void
open_part(PartCheck *check)
{
	const char *busy = NULL;
	ScanParts *opened = scan_parts_open(list_make1(check->part), check->relation, check->ignore_rls,
										&check->shape, LOCK_TIME, &busy);

	if (opened == NULL)
		ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
						errmsg("part \"%s\" is being changed by other transactions", busy),
						errhint("Try again.")));
	scan_parts_check(opened);
	scan_parts_close(opened);
}

static void
put_exposure(HeapTuple row, TupleDesc descriptor, void *context)
{
	char *text[3];

	for (int i = 0; i < lengthof(text); i++)
		text[i] = SPI_getvalue(row, descriptor, i + 1);
	if (text[0] != NULL)
		put_row(context, text[0], text[1], text[2]);
}

static void
put_exposures(PartCheck *check)
{
	static const char *const statement =
		"SELECT e.what, e.problem, e.to_do FROM pg_catalog.jsonb_to_recordset($1::jsonb)"
		" AS e(what text, problem text, to_do text)";
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(scan_parts_exposures(check->part))};

	admin_read(statement, lengthof(types), types, values, put_exposure, check);
}

static void
put_exposures_here(PartCheck *check)
{
	admin_read("SELECT what, problem, to_do FROM dpobj_internal.exposures('coordinator')", 0, NULL,
			   NULL, put_exposure, check);
}

/* ---- the function ---- */

/* What a release of all declared columns would ask the parts for. */
static void
make_shape(PartCheck *check)
{
	Relation relation = acting_open(check->relation, AccessShareLock);
	Protection protection;

	filter_parse(NULL, RelationGetDescr(relation), &check->filter);
	check->shape = (ScanShape){.features = &check->features, .filter = &check->filter};
	if (protection_find(relation, &protection))
	{
		check->ignore_rls = protection.ignore_rls;
		protection_encoders(&protection, RelationGetDescr(relation), NIL, NULL, NIL,
							&check->features);
		if (protection_person(&protection, RelationGetDescr(relation), &check->person))
		{
			check->shape.person = &check->person;
			check->shape.max_rows_per_person = protection.max_rows_per_person;
		}
	}
	relation_close(relation, NoLock);
}

/* Each part is asked whether it can be read, and each server once what it shows. */
static void
check_servers(PartCheck *check)
{
	List *servers = NIL;
	bool here = false;
	ListCell *cell;

	foreach (cell, check->parts)
	{
		String *server;
		ErrorData *error;

		check->part = lfirst(cell);
		check->server = part_place(check->part);
		error = attempt(open_part, check);
		put_attempt(check, psprintf("part %s", check->part->name), error);
		here = here || !check->part->provider->needs_mark;
		server = makeString(unconstify(char *, check->server));
		if (list_member(servers, server))
			continue;
		servers = lappend(servers, server);
		error = attempt(put_exposures, check);
		if (error != NULL)
			put_attempt(check, "what it shows", error);
	}
	check->server = "this server";
	if (here)
		put_exposures_here(check);
}

/* dpobj.check_parts(relation) */
PG_FUNCTION_INFO_V1(dpobj_check_parts);
Datum
dpobj_check_parts(PG_FUNCTION_ARGS)
{
	PartCheck *check = palloc0(sizeof(PartCheck));
	ErrorData *error;

	check->relation = DatumGetObjectId(argument_value(fcinfo, 0, "relation"));
	if (!admin_allowed())
		budget_require_owner(check->relation, "dpobj.check_parts()");
	charge_tables_check_topmost(check->relation, "Check the topmost parent.");
	check->set = materialize_begin(fcinfo, &check->descriptor);
	check->server = "this server";
	make_shape(check);
	error = attempt(list_parts, check);
	if (error != NULL)
		put_attempt(check, "parts", error);
	if (check->shape.person != NULL)
		put_attempt(check, "persons", attempt(check_person, check));
	check_servers(check);
	return (Datum) 0;
}
