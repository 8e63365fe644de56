/*
 * run_terms.c - does a run end in time?
 */
#include "core/mechanisms/run_terms.h"

#include <math.h>

#include "core/exponential/select_time.h"

RunTerms
run_terms(int64_t rows, const Encoding *encoding, int longest)
{
	RunTerms terms = {.rows = (double) (rows > 0 ? rows : RUN_ASSUMED_ROWS), .longest = longest};

	terms.distinct = fmin(terms.rows, encoding_most_distinct(encoding));
	select_parts_of(&terms.parts, encoding);
	return terms;
}

bool
run_fits_grid(const RunTerms *terms, const Grid *grid, SelectGroup group)
{
	return select_seconds(grid, group, terms->distinct, &terms->parts) <=
		   RUN_ENUMERATION_SHARE * terms->longest;
}
