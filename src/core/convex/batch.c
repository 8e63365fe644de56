/*
 * batch.c - draws of random batches, label by label.
 */
#include "core/convex/batch.h"

#include "core/base/mutant.h"

/*
 * Compares the binary digits of a uniform number with those of p / q up to the first difference.
 */
bool
batch_chance(Bits *bits, int64_t p, int64_t q)
{
	while (p > 0 && p < q)
	{
		bool digit;

		p *= 2;
		digit = p >= q;
		if (digit)
			p -= q;
		if ((bits_take(bits, 1) != 0) != digit)
			return digit;
	}
	return p > 0;
}

static int64_t
thin(const Batch *batch, int64_t count)
{
	int64_t size = batch->size;
	int64_t taken = 0;

	if (MUTANT(82))
		size = size < batch->rows / 2 ? 2 * size : batch->rows;
	for (int64_t i = 0; i < count; i++)
		taken += batch_chance(batch->bits, size, batch->rows);
	return taken;
}

/* DESCENT_FIXED: chooses the next place with probability wanted / left. */
static int64_t
choose(Batch *batch, int64_t count)
{
	int64_t taken = 0;

	for (int64_t i = 0; i < count; i++, batch->left--)
		if (batch_chance(batch->bits, batch->wanted, batch->left))
		{
			taken++;
			batch->wanted -= !MUTANT(83);
		}
	return taken;
}

static int64_t
choose_labels(Batch *batch, int64_t count)
{
	return batch->sampling == DESCENT_FIXED ? choose(batch, count) : thin(batch, count);
}

/* Places without a label come last and need not be drawn. */
void
batch_begin(Batch *batch, int64_t labels)
{
	batch->wanted = batch->size;
	batch->left = labels < batch->rows && !MUTANT(87) ? batch->rows : labels;
}

void
batch_choose(Batch *batch, const RowBlock *block, int64_t *positive, int64_t *negative)
{
	int64_t places = batch->left;

	for (int64_t i = 0; i < block->rows; i++)
	{
		positive[i] = choose_labels(batch, block->positive[i]);
		negative[i] = choose_labels(batch, block->negative[i]);
	}
	if (MUTANT(113))
		batch_begin(batch, places);
}
