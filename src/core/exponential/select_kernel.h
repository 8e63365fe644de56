/*
 * select_kernel.h - the loops in which an enumeration spends its time.
 *
 * Each kernel is the same source, compiled for one set of vector instructions.  All arithmetic is
 * in integers, so every kernel computes the same numbers; which one runs affects the time only.
 */
#ifndef DPOBJ_CORE_SELECT_KERNEL_H
#define DPOBJ_CORE_SELECT_KERNEL_H

#include <stdint.h>

/* Tables are moved in blocks of this many words, and may be read so far beyond their end. */
#define SELECT_BLOCK 8

/* One table of the next layer, as the sum of at most two tables of this one. */
typedef struct SelectMove
{
	int32_t to;      /* first word, in the next layer */
	int32_t without; /* in this layer, of the cell without the column */
	int32_t with;    /* in this layer, of the cell with the column, at its lowest level */
	int32_t words;   /* a multiple of SELECT_BLOCK */
} SelectMove;

/* Rows in the order in which a plan keeps them; row i's table begins at start[i]. */
typedef struct SelectRows
{
	int64_t count;
	int64_t *net;
	int32_t *start;
	int32_t *low;  /* the sum t of the table's first entry */
	int32_t *size; /* entries of the table; one more word belongs to it */
} SelectRows;

/* Rows of one group column in a dense plan. */
typedef struct SelectRun
{
	const uint32_t *score; /* without the last column */
	const int32_t *value;  /* of the last column */
	const int32_t *net;
	int64_t count;
} SelectRun;

typedef struct SelectKernel
{
	/* score += difference * value, modulo 2^32 */
	void (*step)(uint32_t *score, const int32_t *value, int64_t rows, int32_t difference);

	/* table[start + entry] -= net for each row, entry the first that is predicted positive */
	void (*tabulate)(uint64_t *table, const uint32_t *score, const SelectRows *rows);

	/* to = without + with, with shifted by an offset; to = one of them */
	void (*add)(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count,
				int32_t shift);
	void (*copy_with)(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count,
					  int32_t shift);
	void (*copy_without)(uint64_t *to, const uint64_t *from, const SelectMove *move, int64_t count);

	/*
	 * sum[i] = minus the sum of the nets of the rows whose score, with weight[i] at the last
	 * column, is above bound.  The sum of all |net| is below 2^31.
	 */
	void (*sum)(int64_t *sum, const SelectRun *run, const int8_t *weight, int levels,
				int32_t bound);
} SelectKernel;

/* The kernels that this machine can run, from the portable one to the fastest. */
#define SELECT_MAX_KERNELS 3
extern int select_kernels(const SelectKernel *kernel[SELECT_MAX_KERNELS]);

/* The fastest of them. */
extern const SelectKernel *select_fastest_kernel(void);

#endif
