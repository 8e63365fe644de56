/*
 * convex_kernel.c - the loops of a pass, compiled for each set of vector instructions, as in
 * select_kernel.c.
 */
#include "core/convex/convex_kernel.h"

#include <stddef.h>

#include "core/base/mutant.h"

/* A bend times |v| <= 2^20 in two limbs. */
#define BEND_LOW_BITS 22
#define BEND_MASK ((INT64_C(1) << BEND_LOW_BITS) - 1)

/* So many rows are looped over. */
#define KERNEL_WHOLE(rows) (((rows) + KERNEL_ROWS - 1) / KERNEL_ROWS * KERNEL_ROWS)

#define TARGET
#define NAME(name) name##_portable
#include "core/convex/convex_kernel_body.h"

#if defined(__x86_64__)

#define TARGET __attribute__((target("avx2")))
#define NAME(name) name##_avx2
#include "core/convex/convex_kernel_body.h"

#endif

int
convex_kernels(const ConvexKernel *kernel[CONVEX_MAX_KERNELS])
{
	int count = 0;

	kernel[count++] = &kernel_portable;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		kernel[count++] = &kernel_avx2;
#endif
	return count;
}

const ConvexKernel *
convex_fastest_kernel(void)
{
	const ConvexKernel *kernel[CONVEX_MAX_KERNELS] = {NULL};

	return kernel[convex_kernels(kernel) - 1];
}

void
convex_columns_fill(const int32_t *v, int rows, int dimension, int32_t *column)
{
	for (int j = 0; j < dimension; j++, column += KERNEL_LINE)
	{
		for (int i = 0; i < rows; i++)
			column[i] = v[i * dimension + j];
		for (int i = rows; i < KERNEL_WHOLE(rows) && !MUTANT(398); i++)
			column[i] = 0;
	}
}
