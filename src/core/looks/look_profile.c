/*
 * look_profile.c - several histograms of the same rows, one of each column (theorem T7).
 */
#include "core/looks/look_internal.h"

#include "core/base/mutant.h"

/* x: the row's cell of each column */
static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	bool usable = true;

	for (int i = 0; i < look->columns; i++)
	{
		number[look->block[i].first + row->x[i]] += row->rows;
		usable = usable && row->x[i] < look->block[i].usable;
	}
	number[usable ? PROFILE_USABLE : PROFILE_OTHERS] += row->rows;
}

/*
 * The histograms, in each of which a row has a cell: of the columns, and that of usable and other
 * rows.
 */
static uint64_t
reach(const Look *look, int position)
{
	(void) position;
	if (MUTANT(238))
		return 1;
	return (uint64_t) look->columns + (MUTANT(260) ? 0 : 1);
}

const LookType look_profile = {
	.name = "profile",
	.law = "laplace",
	.reads = READS_COLUMNS,
	.add = add,
	.reach = reach,
	.answer = look_rows_answer,
	.error = look_rows_error,
};
