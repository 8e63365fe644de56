/* pool_units.c - 31 bits, divided between features, weights and the sum over columns. */
#include "core/pool/pool_units.h"

#include "core/rows/instance.h"

#define SCORE_BITS 31
#define WEIGHT_BITS 15 /* of an int16 without its sign */

/* Features in [-1, 1] count in 2^-12, and in 2^-11 where a row has more than 16 of them. */
#define FEATURE_BITS 12
#define FEW_TERMS_BITS 4

static int
bits_of(int64_t number)
{
	int bits = 0;

	while ((INT64_C(1) << bits) < number)
		bits++;
	return bits;
}

int
pool_terms(const PoolShape *shape)
{
	int terms = shape->dimension + shape->groups;

	for (int g = 0; g < shape->groups; g++)
		terms -= shape->group[g];
	return terms;
}

PoolUnits
pool_units(const PoolShape *shape)
{
	int term_bits = bits_of(pool_terms(shape));
	int feature_bits = term_bits > FEW_TERMS_BITS ? FEATURE_BITS - 1 : FEATURE_BITS;
	int weight_bits = SCORE_BITS - term_bits - feature_bits;
	int shift = bits_of(shape->peak) - feature_bits;
	PoolUnits units = {.feature = INT32_C(1) << feature_bits};

	if (weight_bits > WEIGHT_BITS)
		weight_bits = WEIGHT_BITS;
	units.weight = (INT32_C(1) << weight_bits) - 1;
	for (int j = 0; j < shape->dimension; j++)
		units.feature_shift[j] = (shift > 0 ? shift : 0) - shape->finer[j];
	return units;
}

void
pool_set_bounds(PoolShape *shape, const int32_t *bound)
{
	shape->peak = 1;
	for (int j = 0; j < shape->dimension; j++)
		if (bound[j] > shape->peak)
			shape->peak = bound[j];
	for (int j = 0; j < shape->dimension; j++)
	{
		int finer = bound[j] > 0 ? bits_of(shape->peak) - bits_of(bound[j]) : 0;

		shape->finer[j] = (int8_t) (finer < POOL_FINER_MAX ? finer : POOL_FINER_MAX);
	}
}

int
pool_stretch(const PoolShape *shape, int column)
{
	return bits_of(shape->peak) - bits_of(FIXED_POINT_ONE) - shape->finer[column];
}
