/*
 * citus_parts.h - shards of a table that Citus manages, as parts.
 */
#ifndef DPOBJ_CITUS_PARTS_H
#define DPOBJ_CITUS_PARTS_H

#include "server/remote/part_provider.h"

extern const PartProvider citus_parts;

#endif
