/*
 * charge_cost.h - the cost of a release as arguments of SQL statements.
 */
#ifndef DPOBJ_CHARGE_COST_H
#define DPOBJ_CHARGE_COST_H

#include "postgres.h"

#include "core/accounting/accounting.h"

/* A release's cost under its own neighbours, and, under add_remove, that of a replacement. */
typedef struct ChargeCost
{
	Adjacency adjacency;
	int64 epsilon; /* nano-units */
	int64 delta;   /* units of 1e-18 */
	LossCost own;
	LossCost replaced; /* ADJACENCY_ADD_REMOVE only */
} ChargeCost;

extern void charge_cost_of(const Pair *pair, Adjacency adjacency, ChargeCost *cost);

/* How many parameters of a statement a cost takes. */
#define CHARGE_COST_PARAMETERS 8

/* These, being the statement's first ones, as a value of dpobj.charge_cost. */
#define CHARGE_COST_ROW "ROW($1, $2, $3, $4, $5, $6, $7, $8)::dpobj.charge_cost"

/* The columns of dpobj.ledger_events that keep them; there an empty array is null. */
extern const char *const charge_cost_columns[CHARGE_COST_PARAMETERS];

/* Fills in types and values of CHARGE_COST_PARAMETERS parameters, none of which is null. */
extern void charge_cost_parameters(const ChargeCost *cost, Oid *types, Datum *values);

#endif
