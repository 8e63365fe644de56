/*
 * charge_count.h - the ledger's charges, counted by kind.
 */
#ifndef DPOBJ_CHARGE_COUNT_H
#define DPOBJ_CHARGE_COUNT_H

#include "postgres.h"

/* Counts the whole ledger again, in the charge worker's transaction; other charges wait for it. */
extern void charge_recount(void);

#endif
