/*
 * charge_budget.c - the charge worker's checks and sums of budgets.
 *
 * The row of a budget holds the sum of its charges.  The row is locked before the comparison, and
 * the transaction that writes the charge adds the cost.  If a sum is not known, a separate
 * statement computes it from the counted charges (charge_count.c): under READ COMMITTED its
 * snapshot has every charge that was committed while this transaction waited for the row.  All
 * comparisons are between integers.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/base/extension.h"
#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_identity.h"
#include "server/ledger/charge_plan.h"
#include "server/ledger/charge_setting.h"
#include "server/base/dpobj.h"

/* ---- Locks ------------------------------------------------------------------ */

/* The class of the object locks is not a catalog, so nothing else takes these locks. */
static Oid
lock_class(void)
{
	return extension_table("budget_rows");
}

void
charge_lock_table(Oid table, bool exclusive)
{
	LockDatabaseObject(lock_class(), table, 0, exclusive ? ExclusiveLock : ShareLock);
}

static void
lock_all(ArrayType *tables)
{
	Oid *table = (Oid *) ARR_DATA_PTR(tables);

	for (int i = 0; i < ARR_DIMS(tables)[0]; i++)
		charge_lock_table(table[i], false);
}

static void
unlock_all(ArrayType *tables)
{
	Oid *table = (Oid *) ARR_DATA_PTR(tables);

	for (int i = 0; i < ARR_DIMS(tables)[0]; i++)
		UnlockDatabaseObject(lock_class(), table[i], 0, ShareLock);
}

/*
 * Locks the table and its relatives against changes of budgets, protections and lineage until the
 * charge has committed: a transaction that computes the sum of a new budget must see all charges
 * that did not see the budget.  Relatives are also a former parent, and another parent of a child.
 * New relatives may appear while this transaction waits for a lock, so it looks again.
 */
static void
lock_tables(ChargeParties *parties)
{
	ArrayType *tables = charge_find_family(parties);

	for (;;)
	{
		ArrayType *now;

		lock_all(tables);
		now = charge_find_family(parties);
		if (VARSIZE(now) == VARSIZE(tables) && memcmp(now, tables, VARSIZE(now)) == 0)
			return;
		unlock_all(tables); /* to take all locks in order again */
		tables = now;
	}
}

/* ---- Budgets ---------------------------------------------------------------- */

static bool
budget_is_required(const ChargeRequest *request)
{
	const char *setting = charge_setting(request->role, "dpobj.require_budget");
	bool required = dpobj_require_budget;

	if (request->budget_required || superuser_arg(request->role))
		return request->budget_required;
	if (setting != NULL)
		(void) parse_bool(setting, &required);
	return required;
}

void
charge_deny_without_budget(ChargeRequest *request)
{
	request->denied = true;
	ereport(ERROR,
			(errcode(ERRCODE_DPOBJ_NO_BUDGET),
			 errmsg("role \"%s\" has no privacy budget on this table",
					charge_request_text(request, CHARGE_TEXT_ROLE)),
			 request->temporary
				 ? errdetail("No budget can be set on a temporary table.")
				 : errdetail("A budget counts after the transaction that set it has committed."),
			 request->temporary
				 ? errhint("Copy the rows into a permanent table.")
				 : errhint("Ask a member of dpobj_admin for a budget: dpobj.set_budget(relation, "
						   "role, epsilon, delta).")));
}

void
charge_deny_exhausted(char *budget)
{
	char *hint = strrchr(budget, '\n');

	*hint++ = '\0';
	ereport(ERROR, (errcode(ERRCODE_DPOBJ_BUDGET_EXHAUSTED), errmsg("privacy budget exhausted"),
					errdetail_internal("%s", budget), errhint("%s", hint)));
}

/* ---- Sums ------------------------------------------------------------------- */

void
charge_forget_sums(void)
{
	static const char *const statement =
		"UPDATE dpobj.budget_rows SET cost_spent = NULL, delta_spent = NULL, releases_spent = NULL";

	(void) charge_query(statement, 0, NULL, NULL);
}

/* Does budget b count charges of the payers?  Budgets for all roles and the owner's limit do. */
#define OF_OWNER CppAsString2(BUDGET_OF_OWNER)
#define COUNTS "(coalesce(b.role, " OF_OWNER ") = " OF_OWNER " OR b.role = ANY ($11))"

/*
 * u.adjacency is the unit of budget u.id.  It is joined, because PostgreSQL would not inline a
 * function in SQL if an argument were a subquery, and parses and plans each call that is not inlined.
 */
#define UNITS                                                                                      \
	"(SELECT k.id, coalesce(p.adjacency, 'replace') AS adjacency FROM dpobj.budget_rows k"         \
	" LEFT JOIN dpobj.units p ON p.relation = k.relation WHERE k.relation = ANY ($9)) u"

/* The cost of the charge in the units of budget b: its accountant, and its table's or population's
 * adjacency. */
#define ASKED CHARGE_COST_ROW
#define ASKED_COST                                                                                 \
	"dpobj_internal.cost_under(" ASKED ", u.adjacency, b.accountant,"                              \
	" array_position(dpobj_internal.rdp_orders(), b.rdp_order))"
#define ASKED_DELTA "dpobj_internal.delta_under(" ASKED ", u.adjacency, b.accountant)"

/* Parameters of the statements below: $1 to $8 the cost, $9 the family, $10 tables, $11 payers. */
typedef struct CostArguments
{
	Oid types[CHARGE_COST_PARAMETERS + 3];
	Datum values[CHARGE_COST_PARAMETERS + 3];
} CostArguments;

