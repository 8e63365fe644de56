/*
 * test_pool_select.c - the exact law of a pool's answer, by enumeration of all candidates of all
 * rounds: draws follow it, and on neighbours it moves by e^epsilon at most, with equality nearly.
 */
#include "core/pool/pool_select.h"

#include <stdlib.h>

#include "core/law.h"
#include "core/pool/pool_law.h"
#include "core/pool/pool_rows.h"

#define COLUMNS POOL_LAW_COLUMNS
#define ROWS 8

/* Of a few columns, with some noise. */
static void
random_problem(PoolProblem *problem, const Instance *instance, int rounds, int64_t candidates)
{
	int dimension = instance->dimension;

	*problem = (PoolProblem){
		.instance = instance,
		.law = {.shape = {.dimension = dimension, .peak = FIXED_POINT_ONE}, .rows = 20},
		.seed = pool_seed_draw(&bits),
		.candidates = candidates,
		.rounds = rounds,
		.epsilon = (1 + below(20)) * (EPSILON_ONE / 10),
		.adjacency = below(2) ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE,
		.threads = 1 + below(2),
	};
	for (int j = 0; j < dimension; j++)
	{
		problem->law.noise[j] = between(0.5, 5);
		problem->centre[j] = below(1 << 21) - (1 << 20);
	}
}

/* ---- draws ---- */

static void
check_draws(PoolProblem *problem, int draws)
{
	double truth[POOL_LAW_ANSWERS];
	double other[POOL_LAW_ANSWERS] = {0};
	int64_t count[POOL_LAW_ANSWERS] = {0};
	PoolAnswers law;
	PoolAnswers off;

	pool_law(problem, pool_law_rate(problem), &law);
	pool_law(problem, pool_law_rate(problem) * LAW_OFF, &off);
	for (int k = 0; k < off.answers; k++)
		other[pool_answers_find(&law, off.answer[k], problem->law.shape.dimension)] =
			(double) off.mass[k];
	for (int k = 0; k < law.answers; k++)
		truth[k] = (double) law.mass[k];
	for (int k = 0; k < draws; k++)
	{
		int64_t answer[COLUMNS] = {0};
		PoolRecord record;

		pool_select(problem, &bits, memory, answer, &record);
		count[pool_answers_find(&law, answer, problem->law.shape.dimension)]++;
	}
	CHECK_LAW(count, truth, other, law.answers);
}

/* Losses far enough apart for a law that depends on the rate. */
static void
test_draws(void)
{
	static const int shapes[][2] = {{1, 12}, {2, 6}, {3, 4}};

	for (int k = 0; k < 3; k++)
		for (int adjacency = 0; adjacency < 2; adjacency++)
		{
			PoolProblem problem;
			PoolData data;

			reseed(220 + 10 * k);
			pool_data_create(&data, ROWS, 2);
			pool_data_fill(&data, FIXED_POINT_ONE);
			random_problem(&problem, &data.instance, shapes[k][0], shapes[k][1]);
			problem.adjacency = adjacency;
			problem.epsilon = EPSILON_ONE * shapes[k][0];
			problem.threads = 1;
			check_draws(&problem, LAW_DRAWS / 4);
			pool_data_destroy(&data);
		}
}

/* ---- neighbours ---- */

/* The most that ln of an answer's probability differs. */
static long double
largest_ratio(PoolProblem *problem, const Instance *other)
{
	SelectRate rate = pool_rate(problem);
	long double product = (long double) rate.numerator / (long double) rate.denominator;
	long double largest = 0;
	PoolProblem neighbour = *problem;
	PoolAnswers law[2];

	neighbour.instance = other;
	pool_law(problem, product, &law[0]);
	pool_law(&neighbour, product, &law[1]);
	CHECK(law[0].answers == law[1].answers); /* the same candidates: they see no row */
	for (int k = 0; k < law[0].answers; k++)
	{
		CHECK(memcmp(law[0].answer[k], law[1].answer[k],
					 (size_t) problem->law.shape.dimension * sizeof(int64_t)) == 0);
		largest = fmaxl(largest, fabsl(logl(law[0].mass[k] / law[1].mass[k])));
	}
	return largest;
}

