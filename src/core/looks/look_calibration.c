/*
 * look_calibration.c - the share of positive rows in each bin of a predicted probability (theorem X8).
 */
#include "core/looks/look_internal.h"

#include <math.h>
#include <stddef.h>

/* A probability is that of the logistic function. */
static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	look_scores_add(look, 1 / (1 + exp(-row->score)), row, number);
}

static int
answers(const Look *look)
{
	return look->cells / 2;
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	const int64_t *bin = number + 2 * (ptrdiff_t) position;
	Noise noise = noise_laplace(epsilon, look_reach(look, 0));

	estimate_share(&noise, bin[0], bin[1], confidence, answer);
	estimate_round(answer);
}

const LookType look_calibration = {
	.name = "calibration",
	.law = "laplace",
	.reads = READS_SCORES,
	.add = add,
	.reach = look_rows_reach,
	.answers = answers,
	.answer = answer,
	.error = look_rows_error,
};
