/*
 * test_select_vote.c - the draw from votes: cells against 1000-bit numbers, the law, and what one
 * vote changes of it.
 */
#include "core/exponential/select_internal.h"

#include <math.h>
#include <mpfr.h>

#include "core/fixture.h"
#include "core/law.h"
#include "core/script.h"

/*
 * The cell of U, of which the script has the first 256 bits and the others are 0, by 1000-bit
 * numbers.
 */
static int64_t
cell_of(int64_t epsilon, const int64_t *votes, int64_t candidates, uint64_t size, Script script)
{
	int64_t cell = -1;
	mpfr_t point;
	mpfr_t border;
	mpfr_t weight;
	mpfr_t total;

	mpfr_inits2(1000, point, border, weight, total, (mpfr_ptr) 0);
	mpfr_set_ui(total, size, MPFR_RNDN);
	for (int pass = 0; pass < 2; pass++)
	{
		mpfr_set_zero(border, 1);
		for (int64_t v = 0; v < candidates && cell < 0; v++)
		{
			mpfr_set_si(weight, epsilon, MPFR_RNDN);
			mpfr_mul_si(weight, weight, votes[v], MPFR_RNDN);
			mpfr_div_si(weight, weight, 2 * EPSILON_ONE, MPFR_RNDN);
			mpfr_expm1(weight, weight, MPFR_RNDN);
			mpfr_add(border, border, weight, MPFR_RNDN);
			if (pass == 1 && mpfr_less_p(point, border))
				cell = v;
		}
		if (pass == 1)
			break;
		mpfr_add(total, total, border, MPFR_RNDN);
		mpfr_set_zero(point, 1);
		for (int k = 3; k >= 0; k--)
		{
			mpfr_add_ui(point, point, script.word[k], MPFR_RNDN);
			mpfr_div_2ui(point, point, 64, MPFR_RNDN);
		}
		mpfr_mul(point, point, total, MPFR_RNDN);
	}
	mpfr_clears(point, border, weight, total, (mpfr_ptr) 0);
	return cell;
}

static int64_t
draw_scripted(int64_t epsilon, const int64_t *votes, int64_t candidates, uint64_t size,
			  Script script, int *words)
{
	Bits told = scripted(&script);
	int64_t cell;
	mpz_t vectors;

	mpz_init_set_ui(vectors, size);
	cell = select_vote(select_vote_rate(epsilon), votes, NULL, candidates, vectors, &told);
	*words = (int) script.next;
	mpz_clear(vectors);
	return cell;
}

