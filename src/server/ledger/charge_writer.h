/*
 * charge_writer.h - the background worker that commits the events of one database, many at a time.
 */
#ifndef DPOBJ_CHARGE_WRITER_H
#define DPOBJ_CHARGE_WRITER_H

#include "postgres.h"

extern PGDLLEXPORT void dpobj_writer_main(Datum argument);

#endif
