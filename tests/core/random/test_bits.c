/*
 * test_bits.c - the exact samplers of bits.h against their laws.
 */
#include "core/random/bits.h"

#include <math.h>

#include "core/fixture.h"
#include "core/law.h"

/* The bits taken are the bits filled in, each once and in order, however they are cut. */
static void
test_take(void)
{
	static const int cuts[] = {1, 0, 63, 64, 7, 57, 13, 64, 64, 3, 48};
	TestStream copy;
	uint64_t word = 0;
	int left = 0;

	reseed(1);
	copy = stream;
	for (int round = 0; round < 50; round++)
		for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++)
		{
			uint64_t taken = bits_take(&bits, cuts[c]);
			uint64_t expected = 0;

			for (int i = 0; i < cuts[c]; i++)
			{
				if (left == 0)
				{
					teststream_fill(&copy, (uint8_t *) &word, sizeof(word));
					left = 64;
				}
				expected |= (word & 1) << i;
				word >>= 1;
				left--;
			}
			CHECK(taken == expected);
		}
}

/* Against uniform on 0 .. n-1, and on 0 .. 1.3 n. */
static void
test_below(uint64_t n)
{
	int cells = (int) ceil(LAW_OFF * (double) n);
	Histogram histogram = histogram_create(cells);

	for (int i = 0; i < LAW_DRAWS; i++)
		histogram_add(&histogram, bits_below(&bits, n));
	for (int i = 0; i < cells; i++)
	{
		histogram.truth[i] = (uint64_t) i < n ? 1.0 : 0.0;
		histogram.other[i] = 1.0;
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, cells);
	histogram_destroy(&histogram);
}

/* n of any size in 26 cells of n / 20; the result stays below n. */
static void
test_below_mpz(const char *text)
{
	const int cells = 26;
	Histogram histogram = histogram_create(cells);
	mpz_t n;
	mpz_t result;

	mpz_init_set_str(n, text, 0);
	mpz_init(result);
	for (int i = 0; i < LAW_DRAWS; i++)
	{
		bits_below_mpz(&bits, result, n);
		if (mpz_sgn(result) < 0 || mpz_cmp(result, n) >= 0)
		{
			CHECK(!"the result is in range");
			break;
		}
		mpz_mul_ui(result, result, 20);
		mpz_fdiv_q(result, result, n);
		histogram_add(&histogram, mpz_get_ui(result));
	}
	for (int i = 0; i < cells; i++)
	{
		histogram.truth[i] = i < 20 ? 1.0 : 0.0;
		histogram.other[i] = 1.0;
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, cells);
	mpz_clears(n, result, NULL);
	histogram_destroy(&histogram);
}

/* Every residue of a small range occurs, also where a limb's border is near. */
static void
test_below_edges(void)
{
	mpz_t n;
	mpz_t result;
	int low = 0;

	CHECK(bits_below(&bits, 1) == 0);
	CHECK(bits_below(&bits, 2) < 2);
	mpz_inits(n, result, NULL);
	mpz_set_ui(n, 1);
	bits_below_mpz(&bits, result, n);
	CHECK(mpz_sgn(result) == 0);

	/* 2^64 + 1 and 2^128: the second needs 128 bits, not 129. */
	mpz_setbit(n, 64);
	for (int i = 0; i < 1000; i++)
	{
		bits_below_mpz(&bits, result, n);
		low += mpz_sizeinbase(result, 2) < 64;
		CHECK(mpz_cmp(result, n) < 0);
	}
	CHECK(low > 400 && low < 600);
	mpz_set_ui(n, 0);
	mpz_setbit(n, 128);
	for (int i = 0; i < 1000; i++)
	{
		bits_below_mpz(&bits, result, n);
		CHECK(mpz_cmp(result, n) < 0);
	}
	mpz_clears(n, result, NULL);
}

typedef bool (*Coin)(Bits *bits, const mpz_t p, const mpz_t q);

/* A coin's frequency against the probability truth, and against other. */
static void
test_coin(Coin coin, const char *p_text, const char *q_text, double truth, double other)
{
	int64_t count[2] = {0, 0};
	double truths[2] = {1.0 - truth, truth};
	double others[2] = {1.0 - other, other};
	mpz_t p;
	mpz_t q;

	mpz_init_set_str(p, p_text, 0);
	mpz_init_set_str(q, q_text, 0);
	for (int i = 0; i < LAW_DRAWS; i++)
		count[coin(&bits, p, q)]++;
	CHECK_LAW(count, truths, others, 2);
	mpz_clears(p, q, NULL);
}

static void
test_bernoulli(const char *p, const char *q)
{
	double truth = strtod(p, NULL) / strtod(q, NULL);
	double other = truth * LAW_OFF < 1.0 ? truth * LAW_OFF : truth / LAW_OFF;

	test_coin(bits_bernoulli, p, q, truth, other);
}

static void
test_bernoulli_exp(const char *p, const char *q)
{
	double rate = strtod(p, NULL) / strtod(q, NULL);

	test_coin(bits_bernoulli_exp, p, q, exp(-rate), exp(-rate * LAW_OFF));
}

