/*
 * pace.c - how fast this machine computes, by a public benchmark.
 *
 * The work is that of a pass over rows: products of integers, and a division for each row.  The
 * processor's time counts, so that other processes disturb little, and of several rounds the
 * quickest.
 */
#include "postgres.h"

#include <math.h>
#include <time.h>

#include "server/base/pace.h"

#define ROWS 4096
#define COLUMNS 32
#define ROUNDS 16

/* Of a round, on an EPYC at 2.6 GHz with gcc 12. */
#define USUAL_SECONDS 60e-6

static double
processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Returns what depends on all products, so that no compiler leaves them out. */
static double
pass(const int32 *rows, const int32 *weights)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
	{
		int64 score = 0;

		for (int j = 0; j < COLUMNS; j++)
			score += (int64) rows[i * COLUMNS + j] * weights[j];
		sum += 1 / (1 + fabs((double) score));
	}
	return sum;
}

double
pace_measure(void)
{
	int32 *rows = palloc(sizeof(int32) * ROWS * COLUMNS);
	int32 weights[COLUMNS];
	double least = INFINITY;
	double sum = 0;

	for (int i = 0; i < ROWS * COLUMNS; i++)
		rows[i] = (int32) ((uint32) i * 40503 % 65521);
	for (int j = 0; j < COLUMNS; j++)
		weights[j] = j * 7919 % 1021 - 510;
	for (int round = 0; round < ROUNDS; round++)
	{
		double began = processor_seconds();

		for (int again = 0; again < 10; again++)
			sum += pass(rows, weights);
		least = Min(least, (processor_seconds() - began) / 10);
	}
	pfree(rows);
	/* sum is positive; a compiler that does not know it computes every pass */
	return sum > 0 ? Max(0.2, Min(20, rint(least / USUAL_SECONDS * 100) / 100)) : 1;
}
