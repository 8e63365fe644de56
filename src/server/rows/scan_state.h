/*
 * scan_state.h - what a scan holds while it is open: the files of the scan share it.
 */
#ifndef DPOBJ_SCAN_STATE_H
#define DPOBJ_SCAN_STATE_H

#include "postgres.h"

#include "access/attnum.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "server/rows/scan_parts.h"
#include "server/rows/scan_shape.h"
#include "server/rows/spill.h"

/* One table that holds rows. */
typedef struct ScanTable
{
	Relation relation;
	AttrNumber *feature; /* one for each encoder */
	AttrNumber label;
	AttrNumber person;     /* 0 if the shape has none */
	AttrNumber *condition; /* one for each condition of the filter */
	AttrNumber *group;     /* one for each column that rows are grouped by */
	AttrNumber *holdout;   /* one for each column that deals rows */
	AttrNumber level;      /* 0 if the shape has none */
	AttrNumber last;       /* the largest of them */
} ScanTable;

/*
 * The progress that a run watch is told: the pages that were read, out of those of the files.  It
 * does not depend on the number of rows, nor on which of them passed the filter.
 */
typedef struct PagesRead
{
	void (*report)(double part); /* NULL if nobody is told */
	double all;                  /* of all tables */
	double done;
	double left;       /* of this table */
	BlockNumber block; /* of the last row */
} PagesRead;

struct Scan
{
	const ScanShape *shape;
	List *locked;  /* OIDs of the relation and its descendants */
	List *parents; /* the number of parents that each of them has among these */
	int tables;
	ScanTable *table;
	ScanParts *parts; /* rows on other servers; NULL: none */
	int64 release;    /* that reads them; 0: a test */
	PagesRead pages;
	int64 rows;       /* of scan_set_rows() */
	int64 most_rows;  /* that are kept; 0: all */
	PersonsRoom room; /* of scan_make_room() */
	Spill spill;      /* of the rows of persons */
	int64 left_out;   /* rows that did not pass the filter, or are on the other side of a holdout */
};

/* The rows of one table that a snapshot sees. */
extern int64 scan_count_table(Relation table, Snapshot snapshot);

#endif
