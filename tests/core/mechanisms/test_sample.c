/*
 * test_sample.c - sample and aggregate: the split, the parts' answers and votes, and the whole.
 *
 * A law that depends on a few bits is enumerated over all bits and compared as integers.  Privacy
 * is shown on every data set of up to three rows over five kinds of rows and all of its neighbours,
 * with the law of the split in it.
 */
#include "core/mechanisms/sample.h"

#include <math.h>

#include "core/mechanisms/mechanism.h"
#include "core/exponential/select_internal.h"

#include "core/instances.h"
#include "core/law.h"
#include "core/script.h"
#include "core/vectors.h"

/* ---- the law of the split ---- */

enum
{
	SPLIT_ROWS = 3, /* kinds of rows */
	SPLIT_CODES = 4096
};

/* A number for the counts of all kinds of rows in all parts. */
static int
split_code(const SampleSplit *split)
{
	int code = 0;

	for (int k = 0; k < split->parts; k++)
	{
		int64_t count[SPLIT_ROWS] = {0};

		for (int64_t s = 0; s < split->part[k].shares; s++)
			count[split->part[k].share[s].row] += llabs(split->part[k].share[s].net);
		if (k + 1 == split->parts)
			continue; /* what is left */
		for (int r = 0; r < SPLIT_ROWS; r++)
			code = code * 4 + (int) count[r];
	}
	return code;
}

/*
 * With two parts and n rows every string of n bits is a split, and a split whose first
 * part has k_r of the c_r rows of kind r comes from the product of C(c_r, k_r) of them.
 */
static void
test_split_law(void)
{
	static const int32_t x[SPLIT_ROWS * 1] = {7, 7, -2};
	static const int64_t net[SPLIT_ROWS] = {3, -2, 3};
	Instance instance = {.dimension = 1, .rows = SPLIT_ROWS, .x = x, .net = net};
	static int seen[SPLIT_CODES];
	int splits = 0;

	for (uint64_t word = 0; word < 256; word++)
	{
		Script script = {.word = {word}};
		Bits told = scripted(&script);
		SampleSplit split;

		sample_split(&split, &instance, 2, &told, memory);
		CHECK(told.left == 64 - 8);
		seen[split_code(&split)]++;
		sample_split_destroy(&split, memory);
	}
	for (int code = 0; code < SPLIT_CODES; code++)
	{
		int first = code / 16;
		int second = code / 4 % 4;
		int third = code % 4;

		if (seen[code] == 0)
			continue;
		splits++;
		CHECK(seen[code] == (int) round(choose(3, first) * choose(2, second) * choose(3, third)));
	}
	CHECK(splits == 4 * 3 * 4);
}

/* Six parts, which is not a power of two: each row is anywhere with the same chance. */
static void
test_split_of_six(void)
{
	static const int32_t x[1] = {1};
	int64_t net[1] = {LAW_DRAWS};
	Instance instance = {.dimension = 1, .rows = 1, .x = x, .net = net};
	Histogram histogram = histogram_create(6);
	SampleSplit split;

	reseed(62);
	sample_split(&split, &instance, 6, &bits, memory);
	for (int k = 0; k < 6; k++)
	{
		CHECK(split.part[k].shares == 1);
		for (int64_t i = 0; i < split.part[k].shares; i++)
			histogram.count[k] += split.part[k].share[i].net;
		histogram.truth[k] = 1;
		histogram.other[k] = k == 0 ? LAW_OFF : 1;
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, 6);
	histogram_destroy(&histogram);
	sample_split_destroy(&split, memory);
}

/* ---- what a part answers ---- */

