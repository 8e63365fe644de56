/*
 * scan.h - reads a table and all its partitions or children in C, each row once.
 *
 * Rows go through no planner, no expression and no SPI, so a caller has no means to make a scan
 * fail or print a row (rule H12).  The guarantee rests on the order of calls: scan_open() locks
 * the tables and refuses what it must refuse, from the catalogs alone; then comes the charge; then
 * scan_run() reads the first page; scan_close() gives the locks back.
 *
 * A scan asks for no privilege: the caller checks the grants.
 */
#ifndef DPOBJ_SCAN_H
#define DPOBJ_SCAN_H

#include "postgres.h"

#include "core/looks/discovered.h"
#include "core/rows/persons.h"
#include "core/rows/rows.h"

#include "server/rows/scan_shape.h"

typedef struct Scan Scan;

/*
 * Raises 08001 if the server of a part of the relation does not answer.  To be called before the
 * caller takes a place that others need, because it may wait.
 */
extern void scan_reach_parts(Oid relation);

/*
 * Locks the relation and its descendants and finds their columns by name.  The shape must have been
 * made for the relation's own columns and must outlive the scan.
 *
 * Rows of some descendants may be on other servers (scan_parts.h).  Then the tables that have rows
 * here are locked in SHARE mode too, and read under a snapshot that is taken after all locks.
 */
extern Scan *scan_open(Oid relation, bool ignore_rls, const ScanShape *shape);

/* The same for a part of a table on another server, which may be a shard of Citus. */
extern Scan *scan_open_part(Oid relation, bool ignore_rls, const ScanShape *shape);

/*
 * Counts the rows of a table and its descendants, at least 1.  Returns 0 if some are on other
 * servers, or if a page is damaged: the caller then assumes a number, which a price shows.  To be
 * called only where the number of rows is public (rule F3).
 */
extern int64 scan_count_rows(Oid relation);

/* The places where rows of the scan are, here and in all: tables and parts, by the catalogs. */
extern int scan_places_here(const Scan *scan);
extern int scan_places(const Scan *scan);

/*
 * Says for how many rows the parts of the table on other servers make room together.  If it is a
 * bound, the scan keeps no more rows, drawn with equal chances (theorem F10); the others count as
 * if the table did not have them.  Rows of persons and of other servers are kept all the same.
 */
extern void scan_set_rows(Scan *scan, int64 rows, bool is_bound);

/*
 * Before the charge: if the shape has a person, makes room for the rows of persons until it is
 * known which of them enter.  It follows from public numbers: those of scan_set_rows() or else the
 * declared rows, 0 for none, and the limit of megabytes, 0 for none.
 */
extern void scan_make_room(Scan *scan, const Encoding *encoding, int64 declared, int megabytes);

/* After the tick: anybody can see when the file of this room goes (spill_close()). */
extern void scan_end_room(Scan *scan);

/* After the charge: the id of the release, which the ledgers of other servers get. */
extern void scan_set_release(Scan *scan, int64 release);

/*
 * Adds every row that the active snapshot sees; rows must have the shape's encoding.  The run
 * watch is told which part of the pages has been read.
 *
 * With a person, the rows of each person that could enter compete for max_rows_per_person places by
 * a hash under a random key (core/rows/persons.h).  Rows that lose and rows without a person are
 * neutral.  If there are more rows than scan_make_room() made room for, the memory grows with them;
 * beyond half of dpobj.memory_limit it is an ordinary error, out of memory.
 */
extern void scan_run(Scan *scan, Rows *rows);

/* The same with a given key, for tests; no release may know its key. */
extern void scan_run_with_key(Scan *scan, Rows *rows, const uint8 key[PERSONS_KEY_LENGTH]);

/*
 * Adds each row that enters to the rows of its group.  Groups are numbered as in
 * key_list_product(), the last column first.  A row without a public value in one of the columns
 * has no group and is not added, nor is a row that does not enter.  The rows of a person compete
 * across all groups together.
 */
extern void scan_run_groups(Scan *scan, Rows *const *groups, int count);

/*
 * All of this, with a given key for the choice of rows of persons, or NULL to draw one.  With both
 * sides of a holdout a row is in the sets of the side that it is on, so that each row is read once
 * (theorem N11).  To the sets of the first side rows of the other one are those that do not pass the
 * filter; the neutral rows of the other side are those on it that pass and cannot be used.
 */
extern void scan_run_sets(Scan *scan, const ScanSets *sets, const uint8 *key);

/*
 * Adds the values of the shape's column: of each person at most max_rows_per_person different ones,
 * chosen by a hash under a random key, and without a person the value of each row.  NULL and values
 * of more than LEVEL_MOST_BYTES are none.  The rows are all here (scan_parts_of()).
 */
extern void scan_run_levels(Scan *scan, Levels *levels);

/* The neutral rows among those of scan_run() that did not pass the filter or the holdout. */
extern int64 scan_left_out(const Scan *scan);

/* The rows of a scan that are on other servers (scan_parts.h); NULL if there are none. */
extern struct ScanParts *scan_parts_of(const Scan *scan);

/* The same, which the scan then has no more: the caller closes them. */
extern struct ScanParts *scan_detach_parts(Scan *scan);

extern void scan_close(Scan *scan);

#endif
