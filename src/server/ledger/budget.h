/* budget.h - the check of the owner's limit before a protection changes. */
#ifndef DPOBJ_BUDGET_H
#define DPOBJ_BUDGET_H

#include "postgres.h"

/*
 * Raises UB003 if the table's neighbours would change (person NULL: rows), its owner has limited
 * its budgets, and the current role does not own the table.
 */
extern void budget_check_unit(Oid table, const char *adjacency, const char *person,
							  int earlier_rows);

#endif
