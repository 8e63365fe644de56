/*
 * pool_kernel.h - scores of candidates on tiles of rows, by the best instructions of this machine.
 *
 * A score is the sum over columns of weight x feature, modulo 2^32, and positive if bits 30 .. 0
 * are not all 0 and bit 31 is 0; pool_units() excludes that anything is lost.  All kernels compute
 * the same integers, whatever the numbers are.
 */
#ifndef DPOBJ_CORE_POOL_KERNEL_H
#define DPOBJ_CORE_POOL_KERNEL_H

#include <stdbool.h>

#include "core/pool/pool_rows.h"

/* So many candidates are rated at a time. */
#define POOL_GROUP 6

/* The most tiles of a call: then no sum leaves 32 bits. */
#define POOL_CHUNK_TILES 16

typedef enum PoolKernel
{
	POOL_PORTABLE,
	POOL_AVX2,
	POOL_AVX512,      /* BW */
	POOL_AVX512_VNNI, /* sums of products in one instruction */
	POOL_KERNELS
} PoolKernel;

extern bool pool_kernel_runs(PoolKernel kernel);
extern PoolKernel pool_kernel_best(void);

/*
 * Sets predicted[q] to the sum of net over the chunk's rows with a positive score, for each of
 * POOL_GROUP candidates; weight has 2 pairs numbers of each.
 */
extern void pool_kernel_run(PoolKernel kernel, const PoolRows *rows, int64_t first_tile, int tiles,
							const int16_t *weight, int32_t *predicted);

#endif
