/*
 * look_histogram.c - the number of rows in each bin of a column, and of each group (theorem T2).
 */
#include "core/looks/look_internal.h"

const LookType look_histogram = {
	.name = "histogram",
	.law = "laplace",
	.reads = READS_BIN,
	.add = look_rows_add,
	.reach = look_rows_reach,
	.answer = look_rows_answer,
	.error = look_rows_error,
};
