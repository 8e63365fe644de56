/*
 * part_mark.h - tables that are marked as parts of a table on another server, the coordinator.
 *
 * A mark says of which table a relation is a part, and which role the coordinator connects as.
 * Marks are found by the identity of the table, as protections are.  Releases of a marked table and
 * its relatives are refused with their charge (charge_protection.h).  A table that was made again
 * under the name of a marked one is refused too, but does not give its rows until it is marked.
 */
#ifndef DPOBJ_PART_MARK_H
#define DPOBJ_PART_MARK_H

#include "postgres.h"

/*
 * Is the relation marked as a part of this table of the coordinator, for the session user, who acts
 * as no other role and may read the relation?
 */
extern bool part_is_marked(Oid relation, const char *coordinator);

#endif
