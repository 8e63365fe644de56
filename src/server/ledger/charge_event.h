/*
 * charge_event.h - writes an event to the ledger, within SPI and as superuser.
 */
#ifndef DPOBJ_CHARGE_EVENT_H
#define DPOBJ_CHARGE_EVENT_H

#include "postgres.h"

#include "server/ledger/charge_worker.h"

/*
 * Checks the request and inserts its rows, or raises an error; see ChargeRequest.denied.  Returns
 * the ledger id, 0 for an end that was there.
 */
extern int64 charge_insert(ChargeRequest *request);

/*
 * Writes a 'failed' event for each of these charges (bigint[]) of this epoch that has not ended.
 * Their processes are gone.
 */
extern void charge_fail_lost(Datum releases, ChargeReason reason);

#endif
