/*
 * charge_epoch.h - what a new epoch and a crash change in the ledger.
 */
#ifndef DPOBJ_CHARGE_EPOCH_H
#define DPOBJ_CHARGE_EPOCH_H

#include "postgres.h"

/* All within SPI, in the worker's transaction. */

/* Sums and ids are not to be those of events that may be lost. */
extern void charge_begin_epoch(void);

/* Before a charge at the analyst's door: counts the releases that a crash of the server has ended.
 */
extern void charge_count_crash(void);

#endif
