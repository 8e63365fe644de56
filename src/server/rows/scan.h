/*
 * scan.h - reads a table and all its partitions or children in C, each row once.
 *
 * No planner, no expression and no SPI has to do with the rows: there is nothing
 * in a scan that a caller could make fail or speak (rule H12).  The order of
 * use is the guarantee: scan_open() locks the tables and refuses what it must
 * refuse, from the catalogs alone; then comes the charge; scan_run() reads the
 * first page; scan_close() gives the locks back.
 *
 * table_open() asks for no privilege: it is the caller who checks the grants.
 */
#ifndef DPOBJ_SCAN_H
#define DPOBJ_SCAN_H

#include "postgres.h"

#include "utils/relcache.h"

#include "core/rows/persons.h"
#include "core/rows/rows.h"

#include "server/base/job_context.h"
#include "server/rows/encoders.h"
#include "server/rows/filter.h"

/* What a scan makes of a row. */
typedef struct ScanShape
{
	const Encoders *features;
	const Encoder *label; /* NULL: every row counts as positive */
	const Filter *filter;
	const Column *person;    /* whose row it is; NULL: each row is somebody else's */
	int max_rows_per_person; /* of one person enter at most so many rows */
	const Encoders *groups;  /* columns that say in which group a row is; NULL: there are none */
} ScanShape;

typedef struct Scan Scan;

/* Raises 42P01 if no relation has this OID; it may also be dropped while we wait for its lock. */
extern Relation scan_open_relation(Oid table);

/*
 * Raises UB003, with the rule, for a relation whose rows are not read: anything
 * but a permanent table of a user, and, unless ignore_rls, one with row-level
 * security.
 */
extern void scan_check_relation(Relation relation, bool ignore_rls);

/*
 * Locks the relation and its descendants and finds their columns by name.  The
 * shape was made for the relation's own columns and must outlive the scan.
 */
extern Scan *scan_open(Oid relation, bool ignore_rls, const ScanShape *shape);

/*
 * No snapshot sees more rows that enter than that, in blocks of such number: from public sizes and
 * types alone.
 */
extern double scan_most_rows(const Scan *scan);

/*
 * Adds every row that the active snapshot sees; rows must have the shape's encoding.  A job is told
 * which part of the pages lies behind the scan.
 *
 * With a person, the rows of each one that could enter compete for the places by
 * a hash under a key that is drawn here (core/rows/persons.h); those that lose are
 * neutral, and so are rows without a person.  What that needs grows with the
 * number of persons and rows; more than half of dpobj.memory_limit, the other half being for
 * the rows that are chosen from, or than there is, is an ordinary error: out of memory.
 */
extern void scan_run(Scan *scan, const JobContext *job, Rows *rows);

/* The same with a given key, for tests; no release may know its key. */
extern void scan_run_with_key(Scan *scan, Rows *rows, const uint8 key[PERSONS_KEY_LENGTH]);

/*
 * Adds each row that enters to the rows of its group: groups are numbered as in key_list_product(),
 * the last column first.  A row that has no public value in one of the columns is in no group,
 * and one that does not enter is nowhere.  With a person, the rows of each one in all
 * groups together compete for the places.
 */
extern void scan_run_groups(Scan *scan, Rows *const *groups, int count);

extern void scan_close(Scan *scan);

/* How many rows there are, by public numbers. */
extern double scan_estimated_rows(const Scan *scan);

#endif
