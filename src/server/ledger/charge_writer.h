/*
 * charge_writer.h - the background worker that commits the events of one database,
 * many at a time, in a server that preloads the library.
 */
#ifndef DPOBJ_CHARGE_WRITER_H
#define DPOBJ_CHARGE_WRITER_H

#include "postgres.h"

/* What pg_stat_activity shows of it; nothing there depends on the requests. */
#define CHARGE_WRITER_NAME "dpobj writer"

/* The writer's entry point, as the postmaster looks it up. */
#define CHARGE_WRITER_FUNCTION "dpobj_writer_main"

extern PGDLLEXPORT void dpobj_writer_main(Datum argument);

#endif