static void
cost_arguments(const ChargeRequest *request, const ChargeParties *parties, CostArguments *arguments)
{
	Oid *types = arguments->types + CHARGE_COST_PARAMETERS;
	Datum *values = arguments->values + CHARGE_COST_PARAMETERS;

	charge_cost_parameters(&request->cost, arguments->types, arguments->values);
	types[0] = types[1] = types[2] = INT8ARRAYOID;
	values[0] = parties->family;
	values[1] = parties->tables;
	values[2] = parties->payers;
}

/*
 * Does the table of budget b share rows with the charged one now?  It may be another parent of a
 * child, or its population.  A former relative counts the charge, but cannot deny it.
 */
#define SHARES_ROWS                                                                                \
	"(b.relation = ANY ($10) OR EXISTS (SELECT FROM dpobj.population_tables t"                     \
	" WHERE t.relation = ANY ($10) AND t.population = b.relation)"                                 \
	" OR dpobj_internal.shares_rows(($10)[1], b.relation))"

/* The budgets that count a charge, as they were when all of them were locked. */
typedef struct LockedBudgets
{
	bool counted; /* are all sums known? */
	bool granted; /* is one of the table, an ancestor or a descendant, and no limit? */
	bool fits;    /* does each budget of a table that shares rows cover the cost? */
	Datum tables; /* bigint[]: the tables that share rows */
} LockedBudgets;

static bool
boolean_column(int row, int number)
{
	bool isnull;

	return DatumGetBool(charge_column(row, number, &isnull));
}

static void
lock_budgets(CostArguments *arguments, LockedBudgets *locked)
{
	static const char *const statement =
		"SELECT b.cost_spent IS NOT NULL,"
		" b.relation = ANY ($10) AND b.role IS DISTINCT FROM " OF_OWNER ", " SHARES_ROWS
		", b.relation,"
		" (b.cost_spent + " ASKED_COST " <= b.cost_limit"
		" AND b.delta_spent + " ASKED_DELTA " <= b.reserve_units"
		" AND coalesce(b.releases_spent < b.max_releases, true)) IS TRUE "
		"FROM dpobj.budget_rows b JOIN " UNITS " ON u.id = b.id WHERE b.relation = ANY ($9)"
		" AND " COUNTS " ORDER BY b.relation, b.role FOR UPDATE OF b";
	ArrayBuildState *tables = NULL;
	int budgets;
	bool isnull;

	(void) charge_query(statement, lengthof(arguments->types), arguments->types, arguments->values);
	budgets = (int) SPI_processed;
	*locked = (LockedBudgets){.counted = true, .fits = true};
	for (int i = 0; i < budgets; i++)
	{
		locked->counted = locked->counted && boolean_column(i, 1);
		locked->granted = locked->granted || boolean_column(i, 2);
		if (!boolean_column(i, 3))
			continue;
		tables = accumArrayResult(tables, charge_column(i, 4, &isnull), false, INT8OID,
								  CurrentMemoryContext);
		locked->fits = locked->fits && boolean_column(i, 5);
	}
	if (tables != NULL)
		locked->tables = makeArrayResult(tables, CurrentMemoryContext);
}

/* Computes the unknown sums of the locked budgets from the counted charges. */
static void
count_ledger(CostArguments *arguments)
{
	static const char *const statement =
		"UPDATE dpobj.budget_rows b SET cost_spent = s.cost, delta_spent = s.delta,"
		" releases_spent = s.releases FROM dpobj.budget_sums s WHERE s.id = b.id"
		" AND b.cost_spent IS NULL AND b.relation = ANY ($9) AND " COUNTS;

	(void) charge_query(statement, lengthof(arguments->types), arguments->types, arguments->values);
}

static void
deny_excess(ChargeRequest *request, CostArguments *arguments, Datum tables)
{
	static const char *const statement =
		"SELECT dpobj_internal.budget_exceeded($10, $11, " ASKED ")";
	bool isnull;
	Datum exceeded;

	arguments->values[CHARGE_COST_PARAMETERS + 1] = tables;
	(void) charge_query(statement, lengthof(arguments->types), arguments->types, arguments->values);
	exceeded = charge_column(0, 1, &isnull);
	if (isnull)
		elog(ERROR, "could not tell which privacy budget is exhausted");
	request->denied = true;
	charge_deny_exhausted(TextDatumGetCString(exceeded));
}

void
charge_check_budgets(ChargeRequest *request, ChargeParties *parties)
{
	CostArguments arguments = {{0}};
	LockedBudgets locked;

	lock_tables(parties);
	cost_arguments(request, parties, &arguments);
	lock_budgets(&arguments, &locked);
	if (!locked.granted && budget_is_required(request))
		charge_deny_without_budget(request);
	if (!locked.counted)
	{
		count_ledger(&arguments);
		lock_budgets(&arguments, &locked);
	}
	if (!locked.fits)
		deny_excess(request, &arguments, locked.tables);
}

void
charge_count_release(const ChargeRequest *request, const ChargeParties *parties)
{
	static const char *const statement =
		"UPDATE dpobj.budget_rows b SET cost_spent = b.cost_spent + " ASKED_COST
		", delta_spent = b.delta_spent + " ASKED_DELTA ", releases_spent = b.releases_spent + 1"
		" FROM " UNITS " WHERE u.id = b.id AND b.relation = ANY ($9) AND " COUNTS;
	CostArguments arguments = {{0}};

	cost_arguments(request, parties, &arguments);
	(void) charge_query(statement, lengthof(arguments.types), arguments.types, arguments.values);
}
