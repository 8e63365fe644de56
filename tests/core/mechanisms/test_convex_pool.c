/*
 * test_convex_pool.c - both stages of mechanism pool: shares of epsilon, the seed and the law of
 * the answer given centre and seed, on tiny data.
 */
#include "core/mechanisms/convex_pool.h"

#include <string.h>

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
		MechanismVerdict verdict;

		CHECK(request.pool.epsilon > 0 && centre.epsilon > 0);
		CHECK(centre.epsilon + request.pool.epsilon == request.epsilon);
		CHECK(centre.kind == MECHANISM_OBJECTIVE);
		request.pool.epsilon = request.epsilon;
		convex_pool_admit(&request, &verdict);
		CHECK(!verdict.admitted);
	}
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
		convex_pool_release(&request, &data.instance, &tools, &answer);
		CHECK(k == 0 || (memcmp(&before, &answer.seed, sizeof(before)) == 0) == (k == 1));
		before = answer.seed;
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
			answer.seed.byte[i] = (uint8_t) (200 + i);
		length = wire_encode_answer(&request, &answer, bytes);
		CHECK(wire_decode_answer(bytes, length, &request, &back));
		CHECK(memcmp(&back.seed, &answer.seed, sizeof(back.seed)) == 0);
		memory_release(memory, problem);
	}
}

int
main(void)
{
	test_begin(47);
	test_shares();
	test_seed();
	test_wire();
	return test_end("convex_pool");
}