/* Splits each net into two rows with both labels, in random order. */
static void
shuffled_case(Case *c, Instance *apart, int32_t *x, int64_t *net)
{
	int64_t dimension = c->grid.dimension;
	int64_t rows = 0;

	for (int64_t i = 0; i < c->instance.rows; i++)
	{
		memcpy(x + rows * dimension, c->x + i * dimension, (size_t) dimension * sizeof(int32_t));
		net[rows++] = c->instance.net[i] + (c->instance.net[i] > 0 ? 1 : -1);
		memcpy(x + rows * dimension, c->x + i * dimension, (size_t) dimension * sizeof(int32_t));
		net[rows++] = c->instance.net[i] > 0 ? -1 : 1;
	}
	for (int64_t i = rows - 1; i > 0; i--)
	{
		int64_t other = below((int) i + 1);
		int64_t kept = net[i];

		net[i] = net[other];
		net[other] = kept;
		for (int64_t j = 0; j < dimension; j++)
		{
			int32_t value = x[i * dimension + j];

			x[i * dimension + j] = x[other * dimension + j];
			x[other * dimension + j] = value;
		}
	}
	*apart = (Instance){.dimension = (int) dimension, .rows = rows, .x = x, .net = net};
}

static SampleEffort
few_nodes(const Case *c)
{
	return (SampleEffort){&c->grid, 1 + below(6), 1 + below(2)};
}

static bool
same_instance(const Instance *a, const Instance *b)
{
	size_t cells = (size_t) (a->rows * a->dimension);

	return a->rows == b->rows && memcmp(a->x, b->x, cells * sizeof(int32_t)) == 0 &&
		   memcmp(a->net, b->net, (size_t) a->rows * sizeof(int64_t)) == 0;
}

/* All losses on ternary vectors are the same, up to a number that is the same for all. */
static void
check_same_losses(const Instance *a, const Instance *b, const Grid *grid)
{
	int vector[GRID_MAX_DIMENSION] = {0};
	int64_t apart = instance_loss(b, grid, vector) - instance_loss(a, grid, vector);

	for (int k = 0; k < 20; k++)
	{
		for (int j = 0; j < grid->dimension; j++)
			vector[j] = below(3);
		CHECK(instance_loss(b, grid, vector) - instance_loss(a, grid, vector) == apart);
	}
}

/*
 * Whatever the order of the rows, one part of all of them is the same and answers the
 * same, also where the search is cut short.  Its rows are those of the case.
 */
static void
test_order_of_rows(void)
{
	static Case c;
	static int32_t x[2][2 * CASE_ROWS * CASE_COLUMNS];
	static int64_t net[2][2 * CASE_ROWS];

	reseed(63);
	for (int round = 0; round < check_repetitions(200); round++)
	{
		Recipe recipe = {.levels = LEVELS_TERNARY,
						 .columns = COLUMNS_ANY,
						 .dimension = 1 + below(10),
						 .rows = below(80),
						 .most_net = 3,
						 .epsilon = EPSILON_ONE};
		int index[2][GRID_MAX_DIMENSION];
		Instance part[2];
		bool found[2];
		SampleEffort effort;

		make_case(&c, &recipe);
		effort = few_nodes(&c);
		for (int side = 0; side < 2; side++)
		{
			Instance apart;
			SampleSplit split;
			int64_t nodes = 0;

			shuffled_case(&c, &apart, x[side], net[side]);
			sample_split(&split, &apart, 1, &bits, memory);
			sample_part(&split, 0, memory, &part[side]);
			sample_split_destroy(&split, memory);
			found[side] = sample_answer(&effort, &part[side], memory, index[side], &nodes);
			CHECK(nodes <= effort.nodes);
			check_same_losses(&part[side], &c.instance, &c.grid);
		}
		CHECK(same_instance(&part[0], &part[1]));
		CHECK(found[0] == found[1] && found[0] == (part[0].rows > 0));
		CHECK(!found[0] || grid_compare(&c.grid, index[0], index[1]) == 0);
		for (int side = 0; side < 2; side++)
			sample_part_destroy(&part[side], memory);
	}
}

/* ---- one part, one vote ---- */

