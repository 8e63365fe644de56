/*
 * test_laplace.c - the discrete Laplace sampler against its law.
 */
#include "core/random/laplace.h"

#include <math.h>

#include "core/fixture.h"
#include "core/law.h"

#define REACH 60 /* draws beyond it are counted at it */

static int64_t
cell(int64_t draw)
{
	return (draw < -REACH ? -REACH : draw > REACH ? REACH : draw) + REACH;
}

/* exp(-rate |z|), with the tails in the outermost cells. */
static double
weight(int64_t z, double rate)
{
	double tail = llabs(z) == REACH ? 1.0 / (1.0 - exp(-rate)) : 1.0;

	return tail * exp(-rate * (double) llabs(z));
}

static void
test_law(uint64_t p, uint64_t q, uint64_t seed)
{
	double rate = (double) p / (double) q;
	int64_t count[2 * REACH + 1] = {0};
	double truth[2 * REACH + 1];
	double other[2 * REACH + 1];
	double once[2 * REACH + 1];

	reseed(seed);
	for (int i = 0; i < LAW_DRAWS; i++)
		count[cell(draw_word(laplace_draw, p, q))]++;
	for (int64_t z = -REACH; z <= REACH; z++)
	{
		truth[z + REACH] = weight(z, rate);
		other[z + REACH] = weight(z, rate * LAW_OFF);
		once[z + REACH] = weight(z, rate) * (z == 0 ? 2.0 : 1.0); /* both zeros kept */
	}
	CHECK_LAW(count, truth, other, 2 * REACH + 1);
	if (rate > 0.2)
		CHECK_WHOLE(law_p_value(count, once, 2 * REACH + 1) < LAW_THRESHOLD);
}

/* A rate so small that draws leave int64 must not hang. */
static void
test_smallest_rate(void)
{
	int negative = 0;

	reseed(4);
	for (int i = 0; i < 1000; i++)
		negative += draw_word(laplace_draw, 1, UINT64_MAX) < 0;
	CHECK(negative > 400 && negative < 600);
}

int
main(void)
{
	test_begin(1);
	test_law(1, 2, 1);
	test_law(500000000, 1000000000, 2); /* epsilon 1 under replace */
	test_law(3, 100, 3);
	test_law(7, 3, 5);
	test_smallest_rate();
	return test_end("laplace");
}
