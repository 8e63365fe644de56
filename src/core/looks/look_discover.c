/*
 * look_discover.c - levels of a column that nobody has declared, and how many persons have each
 * (theorem T14).
 *
 * The cells of the vector are the levels that are named, which discovered.h finds; the reach is that of
 * a count of persons in many cells.
 */
#include "core/looks/look_internal.h"

static int
answers(const Look *look)
{
	return look->named;
}

static void
error(const Look *look, int64_t epsilon, double beta, Facts *facts)
{
	facts_number(facts, "threshold", (double) look->threshold, 15);
	look_rows_error(look, epsilon, beta, facts);
}

const LookType look_discover = {
	.name = "discover",
	.law = "laplace",
	.reads = READS_LEVEL,
	.add = look_rows_add,
	.reach = look_rows_reach,
	.answers = answers,
	.answer = look_rows_answer,
	.error = error,
};
