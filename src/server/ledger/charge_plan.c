/*
 * charge_plan.c - runs the statements of a charge; the writer keeps their plans.
 *
 * Planning takes longer than running, so a writer keeps the plans; a worker of one event would gain
 * nothing.  PostgreSQL replans when a table, a function or the search path has changed.
 */
#include "postgres.h"

#include "executor/spi.h"

#include "server/base/extension.h"
#include "server/ledger/charge_plan.h"

typedef struct KeptPlan
{
	const char *statement;
	bool has_internal; /* an update of the extension changes it, and the statement's text */
	SPIPlanPtr plan;
} KeptPlan;

static bool keep_plans = false;
static KeptPlan kept_plans[96]; /* more than twice the number of statements */
static int kept_count = 0;

void
charge_keep_plans(void)
{
	keep_plans = true;
}

static SPIPlanPtr
kept_plan(const char *statement, int count, Oid *types)
{
	bool has_internal = extension_has_internal();
	SPIPlanPtr plan;

	for (int i = 0; i < kept_count; i++)
	{
		if (kept_plans[i].statement == statement && kept_plans[i].has_internal == has_internal)
			return kept_plans[i].plan;
	}
	if (kept_count == lengthof(kept_plans))
		elog(ERROR, "too many statements of the privacy ledger");
	plan = SPI_prepare(extension_statement(statement), count, types);
	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "could not prepare a statement of the privacy ledger");
	kept_plans[kept_count++] = (KeptPlan){statement, has_internal, plan};
	return plan;
}

int
charge_run(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	if (keep_plans)
		return SPI_execute_plan(kept_plan(statement, count, types), values, nulls, false, 0);
	return SPI_execute_with_args(extension_statement(statement), count, types, values, nulls, false,
								 0);
}

bool
charge_query(const char *statement, int count, Oid *types, Datum *values)
{
	if (charge_run(statement, count, types, values, NULL) < 0)
		elog(ERROR, "could not read or write the privacy budgets");
	return SPI_processed > 0;
}

Datum
charge_column(uint64 row, int number, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number, isnull);
}

char *
charge_column_text(uint64 row, int number)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number);
}
