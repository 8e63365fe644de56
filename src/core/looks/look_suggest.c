/*
 * look_suggest.c - several looks at the same rows, one at each column, for one charge
 * (theorem T9).
 *
 * Each part is a histogram or quantiles, without groups, and has an equal share of epsilon.  A row
 * is in one cell of each column.
 */
#include "core/looks/look_internal.h"

#include <math.h>

#include "core/base/mutant.h"

/* All parts are of the same rows, so neighbours are those of the whole. */
static Look
part_of(const Look *look, int column)
{
	Look part = *look->block[column].part;

	part.adjacency = MUTANT(277) ? ADJACENCY_ADD_REMOVE : look->adjacency;
	part.rows_per_person = MUTANT(262) ? 1 : look->rows_per_person;
	return part;
}

/* In nano-units: epsilon_i = floor(epsilon / columns), so that they add up to epsilon at most. */
int64_t
look_suggest_share(const Look *look, int64_t epsilon)
{
	return MUTANT(261) ? epsilon : epsilon / look->columns;
}

static int
numbers(const Look *look)
{
	const LookBlock *last = &look->block[look->columns - 1];

	return last->first + look_numbers(last->part);
}

static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	for (int i = 0; i < look->columns; i++)
	{
		const LookBlock *block = &look->block[i];
		bool has_points = block->part->type->reads == READS_POINT;
		LookRow one = {.cell = has_points ? 0 : row->x[i], .x = &row->x[i], .rows = row->rows};

		/* the last cell of quantiles is of rows without a value */
		if (!has_points || row->x[i] <= block->part->high)
			look_add(block->part, &one, number + block->first);
	}
}

static void
draw(const Look *look, int64_t epsilon, Bits *bits, int column, int64_t *number)
{
	Look part = part_of(look, column);

	for (int cell = 0; cell < part.cells; cell++)
		look_draw(&part, look_suggest_share(look, epsilon), bits, cell,
				  number + look->block[column].first);
}

double
look_suggest_error(const Look *look, int64_t epsilon, int column, double beta)
{
	Look part = part_of(look, column);
	int64_t share = look_suggest_share(look, epsilon);
	double most = 0;

	for (int i = 0; i < look_answers(&part); i++)
		most = fmax(most, part.type->reads == READS_POINT ? look_rank_error(&part, share, i, beta)
														  : look_error(&part, share, i, beta));
	return most;
}

static int
answers(const Look *look)
{
	int answers = 0;

	for (int i = 0; i < look->columns; i++)
		answers += look_answers(look->block[i].part);
	return answers;
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	int column = 0;
	Look part;

	while (position >= look_answers(look->block[column].part))
		position -= look_answers(look->block[column++].part);
	part = part_of(look, column);
	look_answer(&part, look_suggest_share(look, epsilon), confidence,
				number + look->block[column].first, position, answer);
}

const LookType look_suggest = {
	.name = "suggest",
	.law = "laplace and exponential",
	.reads = READS_KNOWN,
	.numbers = numbers,
	.add = add,
	.draw = draw,
	.answers = answers,
	.answer = answer,
};