/* The distance of the counts of two ballots. */
static int64_t
ballot_distance(const SampleBallot *a, const SampleBallot *b)
{
	int64_t distance = 0;
	int64_t i = 0;
	int64_t k = 0;

	while (i < a->candidates || k < b->candidates)
	{
		int order = i == a->candidates ? 1
					: k == b->candidates
						? -1
						: memcmp(&a->candidate[i], &b->candidate[k], sizeof(SampleVote));

		distance += order < 0   ? a->count[i]
					: order > 0 ? b->count[k]
								: llabs(a->count[i] - b->count[k]);
		i += order <= 0;
		k += order >= 0;
	}
	return distance;
}

/* Another first part, however different, moves one vote, also where nodes are short. */
static void
test_one_vote(void)
{
	static Case c;
	int moved = 0;

	reseed(64);
	for (int round = 0; round < check_repetitions(150); round++)
	{
		Recipe recipe = {.levels = LEVELS_TERNARY,
						 .columns = COLUMNS_HALVES,
						 .dimension = 5 + below(6),
						 .rows = 200 + below(100),
						 .most_net = 1,
						 .epsilon = EPSILON_ONE};
		SampleSplit split;
		SampleBallot ballot[2];
		SampleEffort effort;
		int64_t shares;
		int64_t distance;

		make_case(&c, &recipe);
		effort = (SampleEffort){&c.grid, 2 + below(30), 1};
		sample_split(&split, &c.instance, 4, &bits, memory);
		sample_vote(&ballot[0], &split, &effort, memory);
		shares = split.part[0].shares;
		split.part[0].shares = shares > 0 ? 1 : 0;
		sample_vote(&ballot[1], &split, &effort, memory);
		split.part[0].shares = shares;
		distance = ballot_distance(&ballot[0], &ballot[1]);
		CHECK(distance <= 2);
		moved += distance > 0;
		for (int side = 0; side < 2; side++)
			sample_ballot_destroy(&ballot[side], memory);
		sample_split_destroy(&split, memory);
	}
	CHECK(moved > 0);
}

/* ---- the whole ---- */

enum
{
	KINDS = 5,
	MOST_ROWS = 3,
	SETS = 4 * 4 * 4 * 4 * 4, /* count of each kind, 0 .. 3, in base 4 */
	MOST_VECTORS = 16
};

/* Kinds of rows in two columns. */
static const int32_t kind_x[KINDS][2] = {{FIXED_POINT_ONE, 0},
										 {FIXED_POINT_ONE, 0},
										 {FIXED_POINT_ONE, FIXED_POINT_ONE},
										 {-FIXED_POINT_ONE, FIXED_POINT_ONE},
										 {0, -FIXED_POINT_ONE}};
static const int kind_label[KINDS] = {1, -1, 1, 1, 1};

static int
kind_count(int set, int kind)
{
	return set >> (2 * kind) & 3;
}

static int
set_rows(int set)
{
	int rows = 0;

	for (int kind = 0; kind < KINDS; kind++)
		rows += kind_count(set, kind);
	return rows;
}

typedef struct Rowset
{
	int32_t x[2 * KINDS];
	int64_t net[KINDS];
	Instance instance;
} Rowset;

static void
make_rowset(Rowset *rowset, int set)
{
	int64_t rows = 0;

	for (int kind = 0; kind < KINDS; kind++)
	{
		if (kind_count(set, kind) == 0)
			continue;
		memcpy(rowset->x + 2 * rows, kind_x[kind], sizeof(kind_x[kind]));
		rowset->net[rows++] = kind_count(set, kind) * kind_label[kind];
	}
	rowset->instance = (Instance){.dimension = 2, .rows = rows, .x = rowset->x, .net = rowset->net};
}

static int
vector_position(const Grid *grid, const uint8_t *index)
{
	return index[0] * grid->levels[1] + index[1];
}

