/*
 * test_one_vs_rest.c - one-vs-rest (theorem N9): the law of all halfspaces together, and its cost.
 */
#include "core/accounting/pair.h"
#include "core/mechanisms/mechanism.h"
#include "core/mechanisms/one_vs_rest.h"
#include "core/rows/rows.h"

#include <math.h>
#include <string.h>

#include "core/fixture.h"
#include "core/law.h"

#define CLASSES 3
#define FEATURES 2
#define ROWS 7
#define VECTORS 9 /* {-1, 0, 1}^2 */

/* The class, then the features; two classes have equal features. */
static const int rows[ROWS][1 + FEATURES] = {{0, 1, 1},  {1, 1, 1},  {1, -1, 1}, {2, -1, -1},
											 {2, 1, -1}, {0, -1, 1}, {2, 0, 1}};
static const int64_t counts[ROWS] = {3, 2, 4, 1, 2, 1, 3};

static int32_t x[ROWS * (1 + FEATURES)];

static Instance
make_instance(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j <= FEATURES; j++)
			x[i * (1 + FEATURES) + j] = rows[i][j] * FIXED_POINT_ONE;
	return (Instance){.dimension = 1 + FEATURES, .rows = ROWS, .x = x, .net = counts};
}

static MechanismRequest
make_request(MechanismKind kind)
{
	MechanismRequest request = {.kind = kind,
								.epsilon = EPSILON_ONE / 2,
								.adjacency = ADJACENCY_REPLACE,
								.threads = 1,
								.one_vs_rest = CLASSES,
								.run = {.longest = 600, .memory = INFINITY, .rows = 100}};

	grid_set_plain(&request.grid, FEATURES);
	for (int j = 0; j < FEATURES; j++)
		grid_set_range(&request.grid, j, 1);
	return request;
}

static void
vector_of(int number, int *weight)
{
	weight[0] = number / 3 - 1;
	weight[1] = number % 3 - 1;
}

/* By the definition: positive iff the score is above 0, and right iff the row is of the class. */
static int64_t
loss_of(int class, int number)
{
	int weight[FEATURES];
	int64_t loss = 0;

	vector_of(number, weight);
	for (int i = 0; i < ROWS; i++)
	{
		int score = weight[0] * rows[i][1] + weight[1] * rows[i][2];

		loss += (score > 0) != (rows[i][0] == class) ? counts[i] : 0;
	}
	return loss;
}

/* The rows of a class against the others have the same losses, merged or apart. */
static void
test_relabel(void)
{
	MechanismRequest request = make_request(MECHANISM_EXPONENTIAL);
	Instance classes = make_instance();

	for (int class = 0; class < CLASSES; class ++)
		for (int apart = 0; apart < 2; apart++)
		{
			Instance instance;

			rows_relabel(&classes, class, apart == 1, memory, &instance);
			CHECK(instance.dimension == FEATURES);
			CHECK(instance.rows <= (apart == 1 ? ROWS : ROWS - 2));
			for (int number = 0; number < VECTORS; number++)
				CHECK(instance_loss(&instance, &request.grid, (int[]){number / 3, number % 3}) ==
					  loss_of(class, number));
		}
}

/* The vectors of the classes are independent, each with its own exponential law. */
static double
joint_weight(int cell, double epsilon)
{
	double loss = 0;

	for (int class = 0; class < CLASSES; class ++, cell /= VECTORS)
		loss += (double) loss_of(class, cell % VECTORS);
	return exp(-epsilon * loss / 2);
}

