/*
 * convex_pass.c - gradient and Hessian in one pass over the rows.
 */
#include "core/convex/convex_pass.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/convex/convex_hessian.h"
#include "core/convex/convex_pull.h"
#include "core/base/crew.h"
#include "core/base/mutant.h"

/* A block in columns, with a line for each limb of what belongs to its rows. */
typedef struct DenseBlock
{
	int64_t sum[SCORE_LIMBS * KERNEL_LINE];
	int32_t limb[PULL_LIMBS * KERNEL_LINE];
	int64_t bend[BLOCK_ROWS][2];
	int64_t *pull;
	int32_t *column;
} DenseBlock;

/* The sums of one thread. */
typedef struct GradientWork
{
	const LossTable *table;
	const SplitWeights *split;
	int dimension;
	int weights;
	bool bent;    /* compute the Hessian too? */
	Wide most[2]; /* the largest slope of a positive label and of a negative one */
	GradientSums sums;
	HessianSums hessian;
	const ConvexKernel *kernel;
	DenseBlock *dense; /* NULL with levels, whose rows are sparse */
} GradientWork;

/*
 * In units of scores.  Where a score was clipped to +-SLOPE_REACH, the residual is beyond the last
 * bend still: a target is TARGET_REACH at most.
 */
static Wide
target_of(const ConvexBlock *block, int64_t i)
{
	return block->target == NULL ? 0
								 : block->target[i] * ((Wide) 1 << (SCORE_BITS - FIXED_POINT_BITS));
}

/* The slope of a positive label, or of a negative one. */
static Wide
slope_of(const GradientWork *work, int label, Wide margin)
{
	Wide slope = loss_slope(work->table, margin);

	return slope < work->most[label] ? slope : work->most[label];
}

/* A row's numbers that are not 0, in one piece with their weights. */
typedef struct Nonzeros
{
	int count;
	int32_t v[COLUMNS_MAX];
	int32_t place[COLUMNS_MAX];
	int64_t high[COLUMNS_MAX];
	int64_t low[COLUMNS_MAX];
	Wide part[COLUMNS_MAX];
	Wide rest[COLUMNS_MAX];
} Nonzeros;

/* place: NULL if every number has the weight of its column. */
static void
find_nonzeros(const int32_t *v, const int32_t *place, int dimension, Nonzeros *found)
{
	int count = 0;

	for (int j = 0; j < dimension; j++)
	{
		found->v[count] = v[j];
		found->place[count] = place != NULL ? place[j] : j;
		count += v[j] != 0;
	}
	found->count = count;
}

static Wide
score_of(const GradientWork *work, Nonzeros *row)
{
	for (int k = 0; k < row->count; k++)
	{
		row->high[k] = work->split->high[row->place[k]];
		row->low[k] = work->split->low[row->place[k]];
		row->part[k] = row->rest[k] = 0;
	}
	return row_score(row->v, row->high, row->low, row->count, SLOPE_REACH);
}

static void
add_sparse_block(GradientWork *work, const ConvexBlock *block)
{
	GradientSums *sums = &work->sums;
	const int32_t *v = block->v;
	const int32_t *place = block->place;
	Nonzeros row;

	for (int64_t i = 0; i < block->rows; i++, v += work->dimension)
	{
		int64_t labels[2] = {block->positive[i], block->negative[i]};
		Wide score;

		find_nonzeros(v, place, work->dimension, &row);
		score = score_of(work, &row) - target_of(block, i);
		add_pull(row.v, labels[0], labels[1], slope_of(work, 0, score), slope_of(work, 1, -score),
				 row.count, row.part, row.rest);
		for (int k = 0; k < row.count; k++)
		{
			sums->part[row.place[k]] += row.part[k];
			sums->rest[row.place[k]] += row.rest[k];
		}
		if (work->bent)
			hessian_sums_add(
				&work->hessian, v, labels,
				(const int64_t[2]){loss_drop(work->table, score), loss_drop(work->table, -score)});
		if (place != NULL)
			place += work->dimension;
	}
}

/* Sets the limbs and bends of a row by its score; a label that the row does not have needs no slope. */
static void
set_row(GradientWork *work, const ConvexBlock *block, int64_t i, Wide score)
{
	DenseBlock *dense = work->dense;
	int64_t labels[2] = {block->positive[i], block->negative[i]};
	Wide slope[2] = {0, 0};

	for (int label = 0; label < 2; label++)
	{
		Wide margin = label == 0 ? score : -score;

		dense->bend[i][label] = 0;
		if (labels[label] == 0)
			continue;
		slope[label] = slope_of(work, label, margin);
		if (work->bent)
			dense->bend[i][label] = loss_drop(work->table, margin);
	}
	if (labels[0] + labels[1] <= FEW_LABELS)
		pull_limbs(labels[0], labels[1], slope[0], slope[1], dense->limb + i);
	else
	{
		pull_limbs(0, 0, 0, 0, dense->limb + i);
		add_pull(block->v + i * work->dimension, labels[0], labels[1], slope[0], slope[1],
				 work->dimension, work->sums.part, work->sums.rest);
	}
}

static void
add_dense_block(GradientWork *work, const ConvexBlock *block)
{
	const ConvexKernel *kernel = work->kernel;
	const SplitWeights *split = work->split;
	DenseBlock *dense = work->dense;
	int dimension = work->dimension;
	int rows = (int) block->rows;

	convex_columns_fill(block->v, rows, dimension, dense->column);
	kernel->score(dense->column, rows, dimension, split->limb, split->limbs, dense->sum);
	for (int i = 0; i < rows; i++)
		set_row(work, block, i,
				limbs_score(dense->sum + i, split->limbs, SLOPE_REACH) - target_of(block, i));
	kernel->pull(dense->column, rows, dimension, dense->limb, dense->pull);
	gradient_sums_add_limbs(&work->sums, dense->pull, dimension);
	if (work->bent)
		hessian_sums_add_block(&work->hessian, kernel, block, dense->column, dense->bend);
}

