/*
 * charge_setting.h - stored settings (ALTER ROLE or ALTER DATABASE ... SET), read by the worker.
 */
#ifndef DPOBJ_CHARGE_SETTING_H
#define DPOBJ_CHARGE_SETTING_H

#include "postgres.h"

#include "server/ledger/charge_shared.h"

/*
 * Returns the value that ALTER ROLE ... SET stored for the role, in this database or in all, else
 * that of ALTER DATABASE or ALTER ROLE ALL ... SET; NULL if none is stored, and then the worker's
 * own value holds.  Within SPI.
 */
extern const char *charge_setting(Oid role, const char *name);

/*
 * A process has the settings that were stored for the database and for its role when it connected.
 * It notes them then, and asks later whether others are stored.  As superuser, outside of SPI.
 */
extern void charge_note_settings(void);
extern bool charge_settings_changed(void);

#endif