static void
test_law(void)
{
	enum
	{
		CELLS = VECTORS * VECTORS * VECTORS
	};
	static double truth[CELLS];
	static double other[CELLS];
	static int64_t count[CELLS];
	MechanismRequest request = make_request(MECHANISM_EXPONENTIAL);
	MechanismTools tools = {.bits = &bits, .memory = memory};
	Instance classes = make_instance();

	CHECK(mechanism_verdict(&request).admitted && mechanism_verdict(&request).finishes);
	for (int cell = 0; cell < CELLS; cell++)
	{
		truth[cell] = joint_weight(cell, 0.5);
		other[cell] = joint_weight(cell, 0.5 * LAW_OFF);
	}
	for (int i = 0; i < LAW_DRAWS; i++)
	{
		MechanismAnswer answer;
		int cell = 0;
		int64_t loss = 0;

		mechanism_release(&request, &classes, &tools, &answer);
		for (int class = CLASSES - 1; class >= 0; class --)
		{
			const int *index = answer.index + class * FEATURES;
			int number = index[0] * 3 + index[1];

			cell = cell * VECTORS + number;
			loss += loss_of(class, number);
		}
		CHECK(answer.loss == loss);
		count[cell]++;
	}
	CHECK_LAW(count, truth, other, CELLS);
}

/* All releases together: 3 times rho of one; with delta, or without a proof, no more than that. */
static void
test_pair(void)
{
	MechanismRequest range = make_request(MECHANISM_EXPONENTIAL);
	MechanismRequest pure = make_request(MECHANISM_OPDISC);
	MechanismRequest gaussian = make_request(MECHANISM_OPDISC);
	Pair pair = pair_of_request(&range, 3 * EPSILON_ONE / 2, 0, 1);

	CHECK(pair.kind == PAIR_CONCENTRATED && pair.epsilon == 3 * EPSILON_ONE / 2);
	CHECK(fabs(pair.rho - 3 * 0.25 / 8) < 1e-9 && pair.rho >= 3 * 0.25 / 8);
	pair = pair_of_request(&range, 3 * EPSILON_ONE, 0, 2);
	CHECK(fabs(pair.rho - 4 * 3 * 0.25 / 8) < 1e-9);
	pair = pair_of_request(&pure, 3 * EPSILON_ONE / 2, 0, 1);
	CHECK(pair.kind == PAIR_CONCENTRATED && fabs(pair.rho - 3 * 0.25 / 2) < 1e-9);
	gaussian.noise = PERTURBATION_GAUSSIAN;
	gaussian.delta = DELTA_ONE / 1000;
	pair = pair_of_request(&gaussian, 3 * EPSILON_ONE / 2, 3 * DELTA_ONE / 1000, 1);
	CHECK(pair.kind == PAIR_APPROXIMATE && pair.delta == 3 * DELTA_ONE / 1000);
	gaussian.noise = PERTURBATION_PUBLISHED;
	CHECK(pair_of_request(&gaussian, EPSILON_ONE, DELTA_ONE / 1000, 1).kind == PAIR_NONE);
}

static void
test_limits(void)
{
	MechanismRequest request = make_request(MECHANISM_EXPONENTIAL);

	CHECK(one_vs_rest_is_valid(&request));
	request.one_vs_rest = 1;
	CHECK(!one_vs_rest_is_valid(&request));
	request.one_vs_rest = INSTANCE_MAX_CLASSES;
	CHECK(one_vs_rest_is_valid(&request));
	request.one_vs_rest = INSTANCE_MAX_CLASSES + 1;
	CHECK(!one_vs_rest_is_valid(&request) && !mechanism_verdict(&request).finishes);
	request = make_request(MECHANISM_OBJECTIVE);
	CHECK(!one_vs_rest_is_valid(&request));
	request = make_request(MECHANISM_EXPONENTIAL);
	request.one_vs_rest = 8;
	grid_set_plain(&request.grid, WEIGHTS_MAX / 8);
	CHECK(one_vs_rest_is_valid(&request));
	request.one_vs_rest = 9;
	CHECK(!one_vs_rest_is_valid(&request));
}

int
main(void)
{
	test_begin(21);
	test_relabel();
	test_law();
	test_pair();
	test_limits();
	return test_end("rest");
}