static void
add_block(void *context, const ConvexBlock *block)
{
	GradientWork *work = context;

	if (work->dense != NULL && convex_block_dense(work->kernel, block, work->dimension))
		add_dense_block(work, block);
	else
		add_sparse_block(work, block);
}

static void
merge_work(GradientWork *work, GradientWork *others)
{
	gradient_sums_merge(&work->sums, &others->sums, work->weights);
	if (work->bent)
		hessian_sums_merge(&work->hessian, &others->hessian);
}

static DenseBlock *
dense_create(int dimension, Memory *memory)
{
	DenseBlock *dense = memory_allocate_zero(memory, 1, sizeof(DenseBlock));

	dense->pull = memory_allocate_zero(memory, (size_t) dimension, PULL_LIMBS * sizeof(int64_t));
	dense->column = memory_allocate(memory, (size_t) dimension, KERNEL_LINE * sizeof(int32_t));
	return dense;
}

static GradientWork *
work_create(const ConvexRows *rows, const LossTable *table, const SplitWeights *split, bool bent,
			Memory *memory)
{
	GradientWork *work = memory_allocate_zero(memory, 1, sizeof(GradientWork));

	work->table = table;
	work->split = split;
	work->dimension = rows->dimension;
	work->weights = rows->weights;
	gradient_sums_create(&work->sums, work->weights, memory);
	work->bent = bent;
	for (int label = 0; label < 2; label++)
		work->most[label] =
			(Wide) residual_most[MUTANT(355) ? CLIP_NONE : rows->clip][MUTANT(356) ? 0 : label]
			<< (SLOPE_FINE_BITS - RESIDUAL_BITS);
	if (bent)
		hessian_sums_create(&work->hessian, work->dimension, memory);
	work->kernel = convex_fastest_kernel();
	if (rows->levels == NULL)
		work->dense = dense_create(work->dimension, memory);
	return work;
}

static void
work_destroy(GradientWork *work, Memory *memory)
{
	if (work->bent)
		hessian_sums_destroy(&work->hessian, memory);
	gradient_sums_destroy(&work->sums, memory);
	if (work->dense != NULL)
	{
		memory_release(memory, work->dense->column);
		memory_release(memory, work->dense->pull);
		memory_release(memory, work->dense);
	}
	memory_release(memory, work);
}

int64_t
convex_pass_sums(int classes, int dimension, int weights, bool bent)
{
	int64_t matrices = classes > 0 ? classes * (classes - 1) / 2 : 1;

	return 2 * (int64_t) weights + (bent ? matrices * hessian_sums_size(dimension) : 0);
}

Pass
convex_pass_at(const ConvexRows *rows, int classes, const Wide *u, bool bent)
{
	int weights = rows->weights * (classes > 0 ? classes : 1);

	return (Pass){.kind = PASS_GRADIENT,
				  .thin = rows->thin,
				  .clip = (int) rows->clip,
				  .bent = bent,
				  .places = weights,
				  .place = u,
				  .sums = convex_pass_sums(classes, rows->dimension, weights, bent)};
}

void
convex_pass_sum(ConvexRows *rows, const LossTable *table, const Pass *pass, Memory *memory,
				Wide *sum)
{
	void *work[CREW_MAX_THREADS];
	GradientWork *first;
	SplitWeights split;

	if (rows->levels != NULL && pass->bent)
		abort(); /* conjugate.h has no need of one */
	rows->thin = pass->thin;
	rows->clip = (ResidualClip) pass->clip;
	split_weights_create(pass->place, rows->weights, memory, &split);
	for (int k = 0; k < rows->threads; k++)
		work[k] = work_create(rows, table, &split, pass->bent, memory);
	convex_rows_visit(rows, add_block, work);
	for (int k = 1; k < rows->threads; k++)
		merge_work(work[0], work[k]);
	first = work[0];
	gradient_sums_write(&first->sums, rows->weights, sum);
	if (pass->bent)
		hessian_sums_write(&first->hessian, sum + 2 * rows->weights);
	for (int k = 0; k < rows->threads; k++)
		work_destroy(work[k], memory);
	split_weights_destroy(&split, memory);
}

void
convex_pass(ConvexRows *rows, const LossTable *table, int64_t lambda, const Wide *b, const Wide *u,
			Memory *memory, Wide *gradient, double *hessian)
{
	Pass pass = convex_pass_at(rows, 0, u, hessian != NULL);
	Wide *sum = memory_allocate(memory, (size_t) pass.sums, sizeof(Wide));

	if (rows->instance->elsewhere)
		pass_make(rows->instance->parts, &pass, sum);
	else
		convex_pass_sum(rows, table, &pass, memory, sum);
	gradient_read(sum, rows->weights, lambda, b, u, gradient);
	if (hessian != NULL)
		hessian_read(sum + 2 * rows->weights, rows->dimension, lambda, hessian);
	memory_release(memory, sum);
}

/*
 * A label's slope is off by beta 2^-90 <= 2^-90, because the score is rounded down, and by 2^-95
 * for the bits not kept, times |v| <= 1.  Each coordinate is off by 2^-84 for the two roundings of
 * gradient_entry().  The slopes of K scores are off by sqrt(K) 2^-89 in norm (softmax.h).
 */
double
gradient_error(double count, int scores, int dimension)
{
	return ldexp(count * sqrt(scores), -89) + ldexp(sqrt(dimension), -84);
}
