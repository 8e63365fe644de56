/*
 * test_select_list.c - permute-and-flip over a list: its exact law on all small lists
 * of losses and all their neighbours, and draws against that law.
 */
#include "core/looks/evaluation.h"

#include "core/fixture.h"
#include "core/law.h"
#include "core/privacy_law.h"

#define CANDIDATES 4 /* of the longest list that is enumerated */

/* ---- the law, from the definition ---- */

/* Every order of the candidates, each with its coins flipped one after the other. */
static void
visit_orders(const long double *coin, int candidates, unsigned visited, long double chance,
			 long double *law)
{
	int left = candidates - __builtin_popcount(visited);

	for (int i = 0; i < candidates; i++)
		if (!(visited & 1u << i))
		{
			long double next = chance / left;

			law[i] += next * coin[i];
			if (left > 1)
				visit_orders(coin, candidates, visited | 1u << i, next * (1.0L - coin[i]), law);
		}
}

static void
list_law(const int64_t *loss, int candidates, long double rate, long double *law)
{
	long double coin[LAW_VECTORS];
	int64_t least = loss[0];

	for (int i = 0; i < candidates; i++)
		least = loss[i] < least ? loss[i] : least;
	for (int i = 0; i < candidates; i++)
	{
		coin[i] = expl(-rate * (long double) (loss[i] - least));
		law[i] = 0.0L;
	}
	if (candidates <= CANDIDATES)
		visit_orders(coin, candidates, 0, 1.0L, law);
	else
		for (int i = 0; i < candidates; i++)
			law[i] = permute_flip_probability(coin, candidates, i);
}

/* epsilon in units of the margin, written down a second time. */
static long double
rate_of(int64_t epsilon, Adjacency adjacency)
{
	return (long double) epsilon / 1e9L / (adjacency == ADJACENCY_REPLACE ? 2 : 1);
}

/* ---- neighbours ---- */

/* Digits of a number in a base, from lowest on. */
static void
digits(int64_t *digit, int count, int number, int base, int lowest)
{
	for (int i = 0; i < count; i++, number /= base)
		digit[i] = number % base + lowest;
}

static int
power(int base, int exponent)
{
	return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/*
 * A row that is replaced has one 0 or 1 per candidate before and another after: every
 * vector of -1, 0 and 1 may be added to the losses.  One that comes adds zeros and ones.
 */
static double
worst_of_list(const int64_t *loss, int candidates, Adjacency adjacency, long double rate)
{
	int base = adjacency == ADJACENCY_REPLACE ? 3 : 2;
	double worst = 0.0;
	PairLaw law = {.vectors = candidates};

	list_law(loss, candidates, rate, law.mass[0]);
	for (int change = 0; change < power(base, candidates); change++)
	{
		int64_t neighbour[CANDIDATES];
		bool possible = true;

		digits(neighbour, candidates, change, base, base == 3 ? -1 : 0);
		for (int i = 0; i < candidates; i++)
		{
			neighbour[i] += loss[i];
			possible = possible && neighbour[i] >= 0;
		}
		if (!possible)
			continue;
		list_law(neighbour, candidates, rate, law.mass[1]);
		worst = fmax(worst, privacy_loss(&law).high);
	}
	return worst;
}

/* The rate is the product's, so that a wrong one shows. */
static void
test_neighbours(int64_t epsilon, Adjacency adjacency)
{
	SelectProblem problem = {.epsilon = epsilon, .adjacency = adjacency};
	SelectRate ratio = select_rate(&problem);
	long double rate = (long double) ratio.numerator / (long double) ratio.denominator;
	double allowed = (double) epsilon / 1e9;
	double worst = 0.0;

	for (int candidates = 2; candidates <= CANDIDATES; candidates++)
		for (int list = 0; list < power(5, candidates); list++)
		{
			int64_t loss[CANDIDATES];

			digits(loss, candidates, list, 5, 0);
			worst = fmax(worst, worst_of_list(loss, candidates, adjacency, rate));
		}
	CHECK(worst <= allowed * (1 + 1e-12));
	CHECK(worst > allowed / 2); /* and not by far less: a rate that is too small shows */
}

/* A candidate far behind gains a whole epsilon by one row. */
static void
test_tight(int64_t epsilon, Adjacency adjacency)
{
	long double rate = rate_of(epsilon, adjacency);
	int64_t loss[2] = {0, 40};
	int64_t neighbour[2] = {1, adjacency == ADJACENCY_REPLACE ? 39 : 40};
	PairLaw law = {.vectors = 2};

	list_law(loss, 2, rate, law.mass[0]);
	list_law(neighbour, 2, rate, law.mass[1]);
	CHECK(fabs(privacy_loss(&law).high - (double) epsilon / 1e9) < 1e-9);
}

/* The bound on the answer's mistakes, against the law of lists where all others are as bad. */
static void
test_error(int64_t epsilon, Adjacency adjacency, int candidates)
{
	double bound = evaluation_choice_error(epsilon, adjacency, candidates, 0.05);
	int64_t loss[LAW_VECTORS] = {0};
	long double law[LAW_VECTORS];

	for (int64_t more = (int64_t) ceil(bound); more >= 0 && more > bound - 2; more--)
	{
		for (int i = 1; i < candidates; i++)
			loss[i] = more;
		list_law(loss, candidates, rate_of(epsilon, adjacency), law);
		CHECK(more < bound || 1.0L - law[0] <= 0.05L);
	}
	/* no bound that is lower by a tenth would do for two candidates */
	loss[1] = (int64_t) (bound * 0.9);
	list_law(loss, 2, rate_of(epsilon, adjacency), law);
	CHECK(candidates > 2 || law[1] > 0.05L);
}

/* ---- draws ---- */

static void
test_draws(const int64_t *loss, int candidates, int64_t epsilon, Adjacency adjacency)
{
	Histogram histogram = histogram_create(candidates);
	long double law[LAW_VECTORS];
	long double other[LAW_VECTORS];

	list_law(loss, candidates, rate_of(epsilon, adjacency), law);
	list_law(loss, candidates, rate_of(epsilon, adjacency) * LAW_OFF, other);
	for (int i = 0; i < candidates; i++)
	{
		histogram.truth[i] = (double) law[i];
		histogram.other[i] = (double) other[i];
	}
	for (int draw = 0; draw < LAW_DRAWS; draw++)
		histogram_add(&histogram,
					  (uint64_t) select_from_list(epsilon, adjacency, loss, candidates, &bits));
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, candidates);
	histogram_destroy(&histogram);
}

