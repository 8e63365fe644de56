/*
 * batch.c - labels taken or left, one after the other.
 */
#include "core/batch.h"

#include "core/mutant.h"

/* A uniform number's binary digits against those of p / q, up to the first that differs. */
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
thin(int64_t count, int64_t batch, int64_t rows, Bits *bits)
{
	int64_t taken = 0;

	for (int64_t i = 0; i < count; i++)
		taken += batch_chance(bits, batch, rows);
	return taken;
}

void
batch_poisson(const ConvexSample *all, int64_t batch, int64_t rows, Bits *bits, int64_t *positive,
			  int64_t *negative)
{
	if (MUTANT(82))
		batch = batch < rows / 2 ? 2 * batch : rows;
	for (int64_t i = 0; i < all->rows; i++)
	{
		positive[i] = thin(all->positive[i], batch, rows, bits);
		negative[i] = thin(all->negative[i], batch, rows, bits);
	}
}

/* Places that are still to be looked at, and how many of them are still to be chosen. */
typedef struct Places
{
	int64_t left;
	int64_t wanted;
} Places;

/* The next place is chosen with probability wanted / left. */
static int64_t
choose(int64_t count, Places *places, Bits *bits)
{
	int64_t taken = 0;

	for (int64_t i = 0; i < count; i++, places->left--)
		if (batch_chance(bits, places->wanted, places->left))
		{
			taken++;
			places->wanted -= !MUTANT(83);
		}
	return taken;
}

static int64_t
count_labels(const ConvexSample *all)
{
	int64_t count = 0;

	for (int64_t i = 0; i < all->rows; i++)
		count += all->positive[i] + all->negative[i];
	return count;
}

/* What is left in the end goes to places that hold nothing: nobody needs to know which. */
void
batch_fixed(const ConvexSample *all, int64_t batch, int64_t rows, Bits *bits, int64_t *positive,
			int64_t *negative)
{
	Places places = {.left = count_labels(all), .wanted = batch};

	if (places.left < rows && !MUTANT(87))
		places.left = rows;
	for (int64_t i = 0; i < all->rows; i++)
	{
		positive[i] = choose(all->positive[i], &places, bits);
		negative[i] = choose(all->negative[i], &places, bits);
	}
}
