/*
 * test_quantiles.c - the exact law of all cuts of a call, by enumeration: draws follow it, and on
 * neighbours it moves by e^epsilon at most, with equality nearly; error bounds; largest numbers.
 */
#include "core/exponential/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fixture.h"
#include "core/law.h"

#define CELLS 100
#define PARTS 3
#define CUTS (CELLS * PARTS + 1)
#define MOST 4

/* ---- the law, from the definitions of the proof ---- */

typedef struct Law
{
	QuantilesRequest request;
	double before[CUTS]; /* rows before each cut */
	double steeper;      /* 1, or by how much beta is off */
} Law;

static void
law_create(Law *law, const QuantilesRequest *request, const int64_t *count, double steeper)
{
	*law = (Law){.request = *request, .steeper = steeper};
	for (int part = 0; part < request->cells * PARTS; part++)
		law->before[part + 1] = law->before[part] + (double) count[part / PARTS] / PARTS;
}

/* A node of the halving: what it has of epsilon, and its outermost cuts. */
typedef struct Part
{
	int from;
	int end;
	double epsilon;
	bool alone;
	int first;
	int last;
} Part;

/* How far a cut is from the quantile q of a part's rows. */
static double
score_of(const Law *law, const Part *part, double q, int cut)
{
	double start = law->before[part->first];
	double wanted = start + q * (law->before[part->last] - start);
	int cell = cut / PARTS * PARTS;
	int low = cell > part->first ? cell : part->first;
	int high = cell + PARTS < part->last ? cell + PARTS : part->last;

	if (part->end - part->from > 1)
		return fabs(law->before[cut] - wanted);
	return fmax(law->before[low] - wanted, wanted - law->before[high]);
}

/* The chance that the part's quantiles have these cuts. */
static double
chance_of(const Law *law, Part part, const int *cut)
{
	const QuantilesRequest *request = &law->request;
	int count = part.end - part.from;
	int middle = (part.from + part.end) / 2;
	double low = part.from > 0 ? request->quantile[part.from - 1] : 0;
	double high = part.end < request->quantiles ? request->quantile[part.end] : QUANTILE_ONE;
	Part lower = part;
	Part upper = part;
	double total = 0;
	double q;
	double share;
	double beta;

	if (count == 0)
		return 1;
	if (cut[middle] < part.first || cut[middle] > part.last)
		return 0;
	q = (request->quantile[middle] - low) / (high - low);
	share = part.epsilon / (floor(log2(count)) + 1);
	beta = share / fmax(q, 1 - q) / (request->adjacency == ADJACENCY_REPLACE ? 4 : 2);
	if (request->adjacency == ADJACENCY_REPLACE && part.alone)
		beta = share / 2;
	beta *= law->steeper / (double) request->person;
	for (int other = part.first; other <= part.last; other++)
		total += exp(-beta * score_of(law, &part, q, other));
	lower.epsilon = upper.epsilon = part.epsilon - share;
	lower.alone = upper.alone = part.alone && count == 2;
	lower.end = middle;
	lower.last = upper.first = cut[middle];
	upper.from = middle + 1;
	return exp(-beta * score_of(law, &part, q, cut[middle])) / total * chance_of(law, lower, cut) *
		   chance_of(law, upper, cut);
}

static int
tuples_of(const QuantilesRequest *request)
{
	int tuples = 1;

	for (int i = 0; i < request->quantiles; i++)
		tuples *= (int) request->cells * PARTS + 1;
	return tuples;
}

static void
tuple_cuts(const QuantilesRequest *request, int tuple, int *cut)
{
	for (int i = 0; i < request->quantiles; i++)
	{
		cut[i] = tuple % ((int) request->cells * PARTS + 1);
		tuple /= (int) request->cells * PARTS + 1;
	}
}

static double
tuple_chance(const Law *law, int tuple)
{
	const QuantilesRequest *request = &law->request;
	double whole = (double) request->epsilon / EPSILON_ONE;
	Part all = {0, request->quantiles, whole, true, 0, (int) request->cells * PARTS};
	int cut[MOST];

	tuple_cuts(request, tuple, cut);
	return chance_of(law, all, cut);
}