static void
test_law(void)
{
	static const int64_t two[] = {3, 0};
	static const int64_t four[] = {12, 10, 10, 15};
	static const int64_t ten[] = {1000007, 1000003, 1000001, 1000000, 1000009,
								  1000005, 1000002, 1000004, 1000006, 1000008};

	test_draws(two, 2, EPSILON_ONE, ADJACENCY_REPLACE);
	test_draws(two, 2, EPSILON_ONE / 3, ADJACENCY_ADD_REMOVE);
	test_draws(four, 4, EPSILON_ONE, ADJACENCY_REPLACE);
	test_draws(four, 4, EPSILON_ONE, ADJACENCY_ADD_REMOVE);
	test_draws(ten, 10, EPSILON_ONE, ADJACENCY_REPLACE);
}

/* Ties, one candidate, the longest list, and losses as far apart as counts of rows can be. */
static void
test_edges(void)
{
	static int64_t many[SELECT_LIST_MAX];
	int64_t ties[3] = {7, 7, 7};
	int64_t apart[3] = {INT64_C(1) << 60, 0, INT64_C(1) << 59};
	Histogram histogram = histogram_create(3);
	double uneven[3] = {0.4, 0.3, 0.3};

	for (int draw = 0; draw < LAW_DRAWS; draw++)
		histogram_add(&histogram,
					  (uint64_t) select_from_list(EPSILON_ONE, ADJACENCY_REPLACE, ties, 3, &bits));
	for (int i = 0; i < 3; i++)
	{
		histogram.truth[i] = 1.0;
		histogram.other[i] = uneven[i];
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, 3);
	histogram_destroy(&histogram);
	CHECK(select_from_list(EPSILON_ONE, ADJACENCY_REPLACE, ties, 1, &bits) == 0);
	for (int i = 0; i < SELECT_LIST_MAX; i++)
		many[i] = 1000 * (SELECT_LIST_MAX - i);
	CHECK(select_from_list(EPSILON_ONE, ADJACENCY_REPLACE, many, SELECT_LIST_MAX, &bits) ==
		  SELECT_LIST_MAX - 1);
	CHECK(select_from_list(EPSILON_ONE / 1000, ADJACENCY_REPLACE, apart, 3, &bits) == 1);
	CHECK(select_from_list(SELECT_MAX_EPSILON, ADJACENCY_ADD_REMOVE, apart, 3, &bits) == 1);
}

int
main(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 4 * EPSILON_ONE};

	test_begin(21);
	for (int e = 0; e < 3; e++)
		for (Adjacency adjacency = ADJACENCY_REPLACE; adjacency <= ADJACENCY_ADD_REMOVE;
			 adjacency++)
		{
			test_neighbours(epsilons[e], adjacency);
			test_tight(4 * EPSILON_ONE, adjacency);
		}
	for (int candidates = 2; candidates <= 40; candidates += 19)
	{
		test_error(EPSILON_ONE / 10, ADJACENCY_REPLACE, candidates);
		test_error(EPSILON_ONE / 10, ADJACENCY_ADD_REMOVE, candidates);
	}
	test_law();
	test_edges();
	return test_end("select_list");
}