/* Certain answers. */
static void
test_coin_edges(void)
{
	mpz_t zero;
	mpz_t one;
	mpz_t huge;

	mpz_init_set_ui(zero, 0);
	mpz_init_set_ui(one, 1);
	mpz_init(huge);
	mpz_ui_pow_ui(huge, 10, 60);
	for (int i = 0; i < 1000; i++)
	{
		CHECK(bits_bernoulli(&bits, one, one));
		CHECK(!bits_bernoulli(&bits, zero, one));
		CHECK(bits_bernoulli(&bits, huge, huge));
		CHECK(!bits_bernoulli(&bits, zero, huge));
		CHECK(bits_bernoulli_exp(&bits, zero, one));
		CHECK(bits_bernoulli_exp(&bits, zero, huge));
		/* Probability exp(-1e60), and 1e-60 of failure. */
		CHECK(!bits_bernoulli_exp(&bits, huge, one));
		CHECK(bits_bernoulli_exp(&bits, one, huge));
	}
	mpz_clears(zero, one, huge, NULL);
}

/* The same ratio in words and in big integers: the same bits, the same answers. */
static void
test_agreement(Coin coin, unsigned long p_word, unsigned long q_word)
{
	enum
	{
		TOSSES = 20000
	};
	static bool narrow[TOSSES];
	int differences = 0;
	uint64_t next;
	mpz_t p;
	mpz_t q;

	mpz_init_set_ui(p, p_word);
	mpz_init_set_ui(q, q_word);
	reseed(7);
	for (int i = 0; i < TOSSES; i++)
		narrow[i] = coin(&bits, p, q);
	next = bits_take(&bits, 64);

	mpz_mul_2exp(p, p, 100);
	mpz_mul_2exp(q, q, 100);
	reseed(7);
	for (int i = 0; i < TOSSES; i++)
		differences += coin(&bits, p, q) != narrow[i];
	CHECK(differences == 0);
	CHECK(bits_take(&bits, 64) == next);
	mpz_clears(p, q, NULL);
}

/* In cells of 1/20 of the mean where the mean is large, else one for each number. */
static void
test_geometric(const char *p_text, const char *q_text)
{
	const int cells = 600;
	double rate = strtod(p_text, NULL) / strtod(q_text, NULL);
	double width = rate < 0.1 ? floor(0.05 / rate) : 1.0;
	Histogram histogram = histogram_create(cells);
	mpz_t p;
	mpz_t q;
	mpz_t result;
	mpz_t cell_width;

	mpz_init_set_str(p, p_text, 0);
	mpz_init_set_str(q, q_text, 0);
	mpz_init(result);
	mpz_init_set_d(cell_width, fmax(width, 1.0));
	for (int i = 0; i < LAW_DRAWS; i++)
	{
		bits_geometric(&bits, result, p, q);
		mpz_fdiv_q(result, result, cell_width);
		histogram_add(&histogram, mpz_fits_ulong_p(result) ? mpz_get_ui(result) : UINT64_MAX);
	}
	for (int i = 0; i < cells; i++)
	{
		histogram.truth[i] = exp(-rate * mpz_get_d(cell_width) * i);
		histogram.other[i] = exp(-rate * LAW_OFF * mpz_get_d(cell_width) * i);
	}
	CHECK_LAW(histogram.count, histogram.truth, histogram.other, cells);
	mpz_clears(p, q, result, cell_width, NULL);
	histogram_destroy(&histogram);
}

int
main(void)
{
	test_begin(2);
	test_take();

	test_below(2);
	test_below(3);
	test_below(10);
	test_below(64);
	test_below(1000);
	test_below_mpz("1000");
	test_below_mpz("0x30000000000000000");
	test_below_mpz("0x10000000000000001");
	test_below_mpz("1000000000000000000000000000000000000000000000000000000000000");
	test_below_edges();

	test_bernoulli("1", "3");
	test_bernoulli("1", "2");
	test_bernoulli("19", "20");
	test_bernoulli("9000000000000000000", "18000000000000000001");
	test_bernoulli("1000000000000000000000000000000", "3000000000000000000000000000001");

	test_bernoulli_exp("1", "20");
	test_bernoulli_exp("1", "3");
	test_bernoulli_exp("1", "1");
	test_bernoulli_exp("3", "2");
	test_bernoulli_exp("5", "1");
	test_bernoulli_exp("4000000000000000000", "3000000000000000000");
	test_bernoulli_exp("16000000000000000000", "9000000000000000001");
	test_bernoulli_exp("4000000000000000000000000000000", "3000000000000000000000000000000");
	test_bernoulli_exp("1000000000000000000000000000000", "7000000000000000000000000000000");
	test_coin_edges();

	test_agreement(bits_bernoulli, 1, 3);
	test_agreement(bits_bernoulli, 5, 8);
	test_agreement(bits_bernoulli, 999999999, 1000000000);
	test_agreement(bits_bernoulli_exp, 1, 3);
	test_agreement(bits_bernoulli_exp, 1, 1);
	test_agreement(bits_bernoulli_exp, 7, 3);

	test_geometric("1", "1");
	test_geometric("1", "3");
	test_geometric("5", "2");
	test_geometric("7", "50");
	test_geometric("1", "1000");
	test_geometric("999999937", "128000000000000");
	test_geometric("3", "1000000000000000000000000");
	test_geometric("1000000000000000000000000", "2000000000000000000000001");
	return test_end("bits");
}
