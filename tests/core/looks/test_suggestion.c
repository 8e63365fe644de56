/*
 * test_suggestion.c - a suggestion is looks at the same rows with an equal share of epsilon each:
 * what it counts, what it draws beside its parts alone, and what neighbours can change.
 */
#include "core/looks/look.h"

#include <string.h>

#include "core/fixture.h"
#include "core/law.h"

#define STEPS 3
#define ROWS_OF_PERSON 3

enum
{
	LEVELS,    /* two candidates and NULL */
	NUMBERS,   /* 0 .. 3 and NULL */
	CONSTANTS, /* one level: every row has it */
	COLUMNS
};

/* Numbers of the vector: three levels, four points, one level. */
enum
{
	FIRST_OF_NUMBERS = 3,
	FIRST_OF_CONSTANTS = FIRST_OF_NUMBERS + STEPS + 1,
	VECTOR
};

/* The parts say nothing of neighbours: the whole does. */
static void
make_parts(Look *part)
{
	part[LEVELS] = (Look){.type = &look_histogram, .cells = 3};
	part[NUMBERS] =
		(Look){.type = &look_quantiles, .cells = 1, .quantiles = 2, .quantile = {250000, 500000}};
	CHECK(look_set_grid(&part[NUMBERS], 10, 16, false, STEPS));
	part[CONSTANTS] = (Look){.type = &look_histogram, .cells = 1};
}

static Look
make_suggestion(Adjacency adjacency, int64_t rows_per_person, const Look *part)
{
	static LookBlock block[COLUMNS];
	Look look = {.type = &look_suggest, .adjacency = adjacency, .rows_per_person = rows_per_person};

	for (int i = 0; i < COLUMNS; i++)
		block[i] = (LookBlock){.part = &part[i]};
	look_set_blocks(&look, COLUMNS, block);
	return look;
}

/* Each row counts once in each column; one without a value counts for no quantile. */
static void
test_numbers(void)
{
	static const double rows[][COLUMNS] = {{0, 0, 0}, {1, 3, 0}, {2, STEPS + 1, 0}, {1, 3, 0}};
	static const int64_t expected[] = {1, 2, 1, 1, 0, 0, 2, 4};
	int64_t number[VECTOR] = {0};
	Look part[COLUMNS];
	Look look;
	Encoding encoding;

	make_parts(part);
	look = make_suggestion(ADJACENCY_REPLACE, 1, part);
	CHECK(look_numbers(&look) == VECTOR && look_answers(&look) == 3 + 2 + 1);
	CHECK(look.block[NUMBERS].first == FIRST_OF_NUMBERS);
	CHECK(look.block[CONSTANTS].first == FIRST_OF_CONSTANTS);
	look_encoding(&look, &encoding);
	for (int i = 0; i < 4; i++)
	{
		int32_t x[COLUMNS + 1];

		CHECK(encoding_apply(&encoding, rows[i], x));
		look_add(&look, &(LookRow){.cell = 0, .x = x, .rows = 1}, number);
	}
	CHECK(memcmp(number, expected, sizeof(expected)) == 0);
}

/* No part has more than its share, rounded down. */
static void
test_shares(void)
{
	Look part[COLUMNS];
	Look look;

	make_parts(part);
	look = make_suggestion(ADJACENCY_REPLACE, 1, part);
	for (int64_t epsilon = 1; epsilon < 100; epsilon++)
	{
		int64_t share = look_suggest_share(&look, epsilon);

		CHECK(COLUMNS * share <= epsilon && COLUMNS * (share + 1) > epsilon);
	}
}

static double
largest_error(const Look *one, int64_t share)
{
	double (*error)(const Look *, int64_t, int, double) =
		one->type == &look_quantiles ? look_rank_error : look_error;
	double first = error(one, share, 0, 0.1);
	double last = error(one, share, look_answers(one) - 1, 0.1);

	CHECK(first > 0);
	return first > last ? first : last;
}

/*
 * With the same bits a suggestion draws what its parts draw alone, with the share of epsilon, the
 * neighbours and the rows of a person that are written out here.
 */
