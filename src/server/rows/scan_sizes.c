/*
 * scan_sizes.c - counts the rows of a table, where their number is public.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "server/base/acting.h"
#include "server/base/gate.h"
#include "server/rows/scan.h"
#include "server/rows/scan_state.h"
#include "server/rows/scan_tables.h"

/* No value of a row is looked at. */
int64
scan_count_table(Relation table, Snapshot snapshot)
{
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan = table_beginscan_strat(table, snapshot, 0, NULL, true, true);
	int64 rows = 0;
	Acting before;

	acting_note(&before);
	acting_set_quiet();
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		GATE_CHECK_FOR_INTERRUPTS();
		rows++;
	}
	acting_end(&before);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return rows;
}

/* NaN for a table whose rows another server has. */
static double
count_of(Relation table)
{
	Snapshot snapshot;
	int64 rows;

	if (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		return 0;
	if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		return NAN;
	snapshot = RegisterSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	rows = scan_count_table(table, snapshot);
	UnregisterSnapshot(snapshot);
	return (double) rows;
}

/* The sum over a table and its descendants. */
static int64
count_rows(Oid relation)
{
	double rows = 0;
	List *parents;
	List *locked;
	ListCell *cell;

	locked = scan_lock(relation, &parents);
	foreach (cell, locked)
	{
		Relation table = acting_open(lfirst_oid(cell), NoLock);

		rows += count_of(table);
		relation_close(table, NoLock);
	}
	scan_unlock(locked, parents);
	return isnan(rows) ? 0 : (int64) Max(rows, 1);
}

/* An end from outside is no error of the count. */
static bool
is_interruption(int sqlstate)
{
	return ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_OPERATOR_INTERVENTION ||
		   sqlstate == ERRCODE_LOCK_NOT_AVAILABLE || sqlstate == ERRCODE_T_R_DEADLOCK_DETECTED;
}

int64
scan_count_rows(Oid relation)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	bool exit_on_error = ExitOnAnyError;
	volatile int64 rows = 0;

	/* Its workers read rows before the charge as well, so an error here tells nothing more. */
	if (IsInParallelMode())
		return count_rows(relation);
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		/* An error that ends the session, or a warning, would tell the caller of a damaged page. */
		ExitOnAnyError = false;
		acting_set("client_min_messages", "error");
		rows = count_rows(relation);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		ExitOnAnyError = exit_on_error;
		if (is_interruption(geterrcode()))
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	ExitOnAnyError = exit_on_error;
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return rows;
}