/* A random row comes, or is another one. */
static void
make_neighbour(PoolData *other, const PoolData *data, Adjacency adjacency)
{
	int dimension = data->instance.dimension;
	int64_t changed = adjacency == ADJACENCY_REPLACE ? below(ROWS) : ROWS;
	PoolData fresh;

	pool_data_create(other, ROWS + 1, dimension);
	pool_data_create(&fresh, 1, dimension);
	pool_data_fill(&fresh, FIXED_POINT_ONE);
	memcpy(other->x, data->x, (size_t) (ROWS * dimension) * sizeof(int32_t));
	memcpy(other->positive, data->positive, ROWS * sizeof(int64_t));
	memcpy(other->negative, data->negative, ROWS * sizeof(int64_t));
	/* One label, in data too, which may then have a row less or another one. */
	memcpy(other->x + changed * dimension, fresh.x, (size_t) dimension * sizeof(int32_t));
	other->positive[changed] = below(2);
	other->negative[changed] = 1 - other->positive[changed];
	if (adjacency == ADJACENCY_REPLACE)
	{
		data->positive[changed] = below(2);
		data->negative[changed] = 1 - data->positive[changed];
	}
	pool_data_destroy(&fresh);
}

static void
test_neighbours(void)
{
	reseed(230);
	for (int k = 0; k < check_repetitions(400); k++)
	{
		PoolProblem problem;
		PoolData data;
		PoolData other;
		int rounds = 1 + below(3);

		pool_data_create(&data, ROWS, 1 + below(COLUMNS));
		pool_data_fill(&data, FIXED_POINT_ONE);
		random_problem(&problem, &data.instance, rounds,
					   rounds == 1 ? 1 + below(60) : 1 + below(5));
		make_neighbour(&other, &data, problem.adjacency);
		CHECK(largest_ratio(&problem, &other.instance) <=
			  (long double) problem.epsilon / EPSILON_ONE * (1 + 1e-12L));
		pool_data_destroy(&data);
		pool_data_destroy(&other);
	}
}

/*
 * One column: all candidates of one sign have the same loss.  With many rows of one label those of
 * the wrong sign have hardly any mass, and one row more of the other label makes them e^epsilon
 * times as likely; in several rounds, from a centre of the wrong sign that stays, the same.
 */
static void
test_tight(void)
{
	reseed(240);
	for (int k = 0; k < 12; k++)
	{
		bool replace = k % 2 == 0;
		PoolProblem problem;
		PoolData data[2];

		for (int side = 0; side < 2; side++)
		{
			pool_data_create(&data[side], 1, 1);
			data[side].x[0] = FIXED_POINT_ONE;
			data[side].positive[0] = 400 - (side == 1 && replace);
			data[side].negative[0] = side;
		}
		random_problem(&problem, &data[0].instance, 1 + k / 4, k < 4 ? 20 : 6);
		problem.adjacency = replace ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE;
		problem.epsilon = EPSILON_ONE;
		problem.centre[0] = -(1 << 20);
		CHECK(largest_ratio(&problem, &data[1].instance) <= 1 + 1e-12L);
		if (problem.rounds == 1)
			CHECK(largest_ratio(&problem, &data[1].instance) >= 0.9);
		for (int side = 0; side < 2; side++)
			pool_data_destroy(&data[side]);
	}
}

/*
 * At the least epsilon an answer is uniform on the pool, whatever the rows are: so the same bits
 * give the same answer on any rows, if the candidates do not see them.
 */
static void
test_rows_unseen(void)
{
	reseed(250);
	for (int k = 0; k < check_repetitions(100); k++)
	{
		int64_t answer[2][COLUMNS] = {{0}};
		uint64_t seed = teststream_next(&stream);
		PoolProblem problem;
		PoolRecord record;
		PoolData data[2];

		for (int side = 0; side < 2; side++)
		{
			pool_data_create(&data[side], 70 * (1 + side), COLUMNS);
			pool_data_fill(&data[side], FIXED_POINT_ONE);
		}
		random_problem(&problem, &data[0].instance, 1 + below(3), 200);
		problem.epsilon = 1;
		for (int side = 0; side < 2; side++)
		{
			problem.instance = &data[side].instance;
			reseed(seed);
			pool_select(&problem, &bits, memory, answer[side], &record);
			pool_data_destroy(&data[side]);
		}
		CHECK(memcmp(answer[0], answer[1], sizeof(answer[0])) == 0);
	}
}

/* ---- what remains ---- */

/* No rows, one candidate, and rows that all candidates get equally wrong: the pool is uniform. */
static void
test_degenerate(void)
{
	PoolProblem problem;
	PoolData data;
	int64_t answer[COLUMNS];
	PoolRecord record;
	int centre = 0;
	int draws = LAW_DRAWS / 10;

	reseed(260);
	pool_data_create(&data, 0, COLUMNS);
	random_problem(&problem, &data.instance, 1, 1);
	pool_select(&problem, &bits, memory, answer, &record);
	for (int j = 0; j < COLUMNS; j++)
		CHECK(llabs(answer[j] - problem.centre[j]) <= 1 << 6);
	problem.candidates = 31;
	pool_select(&problem, &bits, memory, answer, &record);
	for (int k = 0; k < draws; k++)
	{
		pool_select(&problem, &bits, memory, answer, &record);
		centre += record.drawn[0] == 0;
	}
	/* 21 of 51, with an error of 6 deviations. */
	CHECK(fabs((double) centre / draws - 21.0 / 51) < 6 * sqrt(0.25 / draws));
	pool_data_destroy(&data);
}

