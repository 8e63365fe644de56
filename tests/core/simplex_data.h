/*
 * simplex_data.h - rows of a target and features, and the terms of dp_simplex, for its tests.
 */
#ifndef DPOBJ_TESTS_SIMPLEX_DATA_H
#define DPOBJ_TESTS_SIMPLEX_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/instance.h"
#include "core/simplex/simplex.h"

#include "fixture.h"

#define MOST_FEATURES 12
#define MOST_ROWS 4000
#define ONE FIXED_POINT_ONE

static inline int32_t
integer_between(int32_t low, int32_t high)
{
	return low + (int32_t) teststream_below(&stream, (uint64_t) (high - low) + 1);
}

/* Rows of a target and features, with numbers of rows. */
typedef struct Data
{
	int dimension;
	int64_t rows;
	int32_t x[MOST_ROWS * (MOST_FEATURES + 1)];
	int64_t count[MOST_ROWS];
	int64_t none[MOST_ROWS];
} Data;

static inline Data *
data_create(int dimension)
{
	Data *data = calloc(1, sizeof(Data));

	if (data == NULL)
		abort();
	data->dimension = dimension;
	return data;
}

static inline int32_t *
data_row(Data *data, int64_t row)
{
	return data->x + row * (data->dimension + 1);
}

/* Adds so many equal rows of a target and features. */
static inline void
data_add(Data *data, int64_t count, const int32_t *row)
{
	memcpy(data_row(data, data->rows), row, (size_t) (data->dimension + 1) * sizeof(row[0]));
	data->count[data->rows++] = count;
}

static inline Instance
data_instance(const Data *data)
{
	return (Instance){.dimension = data->dimension + 1,
					  .rows = data->rows,
					  .x = data->x,
					  .positive = data->count,
					  .negative = data->none};
}

static inline void
random_row(const SimplexTerms *terms, int dimension, int32_t *row)
{
	bool corner = below(2) == 0;

	row[0] = integer_between(terms->target_low, terms->target_high);
	for (int j = 1; j <= dimension; j++)
		row[j] = integer_between(terms->low, terms->high);
	if (!corner)
		return;
	row[0] = below(2) == 0 ? terms->target_low : terms->target_high;
	for (int j = 1; j <= dimension; j++)
		row[j] = below(2) == 0 ? terms->low : terms->high;
}

static inline SimplexTerms
random_terms(void)
{
	SimplexTerms terms = {.lambda = exp(between(-3, 8)), .rows = 1000};

	terms.low = integer_between(-3 * ONE, ONE);
	terms.high = integer_between(terms.low + 1, 3 * ONE);
	terms.target_low = integer_between(-5 * ONE, ONE);
	terms.target_high = integer_between(terms.target_low, 5 * ONE);
	return terms;
}

/*
 * The terms of another program's values: L = R = 1, psi'' <= 1/4 is our loss times 1/4 with targets
 * of up to 3: L = 4, and lambda counts four times.
 */
static inline SimplexTerms
printed_terms(double lambda)
{
	return (SimplexTerms){.lambda = 4 * lambda,
						  .rows = 10000,
						  .low = -ONE,
						  .high = ONE,
						  .target_low = -3 * ONE,
						  .target_high = 3 * ONE};
}

#endif
