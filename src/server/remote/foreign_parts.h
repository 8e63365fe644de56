/*
 * foreign_parts.h - partitions that are foreign tables of postgres_fdw, as parts.
 */
#ifndef DPOBJ_FOREIGN_PARTS_H
#define DPOBJ_FOREIGN_PARTS_H

#include "server/remote/part_provider.h"

extern const PartProvider foreign_parts;

#endif
