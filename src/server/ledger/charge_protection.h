/*
 * charge_protection.h - checks that charges and protections have the same neighbours.
 *
 * Costs of different units (adjacency and person) do not add up: epsilon for a person is not
 * epsilon for a row, and epsilon under add_remove is not epsilon under replace.  A table's
 * protection says which unit its budgets count, and every charge must be in that unit.
 */
#ifndef DPOBJ_CHARGE_PROTECTION_H
#define DPOBJ_CHARGE_PROTECTION_H

#include "postgres.h"

#include "server/ledger/charge_parties.h"
#include "server/ledger/charge_shared.h"

/* These run within SPI, in the worker's transaction, and deny the request with an error. */

/* Denies a charge in another unit than the protection of the table or of a relative (UB003). */
extern void charge_check_protection(ChargeRequest *request, const ChargeParties *parties);

/*
 * Denies a charge for a table that is marked as a part, or for a relative of one (UB003), and a
 * declaration about one, which no charge would count.
 */
extern void charge_check_part(ChargeRequest *request, const ChargeParties *parties);

/* Denies a request that makes tables relatives if their charges and protections differ (UB003). */
extern void charge_check_relatives(ChargeRequest *request, const ChargeParties *parties);

/* Denies a protection in another unit than the charges that its budgets count (55000). */
extern void charge_check_charges(ChargeRequest *request, const ChargeParties *parties);

#endif
