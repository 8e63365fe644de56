/*
 * pool_kernel.h - the loop in which a pool spends its time: scores of candidates on tiles of rows.
 *
 * A score is the sum over columns of weight x feature, modulo 2^32, and positive if bits 30 .. 0
 * are not all 0 and bit 31 is 0; pool_units() excludes that anything is lost.  All kernels compute
 * the same integers, whatever the numbers are.
 */
#ifndef DPOBJ_CORE_POOL_KERNEL_H
#define DPOBJ_CORE_POOL_KERNEL_H

#include "core/pool/pool_rows.h"

/* So many candidates are rated at a time. */
#define POOL_GROUP 6

/* The most tiles of a call: then no sum leaves 32 bits. */
#define POOL_CHUNK_TILES 16

/*
 * Sets predicted[q] to the sum of net over the chunk's rows with a positive score, for each of
 * POOL_GROUP candidates; weight has 2 pairs numbers of each.
 */
typedef void (*PoolKernel)(const PoolRows *rows, int64_t first_tile, int tiles,
						   const int16_t *weight, int32_t *predicted);

/* The kernels that this machine can run, from the portable one to the fastest. */
#define POOL_MAX_KERNELS 5
extern int pool_kernels(PoolKernel kernel[POOL_MAX_KERNELS]);

/* The fastest of them. */
extern PoolKernel pool_fastest_kernel(void);

#endif