static void
test_draws(Adjacency adjacency, int64_t rows_per_person)
{
	const int64_t epsilon = EPSILON_ONE / 2;
	const int64_t share = EPSILON_ONE / 6;
	Look part[COLUMNS];
	Look look;

	make_parts(part);
	look = make_suggestion(adjacency, rows_per_person, part);
	for (int seed = 0; seed < 200; seed++)
	{
		int64_t number[VECTOR] = {50, 20, 30, 30, 0, 10, 30, 100};
		int64_t alone[VECTOR];
		int64_t *at = alone;
		int position = 0;

		memcpy(alone, number, sizeof(alone));
		reseed((uint64_t) seed);
		for (int column = 0; column < COLUMNS; column++)
			look_draw(&look, epsilon, &bits, column, number);
		reseed((uint64_t) seed);
		for (int column = 0; column < COLUMNS; column++)
		{
			Look one = part[column];

			one.adjacency = adjacency;
			one.rows_per_person = rows_per_person;
			for (int cell = 0; cell < one.cells; cell++)
				look_draw(&one, share, &bits, cell, at);
			CHECK(look_suggest_error(&look, epsilon, column, 0.1) == largest_error(&one, share));
			for (int i = 0; i < look_answers(&one); i++)
			{
				LookAnswer first;
				LookAnswer second;

				look_answer(&look, epsilon, 0.9, number, position++, &first);
				look_answer(&one, share, 0.9, at, i, &second);
				CHECK(first.value == second.value && first.low == second.low &&
					  first.high == second.high && first.rows == second.rows);
			}
			at += look_numbers(&one);
		}
		CHECK(memcmp(number + FIRST_OF_CONSTANTS, alone + FIRST_OF_CONSTANTS, sizeof(int64_t)) ==
			  0);
		CHECK(memcmp(number, alone, FIRST_OF_NUMBERS * sizeof(int64_t)) == 0);
		CHECK(memcmp(number + FIRST_OF_NUMBERS, alone + FIRST_OF_NUMBERS, 2 * sizeof(int64_t)) ==
			  0);
	}
}

/* Draws of the smallest and largest of a number's noise are cut off here. */
#define SIDE 30

/* The noise of a level is discrete Laplace noise with this scale. */
static void
test_law(Adjacency adjacency, int64_t rows_per_person, double scale)
{
	Histogram noise = histogram_create(2 * SIDE + 1);
	Look part[COLUMNS];
	Look look;

	make_parts(part);
	look = make_suggestion(adjacency, rows_per_person, part);
	for (int draw = 0; draw < LAW_DRAWS; draw++)
	{
		int64_t number[VECTOR] = {0};
		int64_t cut;

		look_draw(&look, 6 * EPSILON_ONE, &bits, LEVELS, number);
		cut = number[1] < -SIDE ? -SIDE : number[1] > SIDE ? SIDE : number[1];
		histogram_add(&noise, (uint64_t) (cut + SIDE));
	}
	for (int i = 0; i <= 2 * SIDE; i++)
	{
		int size = abs(i - SIDE);
		/* the last place has all that is beyond it, too */
		double ends = size == SIDE ? 1 / (1 - exp(-1 / scale)) : 1;
		double other_ends = size == SIDE ? 1 / (1 - exp(-LAW_OFF / scale)) : 1;

		noise.truth[i] = exp(-size / scale) * ends;
		noise.other[i] = exp(-size * LAW_OFF / scale) * other_ends;
	}
	CHECK_LAW(noise.count, noise.truth, noise.other, 2 * SIDE + 1);
	histogram_destroy(&noise);
}

int
main(void)
{
	test_begin(29);
	test_numbers();
	test_shares();
	for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE; adjacency++)
		for (int64_t rows = 1; rows <= ROWS_OF_PERSON; rows += ROWS_OF_PERSON - 1)
			test_draws(adjacency, rows);
	/* a share of 2; a replaced row leaves a level and enters another */
	test_law(ADJACENCY_REPLACE, 1, 1);
	test_law(ADJACENCY_ADD_REMOVE, 1, 0.5);
	test_law(ADJACENCY_REPLACE, ROWS_OF_PERSON, 3);
	return test_end("suggestion");
}
