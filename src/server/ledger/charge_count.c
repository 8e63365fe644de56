/*
 * charge_count.c - the ledger's charges, counted by kind: dpobj.charge_counts.
 *
 * Sums of budgets and the report read these counts instead of the ledger.  A trigger counts the
 * rows that a statement inserts into the ledger, so that the rows of a restored dump are counted
 * too.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "server/ledger/charge_count.h"
#include "server/ledger/charge_plan.h"

#define KEY "block, relation_identity, epsilon_nano"
#define TERMS                                                                                      \
	"role_identity, payers, mechanism, adjacency, person, guarantee, pair, pair_terms,"            \
	" delta_units, rho_pico, rho_delta, rdp_pico, rdp_delta, rdp_replaced"

PG_FUNCTION_INFO_V1(dpobj_count_charges);

/* Is any of the rows that the statement has added a charge?  Others lock nothing here. */
static bool
any_charge(Tuplestorestate *added, TupleDesc descriptor)
{
	int event = SPI_fnumber(descriptor, "event");
	TupleTableSlot *slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
	bool found = false;

	tuplestore_rescan(added);
	while (!found && tuplestore_gettupleslot(added, true, false, slot))
	{
		bool isnull;
		Datum value = slot_getattr(slot, event, &isnull);

		found = !isnull && strcmp(TextDatumGetCString(value), "charged") == 0;
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(added);
	return found;
}

/*
 * Adds to a row that no other transaction has locked, or inserts a row, so that charges do not wait
 * for each other and cannot deadlock.
 */
Datum
dpobj_count_charges(PG_FUNCTION_ARGS)
{
	static const char *const statement =
		"WITH new AS (SELECT row_number() OVER () AS number, k.* FROM"
		" (SELECT id >> 16 AS block, relation_identity, epsilon_nano, " TERMS ","
		" count(*) AS times, max(id) AS last FROM added WHERE event = 'charged' GROUP BY " KEY
		", " TERMS ") k),"
		" met AS (SELECT n.number, n.times, n.last, c.id FROM new n CROSS JOIN LATERAL"
		" (SELECT o.id FROM dpobj.charge_counts o WHERE o.block = n.block"
		" AND o.relation_identity = n.relation_identity AND o.epsilon_nano = n.epsilon_nano"
		" AND (o.role_identity, o.payers, o.mechanism, o.adjacency, o.person, o.guarantee, o.pair,"
		" o.pair_terms, o.delta_units, o.rho_pico, o.rho_delta, o.rdp_pico, o.rdp_delta,"
		" o.rdp_replaced) IS NOT DISTINCT FROM (n.role_identity, n.payers, n.mechanism,"
		" n.adjacency, n.person, n.guarantee, n.pair, n.pair_terms, n.delta_units, n.rho_pico,"
		" n.rho_delta, n.rdp_pico, n.rdp_delta, n.rdp_replaced)"
		" LIMIT 1 FOR UPDATE SKIP LOCKED) c),"
		" grown AS (UPDATE dpobj.charge_counts c SET times = c.times + m.times,"
		" last = greatest(c.last, m.last) FROM met m"
		" WHERE c.id = m.id)"
		" INSERT INTO dpobj.charge_counts (" KEY ", " TERMS ", times, last)"
		" SELECT " KEY ", " TERMS ", times, last FROM new n"
		" WHERE n.number NOT IN (SELECT m.number FROM met m)";
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || trigger->tg_newtable == NULL)
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("function can only be called as a trigger on the ledger")));
	if (!any_charge(trigger->tg_newtable, RelationGetDescr(trigger->tg_relation)))
		PG_RETURN_POINTER(NULL);
	SPI_connect();
	if (SPI_register_trigger_data(trigger) != SPI_OK_TD_REGISTER ||
		charge_run(statement, 0, NULL, NULL, NULL) != SPI_OK_INSERT)
		elog(ERROR, "could not count a charge");
	SPI_finish();
	PG_RETURN_POINTER(NULL);
}

void
charge_recount(void)
{
	static const char *const lock = "LOCK TABLE dpobj.charge_counts IN SHARE ROW EXCLUSIVE MODE";
	static const char *const forget = "DELETE FROM dpobj.charge_counts";
	static const char *const count =
		"INSERT INTO dpobj.charge_counts (" KEY ", " TERMS ", times, last)"
		" SELECT " KEY ", " TERMS ", times, last FROM dpobj.charge_kinds";

	(void) charge_query(lock, 0, NULL, NULL);
	(void) charge_query(forget, 0, NULL, NULL);
	(void) charge_query(count, 0, NULL, NULL);
}
