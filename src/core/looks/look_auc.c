/*
 * look_auc.c - the AUC of a model, from a histogram of its scores by label (theorem X10).
 */
#include "core/looks/look_internal.h"

#include <math.h>

/* Without a public number of rows. */
#define SOME_BINS 30

#define FEWEST_BINS 10
#define MANY_BINS 200

/*
 * The noise of the AUC grows with the root of the number of bins, and what ties hide falls with its
 * square, so the best number grows as the rows over the noise of a count to the power 2/5.
 */
int
look_usual_bins(const Look *look, int64_t epsilon, int64_t rows)
{
	double rate = privacy_epsilon(epsilon) / (double) look_reach(look, 0);
	double bins = rint(3 * pow(rate * (double) rows, 0.4));

	if (rows == 0)
		return SOME_BINS;
	return (int) (bins < FEWEST_BINS ? FEWEST_BINS : bins > MANY_BINS ? MANY_BINS : bins);
}

/* NaN counts as the lowest. */
void
look_scores_add(const Look *look, double score, const LookRow *row, int64_t *number)
{
	int bins = look->cells / 2;
	double bin = floor((score - look->lowest) / (look->highest - look->lowest) * bins);

	if (!(bin > 0))
		bin = 0;
	if (bin > bins - 1)
		bin = bins - 1;
	number[2 * (int) bin + (row->negative ? 1 : 0)] += row->rows;
}

static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	look_scores_add(look, row->score, row, number);
}

static int
answers(const Look *look)
{
	(void) look;
	return AUC_ANSWERS;
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	Noise noise = noise_laplace(epsilon, look_reach(look, 0));
	double ties;

	estimate_auc(&noise, number, look->cells / 2, confidence, answer, &ties);
	if (position == AUC_TIES)
		answer->value = ties;
	estimate_round(answer);
}

const LookType look_auc = {
	.name = "auc",
	.law = "laplace",
	.reads = READS_SCORES,
	.add = add,
	.reach = look_rows_reach,
	.answers = answers,
	.answer = answer,
	.error = look_rows_error,
};