static QuantilesRequest
request_of(int quantiles, int cells, double epsilon, Adjacency adjacency, int person)
{
	QuantilesRequest request = {
		.quantiles = quantiles,
		.cells = cells,
		.parts = PARTS,
		.epsilon = (int64_t) rint(epsilon * EPSILON_ONE),
		.adjacency = adjacency,
		.person = person,
	};

	for (int i = 0; i < quantiles; i++)
		request.quantile[i] = (i > 0 ? request.quantile[i - 1] : 0) + 1 +
							  below(2 * (QUANTILE_ONE / (2 * quantiles + 1)));
	return request;
}

/* ---- draws ---- */

static void
draw_copy(const QuantilesRequest *request, const int64_t *count, int64_t *answer)
{
	size_t size = (size_t) request->cells * sizeof(int64_t);
	int64_t *copy = memory_allocate(memory, (size_t) request->cells, sizeof(int64_t));

	memcpy(copy, count, size);
	quantiles_draw(request, copy, &bits, answer);
	memory_release(memory, copy);
}

/* The number of a tuple of cells. */
static int
cells_number(const QuantilesRequest *request, const int64_t *cell)
{
	int number = 0;

	for (int i = 0; i < request->quantiles; i++)
		number = number * (int) request->cells + (int) cell[i];
	return number;
}

static void
add_law(const Law *law, double *chance)
{
	for (int tuple = 0; tuple < tuples_of(&law->request); tuple++)
	{
		int cut[MOST];
		int64_t cell[MOST];

		tuple_cuts(&law->request, tuple, cut);
		for (int i = 0; i < law->request.quantiles; i++)
			cell[i] = cut[i] / PARTS < law->request.cells ? cut[i] / PARTS : law->request.cells - 1;
		chance[cells_number(&law->request, cell)] += tuple_chance(law, tuple);
	}
}

static void
check_draws(const QuantilesRequest *request, const int64_t *count)
{
	Histogram histogram = histogram_create((int) pow((double) request->cells, request->quantiles));
	Law law;

	law_create(&law, request, count, 1);
	add_law(&law, histogram.truth);
	law_create(&law, request, count, LAW_OFF);
	add_law(&law, histogram.other);
	for (int k = 0; k < LAW_DRAWS / 4; k++)
	{
		int64_t answer[MOST];

		draw_copy(request, count, answer);
		histogram_add(&histogram, (uint64_t) cells_number(request, answer));
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, histogram.cells);
	histogram_destroy(&histogram);
}

/* Of one quantile away from the middle, of two and of three, for rows and for persons. */
static void
test_draws(void)
{
	static const int64_t count[] = {4, 0, 7, 1, 3};
	QuantilesRequest request = {
		.quantile = {200000}, .cells = 5, .parts = PARTS, .epsilon = EPSILON_ONE, .person = 1};

	reseed(301);
	for (int adjacency = 0; adjacency < 2; adjacency++)
	{
		request.adjacency = adjacency;
		request.quantiles = 1;
		request.epsilon = 2 * EPSILON_ONE;
		check_draws(&request, count);
		request.quantile[1] = 700000;
		request.quantiles = 2;
		request.epsilon = 4 * EPSILON_ONE;
		check_draws(&request, count);
		request.quantile[1] = 500000;
		request.quantile[2] = 900000;
		request.quantiles = 3;
		check_draws(&request, count);
	}
	request.person = 3;
	request.epsilon = 9 * EPSILON_ONE;
	check_draws(&request, count);
}

/* ---- neighbours ---- */

/* The most that ln of a tuple's chance differs. */
static double
largest_ratio(const QuantilesRequest *request, const int64_t *count, const int64_t *other)
{
	double largest = 0;
	Law law;
	Law neighbour;

	law_create(&law, request, count, 1);
	law_create(&neighbour, request, other, 1);
	for (int tuple = 0; tuple < tuples_of(request); tuple++)
	{
		double here = tuple_chance(&law, tuple);

		if (here > 0)
			largest = fmax(largest, fabs(log(here / tuple_chance(&neighbour, tuple))));
	}
	return largest;
}

/* As many rows as a person may have come, or are other ones. */
static void
make_neighbour(const QuantilesRequest *request, int64_t *count, int64_t *other)
{
	memcpy(other, count, (size_t) request->cells * sizeof(int64_t));
	for (int k = 0; k < request->person; k++)
	{
		other[below((int) request->cells)]++;
		if (request->adjacency == ADJACENCY_REPLACE)
			count[below((int) request->cells)]++;
	}
}

