/*
 * seen_query.c - queries on what a role may see of dpobj's tables.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "jit/jit.h"
#include "nodes/parsenodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "server/base/acting.h"
#include "server/base/admin.h"
#include "server/base/compat.h"
#include "server/base/materialize.h"
#include "server/base/seen_query.h"

/* Where the rows of a running query go. */
typedef struct RowReceiver
{
	DestReceiver receiver;
	Tuplestorestate *set;
} RowReceiver;

struct SeenQuery
{
	QueryDesc *running;
	RowReceiver rows;
	Reader reader;
	bool ended;
};

/* dpobj_internal.reader() -> oid */
PG_FUNCTION_INFO_V1(dpobj_reader);
Datum
dpobj_reader(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(acting_reader().owner);
}

/* ---- one query ---- */

static bool
put_row(TupleTableSlot *slot, DestReceiver *self)
{
	tuplestore_puttupleslot(((RowReceiver *) self)->set, slot);
	return true;
}

static void
begin_rows(DestReceiver *self, int operation, TupleDesc descriptor)
{
}

static void
end_rows(DestReceiver *self)
{
}

static QueryDesc *
start(const char *statement, ParamListInfo parameters, Snapshot snapshot, bool some,
	  DestReceiver *receiver)
{
	int count = parameters == NULL ? 0 : parameters->numParams;
	Oid *types = palloc(sizeof(Oid) * (count + 1));
	QueryDesc *query;
	PlannedStmt *plan;

	for (int i = 0; i < count; i++)
		types[i] = parameters->params[i].ptype;
	plan = plan_statement(
		linitial(analyze_statement(linitial(pg_parse_query(statement)), statement, types, count)),
		statement, some ? CURSOR_OPT_FAST_PLAN : 0, parameters);
	/* To compile takes longer than to fetch the few rows that are mostly wanted. */
	plan->jitFlags = PGJIT_NONE;
	query =
		CreateQueryDesc(plan, statement, snapshot, InvalidSnapshot, receiver, parameters, NULL, 0);
	ExecutorStart(query, 0);
	return query;
}

/* Runs a step of the query as the owner, for its reader: its start, or some rows. */
#define AS_OWNER(query, snapshot, step)                                                            \
	do                                                                                             \
	{                                                                                              \
		Reader before;                                                                             \
		Acting caller;                                                                             \
                                                                                                   \
		admin_become_owner(&caller);                                                               \
		PushActiveSnapshot(snapshot);                                                              \
		before = acting_set_reader((query)->reader);                                               \
		PG_TRY();                                                                                  \
		{                                                                                          \
			step;                                                                                  \
		}                                                                                          \
		PG_FINALLY();                                                                              \
		{                                                                                          \
			(void) acting_set_reader(before);                                                      \
		}                                                                                          \
		PG_END_TRY();                                                                              \
		PopActiveSnapshot();                                                                       \
		admin_become_caller(&caller);                                                              \
	} while (0)

SeenQuery *
seen_open(const char *statement, ParamListInfo parameters, Reader reader, Snapshot snapshot,
		  bool some)
{
	SeenQuery *query = palloc0(sizeof(SeenQuery));

	query->reader = reader;
	query->rows.receiver = (DestReceiver){.receiveSlot = put_row,
										  .rStartup = begin_rows,
										  .rShutdown = end_rows,
										  .rDestroy = end_rows,
										  .mydest = DestNone};
	AS_OWNER(query, snapshot,
			 query->running = start(statement, parameters, snapshot, some, &query->rows.receiver));
	return query;
}

bool
seen_fetch(SeenQuery *query, uint64 rows, Tuplestorestate *set)
{
	if (query->ended)
		return false;
	query->rows.set = set;
	AS_OWNER(query, query->running->snapshot, run_for_rows(query->running, rows));
	query->ended = rows == 0 || query->running->estate->es_processed < rows;
	return !query->ended || query->running->estate->es_processed > 0;
}

void
seen_close(SeenQuery *query)
{
	ExecutorFinish(query->running);
	ExecutorEnd(query->running);
	FreeQueryDesc(query->running);
	pfree(query);
}

/* ---- the function ---- */

Oid
seen_view(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid view = InvalidOid;
	Form_pg_proc form;
	bool isnull;
	Datum source;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	/* Only superusers make functions in C. */
	if (form->prolang == ClanguageId && !isnull &&
		strcmp(TextDatumGetCString(source), "dpobj_see") == 0)
		view = get_typ_typrelid(form->prorettype);
	ReleaseSysCache(tuple);
	return view;
}

char *
seen_view_name(Oid view)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(view)),
									  get_rel_name(view));
}

/*
 * dpobj_internal.see_...() -> the rows of the _seen view that it returns.  In a FROM clause the
 * planner replaces the call by a scan (seen_scan.c).
 */
PG_FUNCTION_INFO_V1(dpobj_see);
Datum
dpobj_see(PG_FUNCTION_ARGS)
{
	TupleDesc descriptor;
	Tuplestorestate *set = materialize_begin(fcinfo, &descriptor);
	SeenQuery *query =
		seen_open(psprintf("SELECT * FROM %s", seen_view_name(seen_view(fcinfo->flinfo->fn_oid))),
				  NULL, acting_reader(), GetActiveSnapshot(), false);

	(void) seen_fetch(query, 0, set);
	seen_close(query);
	return (Datum) 0;
}
