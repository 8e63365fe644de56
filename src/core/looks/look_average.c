/*
 * look_average.c - the average of clipped values in each group (theorem T4).
 */
#include "core/looks/look_internal.h"

#include "core/base/mutant.h"

/* The first number of a cell is the sum of its centred values, the second its usable rows. */
static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	(void) look;
	number[2 * row->cell] += *row->x * row->rows;
	number[2 * row->cell + 1] += row->rows;
}

/* Half of epsilon for the sum and half for the rows. */
static uint64_t
reach(const Look *look, int position)
{
	return (MUTANT(237) ? 1 : 2) * (position % 2 == 0 ? look_largest(look) : 1);
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	look_quotient(look, epsilon, (1.0 - confidence) / 2, number, 2 * position, 2 * position + 1,
				  answer);
	look_map(look->middle, look->unit, look->middle + look->unit * look->low,
			 look->middle + look->unit * look->high, answer);
}

/* Half of the length of an interval is that of its sum and of its rows. */
static void
error(const Look *look, int64_t epsilon, double beta, Facts *facts)
{
	facts_number(facts, "sum", look_error(look, epsilon, 0, beta / 2) * look->unit, 6);
	facts_number(facts, "rows", look_error(look, epsilon, 1, beta / 2), 6);
}

const LookType look_average = {
	.name = "avg",
	.law = "laplace",
	.reads = READS_NUMBER,
	.centred = true,
	.each = 2,
	.add = add,
	.reach = reach,
	.answer = answer,
	.error = error,
};
