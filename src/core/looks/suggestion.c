/*
 * suggestion.c - several looks at the same rows, each with an equal share of epsilon.
 */
#include "core/looks/suggestion.h"

#include <math.h>

#include "core/base/mutant.h"

void
suggestion_begin(Look *look, int columns, const Look *part)
{
	look->columns = columns;
	look->part = part;
	look->cells = columns;
}

/* All parts are of the same rows, so neighbours are those of the whole. */
static Look
part_of(const Look *look, int column)
{
	Look part = look->part[column];

	part.adjacency = MUTANT(277) ? ADJACENCY_ADD_REMOVE : look->adjacency;
	part.rows_per_person = MUTANT(262) ? 1 : look->rows_per_person;
	return part;
}

int
suggestion_cells(const Look *look, int column)
{
	const Look *part = &look->part[column];

	return part->kind == LOOK_QUANTILES ? part->high + 2 : part->cells;
}

/* In nano-units: epsilon_i = floor(epsilon / columns), so that they add up to epsilon at most. */
int64_t
suggestion_share(const Look *look, int64_t epsilon)
{
	return MUTANT(261) ? epsilon : epsilon / look->columns;
}

int
suggestion_first(const Look *look, int column)
{
	int first = 0;

	for (int i = 0; i < column; i++)
		first += look_numbers(&look->part[i]);
	return first;
}

int
suggestion_numbers(const Look *look)
{
	return suggestion_first(look, look->columns);
}

void
suggestion_add(const Look *look, const int32_t *x, int64_t rows, int64_t *number)
{
	for (int i = 0; i < look->columns; i++)
	{
		const Look *part = &look->part[i];

		if (part->kind != LOOK_QUANTILES)
			look_add(part, x[i], &x[i], rows, number);
		else if (x[i] <= part->high)
			look_add(part, 0, &x[i], rows, number);
		number += look_numbers(part);
	}
}

void
suggestion_draw(const Look *look, int64_t epsilon, Bits *bits, int column, int64_t *number)
{
	Look part = part_of(look, column);

	number += suggestion_first(look, column);
	for (int cell = 0; cell < part.cells; cell++)
		look_draw(&part, suggestion_share(look, epsilon), bits, cell, number);
}

double
suggestion_error(const Look *look, int64_t epsilon, int column, double beta)
{
	Look part = part_of(look, column);
	double most = 0;

	for (int i = 0; i < look_answers(&part); i++)
		most = fmax(most, look_error(&part, suggestion_share(look, epsilon), i, beta));
	return most;
}

int
suggestion_answers(const Look *look)
{
	int answers = 0;

	for (int i = 0; i < look->columns; i++)
		answers += look_answers(&look->part[i]);
	return answers;
}

void
suggestion_answer(const Look *look, int64_t epsilon, double level, const int64_t *number,
				  int position, LookAnswer *answer)
{
	int column = 0;
	Look part;

	while (position >= look_answers(&look->part[column]))
		position -= look_answers(&look->part[column++]);
	part = part_of(look, column);
	look_answer(&part, suggestion_share(look, epsilon), level,
				number + suggestion_first(look, column), position, answer);
}
