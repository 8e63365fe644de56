/*
 * charge_cost.c - the cost of a release, as parameters of SQL statements.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/ledger/charge_cost.h"

void
charge_cost_of(const Pair *pair, Adjacency adjacency, ChargeCost *cost)
{
	memset(cost, 0, sizeof(*cost));
	cost->adjacency = adjacency;
	cost->epsilon = pair->epsilon;
	cost->delta = pair->delta;
	accounting_cost(pair, LOSS_AS_CLAIMED, &cost->own);
	if (adjacency == ADJACENCY_ADD_REMOVE)
		accounting_cost(pair, LOSS_OF_A_REPLACEMENT, &cost->replaced);
}

static Datum
divergences(const LossCost *cost)
{
	Datum values[ACCOUNTING_ORDERS];

	for (int i = 0; i < ACCOUNTING_ORDERS; i++)
		values[i] = Int64GetDatum(cost->rdp[i]);
	return PointerGetDatum(construct_array(values, ACCOUNTING_ORDERS, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

const char *const charge_cost_columns[CHARGE_COST_PARAMETERS] = {
	"adjacency", "epsilon_nano", "delta_units", "rho_pico",
	"rho_delta", "rdp_pico",     "rdp_delta",   "rdp_replaced"};

void
charge_cost_parameters(const ChargeCost *cost, Oid *types, Datum *values)
{
	static const Oid types_of[CHARGE_COST_PARAMETERS] = {
		TEXTOID, INT8OID, INT8OID, INT8OID, INT8OID, INT8ARRAYOID, INT8OID, INT8ARRAYOID};
	bool replaced = cost->adjacency == ADJACENCY_ADD_REMOVE;

	memcpy(types, types_of, sizeof(types_of));
	values[0] = CStringGetTextDatum(adjacency_name(cost->adjacency));
	values[1] = Int64GetDatum(cost->epsilon);
	values[2] = Int64GetDatum(cost->delta);
	values[3] = Int64GetDatum(cost->own.rho);
	values[4] = Int64GetDatum(cost->own.rho_delta);
	values[5] = divergences(&cost->own);
	values[6] = Int64GetDatum(cost->own.rdp_delta);
	values[7] =
		replaced ? divergences(&cost->replaced) : PointerGetDatum(construct_empty_array(INT8OID));
}
