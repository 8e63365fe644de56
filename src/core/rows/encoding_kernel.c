/*
 * encoding_kernel.c - the loop over the numbers of a row, compiled for each set of vector
 * instructions, as in select_kernel.c.
 */
#include "core/rows/encoding_kernel.h"

#include <math.h>
#include <stddef.h>

#include "core/base/mutant.h"
#include "core/rows/limits.h"

/* So many numbers are rounded together; a multiple of what a vector holds. */
#define BLOCK 8

#define BITS 128
#define TARGET
#define NAME(name) name##_portable
#include "core/rows/encoding_kernel_body.h"

#if defined(__x86_64__)

#define BITS 256
#define TARGET __attribute__((target("avx2")))
#define NAME(name) name##_avx2
#include "core/rows/encoding_kernel_body.h"

#endif

int
encoding_kernels(const EncodingKernel *kernel[ENCODING_MAX_KERNELS])
{
	int count = 0;

	kernel[count++] = &kernel_portable;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		kernel[count++] = &kernel_avx2;
#endif
	return count;
}

const EncodingKernel *
encoding_fastest_kernel(void)
{
	const EncodingKernel *kernel[ENCODING_MAX_KERNELS] = {NULL};

	return kernel[encoding_kernels(kernel) - 1];
}
