/*
 * charge_plan.h - runs the statements of a charge; the writer keeps their plans.
 */
#ifndef DPOBJ_CHARGE_PLAN_H
#define DPOBJ_CHARGE_PLAN_H

#include "postgres.h"

/*
 * Runs one statement within SPI, with a new snapshot, and returns the result of SPI.  The statement
 * must be a constant, because kept plans are found by its address.
 */
extern int charge_run(const char *statement, int count, Oid *types, Datum *values,
					  const char *nulls);

/* Makes this process keep plans. */
extern void charge_keep_plans(void);

/* The same without nulls; raises an error if it fails, and returns whether it found a row. */
extern bool charge_query(const char *statement, int count, Oid *types, Datum *values);

/* Return a column of a row that the last statement selected; rows count from 0, columns from 1. */
extern Datum charge_column(uint64 row, int number, bool *isnull);
extern char *charge_column_text(uint64 row, int number);

#endif
