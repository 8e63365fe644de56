/*
 * charge_setting.h - settings of the session that a charge is for, as the charge
 * worker sees them.
 */
#ifndef DPOBJ_CHARGE_SETTING_H
#define DPOBJ_CHARGE_SETTING_H

#include "postgres.h"

#include "charge_worker.h"

/*
 * What ALTER ROLE ... SET says of a setting, in this database or in all; NULL if
 * nothing: then the worker's own value holds, which is that of the database or of
 * the server.  Within SPI.
 */
extern const char *charge_setting(const ChargeRequest *request, const char *name);

#endif
