/*
 * admin.h - who may administer dpobj.
 */
#ifndef DPOBJ_ADMIN_H
#define DPOBJ_ADMIN_H

#include "postgres.h"

/* Raises 42501 unless the current role may protect tables and grant budgets. */
extern void admin_check(void);

#endif
