/*
 * softmax_pass.c - gradient and Hessian of the softmax loss in one pass over the rows.
 */
#include "core/convex/softmax_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/crew.h"
#include "core/base/mutant.h"
#include "core/convex/convex_hessian.h"
#include "core/convex/convex_pass.h"
#include "core/convex/convex_pull.h"
#include "core/rows/row_reader.h"

/* Scores of rows of length 1 and weights below 2^29 are far below it. */
#define OPEN_REACH (INT64_C(1) << 34)

/* The sums of one thread. */
typedef struct SoftmaxWork
{
	const SoftmaxTable *table;
	const SplitWeights *split;
	int dimension;
	int classes;
	double longest;
	int pairs; /* of the Hessian's sums; 0 without one */
	GradientSums sums;
	HessianSums *hessian;
	Wide *share; /* BLOCK_ROWS x classes, whose products are the bends */
	const ConvexKernel *kernel;
	int32_t *column; /* a block in columns */
} SoftmaxWork;

static int
class_of(const SoftmaxWork *work, int32_t target)
{
	int class = target >> FIXED_POINT_BITS;

	if (class < 0 || class >= work->classes || class << FIXED_POINT_BITS != target)
		abort(); /* dpobj cannot have written it */
	return class;
}

/* Newton's method alone uses them, so that doubles will do. */
static void
set_raised_bends(Wide *share, int classes, int class)
{
	for (int k = 0; k < classes; k++)
		share[k] = k == class ? 0 : (Wide) ((double) share[k] * sqrt(2));
}

/* The factors of slopes are in units of 2^-32. */
#define FACTOR_BITS 32

/*
 * Shortens (e_class - p) (x) v to the longest length.  Doubles find the factor, integers apply it
 * and round towards 0.
 */
static void
shorten(const SoftmaxWork *work, const int32_t *v, Wide *slope)
{
	double slopes = 0;
	double row = 0;
	double factor;
	Wide whole;

	for (int k = 0; k < work->classes; k++)
	{
		double value = ldexp((double) slope[k], -SLOPE_FINE_BITS);

		slopes += value * value;
	}
	for (int j = 0; j < work->dimension; j++)
		row += (double) v[j] * v[j];
	factor = work->longest / (sqrt(slopes * row) * ldexp(1, -ROW_BITS));
	if (!(factor < 1) || MUTANT(303))
		return;
	whole = (Wide) ldexp(factor, FACTOR_BITS);
	for (int k = 0; k < work->classes; k++)
		slope[k] = slope[k] / ((Wide) 1 << FACTOR_BITS) * whole;
}

/* Adds labels of one class: e_class - p, a slope as those of a loss of the margin. */
static void
add_row(SoftmaxWork *work, const int32_t *v, int64_t labels, int class, Wide *share)
{
	int dimension = work->dimension;
	Wide score[INSTANCE_MAX_CLASSES];
	Wide slope[INSTANCE_MAX_CLASSES];
	bool raised;

	for (int k = 0; k < work->classes; k++)
		score[k] = row_score(v, work->split->high + k * dimension, work->split->low + k * dimension,
							 dimension, OPEN_REACH);
	raised = softmax_shares(work->table, score, work->classes, class, share);
	for (int k = 0; k < work->classes; k++)
		slope[k] = (k == class && !MUTANT(248) ? (Wide) 1 << SLOPE_FINE_BITS : 0) - share[k];
	if (work->longest < INFINITY)
		shorten(work, v, slope);
	for (int k = 0; k < work->classes; k++)
		add_pull(v, labels, 0, slope[k], 0, dimension, work->sums.part + k * dimension,
				 work->sums.rest + k * dimension);
	if (raised)
		set_raised_bends(share, work->classes, class);
}

/* All rows of a block for one pair of classes, so that its sums stay in the processor's cache. */
static void
add_pair(const SoftmaxWork *work, const ConvexBlock *block, bool dense, int k, int l,
		 HessianSums *sums)
{
	int64_t bend[BLOCK_ROWS][2];

	for (int64_t i = 0; i < block->rows; i++)
	{
		const Wide *share = work->share + i * work->classes;
		int64_t p = (int64_t) (share[k] >> (SLOPE_FINE_BITS - DROP_BITS));
		int64_t q = (int64_t) (share[l] >> (SLOPE_FINE_BITS - DROP_BITS));

		bend[i][0] = (p * q) >> DROP_BITS;
		bend[i][1] = 0; /* all labels are positive */
	}
	if (dense)
		hessian_sums_add_block(sums, work->kernel, block, work->column, (const int64_t(*)[2]) bend);
	else
		for (int64_t i = 0; i < block->rows; i++)
			hessian_sums_add(sums, block->v + i * work->dimension,
							 (const int64_t[2]){block->positive[i], 0}, bend[i]);
}

static void
add_block(void *context, const ConvexBlock *block)
{
	SoftmaxWork *work = context;
	HessianSums *sums = work->hessian;
	bool dense = work->pairs > 0 && convex_block_dense(work->kernel, block, work->dimension);

	for (int64_t i = 0; i < block->rows; i++)
		add_row(work, block->v + i * work->dimension, block->positive[i],
				class_of(work, block->target[i]), work->share + i * work->classes);
	if (dense)
		convex_columns_fill(block->v, (int) block->rows, work->dimension, work->column);
	for (int k = 0; work->pairs > 0 && k < work->classes; k++)
		for (int l = k + 1; l < work->classes; l++)
			add_pair(work, block, dense, k, l, sums++);
}