/* Adds the law given one split, which has this share of the probability. */
static void
add_ballot_law(double *law, const Grid *grid, const SampleBallot *ballot, double rate, double share)
{
	int size = grid->levels[0] * grid->levels[1];
	int64_t votes[MOST_VECTORS] = {0};
	double mass[MOST_VECTORS];

	for (int64_t v = 0; v < ballot->candidates; v++)
		votes[vector_position(grid, ballot->candidate[v].index)] = ballot->count[v];
	vote_masses(mass, rate, votes, size, size);
	for (int w = 0; w < size; w++)
		law[w] += share * mass[w];
}

/* All epsilons at once, because their votes are the same. */
enum
{
	EPSILONS = 3
};

static const int64_t whole_epsilons[EPSILONS] = {EPSILON_ONE / 2, 2 * EPSILON_ONE, 6 * EPSILON_ONE};

/* With the product's rate.  Exactly: the mean over all strings of bits that the split may read. */
static void
exact_laws(double law[EPSILONS][MOST_VECTORS], const Grid *grid, int set, int parts)
{
	int length = set_rows(set) * (parts == 4 ? 2 : 1);
	SampleEffort effort = {grid, 1000, 1};
	Rowset rowset;

	make_rowset(&rowset, set);
	memset(law, 0, EPSILONS * sizeof(*law));
	for (uint64_t word = 0; word < UINT64_C(1) << length; word++)
	{
		Script script = {.word = {word}};
		Bits told = scripted(&script);
		SampleSplit split;
		SampleBallot ballot;

		sample_split(&split, &rowset.instance, parts, &told, memory);
		sample_vote(&ballot, &split, &effort, memory);
		for (int e = 0; e < EPSILONS; e++)
		{
			SelectRate rate = select_vote_rate(whole_epsilons[e]);

			add_ballot_law(law[e], grid, &ballot,
						   (double) rate.numerator / (double) rate.denominator, ldexp(1, -length));
		}
		sample_split_destroy(&split, memory);
		sample_ballot_destroy(&ballot, memory);
	}
}

static double
law_loss(const double *a, const double *b, int size)
{
	double largest = 0.0;

	for (int w = 0; w < size; w++)
		largest = fmax(largest, fabs(log(a[w] / b[w])));
	return largest;
}

/* Set b is a without one row, or with one row replaced. */
static bool
are_neighbours(int a, int b, Adjacency adjacency)
{
	int gone = 0;
	int come = 0;

	for (int kind = 0; kind < KINDS; kind++)
	{
		int more = kind_count(b, kind) - kind_count(a, kind);

		gone += more < 0 ? -more : 0;
		come += more > 0 ? more : 0;
	}
	return gone == 1 && come == (adjacency == ADJACENCY_REPLACE ? 1 : 0);
}

static void
check_privacy(const Grid *grid, int parts)
{
	static double law[SETS][EPSILONS][MOST_VECTORS];
	double largest[EPSILONS][2] = {{0.0}};
	int pairs = 0;

	for (int set = 0; set < SETS; set++)
		if (set_rows(set) <= MOST_ROWS)
			exact_laws(law[set], grid, set, parts);
	for (int a = 0; a < SETS; a++)
		for (int b = 0; b < SETS && set_rows(a) <= MOST_ROWS; b++)
			for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
				 adjacency++)
			{
				if (set_rows(b) > MOST_ROWS || !are_neighbours(a, b, adjacency))
					continue;
				pairs++;
				for (int e = 0; e < EPSILONS; e++)
					largest[e][adjacency] =
						fmax(largest[e][adjacency],
							 law_loss(law[a][e], law[b][e], (int) grid_size(grid)));
			}
	CHECK(pairs > 200);
	for (int e = 0; e < EPSILONS; e++)
		for (int adjacency = 0; adjacency < 2; adjacency++)
		{
			double epsilon = (double) whole_epsilons[e] / EPSILON_ONE;

			CHECK(largest[e][adjacency] <= epsilon * (1 + 1e-12));
			CHECK(largest[e][adjacency] > 0.3 * epsilon);
		}
}

