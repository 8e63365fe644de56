/*
 * accounting.c - SQL functions for the accountants of core/accounting/accounting.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "core/accounting/accounting.h"

#include "server/ledger/accountant.h"
#include "server/ledger/charge_cost.h"
#include "server/base/decimal.h"
#include "server/ledger/pair_terms.h"

PG_FUNCTION_INFO_V1(dpobj_rdp_orders);
Datum
dpobj_rdp_orders(PG_FUNCTION_ARGS)
{
	Datum orders[ACCOUNTING_ORDERS];

	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		orders[i] = Int32GetDatum(accounting_order[i]);
	PG_RETURN_ARRAYTYPE_P(
		construct_array(orders, ACCOUNTING_ORDERS, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* Converts a sum of costs, or what is left of a limit, to an integer from 0 to COST_MAX. */
static int64
clamped_cost(Numeric sum)
{
	Datum largest = DirectFunctionCall1(int8_numeric, Int64GetDatum(COST_MAX));
	Datum least = DirectFunctionCall1(int8_numeric, Int64GetDatum(0));
	Datum clamped = DirectFunctionCall2(numeric_smaller, NumericGetDatum(sum), largest);

	clamped = DirectFunctionCall2(numeric_larger, clamped, least);
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, clamped));
}

static AccountantTerms
terms_of(FunctionCallInfo fcinfo)
{
	AccountantTerms terms = {accountant_named(text_to_cstring(PG_GETARG_TEXT_PP(0)))};

	if (terms.kind == ACCOUNTANTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("accountant \"%s\" is not known", text_to_cstring(PG_GETARG_TEXT_PP(0)))));
	if (terms.kind == ACCOUNTANT_RDP)
	{
		terms.order = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
		if (accounting_order_place(terms.order) < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%d is not an order of Renyi divergences in the ledger", terms.order)));
	}
	return terms;
}

static bool
any_null(FunctionCallInfo fcinfo, int first)
{
	for (int i = first; i < PG_NARGS(); i++)
	{
		if (PG_ARGISNULL(i))
			return true;
	}
	return PG_ARGISNULL(0);
}

/* dpobj_internal.composed_epsilon(accountant, rdp_order, cost, delta_units) -> numeric, units of
 * 1e-9 */
PG_FUNCTION_INFO_V1(dpobj_composed_epsilon);
Datum
dpobj_composed_epsilon(PG_FUNCTION_ARGS)
{
	AccountantTerms terms;
	int64 sum;
	int64 delta;
	int64 epsilon;

	if (any_null(fcinfo, 2))
		PG_RETURN_NULL();
	terms = terms_of(fcinfo);
	if (terms.kind == ACCOUNTANT_BASIC)
		PG_RETURN_NUMERIC(PG_GETARG_NUMERIC(2));
	sum = clamped_cost(PG_GETARG_NUMERIC(2));
	delta = PG_GETARG_INT64(3);
	if (sum > 0 && delta <= 0)
		PG_RETURN_NULL();
	epsilon = terms.kind == ACCOUNTANT_ZCDP ? accounting_zcdp_epsilon(sum, delta)
											: accounting_rdp_epsilon(terms.order, sum, delta);
	if (sum == COST_MAX || epsilon == INT64_MAX)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall1(int8_numeric, Int64GetDatum(epsilon)));
}

static int64
pure_cost(const AccountantTerms *terms, int64 epsilon)
{
	Pair pair = pair_pure(epsilon);
	LossCost cost;

	accounting_cost(&pair, LOSS_AS_CLAIMED, &cost);
	return terms->kind == ACCOUNTANT_ZCDP ? cost.rho
										  : cost.rdp[accounting_order_place(terms->order)];
}

/* dpobj_internal.largest_epsilon(accountant, rdp_order, room) -> numeric, units of 1e-9 */
PG_FUNCTION_INFO_V1(dpobj_largest_epsilon);
Datum
dpobj_largest_epsilon(PG_FUNCTION_ARGS)
{
	AccountantTerms terms;
	int64 room;
	int64 low = 0;
	int64 high = EPSILON_MAX * EPSILON_ONE;

	if (any_null(fcinfo, 2))
		PG_RETURN_NULL();
	terms = terms_of(fcinfo);
	if (terms.kind == ACCOUNTANT_BASIC)
		PG_RETURN_DATUM(DirectFunctionCall2(numeric_larger, NumericGetDatum(PG_GETARG_NUMERIC(2)),
											DirectFunctionCall1(int8_numeric, Int64GetDatum(0))));
	room = clamped_cost(PG_GETARG_NUMERIC(2));
	while (low < high)
	{
		int64 middle = low + (high - low + 1) / 2;

		if (pure_cost(&terms, middle) <= room)
			low = middle;
		else
			high = middle - 1;
	}
	PG_RETURN_DATUM(DirectFunctionCall1(int8_numeric, Int64GetDatum(low)));
}

/*
 * dpobj_internal.cost_of_rows(adjacency, pair, pair_terms, epsilon_nano, delta_units, rows) ->
 * dpobj.charge_cost of a group of that many rows
 */
PG_FUNCTION_INFO_V1(dpobj_cost_of_rows);
Datum
dpobj_cost_of_rows(PG_FUNCTION_ARGS)
{
	char *adjacency = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int32 rows = PG_GETARG_INT32(5);
	Pair pair = {.epsilon = PG_GETARG_INT64(3), .delta = PG_GETARG_INT64(4)};
	ChargeCost cost;
	TupleDesc descriptor;
	Oid types[CHARGE_COST_PARAMETERS];
	Datum values[CHARGE_COST_PARAMETERS];
	bool nulls[CHARGE_COST_PARAMETERS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (rows < 1 || rows > PAIR_GROUP_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a group must have between 1 and %d rows", PAIR_GROUP_MAX)));
	pair_read(text_to_cstring(PG_GETARG_TEXT_PP(1)), PG_GETARG_JSONB_P(2), &pair);
	pair = pair_of_group(&pair, rows);
	charge_cost_of(&pair, adjacency_named(adjacency), &cost);
	charge_cost_parameters(&cost, types, values);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}