/* Where only the rows of the last part teach something, the answer is one of their best. */
static void
test_parts(void)
{
	PoolProblem problem;
	PoolUnits units;
	PoolCandidates pool;
	PoolData all;
	PoolData last;

	reseed(260);
	pool_data_create(&last, ROWS, 2);
	pool_data_create(&all, POOL_PART_ROWS + ROWS, 2);
	for (int k = 0; k < 10; k++)
	{
		int64_t least = INT64_MAX;
		int64_t answer[COLUMNS];
		PoolRecord record;

		pool_data_fill(&last, FIXED_POINT_ONE);
		memcpy(all.x + 2 * POOL_PART_ROWS, last.x, 2 * ROWS * sizeof(int32_t));
		memcpy(all.positive + POOL_PART_ROWS, last.positive, ROWS * sizeof(int64_t));
		memcpy(all.negative + POOL_PART_ROWS, last.negative, ROWS * sizeof(int64_t));
		random_problem(&problem, &all.instance, 1, 30);
		problem.epsilon = 1000 * EPSILON_ONE; /* any other has a chance of e^-500 at most */
		pool_select(&problem, &bits, memory, answer, &record);
		units = pool_units(&problem.law.shape);
		pool_candidates_create(&pool, &problem.law, problem.centre, &problem.seed, 0, 30, 1,
							   memory);
		for (int64_t m = 0; m < pool.count; m++)
		{
			int64_t loss = pool_loss(&last.instance, &units, pool.weight + m * pool.stride);

			least = loss < least ? loss : least;
		}
		CHECK(pool_loss(&last.instance, &units, pool.weight + record.drawn[0] * pool.stride) ==
			  least);
		pool_candidates_destroy(&pool, memory);
	}
	pool_data_destroy(&all);
	pool_data_destroy(&last);
}

/* A column in a smaller unit changes no draw: bounds tell the unit. */
static void
test_stretched(void)
{
	static const int32_t bound[] = {FIXED_POINT_ONE / 1024, 0, FIXED_POINT_ONE / 3};
	PoolProblem problem;
	PoolData data;

	reseed(270);
	pool_data_create(&data, ROWS, COLUMNS);
	for (int k = 0; k < 20; k++)
	{
		PoolProblem finer;
		TestStream stream[2];
		int64_t answer[2][COLUMNS];
		PoolRecord record[2];
		Bits coins;

		pool_data_fill(&data, FIXED_POINT_ONE);
		for (int i = 0; i < ROWS * COLUMNS; i++)
			data.x[i] &= ~1023;
		random_problem(&problem, &data.instance, 3, 200);
		problem.law.length = 0.5;
		finer = problem;
		finer.law.shape.finer[0] = 10;
		finer.law.noise[0] /= 1024;
		for (int half = 0; half < 2; half++)
		{
			for (int i = 0; half == 1 && i < ROWS; i++)
				data.x[i * COLUMNS] /= 1024;
			/* the column's share of a row's length, which is clipped, is its square */
			finer.law.length = sqrt(0.25 * (2 + ldexp(1, -20)) / 3);
			teststream_seed(&stream[half], (uint64_t) k);
			bits_init(&coins, teststream_fill, &stream[half]);
			pool_select(half == 0 ? &problem : &finer, &coins, memory, answer[half], &record[half]);
		}
		CHECK(memcmp(&record[0], &record[1], sizeof(record[0])) == 0);
		CHECK(memcmp(answer[0], answer[1], sizeof(answer[0])) == 0);
	}
	pool_data_destroy(&data);
	pool_set_bounds(&problem.law.shape, bound);
	CHECK(problem.law.shape.peak == FIXED_POINT_ONE / 3);
	CHECK(problem.law.shape.finer[0] == 9 && problem.law.shape.finer[1] == 0 &&
		  problem.law.shape.finer[2] == 0);
	CHECK(pool_stretch(&problem.law.shape, 0) == -10 && pool_stretch(&problem.law.shape, 2) == -1);
}

static void
test_sizes(void)
{
	CHECK(pool_size(10000, 30, 3) == POOL_MOST);
	CHECK(pool_size(1000000, 23, 3) == 17391);
	CHECK(pool_size(INT64_C(1) << 38, 128, 16) == 1);
	CHECK(pool_size(0, 1, 1) == POOL_MOST);
}

int
main(void)
{
	test_begin(220);
	test_draws();
	test_neighbours();
	test_tight();
	test_rows_unseen();
	test_degenerate();
	test_parts();
	test_stretched();
	test_sizes();
	return test_end("pool_select");
}
