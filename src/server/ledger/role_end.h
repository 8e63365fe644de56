/*
 * role_end.h - what ends with a role.
 */
#ifndef DPOBJ_ROLE_END_H
#define DPOBJ_ROLE_END_H

#include "postgres.h"

/*
 * Drops the budgets and schedules of roles that exist no more, and shares of models with them, so
 * that the next role with the OID of one of them gets none.  For the charge worker.
 */
extern void role_end_sweep(void);

extern void role_end_install(void);

#endif
