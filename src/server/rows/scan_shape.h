/*
 * scan_shape.h - what a scan reads of a row.
 */
#ifndef DPOBJ_SCAN_SHAPE_H
#define DPOBJ_SCAN_SHAPE_H

#include "postgres.h"

#include "core/rows/rows.h"

#include "server/rows/encoders.h"
#include "server/rows/filter.h"
#include "server/rows/holdout.h"

typedef struct ScanShape
{
	const Encoders *features; /* none: each row has one feature, 0 */
	const Encoder *label;     /* NULL: every row counts as positive */
	const Filter *filter;
	const Column *person;    /* names the person of a row; NULL: each row is a person's only one */
	int max_rows_per_person; /* that enter */
	bool distinct;           /* of equal rows of a person in a group, one */
	const Encoders *groups;  /* the columns that rows are grouped by, or NULL */
	const Holdout *holdout;  /* rows of its other side do not pass the filter; NULL: none */
	const Column *level;     /* whose values scan_run_levels() reads; NULL: none */
} ScanShape;

/* The sets, all with one encoding, that get the rows of a scan. */
typedef struct ScanSets
{
	Rows *const *rows;
	int count;    /* of the sets of a side: one, or those of groups */
	bool grouped; /* are they groups? */
	bool sides;   /* as many follow, which get the rows of the holdout's other side */
} ScanSets;

static inline int
scan_sets(const ScanSets *sets)
{
	return sets->sides ? 2 * sets->count : sets->count;
}

#endif
