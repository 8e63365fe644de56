/*
 * charge_protection.h - whether charges and protections are about the same neighbours.
 *
 * Costs of different units do not add up: epsilon for a person is not epsilon for
 * a row, and epsilon under add_remove is not epsilon under replace.  A table's
 * protection says which unit its budgets count, and every charge has to be in it.
 */
#ifndef DPOBJ_CHARGE_PROTECTION_H
#define DPOBJ_CHARGE_PROTECTION_H

#include "postgres.h"

#include "server/ledger/charge_budget.h"
#include "server/ledger/charge_worker.h"

/* All within SPI, in the worker's transaction; each raises an error that denies the request. */

/* Denies a charge in another unit than a table concerned is protected in. */
extern void charge_check_protection(ChargeRequest *request, const ChargeParties *parties);

/* Denies a request that makes tables relatives whose charges and protections are in other units. */
extern void charge_check_relatives(ChargeRequest *request, const ChargeParties *parties);

/* Denies a protection in another unit than its budgets were charged in. */
extern void charge_check_charges(ChargeRequest *request, const ChargeParties *parties);

#endif
