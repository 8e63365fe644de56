/*
 * charge_epoch.h - what a new epoch and a crash change in the ledger.
 */
#ifndef DPOBJ_CHARGE_EPOCH_H
#define DPOBJ_CHARGE_EPOCH_H

#include "postgres.h"

/* All these run within SPI, in the worker's transaction. */

/* Makes the next charge add up the ledger again, and ids go on above all that may be lost. */
extern void charge_begin_epoch(void);

/* Before a charge at the analyst's door: counts the releases that a crash of the server has ended.
 */
extern void charge_count_crash(void);

#endif