static void
test_privacy(void)
{
	Grid grid;

	for (int max = 0; max <= 1; max++)
	{
		grid = uniform_grid(2, max, GRID_PRODUCT, 0);
		check_privacy(&grid, 2);
		check_privacy(&grid, 4);
	}
}

/* ---- the release against a slow reference ---- */

/* By the definition: the first vector with the fewest mistakes; false for no rows left. */
static bool
slow_answer(const Grid *grid, const int *positive, const int *negative, int *position)
{
	int64_t least = INT64_MAX;
	bool any = false;

	for (int a = 0; a < grid->levels[0]; a++)
		for (int b = 0; b < grid->levels[1]; b++)
		{
			int64_t loss = 0;

			for (int kind = 0; kind < KINDS; kind++)
			{
				int64_t score = (int64_t) grid->level[0][a] * kind_x[kind][0] +
								(int64_t) grid->level[1][b] * kind_x[kind][1];

				loss += score > 0 ? negative[kind] : positive[kind];
			}
			if (loss < least)
			{
				least = loss;
				*position = a * grid->levels[1] + b;
			}
		}
	/* kinds 0 and 1 are the two labels of one vector of features */
	any = positive[0] != negative[1];
	for (int kind = 2; kind < KINDS; kind++)
		any = any || positive[kind] + negative[kind] > 0;
	return any;
}

/* All ways to deal the rows out, one by one, and exp(epsilon c / 2) as it is written. */
static void
slow_law(double *law, const Grid *grid, int set, int parts, double epsilon)
{
	int rows = set_rows(set);
	int row_kind[MOST_ROWS * KINDS];
	int size = grid->levels[0] * grid->levels[1];
	int ways = (int) pow(parts, rows);
	int at = 0;

	for (int kind = 0; kind < KINDS; kind++)
		for (int k = 0; k < kind_count(set, kind); k++)
			row_kind[at++] = kind;
	memset(law, 0, MOST_VECTORS * sizeof(*law));
	for (int way = 0; way < ways; way++)
	{
		int64_t votes[MOST_VECTORS] = {0};
		double mass[MOST_VECTORS];

		for (int part = 0; part < parts; part++)
		{
			int positive[KINDS] = {0};
			int negative[KINDS] = {0};
			int position = 0;
			int rest = way;

			for (int r = 0; r < rows; r++, rest /= parts)
				if (rest % parts == part)
					(kind_label[row_kind[r]] > 0 ? positive : negative)[row_kind[r]]++;
			if (slow_answer(grid, positive, negative, &position))
				votes[position]++;
		}
		vote_masses(mass, epsilon / 2, votes, size, size);
		for (int w = 0; w < size; w++)
			law[w] += mass[w] / ways;
	}
}

static void
check_release(const Grid *grid, int set, int parts, int64_t epsilon)
{
	int size = grid->levels[0] * grid->levels[1];
	Histogram histogram = histogram_create(MOST_VECTORS);
	MechanismRequest request = {.kind = MECHANISM_SAMPLE_AGGREGATE,
								.epsilon = epsilon,
								.grid = *grid,
								.parts = parts,
								.part_nodes = 50,
								.threads = 1};
	MechanismTools tools = {.bits = &bits, .memory = memory};
	Rowset rowset;

	make_rowset(&rowset, set);
	for (int k = 0; k < check_repetitions(12000); k++)
	{
		MechanismAnswer answer = {.loss = -1};

		mechanism_get(request.kind)->release(&request, &rowset.instance, &tools, &answer);
		histogram_add(&histogram, (uint64_t) (answer.index[0] * grid->levels[1] + answer.index[1]));
		if (k < 100)
			CHECK(answer.loss == instance_loss(&rowset.instance, grid, answer.index));
	}
	slow_law(histogram.truth, grid, set, parts, (double) epsilon / EPSILON_ONE);
	slow_law(histogram.other, grid, set, parts, LAW_OFF * (double) epsilon / EPSILON_ONE);
	CHECK(law_p_value(histogram.count, histogram.truth, size) > LAW_THRESHOLD);
	if (set_rows(set) > 0)
		CHECK_WHOLE(law_p_value(histogram.count, histogram.other, size) < LAW_THRESHOLD);
	histogram_destroy(&histogram);
}

