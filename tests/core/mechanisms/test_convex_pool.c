/*
 * test_convex_pool.c - both stages of mechanism pool: shares of epsilon, the seed and the law of
 * the answer given centre and seed, on tiny data.
 */
#include "core/mechanisms/convex_pool.h"

#include <math.h>
#include <string.h>

#include "core/accounting/pair.h"
#include "core/convex/convex_columns.h"
#include "core/mechanisms/convex_default.h"
#include "core/mechanisms/wire.h"
#include "core/pool/pool_problem.h"
#include "core/pool/pool_select.h"

#define COLUMNS 3
#define ROWS 6

static MechanismRequest
make_request(const Encoding *encoding, int64_t delta, double epsilon)
{
	MechanismRequest request = {
		.kind = MECHANISM_POOL, .epsilon = (int64_t) (epsilon * EPSILON_ONE), .threads = 1};
	MechanismRequest centre;

	grid_set_plain(&request.grid, encoding_dimension(encoding));
	convex_pool_default(&request, ROWS);
	centre = convex_pool_centre(&request);
	(void) convex_default_classifier(&centre, encoding, delta, ROWS);
	request.convex = centre.convex;
	convex_columns_of(encoding, &request.convex.columns);
	return request;
}

static Encoding
make_encoding(void)
{
	Encoding encoding;

	encoding_init(&encoding);
	encoding.features = COLUMNS;
	encoding.groups = 1;
	encoding.group[0] = 2;
	CHECK(encoding_finish(&encoding));
	return encoding;
}

/* The shares are positive integers that add up to epsilon, whatever epsilon is. */
static void
test_shares(void)
{
	Encoding encoding = make_encoding();

	for (double epsilon = 0.0011; epsilon < 5000; epsilon *= 1.7)
	{
		MechanismRequest request = make_request(&encoding, 0, epsilon);
		MechanismRequest centre = convex_pool_centre(&request);

		CHECK(request.pool.epsilon > 0 && centre.epsilon > 0);
		CHECK(centre.epsilon + request.pool.epsilon == request.epsilon);
		CHECK(centre.kind == MECHANISM_OBJECTIVE);
		request.pool.epsilon = request.epsilon;
		CHECK(!mechanism_verdict(&request).admitted);
	}
}

/* Numbers before and between groups, behind them, and an intercept or none. */
static void
test_law(void)
{
	static const int16_t sizes[] = {1, 3, 1, 1, 2};

	for (int intercept = 0; intercept < 2; intercept++)
		for (int groups = 0; groups <= 5; groups++)
		{
			Encoding encoding;
			MechanismRequest request;
			PoolLaw law;

			encoding_init(&encoding);
			for (encoding.groups = 0; encoding.groups < groups; encoding.groups++)
				encoding.features += encoding.group[encoding.groups] = sizes[encoding.groups];
			encoding.features += 2;
			encoding.high[encoding.features - 1] = 3;
			encoding.intercept = intercept;
			CHECK(encoding_finish(&encoding));
			request = make_request(&encoding, 0, 1);
			convex_pool_law(&request, &law);
			/* numbers behind the last one-hot group are in no group */
			CHECK(law.shape.groups == (groups == 5 ? 5 : groups < 2 ? 0 : 2));
			for (int g = 0; g < law.shape.groups; g++)
				CHECK(law.shape.group[g] == sizes[g]);
			CHECK(law.shape.dimension == encoding.features + intercept);
			CHECK(law.shape.peak == 3 * FIXED_POINT_ONE && law.rows == ROWS);
			for (int j = 0; j < law.shape.dimension; j++)
				CHECK(law.noise[j] > 0 &&
					  law.shape.finer[j] == (j == encoding.features - 1 ? 0 : 2));
		}
}

/* The record of a release tells all candidates, and so the answer. */
static void
check_record(const MechanismRequest *request, const MechanismAnswer *answer)
{
	const PoolRecord *record = &answer->pool;
	int64_t weight[GRID_MAX_DIMENSION];
	PoolLaw law;

	convex_pool_law(request, &law);
	memcpy(weight, record->centre, sizeof(weight));
	for (int round = 0; round < request->pool.rounds; round++)
	{
		PoolCandidates pool;

		pool_candidates_create(&pool, &law, weight, &record->seed, round,
							   pool_size(ROWS, COLUMNS, request->pool.rounds), 2, memory);
		pool_candidate(&pool, COLUMNS, record->drawn[round], weight);
		pool_candidates_destroy(&pool, memory);
	}
	convex_pool_unstretch(&law.shape, weight);
	CHECK(memcmp(weight, answer->weight, COLUMNS * sizeof(weight[0])) == 0);
}

