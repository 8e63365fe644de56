/*
 * test_composed_laws.c - the laws of samplers that are made of other samplers, without chance.
 *
 * bit_strings.h leaves much open where a sampler tries again and again.  Here the coins and
 * geometric variables that it asks for have the laws of bits.h by definition, and the walk goes
 * through all answers that they can give in one attempt, with their probabilities.  The sampler
 * begins an attempt with a sign and remembers nothing of those before, so its law is in proportion
 * to what one attempt answers.  Part of `make prove`.
 */
#include <math.h>

#include "core/random/bits.h"

#include "core/fixture.h"

static uint64_t chosen_take(Bits *asked, int count);
static bool chosen_coin(Bits *asked, const mpz_t p, const mpz_t q);
static void chosen_geometric(Bits *asked, mpz_t result, const mpz_t p, const mpz_t q);

#define bits_take chosen_take
#define bits_bernoulli_exp chosen_coin
#define bits_geometric chosen_geometric
#define discrete_gaussian_draw composed_gaussian
#define laplace_draw composed_laplace
#include "../../../src/core/random/discrete_gaussian.c"
#include "../../../src/core/random/laplace.c"
#undef bits_take
#undef bits_bernoulli_exp
#undef bits_geometric

#define ANSWERS_MOST 40 /* a geometric variable is beyond these with the probability left */
#define CHOICES_MOST 8

/* The answers of this attempt: the first given are those of the path. */
static struct
{
	int64_t answer[CHOICES_MOST];
	int64_t most[CHOICES_MOST];
	int choices;
	bool again; /* the sampler has begun a second attempt */
	long double probability;
	long double beyond; /* of this attempt, in all: the variables that are left out */
} walk;

static long double
quotient(const mpz_t p, const mpz_t q)
{
	return (long double) mpz_get_d(p) / (long double) mpz_get_d(q);
}

/* The next answer, of 0 .. most; 0 on a part of the path that is new. */
static int64_t
choose_answer(int64_t most)
{
	int k = walk.choices++;

	if (k >= CHOICES_MOST)
		abort();
	walk.most[k] = most;
	return walk.answer[k];
}

static uint64_t
chosen_take(Bits *asked, int count)
{
	(void) asked;
	CHECK(count == 1);
	walk.again |= walk.choices > 0;
	if (walk.again)
		return 0;
	walk.probability *= 0.5L;
	return (uint64_t) choose_answer(1);
}

/* A second attempt, which does not count, ends at once. */
static bool
chosen_coin(Bits *asked, const mpz_t p, const mpz_t q)
{
	long double truth = expl(-quotient(p, q));
	bool answer;

	(void) asked;
	if (walk.again)
		return true;
	answer = choose_answer(1) == 1;
	walk.probability *= answer ? truth : 1 - truth;
	return answer;
}

static void
chosen_geometric(Bits *asked, mpz_t result, const mpz_t p, const mpz_t q)
{
	long double ratio = expl(-quotient(p, q));
	int64_t answer = walk.again ? 0 : choose_answer(ANSWERS_MOST - 1);

	(void) asked;
	mpz_set_ui(result, (unsigned long) answer);
	if (walk.again)
		return;
	walk.beyond = powl(ratio, ANSWERS_MOST);
	walk.probability *= (1 - ratio) * powl(ratio, (long double) answer);
}

/* Goes to the next path; false after the last. */
static bool
advance(void)
{
	while (walk.choices > 0 && walk.answer[walk.choices - 1] == walk.most[walk.choices - 1])
		walk.answer[--walk.choices] = 0;
	if (walk.choices == 0)
		return false;
	walk.answer[walk.choices - 1]++;
	return true;
}

/* mass[z + ANSWERS_MOST] is set to the probability that one attempt answers z; returns their sum. */
static long double
walk_attempt(void (*draw)(Bits *asked, mpz_t result, const mpz_t p, const mpz_t q), uint64_t p,
			 uint64_t q, long double *mass)
{
	long double sum = 0;
	long double all = 0;
	mpz_t numerator;
	mpz_t denominator;
	mpz_t result;

	mpz_init_set_ui(numerator, p);
	mpz_init_set_ui(denominator, q);
	mpz_init(result);
	memset(&walk, 0, sizeof(walk));
	for (int k = 0; k <= 2 * ANSWERS_MOST; k++)
		mass[k] = 0;
	do
	{
		walk.choices = 0;
		walk.again = false;
		walk.probability = 1;
		draw(&bits, result, numerator, denominator);
		all += walk.probability;
		if (!walk.again)
		{
			mass[mpz_clamped(result) + ANSWERS_MOST] += walk.probability;
			sum += walk.probability;
		}
	} while (advance());
	CHECK(fabsl(all + walk.beyond - 1) < 1e-14L);
	mpz_clears(numerator, denominator, result, NULL);
	return sum;
}

static void
test_gaussian(uint64_t p, uint64_t q)
{
	long double mass[2 * ANSWERS_MOST + 1];
	long double found = walk_attempt(composed_gaussian, p, q, mass);
	long double sum = 0;

	for (int z = -1000; z <= 1000; z++)
		sum += expl(-(long double) z * z * (long double) q / (2 * (long double) p));
	for (int z = -ANSWERS_MOST + 1; z < ANSWERS_MOST; z++)
	{
		long double law =
			expl(-(long double) z * z * (long double) q / (2 * (long double) p)) / sum;

		CHECK(fabsl(mass[z + ANSWERS_MOST] / found - law) <= 1e-14L + walk.beyond / found);
	}
}

static void
test_laplace(uint64_t p, uint64_t q)
{
	long double mass[2 * ANSWERS_MOST + 1];
	long double found = walk_attempt(composed_laplace, p, q, mass);
	long double ratio = expl(-(long double) p / (long double) q);

	for (int z = -ANSWERS_MOST + 1; z < ANSWERS_MOST; z++)
	{
		long double law = (1 - ratio) / (1 + ratio) * powl(ratio, abs(z));

		CHECK(fabsl(mass[z + ANSWERS_MOST] / found - law) <= 1e-14L + walk.beyond / found);
	}
}

int
main(void)
{
	test_begin(1);
	for (uint64_t p = 1; p <= 12; p++)
		for (uint64_t q = 1; q <= 4; q++)
		{
			test_gaussian(p, q);
			test_laplace(p, q);
		}
	return test_end("composed_laws");
}