/* The last word before which the cell of candidate 0 ends. */
static uint64_t
border_word(int64_t epsilon, const int64_t *votes, int64_t candidates, uint64_t size)
{
	uint64_t low = 0;
	uint64_t high = UINT64_MAX;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2 + 1;

		if (cell_of(epsilon, votes, candidates, size, (Script){.word = {middle}}) == 0)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Checks that select_vote() finds the cell; returns how many words it has read. */
static int
check_cell(int64_t epsilon, const int64_t *votes, int64_t candidates, uint64_t size, Script script)
{
	int words;

	CHECK(draw_scripted(epsilon, votes, candidates, size, script, &words) ==
		  cell_of(epsilon, votes, candidates, size, script));
	return words;
}

/* U with any first word, and with the one that holds the end of the first cell. */
static void
test_vote_cells(void)
{
	static const int64_t epsilons[] = {1,
									   EPSILON_ONE / 1000,
									   EPSILON_ONE / 10,
									   EPSILON_ONE,
									   3 * EPSILON_ONE,
									   40 * EPSILON_ONE,
									   SELECT_MAX_EPSILON};

	reseed(65);
	for (int round = 0; round < check_repetitions(400); round++)
	{
		int64_t epsilon = epsilons[below(7)];
		int64_t candidates = below(5);
		uint64_t size = 5 + (teststream_next(&stream) >> (1 + below(60)));
		int64_t votes[5] = {0};
		uint64_t word = teststream_next(&stream);

		for (int64_t v = 0; v < candidates; v++)
			votes[v] = 1 + below(below(2) ? 3 : 60);
		(void) check_cell(epsilon, votes, candidates, size, (Script){.word = {word}});
		word = candidates > 0 ? border_word(epsilon, votes, candidates, size) : 0;
		if (word == 0 || word == UINT64_MAX)
			continue;
		/* The first word leaves it open; what follows decides. */
		for (int k = 0; k < 4; k++)
		{
			uint64_t second = k == 0 ? 0 : k == 1 ? UINT64_MAX : teststream_next(&stream);

			CHECK(check_cell(epsilon, votes, candidates, size,
							 (Script){.word = {word, second, second, second}}) >= 2);
		}
	}
}

/* Candidates are the first of W, and the others are drawn like them. */
static void
test_vote_law(void)
{
	static const int64_t votes[] = {4, 1, 3, 3};
	enum
	{
		SIZE = 12
	};
	static const int64_t epsilons[] = {EPSILON_ONE / 2, EPSILON_ONE, 2 * EPSILON_ONE};

	reseed(66);
	for (int e = 0; e < 3; e++)
	{
		Histogram histogram = histogram_create(SIZE);
		double rate = (double) epsilons[e] / EPSILON_ONE / 2;
		mpz_t size;

		mpz_init_set_ui(size, SIZE);
		for (int k = 0; k < LAW_DRAWS / 3; k++)
		{
			int64_t cell = select_vote(select_vote_rate(epsilons[e]), votes, NULL, 4, size, &bits);

			histogram_add(&histogram, cell < 0 ? (uint64_t) below(SIZE) : (uint64_t) cell);
		}
		vote_masses(histogram.truth, rate, votes, 4, SIZE);
		vote_masses(histogram.other, rate * LAW_OFF, votes, 4, SIZE);
		CHECK_LAW(histogram.count, histogram.truth, histogram.other, SIZE);
		mpz_clear(size);
		histogram_destroy(&histogram);
	}
}

enum
{
	VOTE_VECTORS = 4
};

/* The largest loss where so many votes leave one vector, so many come to another, or both. */
static double
vote_loss(double rate, int64_t moved)
{
	double largest = 0.0;

	for (int64_t first = moved; first <= 401; first += 5)
		for (int64_t second = 0; second <= 20; second += 5)
			for (int change = 0; change < 3; change++)
			{
				int64_t before[VOTE_VECTORS] = {first, second};
				int64_t after[VOTE_VECTORS] = {first, second};
				double mass[2][VOTE_VECTORS];

				after[0] -= change != 1 ? moved : 0;
				after[1] += change != 0 ? moved : 0;
				vote_masses(mass[0], rate, before, VOTE_VECTORS, VOTE_VECTORS);
				vote_masses(mass[1], rate, after, VOTE_VECTORS, VOTE_VECTORS);
				for (int w = 0; w < VOTE_VECTORS; w++)
					largest = fmax(largest, fabs(log(mass[0][w] / mass[1][w])));
			}
	return largest;
}

/*
 * The loss between counts that differ by one vote that moves, comes or goes, with the
 * product's rate.  It tends to epsilon where the vote leaves a vector that has all the
 * mass: so the exponent cannot be larger, under add_remove neither.  And it would be
 * twice epsilon if a row that is replaced left one part and came to another (theorem F5).
 */
static void
test_vote_privacy(void)
{
	static const int64_t epsilons[] = {EPSILON_ONE / 10, EPSILON_ONE, 5 * EPSILON_ONE};

	for (int e = 0; e < 3; e++)
	{
		SelectRate product = select_vote_rate(epsilons[e]);
		double rate = (double) product.numerator / (double) product.denominator;
		double epsilon = (double) epsilons[e] / EPSILON_ONE;

		CHECK(vote_loss(rate, 1) <= epsilon * (1 + 1e-12));
		CHECK(vote_loss(rate, 1) >= epsilon * (1 - 1e-3));
		CHECK(vote_loss(rate, 2) >= 2 * epsilon * (1 - 1e-3));
	}
}

int
main(void)
{
	test_begin(65);
	test_vote_cells();
	test_vote_law();
	test_vote_privacy();
	return test_end("select_vote");
}
