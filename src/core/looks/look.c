/*
 * look.c - the engine of looks: encodings, noise by the reach, and intervals.
 */
#include "core/looks/look_internal.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mutant.h"
#include "core/noise/noisy.h"

/* ---- the table ---- */

const LookType *
look_type(int position)
{
	static const LookType *const table[] = {
#define ENTRY(name) &look_##name,
		LOOKS(ENTRY)
#undef ENTRY
	};

	return position < (int) (sizeof(table) / sizeof(table[0])) ? table[position] : NULL;
}

const LookType *
look_find(const char *name)
{
	int position = 0;

	while (look_type(position) != NULL && strcmp(look_type(position)->name, name) != 0)
		position++;
	return look_type(position);
}

/* ---- values ---- */

/* The bits of x beside its sign. */
#define LOOK_BITS 24

/* The most units that the middle of the bounds may have: sums with it stay exact. */
#define LOOK_MIDDLE_BITS 50

bool
look_set_bounds(Look *look, double low, double high)
{
	double half = high / 2 - low / 2;
	double size = look->type->centred ? half : fmax(fabs(low), fabs(high));
	double middle = 0.0;
	int exponent;

	if (!isfinite(low) || !isfinite(high) || !(low < high))
		return false;
	(void) frexp(size, &exponent);
	/* far from the ends of the doubles, so that no product with a unit is rounded */
	if (exponent > 900 || exponent < -900)
		return false;
	look->unit = ldexp(1.0, exponent - LOOK_BITS);
	if (look->type->centred)
		middle = rint((low + half) / look->unit);
	if (fabs(middle) > ldexp(1.0, LOOK_MIDDLE_BITS))
		return false;
	look->middle = middle * look->unit;
	look->low = (int32_t) rint(low / look->unit - middle);
	look->high = (int32_t) rint(high / look->unit - middle);
	return look->low < look->high;
}

bool
look_set_grid(Look *look, double low, double high, bool whole, int64_t most)
{
	if (most >= QUANTILES_MOST_CELLS / look->cells ||
		!round_grid_choose(&look->grid, low, high, whole, most))
		return false;
	look->unit = round_grid_unit(&look->grid);
	look->middle = round_grid_multiple(&look->grid, look->grid.first);
	look->low = 0;
	look->high = (int32_t) look->grid.steps;
	return true;
}

/* A suggestion has a vector for each part; a profile begins with two numbers of its own. */
void
look_set_blocks(Look *look, int columns, LookBlock *block)
{
	int first = block[0].part == NULL ? PROFILE_COLUMNS : 0;

	for (int i = 0; i < columns; i++)
	{
		const Look *part = block[i].part;

		if (part != NULL) /* quantiles have one more cell, for a row without a value */
			block[i].cells = part->type->reads == READS_POINT ? part->high + 2 : part->cells;
		block[i].first = first;
		first += part == NULL ? block[i].cells : look_numbers(part);
	}
	look->columns = columns;
	look->block = block;
	look->cells = block[0].part == NULL ? first : columns;
}

/* The encoding multiplies by 2^16 and rounds: low and high become exactly those of the look. */
void
look_encoding(const Look *look, Encoding *encoding)
{
	encoding_init(encoding);
	encoding->features = look->columns > 0 ? look->columns : 1;
	encoding->low[0] = 0.0;
	encoding->high[0] = 0.0;
	for (int i = 0; i < look->columns; i++)
	{
		encoding->scale[i] = FIXED_POINT_ONE;
		encoding->low[i] = 0.0;
		encoding->high[i] = (double) (look->block[i].cells - 1) / FIXED_POINT_ONE;
	}
	if (look_has_values(look->type))
	{
		encoding->center[0] = look->middle;
		encoding->scale[0] = look->unit * FIXED_POINT_ONE;
		encoding->low[0] = (double) look->low / FIXED_POINT_ONE;
		encoding->high[0] = (double) look->high / FIXED_POINT_ONE;
		if (MUTANT(235))
			encoding->high[0] = ENCODING_MAX_CLIP;
	}
	if (!encoding_finish(encoding))
		abort(); /* 2^24 / 2^16 is below the largest bound */
}

/* ---- the vector ---- */

int
look_numbers(const Look *look)
{
	const LookType *type = look->type;

	return type->numbers != NULL ? type->numbers(look)
								 : look->cells * (type->each > 0 ? type->each : 1);
}

void
look_add(const Look *look, const LookRow *row, int64_t *number)
{
	look->type->add(look, row, number);
}

uint64_t
look_largest(const Look *look)
{
	return (uint64_t) (abs(look->low) > abs(look->high) ? abs(look->low) : abs(look->high));
}

/*
 * One that is replaced may leave a cell and enter another, so that several cells count twice what
 * an entering row changes.
 */
