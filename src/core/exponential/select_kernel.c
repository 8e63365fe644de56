/*
 * select_kernel.c - the loops of an enumeration, compiled for each set of vector instructions.
 *
 * The loops are written once (select_kernel_body.h).  The portable kernel needs nothing beyond
 * the compiler's target.  The processor is asked which others it runs, so an emulator that knows
 * fewer instructions gets fewer.
 */
#include "core/exponential/select_kernel.h"

#include <stddef.h>

#include "core/base/mutant.h"
#include "core/rows/instance.h"

/* The most levels that are summed up in one pass over the rows. */
#define TILE 8

#define BITS 128
#define TARGET
#define NAME(name) name##_portable
#include "core/exponential/select_kernel_body.h"

#if defined(__x86_64__)

#define BITS 256
#define TARGET __attribute__((target("avx2")))
#define NAME(name) name##_avx2
#include "core/exponential/select_kernel_body.h"

#define BITS 512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define NAME(name) name##_avx512
#include "core/exponential/select_kernel_body.h"

#endif

int
select_kernels(const SelectKernel *kernel[SELECT_MAX_KERNELS])
{
	int count = 0;

	kernel[count++] = &kernel_portable;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		kernel[count++] = &kernel_avx2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		kernel[count++] = &kernel_avx512;
#endif
	return count;
}

const SelectKernel *
select_fastest_kernel(void)
{
	const SelectKernel *kernel[SELECT_MAX_KERNELS] = {NULL};

	return kernel[select_kernels(kernel) - 1];
}
