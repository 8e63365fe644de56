/*
 * look_count.c - the number of usable rows in each group (theorem T2).
 */
#include "core/looks/look_internal.h"

const LookType look_count = {
	.name = "count",
	.law = "laplace",
	.reads = READS_ROWS,
	.add = look_rows_add,
	.reach = look_rows_reach,
	.answer = look_rows_answer,
	.error = look_rows_error,
};