static void
check_neighbours(int quantiles, int cases, int person, double epsilon)
{
	for (int k = 0; k < check_repetitions(cases); k++)
	{
		QuantilesRequest request =
			request_of(quantiles, 2 + below(quantiles < 4 ? 4 : 2), epsilon, k % 2, person);
		int64_t count[CELLS] = {0};
		int64_t other[CELLS];

		for (int row = below(30); row > 0; row--)
			count[below((int) request.cells)]++;
		make_neighbour(&request, count, other);
		CHECK(largest_ratio(&request, count, other) <= epsilon * (1 + 1e-9));
	}
}

/*
 * Nearly all cuts are in an empty gap where the quantile is, so that nearly all mass comes nearer
 * or goes away together, and an event on the other side does the opposite: the bound is reached.
 */
static void
test_tight(void)
{
	static const struct
	{
		int quantiles;
		int32_t quantile[MOST];
		int cells;
		Adjacency adjacency;
		int64_t count[CELLS];
		int from; /* a row comes to a cell, or from another one */
		int to;
		double least;
	} cases[] = {
		{1, {500000}, 100, ADJACENCY_ADD_REMOVE, {[0] = 10, [98] = 1, [99] = 9}, 0, 99, 0.97},
		{1, {500000}, 100, ADJACENCY_REPLACE, {[0] = 10, [98] = 1, [99] = 9}, 0, 99, 0.98},
		{1, {300000}, 100, ADJACENCY_ADD_REMOVE, {[0] = 1, [1] = 2, [99] = 7}, 0, 0, 0.97},
		{2, {386613, 548128}, 12, ADJACENCY_ADD_REMOVE, {[1] = 22, [8] = 1, 1, 6, 9}, 0, 10, 0.87},
		{2,
		 {222945, 666666},
		 12,
		 ADJACENCY_REPLACE,
		 {[0] = 18, [5] = 21, 1, [10] = 14, 6},
		 0,
		 11,
		 0.74},
	};

	for (int k = 0; k < (int) (sizeof(cases) / sizeof(cases[0])); k++)
	{
		QuantilesRequest request =
			request_of(cases[k].quantiles, cases[k].cells, 1, cases[k].adjacency, 1);
		int64_t other[CELLS];
		double ratio;

		memcpy(request.quantile, cases[k].quantile, sizeof(cases[k].quantile));
		memcpy(other, cases[k].count, sizeof(other));
		other[cases[k].to]++;
		other[cases[k].from] -= cases[k].adjacency == ADJACENCY_REPLACE;
		ratio = largest_ratio(&request, cases[k].count, other);
		CHECK(ratio >= cases[k].least && ratio <= 1 + 1e-9);
	}
}

static void
test_neighbours(void)
{
	reseed(302);
	check_neighbours(1, 4000, 1, 1);
	check_neighbours(2, 1000, 1, 2);
	check_neighbours(3, 100, 1, 3);
	check_neighbours(3, 50, 2, 1);
	check_neighbours(4, 20, 1, 2);
	test_tight();
}

/* ---- errors ---- */

/* How far q N lies outside of the ranks of a cell. */
static double
rank_error(const int64_t *count, int64_t cells, double q, int64_t cell)
{
	double rows = 0;
	double low = 0;

	for (int64_t i = 0; i < cells; i++)
		rows += (double) count[i];
	for (int64_t i = 0; i < cell; i++)
		low += (double) count[i];
	return fmax(0, fmax(low - q * rows, q * rows - low - (double) count[cell]));
}

/*
 * The bound of a single quantile, and one row at every place: u is 1/2 at the ends, so for a small
 * epsilon no bound holds that is less than 1/2.
 */
static void
test_error(void)
{
	double error[QUANTILES_MOST];
	QuantilesRequest request = {.quantiles = 1,
								.quantile = {500000},
								.cells = 1000,
								.parts = 1,
								.epsilon = EPSILON_ONE,
								.adjacency = ADJACENCY_ADD_REMOVE,
								.person = 1};

	reseed(303);
	quantiles_error(&request, 0.05, error);
	CHECK(error[0] == ceil(log(1000 * 0.95 / 0.05)));
	request.adjacency = ADJACENCY_REPLACE;
	quantiles_error(&request, 0.05, error);
	CHECK(error[0] == ceil(2 * log(1000 * 0.95 / 0.05)));
	request.adjacency = ADJACENCY_ADD_REMOVE;
	request.quantiles = 3;
	memcpy(request.quantile, (int32_t[]){250000, 500000, 750000}, 3 * sizeof(int32_t));
	quantiles_error(&request, 0.05, error);
	CHECK(error[1] == ceil(2 * log(1001 * 2.95 / 0.05)) &&
		  error[0] == ceil(3 * log(1001 * 2.95 / 0.05)) && error[2] == error[0]);
}

