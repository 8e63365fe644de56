/*
 * charge_ended.h - inserts the ends of charges.
 */
#ifndef DPOBJ_CHARGE_ENDED_H
#define DPOBJ_CHARGE_ENDED_H

#include "postgres.h"

#include "server/ledger/charge_shared.h"

/* Inserts the end of a release; 0 if the charge has one. */
extern int64 charge_insert_end(ChargeRequest *request);

/*
 * Writes a 'failed' event for each of these charges (bigint[]) of this epoch that has not ended.
 * Their processes are gone.
 */
extern void charge_fail_lost(Datum releases, ChargeReason reason);

#endif
