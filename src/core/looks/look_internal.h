/*
 * look_internal.h - what the files of looks share.
 */
#ifndef DPOBJ_CORE_LOOK_INTERNAL_H
#define DPOBJ_CORE_LOOK_INTERNAL_H

#include "core/looks/look.h"

/* Not above and not below the result of one operation on numbers that it rounds. */
extern double look_below(double number);
extern double look_above(double number);

/* The largest |x|. */
extern uint64_t look_largest(const Look *look);

/* May a row that is replaced leave a cell and enter another? */
extern bool look_moves(const Look *look);

/* The truth of a number is from *low to *high, rounded outwards where doubles are not exact. */
extern void look_surround(const Look *look, int64_t epsilon, int position, int64_t number,
						  double beta, double *low, double *high);

/*
 * A noisy sum over the noisy number of rows, and where the truth is but for a chance of beta for
 * each of the two numbers; unknown, without bounds, if no row is left of the noise.
 */
extern void look_quotient(const Look *look, int64_t epsilon, double beta, const int64_t *number,
						  int sum, int rows, LookAnswer *answer);

/* Maps an answer in units from the middle to bounded values. */
extern void look_map(double middle, double unit, double bottom, double top, LookAnswer *answer);

/* Of looks with a number of rows in each cell. */
extern void look_rows_add(const Look *look, const LookRow *row, int64_t *number);
extern uint64_t look_rows_reach(const Look *look, int position);
extern void look_rows_answer(const Look *look, int64_t epsilon, double confidence,
							 const int64_t *number, int position, LookAnswer *answer);
extern void look_rows_error(const Look *look, int64_t epsilon, double beta, Facts *facts);

/* Of a histogram of scores: the cells of positive and of negative rows of each bin. */
extern void look_scores_add(const Look *look, double score, const LookRow *row, int64_t *number);

#endif
