/*
 * compat.h - the differences between PostgreSQL 14 and 19; no other file tests the version.
 *
 * Names are those of the newest version.  scripts/majors.sh tests 15, 17 and 18; 19 was tried.
 * 14 and 16 are not tested.
 */
#ifndef DPOBJ_COMPAT_H
#define DPOBJ_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 200000
#error "dpobj knows PostgreSQL 14, 15, 16, 17, 18 and 19; see docs/install.md"
#endif

#include "access/transam.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "nodes/subscripting.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif

/* ---- The module ------------------------------------------------------------- */

/* The magic block has the name and version of the module since PostgreSQL 18. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* The function that reserves a prefix of settings had another name before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Shared memory is requested in a hook since PostgreSQL 15, and by _PG_init() itself before. */
#if PG_VERSION_NUM < 150000
typedef void (*shmem_request_hook_type)(void);
#endif

/* Installs the hook; request must call *next first, unless *next is NULL. */
static inline void
chain_shmem_request(shmem_request_hook_type *next, shmem_request_hook_type request)
{
#if PG_VERSION_NUM >= 150000
	*next = shmem_request_hook;
	shmem_request_hook = request;
#else
	*next = NULL;
	request();
#endif
}

/* ---- Settings --------------------------------------------------------------- */

/* The setting that makes a parallel worker run the whole plan. */
#if PG_VERSION_NUM >= 160000
#define FORCE_PARALLEL "debug_parallel_query"
#else
#define FORCE_PARALLEL "force_parallel_mode"
#endif

/* transaction_timeout is new in PostgreSQL 17; statement_timeout has no effect in workers. */
#if PG_VERSION_NUM >= 170000
#define TRANSACTION_TIMEOUT "transaction_timeout"
#else
#define TRANSACTION_TIMEOUT "statement_timeout"
#endif

/* work_mem times hash_mem_multiplier, in bytes. */
#if PG_VERSION_NUM < 150000
#define get_hash_memory_limit() ((Size) get_hash_mem() * 1024)
#endif

/* ---- The server ------------------------------------------------------------- */

/* The timeline was a global variable before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define GetWALInsertionTimeLine() ThisTimeLineID
#endif

/* The index of a process among all. */
#if PG_VERSION_NUM < 170000
#define GetNumberFromPGProc(process) ((process)->pgprocno)
#endif

/* The process of a virtual transaction; NULL if it has ended. */
#if PG_VERSION_NUM >= 170000
#define process_of(vxid) ProcNumberGetProc((vxid).procNumber)
#else
#define process_of(vxid) BackendIdGetProc((vxid).backendId)
#endif

#if PG_VERSION_NUM >= 160000
#define owns_table(table, role) object_ownercheck(RelationRelationId, table, role)
#else
#define owns_table(table, role) pg_class_ownercheck(table, role)
#endif

/*
 * Since PostgreSQL 16 the creator of a role is a member of it, with a superuser as the grantor and
 * with no right but to grant the role.  No superuser chose such a membership.
 */
#if PG_VERSION_NUM >= 160000
#define membership_is_chosen(membership) ((membership)->inherit_option || (membership)->set_option)
#else
#define membership_is_chosen(membership) true
#endif

/* Virtual generated columns are new in PostgreSQL 18. */
#if PG_VERSION_NUM < 180000
#define ATTRIBUTE_GENERATED_VIRTUAL 'v'
#endif

/* ---- Plans ------------------------------------------------------------------ */

/*
 * Says whether the server's own code reads elements of the type and, if leakproof, cannot fail.
 * Extensions can bring code for subscripts.
 */
static inline bool
subscript_is_known(Oid type, bool leakproof)
{
	const SubscriptRoutines *routines = getSubscriptingRoutines(type, NULL);

	return routines != NULL && get_typsubscript(type, NULL) < FirstGenbkiObjectId &&
		   (!leakproof || routines->fetch_leakproof);
}

/* ---- Privileges ------------------------------------------------------------- */

#if PG_VERSION_NUM >= 160000
#define routine_aclcheck(oid, role) object_aclcheck(ProcedureRelationId, oid, role, ACL_EXECUTE)
#define schema_aclcheck(oid, role) object_aclcheck(NamespaceRelationId, oid, role, ACL_USAGE)
#else
#define routine_aclcheck(oid, role) pg_proc_aclcheck(oid, role, ACL_EXECUTE)
#define schema_aclcheck(oid, role) pg_namespace_aclcheck(oid, role, ACL_USAGE)
#endif

