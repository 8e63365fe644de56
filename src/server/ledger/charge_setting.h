/*
 * charge_setting.h - settings of the session that a charge is for, as the charge
 * worker sees them.
 */
#ifndef DPOBJ_CHARGE_SETTING_H
#define DPOBJ_CHARGE_SETTING_H

#include "postgres.h"

#include "server/ledger/charge_worker.h"

/*
 * What ALTER ROLE ... SET says of a setting, in this database or in all, else ALTER
 * DATABASE or ALTER ROLE ALL ... SET; NULL if nothing: then the worker's own value
 * holds, which is the server's, or what is said of the bootstrap superuser.  Within SPI.
 */
extern const char *charge_setting(Oid role, const char *name);

/*
 * A process has the settings of the database and of its role that were stored when it
 * connected.  It notes them then; later, are others stored?  As superuser, outside of SPI.
 */
extern void charge_note_settings(void);
extern bool charge_settings_changed(void);

#endif
