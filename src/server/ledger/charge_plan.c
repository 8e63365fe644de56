/*
 * charge_plan.c - runs the statements of a charge; the writer keeps their plans.
 *
 * Planning takes longer than running, so a writer keeps the plans; a worker of one event would gain
 * nothing.  PostgreSQL replans when a table, a function or the search path has changed.
 */
#include "postgres.h"

#include "executor/spi.h"

#include "server/ledger/charge_plan.h"

typedef struct KeptPlan
{
	const char *statement;
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

static bool
has_types(SPIPlanPtr plan, int count, const Oid *types)
{
	for (int i = 0; i < count; i++)
		if (SPI_getargtypeid(plan, i) != types[i])
			return false;
	return true;
}

static SPIPlanPtr
prepare(const char *statement, int count, Oid *types)
{
	SPIPlanPtr plan = SPI_prepare(statement, count, types);

	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "could not prepare a statement of the privacy ledger");
	return plan;
}

/* The type of models is another one when the extension was dropped and created again. */
static SPIPlanPtr
kept_plan(const char *statement, int count, Oid *types)
{
	KeptPlan *kept = kept_plans;
	SPIPlanPtr plan;

	while (kept < kept_plans + kept_count && kept->statement != statement)
		kept++;
	if (kept == kept_plans + lengthof(kept_plans))
		elog(ERROR, "too many statements of the privacy ledger");
	if (kept == kept_plans + kept_count)
		*kept = (KeptPlan){statement, NULL};
	else if (has_types(kept->plan, count, types))
		return kept->plan;
	plan = prepare(statement, count, types);
	if (kept->plan == NULL)
		kept_count++;
	else
		(void) SPI_freeplan(kept->plan);
	kept->plan = plan;
	return plan;
}

int
charge_run(const char *statement, int count, Oid *types, Datum *values, const char *nulls)
{
	if (keep_plans)
		return SPI_execute_plan(kept_plan(statement, count, types), values, nulls, false, 0);
	return SPI_execute_with_args(statement, count, types, values, nulls, false, 0);
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
