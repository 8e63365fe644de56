/*
 * pool_problem.h - training sets for the tests of pools, and the loss of an integer candidate, from
 * the definition.
 */
#ifndef DPOBJ_TESTS_POOL_PROBLEM_H
#define DPOBJ_TESTS_POOL_PROBLEM_H

#include <math.h>
#include <string.h>

#include "core/pool/pool_units.h"
#include "core/rows/instance.h"

#include "core/fixture.h"

/* The instance points to the arrays. */
typedef struct PoolData
{
	Instance instance;
	int32_t *x;
	int64_t *positive;
	int64_t *negative;
} PoolData;

static inline void
pool_data_create(PoolData *data, int rows, int dimension)
{
	size_t size = (size_t) rows + 1;

	data->x = memory_allocate_zero(memory, size * (size_t) dimension, sizeof(int32_t));
	data->positive = memory_allocate_zero(memory, size, sizeof(int64_t));
	data->negative = memory_allocate_zero(memory, size, sizeof(int64_t));
	data->instance = (Instance){.dimension = dimension,
								.rows = rows,
								.x = data->x,
								.positive = data->positive,
								.negative = data->negative};
}

static inline void
pool_data_destroy(PoolData *data)
{
	memory_release(memory, data->x);
	memory_release(memory, data->positive);
	memory_release(memory, data->negative);
}

/* Features of at most peak, many of them at its borders or 0; few labels, mostly. */
static inline void
pool_data_fill(PoolData *data, int32_t peak)
{
	for (int64_t k = 0; k < data->instance.rows * data->instance.dimension; k++)
		switch (below(4))
		{
			case 0:
				data->x[k] = below(2) ? peak : -peak;
				break;
			case 1:
				data->x[k] = 0;
				break;
			default:
				data->x[k] = below(2 * peak + 1) - peak;
		}
	for (int64_t i = 0; i < data->instance.rows; i++)
	{
		data->positive[i] = below(3);
		data->negative[i] = below(3);
	}
}

/* The label counts of misclassified rows; features to the nearest unit, upwards in a tie. */
static inline int64_t
pool_loss(const Instance *instance, const PoolUnits *units, const int16_t *weight)
{
	int64_t loss = 0;

	for (int64_t i = 0; i < instance->rows; i++)
	{
		int64_t score = 0;

		for (int j = 0; j < instance->dimension; j++)
			score += weight[j] * (int64_t) floor(ldexp(instance->x[i * instance->dimension + j],
													   -units->feature_shift[j]) +
												 0.5);
		loss += score > 0 ? instance->negative[i] : instance->positive[i];
	}
	return loss;
}

#endif
