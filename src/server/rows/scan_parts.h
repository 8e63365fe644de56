/*
 * scan_parts.h - the rows of a scan that are on other servers.
 *
 * Before the charge scan_parts_open() connects to every part, which checks the request, locks its
 * relation and says its public sizes: a part that is down costs nothing.  After the charge each
 * part reads its rows under a snapshot that it takes then, and its rows are added once.  All parts
 * are needed, and nothing is asked for twice: any failure of a part is an error, which the caller
 * turns into the one failure of a release.
 */
#ifndef DPOBJ_SCAN_PARTS_H
#define DPOBJ_SCAN_PARTS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "server/rows/scan.h"

typedef struct ScanParts ScanParts;

/*
 * Opens the parts, a list of RemotePart, of this table.  Raises an error if one of them cannot be
 * read, or if two of them are one table.  Returns NULL if one did not get its lock in so many
 * milliseconds, and names it in *busy.
 */
extern ScanParts *scan_parts_open(List *parts, Oid table, bool ignore_rls, const ScanShape *shape,
								  int lock_milliseconds, const char **busy);

/* Sums of what the parts say of their sizes. */
extern double scan_parts_most_rows(const ScanParts *parts);
extern double scan_parts_planned_rows(const ScanParts *parts);

/*
 * Lets all parts begin to read.  like: any of the sets that get the rows; grouped: are they groups?
 * key: for the choice of rows of persons, NULL without.
 */
extern void scan_parts_start(ScanParts *parts, const Rows *like, int sets, bool grouped,
							 const uint8 *key);

/* Adds the rows of all parts to the sets; returns how many did not pass the filter or holdout. */
extern int64 scan_parts_add(ScanParts *parts, Rows *const *sets, int count);

/* Ends the transactions on the parts; again is allowed. */
extern void scan_parts_close(ScanParts *parts);

#endif
