/*
 * convex_columns.c - which columns are one-hot groups, and how far each column reaches.
 */
#include "core/convex/convex_columns.h"

#include <math.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/convex/convex_pass.h"
#include "core/convex/convex_row.h"

int32_t
convex_columns_bound(const Encoding *encoding, int j)
{
	double value = fmax(fabs(encoding->low[j]), fabs(encoding->high[j]));

	if (MUTANT(215))
		return FIXED_POINT_ONE;
	return (int32_t) (value * FIXED_POINT_ONE + 0.5);
}

static bool
is_indicator(const Encoding *encoding, int j)
{
	return encoding->intercept &&
		   ((encoding->low[j] >= 0 && encoding->high[j] <= 1) || MUTANT(215));
}

/* A declared group of one column is a number (encoding.c). */
void
convex_columns_of(const Encoding *encoding, ConvexColumns *columns)
{
	int first = 0;
	int16_t group = 0;

	memset(columns, 0, sizeof(*columns));
	for (int j = 0; j < encoding->features; j++)
	{
		columns->group[j] = is_indicator(encoding, j) ? COLUMN_INDICATOR : 0;
		columns->bound[j] =
			is_indicator(encoding, j) ? FIXED_POINT_ONE : convex_columns_bound(encoding, j);
	}
	for (int g = 0; g < encoding->groups; first += encoding->group[g++])
	{
		if (encoding->group[g] == 1 && !MUTANT(218))
			continue;
		group++;
		for (int j = first; j < first + encoding->group[g]; j++)
		{
			columns->group[j] = group;
			columns->bound[j] = FIXED_POINT_ONE;
		}
	}
	if (encoding->intercept)
	{
		columns->group[encoding->features] = (int16_t) (group + 1);
		columns->bound[encoding->features] = FIXED_POINT_ONE;
	}
}

/* Is the last column a group by itself? */
static bool
has_intercept(const ConvexColumns *columns, int dimension)
{
	int group = columns->group[dimension - 1];

	return group != 0 && group != COLUMN_INDICATOR &&
		   (dimension == 1 || group != columns->group[dimension - 2]);
}

bool
convex_columns_valid(const ConvexColumns *columns, int dimension)
{
	int last = 0;

	for (int j = 0; j < dimension; j++)
	{
		int group = columns->group[j];
		bool goes_on = j > 0 && group == columns->group[j - 1];

		if (columns->bound[j] < 0 || columns->bound[j] > ENCODING_MAX_CLIP * FIXED_POINT_ONE)
			return false;
		if (group == COLUMN_INDICATOR && !has_intercept(columns, dimension))
			return false;
		if (group == 0 || group == COLUMN_INDICATOR || goes_on)
			continue;
		if (group != ++last)
			return false;
	}
	for (int j = 0; j < dimension; j++)
		if (columns->group[j] > 0 && columns->bound[j] != FIXED_POINT_ONE)
			return false;
	return true;
}

static bool
in_group(const ConvexColumns *columns, int j)
{
	return columns->group[j] > 0 && columns->group[j] != COLUMN_INDICATOR;
}

/* The groups' columns come first, in their order, then the others. */
static void
set_shape(const ConvexColumns *columns, int dimension, ColumnsBody *body)
{
	int count = 0;

	memset(body, 0, sizeof(*body));
	body->shape.size = body->size;
	for (int j = 0; j < dimension; j++)
		if (in_group(columns, j))
		{
			body->intercept = count;
			body->place[count++] = j;
			body->size[columns->group[j] - 1]++;
			body->shape.groups = columns->group[j];
		}
	for (int j = 0; j < dimension; j++)
		if (!in_group(columns, j))
		{
			body->place[count++] = j;
			body->shape.others++;
			body->indicator[j] = columns->group[j] == COLUMN_INDICATOR;
		}
	body->shape.subspace = body->shape.groups >= 2;
}

/*
 * |v_j| is at most what convex_clip_row() makes of the bound in a row that is not clipped, and at
 * most 1.  A column that is always 0 has the least reach.
 */
static int32_t
reach_of(int32_t bound, double radius)
{
	double factor = ldexp(1 / radius, ROW_BITS - FIXED_POINT_BITS);

	return (int32_t) fmax(1, fmin(floor(bound * factor), ldexp(1, ROW_BITS)));
}

void
columns_body_make(const ConvexColumns *columns, double radius, int dimension, ColumnsBody *body)
{
	double square = 0;

	set_shape(columns, dimension, body);
	for (int j = 0; j < dimension; j++)
	{
		body->reach[j] = reach_of(columns->bound[j], radius);
		/* the longest vector of a group's part has one coordinate */
		if (!in_group(columns, j) || j == 0 || columns->group[j] != columns->group[j - 1])
			square += (double) body->reach[j] * body->reach[j];
	}
	body->length = ldexp(sqrt(square), -ROW_BITS) * (1 + 1e-12);
}

/* An indicator has half of its own coordinate of K and half of the intercept's. */
double
columns_body_spread(const ColumnsBody *body, double *spread)
{
	const KNormBody *shape = &body->shape;
	int dimension = knorm_coordinates(shape);
	double part[COLUMNS_MAX + 1];
	double other;
	double sum = 0;
	int i = 0;

	knorm_spread(shape, part);
	other = part[shape->groups];
	for (int g = 0; g < shape->groups; g++)
		for (int end = i + body->size[g]; i < end; i++)
			spread[body->place[i]] = part[g];
	for (; i < dimension; i++)
		spread[body->place[i]] =
			body->indicator[body->place[i]] ? hypot(other, part[shape->groups - 1]) / 2 : other;
	for (int j = 0; j < dimension; j++)
		sum += spread[j];
	return sum / dimension;
}

/* A draw is right to two units of 2^-89, times a reach of 1 at most, rounded down. */
#define FINE_BITS 4

void
columns_body_draw(const ColumnsBody *body, double scale, Bits *bits, Memory *memory, mpz_t *b)
{
	int dimension = knorm_coordinates(&body->shape);
	mpz_t *integer = integers_create((size_t) dimension, memory);
	RealDraw *draw = knorm_draw_create(&body->shape, scale, bits, memory);

	real_draw_near(draw, bits, GRADIENT_BITS + FINE_BITS, integer);
	for (int i = 0; i < dimension; i++)
	{
		int j = body->place[i];
		bool half = body->indicator[j];

		if (half)
			mpz_add(integer[i], integer[i], integer[body->intercept]);
		mpz_mul_si(b[j], integer[i], body->reach[j]);
		mpz_fdiv_q_2exp(b[j], b[j], ROW_BITS + FINE_BITS + (half ? 1 : 0));
	}
	real_draw_destroy(draw, memory);
	integers_destroy(integer, (size_t) dimension, memory);
}
