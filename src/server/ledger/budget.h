/* budget.h - the check of budgets before a protection changes. */
#ifndef DPOBJ_BUDGET_H
#define DPOBJ_BUDGET_H

#include "postgres.h"

/*
 * Raises UB003 if these neighbours (person NULL: rows) differ from the table's present ones, the
 * owner has limited its budgets, and the current role does not own the table.
 */
extern void budget_check_unit(Oid table, const char *adjacency, const char *person,
							  int earlier_rows);

#endif
