/*
 * test_exact_laws.c - the laws of the samplers of core/random, the grid and the tree, without
 * chance: on every string of bits up to a length (bit_strings.h).
 *
 * Part of `make prove`.  Where a law is a fraction, the masses of equal answers are equal integers.
 */
#include <math.h>

#include "core/exponential/tree_internal.h"
#include "core/grid/grid_draw.h"
#include "core/random/discrete_gaussian.h"
#include "core/random/laplace.h"

#include "core/bit_strings.h"
#include "core/instances.h"

static Strings strings;

typedef struct Fraction
{
	uint64_t p;
	uint64_t q;
	int shift; /* both are multiplied by 2^shift, for the form in big integers */
} Fraction;

/* A sampler of an integer, or a coin, and its parameters. */
typedef struct Law
{
	void (*draw)(Bits *bits, mpz_t result, const mpz_t p, const mpz_t q);
	bool (*toss)(Bits *bits, const mpz_t p, const mpz_t q);
	Fraction fraction;
	int64_t origin; /* is added to the integer */
	double open;    /* the most that strings of all bits may leave open */
} Law;

/* A share of the cases is a share of the strings. */
static int
limit_of(int bits_of_all)
{
	int limit = bits_of_all;

	for (int share = check_share(); share > 0 && share < 100; share *= 2)
		limit--;
	return limit;
}

static int64_t
sample(Bits *asked, const void *terms)
{
	const Law *law = terms;
	int64_t answer;
	mpz_t p;
	mpz_t q;
	mpz_t result;

	mpz_init(result);
	mpz_init_set_ui(p, law->fraction.p);
	mpz_init_set_ui(q, law->fraction.q);
	mpz_mul_2exp(p, p, (mp_bitcnt_t) law->fraction.shift);
	mpz_mul_2exp(q, q, (mp_bitcnt_t) law->fraction.shift);
	if (law->toss != NULL)
		answer = law->toss(asked, p, q);
	else
	{
		law->draw(asked, result, p, q);
		answer = mpz_clamped(result) + law->origin;
	}
	mpz_clears(p, q, result, NULL);
	return answer;
}

static long double
quotient(Fraction fraction)
{
	return (long double) fraction.p / (long double) fraction.q;
}

static void
walk_law(const Law *law, int limit, int answers)
{
	strings_walk(&strings, limit_of(limit), answers, sample, law);
	CHECK(strings_are_all(&strings));
	CHECK_WHOLE(strings_open(&strings) <= law->open);
}

/* ---- uniform numbers ---- */

static int64_t
sample_below(Bits *asked, const void *terms)
{
	return (int64_t) bits_below(asked, *(const uint64_t *) terms);
}

static int64_t
sample_below_mpz(Bits *asked, const void *terms)
{
	int64_t answer;
	mpz_t n;
	mpz_t result;

	mpz_init_set_ui(n, *(const uint64_t *) terms);
	mpz_init(result);
	bits_below_mpz(asked, result, n);
	answer = mpz_clamped(result);
	mpz_clears(n, result, NULL);
	return answer;
}

/* Every number has the same mass; each attempt that the limit has room for leaves a part open. */
static void
check_uniform(uint64_t n)
{
	int length = n > 1 ? 64 - __builtin_clzll(n - 1) : 0;
	double open = length > 0 ? 1 : 0;

	for (int used = length; used > 0 && used <= strings.limit; used += length)
		open *= 1 - ldexp((double) n, -length);
	CHECK(strings_are_all(&strings) && strings.elsewhere == 0 && strings.mass[0] > 0);
	CHECK(fabs(strings_open(&strings) - open) < 1e-12);
	for (uint64_t k = 1; k < n; k++)
		CHECK(strings.mass[k] == strings.mass[0]);
}

static void
test_below(void)
{
	for (uint64_t n = 1; n <= 17; n++)
	{
		strings_walk(&strings, 18, (int) n, sample_below, &n);
		check_uniform(n);
		strings_walk(&strings, 18, (int) n, sample_below_mpz, &n);
		check_uniform(n);
	}
}

static int64_t
sample_grid(Bits *asked, const void *terms)
{
	const GridCounts *counts = terms;
	int index[GRID_MAX_DIMENSION];
	int64_t answer = 0;

	grid_draw(counts, asked, index);
	for (int j = 0; j < counts->grid->dimension; j++)
		answer = answer * GRID_MAX_LEVELS + index[j];
	return answer;
}

/* Every vector of small grids has the same mass. */
static void
test_grid(void)
{
	for (int round = 0; round < 20; round++)
	{
		Grid grid;
		GridCounts counts;
		uint64_t vectors = 0;
		uint64_t mass = 0;

		random_grid(&grid, LEVELS_FAR, 1 + below(2), 1, 200);
		grid_counts_create(&counts, &grid, memory);
		strings_walk(&strings, 16, GRID_MAX_LEVELS * GRID_MAX_LEVELS, sample_grid, &counts);
		CHECK(strings_are_all(&strings) && strings.elsewhere == 0);
		for (int k = 0; k < strings.answers; k++)
			if (strings.mass[k] > 0)
			{
				CHECK(vectors == 0 || strings.mass[k] == mass);
				mass = strings.mass[k];
				vectors++;
			}
		CHECK(vectors == (uint64_t) grid_size(&grid));
		grid_counts_destroy(&counts, memory);
	}
}

/* ---- coins ---- */

