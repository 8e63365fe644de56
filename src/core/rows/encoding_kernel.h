/*
 * encoding_kernel.h - the loop that rounds the numbers of a row, one version for each set of vector
 * instructions.
 *
 * It clips and rounds as encoding.h says, with one rounding of a double in each version, so all give
 * the same bits.
 */
#ifndef DPOBJ_CORE_ENCODING_KERNEL_H
#define DPOBJ_CORE_ENCODING_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct EncodingKernel
{
	/* Clips count numbers to low .. high and rounds them to x; false if one is NaN. */
	bool (*quantise)(const double *features, const double *low, const double *high, int count,
					 int32_t *x);
} EncodingKernel;

#define ENCODING_MAX_KERNELS 2

/* Those that this machine runs, from the least to the fastest; returns how many. */
extern int encoding_kernels(const EncodingKernel *kernel[ENCODING_MAX_KERNELS]);
extern const EncodingKernel *encoding_fastest_kernel(void);

#endif
