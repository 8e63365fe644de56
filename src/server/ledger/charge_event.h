/*
 * charge_event.h - writes an event to the ledger, within SPI and as superuser.
 */
#ifndef DPOBJ_CHARGE_EVENT_H
#define DPOBJ_CHARGE_EVENT_H

#include "postgres.h"

#include "server/ledger/charge_shared.h"

/*
 * Checks the request and inserts its rows, or raises an error; see ChargeRequest.denied.  Returns
 * the ledger id, 0 for an end that was there.
 */
extern int64 charge_insert(ChargeRequest *request);

#endif