/* One more bit halves what is open. */
static void
test_bernoulli(void)
{
	for (uint64_t q = 1; q <= 12; q++)
		for (uint64_t p = 0; p <= q; p++)
			for (int shift = 0; shift <= 64; shift += 64)
			{
				Law law = {.toss = bits_bernoulli, .fraction = {p, q, shift}};

				strings_walk(&strings, 40, 2, sample, &law);
				CHECK(strings_are_all(&strings) && strings.open <= 1);
				CHECK(strings_allow(&strings, 1, quotient(law.fraction)));
			}
}

static void
test_bernoulli_exp(void)
{
	static const Law laws[] = {
		{.fraction = {0, 1, 0}, .open = 0},     {.fraction = {1, 4, 0}, .open = 1e-4},
		{.fraction = {1, 3, 0}, .open = 1e-3},  {.fraction = {2, 3, 0}, .open = 4e-3},
		{.fraction = {1, 1, 0}, .open = 2e-3},  {.fraction = {3, 2, 0}, .open = 4e-3},
		{.fraction = {7, 3, 0}, .open = 1e-2},  {.fraction = {5, 1, 0}, .open = 2e-2},
		{.fraction = {1, 3, 64}, .open = 1e-3}, {.fraction = {7, 3, 64}, .open = 1e-2},
	};

	for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++)
	{
		Law law = laws[k];

		law.toss = bits_bernoulli_exp;
		walk_law(&law, 20, 2);
		CHECK(strings_allow(&strings, 1, expl(-quotient(law.fraction))));
	}
}

/* ---- laws on the integers ---- */

static void
test_geometric(void)
{
	static const Law laws[] = {{.fraction = {1, 1, 0}, .open = 3e-2},
							   {.fraction = {1, 2, 0}, .open = 5e-2},
							   {.fraction = {2, 1, 0}, .open = 3e-2},
							   {.fraction = {3, 2, 0}, .open = 5e-2}};

	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
	{
		Law law = laws[i];
		long double ratio = expl(-quotient(law.fraction));

		law.draw = bits_geometric;
		walk_law(&law, 20, 8);
		for (int k = 0; k < 8; k++)
			CHECK(strings_allow(&strings, k, (1 - ratio) * powl(ratio, k)));
	}
}

/* A law on -5 .. 5, in proportion to weight[|z|]; both signs read as many bits. */
static void
check_symmetric(const Law *law, const long double *weight, long double sum)
{
	walk_law(law, 21, 11);
	for (int k = 0; k < 11; k++)
		CHECK(strings_allow(&strings, k, weight[abs(k - 5)] / sum));
	for (int k = 0; k < 5; k++)
		CHECK(strings.mass[k] == strings.mass[10 - k]);
}

static void
test_laplace(void)
{
	static const Law laws[] = {{.fraction = {1, 1, 0}, .open = 0.1},
							   {.fraction = {1, 2, 0}, .open = 0.1},
							   {.fraction = {2, 1, 0}, .open = 0.2}};

	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
	{
		Law law = laws[i];
		long double ratio = expl(-quotient(law.fraction));
		long double weight[6];

		for (int z = 0; z <= 5; z++)
			weight[z] = powl(ratio, z);
		law.draw = laplace_draw;
		law.origin = 5;
		check_symmetric(&law, weight, (1 + ratio) / (1 - ratio));
	}
}

static void
test_gaussian(void)
{
	static const Law laws[] = {{.fraction = {1, 1, 0}, .open = 0.3},
							   {.fraction = {4, 1, 0}, .open = 0.3}};

	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
	{
		Law law = laws[i];
		long double sum = 0;
		long double weight[6];

		for (int z = 0; z <= 5; z++)
			weight[z] = expl(-z * z / (2 * quotient(law.fraction)));
		for (int z = -100; z <= 100; z++)
			sum += expl(-z * z / (2 * quotient(law.fraction)));
		law.draw = discrete_gaussian_draw;
		law.origin = 5;
		check_symmetric(&law, weight, sum);
	}
}

/* ---- points of the tree's intervals ---- */

typedef struct Cut
{
	TreeLength whole;
	TreeLength first;
	TreeLength second;
} Cut;

/* 0: below the first length; 1: not, but below the second one after it; 2: neither. */
static int64_t
sample_cut(Bits *asked, const void *terms)
{
	const Cut *cut = terms;
	TreePoint point;
	int64_t answer = 0;

	tree_point_init(&point, asked, cut->whole);
	if (!tree_point_is_below(&point, cut->first))
	{
		tree_point_subtract(&point, cut->first);
		answer = tree_point_is_below(&point, cut->second) ? 1 : 2;
	}
	tree_point_clear(&point);
	return answer;
}

static long double
length_of(TreeLength length)
{
	return ldexpl((long double) length.mantissa, (int) length.exponent);
}

static void
test_cuts(void)
{
	for (int round = 0; round < 200; round++)
	{
		Cut cut = {{1 + (uint64_t) below(7), below(3) - 1},
				   {1 + (uint64_t) below(9), below(5) - 3},
				   {1 + (uint64_t) below(9), below(5) - 3}};
		long double whole = length_of(cut.whole);
		long double first = fminl(length_of(cut.first) / whole, 1);
		long double second = fminl(length_of(cut.second) / whole, 1 - first);

		strings_walk(&strings, 18, 3, sample_cut, &cut);
		CHECK(strings_are_all(&strings) && strings_open(&strings) <= 0.02);
		CHECK(strings_allow(&strings, 0, first));
		CHECK(strings_allow(&strings, 1, second));
		CHECK(strings_allow(&strings, 2, 1 - first - second));
	}
}

int
main(void)
{
	test_begin(1);
	test_below();
	test_grid();
	test_bernoulli();
	test_bernoulli_exp();
	test_geometric();
	test_laplace();
	test_gaussian();
	test_cuts();
	return test_end("exact_laws");
}
