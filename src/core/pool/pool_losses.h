/*
 * pool_losses.h - the losses of a pool's candidates: how many rows each misclassifies.
 */
#ifndef DPOBJ_CORE_POOL_LOSSES_H
#define DPOBJ_CORE_POOL_LOSSES_H

#include <stdint.h>

#include "core/base/memory.h"
#include "core/pool/pool_kernel.h"

/* Numbers of weights of a candidate: 2 for each pair of columns. */
static inline int64_t
pool_stride(int dimension)
{
	return (dimension + 1) / 2 * 2;
}

/* So many candidates have to have room, those beyond the pool with weights of 0. */
static inline int64_t
pool_room(int64_t candidates)
{
	return (candidates + POOL_GROUP - 1) / POOL_GROUP * POOL_GROUP;
}

/*
 * Adds its loss to loss[m] for each of pool_room(candidates) candidates, whose weights stand one
 * after the other, pool_stride() numbers for each.  Exact, and the same for any kernel and number
 * of threads.
 */
extern void pool_losses(const PoolRows *rows, const int16_t *weight, int64_t candidates,
						PoolKernel kernel, int threads, Memory *memory, int64_t *loss);

#endif
