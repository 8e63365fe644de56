/*
 * suggestion.h - what a declaration is suggested from: several looks at the same rows, one at each
 * column, for one charge (theorem T9).
 *
 * Each part is a histogram or quantiles, without groups, and has an equal share of epsilon.  A row
 * is in one cell of each column.  The cells of quantiles are the points of their grid, and one more
 * for a row that has no value.  look.h calls these functions for LOOK_SUGGESTION.
 */
#ifndef DPOBJ_CORE_SUGGESTION_H
#define DPOBJ_CORE_SUGGESTION_H

#include <stdint.h>

#include "core/looks/look.h"
#include "core/random/bits.h"

/* Sets columns, parts and cells of a suggestion. */
extern void suggestion_begin(Look *look, int columns, const Look *part);

/* The number of cells of a column. */
extern int suggestion_cells(const Look *look, int column);

/* The share of epsilon that each part has, in nano-units, rounded down; at least 1 is needed. */
extern int64_t suggestion_share(const Look *look, int64_t epsilon);

/* The length of the vector, the parts' vectors one after the other, and where one of them begins.
 */
extern int suggestion_numbers(const Look *look);
extern int suggestion_first(const Look *look, int column);

/* Adds so many rows to their cells, one of each column. */
extern void suggestion_add(const Look *look, const int32_t *x, int64_t rows, int64_t *number);

/* Adds the noise to a part's numbers; a release is all parts. */
extern void suggestion_draw(const Look *look, int64_t epsilon, Bits *bits, int column,
							int64_t *number);

/*
 * The most that an answer about a column is off by, but for a chance of beta for each: in rows of a
 * level, in ranks of a quantile.
 */
extern double suggestion_error(const Look *look, int64_t epsilon, int column, double beta);

/* The number of answers of all parts, one part after the other; and one of them. */
extern int suggestion_answers(const Look *look);
extern void suggestion_answer(const Look *look, int64_t epsilon, double level,
							  const int64_t *number, int position, LookAnswer *answer);

#endif
