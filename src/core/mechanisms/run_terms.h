/*
 * run_terms.h - what is public about the length of a run (rule F3).
 */
#ifndef DPOBJ_CORE_RUN_TERMS_H
#define DPOBJ_CORE_RUN_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/exponential/select.h"
#include "core/exponential/select_time.h"
#include "core/rows/encoding.h"

/*
 * The number of rows that is assumed where none is public: under add_remove without a declared
 * number, and where no table is named yet.
 */
#define RUN_ASSUMED_ROWS INT64_C(1000000)

/* The part of the longest run that an enumeration may take; the rest is the tree sampler's. */
#define RUN_ENUMERATION_SHARE 0.75

typedef struct RunTerms
{
	double rows;     /* that enter, at most */
	double distinct; /* of these, at most */
	SelectParts parts;
	int longest; /* seconds that a run may take: dpobj.longest_run */
} RunTerms;

/* rows: the public number, 0 if there is none. */
extern RunTerms run_terms(int64_t rows, const Encoding *encoding, int longest);

/*
 * Does the exponential mechanism over the grid certainly end within the longest run?  group is
 * select_cheapest_group().
 */
extern bool run_fits_grid(const RunTerms *terms, const Grid *grid, SelectGroup group);

#endif