/*
 * The bound of one quantile holds as often as it says, and no more often, where all rows are in the
 * last of the cells: every other cell is off by one row more than the bound.
 */
static void
test_level(double alpha)
{
	QuantilesRequest request = request_of(1, 200, 0.01, ADJACENCY_ADD_REMOVE, 1);
	int runs = check_repetitions(10000);
	double error;
	double away;
	int over = 0;

	request.parts = QUANTILES_PARTS;
	request.quantile[0] = 999000;
	quantiles_error(&request, alpha, &error);
	for (int k = 0; k < runs; k++)
	{
		int64_t count[200] = {0};
		int64_t answer;

		count[199] = (int64_t) ceil((error + 1) / 0.999);
		draw_copy(&request, count, &answer);
		away = rank_error(count, 200, 0.999, answer);
		CHECK(away == 0 || away > error);
		over += away > error;
	}
	CHECK_WHOLE(fabs((double) over / runs - alpha) < 0.01);
}

/* Draws keep to the bound, and not to the eighth of it. */
static void
test_bound(void)
{
	QuantilesRequest request = request_of(9, 200, 0.5, ADJACENCY_ADD_REMOVE, 1);
	int64_t count[200];
	double error[QUANTILES_MOST];
	int over = 0;

	reseed(304);
	request.parts = QUANTILES_PARTS;
	for (int cell = 0; cell < 200; cell++)
		count[cell] = below(2) ? below(100) : below(3);
	quantiles_error(&request, 0.05, error);
	for (int k = 0; k < check_repetitions(300); k++)
	{
		int64_t answer[QUANTILES_MOST];

		draw_copy(&request, count, answer);
		for (int i = 0; i < 9; i++)
		{
			double q = (double) request.quantile[i] / QUANTILE_ONE;
			double away = rank_error(count, 200, q, answer[i]);

			CHECK(away <= error[i]);
			CHECK(i == 0 || answer[i] >= answer[i - 1]);
			over += away > error[i] / 8;
		}
	}
	CHECK_WHOLE(over > 0);
}

/* ---- the ends of what is allowed ---- */

static void
test_ends(void)
{
	int64_t *count = memory_allocate_zero(memory, QUANTILES_MOST_CELLS, sizeof(int64_t));
	int64_t answer[QUANTILES_MOST];
	QuantilesRequest request = {.quantiles = QUANTILES_MOST,
								.cells = QUANTILES_MOST_CELLS,
								.parts = QUANTILES_PARTS,
								.epsilon = QUANTILES_MOST_EPSILON,
								.person = 1};

	reseed(305);
	for (int i = 0; i < QUANTILES_MOST; i++)
		request.quantile[i] = 9901 * (i + 1);
	/* No row: any cell. */
	for (int k = 0; k < 2; k++)
	{
		request.adjacency = k;
		draw_copy(&request, count, answer);
		CHECK(answer[0] >= 0 && answer[QUANTILES_MOST - 1] < request.cells);
	}
	/* All rows in one cell, as many as may be, then half of them in the last: no doubt is left. */
	count[777] = QUANTILES_MOST_ROWS / 2;
	draw_copy(&request, count, answer);
	CHECK(answer[0] == 777 && answer[QUANTILES_MOST - 1] == 777);
	count[request.cells - 1] = QUANTILES_MOST_ROWS / 2;
	draw_copy(&request, count, answer);
	for (int i = 0; i < QUANTILES_MOST; i++)
		CHECK(answer[i] == (request.quantile[i] < QUANTILE_ONE / 2 ? 777 : request.cells - 1));
	/* The least of epsilon says nothing. */
	request.epsilon = 1;
	request.person = QUANTILES_MOST_PERSON;
	draw_copy(&request, count, answer);
	CHECK(answer[0] >= 0 && answer[QUANTILES_MOST - 1] < request.cells);
	/* A grid of one cell. */
	request.cells = 1;
	draw_copy(&request, count, answer);
	CHECK(answer[0] == 0 && answer[QUANTILES_MOST - 1] == 0);
	memory_release(memory, count);
}

int
main(void)
{
	test_begin(300);
	test_draws();
	test_neighbours();
	test_error();
	reseed(306);
	test_level(0.05);
	test_level(0.1);
	test_bound();
	test_ends();
	return test_end("quantiles");
}
