/*
 * convex_row.h - a row clipped to the unit ball.
 *
 * Rows are integers in units of 2^-20 whose squares add up to 2^40 at most, so
 * that |v|_2 <= 1 holds exactly.  v is a function of the row and of R alone.
 */
#ifndef DPOBJ_CORE_CONVEX_ROW_H
#define DPOBJ_CORE_CONVEX_ROW_H

#include <stdint.h>

#define ROW_BITS 20

/* v of x, which is in units of 2^-16.  Returns what x was scaled by to fit the ball: 1 or less. */
extern double convex_clip_row(const int32_t *x, int dimension, double radius, int32_t *v);

/*
 * The same where numbers, the columns whose group is 0, are measured in their bounds and clipped
 * together to a length of their own, and other columns are not clipped.
 */
extern void convex_clip_numbers(const int32_t *x, const int16_t *group, const int32_t *bound,
								int dimension, double radius, double length, int32_t *v);

#endif
