/*
 * pool_losses.c - takes batches of candidates over chunks of rows, so that both stay in a
 * processor's caches; threads share the batches.
 */
#include "core/pool/pool_losses.h"

#include <stdatomic.h>

#include "core/base/crew.h"
#include "core/base/mutant.h"

#define BATCH_GROUPS 32
#define CHUNK_BYTES 24576

/* Products between two pauses: a fraction of a second. */
#define SLICE_PRODUCTS 2e10

typedef struct Rating
{
	const PoolRows *rows;
	const int16_t *weight;
	int64_t *loss;
	PoolKernel kernel;
	int chunk_tiles;
	atomic_llong next; /* the first group that no thread has taken */
	int64_t end;       /* of the slice, in groups */
} Rating;

static int
chunk_tiles(const PoolRows *rows)
{
	int tiles = CHUNK_BYTES / (rows->pairs * POOL_TILE_ROWS * 2 * (int) sizeof(int16_t));

	return tiles < 1 ? 1 : tiles > POOL_CHUNK_TILES ? POOL_CHUNK_TILES : tiles;
}

/* Subtracts what the candidates predict positive in a chunk of rows. */
static void
rate_chunk(Rating *rating, int64_t first_tile, int tiles, int64_t first_group, int64_t end_group)
{
	for (int64_t group = first_group; group < end_group; group++)
	{
		int32_t predicted[POOL_GROUP];

		rating->kernel(rating->rows, first_tile, tiles,
					   rating->weight + group * POOL_GROUP * 2 * rating->rows->pairs, predicted);
		for (int q = 0; q < POOL_GROUP; q++)
			rating->loss[group * POOL_GROUP + q] -= predicted[q];
	}
}

static void
rate_batch(Rating *rating, int64_t first_group, int64_t end_group)
{
	int64_t tiles = rating->rows->tiles - (MUTANT(209) ? 1 : 0);

	for (int64_t m = first_group * POOL_GROUP; m < end_group * POOL_GROUP; m++)
		rating->loss[m] += rating->rows->base;
	for (int64_t tile = 0; tile < tiles; tile += rating->chunk_tiles)
	{
		int64_t left = tiles - tile;

		rate_chunk(rating, tile, left < rating->chunk_tiles ? (int) left : rating->chunk_tiles,
				   first_group, end_group);
	}
}

static void
rate_slice(void *context)
{
	Rating *rating = context;
	int64_t group;

	while ((group = atomic_fetch_add(&rating->next, BATCH_GROUPS)) < rating->end)
		rate_batch(rating, group,
				   group + BATCH_GROUPS < rating->end ? group + BATCH_GROUPS : rating->end);
}

static int64_t
groups_of_slice(const PoolRows *rows, int threads)
{
	double products =
		(double) rows->tiles * POOL_TILE_ROWS * rows->pairs * 2 * POOL_GROUP * BATCH_GROUPS;
	double batches = SLICE_PRODUCTS * threads / (products + 1);

	return batches < threads ? threads * BATCH_GROUPS : (int64_t) batches * BATCH_GROUPS;
}

void
pool_losses(const PoolRows *rows, const int16_t *weight, int64_t candidates, PoolKernel kernel,
			int threads, Memory *memory, int64_t *loss)
{
	int64_t groups = pool_room(candidates) / POOL_GROUP;
	int64_t slice = groups_of_slice(rows, threads);
	Rating rating = {.rows = rows,
					 .weight = weight,
					 .loss = loss,
					 .kernel = kernel,
					 .chunk_tiles = chunk_tiles(rows)};
	void *context[CREW_MAX_THREADS];

	for (int k = 0; k < threads; k++)
		context[k] = &rating;
	for (int64_t first = 0; first < groups; first += slice)
	{
		atomic_store(&rating.next, first);
		rating.end = groups - first < slice ? groups : first + slice;
		crew_run(threads, rate_slice, context);
		take_pause(memory->pause);
	}
}
