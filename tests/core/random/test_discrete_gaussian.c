/*
 * test_discrete_gaussian.c - the discrete Gaussian sampler against its law.
 */
#include "core/random/discrete_gaussian.h"

#include <math.h>

#include "core/fixture.h"
#include "core/law.h"

#define REACH 400 /* draws beyond it are counted at it: their weight is negligible */

static int64_t
cell(int64_t draw)
{
	return (draw < -REACH ? -REACH : draw > REACH ? REACH : draw) + REACH;
}

static void
test_law(uint64_t p, uint64_t q, uint64_t seed)
{
	double variance = (double) p / (double) q;
	double off = variance * LAW_OFF * LAW_OFF;
	static int64_t count[2 * REACH + 1];
	static double truth[2 * REACH + 1];
	static double other[2 * REACH + 1];
	static double rejected[2 * REACH + 1];

	reseed(seed);
	memset(count, 0, sizeof(count));
	for (int i = 0; i < LAW_DRAWS; i++)
		count[cell(draw_word(discrete_gaussian_draw, p, q))]++;
	for (int z = -REACH; z <= REACH; z++)
	{
		truth[z + REACH] = exp(-z * z / (2 * variance));
		other[z + REACH] = exp(-z * z / (2 * off));
		rejected[z + REACH] = exp(-abs(z) / sqrt(variance)); /* the law it is drawn from */
	}
	CHECK_LAW(count, truth, other, 2 * REACH + 1);
	if (variance >= 0.25)
		CHECK_WHOLE(law_p_value(count, rejected, 2 * REACH + 1) < LAW_THRESHOLD);
}

/* Numbers far beyond a word: mean, variance and fourth moment of a Gaussian. */
static void
test_large(void)
{
	int draws = check_repetitions(20000);
	double scale = ldexp(1.0, 100);
	double second = 0;
	double fourth = 0;
	double mean = 0;
	mpz_t draw;
	mpz_t p;
	mpz_t q;

	reseed(11);
	mpz_init(draw);
	mpz_init_set_ui(p, 3);
	mpz_mul_2exp(p, p, 200);
	mpz_init_set_ui(q, 3);
	for (int i = 0; i < draws; i++)
	{
		double z;

		discrete_gaussian_draw(&bits, draw, p, q);
		z = mpz_get_d(draw) / scale;
		mean += z / draws;
		second += z * z / draws;
		fourth += z * z * z * z / draws;
	}
	CHECK(fabs(mean) < 10 / sqrt(draws));
	CHECK(fabs(second - 1) < 10 * sqrt(2.0 / draws));
	CHECK(fabs(fourth - 3) < 10 * sqrt(96.0 / draws));
	mpz_clears(draw, p, q, NULL);
}

/* A scale whose draws leave int64 must not hang. */
static void
test_largest_word(void)
{
	int negative = 0;

	reseed(12);
	for (int i = 0; i < 1000; i++)
		negative += draw_word(discrete_gaussian_draw, UINT64_MAX, 1) < 0;
	CHECK(negative > 400 && negative < 600);
}

/* So narrow that everything but zero is beyond reach. */
static void
test_smallest(void)
{
	int zeros = 0;

	reseed(13);
	for (int i = 0; i < 1000; i++)
		zeros += draw_word(discrete_gaussian_draw, 1, 1000) == 0;
	CHECK(zeros == 1000);
}

int
main(void)
{
	test_begin(1);
	test_law(1, 1, 1);
	test_law(1, 4, 2);
	test_law(7, 3, 3);
	test_law(99, 25, 4); /* just below sigma = 2 */
	test_law(400, 1, 5);
	test_law(123457, 100, 6);
	test_large();
	test_largest_word();
	test_smallest();
	return test_end("discrete_gaussian");
}
