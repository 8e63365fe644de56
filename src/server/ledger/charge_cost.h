/*
 * charge_cost.h - the cost of a release, as parameters of SQL statements.
 */
#ifndef DPOBJ_CHARGE_COST_H
#define DPOBJ_CHARGE_COST_H

#include "postgres.h"

#include "core/accounting/accounting.h"
#include "core/base/privacy.h"

/* The cost of a release under its own neighbours and, under add_remove, of a replacement. */
typedef struct ChargeCost
{
	Adjacency adjacency;
	int64 epsilon; /* nano-units */
	int64 delta;   /* units of 1e-18 */
	LossCost own;
	LossCost replaced; /* ADJACENCY_ADD_REMOVE only */
} ChargeCost;

extern void charge_cost_of(const Pair *pair, Adjacency adjacency, ChargeCost *cost);

/* The number of parameters. */
#define CHARGE_COST_PARAMETERS 8

/* The first parameters of a statement as a value of dpobj.charge_cost. */
#define CHARGE_COST_ROW "ROW($1, $2, $3, $4, $5, $6, $7, $8)::dpobj.charge_cost"

/* Their columns in dpobj.ledger_events, where null stands for an empty array. */
extern const char *const charge_cost_columns[CHARGE_COST_PARAMETERS];

/* Fills in the types and values of CHARGE_COST_PARAMETERS parameters; none is null. */
extern void charge_cost_parameters(const ChargeCost *cost, Oid *types, Datum *values);

#endif
