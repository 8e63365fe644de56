/*
 * charge_count.h - the ledger's charges, counted by kind.
 */
#ifndef DPOBJ_CHARGE_COUNT_H
#define DPOBJ_CHARGE_COUNT_H

#include "postgres.h"

/* Not before ALTER EXTENSION UPDATE from a version below 0.3.0. */
extern bool charge_counts_exist(void);

/* Counts the ledger anew, in the charge worker's transaction; nobody charges until it ends. */
extern void charge_recount(void);

#endif