static void
merge_work(SoftmaxWork *work, SoftmaxWork *others)
{
	gradient_sums_merge(&work->sums, &others->sums, work->classes * work->dimension);
	for (int i = 0; i < work->pairs; i++)
		hessian_sums_merge(&work->hessian[i], &others->hessian[i]);
}

static SoftmaxWork *
work_create(const SoftmaxWork *shape, Memory *memory)
{
	SoftmaxWork *work = memory_allocate_zero(memory, 1, sizeof(SoftmaxWork));

	*work = *shape;
	gradient_sums_create(&work->sums, work->classes * work->dimension, memory);
	work->share = memory_allocate(memory, BLOCK_ROWS, (size_t) work->classes * sizeof(Wide));
	work->hessian = memory_allocate(memory, (size_t) work->pairs + 1, sizeof(HessianSums));
	for (int i = 0; i < work->pairs; i++)
		hessian_sums_create(&work->hessian[i], work->dimension, memory);
	work->kernel = convex_fastest_kernel();
	work->column = memory_allocate(memory, (size_t) work->dimension, KERNEL_LINE * sizeof(int32_t));
	return work;
}

static void
work_destroy(SoftmaxWork *work, Memory *memory)
{
	for (int i = 0; i < work->pairs; i++)
		hessian_sums_destroy(&work->hessian[i], memory);
	memory_release(memory, work->column);
	memory_release(memory, work->hessian);
	memory_release(memory, work->share);
	gradient_sums_destroy(&work->sums, memory);
	memory_release(memory, work);
}

/* Adds sign times a matrix to the block of classes k and l. */
static void
place(const double *matrix, int dimension, int classes, int k, int l, double sign, double *hessian)
{
	size_t width = (size_t) classes * (size_t) dimension;

	for (int i = 0; i < dimension; i++)
		for (int j = 0; j < dimension; j++)
			hessian[(size_t) (k * dimension + i) * width + (size_t) (l * dimension + j)] +=
				sign * matrix[i * dimension + j];
}

static void
read_hessian(const Wide *integer, int dimension, int classes, int64_t lambda, Memory *memory,
			 double *hessian)
{
	size_t width = (size_t) classes * (size_t) dimension;
	double *matrix =
		memory_allocate(memory, (size_t) dimension, (size_t) dimension * sizeof(double));

	memset(hessian, 0, width * width * sizeof(double));
	for (int k = 0; k < classes; k++)
		for (int l = k + 1; l < classes; l++, integer += hessian_sums_size(dimension))
		{
			hessian_read(integer, dimension, 0, matrix);
			place(matrix, dimension, classes, k, k, 1, hessian);
			place(matrix, dimension, classes, l, l, 1, hessian);
			place(matrix, dimension, classes, k, l, -1, hessian);
			place(matrix, dimension, classes, l, k, -1, hessian);
		}
	for (size_t j = 0; j < width; j++)
		hessian[j * width + j] += (double) lambda / (double) LAMBDA_ONE;
	memory_release(memory, matrix);
}

void
softmax_pass_sum(ConvexRows *rows, const SoftmaxTable *table, int classes, double longest,
				 const Pass *pass, Memory *memory, Wide *sum)
{
	int width = classes * rows->dimension;
	SoftmaxWork shape = {.table = table,
						 .dimension = rows->dimension,
						 .classes = classes,
						 .longest = longest,
						 .pairs = pass->bent ? classes * (classes - 1) / 2 : 0};
	void *work[CREW_MAX_THREADS];
	SoftmaxWork *first;
	SplitWeights split;

	rows->thin = pass->thin;
	split_weights_create(pass->place, width, memory, &split);
	shape.split = &split;
	for (int k = 0; k < rows->threads; k++)
		work[k] = work_create(&shape, memory);
	convex_rows_visit(rows, add_block, work);
	for (int k = 1; k < rows->threads; k++)
		merge_work(work[0], work[k]);
	first = work[0];
	gradient_sums_write(&first->sums, width, sum);
	for (int i = 0; i < first->pairs; i++)
		hessian_sums_write(&first->hessian[i],
						   sum + 2 * width + i * hessian_sums_size(rows->dimension));
	for (int k = 0; k < rows->threads; k++)
		work_destroy(work[k], memory);
	split_weights_destroy(&split, memory);
}

void
softmax_pass(ConvexRows *rows, const SoftmaxTable *table, int classes, double longest,
			 int64_t lambda, const Wide *b, const Wide *u, Memory *memory, Wide *gradient,
			 double *hessian)
{
	Pass pass = convex_pass_at(rows, classes, u, hessian != NULL);
	Wide *sum = memory_allocate(memory, (size_t) pass.sums, sizeof(Wide));

	if (rows->instance->elsewhere)
		pass_make(rows->instance->parts, &pass, sum);
	else
		softmax_pass_sum(rows, table, classes, longest, &pass, memory, sum);
	gradient_read(sum, pass.places, lambda, b, u, gradient);
	if (hessian != NULL)
		read_hessian(sum + 2 * pass.places, rows->dimension, classes, lambda, memory, hessian);
	memory_release(memory, sum);
}
