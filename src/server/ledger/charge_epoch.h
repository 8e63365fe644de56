/*
 * charge_epoch.h - changes of the ledger after a new epoch and after a crash.
 */
#ifndef DPOBJ_CHARGE_EPOCH_H
#define DPOBJ_CHARGE_EPOCH_H

#include "postgres.h"

#include "server/ledger/charge_shared.h"

/* These run within SPI, in the worker's transaction. */

/* Counts the ledger again, forgets all sums, and raises ids above those of lost events. */
extern void charge_begin_epoch(void);

/* Until the transaction ends, lets no other one change or remember an epoch: ids follow commits. */
extern void charge_lock_epochs(void);

/*
 * The event of the server that the request is to remember, if another session has met it since the
 * caller looked; 0: none.  The epochs are locked.
 */
extern int64 charge_met_server(const ChargeRequest *request);

/*
 * Writes the ends of releases that a stop or crash of the server has left without one; called
 * before a charge at the analyst's door.
 */
extern void charge_end_lost(void);

#endif
