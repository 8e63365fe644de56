/* budget.h - who owns a table and its limit, for other declarations about the table. */
#ifndef DPOBJ_BUDGET_H
#define DPOBJ_BUDGET_H

#include "postgres.h"

/*
 * Raises UB003 if the table's neighbours would change (person NULL: rows), its owner has limited
 * its budgets, and the current role does not own the table.
 */
extern void budget_check_unit(Oid table, const char *adjacency, const char *person,
							  int earlier_rows);

/* Raises 42501 unless the current role owns the table; function is its name, for messages. */
extern void budget_require_owner(Oid table, const char *function);

/* Has its owner limited the budgets of the table, or of one whose charges count for it? */
extern bool budget_is_limited(Oid table);

#endif
