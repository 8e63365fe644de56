/*
 * measure.h - the benches' clocks and median.
 */
#ifndef DPOBJ_BENCH_MEASURE_H
#define DPOBJ_BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

static inline double
seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Seconds that this process has had of the processors: the same on a busy machine, nearly. */
static inline double
cpu_seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static inline int
compare_doubles(const void *left, const void *right)
{
	double a = *(const double *) left;
	double b = *(const double *) right;

	return (a > b) - (a < b);
}

/* Sorts the values. */
static inline double
median(double *value, int count)
{
	qsort(value, (size_t) count, sizeof(double), compare_doubles);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

#endif
