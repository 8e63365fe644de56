/*
 * pool_rows.h - the rows of an instance as 16-bit integers, in the order in which the kernels of
 * pool_kernel.h read them.
 *
 * A row's feature is rounded to the units of the pool (pool_units.h), so it stays a function of the
 * row and of public numbers (rule C5).  Rows with as many positive labels as negative ones cost
 * every candidate the same, and are left out.  With net = positives - negatives, the loss of w is
 *
 *   L(w) = base - sum over rows with score > 0 of net,
 *
 * base being the loss of a vector that predicts no row positive.  A table comes in parts, whose
 * losses add up, so that memory does not grow with it.
 */
#ifndef DPOBJ_CORE_POOL_ROWS_H
#define DPOBJ_CORE_POOL_ROWS_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/pool/pool_units.h"
#include "core/rows/instance.h"

/* Rows come in tiles: a tile has its rows' columns 0 and 1 first, then 2 and 3, and so on. */
#define POOL_TILE_ROWS 64

/* A row with a larger |net| is stored several times, so that sums over chunks fit 32 bits. */
#define POOL_MAX_NET (INT32_C(1) << 20)

/* So many rows of the instance make a part: 64 MiB with the most columns. */
#define POOL_PART_ROWS (INT64_C(1) << 18)

typedef struct PoolRows
{
	int pairs;     /* pairs of columns; the last may have a column of zeros */
	int64_t tiles; /* the last may have rows of zeros */
	int16_t *x;    /* tiles x pairs x POOL_TILE_ROWS x 2, on a border of 64 bytes */
	int32_t *net;  /* tiles x POOL_TILE_ROWS, likewise */
	int64_t base;
	void *x_block;
	void *net_block;
} PoolRows;

/*
 * The part that begins with row start.  The instance has both counts of labels, in memory or
 * spilled.  It is not needed afterwards.
 */
extern void pool_rows_create(PoolRows *rows, const Instance *instance, int64_t start,
							 const PoolUnits *units, Memory *memory);
extern void pool_rows_destroy(PoolRows *rows, Memory *memory);

#endif
