/*
 * instance.c - the loss of one vector, from the definition.
 */
#include "core/rows/instance.h"

int64_t
instance_loss(const Instance *instance, const Grid *grid, const int *index)
{
	int64_t loss = instance->constant;
	const int32_t *x = instance->x;

	for (int64_t i = 0; i < instance->rows; i++, x += instance->dimension)
	{
		int64_t score = 0;

		for (int j = 0; j < instance->dimension; j++)
			score += (int64_t) grid->level[j][index[j]] * x[j];
		if (instance->net[i] > 0)
			loss += score <= 0 ? instance->net[i] : 0;
		else
			loss += score > 0 ? -instance->net[i] : 0;
	}
	return loss;
}

int64_t
instance_span(const Instance *instance)
{
	int64_t span = 0;

	for (int64_t i = 0; i < instance->rows; i++)
		span += instance->net[i] > 0 ? instance->net[i] : -instance->net[i];
	return span;
}
