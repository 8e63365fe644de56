/*
 * count_pass.c - counts of labels and columns in one pass over the rows.
 */
#include "core/convex/count_pass.h"

/* Of one thread. */
typedef struct CountWork
{
	const ConvexRows *rows;
	int64_t *sum;
} CountWork;

static void
count_block(void *context, const ConvexBlock *block)
{
	CountWork *work = context;
	const int16_t *group = work->rows->columns->group;
	int dimension = work->rows->dimension;
	const int32_t *v = block->v;
	const int32_t *place = block->place;

	for (int64_t i = 0; i < block->rows; i++, v += dimension)
	{
		int64_t labels = block->positive[i] + block->negative[i];

		work->sum[0] += block->positive[i];
		work->sum[1] += block->negative[i];
		for (int j = 0; j < dimension; j++)
			if (group[j] > 0 && v[j] > 0)
				work->sum[2 + (place != NULL ? place[j] : j)] += labels;
		if (place != NULL)
			place += dimension;
	}
}

Pass
count_pass_of(const ConvexRows *rows)
{
	return (Pass){.kind = PASS_COUNTS, .sums = 2 + rows->weights};
}

void
count_pass_sum(ConvexRows *rows, Memory *memory, Wide *sum)
{
	int64_t sums = count_pass_of(rows).sums;
	void *context[CREW_MAX_THREADS];

	rows->thin = 1;
	for (int k = 0; k < rows->threads; k++)
	{
		CountWork *work = memory_allocate(memory, 1, sizeof(CountWork));

		work->rows = rows;
		work->sum = memory_allocate_zero(memory, (size_t) sums, sizeof(int64_t));
		context[k] = work;
	}
	convex_rows_visit(rows, count_block, context);
	for (int64_t i = 0; i < sums; i++)
		sum[i] = 0;
	for (int k = 0; k < rows->threads; k++)
	{
		CountWork *work = context[k];

		for (int64_t i = 0; i < sums; i++)
			sum[i] += work->sum[i];
		memory_release(memory, work->sum);
		memory_release(memory, work);
	}
}

void
count_pass(ConvexRows *rows, Memory *memory, Wide *sum)
{
	Pass pass = count_pass_of(rows);

	if (rows->instance->elsewhere)
		pass_make(rows->instance->parts, &pass, sum);
	else
		count_pass_sum(rows, memory, sum);
}
