/*
 * scan_parts.h - the rows of a scan that are on other servers.
 *
 * Before the charge scan_parts_open() connects to the server of every part, which checks the
 * request, locks its relation and says its public sizes: a part that is down costs nothing.  After
 * the charge each part reads its rows under a snapshot that it takes then, and its rows are added
 * once.  All parts are needed, and nothing is asked for twice: any failure of a part is an error,
 * which the caller turns into the one failure of a release.
 */
#ifndef DPOBJ_SCAN_PARTS_H
#define DPOBJ_SCAN_PARTS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "core/looks/rater.h"

#include "server/remote/part_provider.h"
#include "server/rows/scan_shape.h"

typedef struct ScanParts ScanParts;

/* Raises 08001 unless the servers of the parts, a list of RemotePart, answer now. */
extern void scan_parts_reach(List *parts);

/* What a login on the server of the part shows of its rows: a jsonb text (part_message.h). */
extern char *scan_parts_exposures(RemotePart *part);

/*
 * Opens the parts, a list of RemotePart, of this table.  Raises an error if one of them does not
 * answer, or if releases are refused here.  Returns NULL if one did not get its lock in so many
 * milliseconds, and names it in *busy.
 */
extern ScanParts *scan_parts_open(List *parts, Oid table, bool ignore_rls, const ScanShape *shape,
								  int lock_milliseconds, const char **busy);

/*
 * To be called before anything else of what was opened: raises an error if a part cannot be read,
 * if two are one table, or if the server of one is another than before.
 */
extern void scan_parts_check(const ScanParts *parts);

/*
 * Lets all parts begin to read into sets like these.  release: its id, for their ledgers.  key: for
 * the choice of rows of persons, NULL without.  room: the rows that each part makes room for.
 */
extern void scan_parts_start(ScanParts *parts, int64 release, const ScanSets *sets,
							 const uint8 *key, int64 room);

/*
 * Adds the rows of all parts to the sets; returns how many did not pass the filter or holdout.  Rows
 * of the other side of a holdout stay there, for scan_parts_rate().
 */
extern int64 scan_parts_add(ScanParts *parts, Rows *const *sets, int count);

/*
 * Before the rows are read: lets them stay on the parts, and answer passes of this problem
 * (wire.h). Then scan_parts_add() adds nothing but the number of neutral rows.
 */
extern void scan_parts_keep(ScanParts *parts, const uint8 *problem, Size length);

/* The rows that stay on the parts, neutral ones not counted. */
extern int64 scan_parts_kept(const ScanParts *parts);

extern int scan_parts_count(const ScanParts *parts);

/* How many sums answer a pass: one for all parts of a connection. */
extern int scan_parts_sums_count(const ScanParts *parts);

/* Sends a pass to every part. */
extern void scan_parts_pass(ScanParts *parts, const uint8 *pass, Size length);

/*
 * Adds these sums, which are the first of those that the sums are of.  False if they do
 * not come within so many milliseconds; -1: raises an error after dpobj.longest_run.
 */
extern bool scan_parts_sums(ScanParts *parts, PassSums *sums, long milliseconds);

/* Adds the numbers of this set of the other side, from 0: the rater is of rows as encoded there. */
extern void scan_parts_rate(ScanParts *parts, int set, const Rater *rater, RatingTable *table);

/* Ends the transactions on the parts; again is allowed. */
extern void scan_parts_close(ScanParts *parts);

#endif
