/*
 * look_quantiles.c - quantiles in each group, drawn from the rows at each x (theorems J3, J5).
 */
#include "core/looks/look_internal.h"

#include <stddef.h>
#include <string.h>

/* The rows at each point of the grid; after the draw a cell begins with its quantiles. */
static int
numbers(const Look *look)
{
	int points = look->high + 1;

	return look->cells * (points > look->quantiles ? points : look->quantiles);
}

static void
add(const Look *look, const LookRow *row, int64_t *number)
{
	number[row->cell * (numbers(look) / look->cells) + *row->x] += row->rows;
}

static void
quantiles_request(const Look *look, int64_t epsilon, QuantilesRequest *request)
{
	*request = (QuantilesRequest){
		.quantiles = look->quantiles,
		.cells = look->high + 1,
		.parts = QUANTILES_PARTS,
		.epsilon = epsilon,
		.adjacency = look->adjacency,
		.person = look->rows_per_person,
		.grouped = look->cells > 1,
	};
	memcpy(request->quantile, look->quantile, sizeof(request->quantile));
}

static void
draw(const Look *look, int64_t epsilon, Bits *bits, int cell, int64_t *number)
{
	int64_t *first = number + (ptrdiff_t) cell * (numbers(look) / look->cells);
	int64_t drawn[QUANTILES_MOST];
	QuantilesRequest request;

	quantiles_request(look, epsilon, &request);
	quantiles_draw(&request, first, bits, drawn);
	memcpy(first, drawn, (size_t) look->quantiles * sizeof(int64_t));
}

static int
answers(const Look *look)
{
	return look->cells * look->quantiles;
}

double
look_rank_error(const Look *look, int64_t epsilon, int quantile, double beta)
{
	double error[QUANTILES_MOST];
	QuantilesRequest request;

	quantiles_request(look, epsilon, &request);
	quantiles_error(&request, beta, error);
	return error[quantile];
}

static void
answer(const Look *look, int64_t epsilon, double confidence, const int64_t *number, int position,
	   LookAnswer *answer)
{
	int cell = position / look->quantiles;
	int quantile = position % look->quantiles;
	double error = look_rank_error(look, epsilon, quantile, 1.0 - confidence);

	answer->value =
		round_grid_point(&look->grid, number[cell * (numbers(look) / look->cells) + quantile]);
	answer->rows = error < 0x1p62 ? (int64_t) error : INT64_MAX;
}

const LookType look_quantiles = {
	.name = "quantiles",
	.law = "exponential",
	.reads = READS_POINT,
	.numbers = numbers,
	.add = add,
	.draw = draw,
	.answers = answers,
	.answer = answer,
};
