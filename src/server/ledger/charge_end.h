/*
 * charge_end.h - the releases of this backend that are charged and have not ended.
 */
#ifndef DPOBJ_CHARGE_END_H
#define DPOBJ_CHARGE_END_H

#include "postgres.h"

#include "storage/dsm.h"

/*
 * Begins a release with the request of its charge, before it is asked for.  The end of the
 * (sub)transaction or process gives up the charge, or posts a failure if it is committed.
 */
extern void charge_open(dsm_segment *charge);

#endif
