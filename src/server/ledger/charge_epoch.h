/*
 * charge_epoch.h - changes of the ledger after a new epoch and after a crash.
 */
#ifndef DPOBJ_CHARGE_EPOCH_H
#define DPOBJ_CHARGE_EPOCH_H

#include "postgres.h"

/* These run within SPI, in the worker's transaction. */

/* Counts the ledger again, forgets all sums, and raises ids above those of lost events. */
extern void charge_begin_epoch(void);

/* Until the transaction ends, lets no other one change or remember an epoch: ids follow commits. */
extern void charge_lock_epochs(void);

/* Writes 'failed' for releases that a crash ended; called before a charge at the analyst's door. */
extern void charge_count_crash(void);

#endif
