/*
 * count_pass.h - how many labels there are, and how many of them have each column that is no
 * number.
 */
#ifndef DPOBJ_CORE_COUNT_PASS_H
#define DPOBJ_CORE_COUNT_PASS_H

#include "core/convex/convex_rows.h"
#include "core/rows/pass.h"

/*
 * The pass over rows whose columns have groups: it sums positive labels, negative labels, and for
 * each weight the labels whose row has its column; of numbers 0.
 */
extern Pass count_pass_of(const ConvexRows *rows);

/* Sets the sums of the rows, wherever they are. */
extern void count_pass(ConvexRows *rows, Memory *memory, Wide *sum);

/* Sets the sums of rows that are here. */
extern void count_pass_sum(ConvexRows *rows, Memory *memory, Wide *sum);

#endif