static void
test_release(void)
{
	Grid grid;

	reseed(67);
	grid = uniform_grid(2, 1, GRID_PRODUCT, 0);
	check_release(&grid, 2 | 1 << 2 | 2 << 4 | 1 << 6, 3, 4 * EPSILON_ONE);
	check_release(&grid, 3 << 4 | 3 << 8, 5, 3 * EPSILON_ONE);
	check_release(&grid, 0, 3, EPSILON_ONE); /* no rows: uniform */
	grid = uniform_grid(2, 0, GRID_PRODUCT, 0);
	check_release(&grid, 3 | 2 << 2 | 1 << 8, 2, 4 * EPSILON_ONE);
}

/* ---- numbers at their ends ---- */

static void
test_ends(void)
{
	Rowset rowset;
	Grid grid;
	MechanismTools tools = {.bits = &bits, .memory = memory};
	MechanismVerdict verdict;
	MechanismRequest request = {
		.kind = MECHANISM_SAMPLE_AGGREGATE,
		.epsilon = SELECT_MAX_EPSILON,
		.run = {.rows = 1000, .distinct = 1000, .longest = 600, .memory = INFINITY},
		.part_nodes = 1,
		.parts = SAMPLE_MAX_PARTS,
		.threads = 2};
	const Mechanism *mechanism = mechanism_get(request.kind);
	MechanismAnswer answer;

	reseed(68);
	grid = uniform_grid(2, 1, GRID_PRODUCT, 0);
	request.grid = grid;
	make_rowset(&rowset, 3 << 4);
	mechanism->release(&request, &rowset.instance, &tools, &answer);
	CHECK(answer.loss == 0);
	request.epsilon = 1;
	mechanism->release(&request, &rowset.instance, &tools, &answer);
	CHECK(grid_contains(&grid, answer.index));

	verdict = mechanism_verdict(&request);
	CHECK(verdict.admitted && verdict.finishes && verdict.cost == SAMPLE_MAX_PARTS);
	request.part_nodes = SAMPLE_MAX_PART_NODES;
	verdict = mechanism_verdict(&request);
	CHECK(verdict.admitted && !verdict.finishes && verdict.most > 600);

	/* Nodes by default: 1000, or as many as fit. */
	request.part_nodes = sample_aggregate_nodes(&request);
	CHECK(request.part_nodes < 1000 && mechanism_verdict(&request).finishes);
	request.part_nodes++;
	CHECK(!mechanism_verdict(&request).finishes);
	request.parts = 100;
	CHECK(sample_aggregate_nodes(&request) == 1000);

	/* Parts by default: more for a smaller epsilon, not more than the rows allow. */
	CHECK(sample_aggregate_parts(&grid, EPSILON_ONE / 10, 0) >
		  sample_aggregate_parts(&grid, EPSILON_ONE, 0));
	CHECK(sample_aggregate_parts(&grid, EPSILON_ONE / 10, 100) <
		  sample_aggregate_parts(&grid, EPSILON_ONE / 10, 0));
	CHECK(sample_aggregate_parts(&grid, 1, 0) <= SAMPLE_MAX_PARTS);
	CHECK(sample_aggregate_parts(&grid, SELECT_MAX_EPSILON, 1) >= 1);
}

int
main(void)
{
	test_begin(1);
	test_split_law();
	test_split_of_six();
	test_order_of_rows();
	test_one_vote();
	test_privacy();
	test_release();
	test_ends();
	return test_end("sample");
}
