/*
 * budget.h - what a protection has to ask about budgets.
 */
#ifndef DPOBJ_BUDGET_H
#define DPOBJ_BUDGET_H

#include "postgres.h"

/*
 * Raises UB003 where these neighbours (person NULL: rows) are not those of the table as it is, the
 * owner has limited its budgets and the current role does not own it.
 */
extern void budget_check_unit(Oid table, const char *adjacency, const char *person,
							  int earlier_rows);

#endif
