/*
 * look_sum.c - the sum of clipped values in each group (theorem T3).
 */
#include "core/looks/look_internal.h"

static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	(void) look;
	number[row->cell] += *row->x * row->rows;
}

/*
 * The most that one row changes a single sum by: from a value or none to another or none if it may
 * be replaced, else from none to a value.  One that moves between sums changes each by a value.
 */
static uint64_t
reach(const Look *look, int position)
{
	(void) position;
	if (look->adjacency == ADJACENCY_ADD_REMOVE || look->cells > 1)
		return look_largest(look);
	return (uint64_t) ((look->high > 0 ? look->high : 0) - (look->low < 0 ? look->low : 0));
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	look_surround(look, epsilon, position, number[position], 1.0 - confidence, &answer->low,
				  &answer->high);
	answer->value = (double) number[position] * look->unit;
	answer->low *= look->unit;
	answer->high *= look->unit;
}

static void
error(const Look *look, int64_t epsilon, double beta, Facts *facts)
{
	facts_number(facts, "sum", look_error(look, epsilon, 0, beta) * look->unit, 6);
}

const LookType look_sum = {
	.name = "sum",
	.law = "laplace",
	.reads = READS_NUMBER,
	.add = add,
	.reach = reach,
	.answer = answer,
	.error = error,
};
