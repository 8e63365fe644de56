/*
 * scan.h - reads a table and all its partitions or children in C, each row once.
 *
 * No planner, no expression and no SPI has to do with the rows: there is nothing
 * in a scan that a caller could make fail or speak (SERVER.md 1).  The order of
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

#include "core/rows.h"

#include "encoders.h"
#include "filter.h"

/* What a scan makes of a row. */
typedef struct ScanShape
{
	const Encoders *features;
	const Encoder *label;
	const Filter *filter;
} ScanShape;

typedef struct Scan Scan;

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

/* Adds every row that the active snapshot sees; rows must have the shape's encoding. */
extern void scan_run(Scan *scan, Rows *rows);

extern void scan_close(Scan *scan);

#endif