/*
 * Who SET SESSION AUTHORIZATION asks.  Releases before November 2024 (14.15, 15.10, 16.6, 17.2) do
 * not have the function.
 */
#if PG_VERSION_NUM >= 170000
#define set_authenticated_user(role, is_superuser) SetAuthenticatedUserId(role)
#else
#define set_authenticated_user(role, is_superuser) SetAuthenticatedUserId(role, is_superuser)
#endif

/* ---- Interrupts ------------------------------------------------------------- */

/* transaction_timeout is new in PostgreSQL 17. */
#if PG_VERSION_NUM < 170000
#define TransactionTimeoutPending false
#endif

/* ---- Waiting ---------------------------------------------------------------- */

/* Wait event sets belong to resource owners since PostgreSQL 17. */
#if PG_VERSION_NUM >= 170000
#define create_wait_set(events) CreateWaitEventSet(CurrentResourceOwner, events)
#else
#define create_wait_set(events) CreateWaitEventSet(CurrentMemoryContext, events)
#endif

/* ---- Values ----------------------------------------------------------------- */

/* A jsonb that is made piece by piece, from {0}; the value is whole after the last piece. */
#if PG_VERSION_NUM >= 190000
typedef JsonbInState JsonbPieces;
#define add_jsonb_piece(pieces, token, value)                                                      \
	(pushJsonbValue(pieces, token, value), (pieces)->result)
#else
typedef JsonbParseState *JsonbPieces;
#define add_jsonb_piece(pieces, token, value) pushJsonbValue(pieces, token, value)
#endif

#ifndef strtoi64
#define strtoi64(string, end, base) ((int64) strtoll(string, end, base))
#endif

/* ---- Queries ---------------------------------------------------------------- */

/*
 * The expressions behind the columns of a grouped query, which are columns of a table of their own
 * since PostgreSQL 18; NIL for any other table.
 */
static inline List *
grouped_columns(const RangeTblEntry *table)
{
#if PG_VERSION_NUM >= 180000
	if (table->rtekind == RTE_GROUP)
		return table->groupexprs;
#endif
	return NIL;
}

/* Views that are read with the rights of the caller are new in PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define RelationHasSecurityInvoker(view) false
#endif

/* Is no row of the table NULL in that column?  A constraint may be not valid since PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define column_is_never_null(descriptor, number)                                                   \
	(TupleDescCompactAttr(descriptor, (number) -1)->attnullability == ATTNULLABLE_VALID)
#else
#define column_is_never_null(descriptor, number)                                                   \
	(TupleDescAttr(descriptor, (number) -1)->attnotnull)
#endif

/* Analyzes one statement with parameters of known types; a list of Query. */
#if PG_VERSION_NUM >= 150000
#define analyze_statement(statement, text, types, count)                                           \
	pg_analyze_and_rewrite_fixedparams(statement, text, types, count, NULL)
#else
#define analyze_statement(statement, text, types, count)                                           \
	pg_analyze_and_rewrite(statement, text, types, count, NULL)
#endif

/* The planner is told what EXPLAIN asks for since PostgreSQL 19. */
#if PG_VERSION_NUM >= 190000
#define EXPLAIN_PARAMETER , struct ExplainState *explain
#define EXPLAIN_ARGUMENT , explain
#define plan_statement(query, text, options, parameters)                                           \
	pg_plan_query(query, text, options, parameters, NULL)
#else
#define EXPLAIN_PARAMETER
#define EXPLAIN_ARGUMENT
#define plan_statement(query, text, options, parameters)                                           \
	pg_plan_query(query, text, options, parameters)
#endif

/* Runs a started query for some more rows. */
#if PG_VERSION_NUM >= 180000
#define run_for_rows(query, rows) ExecutorRun(query, ForwardScanDirection, rows)
#else
#define run_for_rows(query, rows) ExecutorRun(query, ForwardScanDirection, rows, false)
#endif

/* Does a pathkey sort upwards? */
#if PG_VERSION_NUM >= 180000
#define pathkey_ascends(key) ((key)->pk_cmptype == COMPARE_LT)
#else
#define pathkey_ascends(key) ((key)->pk_strategy == BTLessStrategyNumber)
#endif

/* A scan that computes its output columns itself says so since PostgreSQL 15. */
#ifndef CUSTOMPATH_SUPPORT_PROJECTION
#define CUSTOMPATH_SUPPORT_PROJECTION 0
#endif

#endif