bool
look_moves(const Look *look)
{
	bool several = (look->cells > 1 || look->columns > 0 || look->type->reads == READS_LEVEL) &&
				   !(MUTANT(296) && look->type->reads == READS_SCORES);

	return look->adjacency == ADJACENCY_REPLACE && several && !MUTANT(234);
}

/* A person who is counted once in a cell changes no number by more than 1 (theorem T13). */
uint64_t
look_reach(const Look *look, int position)
{
	uint64_t rows = MUTANT(232) ? 1 : (uint64_t) look->rows_per_person;
	uint64_t moved = rows * (look_moves(look) ? 2 : 1);

	if (look->distinct && moved > (uint64_t) look->cells)
		moved = MUTANT(401) ? rows : (uint64_t) look->cells;
	return moved * look->type->reach(look, position);
}

void
look_draw(const Look *look, int64_t epsilon, Bits *bits, int cell, int64_t *number)
{
	int count = look_numbers(look) / look->cells;

	if (look->type->draw != NULL)
	{
		look->type->draw(look, epsilon, bits, cell, number);
		return;
	}
	for (int i = cell * count; i < (cell + 1) * count; i++)
	{
		uint64_t reach = look_reach(look, i);

		if (MUTANT(295) && look->type->reads == READS_SCORES && i % 2 == 1)
			continue;
		noisy_numbers(bits, epsilon, &reach, &number[i], 1);
	}
}

/* ---- answers ---- */

int
look_answers(const Look *look)
{
	return look->type->answers != NULL ? look->type->answers(look) : look->cells;
}

void
look_answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number,
			int position, LookAnswer *answer)
{
	*answer = (LookAnswer){.known = true};
	look->type->answer(look, epsilon, confidence, number, position, answer);
}

double
look_error(const Look *look, int64_t epsilon, int position, double beta)
{
	Noise noise = noise_laplace(epsilon, look_reach(look, position));

	return noisy_error(&noise, 1, beta);
}

double
look_below(double number)
{
	return nextafter(number, -INFINITY);
}

double
look_above(double number)
{
	return nextafter(number, INFINITY);
}

void
look_surround(const Look *look, int64_t epsilon, int position, int64_t number, double beta,
			  double *low, double *high)
{
	double error = look_error(look, epsilon, position, beta);

	*low = (double) number - error;
	*high = (double) number + error;
	if (fabs(*low) > 0x1p52)
		*low = look_below(look_below(*low));
	if (fabs(*high) > 0x1p52)
		*high = look_above(look_above(*high));
}

/* A sum over a number of rows from least to most, both at least 1. */
static double
smallest_quotient(double sum, double least, double most)
{
	return look_below(sum / (sum < 0 ? least : most));
}

static double
clip(double number, double low, double high)
{
	return number < low ? low : number > high ? high : number;
}

void
look_quotient(const Look *look, int64_t epsilon, double beta, const int64_t *number, int sum,
			  int rows, LookAnswer *answer)
{
	double low;
	double high;
	double least;
	double most;

	look_surround(look, epsilon, sum, number[sum], beta, &low, &high);
	look_surround(look, epsilon, rows, number[rows], beta, &least, &most);
	least = fmax(least, 1.0);
	most = fmax(most, least);
	*answer = (LookAnswer){.known = number[rows] >= 1, .low = -INFINITY, .high = INFINITY};
	answer->rows = number[rows];
	if (!answer->known)
		return; /* few rows or none */
	answer->value = (double) number[sum] / (double) number[rows];
	answer->low = smallest_quotient(low, least, most);
	answer->high = -smallest_quotient(-high, least, most);
}

void
look_map(double middle, double unit, double bottom, double top, LookAnswer *answer)
{
	answer->value = clip(middle + unit * answer->value, bottom, top);
	answer->low = clip(look_below(middle + unit * answer->low), bottom, top);
	answer->high = clip(look_above(middle + unit * answer->high), bottom, top);
}

/* ---- numbers of rows ---- */

void
look_rows_add(const Look *look, const LookRow *row, int64_t *number)
{
	(void) look;
	number[row->cell] += row->rows;
}

/* An entering row changes one number by 1 (theorem T2). */
uint64_t
look_rows_reach(const Look *look, int position)
{
	(void) look;
	(void) position;
	return 1;
}

/* A number of rows is not negative. */
void
look_rows_answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number,
				 int position, LookAnswer *answer)
{
	look_surround(look, epsilon, position, number[position], 1.0 - confidence, &answer->low,
				  &answer->high);
	answer->value = (double) number[position];
	answer->low = fmax(answer->low, 0.0);
	answer->high = fmax(answer->high, 0.0);
}

void
look_rows_error(const Look *look, int64_t epsilon, double beta, Facts *facts)
{
	facts_number(facts, "rows", look_error(look, epsilon, 0, beta), 6);
}