/* Equal bits give the same seed on other rows, and other bits another one. */
static void
test_seed(void)
{
	Encoding encoding = make_encoding();
	MechanismRequest request = make_request(&encoding, 0, 1);
	PoolSeed before = {{0}};

	for (int k = 0; k < 4; k++)
	{
		PoolData data;
		TestStream stream;
		Bits coins;
		MechanismTools tools = {.bits = &coins, .memory = memory};
		MechanismAnswer answer;

		pool_data_create(&data, ROWS, COLUMNS);
		for (int i = 0; i < ROWS; i++)
		{
			data.x[i * COLUMNS + below(2)] = FIXED_POINT_ONE;
			data.x[i * COLUMNS + 2] = below(FIXED_POINT_ONE);
			data.positive[i] = 1 + k;
		}
		teststream_seed(&stream, (uint64_t) (k < 2 ? 7 : 8 + k));
		bits_init(&coins, teststream_fill, &stream);
		memset(&answer, 0, sizeof(answer));
		request.pool.rounds = 1 + k;
		convex_pool_release(&request, &data.instance, &tools, &answer);
		CHECK(k == 0 || (memcmp(&before, &answer.pool.seed, sizeof(before)) == 0) == (k == 1));
		before = answer.pool.seed;
		check_record(&request, &answer);
		for (int j = 0; j < COLUMNS; j++)
			CHECK(answer.weight[j] >= -2 * POOL_CENTRE_MAX &&
				  answer.weight[j] <= 2 * POOL_CENTRE_MAX);
		pool_data_destroy(&data);
	}
}

/* A request and an answer with its seed pass the wire. */
static void
test_wire(void)
{
	Encoding encoding = make_encoding();

	for (int noise = 0; noise < 2; noise++)
	{
		MechanismRequest request = make_request(&encoding, noise * (DELTA_ONE / 10), 1);
		Instance none = {.dimension = COLUMNS};
		MechanismAnswer answer = {.loss = 3};
		MechanismAnswer back;
		MechanismRequest read;
		Instance rows;
		uint8_t bytes[4096];
		size_t length;
		uint8_t *problem = wire_encode_problem(&request, &none, memory, &length);

		CHECK(wire_decode_problem(problem, length, memory, &read, &rows));
		CHECK(memcmp(&read.pool, &request.pool, sizeof(read.pool)) == 0);
		CHECK(memcmp(&read.convex.columns, &request.convex.columns, sizeof(ConvexColumns)) == 0);
		for (int i = 0; i < SIPHASH_KEY_LENGTH; i++)
			answer.pool.seed.byte[i] = (uint8_t) (200 + i);
		for (int j = 0; j < COLUMNS; j++)
			answer.pool.centre[j] = (j - 1) * POOL_CENTRE_MAX;
		answer.pool.drawn[0] = POOL_MOST - 1;
		mechanism_make_weights(&request, memory, &answer);
		length = wire_encode_answer(&request, &answer, bytes);
		CHECK(wire_decode_answer(bytes, length, &request, memory, &back));
		CHECK(memcmp(&back.pool, &answer.pool, sizeof(back.pool)) == 0);
		answer.pool.drawn[0] = POOL_MOST;
		length = wire_encode_answer(&request, &answer, bytes);
		CHECK(!wire_decode_answer(bytes, length, &request, memory, &back));
		memory_release(memory, problem);
	}
}

/* In zCDP both stages add up: half of the square of the one, and for R draws of the other. */
static void
test_pair(void)
{
	Encoding encoding = make_encoding();
	MechanismRequest request = make_request(&encoding, 0, 2);
	MechanismRequest gaussian = make_request(&encoding, DELTA_ONE / 10, 2);
	Pair pair;

	request.pool.epsilon = EPSILON_ONE / 2;
	request.pool.rounds = 4;
	pair = pair_of_request(&request, request.epsilon, 0, 1);
	CHECK(pair.kind == PAIR_CONCENTRATED);
	CHECK(pair.rho >= 1.5 * 1.5 / 2 + 4 * (0.125 * 0.125 / 8));
	CHECK(pair.rho <= (1.5 * 1.5 / 2 + 4 * (0.125 * 0.125 / 8)) * (1 + 1e-8));
	pair = pair_of_request(&request, 3 * request.epsilon, 0, 3);
	CHECK(pair.rho >= 9 * (1.5 * 1.5 / 2 + 4 * (0.125 * 0.125 / 8)));
	gaussian.convex.noise = CONVEX_GAUSSIAN;
	pair = pair_of_request(&gaussian, gaussian.epsilon, DELTA_ONE / 10, 1);
	CHECK(pair.kind == PAIR_APPROXIMATE);
}

/*
 * The bound of theorem C8 is reached where one candidate, which counts once, makes no mistake, and
 * all others make as many as the bound says: they are drawn with probability beta.
 */
static void
test_bound(void)
{
	Encoding encoding = make_encoding();
	double others = POOL_MOST - 1 + (POOL_MOST - 1) / 3 * 2;

	for (int k = 0; k < 6; k++)
	{
		MechanismRequest request = make_request(&encoding, 0, 0.5 * (1 + k));
		double odds = 0.05 / 0.95;
		double rate;
		double rows;
		Facts facts = {0};

		request.adjacency = k % 2 == 0 ? ADJACENCY_REPLACE : ADJACENCY_ADD_REMOVE;
		request.pool.rounds = 1 + k;
		CHECK(pool_size(ROWS, COLUMNS, request.pool.rounds) == POOL_MOST);
		rate = privacy_epsilon(request.pool.epsilon) / request.pool.rounds / (k % 2 == 0 ? 2 : 1);
		convex_pool_error(&request, 0.05, &facts);
		CHECK(strcmp(facts.fact[1].name, "above_pool") == 0);
		rows = facts.fact[1].number;
		CHECK(others * exp(-rate * rows) >= odds * (1 - 1e-6));
		CHECK(others * exp(-rate * (rows + 1)) <= odds * (1 + 1e-6));
	}
}

int
main(void)
{
	test_begin(47);
	test_shares();
	test_law();
	test_seed();
	test_wire();
	test_pair();
	test_bound();
	return test_end("convex_pool");
}
