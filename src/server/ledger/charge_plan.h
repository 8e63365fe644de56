/*
 * charge_plan.h - runs the statements of a charge; a ledger writer keeps their plans.
 */
#ifndef DPOBJ_CHARGE_PLAN_H
#define DPOBJ_CHARGE_PLAN_H

#include "postgres.h"

/*
 * Runs one statement within SPI, with a new snapshot, and returns what SPI does.
 * The statement must be a constant: kept plans are known by its address.
 */
extern int charge_run(const char *statement, int count, Oid *types, Datum *values,
					  const char *nulls);

/* From now on plans are kept until the process ends. */
extern void charge_keep_plans(void);

/* The same without nulls, or an error; true if it met a row. */
extern bool charge_query(const char *statement, int count, Oid *types, Datum *values);

/* A column of the first row of the last of these that selected one. */
extern Datum charge_column(int number, bool *isnull);

#endif
